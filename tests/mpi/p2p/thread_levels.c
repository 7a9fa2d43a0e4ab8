// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Processes may ask for different levels of thread support (MPI-4.1 11.2.1): every third here for the highest, the others for the lowest.
// Messages and collective calls work between them on two communicators with all processes.
#include "../csp_test.h"

enum { ROUNDS = 100 };

static void exchange(MPI_Comm comm, int round)
{
    int right = (csp_test_rank + 1) % csp_test_size;
    int left = (csp_test_rank + csp_test_size - 1) % csp_test_size, got = -1;
    MPI_Sendrecv(&round, 1, MPI_INT, right, 0, &got, 1, MPI_INT, left, 0, comm, MPI_STATUS_IGNORE);
    CHECK_INT(got, round);
    MPI_Barrier(comm);
}

int main(void)
{
    const char *of_launcher[] = {"PMI_RANK", "OMPI_COMM_WORLD_RANK"}, *rank = NULL;
    for (int i = 0; i < 2 && !rank; i++)
        rank = getenv(of_launcher[i]);
    // With ghosts the program's rank 0 is another one: every third process of the job will do.
    int provided, threads = rank && atoi(rank) % 3 == 1;
    csp_test_init_thread(threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    MPI_Comm other;
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    for (int i = 0; i < ROUNDS; i++) {
        exchange(MPI_COMM_WORLD, i);
        exchange(other, i);
    }
    MPI_Comm_free(&other);
    return csp_test_done();
}
