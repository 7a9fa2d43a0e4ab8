// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The info keys of a window. User role. MPI-4.1 12.2.1, 12.2.7; TPDS 5.3 (epochs_used,
// no_local_load_store). A hint is a promise of the process that gives it, so it is kept by that process
// alone; what several processes must agree upon is looked up in the window.
#ifndef CSP_RMA_INFO_H
#define CSP_RMA_INFO_H

#include <mpi.h>
#include <stdint.h>

// Kinds of epochs that a window's processes may open: bits.
enum csp_epoch_kind {
    CSP_EPOCH_FENCE = 1,
    CSP_EPOCH_PSCW = 2,
    CSP_EPOCH_LOCK = 4,
    CSP_EPOCH_LOCKALL = 8
};

struct csp_hints {
    unsigned epochs; // epochs_used
    int no_locks;
    unsigned order;                // accumulate_ordering: bits, rar first
    int same_op;                   // accumulate_ops
    int same_size, same_disp_unit; // promised; in force if the window is so
    int no_local;                  // no_local_load_store
};

/** No promise. */
void csp_hints_init(struct csp_hints *h);

/** Takes over the keys that are in `info`; a value that is none of a key's is ignored with a warning. */
void csp_hints_read(struct csp_hints *h, MPI_Info info);

/** 1 if the program promised not to open such an epoch. */
static inline int csp_hints_exclude(const struct csp_hints *h, enum csp_epoch_kind kind)
{
    return !(h->epochs & kind) || (h->no_locks && (kind & (CSP_EPOCH_LOCK | CSP_EPOCH_LOCKALL)));
}

/** mpi_minimum_memory_alignment, as a power of two of at least `least` bytes. */
uint64_t csp_info_alignment(MPI_Info info, uint64_t least);

/** For a window of the library's on memory of ours: a copy, to free if it is another one, without the alignment. Intel MPI 2021 fails
 * on one beyond a page; MPICH 4.0 cuts lists of values to pieces where they are. */
MPI_Info csp_info_for_carrier(MPI_Info info);

#endif
