// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "runtime/reduce.h"

#include <stdint.h>
#include "base/copy.h"
#include "base/log.h"
#include "dtype/compute.h"
#include "runtime/mpi_table.h"

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

int csp_reduce(const void *in, void *inout, int count, MPI_Datatype type, MPI_Op op)
{
    csp_compute_fn *fn = function(type, calc_of(op));
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
    if (CSP_LIKELY(r->bytes <= CSP_REDUCE_RUN))
        return reduce_run(r, 0, r->bytes, size, type, op);
    size_t most = CSP_REDUCE_RUN / (size_t)size * (size_t)size;
    int rc = MPI_SUCCESS;
    for (size_t at = 0; at < r->bytes && rc == MPI_SUCCESS; at += most) {
        size_t left = r->bytes - at;
        rc = reduce_run(r, at, left < most ? left : most, size, type, op);
    }
    return rc;
}
