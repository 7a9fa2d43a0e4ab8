// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// What the call of an operation costs the origin, by route or, `lookup`, at another node alone, and what
// MPI_Win_flush_all costs by what was used and what exists. Two nodes or more; rank 0 works, the others leave
// their cores.
// Usage: calls FILE issue | calls FILE created | calls FILE lookup | calls FILE flush USERS_PER_NODE WINDOWS plain|casper
// A call is timed in batches, without the flush that follows each. Modes:
//     whole  the call as it is
//     own    the MPI library's part is taken out (below.h), if it has one
//     empty  what the function costs that stands for the MPI library then
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "below.h"
#include "bench.h"

enum { BATCH = 100, SAMPLES = 40, LEAST = 3, WARM_UP = 1, FLUSHES = 40 };
static const double SETTLE_S = 0.005; // until who spins is alone on a core
static const double LIMIT_S = 0.4;    // of one call, once there are LEAST samples

static int rank, size;
static FILE *out;
static long errors;

static void emit(const char *labels, const char *unit, const double *values, int count)
{
    if (rank == 0)
        bench_emit_in(out, labels, unit, values, count);
}

// ---- calls

struct call {
    MPI_Win win;
    int target;
    MPI_Aint disp;        // at the target
    MPI_Datatype strided; // 8 bytes, as two halves
    int64_t value, result, pad;
};

typedef void call_action(struct call *c);

static void call_put(struct call *c)
{
    MPI_Put(&c->value, 1, MPI_INT64_T, c->target, c->disp, 1, MPI_INT64_T, c->win);
}

static void call_get(struct call *c)
{
    MPI_Get(&c->result, 1, MPI_INT64_T, c->target, c->disp, 1, MPI_INT64_T, c->win);
}

static void call_acc(struct call *c)
{
    MPI_Accumulate(&c->value, 1, MPI_INT64_T, c->target, c->disp, 1, MPI_INT64_T, MPI_REPLACE,
                   c->win);
}

static void call_sum(struct call *c)
{
    static const int64_t zero = 0; // read until the flush
    MPI_Accumulate(&zero, 1, MPI_INT64_T, c->target, c->disp, 1, MPI_INT64_T, MPI_SUM, c->win);
}

static void call_fop(struct call *c)
{
    MPI_Fetch_and_op(&c->value, &c->result, MPI_INT64_T, c->target, c->disp, MPI_REPLACE, c->win);
}

static void call_put_strided(struct call *c)
{
    MPI_Put(&c->value, 1, c->strided, c->target, c->disp, 1, c->strided, c->win);
}

static void call_below(struct call *c)
{
    below_put(&c->value, 1, MPI_INT64_T, c->target, c->disp, 1, MPI_INT64_T, c->win);
}

static const struct {
    const char *name;
    call_action *action;
} actions[] = {
    {"PUT", call_put},     {"GET", call_get}, {"ACC", call_acc},
    {"ACC sum", call_sum}, {"FOP", call_fop}, {"PUT strided", call_put_strided},
};
enum { ACTIONS = sizeof actions / sizeof actions[0] };

// Seconds of BATCH calls, without the flush after them.
static double time_batch(struct call *c, call_action *action, int swallow)
{
    below_swallow = swallow;
    const double start = bench_now();
    for (int k = 0; k < BATCH; k++)
        action(c);
    const double took = bench_now() - start;
    below_swallow = 0;
    if (!swallow)
        MPI_Win_flush(c->target, c->win);
    return took;
}

// ns for each call, by batch, after SETTLE_S of them that do not count. Returns the number of batches.
static int time_batches(struct call *c, call_action *action, int swallow, double *ns)
{
    const double settled = bench_now() + SETTLE_S, end = settled + LIMIT_S;
    while (bench_now() < settled)
        time_batch(c, action, swallow);
    below_reset();
    int count = 0;
    for (; count < SAMPLES && (count < LEAST || bench_now() < end); count++)
        ns[count] = 1e9 * time_batch(c, action, swallow) / BATCH;
    return count;
}

