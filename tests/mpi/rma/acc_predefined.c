// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Accumulates of every predefined type of every language with every operation that it is defined for: they leave and fetch
// what MPI_Reduce_local makes of the same operands. With an argument: pairs with a gap between two of them, which some
// libraries get wrong.
#include "csp_test_rma.h"

enum { N = 3, MOST_BYTES = 32, OPS = 13, CALLS = 3 };

enum kind { INTEGER, OTHER_INTEGER, REAL, COMPLEX, LOGICAL, BYTES, PAIR, OTHER };

struct type {
    MPI_Datatype mpi;
    const char *name;
    enum kind kind;
    enum kind value; // of a pair: what its value is,
    int index_at;    // and where its index is
    enum kind index;
};

#define T(kind, name) {MPI_##name, #name, kind, OTHER, 0, OTHER}
#define P(value, name, at, index) {MPI_##name, #name, PAIR, value, at, index}

static const struct type types[] = {
    T(INTEGER, SIGNED_CHAR),
    T(INTEGER, UNSIGNED_CHAR),
    T(INTEGER, SHORT),
    T(INTEGER, UNSIGNED_SHORT),
    T(INTEGER, INT),
    T(INTEGER, UNSIGNED),
    T(INTEGER, LONG),
    T(INTEGER, UNSIGNED_LONG),
    T(INTEGER, LONG_LONG),
    T(INTEGER, UNSIGNED_LONG_LONG),
    T(INTEGER, INT8_T),
    T(INTEGER, INT16_T),
    T(INTEGER, INT32_T),
    T(INTEGER, INT64_T),
    T(INTEGER, UINT8_T),
    T(INTEGER, UINT16_T),
    T(INTEGER, UINT32_T),
    T(INTEGER, UINT64_T),
    T(OTHER_INTEGER, AINT),
    T(OTHER_INTEGER, OFFSET),
    T(OTHER_INTEGER, COUNT),
    T(OTHER_INTEGER, INTEGER),
    T(OTHER_INTEGER, INTEGER1),
    T(OTHER_INTEGER, INTEGER2),
    T(OTHER_INTEGER, INTEGER4),
    T(OTHER_INTEGER, INTEGER8),
    T(REAL, FLOAT),
    T(REAL, DOUBLE),
    T(REAL, LONG_DOUBLE),
    T(REAL, REAL),
    T(REAL, DOUBLE_PRECISION),
    T(REAL, REAL4),
    T(REAL, REAL8),
    T(COMPLEX, C_FLOAT_COMPLEX),
    T(COMPLEX, C_DOUBLE_COMPLEX),
    T(COMPLEX, C_LONG_DOUBLE_COMPLEX),
    T(COMPLEX, COMPLEX),
    T(COMPLEX, DOUBLE_COMPLEX),
    T(COMPLEX, COMPLEX8),
    T(COMPLEX, COMPLEX16),
    T(COMPLEX, CXX_FLOAT_COMPLEX),
    T(COMPLEX, CXX_DOUBLE_COMPLEX),
    T(COMPLEX, CXX_LONG_DOUBLE_COMPLEX),
    T(LOGICAL, C_BOOL),
    T(LOGICAL, CXX_BOOL),
    T(LOGICAL, LOGICAL),
    T(BYTES, BYTE),
    T(OTHER, CHAR),
    T(OTHER, WCHAR),
    T(OTHER, CHARACTER),
    P(INTEGER, 2INT, 4, INTEGER),
    P(REAL, FLOAT_INT, 4, INTEGER),
    P(INTEGER, 2INTEGER, 4, INTEGER),
    P(REAL, 2REAL, 4, REAL),
    P(REAL, 2DOUBLE_PRECISION, 8, REAL),
    P(INTEGER, LONG_INT, 8, INTEGER),
    P(REAL, DOUBLE_INT, 8, INTEGER),
    P(REAL, LONG_DOUBLE_INT, 16, INTEGER),
};

struct op {
    MPI_Op mpi;
    const char *name;
    unsigned kinds; // that it is for
};

