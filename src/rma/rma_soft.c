// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "rma/rma_soft.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "rma/rma_acc.h"
#include "rma/rma_bind.h"
#include "rma/rma_direct.h"
#include "rma/rma_flow.h"
#include "rma/rma_request.h"
#include "runtime/vm.h"

enum { RUNS = 2048 }; // of a layout that is cut down to one piece

// An operation on its way, piece by piece.
struct job {
    struct csp_win *w;
    const struct csp_op *op;
    const struct csp_peer *peer;
    int ghost;              // that executes it, if a ghost does
    struct csp_side given;  // what goes to the target; type MPI_DATATYPE_NULL: nothing
    struct csp_side result; // likewise, what comes back
    struct csp_vm_side target;
    int64_t cut;           // pieces end at multiples of it
    struct csp_piece head; // what is the same for all pieces
    int64_t bytes;
};

// How the elements of a type lie that an operation works on. Pair types have a gap. `computes`: the ghost must know the type,
// so it must have a name.
static int fill_elem(MPI_Datatype basic, int computes, struct csp_piece_elem *e)
{
    struct csp_type t;
    struct csp_layout_cursor c;
    int64_t off;
    int rc = csp_type_get(basic, &t);
    if (rc != MPI_SUCCESS)
        return rc;
    if (computes && t.record)
        return MPI_ERR_TYPE;
    *e = (struct csp_piece_elem){.size = (uint16_t)t.size, .extent = (uint16_t)t.extent};
    if (t.contig)
        return MPI_SUCCESS;
    if (csp_layout_begin(&c, t.layout, 0, 1) != CSP_OK)
        return MPI_ERR_TYPE;
    e->head = (uint16_t)csp_layout_next(&c, t.size, &off);
    if (csp_layout_next(&c, t.size, &off) > 0)
        e->tail_off = (uint16_t)off;
    return MPI_SUCCESS;
}

// Memory that ghosts map, and, of accumulates, the lock of the target: users of its node execute some, too.
static void fill_place(struct job *j)
{
    const struct csp_win *w = j->w;
    j->head.seg = w->iwin->id;
    if (j->op->kind <= CSP_OP_GET)
        return;
    uint64_t index = csp_acc_index(w, j->op->target);
    j->head.lock_off = w->node_offs[j->peer->node] + csp_wnode_peers_bytes(w->n) +
                       index * sizeof(struct csp_acc_lock);
}

// The sides of the origin.
static int fill_sides(struct job *j)
{
    const struct csp_op *op = j->op;
    int rc = MPI_SUCCESS, one = op->kind >= CSP_OP_FOP;
    j->given.type = j->result.type = MPI_DATATYPE_NULL;
    if (op->kind == CSP_OP_GET)
        return csp_side_get(op->origin, op->origin_count, op->origin_type, &j->result);
    int nothing = op->kind > CSP_OP_ACC && op->kind < CSP_OP_CAS && op->op == MPI_NO_OP;
    if (!nothing)
        rc = csp_side_get(op->origin, op->origin_count, op->origin_type, &j->given);
    if (rc == MPI_SUCCESS && op->kind >= CSP_OP_GET_ACC)
        rc = csp_side_get(op->result, one ? 1 : op->result_count,
                          one ? op->origin_type : op->result_type, &j->result);
    return rc;
}

