// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Each wrong argument of an operation raises the class of error that the standard has for it, on the window's
// own handler and at once, on every kind of window and route, and nothing is written. Argument "off": with
// CSP_CHECKS=off, where those remain that protect others.
#include "kinds.h"

enum { PUT, GET, ACC, GET_ACC, FOP, CAS, RPUT, RGET, OPS };

struct call {
    int rank;
    MPI_Aint disp;
    int count[2]; // origin and result, target
    MPI_Datatype type[2];
    MPI_Op op;
    void *origin, *result;
};

static double data[8], room[8];
static int checks = 1; // CSP_CHECKS

static int issue(int what, const struct call *c, MPI_Win win)
{
    MPI_Request req;
    int n = c->count[0], m = c->count[1], rc;
    switch (what) {
    case PUT:
        return MPI_Put(c->origin, n, c->type[0], c->rank, c->disp, m, c->type[1], win);
    case GET:
        return MPI_Get(c->origin, n, c->type[0], c->rank, c->disp, m, c->type[1], win);
    case ACC:
        return MPI_Accumulate(c->origin, n, c->type[0], c->rank, c->disp, m, c->type[1], c->op,
                              win);
    case GET_ACC:
        return MPI_Get_accumulate(c->origin, n, c->type[0], c->result, n, c->type[0], c->rank,
                                  c->disp, m, c->type[1], c->op, win);
    case FOP:
        return MPI_Fetch_and_op(c->origin, c->result, c->type[0], c->rank, c->disp, c->op, win);
    case CAS:
        return MPI_Compare_and_swap(c->origin, data, c->result, c->type[0], c->rank, c->disp, win);
    case RPUT:
        rc = MPI_Rput(c->origin, n, c->type[0], c->rank, c->disp, m, c->type[1], win, &req);
        break;
    default:
        rc = MPI_Rget(c->origin, n, c->type[0], c->rank, c->disp, m, c->type[1], win, &req);
    }
    return rc == MPI_SUCCESS ? MPI_Wait(&req, MPI_STATUS_IGNORE) : rc;
}

static struct call good(const struct kind_win *k, int rank)
{
    return (struct call){.rank = rank,
                         .disp = k->at[rank],
                         .count = {1, 1},
                         .type = {MPI_INT, MPI_INT},
                         .op = MPI_SUM,
                         .origin = data,
                         .result = room};
}

// Operations `first` to `last` with these arguments.
#define EXPECT(first, last, call, class)                                                           \
    for (int what = (first); what <= (last); what++)                                               \
    CHECK_CLASS(issue(what, &(call), k->win), class)

static void ranks(const struct kind_win *k, int target)
{
    struct call c = good(k, target);
    const int bad[] = {csp_test_size, -77, 1 << 30};
    for (int i = 0; i < 3; i++) {
        c.rank = bad[i];
        EXPECT(PUT, RGET, c, MPI_ERR_RANK);
    }
}

static void displacements(const struct kind_win *k, int target)
{
    struct call c = good(k, target);
    if (k->kind == KIND_DYNAMIC) // any address may be there
        return;
    c.disp = KIND_WORDS;
    EXPECT(PUT, RGET, c, MPI_ERR_RMA_RANGE);
    c.disp = 1 << 20;
    EXPECT(PUT, RGET, c, MPI_ERR_RMA_RANGE);
    c.disp = -1;
    EXPECT(PUT, RGET, c, MPI_ERR_DISP);
    c.disp = INTPTR_MAX / 2;
    EXPECT(PUT, RGET, c, MPI_ERR_DISP);
    c.disp = KIND_WORDS - 1;
    c.count[0] = c.count[1] = 2;
    EXPECT(PUT, GET_ACC, c, MPI_ERR_RMA_RANGE);
    EXPECT(RPUT, RGET, c, MPI_ERR_RMA_RANGE);
}

