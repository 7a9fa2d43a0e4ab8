// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Keepers and agents of some nodes in an invented world: messages take random times, users accumulate, flush,
// compute and leave at random. Checked at every step: accumulates under way to one node's targets all go by one
// route. And: nobody waits for long, everybody can leave, and the better route is found.
#include "unit.h"
#include "adapt/keep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NODES = 3,
    USERS = 2, // on each
    WINDOWS = 2,
    QUEUE = 4096,
    US = 1000,
    INTERVAL_NS = 10000 * US,
    TURN_NS = 5 * US, // between two turns of a ghost
    LATE_NS = 50 * US // of a message, at most
};

struct letter {
    struct csp_keep_msg msg;
    uint64_t at_ns;
};

// From one ghost to another, in order.
struct channel {
    struct letter letters[QUEUE];
    unsigned first, end;
    uint64_t last_ns;
};

struct user {
    struct csp_gate gates[WINDOWS][NODES];
    int joined[WINDOWS][NODES], under_way[WINDOWS][NODES];
    uint64_t free_at_ns, closed_since_ns;
    struct csp_gate *waits; // for an operation
    int window, node;       // what it works on
    int accumulates, left;
};

struct world {
    struct csp_keep *ghosts[NODES];
    struct channel channels[NODES][NODES];
    struct user users[NODES][USERS];
    uint64_t now_ns, seed, worst_wait_ns;
    uint64_t cost_ns[2]; // of an operation by the ghost, by the target
    int together;        // the target's cost holds only if all nodes have that route
    uint64_t compute_ns; // mean, between two flushes
    long done_by[2], changes;
    uint64_t stopped_ns; // at closed gates, all users
};

struct end {
    struct world *world;
    int node;
};

static struct end ends[NODES];

static uint64_t below(struct world *w, uint64_t most)
{
    return unit_random(&w->seed) % most;
}

static void send(void *ctx, int to, const struct csp_keep_msg *msg)
{
    const struct end *from = ctx;
    struct world *w = from->world;
    struct channel *c = &w->channels[from->node][to];
    assert_true(c->end - c->first < QUEUE);
    uint64_t at_ns = w->now_ns + below(w, LATE_NS);
    if (at_ns < c->last_ns)
        at_ns = c->last_ns;
    c->letters[c->end++ % QUEUE] = (struct letter){*msg, at_ns};
    c->last_ns = at_ns;
}

static void say(void *ctx, uint64_t gid, const struct csp_adapt *why, uint64_t users)
{
    const struct end *end = ctx;
    (void)gid;
    assert_in_range(users, 1, NODES * USERS);
    assert_int_equal(why->reason, CSP_ADAPT_BETTER);
    end->world->changes++;
}

static struct world *make_world(uint64_t seed, uint64_t on_ns, uint64_t off_ns, uint64_t compute_ns)
{
    struct world *w = calloc(1, sizeof(*w));
    w->seed = seed;
    w->now_ns = 1;
    w->cost_ns[0] = on_ns;
    w->cost_ns[1] = off_ns;
    w->compute_ns = compute_ns;
    for (int i = 0; i < NODES; i++) {
        ends[i] = (struct end){w, i};
        struct csp_keep_config config = {csp_adapt_config_for(INTERVAL_NS), i, send, say, &ends[i]};
        w->ghosts[i] = csp_keep_new(&config);
    }
    return w;
}

static void deliver(struct world *w)
{
    for (int from = 0; from < NODES; from++)
        for (int to = 0; to < NODES; to++) {
            struct channel *c = &w->channels[from][to];
            while (c->first != c->end && c->letters[c->first % QUEUE].at_ns <= w->now_ns) {
                struct letter l = c->letters[c->first++ % QUEUE];
                csp_keep_receive(w->ghosts[to], from, &l.msg, w->now_ns);
            }
        }
}

