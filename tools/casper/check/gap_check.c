// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Measures the progress gap for `casper check`: rank 0 issues one RMA operation to the last rank
// and waits for it, first while the target sits in MPI (idle), then while it is outside MPI for a
// while (busy). Prints one JSON object. An ordinary MPI program: it knows nothing of Casper.
//   gap_check [COMPUTE_SECONDS [BYTES]]
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define POISON 7          // what the target's memory holds before every operation
#define HEAD_START_S 0.02 // by then the target has left the barrier

struct gap {
    MPI_Win win;
    int rank, target; // of this process; of the target
    int count;        // 8-byte elements of an operation
    long *mem;        // this process's part of the window
    long *buf, *res;  // origin: operands, results
};

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

static void rest(double seconds)
{
    struct timespec t = {(time_t)seconds, (long)((seconds - (time_t)seconds) * 1e9)};
    nanosleep(&t, NULL);
}

static void op_put(struct gap *g)
{
    MPI_Put(g->buf, g->count, MPI_LONG, g->target, 0, g->count, MPI_LONG, g->win);
}

static void op_get(struct gap *g)
{
    MPI_Get(g->res, g->count, MPI_LONG, g->target, 0, g->count, MPI_LONG, g->win);
}

static void op_acc(struct gap *g)
{
    MPI_Accumulate(g->buf, g->count, MPI_LONG, g->target, 0, g->count, MPI_LONG, MPI_SUM, g->win);
}

static void op_get_acc(struct gap *g)
{
    MPI_Get_accumulate(g->buf, g->count, MPI_LONG, g->res, g->count, MPI_LONG, g->target, 0,
                       g->count, MPI_LONG, MPI_SUM, g->win);
}

static void op_fop(struct gap *g)
{
    MPI_Fetch_and_op(g->buf, g->res, MPI_LONG, g->target, 0, MPI_SUM, g->win);
}

static void op_cas(struct gap *g)
{
    static const long old = POISON;
    MPI_Compare_and_swap(g->buf, &old, g->res, MPI_LONG, g->target, 0, g->win);
}

static const struct op {
    const char *name;
    void (*issue)(struct gap *);
    int single;  // one element whatever the count
    int fetches; // res gets the old content
    int writes;  // 0 leaves the target, 1 replaces by buf, 2 adds buf
} ops[] = {
    {"PUT", op_put, 0, 0, 1},         {"GET", op_get, 0, 1, 0}, {"ACC", op_acc, 0, 0, 2},
    {"GET_ACC", op_get_acc, 0, 1, 2}, {"FOP", op_fop, 1, 1, 2}, {"CAS", op_cas, 1, 1, 1},
};
enum { NOPS = sizeof(ops) / sizeof(ops[0]) };

static void poison(struct gap *g)
{
    for (int i = 0; i < g->count; i++) {
        g->mem[i] = POISON;
        g->res[i] = -1;
        g->buf[i] = 100 + i;
    }
    MPI_Win_sync(g->win);
}

/** Wrong elements at the target (memory) or the origin (results). */
static int check(const struct gap *g, const struct op *op)
{
    int wrong = 0, n = op->single ? 1 : g->count;
    MPI_Win_sync(g->win);
    for (int i = 0; i < n; i++) {
        long want = op->writes == 0 ? POISON : op->writes == 1 ? 100 + i : POISON + 100 + i;
        if (g->rank == g->target)
            wrong += g->mem[i] != want;
        if (g->rank == 0 && op->fetches)
            wrong += g->res[i] != POISON;
    }
    return wrong;
}

/** One operation; the target stays outside MPI for `busy_s`. Returns the origin's wait in seconds.
 */
static double one(struct gap *g, const struct op *op, double busy_s, int *errors)
{
    double wait = 0;
    poison(g);
    MPI_Barrier(MPI_COMM_WORLD);
    if (g->rank == g->target && busy_s > 0)
        rest(HEAD_START_S + busy_s);
    if (g->rank == 0) {
        rest(HEAD_START_S);
        double start = now_s();
        op->issue(g);
        MPI_Win_flush(g->target, g->win);
        wait = now_s() - start;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    *errors += check(g, op);
    return wait;
}

/** Ranks of each shared-memory domain that the MPI library sees, at its lowest rank; 0 elsewhere.
 * `led` has an element for each rank (valid in rank 0). */
static void split_nodes(int *led)
{
    MPI_Comm node;
    int rank, size;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &rank);
    MPI_Comm_size(node, &size);
    int mine = rank == 0 ? size : 0;
    MPI_Gather(&mine, 1, MPI_INT, led, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Comm_free(&node);
}

static void print_nodes(const int *led, int nranks)
{
    int nodes = 0;
    printf("\"node_ranks\": [");
    for (int i = 0; i < nranks; i++)
        if (led[i])
            printf("%s%d", nodes++ ? ", " : "", led[i]);
    printf("], \"nodes\": %d, ", nodes);
}

static void print_result(const struct gap *g, double compute_s, const int *led, const double *idle,
                         const double *busy, const int *total)
{
    printf("{\"compute_s\": %g, \"bytes\": %zu, \"ranks\": %d, ", compute_s,
           g->count * sizeof(long), g->target + 1);
    print_nodes(led, g->target + 1);
    printf("\"rows\": [");
    for (int i = 0; i < NOPS; i++)
        printf("%s{\"op\": \"%s\", \"idle_s\": %.7f, \"busy_s\": %.7f, \"errors\": %d}",
               i ? ", " : "", ops[i].name, idle[i], busy[i], total[i]);
    printf("]}\n");
}

static void measure(struct gap *g, double compute_s)
{
    int *led = calloc((size_t)g->target + 1, sizeof(*led));
    split_nodes(led);
    double idle[NOPS], busy[NOPS];
    int errors[NOPS] = {0}, total[NOPS];
    for (int i = 0; i < NOPS; i++) {
        one(g, &ops[i], 0, &errors[i]); // connections are made on the way
        idle[i] = one(g, &ops[i], 0, &errors[i]);
        busy[i] = one(g, &ops[i], compute_s, &errors[i]);
    }
    MPI_Reduce(errors, total, NOPS, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (g->rank == 0)
        print_result(g, compute_s, led, idle, busy, total);
    free(led);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    double compute_s = argc > 1 ? atof(argv[1]) : 0.3;
    int bytes = argc > 2 ? atoi(argv[2]) : 4096;
    int size;
    struct gap g = {.count = bytes >= 16 ? bytes / 16 * 2 : 2};
    MPI_Comm_rank(MPI_COMM_WORLD, &g.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size < 2) {
        fprintf(stderr, "gap_check: needs two ranks\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    g.target = size - 1;
    g.buf = malloc(g.count * sizeof(long));
    g.res = malloc(g.count * sizeof(long));
    MPI_Win_allocate(g.count * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &g.mem,
                     &g.win);
    MPI_Win_lock_all(0, g.win);
    measure(&g, compute_s);
    MPI_Win_unlock_all(g.win);
    MPI_Win_free(&g.win);
    free(g.buf);
    free(g.res);
    MPI_Finalize();
    return 0;
}
