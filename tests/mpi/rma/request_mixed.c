// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// One array of requests from Isend, Irecv, Rput and Rget is completed by one MPI_Waitall, by
// MPI_Waitsome and by MPI_Testany; MPI_Request_get_status looks at an RMA request without ending
// it.
#include "csp_test_rma.h"

enum { N = 8, REQS = 4 };

struct state {
    int send[N], recv[N], put[N], got[N];
    MPI_Request reqs[REQS];
};

static void start(struct state *s, MPI_Win win, int round)
{
    int to = (csp_test_rank + 1) % csp_test_size;
    int from = (csp_test_rank + csp_test_size - 1) % csp_test_size;
    csp_test_poison(s, sizeof *s);
    for (int i = 0; i < N; i++) {
        s->send[i] = 100 * csp_test_rank + i + round;
        s->put[i] = 200 * csp_test_rank + i + round;
    }
    MPI_Irecv(s->recv, N, MPI_INT, from, 3, MPI_COMM_WORLD, &s->reqs[0]);
    MPI_Rput(s->put, N, MPI_INT, to, 0, N, MPI_INT, win, &s->reqs[1]);
    MPI_Isend(s->send, N, MPI_INT, to, 3, MPI_COMM_WORLD, &s->reqs[2]);
    MPI_Rget(s->got, N, MPI_INT, to, N, N, MPI_INT, win, &s->reqs[3]);
}

static void finish(struct state *s, int how)
{
    int done = 0, index, count, flag, indices[REQS];
    for (flag = 0; how == 0 && !flag;)
        MPI_Request_get_status(s->reqs[3], &flag, MPI_STATUS_IGNORE);
    if (how == 0)
        MPI_Waitall(REQS, s->reqs, MPI_STATUSES_IGNORE);
    while (how == 1 && done < REQS) {
        MPI_Waitsome(REQS, s->reqs, &count, indices, MPI_STATUSES_IGNORE);
        CHECK(count > 0);
        done += count > 0 ? count : REQS;
    }
    while (how == 2 && done < REQS) {
        MPI_Testany(REQS, s->reqs, &index, &flag, MPI_STATUS_IGNORE);
        done += flag;
    }
    for (int i = 0; i < REQS; i++)
        CHECK(s->reqs[i] == MPI_REQUEST_NULL);
}

int main(void)
{
    csp_test_init();
    struct state s;
    MPI_Win win;
    int *base = csp_test_win_new(sizeof(int) * 2 * N, sizeof(int), MPI_COMM_WORLD, &win);
    int to = (csp_test_rank + 1) % csp_test_size;
    int from = (csp_test_rank + csp_test_size - 1) % csp_test_size;
    csp_test_own(win, MPI_COMM_WORLD);
    for (int i = 0; i < N; i++)
        base[N + i] = 300 * csp_test_rank + i;
    csp_test_unown(win, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int how = 0; how < 3; how++) {
        MPI_Win_lock_all(0, win);
        start(&s, win, how);
        finish(&s, how);
        MPI_Win_unlock_all(win);
        MPI_Barrier(MPI_COMM_WORLD);
        csp_test_own(win, MPI_COMM_WORLD);
        for (int i = 0; i < N; i++) {
            CHECK_INT(s.recv[i], 100 * from + i + how);
            CHECK_INT(s.got[i], 300 * to + i);
            CHECK_INT(base[i], 200 * from + i + how);
        }
        csp_test_unown(win, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Win_free(&win);
    return csp_test_done();
}
