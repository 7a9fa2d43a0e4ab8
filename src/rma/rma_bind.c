// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "rma/rma_bind.h"

#include <stdlib.h>
#include <string.h>
#include "casper/casper.h"

enum { SEGMENT_ALIGN = 64 }; // bytes; no predefined type is larger

// The value of an info key, looked up in a list of names; `otherwise` if there is none.
static uint32_t choice(MPI_Info info, const char *key, const char *const *names, uint32_t otherwise)
{
    char text[32];
    int flag = 0;
    if (info == MPI_INFO_NULL ||
        csp_mpi.Info_get(info, key, sizeof(text) - 1, text, &flag) != MPI_SUCCESS || !flag)
        return otherwise;
    for (uint32_t i = 0; names[i]; i++)
        if (strcmp(text, names[i]) == 0)
            return i;
    csp_warn("info key %s: unknown value \"%s\", ignored", key, text);
    return otherwise;
}

uint32_t csp_bind_wish(MPI_Info info)
{
    static const char *const acc[] = {"rank", "segment", NULL};
    static const char *const putget[] = {"bound", "operations", "bytes", NULL};
    return choice(info, CASPER_INFO_ACC_GHOST, acc, (uint32_t)csp_config.acc_ghost) |
           choice(info, CASPER_INFO_PUTGET_GHOST, putget, (uint32_t)csp_config.putget_ghost) << 8;
}

void csp_bind_set(struct csp_win *w, int mapped, uint32_t wish)
{
    if (csp_rt.topo->ng == 1)
        return;
    uint32_t spread = wish >> 8;
    w->by_segment = (wish & 0xff) == CSP_CONFIG_ACC_GHOST_SEGMENT && mapped;
    w->spread_bytes = spread == CSP_CONFIG_PUTGET_GHOST_BYTES;
    if (spread == CSP_CONFIG_PUTGET_GHOST_BOUND)
        return;
    w->given = calloc((size_t)csp_rt.topo->nnodes * (size_t)csp_rt.topo->ng, sizeof(*w->given));
    CSP_CHECK(w->given, "out of memory for a window");
}

int csp_bind_segment(const struct csp_win *w, int target, MPI_Aint at)
{
    const struct csp_peer *p = &w->peers[target];
    uint64_t ng = (uint64_t)csp_rt.topo->ng;
    uint64_t piece = (p->size / ng + SEGMENT_ALIGN) / SEGMENT_ALIGN * SEGMENT_ALIGN;
    uint64_t first =
        (uint64_t)p->ghost_bit % ng; // windows of few bytes shall not all have the same
    uint64_t gidx = (first + (uint64_t)at / piece) % ng;
    return (int)((uint64_t)p->ghost_bit - first + gidx);
}

int csp_bind_acc(const struct csp_win *w, const struct csp_op *op, const struct csp_type *type,
                 MPI_Aint at)
{
    MPI_Aint lo, hi;
    csp_type_range(type, csp_op_target_count(op), &lo, &hi);
    int first = csp_bind_segment(w, op->target, at + lo);
    return first == csp_bind_segment(w, op->target, at + hi - 1) ? first : -1;
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
