// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The data of large messages, in chunks, so that no message keeps another waiting. Inside a node: read from the
// sender and written to the receiver, through a buffer that stays in the cache. Between nodes: a receiver that has
// a slot says so, and the sender's ghost sends chunk after chunk with the slot's tag.
#include <errno.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include "base/bufs.h"
#include "base/clock.h"
#include "base/log.h"
#include "ghost/ghost_p2p.h"
#include "runtime/am.h"
#include "runtime/node.h"
#include "runtime/peers.h"
#include "runtime/rt.h"
#include "runtime/vm.h"

enum {
    COPY_BYTES = 128 << 10,  // inside a node, at a time
    DIRECT_BYTES = 64 << 10, // that a process which waits for them copies itself,
    PATIENCE_NS = 200000,    // if it comes so soon
    CHUNK_BYTES = 256 << 10, // between nodes
    DEPTH = 4,               // chunks of one message on their way
    SLOTS = 32,              // messages on their way, in each direction
    FIRST_TAG = 1,
    AHEAD_BYTES = DEPTH * CHUNK_BYTES,
    ROOM_BYTES = 4 << 20, // of chunks in each direction, unless one message needs more,
    KEPT_BYTES = 2 * ROOM_BYTES,
};

// A large message; a copy has both cells.
struct move {
    struct move *next;
    struct csp_cell *send, *recv;
    uint64_t bytes, begun, done; // to move; in chunks that were begun, that are through
    uint64_t send_off;           // receiver: the sender's cell
    int peer, tag;               // the other ghost
    struct csp_cell *offered;    // copy: the one whose user may make it,
    uint64_t offered_ns;         // since then
    MPI_Request requests[DEPTH];
    char *mapped; // all of its data, if this process maps them; otherwise
    struct chunks *chunks;
};

// Room for data on their way: DEPTH chunks, or a whole message.
struct chunks {
    struct csp_buf buf;
    char data[];
};

struct queue {
    struct move *first, **last;
};

#define QUEUE_INIT(q) {.last = &(q).first}

static struct queue copies = QUEUE_INIT(copies);
static struct queue in_waiting = QUEUE_INIT(in_waiting), in_active = QUEUE_INIT(in_active);
static struct queue out_waiting = QUEUE_INIT(out_waiting), out_active = QUEUE_INIT(out_active);
// What is active.
struct load {
    int count;
    uint64_t bytes; // of room
};
static struct load in_load, out_load;
static uint32_t slots_used; // a bit for each
static char copy_buffer[COPY_BYTES];
static int refused; // a user can not reach others' memory
static struct csp_bufs rooms = {.head_bytes = sizeof(struct chunks), .keep_bytes = KEPT_BYTES};

static void append(struct queue *q, struct move *m)
{
    m->next = NULL;
    *q->last = m;
    q->last = &m->next;
}

static struct move *take_first(struct queue *q)
{
    struct move *m = q->first;
    q->first = m->next;
    if (!q->first)
        q->last = &q->first;
    return m;
}

static struct move *make(struct csp_cell *send, struct csp_cell *recv, uint64_t bytes)
{
    struct move *m = calloc(1, sizeof(*m));
    CSP_CHECK(m, "out of memory for a message of %llu bytes", (unsigned long long)bytes);
    *m = (struct move){.send = send, .recv = recv, .bytes = bytes};
    return m;
}

void csp_ghost_data_touch(struct csp_cell *c, int write, char *mine, uint64_t at, uint64_t bytes)
{
    char *packed = csp_cell_data(c);
    if (packed) {
        if (packed + at != mine)
            memcpy(write ? packed + at : mine, write ? mine : packed + at, bytes);
        return;
    }
    struct csp_vm_side here = {.addr = (uint64_t)(uintptr_t)mine, .count = (int64_t)bytes};
    struct csp_vm_side there = csp_cell_side(c);
    enum csp_status s = csp_vm_copy(c->lrank, write, &here, 0, &there, (int64_t)at, (int64_t)bytes);
    if (s == CSP_OK)
        return;
    if (s == CSP_ERR_SYS && errno == ESRCH)
        csp_peers_lost();
    csp_error("the buffer of a message of process %d of this node can not be %s: %s",
              csp_node_procs(csp_rt.page)[c->lrank].wrank, write ? "written" : "read",
              csp_status_string(s));
    csp_rt_die(1);
}

static uint64_t next_bytes(const struct move *m, uint64_t at, uint64_t most)
{
    return m->bytes - at < most ? m->bytes - at : most;
}

