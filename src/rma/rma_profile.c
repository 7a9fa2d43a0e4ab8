// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Exchange: the leader of each node's users tells the other leaders what is predicted for them, as bits in the order
// of their ranks; each writes the whole into its node's part of the window.
#include "rma/rma_profile.h"

#include "runtime/wait.h"

enum { WORDS = 3, USERS = 64 * WORDS };

static int messages_for(int users)
{
    return (users + USERS - 1) / USERS;
}

static void send(struct csp_win *w, struct csp_am *msg)
{
    const struct csp_members *m = w->members;
    for (int i = 0; i < m->nnodes; i++)
        if (i != m->my_node_idx)
            csp_am_send(m->wrank[m->leaders[i]], msg);
}

// And writes them here.
static void tell_own(struct csp_win *w)
{
    struct csp_am msg = {.type = CSP_AM_PROFILE, .gid = w->gid, .a = csp_rt.node};
    int n = 0; // users of the node so far
    for (int rank = 0; rank < w->n; rank++) {
        if (w->peers[rank].node != csp_rt.node)
            continue;
        w->profile[rank] = (uint8_t)csp_predict_off(w->peers[rank].wrank);
        msg.spare[n % USERS / 64] |= (uint64_t)w->profile[rank] << n % 64;
        if (++n % USERS == 0) {
            send(w, &msg);
            msg.b = n;
            msg.spare[0] = msg.spare[1] = msg.spare[2] = 0;
        }
    }
    if (n % USERS)
        send(w, &msg);
}

static int expected(const struct csp_win *w)
{
    int messages = 0;
    for (int i = 0; i < w->members->nnodes; i++) {
        int users = 0;
        for (int rank = 0; rank < w->n; rank++)
            users += w->peers[rank].node == w->members->nodes[i];
        messages += i == w->members->my_node_idx ? 0 : messages_for(users);
    }
    return messages;
}

void csp_profile_deliver(struct csp_win *w, const struct csp_am *msg)
{
    int n = -msg->b; // users of the node from the message's first on
    for (int rank = 0; rank < w->n && n < USERS; rank++) {
        if (w->peers[rank].node != msg->a)
            continue;
        if (n >= 0)
            w->profile[rank] = (uint8_t)(msg->spare[n / 64] >> n % 64 & 1);
        n++;
    }
    atomic_fetch_add_explicit(&w->profile_heard, 1, memory_order_release);
}

void csp_profile_exchange(struct csp_win *w)
{
    if (csp_members_lead(w->members)) {
        uint32_t all = (uint32_t)expected(w);
        struct csp_wait wait;
        tell_own(w);
        csp_wait_begin(&wait, "fence: other nodes to tell the predictions for window %ld",
                       (long)w->gid);
        while (atomic_load_explicit(&w->profile_heard, memory_order_acquire) != all)
            csp_wait_turn(&wait);
        atomic_store_explicit(&w->profile_heard, 0, memory_order_relaxed);
    }
    csp_win_barrier(w);
}
