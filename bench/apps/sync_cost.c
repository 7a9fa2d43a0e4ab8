// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// What calls cost in which redirection may change (TPDS 7.1): MPI_Win_allocate, MPI_Win_fence, MPI_Win_set_info with
// symmetric; and a fence before which every process turned from computing to MPI, or back, so that profiles predict
// something else for everybody.
//   sync_cost FILE SAMPLES TURN_S [hints]
// TURN_S: how long each side of such a turn takes. hints: user-guided, redirection on.
#include <mpi.h>
#include <stdlib.h>

#include "../micro/bench.h"
#include "app.h"

enum { BYTES = 4096, BATCH = 10, SAMPLE_MAX = 1000 };

static struct app app;
static MPI_Info created, said;
static double seconds[SAMPLE_MAX];
static int samples;

static void emit(const char *what)
{
    char labels[100];
    snprintf(labels, sizeof labels, "\"what\": \"%s\"", what);
    if (app.out)
        bench_emit(app.out, labels, seconds, samples);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void make_infos(void)
{
    MPI_Info_create(&created);
    MPI_Info_set(created, "epochs_used", "fence,lockall"); // as in the paper
    MPI_Info_create(&said);
    MPI_Info_set(said, "symmetric", "true");
    if (app.hints) {
        MPI_Info_set(created, "async_config", "on");
        MPI_Info_set(said, "async_config", "on");
    }
}

static void allocate(MPI_Win *win)
{
    void *base;
    MPI_Win_allocate(BYTES, sizeof(double), created, MPI_COMM_WORLD, &base, win);
}

static void time_allocate(void)
{
    for (int i = 0; i < samples; i++) {
        MPI_Win win;
        MPI_Barrier(MPI_COMM_WORLD);
        const double start = bench_now();
        allocate(&win);
        seconds[i] = bench_now() - start;
        MPI_Win_free(&win);
    }
    emit("MPI_Win_allocate");
}

static void time_fence(MPI_Win win)
{
    MPI_Win_fence(0, win);
    for (int i = 0; i < samples; i++) {
        const double start = bench_now();
        for (int k = 0; k < BATCH; k++)
            MPI_Win_fence(0, win);
        seconds[i] = (bench_now() - start) / BATCH;
    }
    emit("MPI_Win_fence");
}

static void time_set_info(MPI_Win win)
{
    for (int i = 0; i < samples; i++) {
        const double start = bench_now();
        for (int k = 0; k < BATCH; k++)
            MPI_Win_set_info(win, said);
        seconds[i] = (bench_now() - start) / BATCH;
    }
    emit("MPI_Win_set_info");
}

static void stay_in_mpi(double wanted_s)
{
    const double end = bench_now() + wanted_s;
    int found;
    while (bench_now() < end)
        for (int i = 0; i < 100; i++)
            MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &found, MPI_STATUS_IGNORE);
}

static void time_turns(MPI_Win win, double turn_s)
{
    samples = samples < 40 ? samples : 40;
    for (int i = 0; i < samples; i++) {
        if (i % 2)
            stay_in_mpi(turn_s);
        else
            bench_compute(turn_s);
        MPI_Barrier(MPI_COMM_WORLD);
        const double start = bench_now();
        MPI_Win_fence(0, win);
        seconds[i] = bench_now() - start;
    }
    emit("MPI_Win_fence, new prediction");
}

int main(int argc, char **argv)
{
    MPI_Win win;
    MPI_Init(&argc, &argv);
    app_init(&app, &argc, argv);
    if (argc != 4)
        bench_die("usage: sync_cost FILE SAMPLES TURN_S [hints]");
    samples = atoi(argv[2]);
    if (samples < 1 || samples > SAMPLE_MAX)
        bench_die("sync_cost: samples from 1 to %d", SAMPLE_MAX);
    make_infos();
    time_allocate();
    allocate(&win);
    time_fence(win);
    time_set_info(win);
    time_turns(win, strtod(argv[3], NULL));
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    MPI_Win_free(&win);
    MPI_Info_free(&created);
    MPI_Info_free(&said);
    const int code = app_end(&app, 0);
    MPI_Finalize();
    return code;
}
