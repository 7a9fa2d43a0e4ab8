// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Opening and closing the epochs of a round. A fence or lock_all may go on to the next round.
#include "rr.h"

static unsigned origins_of(const struct rr_round *round, int target)
{
    unsigned origins = 0;
    for (int o = 0; o < round->win->size; o++)
        origins |= (round->edges[o] >> target & 1u) << o;
    return origins;
}

static MPI_Group group_of(const struct rr_win *win, unsigned ranks)
{
    int list[RR_MAX_RANKS], n = 0;
    MPI_Group all, some;
    for (int r = 0; r < win->size; r++)
        if (ranks >> r & 1)
            list[n++] = r;
    MPI_Comm_group(win->comm, &all);
    MPI_Group_incl(all, n, list, &some);
    MPI_Group_free(&all);
    return some;
}

/** Somebody puts to or accumulates at this rank in the round. */
static bool is_written(const struct rr_round *round, int rank)
{
    for (int i = 0; i < round->nacts; i++)
        if (round->acts[i].target == rank && rr_act_sends(&round->acts[i]))
            return true;
    return false;
}

static bool takes_part(const struct rr_round *round, unsigned ranks)
{
    return ranks != 0 || round->empty_groups;
}

static void open_pscw(const struct rr_round *round)
{
    const struct rr_win *win = round->win;
    unsigned to = round->edges[win->me], from = origins_of(round, win->me);
    int check = round->nocheck ? MPI_MODE_NOCHECK : 0, assert = check;
    if (round->asserts)
        assert |= MPI_MODE_NOSTORE | (is_written(round, win->me) ? 0 : MPI_MODE_NOPUT);
    MPI_Group group = group_of(win, from);
    if (takes_part(round, from))
        MPI_Win_post(group, assert, win->handle);
    MPI_Group_free(&group);
    if (round->nocheck)
        MPI_Barrier(win->comm);
    group = group_of(win, to);
    if (takes_part(round, to))
        MPI_Win_start(group, check, win->handle);
    MPI_Group_free(&group);
}

static void close_pscw(const struct rr_round *round)
{
    const struct rr_win *win = round->win;
    int done = 0;
    if (takes_part(round, round->edges[win->me]))
        MPI_Win_complete(win->handle);
    if (!takes_part(round, origins_of(round, win->me)))
        return;
    if (!round->use_test)
        MPI_Win_wait(win->handle);
    while (round->use_test && !done)
        MPI_Win_test(win->handle, &done);
}

static void open_fence(const struct rr_round *round)
{
    int assert = round->asserts ? MPI_MODE_NOPRECEDE | MPI_MODE_NOSTORE : 0;
    if (round->asserts && !is_written(round, round->win->me))
        assert |= MPI_MODE_NOPUT;
    if (!round->win->fence_open)
        MPI_Win_fence(assert, round->win->handle);
}

void rr_lock(const struct rr_win *win, const struct rr_session *s)
{
    MPI_Win_lock(s->exclusive ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, s->target,
                 s->nocheck ? MPI_MODE_NOCHECK : 0, win->handle);
}

static void each_held(const struct rr_round *round, bool lock)
{
    for (int i = 0; i < round->nsessions; i++)
        if (round->sessions[i].origin == round->win->me && lock)
            rr_lock(round->win, &round->sessions[i]);
        else if (round->sessions[i].origin == round->win->me)
            MPI_Win_unlock(round->sessions[i].target, round->win->handle);
}

/** Ends an epoch that the last round left open; collective over the window. */
void rr_epoch_finish(struct rr_win *win)
{
    if (win->fence_open)
        MPI_Win_fence(MPI_MODE_NOSUCCEED | MPI_MODE_NOSTORE, win->handle);
    if (win->lock_all_open)
        MPI_Win_unlock_all(win->handle);
    win->fence_open = win->lock_all_open = false;
}

void rr_epoch_open(struct rr_round *round)
{
    struct rr_win *win = round->win;
    bool goes_on = (round->style == RR_FENCE && win->fence_open) ||
                   (round->style == RR_LOCK_ALL && win->lock_all_open);
    if (!goes_on)
        rr_epoch_finish(win);
    if (round->style == RR_FENCE)
        open_fence(round);
    else if (round->style == RR_PSCW)
        open_pscw(round);
    else if (round->style == RR_LOCK && round->hold)
        each_held(round, true);
    else if ((round->style == RR_LOCK_ALL || round->style == RR_STORES) && !win->lock_all_open)
        MPI_Win_lock_all(round->nocheck ? MPI_MODE_NOCHECK : 0, win->handle);
    win->lock_all_open = round->style == RR_LOCK_ALL;
}

static void close_lock_all(struct rr_round *round)
{
    struct rr_win *win = round->win;
    if (round->chained)
        MPI_Win_flush_all(win->handle);
    else
        MPI_Win_unlock_all(win->handle);
    win->lock_all_open = round->chained;
}

/** Completes the round everywhere; afterwards every rank may look at its part. */
void rr_epoch_close(struct rr_round *round)
{
    struct rr_win *win = round->win;
    if (round->style == RR_FENCE) {
        MPI_Win_fence(round->chained ? 0 : MPI_MODE_NOSUCCEED, win->handle);
        win->fence_open = round->chained;
    } else if (round->style == RR_PSCW) {
        close_pscw(round);
    } else if (round->style == RR_LOCK && round->hold) {
        each_held(round, false);
    } else if (round->style == RR_LOCK_ALL) {
        close_lock_all(round);
    } else if (round->style == RR_STORES) {
        MPI_Win_sync(win->handle);
        MPI_Barrier(win->comm);
        MPI_Win_unlock_all(win->handle);
    }
}