// Whether the MPI library is given the operation: what Casper executes itself is not kept from anybody.
static int is_handed_on(struct call *c, call_action *action)
{
    below_reset();
    time_batch(c, action, 1);
    MPI_Win_flush(c->target, c->win);
    return below_counts.swallowed == BATCH;
}

static void run_call(struct call *c, const char *route, const char *op, call_action *action,
                     int swallow)
{
    double ns[SAMPLES];
    char labels[200];
    const char *mode = action == call_below ? "empty" : swallow ? "own" : "whole";
    if (swallow && !is_handed_on(c, action))
        return;
    const int count = time_batches(c, action, swallow, ns);
    const double attributes = (double)below_counts.attributes / (count * BATCH);
    snprintf(labels, sizeof labels, "\"route\": \"%s\", \"op\": \"%s\", \"mode\": \"%s\"", route,
             op, mode);
    emit(labels, "ns", ns, count);
    snprintf(labels, sizeof labels,
             "\"route\": \"%s\", \"op\": \"%s\", \"mode\": \"attributes %s\"", route, op, mode);
    emit(labels, "count", &attributes, 1);
}

static void check_value(struct call *c)
{
    c->result = 0;
    call_get(c);
    MPI_Win_flush(c->target, c->win);
    errors += c->result != c->value;
}

// Rank 0: all operations of a route. The last one that is not swallowed leaves the value.
static void run_route_at(const char *route, MPI_Win win, int target, MPI_Aint disp)
{
    struct call c = {.win = win, .target = target, .disp = disp, .value = 42};
    MPI_Type_vector(2, 1, 2, MPI_INT, &c.strided);
    MPI_Type_commit(&c.strided);
    for (int i = 0; i < ACTIONS; i++) {
        for (int swallow = 0; swallow <= 1; swallow++)
            run_call(&c, route, actions[i].name, actions[i].action, swallow);
        if (actions[i].action != call_sum)
            check_value(&c);
    }
    run_call(&c, route, "PUT", call_below, 1);
    MPI_Type_free(&c.strided);
}

static void run_route(const char *route, MPI_Win win, int target)
{
    run_route_at(route, win, target, 0);
}

static MPI_Win open_window(MPI_Comm comm, int shared)
{
    MPI_Win win;
    int64_t *base;
    if (shared)
        MPI_Win_allocate_shared(64, 8, MPI_INFO_NULL, comm, &base, &win);
    else
        MPI_Win_allocate(64, 8, MPI_INFO_NULL, comm, &base, &win);
    memset(base, 0, 64);
    MPI_Win_lock_all(0, win);
    MPI_Win_sync(win);
    return win;
}

static void close_window(MPI_Win *win)
{
    MPI_Win_unlock_all(*win);
    MPI_Win_free(win);
}

static void group_issue(void)
{
    MPI_Comm node;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Win all = open_window(MPI_COMM_WORLD, 0), here = open_window(node, 0),
            shared = open_window(node, 1);
    bench_quiet_barrier();
    if (rank == 0) {
        run_route("own memory", all, 0);
        run_route("same node", all, 1);
        run_route("other node", all, size - 1);
        run_route("window of one node", here, 1);
        run_route("not redirected", shared, 1);
    }
    bench_quiet_barrier();
    close_window(&shared);
    close_window(&here);
    close_window(&all);
    MPI_Comm_free(&node);
}

