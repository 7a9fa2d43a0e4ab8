// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "runtime/reduce.h"

#include <stdatomic.h>
#include <stdint.h>
#include "base/copy.h"
#include "base/hash.h"
#include "base/log.h"
#include "runtime/mpi_table.h"

enum { LONG_RUN = 256 }; // bytes

enum kind { SIGNED, UNSIGNED, FLOATING };

struct number {
    MPI_Datatype type;
    int bytes; // 0: as the MPI library's Fortran compiler was told
    enum kind kind;
};

static const struct number *find(MPI_Datatype type)
{
    static const struct number all[] = {
        {MPI_DOUBLE, sizeof(double), FLOATING},
        {MPI_FLOAT, sizeof(float), FLOATING},
        {MPI_INT, sizeof(int), SIGNED},
        {MPI_LONG, sizeof(long), SIGNED},
        {MPI_INT64_T, 8, SIGNED},
        {MPI_INT32_T, 4, SIGNED},
        {MPI_LONG_LONG, sizeof(long long), SIGNED},
        {MPI_DOUBLE_PRECISION, 0, FLOATING},
        {MPI_REAL, 0, FLOATING},
        {MPI_INTEGER, 0, SIGNED},
        {MPI_SIGNED_CHAR, 1, SIGNED},
        {MPI_INT8_T, 1, SIGNED},
        {MPI_SHORT, sizeof(short), SIGNED},
        {MPI_INT16_T, 2, SIGNED},
        {MPI_UNSIGNED, sizeof(unsigned), UNSIGNED},
        {MPI_UNSIGNED_LONG, sizeof(unsigned long), UNSIGNED},
        {MPI_UINT64_T, 8, UNSIGNED},
        {MPI_UINT32_T, 4, UNSIGNED},
        {MPI_UNSIGNED_LONG_LONG, sizeof(unsigned long long), UNSIGNED},
        {MPI_UNSIGNED_CHAR, 1, UNSIGNED},
        {MPI_UINT8_T, 1, UNSIGNED},
        {MPI_UNSIGNED_SHORT, sizeof(unsigned short), UNSIGNED},
        {MPI_UINT16_T, 2, UNSIGNED},
        {MPI_AINT, sizeof(MPI_Aint), SIGNED},
        {MPI_OFFSET, sizeof(MPI_Offset), SIGNED},
        {MPI_COUNT, sizeof(MPI_Count), SIGNED},
    };
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        if (all[i].type == type)
            return &all[i];
    return NULL;
}

static enum csp_calc calc_of(MPI_Op op)
{
    static const MPI_Op all[CSP_CALCS] = {
        [CSP_CALC_SUM] = MPI_SUM,   [CSP_CALC_PROD] = MPI_PROD, [CSP_CALC_MIN] = MPI_MIN,
        [CSP_CALC_MAX] = MPI_MAX,   [CSP_CALC_LAND] = MPI_LAND, [CSP_CALC_LOR] = MPI_LOR,
        [CSP_CALC_LXOR] = MPI_LXOR, [CSP_CALC_BAND] = MPI_BAND, [CSP_CALC_BOR] = MPI_BOR,
        [CSP_CALC_BXOR] = MPI_BXOR,
    };
    int i = 0;
    while (i < CSP_CALCS && all[i] != op)
        i++;
    return (enum csp_calc)i;
}

static csp_compute_fn *function(MPI_Datatype type, enum csp_calc calc)
{
    const struct number *number = find(type);
    if (!number)
        return NULL;
    int bytes = number->bytes;
    if (!bytes && csp_mpi.Type_size(type, &bytes) != MPI_SUCCESS)
        return NULL;
    return number->kind == FLOATING ? csp_compute_float(bytes, calc)
                                    : csp_compute_integer(bytes, number->kind == SIGNED, calc);
}

// Functions that were asked for: a place is written once, and another pair that would be there is looked up each time.
enum { MEMO_BITS = 6 };
enum memo_state { FREE, TAKEN, READY };
static struct memo {
    _Atomic int state; // enum memo_state; READY is released after the rest
    MPI_Datatype type;
    MPI_Op op;
    csp_compute_fn *fn;
} memos[1 << MEMO_BITS];

static csp_compute_fn *function_new(struct memo *m, MPI_Datatype type, MPI_Op op)
{
    int state = FREE;
    csp_compute_fn *fn = function(type, calc_of(op));
    if (!atomic_compare_exchange_strong_explicit(&m->state, &state, TAKEN, memory_order_relaxed,
                                                 memory_order_relaxed))
        return fn;
    m->type = type;
    m->op = op;
    m->fn = fn;
    /* release: pairs with the acquire in csp_reduce_function */
    atomic_store_explicit(&m->state, READY, memory_order_release);
    return fn;
}

csp_compute_fn *csp_reduce_function(MPI_Datatype type, MPI_Op op)
{
    uint64_t both = (uint64_t)(uintptr_t)type * 31 + (uint64_t)(uintptr_t)op;
    struct memo *m = &memos[csp_hash(both, MEMO_BITS)];
    if (CSP_LIKELY(atomic_load_explicit(&m->state, memory_order_acquire) == READY &&
                   m->type == type && m->op == op))
        return m->fn;
    return function_new(m, type, op);
}

int csp_reduce(const void *in, void *inout, int count, MPI_Datatype type, MPI_Op op)
{
    csp_compute_fn *fn = csp_reduce_function(type, op);
    if (!fn)
        return csp_mpi.Reduce_local(in, inout, count, type, op);
    fn(in, inout, (size_t)count);
    return MPI_SUCCESS;
}