// One route for all accumulates that are under way.
static void check_routes(const struct world *w)
{
    for (int win = 0; win < WINDOWS; win++)
        for (int node = 0; node < NODES; node++) {
            int by[2] = {0, 0};
            for (int i = 0; i < NODES * USERS; i++) {
                const struct user *u = &w->users[i / USERS][i % USERS];
                int off = (csp_gate_look(&u->gates[win][node]) & CSP_GATE_ACC_OFF) != 0;
                by[off] += u->under_way[win][node];
            }
            assert_true(by[0] == 0 || by[1] == 0);
        }
}

static void flush(struct user *u)
{
    for (int win = 0; win < WINDOWS; win++)
        for (int node = 0; node < NODES; node++) {
            if (!u->joined[win][node])
                continue;
            u->under_way[win][node] = 0;
            csp_gate_leave(&u->gates[win][node], csp_gate_look(&u->gates[win][node]));
        }
}

// Of the window that the user works on.
static int all_are_off(const struct user *u)
{
    for (int node = 0; node < NODES; node++)
        if (u->joined[u->window][node] &&
            !(csp_gate_look(&u->gates[u->window][node]) & CSP_GATE_OFF))
            return 0;
    return 1;
}

static void operation(struct world *w, struct user *u, struct csp_gate *g, uint64_t flag)
{
    int off = (csp_gate_look(g) & flag) != 0;
    uint64_t cost_ns = w->cost_ns[off && (!w->together || all_are_off(u))];
    w->done_by[off]++;
    u->free_at_ns = w->now_ns + cost_ns / 2 + below(w, cost_ns);
    csp_gate_wait(g, w->now_ns);
    u->waits = g;
}

static void accumulate(struct world *w, struct user *u, struct csp_gate *g)
{
    if (!csp_gate_enter(g)) {
        if (!u->closed_since_ns)
            u->closed_since_ns = w->now_ns;
        return;
    }
    csp_gate_issued(g);
    u->under_way[u->window][u->node]++;
    if (u->closed_since_ns && w->now_ns - u->closed_since_ns > w->worst_wait_ns)
        w->worst_wait_ns = w->now_ns - u->closed_since_ns;
    w->stopped_ns += u->closed_since_ns ? w->now_ns - u->closed_since_ns : 0;
    u->closed_since_ns = 0;
    operation(w, u, g, CSP_GATE_ACC_OFF);
}

static void act(struct world *w, int home, struct user *u)
{
    if (u->left || w->now_ns < u->free_at_ns)
        return;
    if (u->waits)
        csp_gate_waited(u->waits, atomic_load(&u->waits->waits_since_ns), w->now_ns, 1);
    u->waits = NULL;
    struct csp_gate *g = &u->gates[u->window][u->node];
    if (!u->closed_since_ns && below(w, 3) == 0) {
        flush(u);
        u->window = (int)below(w, WINDOWS);
        u->node = (int)below(w, NODES);
        u->free_at_ns = w->now_ns + below(w, 2 * w->compute_ns + 1);
        return;
    }
    if (!u->joined[u->window][u->node]) {
        csp_gate_init(g);
        u->joined[u->window][u->node] = 1;
        csp_keep_join(w->ghosts[home], (uint64_t)u->window + 7, u->node, 0, g);
    }
    if (u->closed_since_ns || below(w, 2))
        accumulate(w, u, g);
    else
        operation(w, u, g, CSP_GATE_OFF);
}

static void run(struct world *w, uint64_t ns)
{
    uint64_t end_ns = w->now_ns + ns, turn_at_ns = w->now_ns;
    for (; w->now_ns < end_ns; w->now_ns += US) {
        deliver(w);
        if (w->now_ns >= turn_at_ns) {
            turn_at_ns = w->now_ns + TURN_NS;
            for (int i = 0; i < NODES; i++)
                csp_keep_turn(w->ghosts[i], w->now_ns);
        }
        for (int i = 0; i < NODES * USERS; i++)
            act(w, i / USERS, &w->users[i / USERS][i % USERS]);
        check_routes(w);
    }
}

static int leave_one(struct world *w, int home, struct user *u, int win, int node)
{
    struct csp_gate *g = &u->gates[win][node];
    if (u->joined[win][node] == 1) {
        csp_keep_leave(w->ghosts[home], (uint64_t)win + 7, node, g);
        u->joined[win][node] = 2;
    }
    return u->joined[win][node] == 2 && !(csp_gate_look(g) & CSP_GATE_GONE);
}