static int fill_job(struct job *j, const struct csp_type *type, MPI_Datatype basic, MPI_Aint at)
{
    uint64_t addr = j->peer->off + (uint64_t)at;
    int rc = fill_sides(j), elements = j->op->kind > CSP_OP_GET;
    j->head = (struct csp_piece){.win = j->w->gid,
                                 .kind = (uint16_t)j->op->kind,
                                 .lrank = csp_topo_lrank_of_wrank(csp_rt.topo)[j->peer->wrank]};
    j->head.elem.size = j->head.elem.extent = 1;
    if (j->w->iwin)
        fill_place(j);
    if (j->op->kind > CSP_OP_GET && j->op->kind < CSP_OP_CAS)
        j->head.op = csp_wire_op(j->op->op);
    if (basic != MPI_DATATYPE_NULL)
        j->head.type = csp_wire_type(basic);
    if (rc == MPI_SUCCESS && elements && type->basic != MPI_DATATYPE_NULL)
        rc = fill_elem(type->basic, basic != MPI_DATATYPE_NULL, &j->head.elem);
    j->cut = type->size <= CSP_PIECE_BYTES ? type->size : j->head.elem.size;
    j->target = type->contig ? (struct csp_vm_side){addr, NULL, j->bytes}
                             : (struct csp_vm_side){addr, type->layout, csp_op_target_count(j->op)};
    if (rc == MPI_SUCCESS && j->result.type != MPI_DATATYPE_NULL &&
        csp_side_bytes(&j->result) < j->bytes)
        return MPI_ERR_TRUNCATE;
    if (rc != MPI_SUCCESS || j->given.type == MPI_DATATYPE_NULL)
        return rc;
    if (csp_side_bytes(&j->given) > j->bytes)
        return MPI_ERR_TRUNCATE;
    j->bytes = csp_side_bytes(&j->given);
    return MPI_SUCCESS;
}

static struct csp_vm_side vm_side(const struct csp_side *s)
{
    uint64_t addr = (uint64_t)(uintptr_t)s->addr;
    if (s->info.contig)
        return (struct csp_vm_side){addr, NULL, csp_side_bytes(s)};
    return (struct csp_vm_side){addr, s->info.layout, s->count};
}

// PUT and GET at another process of this node, complete on return.
static int copy_here(struct job *j)
{
    int put = j->op->kind == CSP_OP_PUT;
    struct csp_vm_side mine = vm_side(put ? &j->given : &j->result);
    return csp_piece_error(csp_vm_copy(j->head.lrank, put, &mine, 0, &j->target, 0, j->bytes));
}

// Bytes in `n` runs, of whole elements alone: the last one of a pair with a gap inside may lie in runs that found no
// room, and is taken off.
static uint32_t whole_elements(struct iovec *runs, int n, uint32_t wanted, uint32_t size)
{
    size_t bytes = 0, over;
    for (int i = 0; i < n; i++)
        bytes += runs[i].iov_len;
    over = bytes < wanted ? bytes % size : 0;
    bytes -= over;
    for (int i = n - 1; over > 0; i--) {
        size_t off = runs[i].iov_len < over ? runs[i].iov_len : over;
        runs[i].iov_len -= off;
        over -= off;
    }
    return (uint32_t)bytes;
}

// A layout that is too long for one piece: the runs of `*bytes` bytes of it, or of fewer.
static int cut_layout(const struct job *j, int64_t first, uint32_t *bytes, struct csp_layout **out)
{
    struct csp_layout_cursor c;
    struct csp_layout *byte;
    struct iovec *runs = malloc(RUNS * (sizeof(*runs) + 2 * sizeof(int64_t)));
    if (!runs || csp_layout_block(1, &byte) != CSP_OK) {
        free(runs);
        return MPI_ERR_NO_MEM;
    }
    int64_t *lens = (int64_t *)(runs + RUNS), *offs = lens + RUNS;
    enum csp_status s = csp_layout_begin(&c, j->target.layout, 0, j->target.count);
    if (s == CSP_OK) {
        csp_layout_seek(&c, first);
        int n = csp_layout_iov(&c, NULL, runs, RUNS, *bytes);
        *bytes = whole_elements(runs, n, *bytes, j->head.elem.size);
        for (int i = 0; i < n; i++) {
            lens[i] = (int64_t)runs[i].iov_len;
            offs[i] = (int64_t)(intptr_t)runs[i].iov_base;
        }
        s = csp_layout_hindexed(byte, n, lens, offs, out);
    }
    csp_layout_free(byte);
    free(runs);
    return csp_piece_error(s);
}

