// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// All ranks hammer the same elements of a target with overlapping, strided and contiguous accumulates
// of different calls; every update adds a bit of its own to each element it touches. So what is
// fetched says which updates were there before, and the checker asks of each element:
// - all values fetched are a chain: of any two one contains the other, and no two are equal
//   (updates are atomic, MPI-4.1 12.7.1);
// - a fetch contains all earlier updates of its origin and none of its later ones (ordering, 12.7.2);
// - at the end all bits are there, and every element was updated by whom it should.
#include "csp_test_rma.h"

// Elements lie at an odd multiple of 8 bytes, so that larger updates straddle any segment border.
enum { ELEMENTS = 37, ROUNDS = 3, BITS = 60, MAX_UPDATES = 15, OFFSET_BYTES = 8 };

struct update {
    int first, count, step; // elements first, first + step, ...
    uint64_t bit;           // in each element
    uint64_t got[ELEMENTS]; // fetched, where it fetches
    int fetches;
};

static unsigned state;

static int pick(int n)
{
    state = state * 1664525u + 1013904223u;
    return (int)((state >> 8) % (unsigned)n);
}

static void plan(struct update *u, int number)
{
    u->step = 1 + pick(4);
    u->first = pick(ELEMENTS);
    u->count = 1 + pick((ELEMENTS - 1 - u->first) / u->step + 1);
    u->count = pick(4) == 0 ? 1 : u->count;
    u->bit = (uint64_t)1 << number;
    u->fetches = pick(3) != 0;
    csp_test_poison(u->got, sizeof u->got);
}

static void issue(struct update *u, const uint64_t *data, int target, MPI_Win win)
{
    MPI_Datatype strided;
    MPI_Aint at = OFFSET_BYTES + (MPI_Aint)u->first * 8;
    MPI_Type_vector(u->count, 1, u->step, MPI_UINT64_T, &strided);
    MPI_Type_commit(&strided);
    if (u->fetches && u->count == 1)
        MPI_Fetch_and_op(data, u->got, MPI_UINT64_T, target, at, MPI_SUM, win);
    else if (u->fetches)
        MPI_Get_accumulate(data, u->count, MPI_UINT64_T, u->got, u->count, MPI_UINT64_T, target, at,
                           1, strided, MPI_SUM, win);
    else
        MPI_Accumulate(data, u->count, MPI_UINT64_T, target, at, 1, strided, MPI_SUM, win);
    MPI_Type_free(&strided);
}

/** The place of element `e` in the data of an update, or -1. */
static int place(const struct update *u, int e)
{
    int i = (e - u->first) / u->step;
    return e >= u->first && (e - u->first) % u->step == 0 && i < u->count ? i : -1;
}

/** What is known after all is done: the updates of all ranks. */
struct record {
    const struct update *all; // [rank][MAX_UPDATES]
    int each;
};

static void check_order(const struct record *r, int rank, int number, int e, uint64_t got)
{
    for (int k = 0; k < r->each; k++) {
        const struct update *other = &r->all[rank * MAX_UPDATES + k];
        if (place(other, e) >= 0)
            CHECK_MSG(!!(got & other->bit) == (k < number),
                      "element %d: update %d of rank %d %s update %d of the same rank", e, number,
                      rank, got & other->bit ? "sees" : "does not see", k);
    }
}

/** Sorted by the number of bits, each value must contain the one before it and one bit more at least. */
static void check_chain(uint64_t *got, int n, int e)
{
    for (int i = 1; i < n; i++)
        for (int k = i; k > 0 && __builtin_popcountll(got[k]) < __builtin_popcountll(got[k - 1]);
             k--) {
            uint64_t was = got[k];
            got[k] = got[k - 1];
            got[k - 1] = was;
        }
    for (int i = 1; i < n; i++)
        CHECK_MSG((got[i] & got[i - 1]) == got[i - 1] && got[i] != got[i - 1],
                  "element %d: fetched %llx and %llx, which is no order of updates", e,
                  (unsigned long long)got[i - 1], (unsigned long long)got[i]);
}

static void check_element(const struct record *r, int e, uint64_t last)
{
    uint64_t got[BITS], want = 0;
    int n = 0;
    for (int i = 0; i < csp_test_size * MAX_UPDATES; i++) {
        const struct update *u = &r->all[i];
        int at = i % MAX_UPDATES < r->each ? place(u, e) : -1;
        want |= at >= 0 ? u->bit : 0;
        if (at < 0 || !u->fetches)
            continue;
        check_order(r, i / MAX_UPDATES, i % MAX_UPDATES, e, u->got[at]);
        got[n++] = u->got[at];
    }
    check_chain(got, n, e);
    CHECK_MSG(last == want, "element %d is %llx at the end, not %llx", e, (unsigned long long)last,
              (unsigned long long)want);
}

static void run(enum csp_test_epoch kind, MPI_Win win, uint64_t *base, MPI_Aint bytes, int target)
{
    int each = BITS / csp_test_size < MAX_UPDATES ? BITS / csp_test_size : MAX_UPDATES;
    struct update mine[MAX_UPDATES] = {{0}};
    struct update *all = calloc((size_t)csp_test_size * MAX_UPDATES, sizeof *all);
    uint64_t data[MAX_UPDATES][ELEMENTS], last[ELEMENTS];
    csp_test_win_fill(win, MPI_COMM_WORLD, base, bytes, 0);
    for (int k = 0; k < each; k++) {
        plan(&mine[k], csp_test_rank * each + k);
        for (int i = 0; i < ELEMENTS; i++)
            data[k][i] = mine[k].bit;
    }
    csp_test_epoch_open(kind, win, MPI_COMM_WORLD);
    for (int k = 0; k < each; k++)
        issue(&mine[k], data[k], target, win);
    csp_test_epoch_close(kind, win, MPI_COMM_WORLD);
    MPI_Allgather(mine, sizeof mine, MPI_BYTE, all, sizeof mine, MPI_BYTE, MPI_COMM_WORLD);
    if (csp_test_rank == target)
        memcpy(last, base + OFFSET_BYTES / 8, sizeof last);
    MPI_Bcast(last, sizeof last, MPI_BYTE, target, MPI_COMM_WORLD);
    struct record record = {all, each};
    for (int e = 0; e < ELEMENTS && csp_test_rank == target; e++)
        check_element(&record, e, last[e]);
    free(all);
}

/** `created`: a window of MPI_Win_create. */
int main(int argc, char **argv)
{
    csp_test_init();
    MPI_Win win;
    MPI_Aint bytes = OFFSET_BYTES + 8 * (MPI_Aint)ELEMENTS + 16;
    int created = argc > 1 && strcmp(argv[1], "created") == 0;
    uint64_t *base = created ? csp_test_malloc((size_t)bytes) : NULL;
    state = 99u + (unsigned)csp_test_rank;
    if (created)
        MPI_Win_create(base, bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    else
        base = csp_test_win_new(bytes, 1, MPI_COMM_WORLD, &win);
    FOR_EACH_EPOCH(kind)
    for (int r = 0; r < ROUNDS; r++)
        for (int target = 0; target < csp_test_size; target++)
            run(kind, win, base, bytes, target);
    MPI_Win_free(&win);
    free(created ? base : NULL);
    return csp_test_done();
}
