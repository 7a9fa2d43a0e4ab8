// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Halo exchange in two dimensions (CasperII V.B.2): N x N words on each process of a torus, a 5-point stencil with arms
// of WIDE words, so that faces are N x WIDE words and no corner is needed; columns are vector types. An iteration
// posts all, updates the cells that need no neighbour, computes COMPUTE_US more, waits, updates the others. Every
// RESIDUAL_EVERY iterations all processes agree on a number, as on a time step or on whether to go on.
//   halo_2d FILE BYTES_MAX ITERATIONS sleep|spin N WIDE COMPUTE_US malloc|alloc
// alloc: the grid is memory of MPI_Alloc_mem, which ghosts map.
// exchange: as many iterations before without computing; run: all iterations; post, wait: in each of them.
// Words are unsigned and the stencil keeps their sum, modulo 2^64: so data are checked.
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../micro/bench.h"
#include "../micro/two_sided.h"

enum {
    SIDES = 4, // up, down, left, right
    RESIDUAL_EVERY = 10
};

static struct ts ts;
static double exchange_s[TS_SAMPLE_MAX], post_s[TS_SAMPLE_MAX], wait_s[TS_SAMPLE_MAX];
static struct {
    long n, wide, row; // row: words of a row with both halos
    uint64_t *now, *next;
    int allocated; // by MPI
    MPI_Comm torus;
    MPI_Datatype rows, columns;
    int neighbour[SIDES];
    MPI_Request r[2 * SIDES];
} g;

static uint64_t *cell(uint64_t *data, long i, long j)
{
    return data + (i + g.wide) * g.row + j + g.wide;
}

static void make_torus(void)
{
    int dims[2] = {0, 0}, periods[2] = {1, 1};
    MPI_Dims_create(ts.size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &g.torus);
    MPI_Cart_shift(g.torus, 0, 1, &g.neighbour[0], &g.neighbour[1]);
    MPI_Cart_shift(g.torus, 1, 1, &g.neighbour[2], &g.neighbour[3]);
    MPI_Type_vector((int)g.wide, (int)g.n, (int)g.row, MPI_UINT64_T, &g.rows);
    MPI_Type_vector((int)g.n, (int)g.wide, (int)g.row, MPI_UINT64_T, &g.columns);
    MPI_Type_commit(&g.rows);
    MPI_Type_commit(&g.columns);
}

static uint64_t *take(size_t bytes)
{
    void *p = NULL;
    if (!g.allocated)
        return (uint64_t *)ts_memory(bytes);
    MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &p);
    return memset(p, 0, bytes);
}

static void give(uint64_t *p)
{
    if (g.allocated)
        MPI_Free_mem(p);
    else
        free(p);
}

static void make_data(void)
{
    const size_t bytes = sizeof(uint64_t) * (size_t)(g.row * g.row);
    g.now = take(bytes);
    g.next = take(bytes);
    for (long i = 0; i < g.n; i++)
        for (long j = 0; j < g.n; j++)
            *cell(g.now, i, j) = (uint64_t)((i * g.n + j) * SIDES + ts.rank) * 0x9e3779b97f4a7c15u;
}

// What goes to side s has tag s; it comes from the opposite side of the neighbour there.
static void post(void)
{
    const long n = g.n, w = g.wide;
    uint64_t *const out[SIDES] = {cell(g.now, 0, 0), cell(g.now, n - w, 0), cell(g.now, 0, 0),
                                  cell(g.now, 0, n - w)};
    uint64_t *const in[SIDES] = {cell(g.now, -w, 0), cell(g.now, n, 0), cell(g.now, 0, -w),
                                 cell(g.now, 0, n)};
    for (int s = 0; s < SIDES; s++)
        MPI_Irecv(in[s], 1, s < 2 ? g.rows : g.columns, g.neighbour[s], s ^ 1, g.torus, &g.r[s]);
    for (int s = 0; s < SIDES; s++)
        MPI_Isend(out[s], 1, s < 2 ? g.rows : g.columns, g.neighbour[s], s, g.torus,
                  &g.r[SIDES + s]);
}

// Rows i0 to i1, columns j0 to j1; the last ones are not included.
static void update(long i0, long i1, long j0, long j1)
{
    const long down = g.wide * g.row;
    for (long i = i0; i < i1; i++) {
        const uint64_t *from = cell(g.now, i, 0);
        uint64_t *to = cell(g.next, i, 0);
        for (long j = j0; j < j1; j++)
            to[j] =
                from[j - down] + from[j + down] + from[j - g.wide] + from[j + g.wide] - 3 * from[j];
    }
}

