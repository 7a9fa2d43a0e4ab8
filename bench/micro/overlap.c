// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// How much of a transfer is hidden behind computing, by size. Small messages go several at a time.
//   overlap FILE BYTES_MAX SAMPLES sleep|spin sandia|sweep
// sandia: one side (send, recv) posts, computes for twice as long as the transfer takes, and waits; the other one is
// in MPI. base: without computing; work: it alone; total: all. Overhead is total - work, availability
// 1 - overhead / base (the method of Sandia's benchmark of overhead).
// sweep: both sides MPI_Isend, MPI_Irecv, compute, MPI_Waitall, for computing from a tenth of the transfer to
// twice (CasperII V.B.1). transfer: without computing; compute: it alone; total: all.
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "two_sided.h"

enum { BATCH_BYTES = 1 << 20, BATCH_MAX = 16, LEAST_BYTES = 1024, LOOKS = 5 };
enum part { ALONE, WORK, ALL, PARTS };
static const double factors[] = {0.1, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 2};

static double seconds[PARTS][TS_SAMPLE_MAX];

struct batch {
    int bytes, count;
    int sends, receives; // of this process
    char *out, *in;
    MPI_Request r[2 * BATCH_MAX];
};

static void batch_open(const struct ts *t, struct batch *b, int bytes)
{
    b->bytes = bytes;
    b->count = BATCH_BYTES / bytes;
    b->count = b->count < 1 ? 1 : b->count > BATCH_MAX ? BATCH_MAX : b->count;
    b->out = ts_memory((size_t)bytes);
    b->in = ts_memory((size_t)bytes * (size_t)b->count);
    ts_fill(b->out, bytes, bytes, bytes, bytes + t->rank);
}

static void batch_close(struct ts *t, struct batch *b)
{
    for (int i = 0; i < b->count && b->receives; i++)
        ts_check(t, b->in + (size_t)i * (size_t)b->bytes, b->bytes, b->bytes, b->bytes,
                 b->bytes + t->peer);
    free(b->out);
    free(b->in);
}

// Both come from a barrier. @return seconds of post, compute, wait
static double transfer(const struct ts *t, struct batch *b, double compute_s)
{
    int n = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = bench_now();
    for (int i = 0; i < b->count && b->receives; i++)
        MPI_Irecv(b->in + (size_t)i * (size_t)b->bytes, b->bytes, MPI_CHAR, t->peer, TS_TAG,
                  MPI_COMM_WORLD, &b->r[n++]);
    for (int i = 0; i < b->count && b->sends; i++)
        MPI_Isend(b->out, b->bytes, MPI_CHAR, t->peer, TS_TAG, MPI_COMM_WORLD, &b->r[n++]);
    ts_compute(t, compute_s);
    MPI_Waitall(n, b->r, MPI_STATUSES_IGNORE);
    return bench_now() - start;
}

static double compute_alone(const struct ts *t, double compute_s)
{
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = bench_now();
    ts_compute(t, compute_s);
    return bench_now() - start;
}

// What rank 0 finds, for both.
static double look(const struct ts *t, struct batch *b)
{
    double s[LOOKS];
    for (int i = 0; i < LOOKS; i++)
        s[i] = transfer(t, b, 0);
    double found = ts_median(s, LOOKS);
    MPI_Bcast(&found, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return found;
}

// The three kinds in turns.
static void series(struct ts *t, struct batch *b, double compute_s, int samples)
{
    ts_begin(t);
    for (int i = 0; i < samples; i++) {
        seconds[ALONE][i] = transfer(t, b, 0);
        seconds[WORK][i] = compute_alone(t, compute_s);
        seconds[ALL][i] = transfer(t, b, compute_s);
    }
    ts_end(t);
}

static void emit(const struct ts *t, const char *labels, const char *const *metrics, int samples)
{
    for (int k = 0; k < PARTS; k++)
        ts_emit(t, labels, metrics[k], seconds[k], samples);
}

static int samples_of(const struct ts *t, const struct batch *b)
{
    return ts_samples(t, (long)b->bytes * b->count);
}

// Rank 0 is the side that computes, rank 1 waits in MPI meanwhile.
static void sandia_side(struct ts *t, int bytes, int sends)
{
    static const char *const metrics[PARTS] = {"base", "work", "total"};
    struct batch b = {.sends = t->rank == 0 ? sends : !sends};
    char labels[200];
    b.receives = !b.sends;
    batch_open(t, &b, bytes);
    const double base_s = look(t, &b);
    const int samples = samples_of(t, &b);
    series(t, &b, t->rank == 0 ? 2 * base_s : 0, samples);
    snprintf(labels, sizeof labels, "\"bytes\": %d, \"messages\": %d, \"side\": \"%s\"", bytes,
             b.count, sends ? "send" : "recv");
    emit(t, labels, metrics, samples);
    batch_close(t, &b);
}

static void sandia(struct ts *t, int bytes)
{
    sandia_side(t, bytes, 1);
    sandia_side(t, bytes, 0);
}

static void sweep(struct ts *t, int bytes)
{
    static const char *const metrics[PARTS] = {"transfer", "compute", "total"};
    struct batch b = {.sends = 1, .receives = 1};
    char labels[200];
    batch_open(t, &b, bytes);
    const double transfer_s = look(t, &b);
    const int samples = samples_of(t, &b);
    for (size_t i = 0; i < sizeof factors / sizeof factors[0]; i++) {
        series(t, &b, factors[i] * transfer_s, samples);
        snprintf(labels, sizeof labels, "\"bytes\": %d, \"messages\": %d, \"factor\": %g", bytes,
                 b.count, factors[i]);
        emit(t, labels, metrics, samples);
    }
    batch_close(t, &b);
}

int main(int argc, char **argv)
{
    struct ts t;
    ts_open(&t, argc, argv, 2, 1, "overlap FILE BYTES_MAX SAMPLES sleep|spin sandia|sweep");
    ts_sizes(&t, LEAST_BYTES, t.bytes_max, strcmp(argv[5], "sweep") == 0 ? sweep : sandia);
    return ts_close(&t);
}
