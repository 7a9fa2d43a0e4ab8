// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// A halo exchange with fences: heat spreads in a square whose rows are spread over the ranks.
// Before each step every rank puts its first and last row into its neighbours' halo rows.
//     mpicc -O2 halo.c -o halo -lm        casper run -n 4 --virtual-nodes 2 --report ./halo
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 256, ROWS = 64, STEPS = 200 }; // ROWS: of each rank

static int rank, size;

// Row 0 and row ROWS + 1 are the halo; MPI_PROC_NULL ends the chain, its puts do nothing.
static void exchange(double (*u)[WIDTH], MPI_Win win)
{
    const int up = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    const int down = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
    MPI_Win_fence(0, win);
    MPI_Put(u[1], WIDTH, MPI_DOUBLE, up, (MPI_Aint)(ROWS + 1) * WIDTH, WIDTH, MPI_DOUBLE, win);
    MPI_Put(u[ROWS], WIDTH, MPI_DOUBLE, down, 0, WIDTH, MPI_DOUBLE, win);
    MPI_Win_fence(0, win);
}

// One step of explicit heat conduction with insulated borders: the sum of all values stays.
static void step(double (*u)[WIDTH], double (*v)[WIDTH])
{
    for (int i = 1; i <= ROWS; i++)
        for (int j = 0; j < WIDTH; j++) {
            const double middle = u[i][j];
            const double up = rank == 0 && i == 1 ? middle : u[i - 1][j];
            const double down = rank == size - 1 && i == ROWS ? middle : u[i + 1][j];
            const double left = j == 0 ? middle : u[i][j - 1];
            const double right = j == WIDTH - 1 ? middle : u[i][j + 1];
            v[i][j] = middle + 0.2 * (up + down + left + right - 4.0 * middle);
        }
    memcpy(u[1], v[1], ROWS * sizeof(*u));
}

static double total(double (*u)[WIDTH])
{
    double sum = 0.0;
    for (int i = 1; i <= ROWS; i++)
        for (int j = 0; j < WIDTH; j++)
            sum += u[i][j];
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

int main(int argc, char **argv)
{
    static double v[ROWS + 2][WIDTH];
    double (*u)[WIDTH];
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_allocate(sizeof v, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &u, &win);
    memset(u, 0, sizeof v);
    if (rank == size / 2)
        u[1][WIDTH / 2] = 1e6; // one hot spot, at the border between two ranks

    const double start = MPI_Wtime();
    for (int s = 0; s < STEPS; s++) {
        exchange(u, win);
        step(u, v);
    }
    const double elapsed = MPI_Wtime() - start, sum = total(u);
    if (rank == 0)
        printf("%d steps on %d ranks in %.3f s, heat %.6f of 1000000\n", STEPS, size, elapsed, sum);
    MPI_Win_free(&win);
    MPI_Finalize();
    return fabs(sum - 1e6) < 1e-3 ? 0 : 1;
}
