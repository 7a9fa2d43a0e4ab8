// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Sends and receives: takes what the users of this ghost post, matches, delivers.
#include "ghost/ghost_p2p.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "ghost/ghost.h"
#include "runtime/am.h"
#include "runtime/node.h"
#include "runtime/rt.h"

enum { PICKS = 32 }; // cells of one user in a turn

// One user of this ghost.
struct port {
    struct csp_ring *ring; // NULL until the user has made it
    struct csp_match match;
    struct probe *probes; // that wait for a message, the oldest first
};

struct probe {
    struct probe *next;
    struct csp_cell *cell;
};

struct receive {
    struct csp_match_node node;
    struct csp_cell *cell;
};

// A message that no receive was there for.
struct message {
    struct csp_match_node node;
    struct csp_p2p_head head;
    char data[];
};

static struct port **ports; // [lrank]; NULL: not mine
static uint64_t kept;       // messages without a receive
static int woke;            // a user, since csp_ghost_p2p_woke
static int held_up;         // a user, since csp_ghost_p2p_held_up

static void *must(void *p)
{
    CSP_CHECK(p, "out of memory for a message");
    return p;
}

void csp_ghost_ring(int lrank)
{
    woke |= csp_bell_ring(&csp_node_procs(csp_rt.page)[lrank].bell);
}

void csp_ghost_carried(enum csp_carried how, uint64_t bytes)
{
    csp_stats_add(&csp_my_stats->carried_count[how], 1);
    csp_stats_add(&csp_my_stats->carried_bytes[how], bytes);
}

static void set_done(struct csp_cell *c)
{
    /* release: pairs with the acquire in csp_cell_done; afterwards the cell is the user's */
    atomic_store_explicit(&c->state, CSP_CELL_DONE, memory_order_release);
}

static void ring_awaited(const struct csp_cell *c, int lrank)
{
    if (atomic_load_explicit(&c->awaited, memory_order_relaxed)) // or who has it now, for nothing
        csp_ghost_ring(lrank);
}

void csp_ghost_cell_done(struct csp_cell *c)
{
    csp_ghost_cells_done(c, NULL);
}

void csp_ghost_cells_done(struct csp_cell *recv, struct csp_cell *send)
{
    int to = recv->lrank, from = send ? send->lrank : 0;
    set_done(recv);
    if (send)
        set_done(send);
    atomic_thread_fence(memory_order_seq_cst); // pairs with the fence in csp_bell_seen
    ring_awaited(recv, to);
    if (send)
        ring_awaited(send, from);
}

// A synchronous send of another node learns that it was matched.
static void acknowledge(const struct csp_p2p_head *h)
{
    csp_ghost_net_send(h->from,
                       &(struct csp_p2p_head){.type = CSP_P2P_ACK, .cell_off = h->cell_off}, NULL);
}

// A receive has its message.
static void match(struct csp_cell *recv, const struct csp_p2p_head *h, const char *data)
{
    int is_sync = h->flags & CSP_CELL_SYNC;
    recv->source = h->env.source;
    recv->got_tag = h->env.tag;
    recv->got_bytes = h->bytes < recv->bytes ? h->bytes : recv->bytes;
    recv->error = h->bytes > recv->bytes ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
    if (!data && h->type == CSP_P2P_LOCAL && h->flags & CSP_CELL_PAYLOAD)
        data = csp_cell_data(csp_cell_at(h->cell_off));
    if (!data && h->type == CSP_P2P_LOCAL) {
        csp_ghost_data_copy(csp_cell_at(h->cell_off), recv);
        return;
    }
    csp_ghost_carried(h->type == CSP_P2P_LOCAL ? CSP_CARRIED_NODE : CSP_CARRIED_NET,
                      recv->got_bytes);
    if (data) {
        csp_ghost_data_touch(recv, 1, (char *)data, 0, recv->got_bytes);
        csp_ghost_cells_done(recv,
                             is_sync && h->type == CSP_P2P_LOCAL ? csp_cell_at(h->cell_off) : NULL);
        if (is_sync && h->type != CSP_P2P_LOCAL) // else a send whose data are away is over already
            acknowledge(h);
    } else {
        csp_ghost_data_receive(h, recv);
    }
}

// A local send that does not wait for its receive: its cell goes back as soon as its data are taken.
static int is_local_eager(const struct csp_p2p_head *h)
{
    return h->type == CSP_P2P_LOCAL && !(h->flags & CSP_CELL_SYNC) && h->bytes <= CSP_EAGER_LOCAL;
}

// A message without a receive has its data with it.
static int has_data(const struct csp_p2p_head *h)
{
    return h->type == CSP_P2P_EAGER || is_local_eager(h);
}

