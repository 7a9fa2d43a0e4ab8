// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "rma/rma_flush_one.h"

#include "base/clock.h"
#include "rma/rma_async.h"
#include "rma/rma_nudge.h"
#include "rma/rma_weak.h"
#include "runtime/quirks.h"
#include "runtime/wait.h"

enum {
    QUIET_SLOW_NS = 300000, // a flush by a ghost that has a core or naps takes less,
    QUIET_SLOW_BYTE_NS = 4, // and this for each byte under way
    QUIET_MIN = 16,         // quiet flushes after a slow one
    QUIET_MAX = 1024,
};

void csp_win_wait_begin(struct csp_wait *wait, const struct csp_win *w, int bit,
                        const char *by_ghost, const char *by_target)
{
    int ghosts = csp_async_ghosts(), ng = csp_rt.topo->ng;
    if (bit < ghosts)
        csp_wait_begin3(wait, by_ghost, (long)w->gid, bit % ng, bit / ng);
    else
        csp_wait_begin3(wait, by_target, (long)w->gid, bit - ghosts, 0);
}

// A byte read from the ghost after the operations. When it is here, so are they, as good as always:
// the flush that follows is what MPI promises. Uses, beside that for requests (rma_request.c):
// - where the library's flush does not wait for small PUTs, the byte proves that they are there;
// - on crowded nodes its request can be waited for quietly, which leaves the core to the ghosts; the
//   library's own flush would spin (0.6 ms and more for an operation that takes 10 us).
int csp_win_ask(struct csp_win *w, int bit, MPI_Request *request)
{
    static char byte; // nobody looks at it
    return csp_mpi.Rget(&byte, 1, MPI_BYTE, csp_async_rank(w, bit), 0, 1, MPI_BYTE, w->iwin->win,
                        request);
}

static int await_answer(const struct csp_win *w, int bit, MPI_Request *asked)
{
    int rc = MPI_SUCCESS, done = 0;
    struct csp_wait wait;
    csp_win_wait_begin(&wait, w, bit, "flush of window %ld by ghost %ld of node %ld",
                       "flush of window %ld by its rank %ld");
    while (rc == MPI_SUCCESS && !done) {
        rc = csp_mpi.Test(asked, &done, MPI_STATUS_IGNORE);
        if (!done)
            csp_wait_turn(&wait);
    }
    return rc;
}

// On crowded nodes: is the library's flush slow because it spins on a core that the ghost needs?
// Then the next flushes are quiet; now and then one finds out whether that is still so.
static _Atomic unsigned quiet_left, quiet_next = QUIET_MIN;

static int is_quiet(void)
{
    unsigned left = atomic_load_explicit(&quiet_left, memory_order_relaxed);
    if (left == 0)
        return 0;
    atomic_store_explicit(&quiet_left, left - 1, memory_order_relaxed);
    return 1;
}

static void learn(uint64_t took_ns, uint64_t bytes)
{
    unsigned n = atomic_load_explicit(&quiet_next, memory_order_relaxed);
    int slow = took_ns > QUIET_SLOW_NS + bytes * QUIET_SLOW_BYTE_NS;
    atomic_store_explicit(&quiet_left, slow ? n : 0, memory_order_relaxed);
    n = slow ? n * 2 : n / 2;
    n = n > QUIET_MAX ? QUIET_MAX : n < QUIET_MIN ? QUIET_MIN : n;
    atomic_store_explicit(&quiet_next, n, memory_order_relaxed);
}