// @return gates that are not gone yet.
static int leave(struct world *w, int home, struct user *u)
{
    int left = 0;
    u->left = 1;
    u->waits = NULL;
    flush(u);
    for (int win = 0; win < WINDOWS; win++)
        for (int node = 0; node < NODES; node++)
            left += leave_one(w, home, u, win, node);
    return left;
}

// A user leaves all its routes, and joins again.
static void come_back(struct world *w, int home, struct user *u)
{
    int tries = 0;
    u->closed_since_ns = 0;
    while (leave(w, home, u)) {
        run(w, 10 * US);
        assert_true(tries++ < 10000);
    }
    memset(u->joined, 0, sizeof(u->joined));
    u->left = 0;
}

static void end_world(struct world *w)
{
    int left = 1;
    for (int tries = 0; left; tries++) {
        assert_true(tries < 10000);
        left = 0;
        for (int i = 0; i < NODES * USERS; i++) {
            w->users[i / USERS][i % USERS].closed_since_ns = 0;
            left += leave(w, i / USERS, &w->users[i / USERS][i % USERS]);
        }
        run(w, 10 * US);
    }
    for (int i = 0; i < NODES; i++)
        csp_keep_free(w->ghosts[i]); // checks that nothing is left
    for (int i = 0; i < NODES * NODES; i++)
        assert_int_equal(w->channels[i / NODES][i % NODES].first,
                         w->channels[i / NODES][i % NODES].end);
    free(w);
}

// Longest wait: until the change is given up, and some messages.
static uint64_t wait_limit_ns(void)
{
    return INTERVAL_NS / 4 + 6 * (LATE_NS + TURN_NS);
}

static void one_route_at_a_time(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        struct world *w = make_world(seed, 20 * US, 30 * US, seed % 3 * 100 * US);
        for (int i = 0; i < 10; i++) {
            uint64_t on_ns = w->cost_ns[0];
            run(w, 60000 * US);
            int home = (int)below(w, NODES);
            come_back(w, home, &w->users[home][0]);
            w->cost_ns[0] = w->cost_ns[1]; // another phase
            w->cost_ns[1] = on_ns;
        }
        assert_true(w->done_by[0] > 0 && w->done_by[1] > 0);
        if (w->worst_wait_ns > wait_limit_ns())
            fail_msg("seed %lu: somebody waited %lu us", (unsigned long)seed,
                     (unsigned long)(w->worst_wait_ns / US));
        end_world(w);
    }
}

// @return share of the operations that the target itself executed, when the route had time to settle.
static double share_off(uint64_t seed, uint64_t on_ns, uint64_t off_ns, int together)
{
    struct world *w = make_world(seed, on_ns, off_ns, 20 * US);
    w->together = together;
    run(w, 500000 * US);
    w->done_by[0] = w->done_by[1] = 0;
    run(w, 500000 * US);
    double share = (double)w->done_by[1] / (double)(w->done_by[0] + w->done_by[1]);
    end_world(w);
    return share;
}

static void finds_the_better_route(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        assert_true(share_off(seed, 60 * US, 20 * US, 0) > 0.9);
        assert_true(share_off(seed, 20 * US, 60 * US, 0) < 0.1);
    }
}

// No node alone would find a reason to change.
static void finds_what_all_must_do_together(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++)
        assert_true(share_off(seed, 60 * US, 20 * US, 1) > 0.9);
}

// One user accumulates everywhere, and never flushes.
static void stick(struct world *w)
{
    struct user *stuck = &w->users[1][0];
    stuck->left = 1;
    for (int win = 0; win < WINDOWS; win++)
        for (int node = 0; node < NODES; node++) {
            csp_gate_init(&stuck->gates[win][node]);
            csp_keep_join(w->ghosts[1], (uint64_t)win + 7, node, 0, &stuck->gates[win][node]);
            stuck->joined[win][node] = 1;
        }
    run(w, 1000 * US);
    for (int win = 0; win < WINDOWS; win++)
        for (int node = 0; node < NODES; node++) {
            assert_true(csp_gate_enter(&stuck->gates[win][node]));
            csp_gate_issued(&stuck->gates[win][node]);
            stuck->under_way[win][node] = 1;
        }
}

