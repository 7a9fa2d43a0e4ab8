/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Casper developers
 *
 * The begin and the end of the programs over ARMCI alone: an area of memory at each rank. */
#ifndef AREA_H
#define AREA_H

#include <armci.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"

static int rank, size;

/* Every rank's own area gets this byte everywhere; collective. */
static inline void area_fill(void **areas, int byte, size_t bytes)
{
    ARMCI_Access_begin(areas[rank]);
    memset(areas[rank], byte, bytes);
    ARMCI_Access_end(areas[rank]);
    ARMCI_Barrier();
}

/* Starts MPI and ARMCI: the areas of all ranks, all zero. */
static inline void **area_begin(int *argc, char ***argv, size_t bytes_per_rank, size_t *bytes)
{
    MPI_Init(argc, argv);
    ARMCI_Init();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    void **areas = calloc(size, sizeof *areas);
    *bytes = bytes_per_rank * size;
    ARMCI_Malloc(areas, (armci_size_t)*bytes);
    area_fill(areas, 0, *bytes);
    return areas;
}

/* Ends both; returns the program's exit code. */
static inline int area_end(void **areas)
{
    int wrong = check_end();
    ARMCI_Barrier();
    ARMCI_Free(areas[rank]);
    free(areas);
    ARMCI_Finalize();
    MPI_Finalize();
    return wrong;
}

#endif
