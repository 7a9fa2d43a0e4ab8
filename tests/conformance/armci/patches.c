/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Casper developers
 *
 * ARMCI, strided: every rank puts a patch of a three-dimensional array into each rank's, reads it back,
 * and all accumulate onto one patch of rank 0. */
#include "area.h"

enum { X = 10, Y = 8, Z = 6, CELLS = X * Y * Z, LEVELS = 2 };
enum { PX = 3, PY = 4, PZ = 2, PATCH = PX * PY * PZ, REPEATS = 5 };

static double **arrays; /* for each origin one array at each rank */
static int remote_strides[LEVELS] = {X * sizeof(double), X * Y * sizeof(double)};
static int local_strides[LEVELS] = {PX * sizeof(double), PX * PY * sizeof(double)};
static int counts[LEVELS + 1] = {PX * sizeof(double), PY, PZ};

static double value(int origin, int owner, int i)
{
    return 10000 * origin + 100 * owner + i + 0.5;
}

/* Where the patch begins in the array of one origin at one owner. */
static double *corner(int owner, int origin)
{
    return arrays[owner] + (size_t)origin * CELLS + 2 * X * Y + 1 * X + 4;
}

/* Index in the patch of a cell, or -1. */
static int patch_index(int cell)
{
    int x = cell % X - 4, y = cell / X % Y - 1, z = cell / (X * Y) - 2;
    int inside = x >= 0 && x < PX && y >= 0 && y < PY && z >= 0 && z < PZ;
    return inside ? x + PX * (y + PY * z) : -1;
}

static void put_and_get(int owner)
{
    double sent[PATCH], back[PATCH];
    for (int i = 0; i < PATCH; i++) {
        sent[i] = value(rank, owner, i);
        back[i] = -1;
    }
    ARMCI_PutS(sent, local_strides, corner(owner, rank), remote_strides, counts, LEVELS, owner);
    ARMCI_Fence(owner);
    ARMCI_GetS(corner(owner, rank), remote_strides, back, local_strides, counts, LEVELS, owner);
    for (int i = 0; i < PATCH; i++)
        check_value("read back", i, back[i], value(rank, owner, i));
}

static void judge_puts(void)
{
    ARMCI_Access_begin(arrays[rank]);
    for (int i = 0; i < size * CELLS; i++) {
        int p = patch_index(i % CELLS);
        check_value("cell", i, arrays[rank][i], p < 0 ? 0 : value(i / CELLS, rank, p));
    }
    ARMCI_Access_end(arrays[rank]);
    ARMCI_Barrier();
}

/* All onto the same cells of rank 0: atomic by element. */
static void accumulate(void)
{
    double mine[PATCH], scale = 2;
    for (int i = 0; i < PATCH; i++)
        mine[i] = rank + 1 + i;
    for (int k = 0; k < REPEATS; k++)
        ARMCI_AccS(ARMCI_ACC_DBL, &scale, mine, local_strides, corner(0, 0), remote_strides, counts,
                   LEVELS, 0);
    ARMCI_Barrier();
}

static void judge_sums(void)
{
    ARMCI_Access_begin(arrays[rank]);
    for (int i = 0; i < CELLS && rank == 0; i++) {
        int p = patch_index(i);
        double ranks = size * (size + 1) / 2.0;
        check_value("sum", i, arrays[0][i], p < 0 ? 0 : 2 * REPEATS * (ranks + (double)size * p));
    }
    ARMCI_Access_end(arrays[rank]);
}

int main(int argc, char **argv)
{
    size_t bytes;
    arrays = (double **)area_begin(&argc, &argv, CELLS * sizeof(double), &bytes);
    for (int k = 0; k < size; k++)
        put_and_get((rank + k) % size);
    ARMCI_Barrier();
    judge_puts();
    area_fill((void **)arrays, 0, bytes);
    accumulate();
    judge_sums();
    return area_end((void **)arrays);
}
