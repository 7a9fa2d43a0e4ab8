// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Several threads of each process send, receive, probe and complete at the same time.
#include <pthread.h>

#include "../csp_test.h"

enum { THREADS = 4, ROUNDS = 60, MOST = 40000 };

static int next_rank, last_rank;

static void *run(void *arg)
{
    const int me = *(int *)arg;
    char *out = malloc(MOST), *in = malloc(MOST);
    for (int i = 0; i < ROUNDS; i++) {
        const int bytes = (i * 997 + me * 31) % MOST + 1;
        MPI_Request r[2];
        MPI_Status s;
        memset(out, i + me, MOST);
        MPI_Isend(out, bytes, MPI_CHAR, next_rank, me, MPI_COMM_WORLD, &r[0]);
        if (i % 3 == 0) {
            MPI_Probe(last_rank, me, MPI_COMM_WORLD, &s);
            int count;
            MPI_Get_count(&s, MPI_CHAR, &count);
            CHECK_INT(count, bytes);
        }
        MPI_Irecv(in, MOST, MPI_CHAR, last_rank, me, MPI_COMM_WORLD, &r[1]);
        if (i % 2)
            MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
        for (int k = 1; k >= 0; k--)
            MPI_Wait(&r[k], MPI_STATUS_IGNORE);
        CHECK_INT(in[0], (char)(i + me));
        CHECK_INT(in[bytes - 1], (char)(i + me));
        if (me == 0 && i % 4 == 0) // with CSP_P2P=auto the messages may go another way from here on
            MPI_Barrier(MPI_COMM_WORLD);
    }
    free(out);
    free(in);
    return NULL;
}

int main(void)
{
    int provided, numbers[THREADS];
    pthread_t threads[THREADS];
    csp_test_init_thread(MPI_THREAD_MULTIPLE, &provided);
    if (provided < MPI_THREAD_MULTIPLE)
        csp_test_skip("the MPI library has no MPI_THREAD_MULTIPLE");
    next_rank = (csp_test_rank + 1) % csp_test_size;
    last_rank = (csp_test_rank + csp_test_size - 1) % csp_test_size;
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, run, &numbers[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return csp_test_done();
}
