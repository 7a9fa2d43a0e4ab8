// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "rma/rma_bind.h"

#include <stdlib.h>
#include "casper/casper.h"
#include "rma/rma_info.h"
#include "runtime/info.h"
#include "runtime/meta.h"

enum { SEGMENT_ALIGN = 64 }; // bytes; no predefined type is larger

// In the order of the variables' values.
static const char *const acc_names[] = {"rank", "segment", NULL};
static const char *const putget_names[] = {"bound", "operations", "bytes", NULL};

uint32_t csp_bind_wish(MPI_Info info)
{
    uint32_t acc =
        csp_info_choice(info, CASPER_INFO_ACC_GHOST, acc_names, (uint32_t)csp_config.acc_ghost);
    uint32_t putget = csp_info_choice(info, CASPER_INFO_PUTGET_GHOST, putget_names,
                                      (uint32_t)csp_config.putget_ghost);
    return acc | putget << 8;
}

int csp_bind_wants_segments(uint32_t wish)
{
    return csp_rt.topo->ng > 1 && (wish & 0xff) == CSP_CONFIG_ACC_GHOST_SEGMENT;
}

const char *csp_bind_acc_name(const struct csp_win *w)
{
    return acc_names[w->by_segment ? CSP_CONFIG_ACC_GHOST_SEGMENT : CSP_CONFIG_ACC_GHOST_RANK];
}

const char *csp_bind_putget_name(const struct csp_win *w)
{
    return putget_names[!w->given         ? CSP_CONFIG_PUTGET_GHOST_BOUND
                        : w->spread_bytes ? CSP_CONFIG_PUTGET_GHOST_BYTES
                                          : CSP_CONFIG_PUTGET_GHOST_OPERATIONS];
}

void csp_bind_set(struct csp_win *w, int mapped, uint32_t wish)
{
    if (csp_rt.topo->ng == 1)
        return;
    uint32_t spread = wish >> 8;
    w->by_segment = mapped && csp_bind_wants_segments(wish);
    w->spread_bytes = spread == CSP_CONFIG_PUTGET_GHOST_BYTES;
    if (spread == CSP_CONFIG_PUTGET_GHOST_BOUND)
        return;
    size_t ghosts = (size_t)csp_rt.topo->nnodes * (size_t)csp_rt.topo->ng;
    w->given = csp_meta_alloc(CSP_META_WINDOW, ghosts * sizeof(*w->given));
}

static uint64_t segment_bytes(const struct csp_peer *p)
{
    return (p->size / (uint64_t)csp_rt.topo->ng + SEGMENT_ALIGN) / SEGMENT_ALIGN * SEGMENT_ALIGN;
}

int csp_bind_segment(const struct csp_win *w, int target, MPI_Aint at)
{
    const struct csp_peer *p = &w->peers[target];
    uint64_t ng = (uint64_t)csp_rt.topo->ng;
    uint64_t first =
        (uint64_t)p->ghost_bit % ng; // windows of few bytes shall not all have the same
    uint64_t gidx = (first + (uint64_t)at / segment_bytes(p)) % ng;
    return (int)((uint64_t)p->ghost_bit - first + gidx);
}

MPI_Aint csp_bind_segment_end(const struct csp_win *w, int target, MPI_Aint at)
{
    MPI_Aint bytes = (MPI_Aint)segment_bytes(&w->peers[target]);
    return (at / bytes + 1) * bytes;
}

int csp_bind_acc(const struct csp_win *w, const struct csp_op *op, const struct csp_type *type,
                 MPI_Aint at)
{
    MPI_Aint lo, hi;
    csp_type_range(type, csp_op_target_count(op), &lo, &hi);
    // The last element goes by its first byte, as all do: one alone never has several ghosts.
    MPI_Aint last = type->named ? hi - type->true_extent : hi - 1;
    int first = csp_bind_segment(w, op->target, at + lo);
    return first == csp_bind_segment(w, op->target, at + last) ? first : -1;
}

// The ghost of a node that got the least of this process's PUT and GET in this window.
static int least_given(const struct csp_win *w, int node)
{
    int ng = csp_rt.topo->ng, best = node * ng;
    uint64_t least = UINT64_MAX;
    for (int bit = node * ng; bit < (node + 1) * ng; bit++) {
        uint64_t n = atomic_load_explicit(&w->given[bit], memory_order_relaxed);
        if (n < least) {
            least = n;
            best = bit;
        }
    }
    return best;
}

int csp_bind_spread(struct csp_win *w, int target, MPI_Aint bytes)
{
    const struct csp_peer *p = &w->peers[target];
    if (CSP_LIKELY(!w->given))
        return p->ghost_bit;
    int bit = least_given(w, p->node);
    atomic_fetch_add_explicit(&w->given[bit], w->spread_bytes ? (uint64_t)bytes : 1,
                              memory_order_relaxed);
    return bit;
}
