// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Processes that share a core: before MPI_Init, so that ghosts do as well; and times there, which vary.
#ifndef CASPER_TEST_ONE_CORE_H
#define CASPER_TEST_ONE_CORE_H

#include <sched.h>
#include <stdlib.h>

// The process runs on `count` of the CPUs that it had at first, from number `from` of them on, from now on. @return 0 if there are
// not so many.
static inline int take_cores(int from, int count)
{
    static cpu_set_t all;
    static int known;
    cpu_set_t some;
    CPU_ZERO(&some);
    if (!known && sched_getaffinity(0, sizeof all, &all) != 0)
        return 0;
    known = 1;
    for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&some) < count; i++)
        if (CPU_ISSET(i, &all) && from-- <= 0)
            CPU_SET(i, &some);
    return CPU_COUNT(&some) == count && sched_setaffinity(0, sizeof some, &some) == 0;
}

static inline int take_core(int which)
{
    return take_cores(which, 1);
}

static inline int one_core_compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Sorts them. @return the value below which a share of them is.
static inline double quantile(double *values, int count, double share)
{
    qsort(values, (size_t)count, sizeof *values, one_core_compare);
    return values[(int)(count * share)];
}

#endif
