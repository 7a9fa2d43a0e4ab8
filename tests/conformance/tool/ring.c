// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// A ring of puts and messages with a known number of calls for the tool to count: per rank Init 1,
// Comm_size 2, Put 5 of 2 elements, Send 3 of 4 elements, Finalize 1.
#include <mpi.h>
#include <stdio.h>

enum { PUTS = 5, SENDS = 3 };

static int errors, rank, size;

static void put_ring(void)
{
    int *base, from = (rank + size - 1) % size;
    MPI_Win win;
    MPI_Win_allocate(2 * PUTS * sizeof(int) + 24, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base,
                     &win);
    for (int i = 0; i < 2 * PUTS; i++)
        base[i] = -1;
    MPI_Win_fence(0, win);
    for (int i = 0; i < PUTS; i++) {
        int pair[2] = {rank, i};
        MPI_Put(pair, 2, MPI_INT, (rank + 1) % size, 2 * i, 2, MPI_INT, win);
        MPI_Win_fence(0, win);
    }
    for (int i = 0; i < PUTS; i++)
        errors += base[2 * i] != from || base[2 * i + 1] != i;
    MPI_Win_free(&win);
}

static void send_ring(void)
{
    for (int i = 0; i < SENDS; i++) {
        int out[4] = {rank, i, 0, 0}, in[4] = {-1, -1, -1, -1};
        MPI_Request request;
        MPI_Irecv(in, 4, MPI_INT, (rank + size - 1) % size, i, MPI_COMM_WORLD, &request);
        MPI_Send(out, 4, MPI_INT, (rank + 1) % size, i, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        errors += in[0] != (rank + size - 1) % size || in[1] != i;
    }
}

int main(int argc, char **argv)
{
    int one = 0, all = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_size(MPI_COMM_SELF, &one);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    errors += one != 1;
    put_ring();
    send_ring();
    MPI_Allreduce(&errors, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0 && all)
        printf("%d errors\n", all);
    MPI_Finalize();
    return all != 0;
}
