/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Casper developers
 *
 * What the programs over ARMCI and Global Arrays share: they count what is wrong, and all end with
 * exit code 1 if one has found something. */
#ifndef CHECKS_H
#define CHECKS_H

#include <mpi.h>
#include <stdio.h>

enum { SHOWN = 5 };

static int wrong_count;

/* Counts a value that is not what it must be, and prints the first ones. */
static inline void check_value(const char *what, long at, double found, double wanted)
{
    if (found == wanted)
        return;
    if (wrong_count++ < SHOWN)
        printf("wrong: %s %ld is %g, not %g\n", what, at, found, wanted);
}

/* Collective: 0 if no rank has counted anything. */
static inline int check_end(void)
{
    int all = 0;
    MPI_Allreduce(&wrong_count, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return all != 0;
}

#endif