// A user whose accumulates are never complete: those of all stay where they are, PUT and GET change.
static void goes_on_beside_a_user_that_never_flushes(void **state)
{
    (void)state;
    struct world *w = make_world(3, 60 * US, 20 * US, 20 * US);
    stick(w);
    run(w, 500000 * US);
    assert_true(w->worst_wait_ns <= wait_limit_ns());
    w->done_by[0] = w->done_by[1] = 0;
    run(w, 500000 * US);
    double off = (double)w->done_by[1] / (double)(w->done_by[0] + w->done_by[1]);
    assert_true(off > 0.3 && off < 0.6); // about a half of them are PUT and GET
    end_world(w);
}

// Beside such a user every change of all operations is given up. Those of PUT and GET alone, at each probe and back,
// stop nobody; the others are tried ever more seldom.
static void stops_seldom_beside_a_user_that_never_flushes(void **state)
{
    (void)state;
    enum { SEEDS = 3 };
    double share = 0;
    for (uint64_t seed = 5; seed < 5 + SEEDS; seed++) {
        struct world *w = make_world(seed, 20 * US, 20 * US, 20 * US); // equal: probes to no end
        stick(w);
        run(w, 500000 * US);
        w->stopped_ns = 0;
        run(w, (uint64_t)4000000 * US);
        share += (double)w->stopped_ns / 4e9 / (NODES * USERS - 1) / SEEDS;
        end_world(w);
    }
    print_message("stopped for %.2f %% of the time\n", 100 * share);
    assert_true(share < 0.008);
}

// A keeper alone, with messages by hand: what it sends is counted.
struct desk {
    struct csp_keep *keep;
    int sent[CSP_KEEP_BYE + 1];
    int asked_for;    // the route of the last change
    uint64_t lost_ns; // of the last decision
    uint64_t now_ns;
    int said, off;
    double waited_ns; // for an operation, as said last
};

static void note_sent(void *ctx, int to, const struct csp_keep_msg *msg)
{
    struct desk *d = ctx;
    (void)to;
    d->sent[msg->kind]++;
    if (msg->kind == CSP_KEEP_CLOSE)
        d->asked_for = msg->route;
    if (msg->kind == CSP_KEEP_DECIDE)
        d->lost_ns = msg->n;
}

static void note_said(void *ctx, uint64_t gid, const struct csp_adapt *why, uint64_t users)
{
    struct desk *d = ctx;
    (void)gid;
    d->said++;
    d->off = why->home == CSP_ADAPT_OFF;
    d->waited_ns = why->cost[why->home].ns * (double)users;
}

enum { DESK = 0, ORIGIN = 1, CONDUCTOR = 2, GID = 9 };

static void to_desk(struct desk *d, int from, enum csp_keep_kind kind, uint64_t n)
{
    struct csp_keep_msg msg = {.gid = GID, .node = DESK, .kind = (uint16_t)kind, .n = n};
    csp_keep_receive(d->keep, from, &msg, d->now_ns);
}

static void open_desk(struct desk *d)
{
    struct csp_keep_config config = {csp_adapt_config_for(INTERVAL_NS), DESK, note_sent, note_said,
                                     d};
    *d = (struct desk){.now_ns = 1};
    d->keep = csp_keep_new(&config);
}

// With a route that one agent uses.
static void open_kept(struct desk *d)
{
    open_desk(d);
    to_desk(d, ORIGIN, CSP_KEEP_JOIN, CONDUCTOR);
}

static void close_kept(struct desk *d)
{
    to_desk(d, ORIGIN, CSP_KEEP_LEAVE, 0);
    to_desk(d, CONDUCTOR, CSP_KEEP_BYE, 0);
    csp_keep_free(d->keep);
}

