// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// What MPI_Wait for a request promises, with data that are not one run of bytes at the origin, at the
// target, or at both: the results of Rget and Rget_accumulate are there; the origin buffer of Rput and
// Raccumulate may be changed.
#include "csp_test_rma.h"

enum { SMALL = 20, LARGE = 40000, STEP = 3, ROUNDS = 4, SPAN = LARGE * STEP };

// `n` ints, `step` apart.
struct side {
    MPI_Datatype type;
    int count, step;
};

// One pair of sides; every rank works on a target of its own.
struct pair {
    struct side o, t;
    int n, target;
    MPI_Win win;
    const char *what;
};

static int buf[SPAN], ones[SPAN];

static struct side side_new(int n, int step)
{
    struct side s = {MPI_INT, n, step};
    if (step > 1) {
        s.count = 1;
        MPI_Type_vector(n, 1, step, MPI_INT, &s.type);
        MPI_Type_commit(&s.type);
    }
    return s;
}

static void side_free(struct side *s)
{
    if (s->step > 1)
        MPI_Type_free(&s->type);
}

static void wait_for(MPI_Request *request)
{
    MPI_Wait(request, MPI_STATUS_IGNORE);
}

static void check(const struct pair *p, const char *call, int add)
{
    int wrong = 0, first = -1;
    for (int i = 0; i < p->n; i++)
        if (buf[i * p->o.step] != p->target * 1000000 + i + add && wrong++ == 0)
            first = i;
    if (wrong)
        FAIL("%s, %s: %d of %d elements wrong, [%d] is %d", call, p->what, wrong, p->n, first,
             buf[first * p->o.step]);
}

static void set(const struct pair *p, int add)
{
    for (int i = 0; i < p->n; i++)
        buf[i * p->o.step] = p->target * 1000000 + i + add;
}

static void get(const struct pair *p, int add)
{
    MPI_Request request;
    csp_test_poison(buf, sizeof buf);
    MPI_Rget(buf, p->o.count, p->o.type, p->target, 0, p->t.count, p->t.type, p->win, &request);
    wait_for(&request);
    check(p, "Rget", add);
}

static void get_accumulate(const struct pair *p, int add)
{
    MPI_Request request;
    csp_test_poison(buf, sizeof buf);
    MPI_Rget_accumulate(ones, p->n, MPI_INT, buf, p->o.count, p->o.type, p->target, 0, p->t.count,
                        p->t.type, MPI_SUM, p->win, &request);
    wait_for(&request);
    check(p, "Rget_accumulate", add);
}

// The target has what was in the buffer when the call was made.
static void reuse(const struct pair *p, int accumulate, int add)
{
    MPI_Request request;
    set(p, add);
    if (accumulate)
        MPI_Raccumulate(buf, p->o.count, p->o.type, p->target, 0, p->t.count, p->t.type,
                        MPI_REPLACE, p->win, &request);
    else
        MPI_Rput(buf, p->o.count, p->o.type, p->target, 0, p->t.count, p->t.type, p->win, &request);
    wait_for(&request);
    csp_test_poison(buf, sizeof buf);
    MPI_Win_flush(p->target, p->win);
    MPI_Get(buf, p->o.count, p->o.type, p->target, 0, p->t.count, p->t.type, p->win);
    MPI_Win_flush(p->target, p->win);
    check(p, accumulate ? "Raccumulate" : "Rput", add);
}

static void run(int n, int origin_step, int target_step, MPI_Win win, int *base, const char *what)
{
    PHASE(what);
    for (int near = 0; near < 2; near++) {
        int distance = near ? 1 : (csp_test_size + 1) / 2;
        struct pair p = {.n = n, .win = win, .what = what};
        p.o = side_new(n, origin_step);
        p.t = side_new(n, target_step);
        p.target = (csp_test_rank + distance) % csp_test_size;
        csp_test_own(win, MPI_COMM_WORLD);
        for (int i = 0; i < n; i++)
            base[i * target_step] = csp_test_rank * 1000000 + i;
        csp_test_unown(win, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Win_lock_all(0, win);
        for (int r = 0; r < ROUNDS; r++) {
            get(&p, r);
            get_accumulate(&p, r);
        }
        for (int r = 0; r < ROUNDS; r++) {
            reuse(&p, 0, 100 + r);
            reuse(&p, 1, 200 + r);
        }
        MPI_Win_unlock_all(win);
        MPI_Barrier(MPI_COMM_WORLD);
        side_free(&p.o);
        side_free(&p.t);
    }
}

int main(void)
{
    csp_test_init();
    MPI_Win win;
    int *base = csp_test_win_new(sizeof(int) * SPAN, sizeof(int), MPI_COMM_WORLD, &win);
    for (int i = 0; i < SPAN; i++)
        ones[i] = 1;
    run(SMALL, STEP, 1, win, base, "small, strided at the origin");
    run(SMALL, 1, STEP, win, base, "small, strided at the target");
    run(SMALL, STEP, STEP, win, base, "small, strided at both");
    run(LARGE, 1, 1, win, base, "large, one run");
    run(LARGE, STEP, 1, win, base, "large, strided at the origin");
    run(LARGE, 1, STEP, win, base, "large, strided at the target");
    run(LARGE, STEP, STEP, win, base, "large, strided at both");
    MPI_Win_free(&win);
    return csp_test_done();
}
