/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Casper developers
 *
 * ARMCI, contiguous: each rank walks over all ranks, gets a block, computes on it and puts it back or
 * accumulates the difference, in turns so that no two ranks have the same block. */
#include "area.h"

enum { ROUNDS = 3, BLOCKS = 4, BLOCK = 24, N = BLOCKS * BLOCK };

static double **parts;

static double first(int owner, int i)
{
    return owner * 1000 + i;
}

static void put_back(double *mine, double *theirs, int owner)
{
    for (int i = 0; i < BLOCK; i++)
        mine[i] = 2 * mine[i] + 1;
    ARMCI_Put(mine, theirs, BLOCK * sizeof(double), owner);
    ARMCI_Fence(owner);
}

static void accumulate(double *mine, double *theirs, int owner)
{
    double half = 0.5;
    for (int i = 0; i < BLOCK; i++)
        mine[i] = 2 * (mine[i] + 1); /* with the scale: 2x + 1 in all */
    ARMCI_Acc(ARMCI_ACC_DBL, &half, mine, theirs, BLOCK * sizeof(double), owner);
    ARMCI_Fence(owner);
}

/* One block of everybody: 2x + 1 by one rank after the other. */
static void turn(int shift)
{
    int owner = (rank + shift) % size;
    for (int b = 0; b < BLOCKS; b++) {
        double mine[BLOCK];
        for (int i = 0; i < BLOCK; i++)
            mine[i] = -1;
        ARMCI_Get(parts[owner] + (size_t)b * BLOCK, mine, sizeof mine, owner);
        (b % 2 ? accumulate : put_back)(mine, parts[owner] + (size_t)b * BLOCK, owner);
    }
    ARMCI_Barrier();
}

static void judge(void)
{
    ARMCI_Access_begin(parts[rank]);
    for (int i = 0; i < N; i++) {
        double wanted = first(rank, i);
        for (int k = 0; k < ROUNDS * size; k++)
            wanted = 2 * wanted + 1;
        check_value("element", i, parts[rank][i], wanted);
    }
    ARMCI_Access_end(parts[rank]);
}

int main(int argc, char **argv)
{
    size_t bytes;
    parts = (double **)area_begin(&argc, &argv, N * sizeof(double), &bytes);
    ARMCI_Access_begin(parts[rank]);
    for (int i = 0; i < N; i++)
        parts[rank][i] = first(rank, i);
    ARMCI_Access_end(parts[rank]);
    ARMCI_Barrier();
    for (int k = 0; k < ROUNDS * size; k++)
        turn(k);
    judge();
    return area_end((void **)parts);
}
