// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// A program as people write them: heat on a 2-D grid, rows split over the ranks, halo rows put into
// the neighbours' windows by fence, PSCW or lock epochs; the result equals the serial one bit for
// bit.
#include "csp_test_rma.h"

enum { W = 64, ROWS = 8, STEPS = 12 };

static void step(const double *old, double *new, int rows)
{
    for (int y = 1; y <= rows; y++)
        for (int x = 1; x < W - 1; x++)
            new[y * W + x] = 0.25 * (old[(y - 1) * W + x] + old[(y + 1) * W + x] +
                                     old[y * W + x - 1] + old[y * W + x + 1]);
}

static double start_value(int y, int x)
{
    return (y * 7 + x * 13) % 17;
}

// The grid with a halo row above and below, both planes in one window.
static void init(double *planes, int first, int rows)
{
    for (int p = 0; p < 2; p++)
        for (int y = -1; y <= rows; y++)
            for (int x = 0; x < W; x++)
                planes[(p * (rows + 2) + y + 1) * W + x] = start_value(first + y, x);
}

static double *serial(void)
{
    int rows = ROWS * csp_test_size;
    double *planes = malloc(sizeof(double) * 2 * (size_t)(rows + 2) * W);
    init(planes, 0, rows);
    for (int s = 0; s < STEPS; s++)
        step(planes + s % 2 * (rows + 2) * W, planes + (s + 1) % 2 * (rows + 2) * W, rows);
    return planes;
}

static void put_halos(const double *plane, int p, MPI_Win win)
{
    MPI_Aint other = (MPI_Aint)p * (ROWS + 2) * W;
    if (csp_test_rank > 0)
        MPI_Put(plane + W, W, MPI_DOUBLE, csp_test_rank - 1, other + (ROWS + 1) * W, W, MPI_DOUBLE,
                win);
    if (csp_test_rank < csp_test_size - 1)
        MPI_Put(plane + ROWS * W, W, MPI_DOUBLE, csp_test_rank + 1, other, W, MPI_DOUBLE, win);
}

static void run(enum csp_test_epoch kind, const double *want)
{
    MPI_Win win;
    const int half = (ROWS + 2) * W, all = ROWS * csp_test_size + 2;
    MPI_Aint bytes = (MPI_Aint)sizeof(double) * 2 * half;
    double *planes = csp_test_win_new(bytes, sizeof(double), MPI_COMM_WORLD, &win);
    csp_test_own(win, MPI_COMM_WORLD);
    init(planes, csp_test_rank * ROWS, ROWS);
    csp_test_unown(win, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int s = 0; s < STEPS; s++) {
        int p = (s + 1) % 2;
        csp_test_own(win, MPI_COMM_WORLD);
        step(planes + s % 2 * half, planes + p * half, ROWS);
        csp_test_unown(win, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        csp_test_epoch_open(kind, win, MPI_COMM_WORLD);
        put_halos(planes + p * half, p, win);
        csp_test_epoch_close(kind, win, MPI_COMM_WORLD);
    }
    const double *got = planes + STEPS % 2 * half;
    want += STEPS % 2 * all * W + csp_test_rank * ROWS * W;
    for (int i = W; i < W + ROWS * W; i++)
        CHECK(got[i] == want[i]);
    MPI_Win_free(&win);
}

int main(void)
{
    csp_test_init();
    double *want = serial();
    FOR_EACH_EPOCH(kind)
    run(kind, want);
    free(want);
    return csp_test_done();
}
