// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "rma/rma_async.h"

#include <stdatomic.h>
#include "casper/casper.h"
#include "rma/rma_auto.h"
#include "rma/rma_profile.h"
#include "runtime/info.h"
#include "runtime/changes.h"
#include "runtime/ext.h"
#include "runtime/meta.h"
#include "runtime/quirks.h"

static const char *const names[] = {"", "on", "off", "auto", NULL};
static const char *const bools[] = {"false", "true", NULL};

// Bits of csp_win_vote beside that of csp_win_agree: what a process wishes; in MPI_Win_set_info, that it did not say
// `symmetric`; its prediction changed.
enum { VOTE_WISH = 2, VOTE_LATER = 32, VOTE_NEWS = 64 };

static unsigned vote_for(enum csp_async_wish wish)
{
    return (unsigned)VOTE_WISH << wish;
}

enum csp_async_wish csp_async_read(MPI_Info info)
{
    return (enum csp_async_wish)csp_info_choice(info, CASPER_INFO_ASYNC_CONFIG, names,
                                                CSP_ASYNC_NONE);
}

const char *csp_async_name(const struct csp_win *w)
{
    return names[w->async];
}

int csp_async_rank(const struct csp_win *w, int executor)
{
    if (CSP_LIKELY(executor < csp_async_ghosts()))
        return w->iwin->ghosts[executor];
    int wrank = w->peers[executor - csp_async_ghosts()].wrank;
    return w->iwin->ext ? csp_ext_rank(w->iwin->ext, wrank) : wrank;
}

// Room for a bit for each target. Nothing is under way, and nobody else is in this window.
static void grow(struct csp_win *w)
{
    if (w->target_bits)
        return;
    csp_meta_free(CSP_META_WINDOW, w->used);
    csp_win_bits(w, csp_async_ghosts() + w->n);
    w->target_bits = 1;
}

static enum csp_async_wish auto_or_on(const struct csp_win *w)
{
    static _Atomic int said;
    if (!csp_quirks.fixed_routes || w->members->nnodes == 1)
        return CSP_ASYNC_AUTO;
    if (w->rank == 0 && !atomic_exchange(&said, 1))
        csp_warn("async_config=auto: redirection stays on. With this MPI library, "
                 "MPI_Win_flush_local may not return when routes change");
    return CSP_ASYNC_ON;
}

// Said once: for each window that could have been made otherwise, for all others together.
static void say_fixed(struct csp_win *w)
{
    static _Atomic int said;
    if (w->rank != 0)
        return;
    if (w->iwin && !w->said_fixed)
        csp_warn("info key %s: this window cannot change; it needs CSP_ASYNC_CONFIG=auto or off, "
                 "or the key at its creation",
                 CASPER_INFO_ASYNC_CONFIG);
    if (!w->iwin && w->members->nnodes > 1 && !atomic_exchange(&said, 1))
        csp_warn(
            "async_config: windows on memory that ghosts do not map (MPI_Win_create, "
            "MPI_Win_create_dynamic, alignment beyond a page) cannot change: redirection stays on");
    w->said_fixed = 1;
}

static void apply(struct csp_win *w, enum csp_async_wish wish)
{
    if (wish == CSP_ASYNC_NONE)
        return;
    if (!w->may_change) {
        if (wish != CSP_ASYNC_ON)
            say_fixed(w);
        return;
    }
    if (wish == CSP_ASYNC_AUTO)
        wish = auto_or_on(w);
    if (wish == (enum csp_async_wish)w->async)
        return;
    w->async = wish;
    if (wish != CSP_ASYNC_ON)
        grow(w);
    csp_auto_free(w, w->automatic);
    int decides = wish == CSP_ASYNC_AUTO && w->members->nnodes > 1;
    w->automatic = decides && !csp_predict_used() ? csp_auto_new(w) : NULL;
    w->profile = decides && csp_predict_used() ? w->routes : NULL;
}

void csp_async_init(struct csp_win *w, enum csp_async_wish wish)
{
    w->async = CSP_ASYNC_ON;
    w->may_change = w->iwin && csp_async_may_change(wish);
    if (wish == CSP_ASYNC_NONE)
        wish = CSP_ASYNC_ON + (enum csp_async_wish)csp_config.async_config; // in the same order
    apply(w, wish);
}

static unsigned my_vote(const struct csp_win *w)
{
    return vote_for((enum csp_async_wish)w->async_wish) | (csp_profile_is_news(w) ? VOTE_NEWS : 0);
}

// All have voted: what was said comes into force if all said the same.
static int take_over(struct csp_win *w, unsigned votes)
{
    enum csp_async_wish wish = w->async_wish;
    int had_profile = w->profile != NULL;
    w->async_wish = CSP_ASYNC_NONE;
    if ((votes & ~(unsigned)VOTE_NEWS) != vote_for(wish))
        return MPI_ERR_INFO_VALUE;
    int before = w->async;
    csp_win_leave(w); // other threads may complete requests whose operations were flushed
    apply(w, wish);
    csp_win_stay(w);
    if (w->rank == 0 && w->async != before && w->async != CSP_ASYNC_AUTO)
        csp_change_note((struct csp_change){
            .gid = w->gid, .who = -1, .by = CSP_CHANGE_SAID, .off = w->async == CSP_ASYNC_OFF});
    if (w->profile && (!had_profile || votes & VOTE_NEWS))
        csp_profile_exchange(w);
    return MPI_SUCCESS;
}

int csp_async_fence(struct csp_win *w)
{
    return take_over(w, csp_win_vote(w, my_vote(w)));
}

// All vote, whatever they say and whether or not their flush failed: nobody knows what the others say.
int csp_async_set(struct csp_win *w, MPI_Info info)
{
    enum csp_async_wish wish = csp_async_read(info);
    if (wish != CSP_ASYNC_NONE)
        w->async_wish = wish;
    int now = csp_info_choice(info, CASPER_INFO_SYMMETRIC, bools, 0) != 0;
    int rc = now ? csp_win_flush_end(w) : MPI_SUCCESS;
    unsigned votes = csp_win_vote(w, now ? my_vote(w) : VOTE_LATER);
    int agreed = votes == VOTE_LATER ? MPI_SUCCESS : take_over(w, votes);
    return rc == MPI_SUCCESS ? csp_win_rc(w, agreed) : rc;
}
