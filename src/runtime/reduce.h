// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// MPI_Reduce_local for the accumulates that Casper executes itself. Numbers are computed here: Open MPI
// 5.0.11 saturates sums of 8 and 16 bits where its windows wrap around, and MPICH's loops take three times as
// long. Any role, any thread.
#ifndef CSP_RUNTIME_REDUCE_H
#define CSP_RUNTIME_REDUCE_H

#include <mpi.h>
#include <stddef.h>
#include "dtype/compute.h"
#include "dtype/layout.h"

/** The function that computes for a predefined type and operation; NULL: the MPI library does. */
csp_compute_fn *csp_reduce_function(MPI_Datatype type, MPI_Op op);

/** inout = in op inout for `count` elements of a predefined type. @return MPI error code. */
int csp_reduce(const void *in, void *inout, int count, MPI_Datatype type, MPI_Op op);

enum { CSP_REDUCE_RUN = 8 << 10 }; // bytes that stay in the core's cache

/** Elements without gaps between them. */
struct csp_reduction {
    const char *in; /**< not looked at by MPI_NO_OP */
    char *inout;
    char *was; /**< NULL: nobody asks what was in `inout` */
    size_t bytes;
};

/**
 * `was` = `inout`, then `inout` = `in` op `inout`, MPI_REPLACE and MPI_NO_OP included: so many elements of `size` bytes at a
 * time that what was read is still in the core's cache when it is computed with.
 * @return MPI error code.
 */
int csp_reduce_fetch(const struct csp_reduction *r, int size, MPI_Datatype type, MPI_Op op);

/** Data of a side, from byte `first` of them on: in one run at `addr` (`layout` NULL), or as `count` elements lie there. */
struct csp_reduce_side {
    char *addr;
    const struct csp_layout *layout; /**< both NULL: there is no such side */
    int64_t count, first;
};

/** A reduction whose sides have gaps. They do not overlap. */
struct csp_reduce_sides {
    struct csp_reduce_side in, inout, was;
};

/**
 * csp_reduce_fetch for `bytes` bytes of data, whatever gaps are between them; elements have none in themselves.
 * @return MPI error code.
 */
int csp_reduce_sides(const struct csp_reduce_sides *sides, size_t bytes, int size,
                     MPI_Datatype type, MPI_Op op);

#endif
