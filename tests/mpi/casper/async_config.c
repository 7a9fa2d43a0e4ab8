// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Redirection switched off and on again, by the program: at creation, before a fence, and at once. In every state
// the sums of accumulates of all processes on all are exact; with redirection on a target that is outside MPI
// lets nobody wait, with it off everybody, except for accumulates by the software route.
// "errors": processes that say different things get an error, all of them.
#include <time.h>
#include "casper_only.h"

enum { CELLS = 8, ROUNDS = 20, MOST = 8 /* processes */, TRIES = 20 };

static MPI_Win win;
static long *base;
static long sum; // that each cell must have
static int far;  // a rank on another node, in this process's view

static void set(const char *config, const char *symmetric)
{
    MPI_Info info;
    MPI_Info_create(&info);
    if (config)
        MPI_Info_set(info, "async_config", config);
    if (symmetric)
        MPI_Info_set(info, "symmetric", symmetric);
    CHECK_CLASS(MPI_Win_set_info(win, info), MPI_SUCCESS);
    MPI_Info_free(&info);
}

static void expect(const char *config)
{
    MPI_Info info;
    char text[8] = "";
    int flag = 0;
    MPI_Win_get_info(win, &info);
    MPI_Info_get(info, "async_config", sizeof(text) - 1, text, &flag);
    MPI_Info_free(&info);
    CHECK_STR(text, config);
}

static void add(void)
{
    static long one = 1, before[2 * ROUNDS * MOST], out; // until the next synchronisation
    long *at = before;
    for (int i = 0; i < ROUNDS; i++)
        for (int t = 0; t < csp_test_size; t++) {
            MPI_Accumulate(&one, 1, MPI_LONG, t, i % CELLS, 1, MPI_LONG, MPI_SUM, win);
            MPI_Fetch_and_op(&one, at++, MPI_LONG, t, (i + 1) % CELLS, MPI_SUM, win);
            MPI_Get_accumulate(&one, 1, MPI_LONG, at++, 1, MPI_LONG, t, (i + 2) % CELLS, 1,
                               MPI_LONG, MPI_SUM, win);
            MPI_Put(&one, 1, MPI_LONG, t, CELLS + csp_test_rank, 1, MPI_LONG, win);
            MPI_Get(&out, 1, MPI_LONG, t, CELLS + csp_test_rank, 1, MPI_LONG, win);
        }
    sum += 3L * csp_test_size;
}

static void check(void)
{
    long all = 0;
    for (int i = 0; i < CELLS; i++)
        all += base[i];
    CHECK_INT(all, sum * ROUNDS);
    for (int r = 0; r < csp_test_size; r++)
        CHECK_INT(base[CELLS + r], 1);
}

static void fenced_round(void)
{
    add();
    MPI_Win_fence(0, win);
    check();
    MPI_Win_fence(0, win);
}

// Of all processes of this machine.
static double clock_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

