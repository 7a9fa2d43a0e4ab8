// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// One operation at its origin: buffers with poison around the data, the call, and what is checked as
// soon as the operation is complete there.
#include "rr.h"

static unsigned char *new_buffer(const struct rnd_side *side, size_t *bytes)
{
    *bytes = (size_t)(side->hi - side->lo) + 2 * RR_GUARD_BYTES;
    unsigned char *buf =
        aligned_alloc(RR_GUARD_BYTES, (*bytes / RR_GUARD_BYTES + 1) * RR_GUARD_BYTES);
    if (!buf)
        abort();
    csp_test_poison(buf, *bytes);
    return buf;
}

static unsigned char *element(unsigned char *buf, const struct rnd_side *side, int i)
{
    return buf + RR_GUARD_BYTES - side->lo + side->at[i];
}

static void prepare(struct rr_act *act)
{
    act->origin_buf = new_buffer(&act->from, &act->origin_bytes);
    act->result_buf = new_buffer(&act->to, &act->result_bytes);
    for (int i = 0; i < act->from.n && rr_act_sends(act); i++)
        rr_value(act->basic, act->op, act->value, i, element(act->origin_buf, &act->from, i));
    act->handle = MPI_REQUEST_NULL;
}

/** One side of a call: buffer, count, type. */
struct arg {
    void *buf;
    int count;
    MPI_Datatype type;
};

static struct arg local_arg(const struct rr_act *act, const struct rnd_side *side,
                            unsigned char *buf, MPI_Datatype leaf)
{
    struct arg arg = {.buf = buf + RR_GUARD_BYTES - side->lo};
    struct rnd_side moved = *side;
    if (act->bottom) { // the address is in the type
        moved.shifted = true;
        MPI_Get_address(arg.buf, &moved.shift);
        arg.buf = MPI_BOTTOM;
    }
    arg.type = rnd_side_type(&moved, leaf, &arg.count);
    return arg;
}

static struct arg target_arg(const struct rr_win *win, const struct rr_act *act, MPI_Datatype leaf,
                             MPI_Aint *disp)
{
    struct arg arg = {.buf = NULL};
    struct rnd_side moved = act->target_side;
    *disp = act->disp;
    if (win->kind == RR_W_DYNAMIC && act->zone) {
        const struct rr_part *part = &win->parts[act->target];
        MPI_Aint in_seg = act->start - part->seg_start[act->zone->seg];
        MPI_Aint address = MPI_Aint_add(part->seg_addr[act->zone->seg], in_seg);
        moved.shift = act->absolute ? address : moved.shift;
        *disp = MPI_Aint_diff(address, moved.shift);
    }
    arg.type = rnd_side_type(&moved, leaf, &arg.count);
    return arg;
}

struct call {
    struct arg o, r, t;
    MPI_Aint disp;
    int target;
    MPI_Op op;
    MPI_Win win;
    MPI_Request *request;
};

static void issue(enum rr_act_kind kind, const struct call *c)
{
    const struct arg *o = &c->o, *r = &c->r, *t = &c->t;
    if (kind == RR_K_PUT)
        MPI_Put(o->buf, o->count, o->type, c->target, c->disp, t->count, t->type, c->win);
    else if (kind == RR_K_GET)
        MPI_Get(r->buf, r->count, r->type, c->target, c->disp, t->count, t->type, c->win);
    else if (kind == RR_K_ACC)
        MPI_Accumulate(o->buf, o->count, o->type, c->target, c->disp, t->count, t->type, c->op,
                       c->win);
    else
        MPI_Get_accumulate(o->buf, o->count, o->type, r->buf, r->count, r->type, c->target, c->disp,
                           t->count, t->type, c->op, c->win);
}

static void issue_request(enum rr_act_kind kind, const struct call *c)
{
    const struct arg *o = &c->o, *r = &c->r, *t = &c->t;
    if (kind == RR_K_PUT)
        MPI_Rput(o->buf, o->count, o->type, c->target, c->disp, t->count, t->type, c->win,
                 c->request);
    else if (kind == RR_K_GET)
        MPI_Rget(r->buf, r->count, r->type, c->target, c->disp, t->count, t->type, c->win,
                 c->request);
    else if (kind == RR_K_ACC)
        MPI_Raccumulate(o->buf, o->count, o->type, c->target, c->disp, t->count, t->type, c->op,
                        c->win, c->request);
    else
        MPI_Rget_accumulate(o->buf, o->count, o->type, r->buf, r->count, r->type, c->target,
                            c->disp, t->count, t->type, c->op, c->win, c->request);
}

/** The calls with large counts, where the library has them. @return false: it has not */
static bool issue_count_c(enum rr_act_kind kind, const struct call *c)
{
#if CSP_HAVE_MPI_Put_c
    const struct arg *o = &c->o, *r = &c->r, *t = &c->t;
    if (kind == RR_K_PUT)
        MPI_Put_c(o->buf, o->count, o->type, c->target, c->disp, t->count, t->type, c->win);
    else if (kind == RR_K_GET)
        MPI_Get_c(r->buf, r->count, r->type, c->target, c->disp, t->count, t->type, c->win);
    else if (kind == RR_K_ACC)
        MPI_Accumulate_c(o->buf, o->count, o->type, c->target, c->disp, t->count, t->type, c->op,
                         c->win);
    else
        MPI_Get_accumulate_c(o->buf, o->count, o->type, r->buf, r->count, r->type, c->target,
                             c->disp, t->count, t->type, c->op, c->win);
    return true;
#else
    (void)kind;
    (void)c;
    return false;
#endif
}

