// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Has windows of every sort open and operations on the way, says so in the file FOLDER/<rank> (with
// its process id), and ends as it is told: work FOLDER end | abort | leave | wait
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SMALL = 1024, LARGE = 32 << 20, LAST_S = 60 };

static MPI_Win small_win, large_win;
static int rank, size;

static void say_ready(const char *folder)
{
    char path[4096], made[4096];
    snprintf(path, sizeof(path), "%s/new.%d", folder, rank);
    snprintf(made, sizeof(made), "%s/%d", folder, rank);
    FILE *f = fopen(path, "w");
    if (!f || fprintf(f, "%d\n", (int)getpid()) < 0 || fclose(f) || rename(path, made))
        MPI_Abort(MPI_COMM_WORLD, 99);
}

static void operate(int to)
{
    int one = 1, old = 0;
    MPI_Put(&one, 1, MPI_INT, to, 8, 1, MPI_INT, large_win);
    MPI_Accumulate(&one, 1, MPI_INT, to, 0, 1, MPI_INT, MPI_SUM, small_win);
    MPI_Fetch_and_op(&one, &old, MPI_INT, to, 4, MPI_SUM, small_win);
    MPI_Win_flush(to, small_win);
    MPI_Win_flush(to, large_win);
}

int main(int argc, char **argv)
{
    void *base;
    MPI_Init(&argc, &argv);
    const char *folder = argc > 2 ? argv[1] : ".", *mode = argc > 2 ? argv[2] : "end";
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_allocate(SMALL, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &small_win);
    MPI_Win_allocate(LARGE, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &large_win);
    MPI_Win_lock_all(0, small_win);
    MPI_Win_lock_all(0, large_win);
    operate((rank + 1) % size);
    MPI_Barrier(MPI_COMM_WORLD);
    say_ready(folder);
    if (strcmp(mode, "abort") == 0 && rank == size - 1)
        MPI_Abort(MPI_COMM_WORLD, 3);
    if (strcmp(mode, "leave") == 0 && rank == size - 1)
        _exit(4);
    for (double end = MPI_Wtime() + LAST_S; strcmp(mode, "end") != 0 && MPI_Wtime() < end;)
        operate((rank + 1) % size);
    MPI_Win_unlock_all(small_win);
    MPI_Win_unlock_all(large_win);
    MPI_Win_free(&small_win);
    MPI_Win_free(&large_win);
    MPI_Finalize();
    return 0;
}
