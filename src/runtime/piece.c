// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "runtime/piece.h"

#include <stdlib.h>
#include <string.h>
#include "base/copy.h"
#include "runtime/node.h"
#include "runtime/reduce.h"
#include "runtime/rt.h"
#include "runtime/vm.h"

#ifdef OPEN_MPI // handles are addresses; their Fortran numbers are not
uint64_t csp_wire_type(MPI_Datatype type)
{
    return (uint64_t)csp_mpi.Type_c2f(type);
}

uint64_t csp_wire_op(MPI_Op op)
{
    return (uint64_t)csp_mpi.Op_c2f(op);
}

MPI_Datatype csp_wire_to_type(uint64_t wire)
{
    return csp_mpi.Type_f2c((MPI_Fint)wire);
}

MPI_Op csp_wire_to_op(uint64_t wire)
{
    return csp_mpi.Op_f2c((MPI_Fint)wire);
}
#else // constants
uint64_t csp_wire_type(MPI_Datatype type)
{
    return (uint64_t)(uintptr_t)type;
}

uint64_t csp_wire_op(MPI_Op op)
{
    return (uint64_t)(uintptr_t)op;
}

MPI_Datatype csp_wire_to_type(uint64_t wire)
{
    return (MPI_Datatype)(uintptr_t)wire; // NOLINT
}

MPI_Op csp_wire_to_op(uint64_t wire)
{
    return (MPI_Op)(uintptr_t)wire; // NOLINT
}
#endif

static const struct csp_layout *layout_of(const struct csp_piece *p)
{
    return p->layout_bytes ? (const struct csp_layout *)(p + 1) : NULL;
}

enum csp_status csp_piece_check(const struct csp_piece *p, size_t bytes)
{
    if (bytes < sizeof(*p) || p->bytes > CSP_PIECE_BYTES || p->layout_bytes > CSP_PIECE_LAYOUT ||
        p->kind >= CSP_OP_KINDS || p->elem.size == 0 || p->elem.size > CSP_REDUCE_RUN ||
        p->lrank < csp_rt.page->ng || p->lrank >= csp_rt.page->nprocs ||
        (p->flags & CSP_PIECE_MORE ? csp_piece_size(p) >= bytes : csp_piece_size(p) != bytes))
        return CSP_ERR_ARG;
    return p->layout_bytes ? csp_layout_check(layout_of(p), p->layout_bytes) : CSP_OK;
}

enum csp_status csp_piece_check_place(const struct csp_piece *p, uint64_t bytes)
{
    int64_t at = (int64_t)p->addr, lo, hi;
    if (p->layout_bytes) {
        if (csp_layout_range(layout_of(p), at, p->count, &lo, &hi) != CSP_OK)
            return CSP_ERR_ARG;
    } else if (__builtin_add_overflow(at, p->first, &lo) ||
               __builtin_add_overflow(lo, (int64_t)p->bytes, &hi)) {
        return CSP_ERR_ARG;
    }
    return lo >= 0 && hi >= lo && (uint64_t)hi <= bytes ? CSP_OK : CSP_ERR_ARG;
}

static enum csp_status move_mapped(const struct csp_piece *p, char *base, char *flat, int write)
{
    struct csp_layout_cursor c;
    char *at = base + (int64_t)p->addr;
    if (!p->layout_bytes) {
        at += p->first;
        csp_copy_bytes(write ? at : flat, write ? flat : at, p->bytes);
        return CSP_OK;
    }
    enum csp_status s = csp_layout_begin(&c, layout_of(p), 0, p->count);
    if (s != CSP_OK)
        return s;
    csp_layout_seek(&c, p->first);
    if (write)
        csp_layout_unpack(&c, at, flat, p->bytes);
    else
        csp_layout_pack(&c, at, flat, p->bytes);
    return CSP_OK;
}

// The piece's part of the target's memory, to or from `flat`.
static enum csp_status move(const struct csp_piece *p, char *base, char *flat, int write)
{
    if (base)
        return move_mapped(p, base, flat, write);
    struct csp_vm_side mine = {.addr = (uint64_t)(uintptr_t)flat, .count = p->bytes};
    struct csp_vm_side theirs = {p->addr, layout_of(p), p->count};
    return csp_vm_copy(p->lrank, write, &mine, 0, &theirs, p->first, p->bytes);
}

char *csp_piece_room_for(struct csp_piece_room *room, size_t bytes)
{
    if (bytes <= room->bytes)
        return room->mem;
    free(room->mem);
    room->mem = malloc(bytes);
    room->bytes = room->mem ? bytes : 0;
    return room->mem;
}

static enum csp_status write_flat(const struct csp_piece *p, char *base, const char *flat)
{
    return move(p, base, (char *)(uintptr_t)flat, 1);
}