// With several threads a weak bit cannot stay up as csp_win_take_bit leaves it: its executor may be a target, by now that of no more
// operations, and each flush would wait for it. It goes over to `confirming`, until no flush goes on that began with it there.
// @return 1: the flush must confirm; confirm_end is due behind it.
static int confirm_begin(struct csp_win *w, struct csp_confirmer *c)
{
    uint64_t mask = UINT64_C(1) << (c->bit % 64);
    _Atomic uint64_t *weak = &w->weak[c->bit / 64], *confirming = &w->confirming[c->bit / 64];
    if (!csp_stats_threads)
        return csp_win_take_bit(w->weak, c->bit);
    // In this order: it is raised in one before it goes down in the other.
    if (!(atomic_load_explicit(weak, memory_order_acquire) & mask) &&
        !(atomic_load_explicit(confirming, memory_order_acquire) & mask))
        return 0;
    pthread_mutex_lock(&w->mutex);
    if (atomic_load_explicit(weak, memory_order_acquire) & mask) {
        atomic_fetch_or_explicit(confirming, mask, memory_order_release);
        atomic_fetch_and_explicit(weak, ~mask, memory_order_acq_rel);
    }
    int must = (atomic_load_explicit(confirming, memory_order_relaxed) & mask) != 0;
    if (must) {
        c->next = w->confirmers;
        w->confirmers = c;
    }
    pthread_mutex_unlock(&w->mutex);
    return must;
}

static void confirm_end(struct csp_win *w, struct csp_confirmer *c)
{
    int others = 0;
    if (!csp_stats_threads)
        return;
    pthread_mutex_lock(&w->mutex);
    for (struct csp_confirmer **at = &w->confirmers; *at;) {
        if (*at == c) {
            *at = c->next;
            continue;
        }
        others |= (*at)->bit == c->bit;
        at = &(*at)->next;
    }
    if (!others)
        atomic_fetch_and_explicit(&w->confirming[c->bit / 64], ~(UINT64_C(1) << (c->bit % 64)),
                                  memory_order_release);
    pthread_mutex_unlock(&w->mutex);
}

// By a ghost made quiet where that is better; a target that computes is slow because of that, and would answer a second operation
// as late as the first.
static int is_by_crowded_ghost(const struct csp_flushing *f)
{
    return csp_rt.crowded && f->c.bit < csp_async_ghosts();
}

void csp_flushing_begin(struct csp_win *w, int bit, int local, struct csp_flushing *f)
{
    *f = (struct csp_flushing){.c.bit = bit, .local = local, .asked = MPI_REQUEST_NULL};
    if (!local) {
        if (bit < csp_async_ghosts())
            atomic_store_explicit(&w->unflushed[bit], 0, memory_order_relaxed);
        csp_win_take_bit(w->local, bit);
        f->weak = confirm_begin(w, &f->c);
    }
    f->quiet = is_by_crowded_ghost(f) && is_quiet();
    f->rc = f->weak || f->quiet ? csp_win_ask(w, bit, &f->asked) : MPI_SUCCESS;
}

static int complete(struct csp_win *w, struct csp_flushing *f)
{
    int bit = f->c.bit, rank = csp_async_rank(w, bit), rc = f->rc;
    if (rc == MPI_SUCCESS && f->asked != MPI_REQUEST_NULL)
        rc = await_answer(w, bit, &f->asked);
    if (rc == MPI_SUCCESS && csp_quirks.weak_put_bytes)
        rc = csp_weak_wait(w, bit);
    if (rc != MPI_SUCCESS)
        return rc;
    return f->local ? csp_mpi.Win_flush_local(rank, w->iwin->win)
                    : csp_mpi.Win_flush(rank, w->iwin->win);
}

static int complete_crowded(struct csp_win *w, struct csp_flushing *f)
{
    uint64_t begin = csp_clock_ns();
    uint64_t bytes = atomic_exchange_explicit(&w->pending_bytes, 0, memory_order_relaxed);
    int rc = complete(w, f);
    uint64_t end = csp_clock_ns();
    if (!f->quiet)
        learn(end - begin, bytes);
    csp_nudge_flushed(f->c.bit, end);
    return rc;
}

int csp_flushing_end(struct csp_win *w, struct csp_flushing *f)
{
    int rc = is_by_crowded_ghost(f) ? complete_crowded(w, f) : complete(w, f);
    if (f->weak)
        confirm_end(w, &f->c);
    return rc;
}
