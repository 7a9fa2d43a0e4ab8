// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "unit.h"
#include "adapt/gate.h"

#include <sched.h>

enum { ROUTE = CSP_GATE_ACC_OFF | CSP_GATE_OFF, THREADS = 3, ROUNDS = 20000, CHANGES = 2000 };

static uint32_t flags(const struct csp_gate *g)
{
    return (uint32_t)(csp_gate_look(g) & CSP_GATE_FLAGS);
}

static void accumulate(struct csp_gate *g)
{
    assert_true(csp_gate_enter(g));
    csp_gate_issued(g);
}

static void is_closed_at_first(void **state)
{
    (void)state;
    struct csp_gate g;
    csp_gate_init(&g);
    assert_false(csp_gate_enter(&g));
    assert_true(csp_gate_close(&g));
    csp_gate_open(&g, ROUTE);
    assert_true(csp_gate_enter(&g));
    assert_int_equal(flags(&g), ROUTE);
}

static void is_closed_when_idle(void **state)
{
    (void)state;
    struct csp_gate g;
    csp_gate_init(&g);
    csp_gate_open(&g, 0);
    accumulate(&g);
    assert_false(csp_gate_close(&g));
    accumulate(&g); // goes on until the flush
    csp_gate_leave(&g, csp_gate_look(&g));
    assert_int_equal(flags(&g), CSP_GATE_CLOSED);
    assert_true(csp_gate_close(&g));
}

static void newer_ones_keep_it_busy(void **state)
{
    (void)state;
    struct csp_gate g;
    csp_gate_init(&g);
    csp_gate_open(&g, 0);
    accumulate(&g);
    uint64_t seen = csp_gate_look(&g);
    accumulate(&g); // another thread's, not in the flush
    csp_gate_leave(&g, seen);
    assert_false(csp_gate_close(&g));
    assert_true(csp_gate_enter(&g)); // in the middle of one
    csp_gate_leave(&g, csp_gate_look(&g));
    assert_false(csp_gate_close(&g));
    csp_gate_issued(&g);
    csp_gate_leave(&g, csp_gate_look(&g));
    assert_true(csp_gate_close(&g));
}

static void a_change_given_up_leaves_it_as_it_was(void **state)
{
    (void)state;
    struct csp_gate g;
    csp_gate_init(&g);
    csp_gate_open(&g, CSP_GATE_ACC_OFF);
    accumulate(&g);
    csp_gate_turn(&g, CSP_GATE_OFF);
    assert_false(csp_gate_close(&g));
    csp_gate_open(&g, CSP_GATE_ACC_OFF | CSP_GATE_OFF);
    csp_gate_leave(&g, csp_gate_look(&g));
    assert_int_equal(flags(&g), CSP_GATE_ACC_OFF | CSP_GATE_OFF);
    csp_gate_turn(&g, 0);
    assert_int_equal(flags(&g), CSP_GATE_ACC_OFF);
    assert_true(csp_gate_enter(&g));
}

static void one_that_is_complete_at_once_needs_no_flush(void **state)
{
    (void)state;
    struct csp_gate g;
    csp_gate_init(&g);
    csp_gate_open(&g, CSP_GATE_OFF);
    assert_true(csp_gate_enter(&g));
    assert_false(csp_gate_done(&g)); // nobody waits for it
    assert_true(csp_gate_enter(&g));
    assert_false(csp_gate_close(&g));
    assert_true(csp_gate_done(&g));
    assert_int_equal(flags(&g), CSP_GATE_CLOSED | CSP_GATE_OFF);
    csp_gate_open(&g, 0);
    accumulate(&g); // by another thread
    assert_true(csp_gate_enter(&g));
    assert_false(csp_gate_close(&g));
    uint64_t seen = csp_gate_look(&g);
    assert_false(csp_gate_done(&g));
    assert_true(csp_gate_leave(&g, seen)); // the one of this thread is no newer one
    assert_int_equal(flags(&g), CSP_GATE_CLOSED);
    csp_gate_open(&g, 0);
    accumulate(&g);
    assert_true(csp_gate_enter(&g));
    assert_false(csp_gate_leave(&g, csp_gate_look(&g))); // this one goes on, and is the last
    assert_false(csp_gate_close(&g));
    assert_true(csp_gate_done(&g));
    assert_int_equal(flags(&g), CSP_GATE_CLOSED);
}

