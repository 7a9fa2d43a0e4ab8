// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// An operation is taken apart element by element: a derived datatype for each side and executor.
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
    MPI_Datatype type[SIDES];
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

static int push(struct runs *r, MPI_Aint off, MPI_Aint extent)
{
    if (r->n > 0 && r->lengths[r->n - 1] < INT_MAX && // lengths of the library's are of that size
        off == r->offsets[r->n - 1] + r->lengths[r->n - 1] * extent) {
        r->lengths[r->n - 1]++;
        return MPI_SUCCESS;
    }
    if (r->n == r->room) {
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
    }
    r->lengths[r->n] = 1;
    r->offsets[r->n++] = off;
    return MPI_SUCCESS;
}

// The next element of a side. @return where it starts.
static MPI_Aint next_element(struct csp_layout_cursor *c, MPI_Aint size)
{
    int64_t first, off;
    int64_t have = csp_layout_next(c, size, &first);
    while (have < size) // a pair with a gap
        have += csp_layout_next(c, size - have, &off);
    return (MPI_Aint)first;
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

// The origin's data may be shorter than the target's.
static int has_more(const struct split *s)
{
    return csp_layout_left(&s->cursor[TARGET]) > 0 &&
           (!s->has[ORIGIN] || csp_layout_left(&s->cursor[ORIGIN]) >= s->basic.size);
}

static int deal_out(struct split *s, const struct csp_win *w, const struct csp_op *op, MPI_Aint at)
{
    int rc = MPI_SUCCESS;
    while (rc == MPI_SUCCESS && has_more(s)) {
        MPI_Aint off = next_element(&s->cursor[TARGET], s->basic.size);
        int g = s->n == 1 ? 0 : csp_bind_segment(w, op->target, at + off) - s->first;
        struct part *p = &s->parts[g];
        rc = push(&p->side[TARGET], off, s->basic.extent);
        for (int i = ORIGIN; i < SIDES && rc == MPI_SUCCESS; i++)
            if (s->has[i])
                rc = push(&p->side[i], next_element(&s->cursor[i], s->basic.size), s->basic.extent);
    }
    return rc;
}

static int make_types(const struct split *s, struct part *p)
{
    int rc = MPI_SUCCESS;
    for (int i = 0; i < SIDES; i++)
        p->type[i] = MPI_DATATYPE_NULL;
    for (int i = 0; i < SIDES && rc == MPI_SUCCESS; i++) {
        const struct runs *r = &p->side[i];
        if (!s->has[i])
            continue;
        rc = csp_mpi.Type_create_hindexed(r->n, r->lengths, r->offsets, s->basic_type, &p->type[i]);
        if (rc == MPI_SUCCESS)
            rc = csp_mpi.Type_commit(&p->type[i]);
    }
    return rc;
}

static int issue_part(struct csp_win *w, int ghost, const struct split *s, struct part *p,
                      const struct csp_op *op, MPI_Aint at)
{
    struct csp_op part = *op;
    int rc = make_types(s, p);
    part.request = NULL;
    part.target_count = 1;
    part.target_type = p->type[TARGET];
    if (s->has[ORIGIN]) {
        part.origin_count = 1;
        part.origin_type = p->type[ORIGIN];
    }
    if (s->has[RESULT]) {
        part.result_count = 1;
        part.result_type = p->type[RESULT];
    }
    if (rc == MPI_SUCCESS)
        rc = csp_ghost_issue(w, ghost, &part, at, csp_side_bytes(&s->side[TARGET]));
    for (int i = 0; i < SIDES; i++)
        if (p->type[i] != MPI_DATATYPE_NULL)
            csp_mpi.Type_free(&p->type[i]);
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
