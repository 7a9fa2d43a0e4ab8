// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Who is where: which ranks share a node, which of them are ghosts, who serves whom. Pure functions
// of the node of every rank; the result is one block of plain data (int32 tables after the header),
// kept once per node in the segment. Any role, read only after init.
#ifndef CSP_TOPO_TOPO_H
#define CSP_TOPO_TOPO_H

#include <stdint.h>
#include "base/status.h"

// wrank: rank in the real world; urank: rank in the user world; lrank: rank on the node, all
// processes; gidx: index of a ghost on its node (ghosts are the lowest lranks).
struct csp_topo {
    int32_t nranks, nusers, nnodes, ng; // ng: ghosts on every node
    int32_t tables[];                   // by the accessors below
};

/** Bytes of the block for `nranks` ranks on `nnodes` nodes with `ng` ghosts each. */
uint64_t csp_topo_bytes(int nranks, int nnodes, int ng);

/**
 * Fills `topo`. node_of_wrank[i] is a dense node index (nodes numbered by their lowest wrank).
 * @return CSP_ERR_ARG if a node has not more than ng ranks (the caller says so to the user), or the
 * nodes are not numbered so.
 */
enum csp_status csp_topo_build(const int32_t *node_of_wrank, int nranks, int nnodes, int ng,
                               struct csp_topo *topo) CSP_MUST_CHECK;

static inline const int32_t *csp_topo_wrank_of_urank(const struct csp_topo *t)
{
    return t->tables;
}
static inline const int32_t *csp_topo_urank_of_wrank(const struct csp_topo *t) // -1 for a ghost
{
    return t->tables + t->nusers;
}
static inline const int32_t *csp_topo_node_of_wrank(const struct csp_topo *t)
{
    return t->tables + t->nusers + t->nranks;
}
static inline const int32_t *csp_topo_lrank_of_wrank(const struct csp_topo *t)
{
    return t->tables + t->nusers + 2 * (int64_t)t->nranks;
}
/** A user's place among the users of its node. */
static inline int csp_topo_place_of_wrank(const struct csp_topo *t, int wrank)
{
    return csp_topo_lrank_of_wrank(t)[wrank] - t->ng;
}
/** wrank of ghost gidx on a node: [node * ng + gidx]. */
static inline const int32_t *csp_topo_ghosts(const struct csp_topo *t)
{
    return t->tables + t->nusers + 3 * (int64_t)t->nranks;
}
/** lowest user wrank of a node: [node]. */
static inline const int32_t *csp_topo_first_user(const struct csp_topo *t)
{
    return csp_topo_ghosts(t) + (int64_t)t->nnodes * t->ng;
}
/** number of users of a node: [node]. */
static inline const int32_t *csp_topo_users_of_node(const struct csp_topo *t)
{
    return csp_topo_first_user(t) + t->nnodes;
}
/**
 * gidx of the ghost bound to a user: static by rank, in blocks so that neighbours share one. For a
 * ghost its own gidx; -1 if there are no ghosts.
 */
int csp_topo_bound_gidx(const struct csp_topo *t, int wrank);

#endif
