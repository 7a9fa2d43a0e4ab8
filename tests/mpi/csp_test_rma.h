// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// For tests of windows: poisoned windows and the four ways to open an access epoch to everybody, so
// that a test can run the same body under each of them.
#ifndef CSP_TEST_RMA_H
#define CSP_TEST_RMA_H

#include "csp_test.h"

/**
 * Own part of the window may be read and written until csp_test_unown: memory is synchronised.
 * Nobody else may access it meanwhile. A shared lock: Open MPI 4.1 hangs after exclusive locks of
 * oneself.
 */
static inline void csp_test_own(MPI_Win win, MPI_Comm comm)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
}

static inline void csp_test_unown(MPI_Win win, MPI_Comm comm)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    MPI_Win_unlock(rank, win);
}

/** Sets all bytes of the own part; returns when everybody has. */
static inline void csp_test_win_fill(MPI_Win win, MPI_Comm comm, void *base, MPI_Aint bytes,
                                     int byte)
{
    csp_test_own(win, comm);
    if (bytes > 0)
        memset(base, byte, (size_t)bytes);
    csp_test_unown(win, comm);
    MPI_Barrier(comm);
}

/**
 * MPI_Win_allocate of a poisoned window. @return the own part. Sizes are rounded up to 16 bytes,
 * for MPICH 4.0 mixes up the parts of one node otherwise; rma/unaligned.c is there for odd sizes.
 */
static inline void *csp_test_win_new(MPI_Aint bytes, int disp_unit, MPI_Comm comm, MPI_Win *win)
{
    void *base = NULL;
    bytes = (bytes + 15) / 16 * 16;
    MPI_Win_allocate(bytes, disp_unit, MPI_INFO_NULL, comm, &base, win);
    csp_test_win_fill(*win, comm, base, bytes, CSP_TEST_POISON);
    return base;
}

/** Skips if the library refuses windows (Open MPI 4.1 over TCP does with MPI_THREAD_MULTIPLE). */
static inline void csp_test_need_windows(void)
{
    MPI_Win win;
    void *base;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int rc = MPI_Win_allocate(16, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    if (rc != MPI_SUCCESS)
        csp_test_skip("the MPI library refuses windows here");
    MPI_Win_free(&win);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

enum csp_test_epoch {
    CSP_TEST_FENCE,
    CSP_TEST_PSCW,
    CSP_TEST_LOCK,
    CSP_TEST_LOCK_ALL,
    CSP_TEST_EPOCHS
};

static inline const char *csp_test_epoch_name(enum csp_test_epoch kind)
{
    static const char *const names[] = {"fence", "pscw", "lock", "lock_all"};
    return names[kind];
}

/** Opens access to all ranks of the window; collective over `comm`, the window's communicator. */
static inline void csp_test_epoch_open(enum csp_test_epoch kind, MPI_Win win, MPI_Comm comm)
{
    int size;
    MPI_Group group;
    MPI_Comm_size(comm, &size);
    if (kind == CSP_TEST_LOCK || kind == CSP_TEST_LOCK_ALL)
        MPI_Barrier(comm); // nobody still looks at its own part
    switch (kind) {
    case CSP_TEST_FENCE:
        MPI_Win_fence(0, win);
        break;
    case CSP_TEST_PSCW:
        MPI_Win_get_group(win, &group);
        MPI_Win_post(group, 0, win);
        MPI_Win_start(group, 0, win);
        MPI_Group_free(&group);
        break;
    case CSP_TEST_LOCK:
        for (int i = 0; i < size; i++)
            MPI_Win_lock(MPI_LOCK_SHARED, i, 0, win);
        break;
    default:
        MPI_Win_lock_all(0, win);
    }
}

/**
 * Completes everything at origin and target and returns when all ranks have; the own part may then
 * be read, or changed before the next epoch.
 */
static inline void csp_test_epoch_close(enum csp_test_epoch kind, MPI_Win win, MPI_Comm comm)
{
    int size;
    MPI_Comm_size(comm, &size);
    switch (kind) {
    case CSP_TEST_FENCE:
        MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
        break;
    case CSP_TEST_PSCW:
        MPI_Win_complete(win);
        MPI_Win_wait(win);
        break;
    case CSP_TEST_LOCK:
        for (int i = 0; i < size; i++)
            MPI_Win_unlock(i, win);
        break;
    default:
        MPI_Win_unlock_all(win);
    }
    if (kind == CSP_TEST_FENCE)
        return;
    MPI_Barrier(comm);
    csp_test_own(win, comm); // sees what others have written
    csp_test_unown(win, comm);
}

#define FOR_EACH_EPOCH(kind)                                                                       \
    for (enum csp_test_epoch kind = CSP_TEST_FENCE;                                                \
         PHASE(kind < CSP_TEST_EPOCHS ? csp_test_epoch_name(kind) : "after epochs"),               \
                             kind < CSP_TEST_EPOCHS;                                               \
         kind++)

#endif