// ---- inside the node

static int can_offer(const struct csp_cell *c)
{
    return atomic_load_explicit(&c->awaited, memory_order_relaxed) && !refused;
}

// A process that waits for the message copies it once; through a ghost it is copied twice. The receiver's bell rings sooner then.
static void offer(struct move *m)
{
    struct csp_cell *to = can_offer(m->recv) ? m->recv : can_offer(m->send) ? m->send : NULL;
    if (m->bytes < DIRECT_BYTES || !to || csp_cell_data(m->send) || csp_cell_data(m->recv))
        return;
    to->copy_off = csp_cell_off(to == m->recv ? m->send : m->recv);
    /* release: pairs with the acquire in copy, p2p_cells.c */
    atomic_store_explicit(&to->copy, CSP_CELL_OFFERED, memory_order_release);
    m->offered = to;
    m->offered_ns = csp_clock_ns();
    csp_ghost_ring(to->lrank);
}

void csp_ghost_data_copy(struct csp_cell *send, struct csp_cell *recv)
{
    struct move *m = make(send, recv, recv->got_bytes);
    offer(m);
    append(&copies, m);
}

// Whether a copy is the ghost's to make, or over: the user has not come for it in time, or can not make it, or has.
static int is_mine(struct move *m)
{
    if (!m->offered)
        return 1;
    /* acquire: pairs with the release in copy, p2p_cells.c */
    uint32_t copy = atomic_load_explicit(&m->offered->copy, memory_order_acquire);
    if (copy == CSP_CELL_OFFERED && csp_clock_ns() - m->offered_ns > PATIENCE_NS &&
        atomic_compare_exchange_strong_explicit(&m->offered->copy, &copy, CSP_CELL_NO_COPY,
                                                memory_order_acq_rel, memory_order_acquire))
        copy = CSP_CELL_NO_COPY;
    if (copy == CSP_CELL_OFFERED || copy == CSP_CELL_TAKEN)
        return 0;
    refused |= copy == CSP_CELL_REFUSED;
    m->done = copy == CSP_CELL_COPIED ? m->bytes : 0;
    m->offered = NULL;
    return 1;
}

// The first that is; others go behind.
static struct move *next_copy(void)
{
    const struct move *first = copies.first;
    for (struct move *m = copies.first; m; m = copies.first == first ? NULL : copies.first) {
        take_first(&copies);
        if (is_mine(m))
            return m;
        append(&copies, m);
    }
    return NULL;
}

// One step of the first copy, which then is the last.
static int copy_turn(void)
{
    struct move *m = next_copy();
    if (!m)
        return 0;
    uint64_t n = next_bytes(m, m->done, COPY_BYTES);
    enum csp_carried how =
        n == 0 && m->bytes > 0 ? CSP_CARRIED_DIRECT : CSP_CARRIED_NODE; // it is there already
    char *from = csp_cell_data(m->send), *to = csp_cell_data(m->recv);
    char *through = from ? from + m->done : to ? to + m->done : copy_buffer;
    if (how == CSP_CARRIED_NODE) {
        csp_ghost_data_touch(m->send, 0, through, m->done, n);
        csp_ghost_data_touch(m->recv, 1, through, m->done, n);
    }
    m->done += n;
    if (m->done < m->bytes) {
        append(&copies, m);
        return 1;
    }
    csp_ghost_carried(how, m->bytes);
    csp_ghost_cells_done(m->recv, m->send);
    free(m);
    return 1;
}

// ---- between nodes

static int can_begin(const struct queue *waiting, const struct load *l)
{
    return waiting->first && l->count < SLOTS && l->bytes < ROOM_BYTES;
}

static void activate(struct queue *q, struct load *l, struct move *m)
{
    uint64_t room = next_bytes(m, 0, AHEAD_BYTES);
    m->mapped = csp_cell_data(m->send ? m->send : m->recv);
    m->chunks = m->mapped ? NULL : csp_bufs_take(&rooms, room);
    l->count++;
    l->bytes += room;
    CSP_CHECK(m->mapped || m->chunks, "out of memory for a message of %llu bytes",
              (unsigned long long)m->bytes);
    append(q, m);
}

static int slot_take(void)
{
    int slot = __builtin_ctz(~slots_used);
    slots_used |= UINT32_C(1) << slot;
    return slot;
}

static void accept(struct move *m)
{
    int slot = slot_take();
    struct csp_p2p_head h = {
        .type = CSP_P2P_ACCEPT, .cell_off = m->send_off, .bytes = m->bytes, .slot = slot};
    m->tag = FIRST_TAG + slot;
    activate(&in_active, &in_load, m);
    csp_ghost_net_send(m->peer, &h, NULL);
}

