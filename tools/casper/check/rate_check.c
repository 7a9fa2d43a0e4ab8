// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Measures for `casper calibrate` (TPDS 7.2): iterations of operations and computing, all processes alike, with
// redirection on and off in turns within one job. One line of JSON for each point:
//   rate_check SECONDS OP,TYPE,FLUSH,TARGETS,SIDE,COMPUTE_SECONDS...
// SECONDS: for each point. OP: put get acc get_acc fop cas. TYPE: contiguous, strided (a cube of doubles in the target's
// memory; SIDE: its edge). FLUSH: each, many (a flush behind each operation, or behind all of an iteration). TARGETS:
// all (in turns), node (the processes of the last node). An ordinary MPI program; only the info keys are Casper's.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    LEAST_PAIRS = 3, // unless they take much longer than they may
    MOST_PAIRS = 64,
    OPS = 16, // of an iteration
    MOST_SIDE = 32,
    MOST_ITERATIONS = 1 << 24
};

struct point {
    char op[16], type[16], flush[16], targets[16];
    int side;
    double compute_s;
};

struct run {
    double seconds; // of an iteration
    double rate;    // the targets' share of time in MPI, percent
};

static struct {
    int rank, size, node, last_node, nodes;
    int *far;        // ranks that are targets if TARGETS is node
    int nfar;        // how many
    int is_far;      // this one is among them
    double steps_ps; // of computing, in a second
    MPI_Win win;
    double *mem;       // this process's part of the window
    double *buf, *got; // origin: operands, results of an iteration
} g;

// Of the point that is measured.
static struct {
    struct point p;
    void (*issue)(int target, double *result);
    MPI_Datatype type; // at the target: the whole of an operation
    int count;         // doubles of it
    int each;          // flush behind each operation
    const int *targets;
    int ntargets;
} now;

static double clock_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void close_window(void);

// All processes find the same error; what one says before MPI_Abort may get lost.
static void die(const char *what, const char *word)
{
    if (g.rank == 0)
        fprintf(stderr, "rate_check: %s: %s\n", what, word);
    if (g.buf)
        close_window();
    MPI_Finalize();
    exit(2);
}

// Work, not time: whoever has to share its core computes longer, as a program would.
static void compute(double seconds)
{
    static volatile unsigned long sink;
    unsigned long x = sink | 1;
    for (long left = (long)(seconds * g.steps_ps); left > 0; left--)
        x = x * 6364136223846793005ul + 1442695040888963407ul;
    sink = x;
}

