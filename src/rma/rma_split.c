// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// An operation is taken apart by elements; what lies in one piece stays in one. For each side and executor, a count of the
// elements' type if they lie in one piece, else a derived datatype.
#include "rma/rma_split.h"

#include <limits.h>
#include <stdlib.h>
#include "rma/rma_bind.h"
#include "rma/rma_direct.h"
#include "rma/rma_ghost.h"
#include "rma/rma_request.h"

// Elements of one side that go to one ghost.
struct runs {
    int *lengths;      // in elements
    MPI_Aint *offsets; // bytes from the side's address
    int n, room;
};

enum { TARGET, ORIGIN, RESULT, SIDES };

struct part {
    struct runs side[SIDES];
    MPI_Aint bytes; // of data at the target
};

struct split {
    struct csp_side side[SIDES];
    struct csp_layout_cursor cursor[SIDES];
    int has[SIDES];
    struct csp_type basic; // of the elements
    MPI_Datatype basic_type;
    struct part *parts; // [gidx]; one for all if a single executor is given
    int first, n;       // executors
};

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int make_room(struct runs *r)
{
    if (r->n < r->room)
        return MPI_SUCCESS;
    int room = r->room ? 2 * r->room : 16;
    int *lengths = realloc(r->lengths, (size_t)room * sizeof(*lengths));
    if (lengths)
        r->lengths = lengths;
    MPI_Aint *offsets = realloc(r->offsets, (size_t)room * sizeof(*offsets));
    if (offsets)
        r->offsets = offsets;
    if (!lengths || !offsets)
        return MPI_ERR_NO_MEM;
    r->room = room;
    return MPI_SUCCESS;
}

// Adds `count` elements that lie one behind the other.
static int push(struct runs *r, int64_t off, int64_t count, int64_t extent)
{
    int rc = MPI_SUCCESS;
    if (r->n > 0 && off == r->offsets[r->n - 1] + r->lengths[r->n - 1] * extent) {
        int64_t more = least(count, INT_MAX - r->lengths[r->n - 1]);
        r->lengths[r->n - 1] += (int)more;
        off += more * extent;
        count -= more;
    }
    while (count > 0 && (rc = make_room(r)) == MPI_SUCCESS) {
        int64_t most = least(count, INT_MAX); // the library's lengths are of that size
        r->lengths[r->n] = (int)most;
        r->offsets[r->n++] = (MPI_Aint)off;
        off += most * extent;
        count -= most;
    }
    return rc;
}

// The next elements of a side that lie one behind the other, of `most` bytes of data at most. @return how many.
static int64_t next_elements(struct csp_layout_cursor *c, const struct csp_type *basic,
                             int64_t most, int64_t *first)
{
    int64_t off, have;
    if (basic->size == basic->extent)
        return csp_layout_next(c, most, first) / basic->size;
    have = csp_layout_next(c, basic->size, first);
    while (have < basic->size) // a pair with a gap
        have += csp_layout_next(c, basic->size - have, &off);
    return 1;
}

static int start_side(struct split *s, int i, const void *addr, csp_count_t count,
                      MPI_Datatype type)
{
    int rc = csp_side_get(addr, count, type, &s->side[i]);
    if (rc == MPI_SUCCESS &&
        csp_layout_begin(&s->cursor[i], s->side[i].info.layout, 0, count) != CSP_OK)
        rc = MPI_ERR_COUNT;
    s->has[i] = rc == MPI_SUCCESS;
    return rc;
}

// Those of the basic type. An operation that only moves data may have different ones on its sides: it is taken apart by
// bytes.
static int find_elements(struct split *s)
{
    s->basic_type = s->side[TARGET].info.basic;
    for (int i = TARGET; i < SIDES; i++)
        if (s->has[i] && !csp_type_alike(s->basic_type, s->side[i].info.basic))
            s->basic_type = MPI_BYTE;
    return csp_type_get(s->basic_type, &s->basic);
}

static int start(struct split *s, const struct csp_op *op)
{
    int rc = start_side(s, TARGET, NULL, op->target_count, op->target_type);
    if (rc == MPI_SUCCESS && op->op != MPI_NO_OP)
        rc = start_side(s, ORIGIN, op->origin, op->origin_count, op->origin_type);
    if (rc == MPI_SUCCESS && op->kind == CSP_OP_GET_ACC)
        rc = start_side(s, RESULT, op->result, op->result_count, op->result_type);
    return rc == MPI_SUCCESS ? find_elements(s) : rc;
}

static int64_t whole_elements(const struct split *s, int side)
{
    return csp_layout_left(&s->cursor[side]) / s->basic.size * s->basic.size;
}

// As many elements of a side as there are in `bytes`, to a part.
static int give(struct split *s, int side, struct part *p, int64_t bytes)
{
    int rc = MPI_SUCCESS;
    while (bytes > 0 && rc == MPI_SUCCESS) {
        int64_t off, count = next_elements(&s->cursor[side], &s->basic, bytes, &off);
        rc = push(&p->side[side], off, count, s->basic.extent);
        bytes -= count * s->basic.size;
    }
    return rc;
}

