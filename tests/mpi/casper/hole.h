// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// A dynamic window, and places at which its processes have memory and have none.
#ifndef CASPER_TEST_HOLE_H
#define CASPER_TEST_HOLE_H

#include <sys/mman.h>

#include "casper_only.h"

enum { HOLE_BYTES = 1 << 16 };

struct place {
    MPI_Aint good, bad;
};

// Attaches `memory`; `theirs` has room for all processes. Errors are returned. @return where this process has none.
static inline void *hole_open(void *memory, MPI_Aint bytes, MPI_Win *win, struct place *theirs)
{
    struct place mine;
    void *hole = mmap(NULL, HOLE_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, win);
    MPI_Win_set_errhandler(*win, MPI_ERRORS_RETURN);
    MPI_Win_attach(*win, memory, bytes);
    MPI_Get_address(memory, &mine.good);
    MPI_Get_address(hole, &mine.bad);
    MPI_Allgather(&mine, 2, MPI_AINT, theirs, 2, MPI_AINT, MPI_COMM_WORLD);
    return hole;
}

static inline void hole_close(void *hole, const void *memory, MPI_Win *win)
{
    MPI_Win_detach(*win, memory);
    MPI_Win_free(win);
    munmap(hole, HOLE_BYTES);
}

#endif