// An interval in which a user waits so long for an operation.
static void work(struct desk *d, uint64_t wait_ns)
{
    struct csp_keep_msg msg = {
        .gid = GID, .node = DESK, .kind = CSP_KEEP_WORK, .users = 2, .calls = 8, .n = 100};
    msg.waited_ns = msg.n * wait_ns;
    d->now_ns += INTERVAL_NS;
    csp_keep_receive(d->keep, ORIGIN, &msg, d->now_ns);
}

// Changes of the route are agreed at once, probes end when they have shown what they can.
static void agree(struct desk *d, int closes, uint64_t *change)
{
    if (d->sent[CSP_KEEP_CLOSE] > closes)
        to_desk(d, ORIGIN, CSP_KEEP_CLOSED, ++*change);
}

static void interval(struct desk *d, uint64_t wait_ns, uint64_t *change)
{
    int closes = d->sent[CSP_KEEP_CLOSE], tried = d->sent[CSP_KEEP_TRIED];
    work(d, wait_ns);
    agree(d, closes, change);
    closes = d->sent[CSP_KEEP_CLOSE];
    if (d->sent[CSP_KEEP_TRIED] > tried)
        to_desk(d, CONDUCTOR, CSP_KEEP_DECIDE, 0);
    agree(d, closes, change);
}

static void probe(struct desk *d, enum csp_adapt_route route, uint64_t *change)
{
    int closes = d->sent[CSP_KEEP_CLOSE];
    to_desk(d, CONDUCTOR, CSP_KEEP_PROBE, route);
    agree(d, closes, change);
}

// In a probe of another route, where users waited so long.
static void open_probed(struct desk *d, uint64_t wait_ns, uint64_t *change)
{
    open_kept(d);
    for (int i = 0; i < 4; i++)
        interval(d, 10000, change);
    probe(d, CSP_ADAPT_OFF, change);
    for (int i = 0; i < 6; i++)
        work(d, wait_ns);
}

// What is dearer by a half, which needs no second measurement, is used on until the others have measured, too.
static void stays_with_a_probe_until_it_ends_for_all(void **state)
{
    (void)state;
    struct desk d;
    uint64_t change = 0;
    open_probed(&d, 15000, &change);
    assert_int_equal(change, 1);
    assert_int_equal(d.sent[CSP_KEEP_TRIED], 1);
    assert_int_equal(d.sent[CSP_KEEP_CLOSE], 1); // still there
    to_desk(&d, CONDUCTOR, CSP_KEEP_DECIDE, 0);
    assert_int_equal(d.sent[CSP_KEEP_CLOSE], 2);
    to_desk(&d, ORIGIN, CSP_KEEP_CLOSED, ++change);
    close_kept(&d);
}

// One that costs much more is left at once, and the conductor told; one that can not begin is answered, too.
static void leaves_a_probe_that_costs_too_much(void **state)
{
    (void)state;
    struct desk d;
    uint64_t change = 0;
    open_probed(&d, 100000, &change);
    assert_int_equal(d.sent[CSP_KEEP_TRIED], 1);
    assert_int_equal(d.sent[CSP_KEEP_CLOSE], 2);
    to_desk(&d, ORIGIN, CSP_KEEP_CLOSED, ++change);
    to_desk(&d, CONDUCTOR, CSP_KEEP_PROBE, CSP_ADAPT_ON); // its own
    assert_int_equal(d.sent[CSP_KEEP_TRIED], 2);
    close_kept(&d);
}

// A user that waits for all nodes at once loses what all keepers measure, each a part of it: the next probe waits for that.
static void plans_by_what_all_lost(void **state)
{
    (void)state;
    static const uint64_t lost_ns[] = {0, 2 * INTERVAL_NS};
    const double budget = csp_adapt_config_for(INTERVAL_NS).budget;
    uint64_t begin_ns, waited_ns[2];
    for (int i = 0; i < 2; i++) {
        struct desk d;
        uint64_t change = 0;
        open_probed(&d, 15000, &change);
        to_desk(&d, CONDUCTOR, CSP_KEEP_DECIDE, lost_ns[i]);
        to_desk(&d, ORIGIN, CSP_KEEP_CLOSED, ++change);
        begin_ns = d.now_ns;
        for (int wants = d.sent[CSP_KEEP_WANT]; d.sent[CSP_KEEP_WANT] == wants;)
            interval(&d, 10000, &change);
        waited_ns[i] = d.now_ns - begin_ns;
        close_kept(&d);
    }
    assert_true((double)waited_ns[0] < (double)lost_ns[1] / budget);
    assert_true((double)waited_ns[1] >= (double)lost_ns[1] / budget);
}

