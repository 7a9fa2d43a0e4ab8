// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// For the tests of derived datatypes: a reference. The element offsets of a datatype of ints are
// found by packing a buffer that holds its own indices, so what an operation moves can be computed
// locally.
#ifndef CSP_TEST_TYPES_H
#define CSP_TEST_TYPES_H

#include "csp_test_rma.h"

enum { TYPE_SPAN = 4096, TYPE_MAX = 1024 }; // ints: extent of a layout, elements in it

struct layout {
    MPI_Datatype type;
    int count;
    int n;            // ints in it
    int at[TYPE_MAX]; // index of each, in the order of the type map
    const char *name;
};

/** Finds the indices of `count` items of a type made of ints, from displacement 0. */
static inline void layout_init(struct layout *l, MPI_Datatype type, int count, const char *name)
{
    static int index[TYPE_SPAN];
    int bytes, position = 0;
    l->type = type;
    l->count = count;
    l->name = name;
    for (int i = 0; i < TYPE_SPAN; i++)
        index[i] = i;
    MPI_Type_size(type, &bytes);
    l->n = bytes / (int)sizeof(int) * count;
    if (l->n > TYPE_MAX)
        abort();
    MPI_Pack(index, count, type, l->at, (int)sizeof l->at, &position, MPI_COMM_SELF);
    if (position != l->n * (int)sizeof(int))
        abort();
}

/** Runs PUT, GET, ACC and GET_ACC from every rank to its right neighbour and checks all memory. */
static inline void layout_check_put(const struct layout *o, const struct layout *t, MPI_Win win,
                                    int *base)
{
    static int src[TYPE_SPAN], want[TYPE_SPAN];
    int to = (csp_test_rank + 1) % csp_test_size;
    int from = (csp_test_rank + csp_test_size - 1) % csp_test_size;
    for (int i = 0; i < TYPE_SPAN; i++)
        src[i] = csp_test_rank * 100000 + i;
    csp_test_win_fill(win, MPI_COMM_WORLD, base, sizeof want, CSP_TEST_POISON);
    csp_test_poison(want, sizeof want);
    for (int i = 0; i < o->n; i++)
        want[t->at[i]] = from * 100000 + o->at[i];
    csp_test_epoch_open(CSP_TEST_LOCK_ALL, win, MPI_COMM_WORLD);
    MPI_Put(src, o->count, o->type, to, 0, t->count, t->type, win);
    csp_test_epoch_close(CSP_TEST_LOCK_ALL, win, MPI_COMM_WORLD);
    for (int i = 0; i < TYPE_SPAN; i++)
        if (base[i] != want[i])
            FAIL("put %s to %s: [%d] is %d, not %d", o->name, t->name, i, base[i], want[i]);
}

static inline void layout_check_get(const struct layout *o, const struct layout *t, MPI_Win win,
                                    int *base)
{
    static int got[TYPE_SPAN], want[TYPE_SPAN];
    int at = (csp_test_rank + 1) % csp_test_size;
    csp_test_own(win, MPI_COMM_WORLD);
    for (int i = 0; i < TYPE_SPAN; i++)
        base[i] = csp_test_rank * 100000 + i;
    csp_test_unown(win, MPI_COMM_WORLD);
    csp_test_poison(got, sizeof got);
    csp_test_poison(want, sizeof want);
    for (int i = 0; i < o->n; i++)
        want[o->at[i]] = at * 100000 + t->at[i];
    csp_test_epoch_open(CSP_TEST_LOCK_ALL, win, MPI_COMM_WORLD);
    MPI_Get(got, o->count, o->type, at, 0, t->count, t->type, win);
    csp_test_epoch_close(CSP_TEST_LOCK_ALL, win, MPI_COMM_WORLD);
    for (int i = 0; i < TYPE_SPAN; i++)
        if (got[i] != want[i])
            FAIL("get %s from %s: [%d] is %d, not %d", o->name, t->name, i, got[i], want[i]);
}

// Everybody adds to rank 0 twice, the second time fetching; each fetched value is the original one
// plus what some number of ranks have added by then.
static inline void layout_check_acc(const struct layout *o, const struct layout *t, MPI_Win win,
                                    int *base)
{
    static int src[TYPE_SPAN], got[TYPE_SPAN];
    for (int i = 0; i < TYPE_SPAN; i++)
        src[i] = 1;
    csp_test_win_fill(win, MPI_COMM_WORLD, base, sizeof src, 0);
    csp_test_poison(got, sizeof got);
    csp_test_epoch_open(CSP_TEST_LOCK_ALL, win, MPI_COMM_WORLD);
    MPI_Accumulate(src, o->count, o->type, 0, 0, t->count, t->type, MPI_SUM, win);
    MPI_Get_accumulate(src, o->count, o->type, got, o->count, o->type, 0, 0, t->count, t->type,
                       MPI_SUM, win);
    csp_test_epoch_close(CSP_TEST_LOCK_ALL, win, MPI_COMM_WORLD);
    for (int i = 0; i < o->n; i++) {
        int g = got[o->at[i]];
        if (g < 1 || g >= 2 * csp_test_size)
            FAIL("get_accumulate %s from %s: element %d is %d", o->name, t->name, i, g);
        got[o->at[i]] = 0x5A5A5A5A; // looked at
        if (csp_test_rank == 0 && base[t->at[i]] != 2 * csp_test_size)
            FAIL("accumulate %s to %s: element %d is %d", o->name, t->name, i, base[t->at[i]]);
    }
    int touched = 0;
    for (int i = 0; i < TYPE_SPAN; i++) {
        touched += base[i] != 0;
        if (got[i] != 0x5A5A5A5A)
            CHECK_MSG(csp_test_is_poison(&got[i], sizeof(int)), "gap [%d] overwritten", i);
    }
    CHECK_INT(touched, csp_test_rank == 0 ? t->n : 0);
}

/** All pairs of `n` layouts that hold the same number of ints. */
static inline void layouts_run(const struct layout *all, int n)
{
    MPI_Win win;
    int *base = csp_test_win_new(sizeof(int) * TYPE_SPAN, sizeof(int), MPI_COMM_WORLD, &win);
    for (int o = 0; o < n; o++)
        for (int t = 0; t < n; t++) {
            PHASE(all[t].name);
            layout_check_put(&all[o], &all[t], win, base);
            layout_check_get(&all[o], &all[t], win, base);
            layout_check_acc(&all[o], &all[t], win, base);
        }
    MPI_Win_free(&win);
}

#endif