static const char *data_of(const struct message *m)
{
    return has_data(&m->head) ? m->data : NULL;
}

static struct csp_envelope wanted(const struct csp_cell *c)
{
    return (struct csp_envelope){.context = c->context, .source = c->rank, .tag = c->tag};
}

// @return 1 if it was answered: at once, or because there is a message.
static int answer_probe(struct port *p, struct csp_cell *c)
{
    struct csp_envelope env = wanted(c);
    struct message *m = (struct message *)csp_match_find_message(&p->match, &env);
    if (!m && c->flags & CSP_CELL_WAITS)
        return 0;
    c->found = m != NULL;
    if (m) {
        c->source = m->head.env.source;
        c->got_tag = m->head.env.tag;
        c->got_bytes = m->head.bytes;
    }
    if (m && c->kind == CSP_CELL_MPROBE) {
        csp_match_remove_message(&m->node);
        c->message_got = (uint64_t)(uintptr_t)m;
    }
    csp_ghost_cell_done(c);
    return 1;
}

// A message was kept.
static void answer_probes(struct port *p)
{
    for (struct probe **at = &p->probes; *at;) {
        struct probe *waiting = *at;
        if (!answer_probe(p, waiting->cell)) {
            at = &waiting->next;
            continue;
        }
        *at = waiting->next;
        free(waiting);
    }
}

// Keeps a message, with its data if they came with it (`data`) or can be taken from a sender of this node.
static void keep(struct port *p, const struct csp_p2p_head *h, const char *data)
{
    size_t bytes = has_data(h) ? h->bytes : 0;
    struct message *m = must(malloc(sizeof(*m) + bytes));
    m->node.env = h->env;
    m->head = *h;
    if (is_local_eager(h)) {
        struct csp_cell *send = csp_cell_at(h->cell_off);
        csp_ghost_data_touch(send, 0, m->data, 0, bytes);
        csp_ghost_cell_done(send);
    } else if (bytes) {
        memcpy(m->data, data, bytes);
    }
    csp_match_keep(&p->match, &m->node);
    kept++;
    answer_probes(p);
}

void csp_ghost_arrive(const struct csp_p2p_head *h, const char *data)
{
    struct port *p = ports[h->lrank];
    struct csp_match_node *node = csp_match_take_receive(&p->match, &h->env);
    if (!node) {
        keep(p, h, data);
        return;
    }
    struct receive *r = (struct receive *)node;
    r->cell->ghost_private = 0;
    match(r->cell, h, data);
    if (is_local_eager(h) && h->flags & CSP_CELL_PAYLOAD)
        csp_ghost_cell_done(csp_cell_at(h->cell_off)); // of others csp_ghost_data_copy says so
    free(r);
}

static void pick_send(struct csp_cell *c)
{
    const struct csp_topo *t = csp_rt.topo;
    int node = csp_topo_node_of_wrank(t)[c->wrank];
    int to = node * t->ng + csp_topo_bound_gidx(t, c->wrank);
    struct csp_p2p_head h = {
        .flags = c->flags,
        .env = {.context = c->context, .source = c->rank, .tag = c->tag},
        .bytes = c->bytes,
        .cell_off = csp_cell_off(c),
        .lrank = csp_topo_lrank_of_wrank(t)[c->wrank],
    };
    h.type = node == csp_rt.node         ? CSP_P2P_LOCAL
             : c->bytes <= CSP_EAGER_NET ? CSP_P2P_EAGER
                                         : CSP_P2P_OFFER;
    if (to == csp_rt.node * t->ng + csp_rt.gidx)
        csp_ghost_arrive(&h, NULL);
    else
        csp_ghost_net_send(to, &h, h.type == CSP_P2P_EAGER ? c : NULL);
    if (h.type == CSP_P2P_EAGER && !(c->flags & CSP_CELL_SYNC))
        csp_ghost_cell_done(c);
}

static void drop(struct message *m)
{
    free(m);
    kept--;
}

static void pick_recv(struct port *p, struct csp_cell *c)
{
    struct csp_envelope env = wanted(c);
    struct message *m = (struct message *)csp_match_find_message(&p->match, &env);
    if (m) {
        csp_match_remove_message(&m->node);
        match(c, &m->head, data_of(m));
        drop(m);
        return;
    }
    struct receive *r = must(malloc(sizeof(*r)));
    r->node.env = env;
    r->cell = c;
    c->ghost_private = (uint64_t)(uintptr_t)r;
    csp_match_post(&p->match, &r->node);
}

static void pick_probe(struct port *p, struct csp_cell *c)
{
    struct probe **last = &p->probes;
    if (answer_probe(p, c))
        return;
    while (*last)
        last = &(*last)->next;
    *last = must(malloc(sizeof(**last)));
    **last = (struct probe){.cell = c};
}