static void fill_payload(const struct job *j, const struct csp_piece *p, int64_t at)
{
    char *to = csp_piece_payload(p);
    if (p->kind == CSP_OP_CAS) {
        memcpy(to, j->op->compare, p->bytes);
        memcpy(to + p->bytes, j->op->origin, p->bytes);
    } else if (p->payload_bytes) {
        csp_side_pack(&j->given, at, to, p->payload_bytes);
    }
}

// Where the next piece lies: *head without its number; `layout`: of the target data, NULL if they are
// one run; `cut`: to be freed.
static int next_piece(const struct job *j, int64_t at, struct csp_piece *head,
                      const struct csp_layout **layout, struct csp_layout **cut)
{
    int64_t most = CSP_PIECE_BYTES / j->cut * j->cut;
    *head = j->head;
    *cut = NULL;
    *layout = j->target.layout;
    head->bytes = (uint32_t)(j->bytes - at < most ? j->bytes - at : most);
    head->addr = j->target.addr;
    head->count = j->target.count;
    head->first = at;
    if (*layout && csp_layout_bytes(*layout) > CSP_PIECE_LAYOUT) {
        int rc = cut_layout(j, at, &head->bytes, cut);
        if (rc != MPI_SUCCESS)
            return rc;
        *layout = *cut;
        head->count = 1;
        head->first = 0;
    }
    head->layout_bytes = *layout ? (uint32_t)csp_layout_bytes(*layout) : 0;
    if (head->kind == CSP_OP_CAS)
        head->payload_bytes = 2 * head->bytes;
    else if (j->given.type != MPI_DATATYPE_NULL)
        head->payload_bytes = head->bytes;
    return MPI_SUCCESS;
}

typedef int (*piece_fn)(struct job *j, int64_t at, const struct csp_piece *head,
                        const struct csp_layout *layout);

static int each_piece(struct job *j, piece_fn fn)
{
    int rc = MPI_SUCCESS;
    for (int64_t at = 0; at < j->bytes && rc == MPI_SUCCESS;) {
        struct csp_piece head;
        const struct csp_layout *layout;
        struct csp_layout *cut;
        rc = next_piece(j, at, &head, &layout, &cut);
        if (rc == MPI_SUCCESS)
            rc = fn(j, at, &head, layout);
        at += head.bytes;
        csp_layout_free(cut);
    }
    return rc;
}

static void write_head(const struct csp_piece *head, const struct csp_layout *layout,
                       struct csp_piece *p)
{
    *p = *head;
    if (layout)
        memcpy(p + 1, layout, head->layout_bytes);
}

// Where a long payload can leave from without a copy; NULL if it cannot. The request of an operation without a result is
// complete when the call returns.
static const char *payload_apart(const struct job *j, int64_t at, const struct csp_piece *head)
{
    int kept = !j->op->request || csp_piece_replies(head->kind);
    if (!kept || head->kind == CSP_OP_CAS || head->payload_bytes < CSP_PIECE_APART ||
        !j->given.info.contig)
        return NULL;
    return j->given.addr + at;
}

static int send_piece(struct job *j, int64_t at, const struct csp_piece *head,
                      const struct csp_layout *layout)
{
    int replies = csp_piece_replies(head->kind), ghost = j->ghost;
    const char *apart = payload_apart(j, at, head);
    struct csp_flow_data data = {replies ? &j->result : NULL, at, apart};
    struct csp_piece *p = csp_flow_begin(ghost, head, &data);
    write_head(head, layout, p);
    if (apart)
        csp_win_mark(j->w->soft_local, ghost);
    else
        fill_payload(j, p, at);
    csp_flow_send(ghost, p, &data);
    return MPI_SUCCESS;
}

// What an execution here needs.
struct workshop {
    struct csp_piece_room piece, compute;
};

// One is kept for the next execution: pages of fresh memory cost several times what is done with them. Threads that execute at the
// same time have their own.
static _Atomic(struct workshop *) kept;

static void workshop_free(struct workshop *s)
{
    if (!s)
        return;
    free(s->piece.mem);
    free(s->compute.mem);
    free(s);
}

static struct workshop *workshop_take(void)
{
    struct workshop *s = atomic_exchange_explicit(&kept, NULL, memory_order_acquire);
    return s ? s : calloc(1, sizeof(*s));
}

