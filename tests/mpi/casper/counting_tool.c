// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// A PMPI tool as people write them: counts calls, asks PMPI for size and rank, and prints what it
// saw in MPI_Finalize. Preloaded above and below libcasper (tool_stack.c checks it): in both places
// it must see the program's calls and the application's world.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int size_seen, rank_seen, puts_seen, sends_seen, windows_seen;

__attribute__((visibility("default"))) int counting_tool_seen(int *size, int *rank, int *puts,
                                                              int *sends, int *windows);

int counting_tool_seen(int *size, int *rank, int *puts, int *sends, int *windows)
{
    *size = size_seen;
    *rank = rank_seen;
    *puts = puts_seen;
    *sends = sends_seen;
    *windows = windows_seen;
    return 1;
}

static void look(void)
{
    PMPI_Comm_size(MPI_COMM_WORLD, &size_seen);
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank_seen);
}

int MPI_Init(int *argc, char ***argv)
{
    int rc = PMPI_Init(argc, argv);
    look();
    return rc;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    int rc = PMPI_Init_thread(argc, argv, required, provided);
    look();
    return rc;
}

int MPI_Send(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)
{
    sends_seen++;
    return PMPI_Send(buf, count, type, dest, tag, comm);
}

int MPI_Put(const void *origin, int n, MPI_Datatype type, int target, MPI_Aint disp, int target_n,
            MPI_Datatype target_type, MPI_Win win)
{
    puts_seen++;
    return PMPI_Put(origin, n, type, target, disp, target_n, target_type, win);
}

int MPI_Win_allocate(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base,
                     MPI_Win *win)
{
    windows_seen++;
    return PMPI_Win_allocate(size, unit, info, comm, base, win);
}

int MPI_Finalize(void)
{
    int now;
    PMPI_Comm_size(MPI_COMM_WORLD, &now);
    if (now != size_seen)
        fprintf(stderr, "counting tool: the size was %d, now %d\n", size_seen, now);
    return PMPI_Finalize();
}