// Whether rank 0 waits for a counter of a rank until that is back in MPI: 1, 0, or -1 if rank 0 was too late to know.
// All call it.
static int waits_for_busy(void)
{
    double back = 0, begin = 0, end = 0;
    long one = 1, before;
    MPI_Barrier(MPI_COMM_WORLD);
    if (csp_test_rank == far) {
        casper_only_compute(0.5);
        back = clock_s();
    }
    if (csp_test_rank == 0) {
        casper_only_compute(0.1); // until the other one has left the barrier
        begin = clock_s();
        MPI_Win_lock(MPI_LOCK_SHARED, far, MPI_MODE_NOCHECK, win);
        MPI_Fetch_and_op(&one, &before, MPI_LONG, far, CELLS + csp_test_size, MPI_SUM, win);
        MPI_Win_unlock(far, win);
        end = clock_s();
    }
    MPI_Bcast(&back, 1, MPI_DOUBLE, far, MPI_COMM_WORLD);
    int waits = begin > back - 0.2 ? -1 : end > back;
    MPI_Bcast(&waits, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return waits;
}

static void expect_waits(int redirected)
{
    int waits = -1;
    if (!far)
        return;
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    for (int i = 0; i < TRIES && waits < 0; i++)
        waits = waits_for_busy();
    CHECK_INT(waits, !redirected && !casper_only_soft_acc());
    MPI_Win_fence(0, win);
}

static void find_far(void)
{
    int candidate = csp_test_node() != 0 ? csp_test_rank : 0;
    MPI_Allreduce(&candidate, &far, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
}

static void make(const char *config)
{
    MPI_Info info;
    MPI_Info_create(&info);
    if (config)
        MPI_Info_set(info, "async_config", config);
    int bytes = (CELLS + csp_test_size + 1) * (int)sizeof(long);
    MPI_Win_allocate(bytes, sizeof(long), info, MPI_COMM_WORLD, &base, &win);
    MPI_Info_free(&info);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    memset(base, 0, (size_t)bytes);
    sum = 0;
    MPI_Win_fence(0, win);
}

// Off from the start; on and off before fences; at once, inside a passive epoch.
static void changes(void)
{
    PHASE("changes");
    make("off");
    expect("off");
    fenced_round();
    expect_waits(0);
    for (int i = 0; i < 4; i++) {
        const char *now = i % 2 ? "off" : "on";
        set(now, NULL);
        expect(i % 2 ? "on" : "off"); // not before the fence
        MPI_Win_fence(0, win);
        expect(now);
        fenced_round();
        expect_waits(i % 2 == 0);
    }
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    MPI_Win_lock_all(0, win);
    for (int i = 0; i < 4; i++) {
        set(i % 2 ? "off" : "on", "true");
        expect(i % 2 ? "off" : "on");
        add();
        MPI_Win_flush_all(win);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Win_sync(win);
        check();
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
}

// The memory of a window that could change serves one that was made without the key, if windows have segments of
// their own: it must not look as if it could change too, and by no route may accumulates get lost.
static void reused(void)
{
    PHASE("reused");
    make("on");
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    MPI_Win_free(&win);
    make(NULL);
    set("auto", NULL);
    MPI_Win_fence(0, win);
    fenced_round();
    expect(""); // it can not change
    set("off", "true");
    expect("");
    fenced_round();
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    MPI_Win_free(&win);
}

// One says `symmetric`, another not.
static void half_symmetric(void)
{
    MPI_Info info;
    PHASE("half_symmetric");
    make("on");
    MPI_Info_create(&info);
    MPI_Info_set(info, "async_config", "off");
    MPI_Info_set(info, "symmetric", csp_test_rank == 0 ? "true" : "false");
    CHECK_CLASS(MPI_Win_set_info(win, info), MPI_ERR_INFO_VALUE);
    MPI_Info_free(&info);
    expect("on");
    CHECK_CLASS(MPI_Win_fence(0, win), MPI_SUCCESS);
    expect("on"); // what an error refused is forgotten
    fenced_round();
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    MPI_Win_free(&win);
}

static void disagreement(void)
{
    MPI_Info info;
    MPI_Win none = MPI_WIN_NULL;
    void *memory;
    PHASE("disagreement");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Info_create(&info);
    MPI_Info_set(info, "async_config", csp_test_rank == 1 ? "off" : "on");
    CHECK_CLASS(MPI_Win_allocate(8, 1, info, MPI_COMM_WORLD, &memory, &none), MPI_ERR_INFO_VALUE);
    MPI_Info_free(&info);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    make("on");
    set(csp_test_rank == 1 ? "off" : "on", NULL);
    CHECK_CLASS(MPI_Win_fence(0, win), MPI_ERR_INFO_VALUE);
    expect("on");
    if (csp_test_rank == 1)
        set("off", NULL);
    else
        set(NULL, NULL);
    CHECK_CLASS(MPI_Win_fence(0, win), MPI_ERR_INFO_VALUE);
    expect("on");
    fenced_round();
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    csp_test_init();
    casper_only();
    find_far();
    if (argc > 1 && strcmp(argv[1], "errors") == 0) {
        csp_test_need(2);
        disagreement();
        half_symmetric();
    } else {
        changes();
        reused();
    }
    return csp_test_done();
}
