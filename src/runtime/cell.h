// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// A send, receive or probe of a user on its way through its ghost: a cell in the node's segment. The user
// fills it and puts its offset into its ring; then it is the ghosts' until one of them says DONE. Ladder:
// docs/design/twosided.md.
#ifndef CSP_RUNTIME_CELL_H
#define CSP_RUNTIME_CELL_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include "runtime/rt.h"
#include "runtime/vm.h"
#include "shm/ring.h"

enum csp_cell_kind {
    CSP_CELL_SEND,
    CSP_CELL_RECV,
    CSP_CELL_PROBE,      // is there a message? its envelope and size
    CSP_CELL_MPROBE,     // the same, and it is taken out of matching; `message` names it
    CSP_CELL_MRECV,      // receives `message`
    CSP_CELL_CANCEL,     // of the receive whose cell is at `other_off`
    CSP_CELL_UNATTENDED, // the data of that receive go to `addr` with this layout, not behind the cell
};

enum csp_cell_flag {
    CSP_CELL_SYNC = 1,    // SEND: not done before a receive has matched
    CSP_CELL_PAYLOAD = 2, // SEND: the data are behind the cell, packed
    CSP_CELL_WAITS = 4,   // PROBE, MPROBE: not done before there is a message
};

enum csp_cell_state { CSP_CELL_FREE, CSP_CELL_POSTED, CSP_CELL_DONE };

// Of a message inside the node: its user may copy the data itself.
enum csp_cell_copy {
    CSP_CELL_NO_COPY,
    CSP_CELL_OFFERED, // the ghost's word; it may take it back,
    CSP_CELL_TAKEN,   // but not from here on: the user's,
    CSP_CELL_COPIED,  // and so is this,
    CSP_CELL_REFUSED, // or this: it can not reach the other one's memory
};

struct csp_cell {
    // The question; the user's until it is posted. What most messages need is in its first cache line.
    _Alignas(64) uint64_t context; // of the communicator
    int32_t rank;                  // SEND: of the sender; others: the wanted source, or any
    int32_t tag;                   // likewise
    int32_t wrank;                 // SEND: the destination
    int32_t lrank;                 // of the user
    uint16_t kind, flags;          // enum csp_cell_kind, csp_cell_flag
    uint32_t room;                 // bytes behind the cell
    uint32_t answer_room;          // RECV, MRECV: those of them that received data may take
    uint64_t bytes;                // SEND: of the message; RECV, MRECV: that the buffer takes
    uint64_t mapped_off;           // where `addr` is in the node's segment; 0: elsewhere
    uint64_t addr;                 // of displacement 0 in the user's memory
    int64_t count;                 // elements of the layout
    uint64_t layout_off;           // in the node's segment; 0: one run
    union {
        uint64_t other_off;
        uint64_t message; // MRECV: as MPROBE answered it
    };
    _Atomic uint32_t copy; // enum csp_cell_copy, from post to DONE
    uint64_t copy_off;     // the other side's cell, if it is OFFERED
    // The answer; valid when `state` is DONE.
    _Alignas(64) _Atomic uint32_t state;
    int32_t error;            // MPI error class
    int32_t source, got_tag;  // of the message
    uint64_t got_bytes;       // of data that were received, or that wait
    uint16_t found;           // PROBE, MPROBE: there is a message; UNATTENDED: it still waits
    uint16_t cancelled;       // RECV
    _Atomic uint32_t awaited; // the user's, from post to DONE: ring its bell then, it may be asleep
    uint64_t message_got;     // MPROBE
    uint64_t ghost_private;   // the ghost's, from post to DONE
    uint64_t next_private;    // the user's
    uint64_t copy_private;    // likewise: packed data in its memory, to be freed with the cell
    _Alignas(64) char payload[];
};

_Static_assert(offsetof(struct csp_cell, count) == 64, "what most messages need is one cache line");
_Static_assert(sizeof(struct csp_cell) == 192, "the answer is one cache line, too");

static inline void *csp_cell_memory(uint64_t off)
{
    return (void *)((uintptr_t)csp_rt.pool.base + off); // NOLINT: into the segment
}

static inline struct csp_cell *csp_cell_at(uint64_t off)
{
    return csp_cell_memory(off);
}

static inline uint64_t csp_cell_off(const struct csp_cell *c)
{
    return (uint64_t)((const char *)c - (const char *)csp_rt.pool.base);
}

/** Its packed data, if they are behind it, else NULL. RECV, MRECV: where they go, once `got_bytes` is known. */
static inline char *csp_cell_payload(struct csp_cell *c)
{
    int here =
        c->kind == CSP_CELL_SEND ? c->flags & CSP_CELL_PAYLOAD : c->got_bytes <= c->answer_room;
    return here ? c->payload : NULL;
}

/** Likewise where every process of the node can touch them, else NULL. */
static inline char *csp_cell_data(struct csp_cell *c)
{
    char *payload = csp_cell_payload(c);
    return payload || !c->mapped_off ? payload : csp_cell_memory(c->mapped_off);
}

/** Its data in the user's memory. */
static inline struct csp_vm_side csp_cell_side(const struct csp_cell *c)
{
    struct csp_vm_side s = {.addr = c->addr, .count = (int64_t)c->bytes};
    if (c->layout_off) {
        s.layout = csp_cell_memory(c->layout_off);
        s.count = c->count;
    }
    return s;
}

/** Whether a ghost is done with it: from then on it is the user's again. */
static inline int csp_cell_done(const struct csp_cell *c)
{
    /* acquire: pairs with the release in the ghost's answer */
    return atomic_load_explicit(&c->state, memory_order_acquire) == CSP_CELL_DONE;
}

/** The user is about to wait until it is done. Before csp_bell_seen, or the ring is missed. */
static inline void csp_cell_await(struct csp_cell *c)
{
    atomic_store_explicit(&c->awaited, 1, memory_order_relaxed);
}

/** Nor does it wait any more, or its user would be rung, and large data offered to it, while it computes. */
static inline void csp_cell_unawait(struct csp_cell *c)
{
    atomic_store_explicit(&c->awaited, 0, memory_order_relaxed);
}

#endif