void csp_ghost_data_receive(const struct csp_p2p_head *offer, struct csp_cell *recv)
{
    struct move *m = make(NULL, recv, recv->got_bytes);
    m->peer = offer->from;
    m->send_off = offer->cell_off;
    append(&in_waiting, m);
}

void csp_ghost_data_send(const struct csp_p2p_head *h)
{
    struct csp_cell *c = csp_cell_at(h->cell_off);
    struct move *m = make(c, NULL, h->bytes);
    m->peer = h->from;
    m->tag = FIRST_TAG + h->slot;
    append(&out_waiting, m);
}

// Where the chunk that starts at byte `at` travels from or to.
static char *chunk_at(const struct move *m, uint64_t at)
{
    return m->mapped ? m->mapped + at : m->chunks->data + at % AHEAD_BYTES;
}

static void begin_chunk(struct move *m)
{
    int i = (int)(m->begun / CHUNK_BYTES % DEPTH);
    uint64_t n = next_bytes(m, m->begun, CHUNK_BYTES);
    char *chunk = chunk_at(m, m->begun);
    int rc;
    if (m->send) {
        csp_ghost_data_touch(m->send, 0, chunk, m->begun, n);
        rc = csp_mpi.Isend(chunk, (int)n, MPI_BYTE, m->peer, m->tag, csp_rt.ghost_comm,
                           &m->requests[i]);
    } else {
        rc = csp_mpi.Irecv(chunk, (int)n, MPI_BYTE, m->peer, m->tag, csp_rt.ghost_comm,
                           &m->requests[i]);
    }
    if (rc != MPI_SUCCESS)
        csp_am_failed("the data of a message", rc);
    m->begun += n;
}

static MPI_Request *oldest(struct move *m)
{
    return &m->requests[m->done / CHUNK_BYTES % DEPTH];
}

// The oldest chunk. @return 1 if it is through.
static int end_chunk(struct move *m)
{
    if (*oldest(m) != MPI_REQUEST_NULL)
        return 0;
    uint64_t n = next_bytes(m, m->done, CHUNK_BYTES);
    if (m->recv)
        csp_ghost_data_touch(m->recv, 1, chunk_at(m, m->done), m->done, n);
    m->done += n;
    return 1;
}

// @return 1 if something moved.
static int move_on(struct move *m)
{
    int moved = m->done < m->begun && end_chunk(m);
    if (m->begun < m->bytes && m->begun - m->done < AHEAD_BYTES) {
        begin_chunk(m);
        moved = 1;
    }
    return moved;
}

static void end_move(struct move *m)
{
    if (m->recv)
        slots_used &= ~(UINT32_C(1) << (m->tag - FIRST_TAG));
    csp_ghost_cell_done(m->recv ? m->recv : m->send);
    if (m->chunks)
        csp_bufs_give(&rooms, &m->chunks->buf);
    free(m);
}

static int turn(struct queue *q, struct load *l)
{
    int moved = 0;
    for (struct move **at = &q->first; *at;) {
        struct move *m = *at;
        moved |= move_on(m);
        if (m->done < m->bytes) {
            at = &m->next;
            continue;
        }
        *at = m->next;
        if (!*at)
            q->last = at;
        l->count--;
        l->bytes -= next_bytes(m, 0, AHEAD_BYTES);
        end_move(m);
    }
    return moved;
}

static void poll(const struct queue *q, struct csp_ghost_poll *p)
{
    for (struct move *m = q->first; m; m = m->next)
        if (m->done < m->begun)
            csp_ghost_poll_add(p, oldest(m));
}

void csp_ghost_data_poll(struct csp_ghost_poll *p)
{
    poll(&in_active, p);
    poll(&out_active, p);
}

int csp_ghost_data_turn(void)
{
    int moved = copy_turn();
    while (can_begin(&in_waiting, &in_load))
        accept(take_first(&in_waiting));
    while (can_begin(&out_waiting, &out_load))
        activate(&out_active, &out_load, take_first(&out_waiting));
    moved |= turn(&in_active, &in_load);
    return moved | turn(&out_active, &out_load);
}

void csp_ghost_data_stop(void)
{
    csp_bufs_free(&rooms);
}

int csp_ghost_data_idle(void)
{
    return !copies.first && !in_waiting.first && !in_active.first && !out_waiting.first &&
           !out_active.first;
}
