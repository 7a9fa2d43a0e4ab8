// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// One thread completes the requests of operations while another one, who has closed their epoch, frees their window, or, with an
// argument, before that says how its operations are to be redirected (async_config).
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include "csp_test_rma.h"

enum { ROUNDS = 100, INTS = 64, OPS = 6, AREAS = 4 };

static MPI_Request requests[OPS];
static _Atomic int issued, completed; // rounds

static void *complete(void *arg)
{
    (void)arg;
    for (int round = 1; round <= ROUNDS; round++) {
        while (atomic_load(&issued) < round)
            sched_yield();
        CHECK_INT(MPI_Waitall(OPS, requests, MPI_STATUSES_IGNORE), MPI_SUCCESS);
        atomic_store(&completed, round);
    }
    return NULL;
}

static void redirect(MPI_Win win, int round)
{
    static const char *const how[] = {"off", "auto", "on"};
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "async_config", how[round % 3]);
    MPI_Info_set(info, "symmetric", "true");
    CHECK_INT(MPI_Win_set_info(win, info), MPI_SUCCESS);
    MPI_Info_free(&info);
}

static void one(int to, int round, int redirects)
{
    static int put[INTS], acc[INTS], got[2][INTS];
    MPI_Datatype every_second;
    int *base;
    MPI_Win win;
    for (int i = 0; i < INTS; i++) {
        put[i] = round + i;
        acc[i] = 1;
        got[0][i] = got[1][i] = -1;
    }
    MPI_Type_vector(INTS / 2, 1, 2, MPI_INT, &every_second);
    MPI_Type_commit(&every_second);
    MPI_Win_allocate(AREAS * INTS * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base,
                     &win);
    for (int i = 0; i < AREAS * INTS; i++)
        base[i] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (redirects)
        redirect(win, 1); // there is something to change
    MPI_Win_lock_all(0, win);
    MPI_Rput(put, INTS, MPI_INT, to, 0, INTS, MPI_INT, win, &requests[0]);
    MPI_Raccumulate(acc, INTS, MPI_INT, to, INTS, INTS, MPI_INT, MPI_SUM, win, &requests[1]);
    MPI_Rget_accumulate(NULL, 0, MPI_INT, got[0], INTS, MPI_INT, to, INTS, INTS, MPI_INT, MPI_NO_OP,
                        win, &requests[2]);
    MPI_Rget(got[1], INTS / 2, MPI_INT, to, 2 * INTS, 1, every_second, win, &requests[3]);
    MPI_Rput(put, 1, every_second, to, 3 * INTS, INTS / 2, MPI_INT, win, &requests[4]);
    MPI_Raccumulate(acc, 1, every_second, to, INTS, INTS / 2, MPI_INT, MPI_SUM, win, &requests[5]);
    atomic_store(&issued, round);
    MPI_Win_unlock_all(win);
    for (int i = 0; i < redirects; i++)
        redirect(win, round + i);
    MPI_Win_free(&win);
    MPI_Type_free(&every_second);
    while (atomic_load(&completed) < round)
        sched_yield();
    CHECK(got[0][INTS - 1] >= 0 && got[0][INTS - 1] <= 2 && got[1][0] == 0);
}

int main(int argc, char **argv)
{
    (void)argv;
    int provided, rank, size;
    pthread_t thread;
    csp_test_init_thread(MPI_THREAD_MULTIPLE, &provided);
    if (provided < MPI_THREAD_MULTIPLE)
        csp_test_skip("no MPI_THREAD_MULTIPLE");
    csp_test_need_windows();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    pthread_create(&thread, NULL, complete, NULL);
    for (int round = 1; round <= ROUNDS; round++)
        one((rank + size / 2) % size, round, argc > 1 ? 3 : 0);
    pthread_join(thread, NULL);
    return csp_test_done();
}