// Packed elements to elements with their gaps, or back.
static void spread(const struct csp_piece_elem *e, size_t n, char *spaced, char *packed, int pack)
{
    for (size_t i = 0; i < n; i++, spaced += e->extent, packed += e->size) {
        char *tail = spaced + e->tail_off;
        memcpy(pack ? packed : spaced, pack ? spaced : packed, e->head);
        memcpy(pack ? packed + e->head : tail, pack ? tail : packed + e->head,
               (size_t)(e->size - e->head));
    }
}

// Whether an accumulate computes: else it only copies.
static int computes(const struct csp_piece *p)
{
    MPI_Op op = csp_wire_to_op(p->op);
    return op != MPI_REPLACE && op != MPI_NO_OP;
}

// now := now op given. `spaced`: room for the elements of both with their gaps, if they have some.
static enum csp_status compute(const struct csp_piece *p, const char *given, char *now,
                               char *spaced)
{
    const struct csp_piece_elem *e = &p->elem;
    size_t n = p->bytes / e->size;
    const char *in = given;
    char *inout = now;
    if (e->extent != e->size) {
        in = spaced;
        inout = spaced + n * e->extent;
        spread(e, n, spaced, (char *)(uintptr_t)given, 0);
        spread(e, n, inout, now, 0);
    }
    if (csp_reduce(in, inout, (int)n, csp_wire_to_type(p->type), csp_wire_to_op(p->op)) !=
        MPI_SUCCESS)
        return CSP_ERR_MPI;
    if (inout != now)
        spread(e, n, inout, now, 1);
    return CSP_OK;
}

// ACC, GET_ACC and FOP on elements without gaps in themselves, in memory that is mapped here.
static enum csp_status accumulate_in_place(const struct csp_piece *p, char *base, const char *given,
                                           char *reply)
{
    MPI_Datatype type = csp_wire_to_type(p->type);
    MPI_Op op = csp_wire_to_op(p->op);
    char *at = base + (int64_t)p->addr, *in = (char *)(uintptr_t)given;
    int rc;
    if (p->layout_bytes) {
        struct csp_reduce_sides s = {
            .in.addr = in, .inout = {at, layout_of(p), p->count, p->first}, .was.addr = reply};
        rc = csp_reduce_sides(&s, p->bytes, p->elem.size, type, op);
    } else {
        struct csp_reduction r = {
            .in = in, .inout = at + p->first, .was = reply, .bytes = p->bytes};
        rc = csp_reduce_fetch(&r, p->elem.size, type, op);
    }
    return rc == MPI_SUCCESS ? CSP_OK : CSP_ERR_MPI;
}

// The same anywhere else.
static enum csp_status accumulate(const struct csp_piece *p, char *base, const char *given,
                                  char *reply, struct csp_piece_room *room)
{
    MPI_Op op = csp_wire_to_op(p->op);
    size_t now_bytes = (p->bytes + CSP_PIECE_ALIGN - 1) / CSP_PIECE_ALIGN * CSP_PIECE_ALIGN;
    size_t gaps =
        p->elem.extent != p->elem.size ? 2 * (p->bytes / p->elem.size) * p->elem.extent : 0;
    char *now = csp_piece_room_for(room, now_bytes + gaps);
    if (!now)
        return CSP_ERR_NOMEM;
    enum csp_status s = CSP_OK;
    if (reply || computes(p))
        s = move(p, base, reply ? reply : now, 0);
    if (s != CSP_OK || op == MPI_NO_OP)
        return s;
    if (op == MPI_REPLACE)
        return write_flat(p, base, given);
    if (reply)
        memcpy(now, reply, p->bytes);
    s = compute(p, given, now, now + now_bytes);
    return s == CSP_OK ? write_flat(p, base, now) : s;
}

// The payload is the value to compare with and the new one.
static enum csp_status compare_and_swap(const struct csp_piece *p, char *base, const char *given,
                                        char *reply)
{
    enum csp_status s = move(p, base, reply, 0);
    if (s != CSP_OK || memcmp(reply, given, p->bytes) != 0)
        return s;
    return write_flat(p, base, given + p->bytes);
}

enum csp_status csp_piece_exec(const struct csp_piece *p, const char *given, char *base,
                               char *reply, struct csp_piece_room *room)
{
    int spaced = p->elem.extent != p->elem.size;
    switch (p->kind) {
    case CSP_OP_PUT:
        return write_flat(p, base, given);
    case CSP_OP_GET:
        return move(p, base, reply, 0);
    case CSP_OP_CAS:
        return compare_and_swap(p, base, given, reply);
    default:
        if (base && !spaced)
            return accumulate_in_place(p, base, given, reply);
        return accumulate(p, base, given, reply, room);
    }
}

int csp_piece_error(enum csp_status s)
{
    switch (s) {
    case CSP_OK:
        return MPI_SUCCESS;
    case CSP_ERR_ARG:
        return MPI_ERR_RMA_RANGE;
    case CSP_ERR_NOMEM:
        return MPI_ERR_NO_MEM;
    default:
        return MPI_ERR_OTHER;
    }
}