// A conductor and its three keepers, by hand.
enum { KEEPERS = 3 };

static void from_keeper(struct desk *d, int node, enum csp_keep_kind kind, uint32_t of_probe)
{
    struct csp_keep_msg msg = {.gid = GID,
                               .node = node,
                               .kind = (uint16_t)kind,
                               .calls = of_probe,
                               .users = of_probe > 0, // it took part
                               .n = CSP_ADAPT_OFF,
                               .patience_ns = INTERVAL_NS};
    csp_keep_receive(d->keep, node, &msg, d->now_ns);
}

static void from_keepers(struct desk *d, int first, enum csp_keep_kind kind, uint32_t of_probe)
{
    for (int i = first; i < KEEPERS; i++)
        from_keeper(d, i, kind, of_probe);
}

// Most of them want a probe.
static void open_conductor(struct desk *d)
{
    open_desk(d);
    from_keepers(d, 0, CSP_KEEP_ENROL, 0);
    from_keepers(d, 1, CSP_KEEP_WANT, 0);
}

static void ends_a_probe_for_all_at_once(void **state)
{
    (void)state;
    struct desk d;
    open_conductor(&d);
    assert_int_equal(d.sent[CSP_KEEP_PROBE], KEEPERS);
    from_keepers(&d, 1, CSP_KEEP_TRIED, 1);
    assert_int_equal(d.sent[CSP_KEEP_DECIDE], 0);
    from_keepers(&d, 0, CSP_KEEP_WANT, 0); // has to wait
    assert_int_equal(d.sent[CSP_KEEP_PROBE], KEEPERS);
    from_keeper(&d, 0, CSP_KEEP_TRIED, 1);
    assert_int_equal(d.sent[CSP_KEEP_DECIDE], KEEPERS);
    d.now_ns += INTERVAL_NS / 8;
    csp_keep_turn(d.keep, d.now_ns);
    assert_int_equal(d.sent[CSP_KEEP_PROBE], 2 * KEEPERS);
    from_keepers(&d, 0, CSP_KEEP_TRIED, 1); // late ones of the first
    assert_int_equal(d.sent[CSP_KEEP_DECIDE], KEEPERS);
    from_keepers(&d, 1, CSP_KEEP_TRIED, 2);
    from_keeper(&d, 0, CSP_KEEP_QUIT, 0); // nobody waits for who has left
    assert_int_equal(d.sent[CSP_KEEP_DECIDE], 2 * KEEPERS - 1);
    from_keepers(&d, 1, CSP_KEEP_QUIT, 0);
    csp_keep_free(d.keep);
}

// What a user lost is what it lost at the targets of all keepers.
static void tells_what_a_probe_cost(void **state)
{
    (void)state;
    struct desk d;
    open_conductor(&d);
    for (int i = 0; i < KEEPERS; i++) {
        struct csp_keep_msg msg = {.gid = GID, .node = i, .kind = CSP_KEEP_TRIED, .calls = 1};
        msg.users = 1;
        msg.n = KEEPERS; // nodes whose users it heard of
        msg.waited_ns = 1000;
        csp_keep_receive(d.keep, i, &msg, d.now_ns);
    }
    assert_int_equal(d.sent[CSP_KEEP_DECIDE], KEEPERS);
    assert_int_equal(d.lost_ns, KEEPERS * 1000);
    from_keepers(&d, 0, CSP_KEEP_QUIT, 0);
    csp_keep_free(d.keep);
}

