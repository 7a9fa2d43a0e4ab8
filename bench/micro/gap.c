// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Times of operation + flush between two nodes, in each given state of the target (series.h).
// Usage: gap FILE SLEEP_MS SAMPLES STATE[,STATE...] [OP...]: all operations but these.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "ops.h"
#include "series.h"

static const struct op_case cases[] = {
    {"PUT 8 B", OP_PUT, 1},
    {"PUT 1 KB", OP_PUT, 128},
    {"PUT 64 KB", OP_PUT, 8192},
    {"PUT 1 MB", OP_PUT, 131072},
    {"PUT strided", OP_PUT, 0},
    {"GET 8 B", OP_GET, 1},
    {"GET 1 KB", OP_GET, 128},
    {"GET 64 KB", OP_GET, 8192},
    {"GET 1 MB", OP_GET, 131072},
    {"GET strided", OP_GET, 0},
    {"ACC 8 B", OP_ACC, 1},
    {"ACC 1 KB", OP_ACC, 128},
    {"ACC 64 KB", OP_ACC, 8192},
    {"ACC 1 MB", OP_ACC, 131072},
    {"ACC strided", OP_ACC, 0},
    {"GET_ACC 8 B", OP_GET_ACC, 1},
    {"GET_ACC 1 KB", OP_GET_ACC, 128},
    {"GET_ACC 64 KB", OP_GET_ACC, 8192},
    {"GET_ACC 1 MB", OP_GET_ACC, 131072},
    {"GET_ACC strided", OP_GET_ACC, 0},
    {"FOP 8 B", OP_FOP, 1},
    {"CAS 8 B", OP_CAS, 1},
};
enum { CASE_COUNT = sizeof cases / sizeof cases[0] };

static struct series series;
static FILE *out;
static long errors;

static void operate(void *context)
{
    struct op_state *s = context;
    op_issue(s);
    MPI_Win_flush(s->target, s->win);
}

static void emit(struct op_case what, const char *state)
{
    char labels[200];
    snprintf(labels, sizeof labels,
             "\"op\": \"%s\", \"shape\": \"%s\", \"bytes\": %ld, \"state\": \"%s\"", what.name,
             op_shape(what), op_bytes(what), state);
    series_emit(&series, out, labels, series.samples, series.sample_count);
}

static void run_case(struct op_state *s, struct op_case what, const char *state)
{
    op_begin(s, what);
    series_run(&series, state, operate, s);
    if (series.rank == series.origin) {
        errors += op_check_result(s);
        emit(what, state);
    }
    MPI_Bcast(&s->done_count, 1, MPI_LONG, series.origin, MPI_COMM_WORLD);
    if (series.rank == series.target)
        errors += op_check_window(s, s->done_count);
    MPI_Barrier(MPI_COMM_WORLD);
    op_end(s);
}

static void run_states(struct op_state *s, char *states, int name_count, char **names)
{
    for (char *state = strtok(states, ","); state != NULL; state = strtok(NULL, ","))
        for (int i = 0; i < CASE_COUNT; i++)
            if (!bench_listed(cases[i].name, name_count, names))
                run_case(s, cases[i], state);
}

int main(int argc, char **argv)
{
    struct op_state s;

    MPI_Init(&argc, &argv);
    if (argc < 5)
        bench_die("usage: gap FILE SLEEP_MS SAMPLES STATES [OP...]");
    series_init(&series, argv[2], argv[3]);
    if (series.rank == series.origin && (out = fopen(argv[1], "w")) == NULL)
        bench_die("cannot write %s", argv[1]);
    op_open(&s, series.target);
    run_states(&s, argv[4], argc - 5, argv + 5);
    op_close(&s);
    const int code = bench_verdict(errors);
    MPI_Finalize();
    return code;
}