#define O(name, kinds) {MPI_##name, #name, kinds}
#define K(kind) (1u << (kind))

static const struct op ops[OPS] = {
    O(SUM, K(INTEGER) | K(OTHER_INTEGER) | K(REAL) | K(COMPLEX)),
    O(PROD, K(INTEGER) | K(OTHER_INTEGER) | K(REAL) | K(COMPLEX)),
    O(MAX, K(INTEGER) | K(OTHER_INTEGER) | K(REAL)),
    O(MIN, K(INTEGER) | K(OTHER_INTEGER) | K(REAL)),
    O(LAND, K(INTEGER) | K(LOGICAL)),
    O(LOR, K(INTEGER) | K(LOGICAL)),
    O(LXOR, K(INTEGER) | K(LOGICAL)),
    O(BAND, K(INTEGER) | K(OTHER_INTEGER) | K(BYTES)),
    O(BOR, K(INTEGER) | K(OTHER_INTEGER) | K(BYTES)),
    O(BXOR, K(INTEGER) | K(OTHER_INTEGER) | K(BYTES)),
    O(MINLOC, K(PAIR)),
    O(MAXLOC, K(PAIR)),
    O(REPLACE, ~0u),
};

static MPI_Win win;
static unsigned char *base;
static int size, extent; // of the type

static void put_number(void *to, enum kind kind, int bytes, int value)
{
    const int64_t whole = value;
    const float f = (float)value;
    const double d = value;
    const long double ld = value;
    if (kind != REAL)
        memcpy(to, &whole, (size_t)bytes); // the lowest bytes first
    else if (bytes == (int)sizeof f)
        memcpy(to, &f, sizeof f);
    else if (bytes == (int)sizeof d)
        memcpy(to, &d, sizeof d);
    else
        memcpy(to, &ld, 10); // without what is between two of them
}

static void put_element(const struct type *t, unsigned char *to, int value)
{
    memset(to, 0, (size_t)extent);
    if (t->kind == COMPLEX) {
        put_number(to, REAL, size / 2, value);
        put_number(to + size / 2, REAL, size / 2, value + 1);
    } else if (t->kind == PAIR) {
        int index_bytes = t->index == REAL ? size / 2 : (int)sizeof(int);
        put_number(to, t->value, size - index_bytes, value);
        put_number(to + t->index_at, t->index, index_bytes, value + 10);
    } else if (t->kind == REAL) {
        put_number(to, REAL, size, value);
    } else {
        put_number(to, INTEGER, size, t->kind == LOGICAL ? value & 1 : value);
    }
}

static void put_all(const struct type *t, unsigned char *to, int first)
{
    for (int i = 0; i < N; i++)
        put_element(t, to + i * extent, (first + i) % 4);
}

// What is between the numbers of a type is anything.
static void clean(const struct type *t, unsigned char *data)
{
    const int is_long = strstr(t->name, "LONG_DOUBLE") != NULL;
    for (int at = 0; is_long && at < N * extent; at += 16)
        if (t->kind != PAIR || at % extent == 0)
            memset(data + at + 10, 0, 6);
    if (t->kind == PAIR && extent > size) {
        const int end = t->index_at + (int)sizeof(int);
        for (int at = 0; at < N * extent; at += extent)
            memset(data + at + end, 0, (size_t)(extent - end));
    }
}

static void expect(const struct type *t, const unsigned char *got, const unsigned char *want,
                   const char *op, const char *what)
{
    unsigned char have[N * MOST_BYTES], good[N * MOST_BYTES];
    memcpy(have, got, (size_t)N * (size_t)extent);
    memcpy(good, want, (size_t)N * (size_t)extent);
    clean(t, have);
    clean(t, good);
    CHECK_MSG(memcmp(have, good, (size_t)N * (size_t)extent) == 0, "MPI_%s, MPI_%s: wrong %s",
              t->name, op, what);
}

// Where the operands of a call are at the target.
static int slot(int op, int call)
{
    return (op * CALLS + call) * N * extent;
}