// Where little is done a measurement takes long: others do not wait for it, least of all when most have theirs.
static void ends_a_probe_in_time(void **state)
{
    (void)state;
    for (int answers = 0; answers < KEEPERS; answers++) {
        struct desk d;
        open_conductor(&d);
        from_keepers(&d, KEEPERS - answers, CSP_KEEP_TRIED, 1);
        uint64_t begin_ns = d.now_ns;
        for (; d.sent[CSP_KEEP_DECIDE] == 0; d.now_ns += TURN_NS)
            csp_keep_turn(d.keep, d.now_ns);
        uint64_t intervals = (d.now_ns - begin_ns + INTERVAL_NS / 2) / INTERVAL_NS;
        assert_int_equal(intervals, 2 * answers > KEEPERS ? 4 : 8);
        from_keepers(&d, 0, CSP_KEEP_QUIT, 0);
        csp_keep_free(d.keep);
    }
}

// A keeper that wants a probe, and changes by what it knows before the conductor says so, wants one again later.
static void wants_again_after_a_change_without_a_probe(void **state)
{
    (void)state;
    struct desk d;
    uint64_t change = 0;
    open_kept(&d);
    interval(&d, 10000, &change); // wants to know the other route
    assert_int_equal(d.sent[CSP_KEEP_WANT], 1);
    probe(&d, CSP_ADAPT_OFF, &change);
    for (int i = 0; i < 4; i++) // which costs the same
        interval(&d, 10000, &change);
    while (d.sent[CSP_KEEP_WANT] < 2)
        interval(&d, 10000, &change);
    for (uint64_t i = 0; change < 3; i++) { // dearer, but no other phase
        assert_true(i < 1000);
        interval(&d, 10000 + 120 * (i < 10 ? i : 10), &change);
    }
    to_desk(&d, CONDUCTOR, CSP_KEEP_PROBE, CSP_ADAPT_OFF); // that is its route by now
    for (int i = 0; i < 200; i++)
        interval(&d, 10000, &change);
    assert_int_equal(d.sent[CSP_KEEP_WANT], 3);
    close_kept(&d);
}

// What is found better is told when it is there: after a probe it is, else when all have agreed.
static void tells_a_change_when_it_is_made(void **state)
{
    (void)state;
    struct desk d;
    uint64_t change = 0;
    open_kept(&d);
    interval(&d, 10000, &change);
    probe(&d, CSP_ADAPT_OFF, &change);
    for (int i = 0; d.said == 0; i++) {
        assert_true(i < 100);
        interval(&d, 6000, &change);
    }
    assert_int_equal(change, 1);
    assert_true(d.off && d.waited_ns > 5990 && d.waited_ns < 6010);
    int closes = d.sent[CSP_KEEP_CLOSE];
    for (uint64_t i = 0; d.sent[CSP_KEEP_CLOSE] == closes; i++) { // dearer, but no other phase
        assert_true(i < 1000);
        work(&d, 6000 + 150 * (i < 40 ? i : 40));
    }
    assert_int_equal(d.said, 1);
    to_desk(&d, ORIGIN, CSP_KEEP_CLOSED, ++change);
    assert_int_equal(d.said, 2);
    assert_false(d.off);
    close_kept(&d);
}

// Nobody agrees in time.
static void give_up(struct desk *d)
{
    d->now_ns += INTERVAL_NS / 4 + INTERVAL_NS / 32; // looks are on a grid
    csp_keep_turn(d->keep, d->now_ns);
}

