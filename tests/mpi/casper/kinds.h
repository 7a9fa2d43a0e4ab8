// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The kinds of windows that Casper redirects, so that a test can run the same body on each: 64 bytes for each
// rank, displacement unit 4.
#ifndef CSP_TEST_KINDS_H
#define CSP_TEST_KINDS_H

#include "casper_only.h"

enum kind { KIND_ALLOCATED, KIND_ALIGNED, KIND_CREATED, KIND_DYNAMIC, KIND_LENT, KINDS };
enum { KIND_BYTES = 64, KIND_WORDS = KIND_BYTES / 4 };

struct kind_win {
    enum kind kind;
    MPI_Win win;
    int *base;    // own part
    MPI_Aint *at; // [rank]: displacement of its first word
};

static inline const char *kind_name(enum kind kind)
{
    static const char *const names[] = {"allocated", "aligned", "created", "dynamic", "lent"};
    return names[kind];
}

/** Ghosts map its memory: that of MPI_Win_allocate, and that of MPI_Alloc_mem in a created window. */
static inline int kind_mapped(enum kind kind)
{
    return kind == KIND_ALLOCATED || kind == KIND_LENT;
}

static inline void kind_allocate(struct kind_win *k, MPI_Info info)
{
    if (k->kind == KIND_ALIGNED) // more than a page: memory that ghosts do not map
        MPI_Info_set(info, "mpi_minimum_memory_alignment", "65536");
    MPI_Win_allocate(KIND_BYTES, 4, info, MPI_COMM_WORLD, &k->base, &k->win);
}

static inline void kind_bring(struct kind_win *k, MPI_Info info)
{
    if (k->kind == KIND_LENT)
        MPI_Alloc_mem(KIND_BYTES, MPI_INFO_NULL, &k->base);
    else
        k->base = csp_test_malloc(KIND_BYTES);
    if (k->kind != KIND_DYNAMIC) {
        MPI_Win_create(k->base, KIND_BYTES, 4, info, MPI_COMM_WORLD, &k->win);
        return;
    }
    MPI_Aint mine;
    MPI_Win_create_dynamic(info, MPI_COMM_WORLD, &k->win);
    MPI_Win_attach(k->win, k->base, KIND_BYTES);
    MPI_Get_address(k->base, &mine);
    MPI_Allgather(&mine, 1, MPI_AINT, k->at, 1, MPI_AINT, MPI_COMM_WORLD);
}

/** A poisoned window with errors returned; `info` is the caller's, who frees it, and may be changed. */
static inline struct kind_win kind_make(enum kind kind, MPI_Info info)
{
    struct kind_win k = {.kind = kind, .at = calloc((size_t)csp_test_size, sizeof(MPI_Aint))};
    PHASE(kind_name(kind));
    if (kind <= KIND_ALIGNED)
        kind_allocate(&k, info);
    else
        kind_bring(&k, info);
    csp_test_poison(k.base, KIND_BYTES);
    MPI_Win_set_errhandler(k.win, MPI_ERRORS_RETURN);
    MPI_Barrier(MPI_COMM_WORLD);
    return k;
}

static inline void kind_free(struct kind_win *k)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (k->kind == KIND_DYNAMIC)
        MPI_Win_detach(k->win, k->base);
    MPI_Win_free(&k->win);
    if (k->kind == KIND_LENT)
        MPI_Free_mem(k->base);
    else if (k->kind >= KIND_CREATED)
        free(k->base);
    free(k->at);
}

/** The body on a window of each kind, without hints. */
static inline void for_each_kind(void (*body)(const struct kind_win *k))
{
    for (int kind = 0; kind < KINDS; kind++) {
        MPI_Info info;
        MPI_Info_create(&info);
        struct kind_win k = kind_make((enum kind)kind, info);
        MPI_Info_free(&info);
        body(&k);
        kind_free(&k);
    }
}

#endif