// The best of several short tries: others may use the core meanwhile.
static void measure_computing(void)
{
    double best = 0;
    g.steps_ps = 1e9;
    for (int i = 0; i < 20; i++) {
        double start = clock_s();
        compute(2e-4);
        double got = 2e5 / (clock_s() - start);
        best = got > best ? got : best;
    }
    MPI_Allreduce(&best, &g.steps_ps, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

// Operations

static void put(int target, double *result)
{
    (void)result;
    MPI_Put(g.buf, now.count, MPI_DOUBLE, target, 0, 1, now.type, g.win);
}

static void get(int target, double *result)
{
    MPI_Get(result, now.count, MPI_DOUBLE, target, 0, 1, now.type, g.win);
}

static void acc(int target, double *result)
{
    (void)result;
    MPI_Accumulate(g.buf, now.count, MPI_DOUBLE, target, 0, 1, now.type, MPI_SUM, g.win);
}

static void get_acc(int target, double *result)
{
    MPI_Get_accumulate(g.buf, now.count, MPI_DOUBLE, result, now.count, MPI_DOUBLE, target, 0, 1,
                       now.type, MPI_SUM, g.win);
}

static void fop(int target, double *result)
{
    MPI_Fetch_and_op(g.buf, result, MPI_DOUBLE, target, 0, MPI_SUM, g.win);
}

static void cas(int target, double *result)
{
    static const long old = 0, other = 1;
    MPI_Compare_and_swap(&other, &old, result, MPI_LONG, target, 0, g.win);
}

static const struct {
    const char *name;
    void (*issue)(int, double *);
} ops[] = {
    {"put", put}, {"get", get}, {"acc", acc}, {"get_acc", get_acc}, {"fop", fop}, {"cas", cas},
};

static void choose_op(void)
{
    now.issue = NULL;
    for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
        if (strcmp(now.p.op, ops[i].name) == 0)
            now.issue = ops[i].issue;
    if (!now.issue)
        die("no such operation", now.p.op);
}

static void choose_type(void)
{
    int side = now.p.side, whole[] = {2 * side, 2 * side, 2 * side}, part[] = {side, side, side};
    int start[] = {0, 0, 0};
    now.count = side * side * side;
    if (strcmp(now.p.type, "strided") == 0)
        MPI_Type_create_subarray(3, whole, part, start, MPI_ORDER_C, MPI_DOUBLE, &now.type);
    else
        MPI_Type_contiguous(now.count, MPI_DOUBLE, &now.type);
    MPI_Type_commit(&now.type);
}

// Between a half and one and a half. Processes that all compute equally long would be in MPI together, and need
// nobody's help.
static double uneven(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return 0.5 + (double)(*seed >> 8) / (1 << 24);
}

// One iteration: @return seconds that this process computed.
static double iterate(long iteration, unsigned *seed)
{
    for (int i = 0; i < OPS; i++) {
        long n = g.rank + iteration * OPS + i;
        int target = now.targets[n % now.ntargets];
        now.issue(target, g.got + (long)i * now.count);
        if (now.each)
            MPI_Win_flush(target, g.win);
    }
    if (!now.each)
        MPI_Win_flush_all(g.win);
    if (now.p.compute_s <= 0)
        return 0;
    double start = clock_s();
    compute(now.p.compute_s * uneven(seed));
    return clock_s() - start;
}

// All processes, after a flush of all.
static void redirect(int on)
{
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "async_config", on ? "on" : "off");
    MPI_Info_set(info, "symmetric", "true");
    MPI_Win_flush_all(g.win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_set_info(g.win, info);
    MPI_Info_free(&info);
}

static struct run measure(int on, long iterations)
{
    double computed = 0, sums[2] = {0, 0}, all[2];
    unsigned seed = 7919u * (unsigned)g.rank; // the same with redirection on and off
    int counts = strcmp(now.p.targets, "node") != 0 || g.is_far;
    redirect(on);
    MPI_Barrier(MPI_COMM_WORLD);
    double start = clock_s();
    for (long i = 0; i < iterations; i++)
        computed += iterate(i, &seed);
    MPI_Barrier(MPI_COMM_WORLD);
    double seconds = clock_s() - start;
    if (counts) {
        sums[0] = 1 - computed / seconds;
        sums[1] = 1;
    }
    MPI_Allreduce(sums, all, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Bcast(&seconds, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return (struct run){seconds / (double)iterations, 100 * all[0] / all[1]};
}

// As many iterations as take about so long with redirection on and off together.
static long find_iterations(double pair_s)
{
    long n = 1;
    for (;;) {
        double seconds = (double)n * (measure(1, n).seconds + measure(0, n).seconds);
        if (seconds >= pair_s / 4 || n >= MOST_ITERATIONS) {
            double fit = (double)n * pair_s / seconds;
            return fit < 1 ? 1 : fit > MOST_ITERATIONS ? MOST_ITERATIONS : (long)fit;
        }
        n *= 4;
    }
}

static void print_runs(const char *name, const struct run *runs, int count)
{
    printf(", \"%s\": [", name);
    for (int i = 0; i < count; i++)
        printf("%s[%.9g, %.3f]", i ? ", " : "", runs[i].seconds, runs[i].rate);
    printf("]");
}

// Pairs of runs, on first and off first in turns.
static void measure_point(double slice_s)
{
    struct run on[MOST_PAIRS], off[MOST_PAIRS];
    int pairs = 0, go_on = 1;
    double begin = clock_s(), pair_s = slice_s / 7;
    long iterations = find_iterations(pair_s);
    while (go_on && pairs < MOST_PAIRS) {
        int first = pairs % 2 == 0;
        if (first)
            on[pairs] = measure(1, iterations);
        off[pairs] = measure(0, iterations);
        if (!first)
            on[pairs] = measure(1, iterations);
        pairs++;
        double spent_s = clock_s() - begin;
        go_on = spent_s + pair_s < slice_s || (pairs < LEAST_PAIRS && spent_s < 4 * slice_s);
        MPI_Bcast(&go_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    if (g.rank != 0)
        return;
    printf("{\"iterations\": %ld", iterations);
    print_runs("on", on, pairs);
    print_runs("off", off, pairs);
    printf("}\n");
    fflush(stdout);
}

static void read_point(const char *word)
{
    struct point *p = &now.p;
    int found = sscanf(word, "%15[^,],%15[^,],%15[^,],%15[^,],%d,%lf", p->op, p->type, p->flush,
                       p->targets, &p->side, &p->compute_s);
    if (found != 6 || p->side < 1 || p->side > MOST_SIDE)
        die("not OP,TYPE,FLUSH,TARGETS,SIDE,COMPUTE_SECONDS", word);
    int far = strcmp(p->targets, "node") == 0;
    now.targets = far ? g.far : g.far + g.nfar;
    now.ntargets = far ? g.nfar : g.size;
    now.each = strcmp(p->flush, "each") == 0;
    choose_op();
    choose_type();
}

// Numbers the nodes by their lowest rank; the targets of one node, and behind them all.
static void find_nodes(void)
{
    MPI_Comm node;
    int first = g.rank, *nodes = malloc(sizeof(int) * (size_t)g.size);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Bcast(&first, 1, MPI_INT, 0, node);
    MPI_Comm_free(&node);
    MPI_Allgather(&first, 1, MPI_INT, nodes, 1, MPI_INT, MPI_COMM_WORLD);
    g.far = malloc(2 * sizeof(int) * (size_t)g.size);
    for (int i = 0; i < g.size; i++) {
        g.nodes += nodes[i] == i;
        g.last_node = nodes[i] > g.last_node ? nodes[i] : g.last_node;
    }
    for (int i = 0; i < g.size; i++)
        if (nodes[i] == g.last_node)
            g.far[g.nfar++] = i;
    for (int i = 0; i < g.size; i++)
        g.far[g.nfar + i] = i;
    g.is_far = first == g.last_node;
    free(nodes);
}

static void open_window(void)
{
    MPI_Info info;
    MPI_Aint cells = 8 * MOST_SIDE * MOST_SIDE * MOST_SIDE;
    MPI_Info_create(&info);
    MPI_Info_set(info, "async_config", "on"); // so that it can change
    MPI_Win_allocate(cells * (MPI_Aint)sizeof(double), sizeof(double), info, MPI_COMM_WORLD, &g.mem,
                     &g.win);
    MPI_Info_free(&info);
    memset(g.mem, 0, (size_t)cells * sizeof(double));
    g.buf = calloc((size_t)(cells / 8), sizeof(double));
    g.got = calloc((size_t)(cells / 8) * OPS, sizeof(double));
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, g.win);
}

static void close_window(void)
{
    MPI_Win_unlock_all(g.win);
    MPI_Win_free(&g.win);
    free(g.buf);
    free(g.got);
    free(g.far);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &g.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &g.size);
    if (argc < 3)
        die("usage", "rate_check SECONDS OP,TYPE,FLUSH,TARGETS,SIDE,COMPUTE_SECONDS...");
    find_nodes();
    measure_computing();
    open_window();
    if (g.rank == 0)
        printf("{\"ranks\": %d, \"nodes\": %d}\n", g.size, g.nodes);
    for (int i = 2; i < argc; i++) {
        read_point(argv[i]);
        measure_point(atof(argv[1]));
        MPI_Type_free(&now.type);
    }
    close_window();
    MPI_Finalize();
    return 0;
}