// A change that was given up is tried again after two intervals, with accumulates. Until then one of PUT and GET alone
// may be late as well: nobody holds it up, so it puts off nothing.
static void late_agents_put_off_no_accumulates(void **state)
{
    (void)state;
    struct desk d;
    uint64_t change = 0;
    open_kept(&d);
    interval(&d, 10000, &change);
    to_desk(&d, CONDUCTOR, CSP_KEEP_PROBE, CSP_ADAPT_OFF);
    assert_int_equal(d.asked_for, CSP_GATE_OFF | CSP_GATE_ACC_OFF);
    give_up(&d);
    for (int i = 0; i < 2; i++) { // the probe ends, and another one begins
        to_desk(&d, CONDUCTOR, i == 0 ? CSP_KEEP_DECIDE : CSP_KEEP_PROBE, CSP_ADAPT_OFF);
        assert_int_equal(d.asked_for, i == 0 ? 0 : CSP_GATE_OFF);
        give_up(&d);
    }
    to_desk(&d, CONDUCTOR, CSP_KEEP_DECIDE, 0);
    give_up(&d);
    d.now_ns += 2 * INTERVAL_NS;
    to_desk(&d, CONDUCTOR, CSP_KEEP_PROBE, CSP_ADAPT_OFF);
    assert_int_equal(d.asked_for, CSP_GATE_OFF | CSP_GATE_ACC_OFF);
    give_up(&d);
    close_kept(&d);
}

// The conductor's word to probe may meet the keeper's last one to it.
static void begins_no_change_when_all_have_left(void **state)
{
    (void)state;
    struct desk d;
    uint64_t change = 0;
    open_kept(&d);
    interval(&d, 10000, &change);
    to_desk(&d, ORIGIN, CSP_KEEP_LEAVE, 0);
    assert_int_equal(d.sent[CSP_KEEP_QUIT], 1);
    to_desk(&d, CONDUCTOR, CSP_KEEP_PROBE, CSP_ADAPT_OFF);
    to_desk(&d, CONDUCTOR, CSP_KEEP_BYE, 0);
    assert_int_equal(d.sent[CSP_KEEP_LEFT], 1);
    csp_keep_free(d.keep); // checks that nothing is left
}

// However many windows there are: a ghost looks at all of them, but not once for each.
static void looks_are_few_with_many_windows(void **state)
{
    (void)state;
    enum { MANY = 500, MOST = 80 };
    static struct csp_gate gates[MANY];
    struct desk d;
    int looks = 0;
    open_desk(&d);
    for (uint64_t i = 0; i < MANY; i++) {
        struct csp_keep_msg open = {
            .gid = i, .node = DESK, .kind = CSP_KEEP_OPEN, .n = INTERVAL_NS / CSP_ADAPT_REPORTS};
        csp_gate_init(&gates[i]);
        csp_keep_join(d.keep, i, DESK, CONDUCTOR, &gates[i]);
        d.now_ns += 17 * US;
        csp_keep_receive(d.keep, DESK, &open, d.now_ns);
    }
    for (uint64_t end_ns = d.now_ns + INTERVAL_NS; d.now_ns < end_ns; d.now_ns += TURN_NS)
        looks += csp_keep_turn(d.keep, d.now_ns);
    assert_in_range(looks, 1, MOST);
    for (uint64_t i = 0; i < MANY; i++) {
        struct csp_keep_msg left = {.gid = i, .node = DESK, .kind = CSP_KEEP_LEFT};
        csp_keep_leave(d.keep, i, DESK, &gates[i]);
        csp_keep_receive(d.keep, DESK, &left, d.now_ns);
    }
    csp_keep_free(d.keep);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_route_at_a_time),
        cmocka_unit_test(finds_the_better_route),
        cmocka_unit_test(finds_what_all_must_do_together),
        cmocka_unit_test(goes_on_beside_a_user_that_never_flushes),
        cmocka_unit_test(stops_seldom_beside_a_user_that_never_flushes),
        cmocka_unit_test(wants_again_after_a_change_without_a_probe),
        cmocka_unit_test(tells_a_change_when_it_is_made),
        cmocka_unit_test(late_agents_put_off_no_accumulates),
        cmocka_unit_test(begins_no_change_when_all_have_left),
        cmocka_unit_test(stays_with_a_probe_until_it_ends_for_all),
        cmocka_unit_test(leaves_a_probe_that_costs_too_much),
        cmocka_unit_test(ends_a_probe_for_all_at_once),
        cmocka_unit_test(plans_by_what_all_lost),
        cmocka_unit_test(tells_what_a_probe_cost),
        cmocka_unit_test(ends_a_probe_in_time),
        cmocka_unit_test(looks_are_few_with_many_windows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
