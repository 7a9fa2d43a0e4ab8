// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Processes that share a core: before MPI_Init, so that ghosts do as well.
#ifndef CASPER_TEST_ONE_CORE_H
#define CASPER_TEST_ONE_CORE_H

#include <sched.h>

// The process runs on the CPU with number `which` of those that it had at first, from now on. @return 0 if there is none.
static int take_core(int which)
{
    static cpu_set_t all;
    static int known;
    cpu_set_t one;
    CPU_ZERO(&one);
    if (!known && sched_getaffinity(0, sizeof all, &all) != 0)
        return 0;
    known = 1;
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &all) && which-- == 0) {
            CPU_SET(i, &one);
            return sched_setaffinity(0, sizeof one, &one) == 0;
        }
    return 0;
}

#endif