static void workshop_give(struct workshop *s)
{
    workshop_free(atomic_exchange_explicit(&kept, s, memory_order_acq_rel));
}

void csp_soft_stop(void)
{
    workshop_give(NULL);
}

// An accumulate at another process of this node, in a window of one node, under the target's lock. Data of the origin in one run
// stay where they are.
static int execute_in(struct workshop *s, struct job *j, int64_t at, const struct csp_piece *head,
                      const struct csp_layout *layout)
{
    int apart = j->given.info.contig && head->kind != CSP_OP_CAS;
    int returns = csp_piece_replies(head->kind), unpacks = returns && !j->result.info.contig;
    size_t bytes = csp_piece_payload_off(head->layout_bytes) + (apart ? 0 : head->payload_bytes);
    char *mem = csp_piece_room_for(&s->piece, bytes + (unpacks ? head->bytes : 0)), *reply = NULL;
    if (!mem)
        return MPI_ERR_NO_MEM;
    struct csp_piece *p = (struct csp_piece *)(void *)mem;
    write_head(head, layout, p);
    if (!apart)
        fill_payload(j, p, at);
    if (returns)
        reply = unpacks ? mem + bytes : j->result.addr + at;
    const char *given = apart ? j->given.addr + at : csp_piece_payload(p);
    csp_acc_lock(j->w, j->op->target);
    int rc = csp_piece_error(csp_piece_exec(p, given, NULL, reply, &s->compute));
    csp_acc_unlock(j->w, j->op->target);
    if (rc == MPI_SUCCESS && unpacks)
        csp_side_unpack(&j->result, at, reply, head->bytes);
    return rc;
}

static int execute_piece(struct job *j, int64_t at, const struct csp_piece *head,
                         const struct csp_layout *layout)
{
    struct workshop *s = workshop_take();
    int rc = s ? execute_in(s, j, at, head, layout) : MPI_ERR_NO_MEM;
    if (s)
        workshop_give(s);
    return rc;
}

// The request, if the program wants one.
static int finish(const struct job *j, int rc)
{
    if (rc != MPI_SUCCESS)
        return rc;
    if (!j->op->request || !csp_piece_replies(j->op->kind))
        return csp_op_finished(j->op);
    csp_request_results(j->w, j->ghost, j->op->request);
    return MPI_SUCCESS;
}

static int by_ghost(struct job *j)
{
    j->ghost = j->op->kind <= CSP_OP_GET ? csp_bind_spread(j->w, j->op->target, j->bytes)
                                         : j->peer->ghost_bit;
    int rc = each_piece(j, send_piece);
    csp_win_mark(j->w->soft, j->ghost);
    if (csp_piece_replies(j->op->kind))
        csp_win_mark(j->w->soft_local, j->ghost);
    return finish(j, rc);
}

int csp_soft_issue(struct csp_win *w, const struct csp_op *op, const struct csp_type *type,
                   MPI_Datatype basic, MPI_Aint at, MPI_Aint bytes, enum csp_route route)
{
    struct job j = {.w = w, .op = op, .peer = &w->peers[op->target], .bytes = bytes};
    int rc = fill_job(&j, type, basic, at);
    if (rc != MPI_SUCCESS)
        return rc;
    if (route != CSP_ROUTE_DIRECT)
        return by_ghost(&j);
    rc = op->kind <= CSP_OP_GET ? copy_here(&j) : each_piece(&j, execute_piece);
    return rc == MPI_SUCCESS ? csp_op_finished(op) : rc;
}

int csp_soft_ask(int ghost)
{
    int rc = MPI_SUCCESS;
    csp_flow_look(ghost, csp_flow_last(ghost, 0), 0, &rc);
    return rc;
}

int csp_soft_flush(struct csp_win *w, int ghost)
{
    return csp_flow_flush(w, ghost, 0);
}

int csp_soft_flush_local(struct csp_win *w, int ghost)
{
    return csp_flow_flush(w, ghost, 1);
}
