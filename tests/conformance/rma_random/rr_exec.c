// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Runs a phase: one round, or two of different windows at once, in turns or by two threads.
#include "rr.h"
#include <pthread.h>

/** A flush, or the wait for requests; everything that it completes is checked at once. */
static void run_sync(struct rr_round *round, int at)
{
    struct rr_act *act = &round->acts[at];
    MPI_Win win = round->win->handle;
    int completed = act->target;
    rnd_at("action", act->id);
    if (act->kind == RR_K_FLUSH)
        MPI_Win_flush(act->target, win);
    else if (act->kind == RR_K_FLUSH_LOCAL)
        MPI_Win_flush_local(act->target, win);
    else if (act->kind == RR_K_FLUSH_ALL)
        MPI_Win_flush_all(win);
    else if (act->kind == RR_K_FLUSH_LOCAL_ALL)
        MPI_Win_flush_local_all(win);
    if (act->kind == RR_K_WAIT)
        completed = RR_WITH_REQUEST;
    else if (act->kind == RR_K_FLUSH_ALL || act->kind == RR_K_FLUSH_LOCAL_ALL)
        completed = RR_ALL;
    rr_acts_settle(round, completed, at);
}

/** Locks and unlocks one target after the other. @return the session that is open now, or -1 */
static int change_session(struct rr_round *round, int session, int next, int at)
{
    const struct rr_session *s = round->sessions;
    if (round->style != RR_LOCK || round->hold || session == next)
        return session;
    if (session >= 0) {
        rr_acts_settle(round, RR_WITH_REQUEST, at);
        MPI_Win_unlock(s[session].target, round->win->handle);
        rr_acts_settle(round, s[session].target, at);
    }
    if (next >= 0)
        rr_lock(round->win, &s[next]);
    return next;
}

static void run_step(struct rr_round *round, int at, int *session)
{
    struct rr_act *act = &round->acts[at];
    if (act->origin != round->win->me || rnd_skipped(act->id))
        return;
    *session = change_session(round, *session, act->session, at);
    if (rr_act_moves(act))
        rr_act_run(round, act);
    else
        run_sync(round, at);
}

static void end_round(struct rr_round *round, int session)
{
    change_session(round, session, -1, round->nacts);
    if (round->style == RR_LOCK || round->style == RR_LOCK_ALL)
        rr_acts_settle(round, RR_WITH_REQUEST, round->nacts);
    rnd_at("end of round", round->id);
    rr_epoch_close(round);
    rr_acts_settle(round, RR_ALL, round->nacts);
}

/** All ranks have ended the round: compares the own part. Nobody goes on before all have. */
static void check_round(struct rr_round *round)
{
    struct rr_win *win = round->win;
    bool lock = !win->no_locks && !win->fence_open && !win->lock_all_open;
    rnd_at("check after round", round->id);
    MPI_Barrier(win->comm);
    if (lock)
        MPI_Win_lock(MPI_LOCK_SHARED, win->me, 0, win->handle);
    else if (win->lock_all_open)
        MPI_Win_sync(win->handle);
    rr_check_part(win, round->id);
    if (lock)
        MPI_Win_unlock(win->me, win->handle);
    MPI_Barrier(win->comm);
}

static bool is_mine(const struct rr_round *round)
{
    return round->win && round->win->me >= 0 && !round->win->skipped && !rnd_skipped(round->id);
}

static void begin_round(struct rr_round *round)
{
    rnd_at("begin of round", round->id);
    rr_win_switch(round);
    rr_epoch_open(round);
}

static void *run_alone(void *arg)
{
    struct rr_round *round = arg;
    int session = -1;
    begin_round(round);
    for (int i = 0; i < round->nacts; i++)
        run_step(round, i, &session);
    end_round(round, session);
    check_round(round);
    return NULL;
}

static void run_in_turns(struct rr_round *rounds)
{
    int session[2] = {-1, -1};
    int most = rounds[0].nacts > rounds[1].nacts ? rounds[0].nacts : rounds[1].nacts;
    for (int r = 0; r < 2; r++)
        begin_round(&rounds[r]);
    for (int i = 0; i < most; i++)
        for (int r = 0; r < 2; r++)
            if (i < rounds[r].nacts)
                run_step(&rounds[r], i, &session[r]);
    for (int r = 0; r < 2; r++)
        end_round(&rounds[r], session[r]);
    for (int r = 0; r < 2; r++)
        check_round(&rounds[r]);
}

void rr_phase_run(struct rr_phase *phase)
{
    struct rr_round *rounds = phase->rounds;
    pthread_t thread;
    for (int i = 0; i < phase->nrounds; i++) {
        if (rounds[i].win && !rounds[i].win->skipped && !rnd_skipped(rounds[i].id))
            rr_model_round(&rounds[i]);
        if (is_mine(&rounds[i]) && rounds[i].style == RR_REATTACH) {
            rr_epoch_finish(rounds[i].win);
            rr_win_reattach(rounds[i].win);
        }
    }
    bool first = is_mine(&rounds[0]), second = phase->nrounds > 1 && is_mine(&rounds[1]);
    if (first && second && phase->threaded && rnd_opts.threads) {
        if (pthread_create(&thread, NULL, run_alone, &rounds[1]) != 0)
            abort();
        run_alone(&rounds[0]);
        pthread_join(thread, NULL);
    } else if (first && second && phase->threaded) { // no threads: in turns they may deadlock
        run_alone(&rounds[0]);
        run_alone(&rounds[1]);
    } else if (first && second) {
        run_in_turns(rounds);
    } else if (first || second) {
        run_alone(&rounds[first ? 0 : 1]);
    }
}
