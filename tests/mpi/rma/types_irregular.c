// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Target layouts of many thousand runs that no loop describes: PUT, GET and accumulates of several types, each from
// every rank to its right neighbour. `pairs`: with padding, too, of which some libraries lose data; accumulates alone.
#include "csp_test_rma.h"

enum { BLOCKS = 9000, N = 2 * BLOCKS, SPAN = 5 * BLOCKS + 8, VALUES = 8000 };

struct element {
    const char *name;
    MPI_Datatype type;
    MPI_Op op;
    void (*set)(void *at, int value);
    int (*get)(const void *at);
};

#define DEFINE_PLAIN(fn, ctype)                                                                    \
    static void set_##fn(void *at, int value)                                                      \
    {                                                                                              \
        *(ctype *)at = (ctype)value;                                                               \
    }                                                                                              \
    static int get_##fn(const void *at)                                                            \
    {                                                                                              \
        return (int)*(const ctype *)at;                                                            \
    }
// An index that belongs to the value, else -1.
#define DEFINE_PAIR(fn, ctype)                                                                     \
    struct fn {                                                                                    \
        ctype value;                                                                               \
        int index;                                                                                 \
    };                                                                                             \
    static void set_##fn(void *at, int value)                                                      \
    {                                                                                              \
        ((struct fn *)at)->value = (ctype)value;                                                   \
        ((struct fn *)at)->index = 3 * value;                                                      \
    }                                                                                              \
    static int get_##fn(const void *at)                                                            \
    {                                                                                              \
        const struct fn *p = at;                                                                   \
        return p->index == 3 * (int)p->value ? (int)p->value : -1;                                 \
    }

DEFINE_PLAIN(int, int)
DEFINE_PLAIN(double, double)
DEFINE_PAIR(two_int, int)
DEFINE_PAIR(double_int, double)
DEFINE_PAIR(short_int, short)

static int place(int i) // of element i, in elements
{
    int block = i / 2;
    return 5 * block + (block * block) % 3 + i % 2;
}

static MPI_Datatype irregular(MPI_Datatype basic)
{
    static int at[BLOCKS];
    MPI_Datatype type;
    for (int i = 0; i < BLOCKS; i++)
        at[i] = place(2 * i);
    MPI_Type_create_indexed_block(BLOCKS, 2, at, basic, &type);
    MPI_Type_commit(&type);
    return type;
}

static int theirs(int i)
{
    return 1 + i * 7 % VALUES;
}

static int mine(int i) // larger for every other one
{
    return theirs(i) + (i % 2 ? 1 : -1);
}

static int larger(int i)
{
    return i % 2 ? mine(i) : theirs(i);
}

struct run {
    const struct element *e;
    MPI_Aint extent;
    MPI_Datatype type;
    MPI_Win win;
    char *base, *origin, *result;
    int to;
};

static void check(const struct run *r, const char *what, const char *at, int spread,
                  int (*want)(int i))
{
    for (int i = 0; i < N; i++) {
        int got = r->e->get(at + (spread ? place(i) : i) * r->extent);
        if (got != want(i))
            FAIL("%s %s: element %d is %d, not %d", r->e->name, what, i, got, want(i));
    }
}

static void begin(struct run *r)
{
    csp_test_own(r->win, MPI_COMM_WORLD);
    csp_test_poison(r->base, (size_t)(SPAN * r->extent));
    for (int i = 0; i < N; i++)
        r->e->set(r->base + place(i) * r->extent, theirs(i));
    csp_test_unown(r->win, MPI_COMM_WORLD);
    csp_test_poison(r->result, (size_t)(N * r->extent));
    csp_test_epoch_open(CSP_TEST_LOCK_ALL, r->win, MPI_COMM_WORLD);
}

static void end(struct run *r)
{
    csp_test_epoch_close(CSP_TEST_LOCK_ALL, r->win, MPI_COMM_WORLD);
    for (int i = 1; i < N; i++) { // between the blocks, and behind them
        char *gap = r->base + (place(i - 1) + 1) * r->extent;
        char *stop = r->base + place(i) * r->extent;
        if (!csp_test_is_poison(gap, (size_t)(stop - gap)))
            FAIL("%s: gap before element %d overwritten", r->e->name, i);
    }
}

static void put_get(struct run *r)
{
    begin(r);
    MPI_Put(r->origin, N, r->e->type, r->to, 0, 1, r->type, r->win);
    MPI_Win_flush(r->to, r->win);
    MPI_Get(r->result, N, r->e->type, r->to, 0, 1, r->type, r->win);
    end(r);
    check(r, "put", r->base, 1, mine);
    check(r, "get", r->result, 0, mine);
}

static void accumulate(struct run *r, MPI_Op op, int (*want)(int i))
{
    begin(r);
    MPI_Accumulate(r->origin, N, r->e->type, r->to, 0, 1, r->type, op, r->win);
    MPI_Get_accumulate(r->origin, N, r->e->type, r->result, N, r->e->type, r->to, 0, 1, r->type, op,
                       r->win);
    end(r);
    check(r, "accumulate", r->base, 1, want);
    check(r, "get_accumulate", r->result, 0, want);
}

static void fetch(struct run *r)
{
    begin(r);
    MPI_Get_accumulate(NULL, 0, r->e->type, r->result, N, r->e->type, r->to, 0, 1, r->type,
                       MPI_NO_OP, r->win);
    end(r);
    check(r, "fetch", r->result, 0, theirs);
}

static void run(const struct element *e)
{
    MPI_Aint lb;
    int size;
    struct run r = {.e = e, .to = (csp_test_rank + 1) % csp_test_size};
    PHASE(e->name);
    MPI_Type_get_extent(e->type, &lb, &r.extent);
    MPI_Type_size(e->type, &size);
    r.type = irregular(e->type);
    r.base = csp_test_win_new(SPAN * r.extent, (int)r.extent, MPI_COMM_WORLD, &r.win);
    r.origin = csp_test_malloc((size_t)(N * r.extent));
    r.result = csp_test_malloc((size_t)(N * r.extent));
    for (int i = 0; i < N; i++)
        e->set(r.origin + i * r.extent, mine(i));
    if (r.extent == size)
        put_get(&r);
    accumulate(&r, e->op, larger);
    accumulate(&r, MPI_REPLACE, mine);
    fetch(&r);
    MPI_Win_free(&r.win);
    MPI_Type_free(&r.type);
    free(r.origin);
    free(r.result);
}

int main(int argc, char **argv)
{
    const struct element all[] = {
        {"MPI_INT", MPI_INT, MPI_MAX, set_int, get_int},
        {"MPI_DOUBLE", MPI_DOUBLE, MPI_MAX, set_double, get_double},
        {"MPI_2INT", MPI_2INT, MPI_MAXLOC, set_two_int, get_two_int},
        {"MPI_DOUBLE_INT", MPI_DOUBLE_INT, MPI_MAXLOC, set_double_int, get_double_int},
        {"MPI_SHORT_INT", MPI_SHORT_INT, MPI_MAXLOC, set_short_int, get_short_int},
    };
    int n = argc > 1 && strcmp(argv[1], "pairs") == 0 ? 5 : 3;
#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION < 5
    n = 3; // 4.1 refuses pairs with padding
#endif
    csp_test_init();
    for (int i = 0; i < n; i++)
        run(&all[i]);
    return csp_test_done();
}
