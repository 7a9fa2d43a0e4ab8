// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Exchange: the leaders of the nodes tell each other what is predicted for those of their users for whom it changed
// (adapt/share.h), in the order of their ranks; each writes it into its node's part of the window.
#include "rma/rma_profile.h"

#include <stdlib.h>
#include "adapt/share.h"
#include "rma/rma_early.h"
#include "runtime/changes.h"
#include "runtime/wait.h"

// Of this process, a leader. Messages may be here first.
static struct csp_share *share_of(struct csp_win *w)
{
    if (!w->share)
        w->share = csp_share_new(w->members->my_node_idx, w->members->nnodes);
    return w->share;
}

void csp_profile_deliver(struct csp_win *w, const struct csp_am *msg)
{
    csp_share_receive(share_of(w), msg->a, msg->b, csp_am_text(msg), msg->text_bytes);
}

static void send(void *ctx, int to, int round, int last, const void *text, size_t bytes)
{
    const struct csp_win *w = ctx;
    struct csp_am msg = {.type = CSP_AM_PROFILE, .gid = w->gid, .a = round, .b = last};
    csp_am_send_text(w->members->wrank[w->members->leaders[to]], &msg, text, bytes);
}

// Writes what is predicted for the users of this node, and tells it if it is news.
static void note_own(struct csp_win *w, struct csp_share *s)
{
    const struct csp_members *m = w->members;
    _Atomic uint8_t *off = calloc((size_t)m->nlocal, sizeof(*off));
    int news = 0;
    CSP_CHECK(off, "out of memory for an exchange of predictions");
    for (int rank = m->rank, n = 0; n < m->nlocal; rank++) {
        if (w->peers[rank].node != csp_rt.node)
            continue;
        uint8_t now = (uint8_t)csp_predict_off(w->peers[rank].wrank);
        news |= now != w->profile[rank];
        w->profile[rank] = now;
        atomic_store_explicit(&off[n++], now, memory_order_relaxed);
    }
    if (news)
        csp_share_own(s, off, m->nlocal);
    free((void *)off);
}

// What was heard: the records by their nodes' numbers, with the users that are still to be found.
struct told {
    const struct csp_members *members;
    struct csp_pack_record *of; // [node number]
    int *done;                  // likewise: users found
    int first;                  // lowest rank of any of them
    int left;
};

static void note(void *ctx, const struct csp_pack_record *r)
{
    struct told *t = ctx;
    t->of[t->members->nodes[r->node]] = *r;
    t->left += r->users;
    if (t->members->leaders[r->node] < t->first)
        t->first = t->members->leaders[r->node];
}

static void note_others(struct csp_win *w, const struct csp_share *s)
{
    size_t nodes = (size_t)csp_rt.topo->nnodes;
    struct told t = {.members = w->members, .first = w->n};
    t.of = calloc(nodes, sizeof(*t.of));
    t.done = calloc(nodes, sizeof(*t.done));
    CSP_CHECK(t.of && t.done, "out of memory for an exchange of predictions");
    csp_share_each(s, note, &t);
    for (int rank = t.first; t.left > 0; rank++) {
        int node = w->peers[rank].node;
        if (t.done[node] == t.of[node].users)
            continue;
        w->profile[rank] = (uint8_t)csp_pack_bit(&t.of[node], t.done[node]++);
        t.left--;
    }
    free(t.of);
    free(t.done);
}

// Once for each window.
static void note_change(const struct csp_win *w)
{
    int off = 0;
    for (int rank = 0; rank < w->n; rank++)
        off += w->profile[rank] != 0;
    csp_change_note((struct csp_change){
        .gid = w->gid, .who = off, .by = CSP_CHANGE_AGREED, .off = off > 0, .with = w->n});
}

static void exchange(struct csp_win *w)
{
    const struct csp_members *m = w->members;
    csp_early_lock();
    struct csp_share *s = share_of(w);
    csp_early_unlock();
    note_own(w, s);
    for (int r = 0; r < csp_rounds(m->nnodes); r++) {
        struct csp_wait wait;
        csp_share_tell(s, r, send, w);
        csp_wait_begin(&wait, "fence: rank %ld to tell the predictions for window %ld (round %ld)",
                       m->leaders[csp_rounds_from(m->my_node_idx, m->nnodes, r)], (long)w->gid, r);
        while (!csp_share_heard(s, r))
            csp_wait_turn(&wait);
    }
    note_others(w, s);
    if (m->my_node_idx == 0)
        note_change(w);
    w->share = NULL; // the next one begins when all have left this one
    csp_share_free(s);
}

void csp_profile_exchange(struct csp_win *w)
{
    if (csp_members_lead(w->members))
        exchange(w);
    csp_win_barrier(w);
}
