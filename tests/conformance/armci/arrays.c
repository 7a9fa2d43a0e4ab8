/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Casper developers
 *
 * Global Arrays: a matrix product in tiles, handed out by NGA_Read_inc; patches put, got and
 * accumulated by everybody; the result checked against the formula. */
#include <ga.h>
#include <macdecls.h>
#include <stdlib.h>

#include "checks.h"

enum { N = 24, TILE = 6, TILES = N / TILE, STACK_DOUBLES = 200000 };

static int rank, size;

static double a_at(int i, int j)
{
    return i + 2 * j + 1;
}

static double b_at(int i, int j)
{
    return i == j ? 3 : i == (j + 1) % N;
}

static int make(const char *name)
{
    int dims[2] = {N, N};
    char text[16];
    snprintf(text, sizeof text, "%s", name);
    int handle = NGA_Create(C_DBL, 2, dims, text, NULL);
    GA_Zero(handle);
    return handle;
}

/* Rows are put by turns, not by their owners. */
static void fill(int handle, double (*at)(int, int))
{
    for (int i = (rank + 1) % size; i < N; i += size) {
        double row[N];
        int lo[2] = {i, 0}, hi[2] = {i, N - 1}, ld = N;
        for (int j = 0; j < N; j++)
            row[j] = at(i, j);
        NGA_Put(handle, lo, hi, row, &ld);
    }
}

static void get_tile(int handle, int ti, int tj, double *tile)
{
    int lo[2] = {ti * TILE, tj * TILE}, hi[2] = {lo[0] + TILE - 1, lo[1] + TILE - 1}, ld = TILE;
    for (int i = 0; i < TILE * TILE; i++)
        tile[i] = -1;
    NGA_Get(handle, lo, hi, tile, &ld);
}

/* One product of tiles, added to its place in c. */
static void task(int a, int b, int c, long number)
{
    double left[TILE * TILE], right[TILE * TILE], sum[TILE * TILE] = {0}, one = 1;
    int i = (int)(number / (TILES * TILES)), j = (int)(number / TILES % TILES),
        k = (int)(number % TILES);
    int lo[2] = {i * TILE, j * TILE}, hi[2] = {lo[0] + TILE - 1, lo[1] + TILE - 1}, ld = TILE;
    get_tile(a, i, k, left);
    get_tile(b, k, j, right);
    for (int x = 0; x < TILE; x++)
        for (int z = 0; z < TILE; z++)
            for (int y = 0; y < TILE; y++)
                sum[x * TILE + y] += left[x * TILE + z] * right[z * TILE + y];
    NGA_Acc(c, lo, hi, sum, &ld, &one);
}

static void multiply(int a, int b, int c)
{
    int one = 1, first = 0;
    char text[] = "counter";
    int counter = NGA_Create(C_LONG, 1, &one, text, NULL);
    long number, last = -1;
    GA_Zero(counter);
    GA_Sync();
    while ((number = NGA_Read_inc(counter, &first, 1)) < (long)TILES * TILES * TILES) {
        check_value("task number, it grows", number, number > last, 1);
        task(a, b, c, number);
        last = number;
    }
    GA_Sync();
    number = NGA_Read_inc(counter, &first, 0);
    check_value("counter at the end", 0, (double)number, TILES * TILES * TILES + size);
    GA_Sync();
    GA_Destroy(counter);
}

/* a has (i + 2j + 1); b has 3 on the diagonal and 1 at (j + 1, j). */
static void judge(int c)
{
    double all[N * N];
    int lo[2] = {0, 0}, hi[2] = {N - 1, N - 1}, ld = N;
    NGA_Get(c, lo, hi, all, &ld);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            check_value("product", i * N + j, all[i * N + j],
                        3 * a_at(i, j) + a_at(i, (j + 1) % N));
}

/* Elements here and there: added by all, then gathered. */
static void scatter(int c)
{
    enum { POINTS = 9 };
    int at[POINTS][2], *where[POINTS];
    double added[POINTS], found[POINTS], two = 2;
    for (int k = 0; k < POINTS; k++) {
        at[k][0] = k * 7 % N;
        at[k][1] = k * 11 % N;
        where[k] = at[k];
        added[k] = rank + k;
        found[k] = -1;
    }
    GA_Zero(c);
    NGA_Scatter_acc(c, added, where, POINTS, &two);
    GA_Sync();
    NGA_Gather(c, found, where, POINTS);
    for (int k = 0; k < POINTS; k++)
        check_value("gathered", k, found[k], 2 * (size * (size - 1) / 2.0 + (double)size * k));
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    GA_Initialize();
    MA_init(C_DBL, STACK_DOUBLES, STACK_DOUBLES);
    rank = GA_Nodeid();
    size = GA_Nnodes();
    int a = make("a"), b = make("b"), c = make("c");
    fill(a, a_at);
    fill(b, b_at);
    GA_Sync();
    multiply(a, b, c);
    judge(c);
    GA_Sync();
    scatter(c);
    int rc = check_end();
    GA_Destroy(c);
    GA_Destroy(b);
    GA_Destroy(a);
    GA_Terminate();
    MPI_Finalize();
    return rc;
}
