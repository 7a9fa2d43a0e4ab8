// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "runtime/reduce.h"

#include <stdint.h>
#include "dtype/compute.h"
#include "runtime/mpi_table.h"

// Bytes of an integer type of C, negative if it is unsigned; 0: another type.
static int integer_bytes(MPI_Datatype type)
{
    static const struct {
        MPI_Datatype type;
        int bytes;
    } all[] = {
        {MPI_INT, sizeof(int)},
        {MPI_LONG, sizeof(long)},
        {MPI_INT64_T, 8},
        {MPI_INT32_T, 4},
        {MPI_LONG_LONG, sizeof(long long)},
        {MPI_SIGNED_CHAR, 1},
        {MPI_INT8_T, 1},
        {MPI_SHORT, sizeof(short)},
        {MPI_INT16_T, 2},
        {MPI_UNSIGNED, -(int)sizeof(unsigned)},
        {MPI_UNSIGNED_LONG, -(int)sizeof(unsigned long)},
        {MPI_UINT64_T, -8},
        {MPI_UINT32_T, -4},
        {MPI_UNSIGNED_LONG_LONG, -(int)sizeof(unsigned long long)},
        {MPI_UNSIGNED_CHAR, -1},
        {MPI_UINT8_T, -1},
        {MPI_UNSIGNED_SHORT, -(int)sizeof(unsigned short)},
        {MPI_UINT16_T, -2},
        {MPI_AINT, sizeof(MPI_Aint)},
        {MPI_OFFSET, sizeof(MPI_Offset)},
        {MPI_COUNT, sizeof(MPI_Count)},
    };
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        if (all[i].type == type)
            return all[i].bytes;
    return 0;
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

int csp_reduce(const void *in, void *inout, int count, MPI_Datatype type, MPI_Op op)
{
    int bytes = integer_bytes(type);
    csp_compute_fn *fn =
        bytes ? csp_compute_integer(bytes < 0 ? -bytes : bytes, bytes > 0, calc_of(op)) : NULL;
    if (!fn)
        return csp_mpi.Reduce_local(in, inout, count, type, op);
    fn(in, inout, (size_t)count);
    return MPI_SUCCESS;
}
