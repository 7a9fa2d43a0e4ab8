// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Latency and message rate by size, between ranks 0 and 1: half of a ping-pong; and a window of nonblocking
// messages, then an answer.
//   ping_rate FILE BYTES_MAX SAMPLES sleep|spin latency|rate
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "two_sided.h"

enum { WINDOW = 64, WARM_UP = 3, RATE_BYTES_MAX = 1 << 20, BATCH = 10, BATCH_BYTES = 16384 };

static double seconds[TS_SAMPLE_MAX];

static void ping_pong(const struct ts *t, char *out, char *in, int bytes)
{
    if (t->rank == 0)
        MPI_Send(out, bytes, MPI_CHAR, 1, TS_TAG, MPI_COMM_WORLD);
    MPI_Recv(in, bytes, MPI_CHAR, t->peer, TS_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (t->rank == 1)
        MPI_Send(out, bytes, MPI_CHAR, 0, TS_TAG, MPI_COMM_WORLD);
}

static void latency(struct ts *t, int bytes)
{
    char labels[100], *out = ts_memory((size_t)bytes), *in = ts_memory((size_t)bytes);
    const int samples = ts_samples(t, bytes), batch = bytes <= BATCH_BYTES ? BATCH : 1;
    ts_fill(out, bytes, bytes, bytes, bytes + t->rank);
    ts_begin(t);
    for (int i = -WARM_UP; i < samples; i++) {
        const double start = bench_now();
        for (int k = 0; k < batch; k++)
            ping_pong(t, out, in, bytes);
        if (i >= 0)
            seconds[i] = (bench_now() - start) / (2 * batch);
    }
    ts_end(t);
    ts_check(t, in, bytes, bytes, bytes, bytes + t->peer);
    snprintf(labels, sizeof labels, "\"bytes\": %d", bytes);
    ts_emit(t, labels, "latency", seconds, samples);
    free(out);
    free(in);
}

static void window(const struct ts *t, char *data, int bytes)
{
    MPI_Request r[WINDOW];
    for (int k = 0; k < WINDOW; k++)
        if (t->rank == 0)
            MPI_Isend(data, bytes, MPI_CHAR, 1, TS_TAG, MPI_COMM_WORLD, &r[k]);
        else
            MPI_Irecv(data + (size_t)k * (size_t)bytes, bytes, MPI_CHAR, 0, TS_TAG, MPI_COMM_WORLD,
                      &r[k]);
    MPI_Waitall(WINDOW, r, MPI_STATUSES_IGNORE);
    if (t->rank == 0)
        MPI_Recv(NULL, 0, MPI_CHAR, 1, TS_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        MPI_Send(NULL, 0, MPI_CHAR, 0, TS_TAG, MPI_COMM_WORLD);
}

static void rate(struct ts *t, int bytes)
{
    char labels[100], *data = ts_memory(WINDOW * (size_t)bytes);
    const int samples = ts_samples(t, (long)bytes * 4);
    double per_s[TS_SAMPLE_MAX];
    if (t->rank == 0)
        ts_fill(data, bytes, bytes, bytes, bytes);
    ts_begin(t);
    for (int i = -WARM_UP; i < samples; i++) {
        const double start = bench_now();
        window(t, data, bytes);
        if (i >= 0)
            per_s[i] = WINDOW / (bench_now() - start);
    }
    ts_end(t);
    for (int k = 0; k < WINDOW && t->rank == 1; k++)
        ts_check(t, data + (size_t)k * (size_t)bytes, bytes, bytes, bytes, bytes);
    snprintf(labels, sizeof labels, "\"bytes\": %d", bytes);
    ts_emit_in(t, labels, "rate", "1/s", per_s, samples);
    free(data);
}

int main(int argc, char **argv)
{
    struct ts t;
    ts_open(&t, argc, argv, 2, 1, "ping_rate FILE BYTES_MAX SAMPLES sleep|spin latency|rate");
    const int rates = strcmp(argv[5], "rate") == 0;
    ts_sizes(&t, 8, rates ? RATE_BYTES_MAX : t.bytes_max, rates ? rate : latency);
    return ts_close(&t);
}