static void issue_typed(const struct rr_win *win, struct rr_act *act)
{
    MPI_Datatype leaf = act->basic->type;
    if (act->bytes) {
        MPI_Type_contiguous((int)act->basic->class->extent, MPI_BYTE, &leaf);
        MPI_Type_commit(&leaf);
    }
    struct call c = {.target = act->target, .win = win->handle, .request = &act->handle};
    c.op = act->op < RR_CAS_OP ? rr_mpi_op(act->op) : MPI_OP_NULL;
    c.t = target_arg(win, act, leaf, &c.disp);
    c.o = local_arg(act, &act->from, act->origin_buf, leaf);
    c.r = local_arg(act, &act->to, act->result_buf, leaf);
    struct call given = c;
    if (act->no_origin && act->kind == RR_K_GET_ACC)
        given.o = (struct arg){NULL, 0, act->basic->type};
    if (act->request)
        issue_request(act->kind, &given);
    else if (!act->count_c || !issue_count_c(act->kind, &given))
        issue(act->kind, &given);
    rnd_side_free(&c.t.type, leaf);
    rnd_side_free(&c.o.type, leaf);
    rnd_side_free(&c.r.type, leaf);
    if (act->bytes)
        MPI_Type_free(&leaf);
}

static void issue_single(const struct rr_win *win, struct rr_act *act)
{
    void *from = element(act->origin_buf, &act->from, 0);
    void *to = element(act->result_buf, &act->to, 0);
    MPI_Aint disp = act->disp;
    MPI_Datatype type = act->basic->type;
    unsigned char nothing[64] = {0};
    if (win->kind == RR_W_DYNAMIC && act->zone) {
        const struct rr_part *part = &win->parts[act->target];
        disp = part->seg_addr[act->zone->seg] + act->start - part->seg_start[act->zone->seg];
    }
    if (act->kind == RR_K_FOP)
        MPI_Fetch_and_op(act->no_origin ? NULL : from, to, type, act->target, disp,
                         rr_mpi_op(act->op), win->handle);
    else
        MPI_Compare_and_swap(from, act->compare ? act->compare : nothing, to, type, act->target,
                             disp, win->handle);
}

/** A load or store of the processor. */
static void touch(const struct rr_win *win, struct rr_act *act)
{
    for (int i = 0; i < act->target_side.n; i++) {
        MPI_Aint at = rr_act_byte(act, i);
        bool mine = act->target == win->me;
        unsigned char *there = mine ? rr_local(win, at) : win->direct[act->target] + at;
        const struct rr_class *class = act->basic->class;
        if (act->kind == RR_K_LOAD)
            memcpy(element(act->result_buf, &act->to, i), there, (size_t)class->extent);
        else
            class->apply(RR_REPLACE, there, element(act->origin_buf, &act->from, i));
    }
}

/** Compares what was fetched, and that nothing else in the buffer has changed; spoils the data. */
void rr_act_done(struct rr_win *win, struct rr_act *act)
{
    size_t extent = (size_t)act->basic->class->extent;
    act->done = true;
    for (int i = 0; act->expect && i < act->to.n; i++) {
        const unsigned char *want = act->expect + extent * (size_t)i;
        unsigned char *got = element(act->result_buf, &act->to, i);
        char want_text[64], got_text[64];
        if (!act->unsure[i] && !act->basic->class->equal(want, got)) {
            act->basic->class->print(want, want_text, sizeof want_text);
            act->basic->class->print(got, got_text, sizeof got_text);
            rr_wrong(win, act, "fetched element %d (byte %ld) is %s, not %s", i,
                     (long)rr_act_byte(act, i), got_text, want_text);
            break;
        }
    }
    for (int i = 0; act->expect && i < act->to.n; i++)
        csp_test_poison(element(act->result_buf, &act->to, i), extent);
    if (!csp_test_is_poison(act->result_buf, act->result_bytes))
        rr_wrong(win, act, "bytes of the result buffer outside of its datatype were written");
    memset(act->origin_buf, 0x5a, act->origin_bytes); // may be used again
    free(act->origin_buf);
    free(act->result_buf);
}

static bool left_out(const struct rr_act *act)
{
    return rr_drop_puts && act->kind == RR_K_PUT && act->zone;
}

void rr_act_run(struct rr_round *round, struct rr_act *act)
{
    struct rr_win *win = round->win;
    prepare(act);
    act->issued = true;
    rnd_at("action", act->id);
    if (act->kind == RR_K_STORE || act->kind == RR_K_LOAD)
        touch(win, act);
    else if (act->kind == RR_K_FOP || act->kind == RR_K_CAS)
        issue_single(win, act);
    else if (!left_out(act))
        issue_typed(win, act);
}

static void wait_for(struct rr_act *act)
{
    if (act->handle != MPI_REQUEST_NULL)
        MPI_Wait(&act->handle, MPI_STATUS_IGNORE);
}

/**
 * Own operations before the action `upto` of the round are complete here: RR_ALL of them, those at
 * one target, or RR_WITH_REQUEST, which are waited for.
 */
void rr_acts_settle(struct rr_round *round, int target, int upto)
{
    for (int i = 0; i < upto; i++) {
        struct rr_act *act = &round->acts[i];
        bool waits = target == RR_WITH_REQUEST && act->request;
        if (act->origin != round->win->me || !act->issued || act->done)
            continue;
        if (!waits && target != RR_ALL && act->target != target)
            continue;
        wait_for(act);
        rr_act_done(round->win, act);
    }
}