// Threads that accumulate and flush, against a ghost that closes and opens. A flush completes what any of
// them issued.
struct crowd {
    struct csp_gate gate;
    _Atomic long issued, complete;
    _Atomic int at_once; // some that need no flush, while they go on
    _Atomic int done;
};

static void flush(struct crowd *c)
{
    uint64_t seen = csp_gate_look(&c->gate);
    long all = atomic_load(&c->issued), before = atomic_load(&c->complete);
    while (before < all && !atomic_compare_exchange_weak(&c->complete, &before, all))
        ;
    csp_gate_leave(&c->gate, seen);
}

static void one_epoch(struct crowd *c, int accumulates)
{
    for (int i = 0; i < accumulates; i++) {
        while (!csp_gate_enter(&c->gate))
            sched_yield();
        atomic_fetch_add(&c->issued, 1);
        csp_gate_issued(&c->gate);
    }
    flush(c);
}

static void one_at_once(struct crowd *c)
{
    while (!csp_gate_enter(&c->gate))
        sched_yield();
    atomic_fetch_add(&c->at_once, 1);
    atomic_fetch_sub(&c->at_once, 1);
    csp_gate_done(&c->gate);
}

static void change(struct crowd *c, uint32_t route)
{
    while (!csp_gate_close(&c->gate))
        if (atomic_load(&c->done) == THREADS)
            flush(c); // the last one may have met another's
        else
            sched_yield();
    assert_int_equal(atomic_load(&c->issued), atomic_load(&c->complete));
    assert_int_equal(atomic_load(&c->at_once), 0);
    csp_gate_open(&c->gate, route);
}

struct worker {
    struct crowd *crowd;
    int is_ghost;
};

static void *work(void *arg)
{
    const struct worker *w = arg;
    for (uint32_t i = 0; w->is_ghost && i < CHANGES; i++)
        change(w->crowd, i % 2 ? CSP_GATE_ACC_OFF : 0);
    for (int i = 0; !w->is_ghost && i < ROUNDS; i++) {
        one_epoch(w->crowd, 1 + i % 3);
        one_at_once(w->crowd);
    }
    atomic_fetch_add(&w->crowd->done, !w->is_ghost);
    return NULL;
}

// A thread that finds it closed may take long to go, and meanwhile it was opened and is to be closed once more. What the
// others flush then must not open it.
static void who_found_it_closed_leaves_it_so(void **state)
{
    (void)state;
    struct csp_gate g;
    csp_gate_init(&g);
    atomic_fetch_add(&g.word, CSP_GATE_ISSUING); // in csp_gate_enter
    csp_gate_open(&g, 0);
    accumulate(&g);
    assert_false(csp_gate_close(&g));
    assert_false(csp_gate_leave(&g, csp_gate_look(&g)));
    atomic_fetch_sub(&g.word, CSP_GATE_ISSUING);
    assert_true(csp_gate_close(&g));
    csp_gate_leave(&g, csp_gate_look(&g)); // of another target of the gate's
    assert_int_equal(flags(&g), CSP_GATE_CLOSED);
}

static void nothing_is_under_way_when_it_is_closed(void **state)
{
    (void)state;
    static struct crowd crowd;
    struct worker workers[THREADS + 1];
    csp_gate_init(&crowd.gate);
    csp_gate_open(&crowd.gate, 0);
    for (int i = 0; i <= THREADS; i++)
        workers[i] = (struct worker){&crowd, i == THREADS};
    unit_threads(THREADS + 1, work, workers, sizeof(workers[0]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_closed_at_first),
        cmocka_unit_test(is_closed_when_idle),
        cmocka_unit_test(newer_ones_keep_it_busy),
        cmocka_unit_test(a_change_given_up_leaves_it_as_it_was),
        cmocka_unit_test(one_that_is_complete_at_once_needs_no_flush),
        cmocka_unit_test(who_found_it_closed_leaves_it_so),
        cmocka_unit_test(nothing_is_under_way_when_it_is_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
