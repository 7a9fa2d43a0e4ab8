// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// A window of the kind that CASPER_TEST_WINDOW names: allocated (default), created, dynamic.
#ifndef CSP_TEST_BAD_WINDOW_H
#define CSP_TEST_BAD_WINDOW_H

#include <sys/mman.h>

#include "csp_test_rma.h"

struct bad_window {
    MPI_Win win;
    void *mine;   // my part
    MPI_Aint *at; // displacement of each rank's part
};

static inline int bad_window_is(const char *kind)
{
    const char *wanted = getenv("CASPER_TEST_WINDOW");
    return strcmp(wanted ? wanted : "allocated", kind) == 0;
}

/** `bytes` for each rank; memory of the program's own is mapped, so that it can be unmapped. */
static inline struct bad_window bad_window_new(MPI_Aint bytes)
{
    struct bad_window w = {.at = calloc((size_t)csp_test_size, sizeof(MPI_Aint))};
    if (bad_window_is("allocated")) {
        w.mine = csp_test_win_new(bytes, 1, MPI_COMM_WORLD, &w.win);
        return w;
    }
    w.mine = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (w.mine == MAP_FAILED)
        abort();
    if (bad_window_is("created")) {
        MPI_Win_create(w.mine, bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w.win);
        return w;
    }
    MPI_Aint address;
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &w.win);
    MPI_Win_attach(w.win, w.mine, bytes);
    MPI_Get_address(w.mine, &address);
    MPI_Allgather(&address, 1, MPI_AINT, w.at, 1, MPI_AINT, MPI_COMM_WORLD);
    return w;
}

static inline void bad_window_free(struct bad_window *w)
{
    if (bad_window_is("dynamic"))
        MPI_Win_detach(w->win, w->mine);
    MPI_Win_free(&w->win);
    free(w->at);
}

#endif