static void update_inner(void)
{
    update(g.wide, g.n - g.wide, g.wide, g.n - g.wide);
}

static void update_outer(void)
{
    const long n = g.n, w = g.wide;
    update(0, w, 0, n);
    update(n - w, n, 0, n);
    update(w, n - w, 0, w);
    update(w, n - w, n - w, n);
    uint64_t *const last = g.now;
    g.now = g.next;
    g.next = last;
}

static void iterate(int i, double compute_s)
{
    const double t0 = bench_now();
    post();
    const double t1 = bench_now();
    update_inner();
    ts_compute(&ts, compute_s);
    const double t2 = bench_now();
    MPI_Waitall(2 * SIDES, g.r, MPI_STATUSES_IGNORE);
    const double t3 = bench_now();
    update_outer();
    post_s[i] = t1 - t0;
    wait_s[i] = t3 - t2;
}

static uint64_t of_all(uint64_t own, MPI_Op op)
{
    uint64_t all = 0;
    MPI_Allreduce(&own, &all, 1, MPI_UINT64_T, op, g.torus);
    return all;
}

static uint64_t sum(void)
{
    uint64_t own = 0;
    for (long i = 0; i < g.n; i++)
        for (long j = 0; j < g.n; j++)
            own += *cell(g.now, i, j);
    return of_all(own, MPI_SUM);
}

// Faces of the first exchange, word by word: the neighbours' cells begin with the same words but for the rank.
static void check_faces(void)
{
    const uint64_t factor = 0x9e3779b97f4a7c15u;
    for (long i = 0; i < g.n; i++)
        for (long k = 1; k <= g.wide; k++) {
            const long far = g.n - k, near = k - 1;
            const long at[SIDES] = {far * g.n + i, near * g.n + i, i * g.n + far, i * g.n + near};
            const uint64_t got[SIDES] = {*cell(g.now, -k, i), *cell(g.now, g.n + near, i),
                                         *cell(g.now, i, -k), *cell(g.now, i, g.n + near)};
            for (int s = 0; s < SIDES; s++)
                ts.errors += got[s] != (uint64_t)(at[s] * SIDES + g.neighbour[s]) * factor;
        }
}

static void run(double compute_s)
{
    const int count = ts.sample_max;
    double all_s;
    char labels[200];
    post();
    MPI_Waitall(2 * SIDES, g.r, MPI_STATUSES_IGNORE);
    check_faces();
    ts_begin(&ts);
    for (int i = 0; i < count; i++) {
        MPI_Barrier(g.torus);
        const double start = bench_now();
        post();
        MPI_Waitall(2 * SIDES, g.r, MPI_STATUSES_IGNORE);
        exchange_s[i] = bench_now() - start;
    }
    const uint64_t before = sum();
    MPI_Barrier(g.torus);
    const double start = bench_now();
    for (int i = 0; i < count; i++) {
        iterate(i, compute_s);
        if (i % RESIDUAL_EVERY == 0)
            (void)of_all(*cell(g.now, 0, 0), MPI_MAX);
    }
    MPI_Barrier(g.torus);
    all_s = bench_now() - start;
    ts_end(&ts);
    ts.errors += sum() != before;
    snprintf(labels, sizeof labels, "\"bytes\": %ld, \"compute_us\": %g, \"iterations\": %d",
             g.n * g.wide * (long)sizeof(uint64_t), 1e6 * compute_s, count);
    ts_emit(&ts, labels, "exchange", exchange_s, count);
    ts_emit(&ts, labels, "post", post_s, count);
    ts_emit(&ts, labels, "wait", wait_s, count);
    ts_emit(&ts, labels, "run", &all_s, 1);
}

int main(int argc, char **argv)
{
    ts_open(&ts, argc, argv, 1, 4,
            "halo_2d FILE BYTES_MAX ITERATIONS sleep|spin N WIDE COMPUTE_US malloc|alloc");
    g.n = atol(argv[5]);
    g.wide = atol(argv[6]);
    if (g.wide < 1 || 2 * g.wide > g.n)
        bench_die("halo_2d: WIDE from 1 to N / 2");
    g.row = g.n + 2 * g.wide;
    g.allocated = strcmp(argv[8], "alloc") == 0;
    make_torus();
    make_data();
    run(1e-6 * strtod(argv[7], NULL));
    MPI_Type_free(&g.rows);
    MPI_Type_free(&g.columns);
    MPI_Comm_free(&g.torus);
    give(g.now);
    give(g.next);
    return ts_close(&ts);
}
