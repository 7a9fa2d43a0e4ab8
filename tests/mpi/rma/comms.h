// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// For the tests of windows on various communicators: one round of everything on a window of `comm`.
#ifndef CSP_TEST_COMMS_H
#define CSP_TEST_COMMS_H

#include "csp_test_rma.h"

enum { COMMS_N = 8 };

/** PUT, ACC and GET round the ring of `comm` on a window of it; `tag` tells windows apart. */
static inline void comm_use(MPI_Win win, MPI_Comm comm, int *base, int tag)
{
    int rank, size, src[COMMS_N], got[COMMS_N];
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    for (int i = 0; i < COMMS_N; i++)
        src[i] = tag * 1000 + rank * 10 + i;
    FOR_EACH_EPOCH(kind)
    {
        csp_test_win_fill(win, comm, base, sizeof src, 0);
        csp_test_epoch_open(kind, win, comm);
        MPI_Put(src, COMMS_N / 2, MPI_INT, to, 0, COMMS_N / 2, MPI_INT, win);
        MPI_Accumulate(src + COMMS_N / 2, COMMS_N / 2, MPI_INT, to, COMMS_N / 2, COMMS_N / 2,
                       MPI_INT, MPI_SUM, win);
        csp_test_epoch_close(kind, win, comm);
        for (int i = 0; i < COMMS_N; i++)
            CHECK_INT(base[i], tag * 1000 + from * 10 + i);
        csp_test_poison(got, sizeof got);
        csp_test_epoch_open(kind, win, comm);
        MPI_Get(got, COMMS_N, MPI_INT, to, 0, COMMS_N, MPI_INT, win);
        csp_test_epoch_close(kind, win, comm);
        for (int i = 0; i < COMMS_N; i++)
            CHECK_INT(got[i], src[i]);
    }
}

/** A window is made on `comm`, used and freed. */
static inline void comm_round(MPI_Comm comm, int tag)
{
    MPI_Win win;
    int *base = csp_test_win_new(sizeof(int) * COMMS_N, sizeof(int), comm, &win);
    comm_use(win, comm, base, tag);
    MPI_Win_free(&win);
}

#endif
