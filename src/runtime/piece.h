// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Software route: a piece of an RMA operation that the target's ghost executes itself, as it travels from the
// origin to it, and its execution: on memory that it maps, or on a process's own by the system. Ladder and limits: docs/design/software.md.
#ifndef CSP_RUNTIME_PIECE_H
#define CSP_RUNTIME_PIECE_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include "base/status.h"
#include "runtime/stats.h"

enum {
    CSP_PIECE_BYTES = 512 << 10, // target data in one piece, at most
    CSP_PIECE_LAYOUT = 64 << 10, // bytes of the layout in one piece, at most
    CSP_PIECE_ALIGN = 16,        // of the payload in the message: as MPI_Reduce_local wants it
    CSP_PIECE_APART = 128 << 10, // bytes of a payload that is worth a message of its own
    CSP_PIECE_TAG = 2,           // on csp_rt.ctl, to a ghost
    CSP_PIECE_REPLY_TAG = 3,   // on csp_rt.ctl, from a ghost: what was there, or an MPI error code
    CSP_PIECE_PAYLOAD_TAG = 4, // on csp_rt.ctl, to a ghost: the payload of the piece before it
    CSP_PIECE_HEAD_TAG = 5,    // and more (csp_piece_head_tag): a piece without its payload
};

enum csp_piece_flag {
    CSP_PIECE_WANT_ACK = 1, // without a result: a reply with an MPI error code
    CSP_PIECE_MORE = 2 // another piece without a result follows in the message (csp_piece_step)
};

// Where the target's memory is; other numbers: the segment of the window with that id (csp_iwin).
enum csp_piece_seg {
    CSP_PIECE_PRIVATE, // in the target's process alone
    CSP_PIECE_POOL,    // in the node's pool segment
};

// How the elements that an operation computes with lie in memory: `size` bytes of data, with one gap
// (of a pair type such as MPI_DOUBLE_INT) behind the first `head` bytes and perhaps at the end.
struct csp_piece_elem {
    uint16_t size, extent, head, tail_off;
};

// The head of the message; the layout and the payload follow, or the payload comes in a message of its own.
struct csp_piece {
    uint64_t seg;  // enum csp_piece_seg, or an id
    uint64_t addr; // of displacement 0: address in the target's process, or offset in the segment
    uint64_t lock_off;     // of the target's csp_acc_lock in the pool segment; 0: none
    int64_t count;         // elements of the layout
    int64_t first;         // byte of the target's stream where this piece starts
    uint32_t bytes;        // target data in this piece
    uint32_t layout_bytes; // 0: the target data are one run
    uint32_t payload_bytes;
    uint32_t seq;   // of the first piece of a message: its number, from this origin to this ghost
    int32_t lrank;  // target: its rank on the ghost's node
    uint16_t kind;  // enum csp_op_kind
    uint16_t flags; // enum csp_piece_flag
    struct csp_piece_elem elem;
    uint64_t type, op; // csp_wire_type, csp_wire_op; ACC, GET_ACC, FOP
    uint64_t win;      // gid: whose operation it is, if it fails
};

/** Where something begins that comes behind `bytes` bytes in a message: the payload, the next piece. */
static inline size_t csp_piece_step(size_t bytes)
{
    return (bytes + CSP_PIECE_ALIGN - 1) / CSP_PIECE_ALIGN * CSP_PIECE_ALIGN;
}

/** Where the payload starts in a piece. */
static inline size_t csp_piece_payload_off(size_t layout_bytes)
{
    return csp_piece_step(sizeof(struct csp_piece) + layout_bytes);
}

/** Bytes of a whole piece. */
static inline size_t csp_piece_size(const struct csp_piece *p)
{
    return csp_piece_payload_off(p->layout_bytes) + p->payload_bytes;
}

/** The tag of a piece whose payload of `bytes` bytes, at least 1, comes after it in a message of its own. */
static inline int csp_piece_head_tag(uint32_t bytes)
{
    return CSP_PIECE_HEAD_TAG + (int)((bytes - 1) / CSP_PIECE_APART);
}

/** Room that such a payload needs; 0 for the tag of a whole piece. */
static inline int csp_piece_payload_room(int tag)
{
    return tag < CSP_PIECE_HEAD_TAG ? 0 : (tag - CSP_PIECE_HEAD_TAG + 1) * CSP_PIECE_APART;
}

/** Whether the origin gets back what was there. */
static inline int csp_piece_replies(unsigned kind)
{
    return kind != CSP_OP_PUT && kind != CSP_OP_ACC;
}

/** Handles of predefined types and operations as numbers that are the same in all processes. */
uint64_t csp_wire_type(MPI_Datatype type);
uint64_t csp_wire_op(MPI_Op op);
MPI_Datatype csp_wire_to_type(uint64_t wire);
MPI_Op csp_wire_to_op(uint64_t wire);

/** Whether `bytes` bytes of a message are a whole piece, or, with MORE, begin with one; its layout is checked too. */
CSP_MUST_CHECK enum csp_status csp_piece_check(const struct csp_piece *p, size_t bytes);

/** Whether the target data of a piece on a segment lie in its `bytes` bytes. */
CSP_MUST_CHECK enum csp_status csp_piece_check_place(const struct csp_piece *p, uint64_t bytes);

// Memory for a computation, kept by whoever executes pieces; zeroed at first.
struct csp_piece_room {
    char *mem;
    size_t bytes;
};

/** At least so many bytes, which may be others than the last ones; NULL: no memory. */
char *csp_piece_room_for(struct csp_piece_room *room, size_t bytes);

/** The payload of a piece that has it in its message. */
static inline char *csp_piece_payload(const struct csp_piece *p)
{
    return (char *)(uintptr_t)p + csp_piece_payload_off(p->layout_bytes);
}

/**
 * Executes a piece on a process of this node. Whoever calls it is the only one to execute
 * accumulates on that memory now. `given`: its payload. `base`: of the segment, here; NULL for a process's own memory. `reply`: p->bytes for what
 * was there; NULL if nobody asks.
 * @return CSP_OK; CSP_ERR_ARG: memory of the target that is not there; CSP_ERR_NOMEM, CSP_ERR_MPI.
 */
CSP_MUST_CHECK enum csp_status csp_piece_exec(const struct csp_piece *p, const char *given,
                                              char *base, char *reply, struct csp_piece_room *room);

/** The MPI error code of a status that csp_piece_exec or csp_vm_copy returned. */
int csp_piece_error(enum csp_status s);

#endif