static void types(const struct kind_win *k, int target)
{
    MPI_Datatype loose;
    MPI_Type_contiguous(1, MPI_INT, &loose);
    const MPI_Datatype bad[] = {MPI_DATATYPE_NULL, loose};
    for (int i = 0; i < 4; i++) {
        struct call c = good(k, target);
        c.type[i / 2] = bad[i % 2];
        EXPECT(PUT, i / 2 ? GET_ACC : CAS, c, MPI_ERR_TYPE);
        EXPECT(RPUT, RGET, c, MPI_ERR_TYPE);
    }
    MPI_Type_free(&loose);
}

static void sizes(const struct kind_win *k, int target)
{
    struct call c = good(k, target);
    c.count[0] = 2;
    EXPECT(PUT, PUT, c, MPI_ERR_TRUNCATE);
    EXPECT(ACC, GET_ACC, c, MPI_ERR_TRUNCATE);
    EXPECT(RPUT, RPUT, c, MPI_ERR_TRUNCATE);
    c.count[0] = 1;
    c.count[1] = 2;
    EXPECT(GET, GET, c, MPI_ERR_TRUNCATE);
    EXPECT(GET_ACC, GET_ACC, c, MPI_ERR_TRUNCATE); // the result
    EXPECT(RGET, RGET, c, MPI_ERR_TRUNCATE);
}

static void counts(const struct kind_win *k, int target)
{
    int want = checks ? MPI_ERR_COUNT : MPI_SUCCESS; // or no data
    for (int i = 0; i < 2; i++) {
        struct call c = good(k, target);
        c.count[1] = -1;
        c.count[0] = i ? -1 : 1;
        EXPECT(PUT, GET_ACC, c, want);
        EXPECT(RPUT, RGET, c, want);
    }
}

static void no_op(void *in, void *inout, int *len, MPI_Datatype *type)
{
    (void)in, (void)inout, (void)len, (void)type;
}

static void operators(const struct kind_win *k, int target)
{
    struct call c = good(k, target);
    MPI_Op_create(no_op, 1, &c.op);
    EXPECT(ACC, FOP, c, MPI_ERR_OP);
    MPI_Op_free(&c.op);
    c.op = MPI_OP_NULL;
    EXPECT(ACC, FOP, c, MPI_ERR_OP);
    c.op = MPI_BAND;
    c.type[0] = c.type[1] = MPI_DOUBLE;
    EXPECT(ACC, FOP, c, MPI_ERR_OP);
    EXPECT(CAS, CAS, c, MPI_ERR_TYPE);
}

// Only where checks are on: without them they harm the program that made them.
static void own_harm(const struct kind_win *k, int target)
{
    struct call c = good(k, target);
    c.origin = NULL;
    EXPECT(PUT, RGET, c, MPI_ERR_BUFFER);
    c.origin = data;
    c.result = NULL;
    EXPECT(GET_ACC, CAS, c, MPI_ERR_BUFFER);
    c = good(k, target);
    c.type[0] = MPI_DOUBLE;
    c.count[1] = 2;
    EXPECT(ACC, GET_ACC, c, MPI_ERR_TYPE);
}

static void run(const struct kind_win *k)
{
    MPI_Win_lock_all(0, k->win);
    for (int t = 0; t < csp_test_size; t++) {
        PHASE("rank");
        ranks(k, t);
        PHASE("displacement");
        displacements(k, t);
        PHASE("type");
        types(k, t);
        PHASE("size");
        sizes(k, t);
        PHASE("count");
        counts(k, t);
        PHASE("operator");
        operators(k, t);
        PHASE("own harm");
        if (checks)
            own_harm(k, t);
        CHECK_CLASS(MPI_Win_flush(t, k->win), MPI_SUCCESS);
    }
    MPI_Win_unlock_all(k->win);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(csp_test_is_poison(k->base, KIND_BYTES));
}

int main(int argc, char **argv)
{
    csp_test_init();
    casper_only();
    checks = !(argc > 1 && strcmp(argv[1], "off") == 0);
    for_each_kind(run);
    return csp_test_done();
}
