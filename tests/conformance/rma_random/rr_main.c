// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Random RMA programs, each run and compared with a serial model: what rnd_main.c calls.
#include "rr.h"

bool rr_drop_puts, rr_wrong_sums;
static struct rr_program *program;

void rr_wrong(const struct rr_win *win, const struct rr_act *act, const char *fmt, ...)
{
    char where[128];
    va_list ap;
    int n = act ? snprintf(where, sizeof where, "action %d, ", act->id) : 0;
    snprintf(where + n, sizeof where - (size_t)n, "window %d (its rank %d)", win->index, win->me);
    va_start(ap, fmt);
    rnd_vwrong(where, fmt, ap);
    va_end(ap);
}

static void plan(uint64_t seed)
{
    program = rr_plan(seed, rnd_ranks, rnd_nodes, rnd_rank);
}

/** @return the sum of the digests of the windows that end here */
static uint64_t end_wins(struct rr_program *p, int phase)
{
    uint64_t digest = 0;
    for (int i = 0; i < p->nwins; i++) {
        struct rr_win *win = &p->wins[i];
        if (win->dies != phase || win->skipped)
            continue;
        rnd_at("free of window", win->index);
        if (win->me >= 0) {
            rr_epoch_finish(win);
            digest += rr_digest(win) * (uint64_t)(i + 1);
        }
        rr_win_free(win);
    }
    return digest;
}

static uint64_t run_program(void)
{
    struct rr_program *p = program;
    uint64_t digest = 0, sum;
    for (int f = 0; f < p->nphases; f++) {
        for (int i = 0; i < p->nwins; i++) {
            p->wins[i].skipped = rnd_skipped(p->wins[i].id);
            rnd_at("making of window", i);
            if (p->wins[i].born == f && !p->wins[i].skipped)
                rr_win_make(&p->wins[i]);
        }
        rr_phase_run(&p->phases[f]);
        digest += end_wins(p, f);
    }
    MPI_Allreduce(&digest, &sum, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

static void list_ids(void)
{
    const struct rr_program *p = program;
    printf("ids %d\n", p->nids);
    for (int i = 0; i < p->nwins; i++)
        printf("id %d window -1\n", p->wins[i].id);
    for (int f = 0; f < p->nphases; f++)
        for (int r = 0; r < p->phases[f].nrounds; r++) {
            const struct rr_round *round = &p->phases[f].rounds[r];
            if (round->win)
                printf("id %d round %d\n", round->id, round->win->id);
            for (int i = 0; round->win && i < round->nacts; i++)
                printf("id %d action %d\n", round->acts[i].id, round->id);
        }
    rr_print(p);
}

static bool spoil(const char *what)
{
    rr_drop_puts = strcmp(what, "puts") == 0;
    rr_wrong_sums = strcmp(what, "sums") == 0;
    return rr_drop_puts || rr_wrong_sums;
}

const struct rnd_tester rnd_tester = {
    .features = rr_features,
    .nfeatures = RR_FEATURES - RND_F_OWN,
    .nkinds = RR_WIN_KINDS,
    .phases = 8,
    .plan = plan,
    .list = list_ids,
    .run = run_program,
    .spoil = spoil,
};