// How many of some elements at the target start in the segment of the first one, and which part has that.
static int64_t in_segment(struct split *s, const struct csp_win *w, const struct csp_op *op,
                          MPI_Aint at, int64_t count, struct part **part)
{
    *part = s->parts;
    if (s->n == 1)
        return count;
    *part += csp_bind_segment(w, op->target, at) - s->first;
    int64_t room = csp_bind_segment_end(w, op->target, at) - at;
    return least(count, (room + s->basic.extent - 1) / s->basic.extent);
}

// Elements at the target that lie one behind the other, and theirs of the other sides.
static int deal_run(struct split *s, const struct csp_win *w, const struct csp_op *op, MPI_Aint at,
                    int64_t off, int64_t count)
{
    int rc = MPI_SUCCESS;
    while (count > 0 && rc == MPI_SUCCESS) {
        struct part *p;
        int64_t n = in_segment(s, w, op, at + (MPI_Aint)off, count, &p);
        int64_t bytes = n * s->basic.size;
        p->bytes += (MPI_Aint)bytes;
        rc = push(&p->side[TARGET], off, n, s->basic.extent);
        for (int i = ORIGIN; i < SIDES && rc == MPI_SUCCESS; i++)
            if (s->has[i])
                rc = give(s, i, p, bytes);
        off += n * s->basic.extent;
        count -= n;
    }
    return rc;
}

static int deal_out(struct split *s, const struct csp_win *w, const struct csp_op *op, MPI_Aint at)
{
    int rc = MPI_SUCCESS;
    int64_t left = whole_elements(s, TARGET);
    if (s->has[ORIGIN]) // whose data may be shorter than the target's
        left = least(left, whole_elements(s, ORIGIN));
    while (left > 0 && rc == MPI_SUCCESS) {
        int64_t off, count = next_elements(&s->cursor[TARGET], &s->basic, left, &off);
        rc = deal_run(s, w, op, at, off, count);
        left -= count * s->basic.size;
    }
    return rc;
}

// One side of a part, as an operation has it.
struct given {
    csp_count_t count;
    MPI_Datatype type;
    MPI_Aint off; // from the side's address
    int is_made;  // `type` is to be freed
};

static int describe(const struct split *s, const struct runs *r, struct given *g)
{
    *g = (struct given){.count = 1};
    if (r->n == 1) {
        *g = (struct given){r->lengths[0], s->basic_type, r->offsets[0], 0};
        return MPI_SUCCESS;
    }
    int rc = csp_mpi.Type_create_hindexed(r->n, r->lengths, r->offsets, s->basic_type, &g->type);
    g->is_made = rc == MPI_SUCCESS;
    return g->is_made ? csp_mpi.Type_commit(&g->type) : rc;
}

static int issue_part(struct csp_win *w, int ghost, const struct split *s, const struct part *p,
                      const struct csp_op *op, MPI_Aint at)
{
    struct csp_op part = *op;
    struct given side[SIDES] = {{0}};
    int rc = MPI_SUCCESS;
    for (int i = 0; i < SIDES && rc == MPI_SUCCESS; i++)
        if (s->has[i])
            rc = describe(s, &p->side[i], &side[i]);
    part.request = NULL;
    part.target_count = side[TARGET].count;
    part.target_type = side[TARGET].type;
    if (s->has[ORIGIN]) {
        part.origin = (const char *)op->origin + side[ORIGIN].off;
        part.origin_count = side[ORIGIN].count;
        part.origin_type = side[ORIGIN].type;
    }
    if (s->has[RESULT]) {
        part.result = (char *)op->result + side[RESULT].off;
        part.result_count = side[RESULT].count;
        part.result_type = side[RESULT].type;
    }
    if (rc == MPI_SUCCESS)
        rc = csp_ghost_issue(w, ghost, &part, at + side[TARGET].off, p->bytes);
    for (int i = 0; i < SIDES; i++)
        if (side[i].is_made)
            csp_mpi.Type_free(&side[i].type);
    return rc;
}

int csp_split_issue(struct csp_win *w, const struct csp_op *op, MPI_Aint at, int executor)
{
    int one = executor >= 0, ng = csp_rt.topo->ng;
    struct split s = {.first = one ? executor : w->peers[op->target].node * ng, .n = one ? 1 : ng};
    s.parts = calloc((size_t)s.n, sizeof(*s.parts));
    int rc = s.parts ? start(&s, op) : MPI_ERR_NO_MEM;
    if (rc == MPI_SUCCESS)
        rc = deal_out(&s, w, op, at);
    for (int g = 0; s.parts && g < s.n; g++) {
        if (rc == MPI_SUCCESS && s.parts[g].side[TARGET].n > 0)
            rc = issue_part(w, s.first + g, &s, &s.parts[g], op, at);
        for (int i = 0; i < SIDES; i++) {
            free(s.parts[g].side[i].lengths);
            free(s.parts[g].side[i].offsets);
        }
    }
    free(s.parts);
    if (rc == MPI_SUCCESS && op->request)
        csp_request_local(w, s.first, s.n, op->request);
    return rc;
}
