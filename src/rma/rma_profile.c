// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Exchange: the leader of each node's users tells the other leaders what is predicted for them, as bits in the order
// of their ranks; each writes the whole into its node's part of the window.
#include "rma/rma_profile.h"

#include "runtime/wait.h"

enum { WORDS = 3, USERS = 64 * WORDS };

static void send(struct csp_win *w, struct csp_am *msg)
{
    const struct csp_members *m = w->members;
    for (int i = 0; i < m->nnodes; i++)
        if (i != m->my_node_idx)
            csp_am_send(m->wrank[m->leaders[i]], msg);
}

// And writes them here. A message: node, rank of its first user, how many, whether it is the node's last.
static void tell_own(struct csp_win *w)
{
    struct csp_am msg = {.type = CSP_AM_PROFILE, .gid = w->gid, .a = csp_rt.node};
    int left = w->members->nlocal;
    for (int rank = 0; left > 0; rank++) {
        if (w->peers[rank].node != csp_rt.node)
            continue;
        w->profile[rank] = (uint8_t)csp_predict_off(w->peers[rank].wrank);
        if (msg.cookie == 0)
            msg.b = rank;
        msg.spare[msg.cookie / 64] |= (uint64_t)w->profile[rank] << msg.cookie % 64;
        msg.cookie++;
        msg.off = --left == 0;
        if (msg.cookie == USERS || left == 0) {
            send(w, &msg);
            msg.cookie = msg.spare[0] = msg.spare[1] = msg.spare[2] = 0;
        }
    }
}

void csp_profile_deliver(struct csp_win *w, const struct csp_am *msg)
{
    uint64_t n = 0;
    for (int rank = msg->b; n < msg->cookie; rank++) {
        if (w->peers[rank].node != msg->a)
            continue;
        w->profile[rank] = (uint8_t)(msg->spare[n / 64] >> n % 64 & 1);
        n++;
    }
    if (msg->off)
        atomic_fetch_add_explicit(&w->profile_heard, 1, memory_order_release);
}

void csp_profile_exchange(struct csp_win *w)
{
    if (csp_members_lead(w->members)) {
        uint32_t others = (uint32_t)w->members->nnodes - 1;
        struct csp_wait wait;
        tell_own(w);
        csp_wait_begin(&wait, "fence: other nodes to tell the predictions for window %ld",
                       (long)w->gid);
        while (atomic_load_explicit(&w->profile_heard, memory_order_acquire) != others)
            csp_wait_turn(&wait);
        atomic_store_explicit(&w->profile_heard, 0, memory_order_relaxed);
    }
    csp_win_barrier(w);
}
