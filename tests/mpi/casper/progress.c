// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The point of it all: while the target computes outside MPI, the origin on the other node does not
// wait for it, for any operation, small, 1 MB or strided in three dimensions. Time in which the origin or a ghost has no core is
// no waiting for the target.
#include "casper_ghosts.h"

#define COMPUTE_S 0.6
#define WAIT_S 0.3 // allowed; quiet machines need about a millisecond

enum { MB = 1 << 20, DOUBLES = MB / 8 };

static double buf[DOUBLES], res[DOUBLES];
static long processes[CASPER_GHOSTS_MOST + 1]; // the ghosts and this one
static double before[CASPER_GHOSTS_MOST + 1];  // that each had no core
static int nprocesses;
static MPI_Datatype box; // 16 x 16 x 16 out of 32 x 32 x 128

static void issue(int op, MPI_Win win, int t)
{
    static const int64_t one = 1, zero = 0;
    static int64_t old;
    const MPI_Aint ints = DOUBLES; // behind the doubles
    switch (op) {
    case 0:
        MPI_Put(buf, 1, MPI_DOUBLE, t, 0, 1, MPI_DOUBLE, win);
        break;
    case 1:
        MPI_Get(res, 1, MPI_DOUBLE, t, 0, 1, MPI_DOUBLE, win);
        break;
    case 2:
        MPI_Accumulate(buf, 1, MPI_DOUBLE, t, 0, 1, MPI_DOUBLE, MPI_SUM, win);
        break;
    case 3:
        MPI_Get_accumulate(buf, 1, MPI_DOUBLE, res, 1, MPI_DOUBLE, t, 0, 1, MPI_DOUBLE, MPI_SUM,
                           win);
        break;
    case 4:
        MPI_Fetch_and_op(&one, &old, MPI_INT64_T, t, ints, MPI_SUM, win);
        break;
    case 5:
        MPI_Compare_and_swap(&one, &zero, &old, MPI_INT64_T, t, ints + 1, win);
        break;
    case 6:
        MPI_Put(buf, DOUBLES, MPI_DOUBLE, t, 0, DOUBLES, MPI_DOUBLE, win);
        break;
    case 7:
        MPI_Get(res, DOUBLES, MPI_DOUBLE, t, 0, DOUBLES, MPI_DOUBLE, win);
        break;
    case 8:
        MPI_Accumulate(buf, DOUBLES, MPI_DOUBLE, t, 0, DOUBLES, MPI_DOUBLE, MPI_SUM, win);
        break;
    case 9:
        MPI_Put(buf, 1, box, t, 0, 1, box, win);
        break;
    case 10:
        MPI_Get(res, 1, box, t, 0, 1, box, win);
        break;
    case 11:
        MPI_Accumulate(buf, 1, box, t, 0, 1, box, MPI_SUM, win);
        break;
    default:
        MPI_Get_accumulate(buf, 1, box, res, 1, box, t, 0, 1, box, MPI_SUM, win);
    }
}

static const char *const names[] = {"PUT",     "GET",      "ACC",        "GET_ACC",  "FOP",
                                    "CAS",     "PUT 1 MB", "GET 1 MB",   "ACC 1 MB", "PUT 3-D",
                                    "GET 3-D", "ACC 3-D",  "GET_ACC 3-D"};
enum { OPS = sizeof names / sizeof *names };

// The most that one of the processes had no core since the last call.
static double coreless(void)
{
    double most = 0;
    for (int i = 0; i < nprocesses; i++) {
        double now = casper_ghosts_coreless(processes[i]);
        most = now - before[i] > most ? now - before[i] : most;
        before[i] = now;
    }
    return most;
}

// Locked before the target starts to compute (epoch 0), or while it does (1).
static void run(int op, int epoch, MPI_Win win, int target)
{
    PHASE(names[op]);
    if (csp_test_rank == 0 && epoch == 0)
        MPI_Win_lock_all(0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (csp_test_rank == target)
        casper_only_compute(COMPUTE_S);
    if (csp_test_rank == 0) {
        usleep(50000); // the target computes by now
        coreless();
        double start = MPI_Wtime();
        if (epoch == 1)
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win);
        issue(op, win, target);
        if (epoch == 1)
            MPI_Win_unlock(target, win);
        else
            MPI_Win_flush(target, win);
        double waited = MPI_Wtime() - start, without = coreless();
        CHECK_MSG(waited - without < WAIT_S, "%s (%s) waited %.3f s, %.3f s without a core",
                  names[op], epoch ? "lock" : "flush", waited, without);
        if (epoch == 0)
            MPI_Win_unlock_all(win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(void)
{
    const int sizes[] = {32, 32, 128}, part[] = {16, 16, 16}, start[] = {8, 8, 40};
    csp_test_init();
    casper_only();
    csp_test_need(2);
    nprocesses = casper_ghosts_find(processes);
    CHECK(nprocesses > 0);
    processes[nprocesses++] = getpid();
    MPI_Win win;
    MPI_Type_create_subarray(3, sizes, part, start, MPI_ORDER_C, MPI_DOUBLE, &box);
    MPI_Type_commit(&box);
    double *base = csp_test_win_new(MB + 64, sizeof(double), MPI_COMM_WORLD, &win);
    csp_test_win_fill(win, MPI_COMM_WORLD, base, MB + 64, 0);
    for (int op = 0; op < OPS; op++)
        run(op, 0, win, csp_test_size - 1);
    for (int op = 0; op < 6; op++)
        run(op, 1, win, csp_test_size - 1);
    MPI_Win_free(&win);
    MPI_Type_free(&box);
    return csp_test_done();
}
