// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// What MPI_Irecv, MPI_Isend and the waits for them take (CasperII V.A.1), by size, for contiguous data and
// for a column of a matrix: two processes exchange messages, nothing between posting and waiting. What
// reading the clock takes is subtracted.
//   post_wait FILE BYTES_MAX SAMPLES sleep|spin
#include <mpi.h>
#include <stdlib.h>

#include "bench.h"
#include "two_sided.h"

enum { UNIT = 8, WIDE = 32, WARM_UP = 3 }; // a column: UNIT bytes of each row of WIDE bytes
enum { CALLS = 4, BOTH_WAITS = CALLS, METRICS };
static const char *const names[METRICS] = {"irecv", "isend", "wait_send", "wait_recv", "wait"};

static double seconds[METRICS][TS_SAMPLE_MAX], clock_s;

struct data {
    const char *name;
    int stride;
    int count;
    MPI_Datatype type;
    char *out, *in;
};

static void exchange(const struct ts *t, const struct data *d, int i)
{
    MPI_Request r[2];
    double at[CALLS + 1]; // before the first call, behind each
    at[0] = bench_now();
    MPI_Irecv(d->in, d->count, d->type, t->peer, TS_TAG, MPI_COMM_WORLD, &r[0]);
    at[1] = bench_now();
    MPI_Isend(d->out, d->count, d->type, t->peer, TS_TAG, MPI_COMM_WORLD, &r[1]);
    at[2] = bench_now();
    MPI_Wait(&r[1], MPI_STATUS_IGNORE);
    at[3] = bench_now();
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    at[4] = bench_now();
    for (int k = 0; k < CALLS && i >= 0; k++) {
        const double s = at[k + 1] - at[k] - clock_s;
        seconds[k][i] = s > 0 ? s : 0;
    }
    if (i >= 0)
        seconds[BOTH_WAITS][i] = seconds[2][i] + seconds[3][i];
}

static void run(struct ts *t, struct data *d, int bytes)
{
    char labels[200];
    const size_t room = (size_t)bytes / UNIT * (size_t)d->stride;
    const int samples = ts_samples(t, bytes);
    d->out = ts_memory(room);
    d->in = ts_memory(room);
    ts_fill(d->out, bytes, UNIT, d->stride, bytes + t->rank);
    ts_begin(t);
    for (int i = -WARM_UP; i < samples; i++)
        exchange(t, d, i);
    ts_end(t);
    ts_check(t, d->in, bytes, UNIT, d->stride, bytes + t->peer);
    snprintf(labels, sizeof labels, "\"bytes\": %d, \"type\": \"%s\"", bytes, d->name);
    for (int k = 0; k < METRICS; k++)
        ts_emit(t, labels, names[k], seconds[k], samples);
    free(d->out);
    free(d->in);
}

static void contiguous(struct ts *t, int bytes)
{
    struct data d = {.name = "contiguous", .stride = UNIT, .count = bytes, .type = MPI_CHAR};
    run(t, &d, bytes);
}

static void column(struct ts *t, int bytes)
{
    struct data d = {.name = "column", .stride = WIDE, .count = 1};
    MPI_Type_vector(bytes / UNIT, 1, WIDE / UNIT, MPI_DOUBLE, &d.type);
    MPI_Type_commit(&d.type);
    run(t, &d, bytes);
    MPI_Type_free(&d.type);
}

int main(int argc, char **argv)
{
    struct ts t;
    ts_open(&t, argc, argv, 2, 0, "post_wait FILE BYTES_MAX SAMPLES sleep|spin");
    clock_s = ts_clock_s();
    ts_sizes(&t, 8, 4 << 20, contiguous);
    ts_sizes(&t, 8, 4 << 20, column);
    return ts_close(&t);
}
