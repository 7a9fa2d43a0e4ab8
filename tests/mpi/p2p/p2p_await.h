// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Waiting for data of a request that was freed: calls of MPI, in which they may come.
#ifndef P2P_AWAIT_H
#define P2P_AWAIT_H

#include "../csp_test.h"

/** Calls MPI until `*at` is `value`, 20 s at most. */
static inline void p2p_await(const char *at, char value)
{
    for (double end = MPI_Wtime() + 20; *at != value && MPI_Wtime() < end;) {
        int flag;
        MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        __asm__ volatile("" ::: "memory");
    }
}

#endif
