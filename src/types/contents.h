// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// How a datatype was made: envelope and contents (MPI-4.1 5.1.13), whichever functions made it.
// They are read in the order of the constructor's arguments, with the same calls for both forms: in the
// large-count form, numbers and addresses that may be large come from an array of their own.
#ifndef CSP_TYPES_CONTENTS_H
#define CSP_TYPES_CONTENTS_H

#include <mpi.h>
#include <stdint.h>

struct csp_contents {
    int combiner;
    int64_t type_count;
    MPI_Datatype *types;
    int64_t *numbers; // all of them: integers, addresses, large counts
    const int64_t *next_int, *next_count, *next_addr;
};

/** @return MPI error code. Then csp_contents_free. */
int csp_contents_get(MPI_Datatype type, struct csp_contents *c);

/** Frees the types as well, but predefined ones, which are nobody's. */
void csp_contents_free(struct csp_contents *c);

/** @return MPI error code. */
int csp_combiner_get(MPI_Datatype type, int *combiner);

/** Named, or one of those that the library makes from a precision or a pair: not derived. */
int csp_combiner_is_predefined(int combiner);

/** The next `n` integers, counts (integers unless large) or addresses. */
const int64_t *csp_contents_ints(struct csp_contents *c, int64_t n);
const int64_t *csp_contents_counts(struct csp_contents *c, int64_t n);
const int64_t *csp_contents_addrs(struct csp_contents *c, int64_t n);

#endif