static int reduce_run(const struct csp_reduction *r, size_t at, size_t bytes, int size,
                      MPI_Datatype type, MPI_Op op)
{
    if (r->was)
        csp_copy_bytes(r->was + at, r->inout + at, bytes);
    if (op == MPI_REPLACE)
        csp_copy_bytes(r->inout + at, r->in + at, bytes);
    if (op == MPI_REPLACE || op == MPI_NO_OP)
        return MPI_SUCCESS;
    int n = bytes == (size_t)size ? 1 : (int)(bytes / (size_t)size);
    return csp_reduce(r->in + at, r->inout + at, n, type, op);
}

int csp_reduce_fetch(const struct csp_reduction *r, int size, MPI_Datatype type, MPI_Op op)
{
    size_t at = 0, most = r->bytes;
    int rc;
    if (most > CSP_REDUCE_RUN)
        most = CSP_REDUCE_RUN / (size_t)size * (size_t)size;
    do {
        size_t left = r->bytes - at;
        rc = reduce_run(r, at, left < most ? left : most, size, type, op);
        at += most;
    } while (at < r->bytes && rc == MPI_SUCCESS);
    return rc;
}

// A side on its way: a run is used where it is, other data by way of a buffer that stays in the core's cache.
struct stream {
    char *addr; // of the run, or from which the layout counts
    enum { NOTHING, RUN, GAPS } kind;
    struct csp_layout_cursor get, back; // from where to read, to where to write
    _Alignas(16) char buffer[CSP_REDUCE_RUN];
};

static enum csp_status begin(struct stream *s, const struct csp_reduce_side *side)
{
    s->addr = side->addr;
    s->kind = side->layout ? GAPS : side->addr ? RUN : NOTHING;
    if (s->kind == RUN)
        s->addr += side->first;
    if (s->kind != GAPS)
        return CSP_OK;
    enum csp_status status = csp_layout_begin(&s->get, side->layout, 0, side->count);
    if (status != CSP_OK)
        return status;
    csp_layout_seek(&s->get, side->first);
    s->back = s->get;
    return CSP_OK;
}

// Where the next `bytes` bytes are, or have room.
static char *next(struct stream *s, size_t bytes, int reads)
{
    if (s->kind != GAPS)
        return s->addr;
    if (reads)
        csp_layout_pack(&s->get, s->addr, s->buffer, bytes);
    return s->buffer;
}

static void done(struct stream *s, size_t bytes, int wrote)
{
    if (s->kind == RUN)
        s->addr += bytes;
    else if (s->kind == GAPS && wrote)
        csp_layout_unpack(&s->back, s->addr, s->buffer, bytes);
}

// The three sides of a reduction.
struct streams {
    struct stream in, inout, was;
};

static int reduce_through_buffers(struct streams *s, size_t bytes, int size, MPI_Datatype type,
                                  MPI_Op op)
{
    int rc = MPI_SUCCESS, looks = s->was.kind || op != MPI_REPLACE, changes = op != MPI_NO_OP;
    size_t most = CSP_REDUCE_RUN / (size_t)size * (size_t)size;
    for (size_t left = bytes, n = 0; left > 0 && rc == MPI_SUCCESS; left -= n) {
        n = left < most ? left : most;
        struct csp_reduction r = {.in = next(&s->in, n, 1),
                                  .inout = next(&s->inout, n, looks),
                                  .was = next(&s->was, n, 0),
                                  .bytes = n};
        rc = csp_reduce_fetch(&r, size, type, op);
        done(&s->in, n, 0);
        done(&s->inout, n, changes);
        done(&s->was, n, 1);
    }
    return rc;
}

// Only `inout` has gaps, between runs that are worth a call each.
static int has_long_runs(const struct streams *s, size_t bytes)
{
    int64_t off;
    if (s->inout.kind != GAPS || s->in.kind == GAPS || s->was.kind == GAPS)
        return 0;
    struct csp_layout_cursor look = s->inout.get;
    return csp_layout_next(&look, (int64_t)bytes, &off) >= LONG_RUN;
}

static int reduce_by_runs(struct streams *s, size_t bytes, int size, MPI_Datatype type, MPI_Op op)
{
    int rc = MPI_SUCCESS;
    for (size_t left = bytes, n = 0; left > 0 && rc == MPI_SUCCESS; left -= n) {
        int64_t off;
        n = (size_t)csp_layout_next(&s->inout.get, (int64_t)left, &off);
        CSP_ASSERT(n > 0 && n % (size_t)size == 0);
        struct csp_reduction r = {
            .in = s->in.addr, .inout = s->inout.addr + off, .was = s->was.addr, .bytes = n};
        rc = csp_reduce_fetch(&r, size, type, op);
        done(&s->in, n, 0);
        done(&s->was, n, 0);
    }
    return rc;
}

int csp_reduce_sides(const struct csp_reduce_sides *sides, size_t bytes, int size,
                     MPI_Datatype type, MPI_Op op)
{
    struct streams s;
    if (begin(&s.in, &sides->in) != CSP_OK || begin(&s.inout, &sides->inout) != CSP_OK ||
        begin(&s.was, &sides->was) != CSP_OK)
        return MPI_ERR_COUNT;
    return has_long_runs(&s, bytes) ? reduce_by_runs(&s, bytes, size, type, op)
                                    : reduce_through_buffers(&s, bytes, size, type, op);
}