static void pick_matched(struct csp_cell *c)
{
    struct message *m = (struct message *)(uintptr_t)c->message; // NOLINT: as pick_probe gave it
    match(c, &m->head, data_of(m));
    drop(m);
}

// The receive may be over already, or have its message.
static void pick_cancel(struct csp_cell *c)
{
    struct csp_cell *other = csp_cell_at(c->other_off);
    struct receive *r = (struct receive *)(uintptr_t)other->ghost_private; // NOLINT
    if (r) {
        csp_match_remove_receive(&r->node);
        free(r);
        other->ghost_private = 0;
        other->cancelled = 1;
        csp_ghost_cell_done(other);
    }
    csp_ghost_cell_done(c);
}

static void pick_unattended(struct csp_cell *c)
{
    struct csp_cell *other = csp_cell_at(c->other_off);
    c->found = other->ghost_private != 0;
    if (c->found) {
        other->answer_room = 0;
        other->addr = c->addr;
        if (c->layout_off) {
            other->layout_off = c->layout_off;
            other->count = c->count;
            c->layout_off = 0;
        }
    }
    csp_ghost_cell_done(c);
}

static void pick(struct port *p, struct csp_cell *c)
{
    switch (c->kind) {
    case CSP_CELL_SEND:
        pick_send(c);
        break;
    case CSP_CELL_RECV:
        pick_recv(p, c);
        break;
    case CSP_CELL_PROBE:
    case CSP_CELL_MPROBE:
        pick_probe(p, c);
        break;
    case CSP_CELL_MRECV:
        pick_matched(c);
        break;
    case CSP_CELL_CANCEL:
        pick_cancel(c);
        break;
    case CSP_CELL_UNATTENDED:
        pick_unattended(c);
        break;
    default:
        CSP_CHECK(0, "process of local rank %d posted something unknown", c->lrank);
    }
}

static int pick_all(int lrank)
{
    struct port *p = ports[lrank];
    uint64_t off;
    int n = 0;
    if (!p->ring) {
        /* acquire: pairs with the release in csp_cells_start */
        off = atomic_load_explicit(&csp_node_procs(csp_rt.page)[lrank].ring_off,
                                   memory_order_acquire);
        if (!off)
            return 0;
        p->ring = csp_cell_memory(off);
    }
    while (n < PICKS && csp_ghost_net_room() && csp_ring_take(p->ring, &off)) {
        pick(p, csp_cell_at(off));
        n++;
    }
    held_up |= n > 0 && atomic_load_explicit(&p->ring->rings, memory_order_relaxed);
    return n;
}

static void poll(void)
{
    struct csp_ghost_poll p;
    p.n = 0;
    csp_ghost_net_poll(&p);
    csp_ghost_data_poll(&p);
    int rc = csp_ghost_poll_test(&p);
    if (rc != MPI_SUCCESS)
        csp_am_failed("messages of users", rc);
}

int csp_ghost_p2p_turn(void)
{
    int n = 0;
    if (!ports)
        return 0;
    for (int i = csp_rt.page->ng; i < csp_rt.page->nprocs; i++)
        if (ports[i])
            n += pick_all(i);
    poll();
    return n + csp_ghost_net_turn() + csp_ghost_data_turn();
}

int csp_ghost_p2p_woke(void)
{
    int yes = woke;
    woke = 0;
    return yes;
}

int csp_ghost_p2p_held_up(void)
{
    int yes = held_up;
    held_up = 0;
    return yes;
}

int csp_ghost_p2p_idle(void)
{
    return !ports || csp_ghost_data_idle();
}

int csp_ghost_p2p_over(void)
{
    return !ports || (csp_ghost_data_idle() && csp_ghost_net_over());
}

void csp_ghost_p2p_start(void)
{
    const struct csp_node_proc *procs = csp_node_procs(csp_rt.page);
    if (!csp_rt.p2p)
        return;
    ports = must(calloc((size_t)csp_rt.page->nprocs, sizeof(struct port *)));
    for (int i = csp_rt.page->ng; i < csp_rt.page->nprocs; i++) {
        if (csp_topo_bound_gidx(csp_rt.topo, procs[i].wrank) != csp_rt.gidx)
            continue;
        ports[i] = must(calloc(1, sizeof(struct port)));
        csp_match_init(&ports[i]->match);
    }
    csp_ghost_net_start();
}

void csp_ghost_p2p_stop(void)
{
    if (!ports)
        return;
    if (kept)
        csp_info("%llu messages were never received", (unsigned long long)kept);
    csp_ghost_net_stop();
    csp_ghost_data_stop();
    for (int i = 0; i < csp_rt.page->nprocs; i++)
        free(ports[i]);
    free((void *)ports);
}
