// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Many small atomic updates of random places: a histogram that is spread over the ranks. Each rank
// counts locally for a while, then adds what it has to the owners of the bins.
//     mpicc -O2 histogram.c -o histogram        casper run -n 4 --virtual-nodes 2 --report
//     ./histogram
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { BINS = 64, BATCHES = 20, BATCH = 100000 }; // BINS: of each rank

static uint64_t random_next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

int main(int argc, char **argv)
{
    int rank, size;
    int64_t *bins, local[BINS], count = 0;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_allocate(sizeof local, sizeof *bins, MPI_INFO_NULL, MPI_COMM_WORLD, &bins, &win);
    memset(bins, 0, sizeof local);
    MPI_Win_lock_all(0, win);
    MPI_Barrier(MPI_COMM_WORLD); // all bins are zero

    uint64_t state = 88172645463325252u + (uint64_t)rank;
    for (int b = 0; b < BATCHES; b++) {
        const int owner = (rank + b) % size;
        memset(local, 0, sizeof local);
        for (int i = 0; i < BATCH; i++)
            local[random_next(&state) % BINS]++;
        MPI_Accumulate(local, BINS, MPI_INT64_T, owner, 0, BINS, MPI_INT64_T, MPI_SUM, win);
        MPI_Win_flush_local(owner, win); // `local` may be reused
    }
    MPI_Win_flush_all(win);
    MPI_Barrier(MPI_COMM_WORLD); // all updates of all ranks are there
    MPI_Win_sync(win);
    for (int i = 0; i < BINS; i++)
        count += bins[i];
    MPI_Allreduce(MPI_IN_PLACE, &count, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    const int64_t expected = (int64_t)size * BATCHES * BATCH;
    if (rank == 0)
        printf("%lld values in the histogram, %lld expected\n", (long long)count,
               (long long)expected);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return count == expected ? 0 : 1;
}
