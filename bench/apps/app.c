// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// See app.h.
#include "app.h"

#include <string.h>
#include <time.h>

#include "../micro/bench.h"

void app_init(struct app *a, int *argc, char **argv)
{
    memset(a, 0, sizeof *a);
    MPI_Comm_rank(MPI_COMM_WORLD, &a->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &a->size);
    a->hints = *argc > 2 && strcmp(argv[*argc - 1], "hints") == 0;
    *argc -= a->hints;
    if (*argc > 1 && a->rank == 0 && (a->out = fopen(argv[1], "w")) == NULL)
        bench_die("cannot write %s", argv[1]);
}

int app_end(struct app *a, long errors)
{
    if (a->out)
        fclose(a->out);
    return bench_verdict(errors);
}

static void say(MPI_Win win, const char *config)
{
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "symmetric", "true");
    if (config)
        MPI_Info_set(info, "async_config", config);
    MPI_Win_set_info(win, info);
    MPI_Info_free(&info);
}

static long long unix_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

void app_phase_begin(struct app *a, const char *config, MPI_Win *wins, int win_count)
{
    MPI_Barrier(MPI_COMM_WORLD);
    a->phase_begin = bench_now();
    a->phase_begin_unix_ns = unix_ns();
    for (int i = 0; a->hints && i < win_count; i++)
        say(wins[i], config);
}

void app_sync(MPI_Win *wins, int win_count)
{
    for (int i = 0; i < win_count; i++)
        MPI_Win_flush_all(wins[i]);
    MPI_Barrier(MPI_COMM_WORLD);
}

void app_phase_end(struct app *a, const char *kind, MPI_Win *wins, int win_count)
{
    app_sync(wins, win_count);
    for (int i = 0; !a->hints && i < win_count; i++)
        say(wins[i], NULL);
    const double end = bench_now();
    a->phase++;
    if (a->out)
        fprintf(a->out,
                "{\"phase\": %d, \"kind\": \"%s\", \"opened\": %d, \"windows\": %d, "
                "\"begin_unix_ns\": %lld, \"seconds\": %.6f}\n",
                a->phase, kind, a->opened, win_count, a->phase_begin_unix_ns, end - a->phase_begin);
}

void *app_window(struct app *a, MPI_Aint bytes, int unit_bytes, const char *config, MPI_Win *win)
{
    MPI_Info info = MPI_INFO_NULL;
    void *base = NULL;
    if (a->hints) {
        MPI_Info_create(&info);
        MPI_Info_set(info, "async_config", config);
    }
    MPI_Win_allocate(bytes, unit_bytes, info, MPI_COMM_WORLD, &base, win);
    a->opened++;
    if (a->hints)
        MPI_Info_free(&info);
    memset(base, 0, (size_t)bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, *win);
    return base;
}

void app_compute(double us, long turn)
{
    enum { STEPS = 16 };
    const double share = 2.0 * (double)(7 * turn % STEPS) / (STEPS - 1);
    bench_steps((long)(share * us * BENCH_STEPS_PER_US));
}