// Windows on memory that no ghost maps: with ghosts alone, since some libraries do not end these without.
static void group_created(void)
{
    MPI_Win created, dynamic;
    int64_t *base = calloc(8, sizeof *base);
    MPI_Aint *at = calloc((size_t)size, sizeof *at);
    if (base == NULL || at == NULL)
        bench_die("no memory");
    MPI_Win_create(base, 32, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &created);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic);
    MPI_Win_attach(dynamic, base + 4, 32);
    MPI_Get_address(base + 4, &at[rank]);
    MPI_Allgather(MPI_IN_PLACE, 1, MPI_AINT, at, 1, MPI_AINT, MPI_COMM_WORLD);
    MPI_Win_lock_all(0, created);
    MPI_Win_lock_all(0, dynamic);
    bench_quiet_barrier();
    if (rank == 0) {
        run_route("created, same node", created, 1);
        run_route("created, other node", created, size - 1);
        run_route_at("dynamic, same node", dynamic, 1, at[1]);
        run_route_at("dynamic, other node", dynamic, size - 1, at[size - 1]);
    }
    bench_quiet_barrier();
    close_window(&created);
    MPI_Win_unlock_all(dynamic);
    MPI_Win_detach(dynamic, base + 4);
    MPI_Win_free(&dynamic);
    free(at);
    free(base);
}

// What redirection that may change adds to a call is found by running this with and without it.
static void group_lookup(void)
{
    MPI_Win all = open_window(MPI_COMM_WORLD, 0);
    struct call c = {.win = all, .target = size - 1, .value = 42};
    bench_quiet_barrier();
    if (rank == 0)
        run_call(&c, "other node", "PUT", call_put, 1);
    bench_quiet_barrier();
    close_window(&all);
}

// ---- flush_all

static void run_flush(MPI_Win win, int users_per_node, int used)
{
    double us[FLUSHES];
    char labels[200];
    const int64_t value = 42 + used;
    below_reset();
    for (int i = -WARM_UP; i < FLUSHES; i++) {
        for (int k = 1; k <= used; k++)
            MPI_Put(&value, 1, MPI_INT64_T, k * users_per_node, 0, 1, MPI_INT64_T, win);
        const double start = bench_now();
        MPI_Win_flush_all(win);
        if (i >= 0)
            us[i] = 1e6 * (bench_now() - start);
    }
    const double flushes = (double)below_counts.flushes / (WARM_UP + FLUSHES);
    for (int k = 1; k <= used; k++) {
        struct call c = {.win = win, .target = k * users_per_node, .value = value};
        check_value(&c);
    }
    snprintf(labels, sizeof labels, "\"used\": %d, \"mode\": \"flush_all\"", used);
    emit(labels, "us", us, FLUSHES);
    snprintf(labels, sizeof labels, "\"used\": %d, \"mode\": \"flushes\"", used);
    emit(labels, "count", &flushes, 1);
}

// The last window is flushed. Plain, a target must make progress itself: only what was not used.
static void group_flush(int users_per_node, int windows, int plain)
{
    MPI_Win *wins = calloc((size_t)windows, sizeof *wins);
    if (wins == NULL)
        bench_die("no memory");
    for (int i = 0; i < windows; i++)
        wins[i] = open_window(MPI_COMM_WORLD, 0);
    bench_quiet_barrier();
    const int others = size / users_per_node - 1;
    if (rank == 0) {
        run_flush(wins[windows - 1], users_per_node, 0);
        if (!plain)
            run_flush(wins[windows - 1], users_per_node, 1);
        if (!plain && others > 1)
            run_flush(wins[windows - 1], users_per_node, others);
    }
    bench_quiet_barrier();
    for (int i = 0; i < windows; i++)
        close_window(&wins[i]);
    free(wins);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    if (argc != 3 && argc != 6)
        bench_die(
            "usage: calls FILE issue|created|lookup | calls FILE flush USERS_PER_NODE WINDOWS "
            "plain|casper");
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0 && (out = fopen(argv[1], "w")) == NULL)
        bench_die("cannot write %s", argv[1]);
    if (argc == 3 && strcmp(argv[2], "lookup") == 0)
        group_lookup();
    else if (argc == 3 && strcmp(argv[2], "created") == 0)
        group_created();
    else if (argc == 3)
        group_issue();
    else
        group_flush(atoi(argv[3]), atoi(argv[4]), strcmp(argv[5], "plain") == 0);
    const int code = bench_verdict(errors);
    MPI_Finalize();
    return code;
}
