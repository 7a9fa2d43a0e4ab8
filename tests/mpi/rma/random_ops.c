// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Random operations of random sizes against a model: each rank owns a region at every target, keeps
// a local copy of what must be there, and compares gets and the final memory with it. Seeds are
// fixed.
#include "csp_test_rma.h"

enum { REGION = 512, OPS = 250, SEEDS = 3 };

static unsigned state;

static int pick(int n)
{
    state = state * 1664525u + 1013904223u;
    return (int)((state >> 8) % (unsigned)n);
}

struct model {
    int *at; // [target][REGION]
    MPI_Win win;
    MPI_Aint base;
};

static void one_op(struct model *m, int *buf, int *old)
{
    int t = pick(csp_test_size), at = pick(REGION), n = 1 + pick(pick(4) ? 8 : REGION);
    int *mine = m->at + (size_t)t * REGION + at, kind = pick(6);
    MPI_Aint disp = m->base + at;
    n = at + n > REGION ? REGION - at : n;
    for (int i = 0; i < n; i++)
        buf[i] = pick(1000);
    csp_test_poison(old, sizeof(int) * (size_t)n);
    if (kind == 0)
        MPI_Put(buf, n, MPI_INT, t, disp, n, MPI_INT, m->win);
    else if (kind == 1)
        MPI_Get(old, n, MPI_INT, t, disp, n, MPI_INT, m->win);
    else if (kind == 2)
        MPI_Accumulate(buf, n, MPI_INT, t, disp, n, MPI_INT, MPI_SUM, m->win);
    else if (kind == 3)
        MPI_Get_accumulate(buf, n, MPI_INT, old, n, MPI_INT, t, disp, n, MPI_INT, MPI_SUM, m->win);
    else if (kind == 4)
        MPI_Fetch_and_op(buf, old, MPI_INT, t, disp, MPI_SUM, m->win);
    else
        MPI_Compare_and_swap(buf, mine, old, MPI_INT, t, disp, m->win);
    MPI_Win_flush(t, m->win);
    n = kind >= 4 ? 1 : n;
    for (int i = 0; i < n; i++) {
        if (kind == 1 || kind >= 3)
            CHECK_INT(old[i], mine[i]);
        mine[i] = kind == 0 || kind == 5 ? buf[i] : kind == 1 ? mine[i] : mine[i] + buf[i];
    }
}

static void run(unsigned seed, struct model *m, int *base, MPI_Aint bytes)
{
    int buf[REGION], old[REGION];
    state = seed * 77 + (unsigned)csp_test_rank;
    csp_test_win_fill(m->win, MPI_COMM_WORLD, base, bytes, 0);
    memset(m->at, 0, (size_t)bytes);
    MPI_Win_lock_all(0, m->win);
    for (int i = 0; i < OPS; i++)
        one_op(m, buf, old);
    MPI_Win_unlock_all(m->win);
    MPI_Barrier(MPI_COMM_WORLD);
    int *want = csp_test_malloc((size_t)bytes);
    MPI_Alltoall(m->at, REGION, MPI_INT, want, REGION, MPI_INT, MPI_COMM_WORLD);
    csp_test_own(m->win, MPI_COMM_WORLD);
    CHECK(memcmp(want, base, (size_t)bytes) == 0);
    csp_test_unown(m->win, MPI_COMM_WORLD);
    free(want);
}

int main(void)
{
    csp_test_init();
    struct model m;
    MPI_Aint bytes = (MPI_Aint)sizeof(int) * REGION * csp_test_size;
    int *base = csp_test_win_new(bytes, sizeof(int), MPI_COMM_WORLD, &m.win);
    m.at = malloc((size_t)bytes);
    m.base = (MPI_Aint)csp_test_rank * REGION;
    for (unsigned seed = 1; seed <= SEEDS; seed++)
        run(seed, &m, base, bytes);
    free(m.at);
    MPI_Win_free(&m.win);
    return csp_test_done();
}
