// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// From an MPI datatype to a layout (docs/design/dtype.md). User role, any thread.
#ifndef CSP_TYPES_COMPILE_H
#define CSP_TYPES_COMPILE_H

#include <mpi.h>
#include "dtype/layout.h"

/** Of a predefined type, learnt from what the MPI library packs. @return MPI error code. */
int csp_layout_learn(MPI_Datatype type, struct csp_layout **out);

/**
 * Of a derived type, by its contents. *basic: the predefined type that its data consist of,
 * MPI_DATATYPE_NULL if there are several or none. *hollow: raised if it has parts without data. @return MPI error code.
 */
int csp_layout_compile(MPI_Datatype type, struct csp_layout **out, MPI_Datatype *basic,
                       int *hollow);

#endif