static int start(int op, int call)
{
    return op + 2 * call;
}

static void issue(const struct type *t, int op, int to, unsigned char *fetched)
{
    unsigned char *data = fetched + 2 * N * MOST_BYTES;
    MPI_Op o = ops[op].mpi;
    put_all(t, data, csp_test_rank + op);
    MPI_Accumulate(data, N, t->mpi, to, slot(op, 0), N, t->mpi, o, win);
    MPI_Get_accumulate(data, N, t->mpi, fetched, N, t->mpi, to, slot(op, 1), N, t->mpi, o, win);
    for (int i = 0; i < N; i++)
        MPI_Fetch_and_op(data + i * extent, fetched + N * MOST_BYTES + i * extent, t->mpi, to,
                         slot(op, 2) + i * extent, o, win);
}

static void check_target(const struct type *t, int op, int from)
{
    unsigned char data[N * MOST_BYTES], want[N * MOST_BYTES];
    put_all(t, data, from + op);
    for (int call = 0; call < CALLS; call++) {
        put_all(t, want, start(op, call));
        if (ops[op].mpi == MPI_REPLACE)
            memcpy(want, data, sizeof want);
        else if (MPI_Reduce_local(data, want, N, t->mpi, ops[op].mpi) != MPI_SUCCESS)
            FAIL("MPI_Reduce_local refuses MPI_%s, MPI_%s", t->name, ops[op].name);
        expect(t, base + slot(op, call), want, ops[op].name, call == 0 ? "sum" : "sum, fetched");
    }
}

static void check_origin(const struct type *t, int op, const unsigned char *fetched)
{
    unsigned char want[N * MOST_BYTES];
    for (int call = 1; call < CALLS; call++) {
        put_all(t, want, start(op, call));
        expect(t, fetched + (call - 1) * N * MOST_BYTES, want, ops[op].name, "fetched value");
    }
}

static int is_for(const struct type *t, int op)
{
    return (ops[op].kinds & K(t->kind)) != 0;
}

static void between(const struct type *t, int distance)
{
    static unsigned char fetched[OPS][3 * N * MOST_BYTES];
    const int to = (csp_test_rank + distance) % csp_test_size;
    const int from = (csp_test_rank + csp_test_size - distance) % csp_test_size;
    csp_test_own(win, MPI_COMM_WORLD);
    for (int op = 0; op < OPS; op++)
        for (int call = 0; call < CALLS; call++)
            put_all(t, base + slot(op, call), start(op, call));
    csp_test_unown(win, MPI_COMM_WORLD);
    csp_test_epoch_open(CSP_TEST_FENCE, win, MPI_COMM_WORLD);
    for (int op = 0; op < OPS; op++)
        if (is_for(t, op))
            issue(t, op, to, fetched[op]);
    csp_test_epoch_close(CSP_TEST_FENCE, win, MPI_COMM_WORLD);
    for (int op = 0; op < OPS; op++)
        if (is_for(t, op)) {
            check_target(t, op, from);
            check_origin(t, op, fetched[op]);
        }
}

static void test(const struct type *t, int padded)
{
    MPI_Aint lb, bytes;
    PHASE(t->name);
    if (t->mpi == MPI_DATATYPE_NULL)
        return;
    MPI_Type_size(t->mpi, &size);
    if (size <= 0) // a library without that language
        return;
    MPI_Type_get_extent(t->mpi, &lb, &bytes);
    extent = (int)bytes;
    CHECK(extent <= MOST_BYTES);
    if (padded != (extent > size))
        return;
    for (int distance = 0; distance < csp_test_size; distance++)
        between(t, distance);
}

int main(int argc, char **argv)
{
    (void)argv;
    csp_test_init();
    base = csp_test_win_new(OPS * CALLS * N * MOST_BYTES, 1, MPI_COMM_WORLD, &win);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        test(&types[i], argc > 1);
    MPI_Win_free(&win);
    return csp_test_done();
}
