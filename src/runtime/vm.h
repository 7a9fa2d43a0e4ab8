// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The private memory of other processes of this node, by process_vm_readv and process_vm_writev: what
// the software route (docs/design/software.md) stands on. Any role, any thread; never waits.
#ifndef CSP_RUNTIME_VM_H
#define CSP_RUNTIME_VM_H

#include <stdint.h>
#include "dtype/layout.h"

/** `count` elements in the memory of one process, as a stream of bytes in the type map's order. */
struct csp_vm_side {
    uint64_t addr;                   // of displacement 0
    const struct csp_layout *layout; // NULL: one run
    int64_t count;                   // without a layout: bytes
};

/** Whether runs of bytes are so short that whoever packs them is faster than the kernel, told of each one. */
static inline int csp_vm_is_fine(const struct csp_layout *l)
{
    enum { FINE = 256 }; // bytes of a run on average
    return csp_layout_runs_below(l, FINE);
}

/** Whether runs lie so close to each other that they can be read with all that lies between them. */
static inline int csp_vm_is_dense(const struct csp_layout *l)
{
    enum { SPARSE = 8 }; // times as many bytes in all
    int64_t step = l->extent < 0 ? -l->extent : l->extent;
    return (l->true_ub - l->true_lb) / SPARSE <= l->size_bytes && step / SPARSE <= l->size_bytes;
}

/** Every process, in init, before the barrier on the node: lets the others in. */
void csp_vm_open(void);

/** Ghosts, when they start: tries all users of the node and publishes the answer. */
void csp_vm_probe(void);

/** Users: 1 if the ghosts of this node can reach this process's memory; waits for the probe. */
int csp_vm_reachable(void);

/**
 * Copies `bytes` bytes between this process and the one of rank `lrank` on the node, `write`: to it.
 * Both streams start at their byte `first`.
 * @return CSP_OK; CSP_ERR_ARG if memory is not mapped or a side is impossible; CSP_ERR_SYS.
 */
CSP_MUST_CHECK enum csp_status csp_vm_copy(int lrank, int write, const struct csp_vm_side *mine,
                                           int64_t mine_first, const struct csp_vm_side *theirs,
                                           int64_t theirs_first, int64_t bytes);

#endif
