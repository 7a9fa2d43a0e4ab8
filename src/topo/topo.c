// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "topo/topo.h"

#include <stddef.h>

uint64_t csp_topo_bytes(int nranks, int nnodes, int ng)
{
    uint64_t r = (uint64_t)nranks, n = (uint64_t)nnodes, ghosts = n * (uint64_t)ng;
    uint64_t users = r > ghosts ? r - ghosts : 0;
    // users + 3 tables of ranks + ghosts + 2 tables of nodes, see the accessors
    return sizeof(struct csp_topo) + sizeof(int32_t) * (users + 3 * r + ghosts + 2 * n);
}

// Ranks per node into `count`. Each new node index must be the next one.
static enum csp_status count_nodes(const int32_t *node_of_wrank, int nranks, int nnodes,
                                   int32_t *count)
{
    int seen = 0;
    for (int i = 0; i < nnodes; i++)
        count[i] = 0;
    for (int w = 0; w < nranks; w++) {
        int32_t node = node_of_wrank[w];
        if (node < 0 || node > seen || node >= nnodes)
            return CSP_ERR_ARG;
        seen += node == seen;
        count[node]++;
    }
    return seen == nnodes ? CSP_OK : CSP_ERR_ARG;
}

// The tables through their accessors, writable.
static int32_t *table(struct csp_topo *t, const int32_t *(*accessor)(const struct csp_topo *))
{
    return t->tables + (accessor(t) - t->tables);
}

// count[node], zero at first, ends as the number of ranks of the node.
static void fill(struct csp_topo *t, const int32_t *node_of_wrank, int32_t *count)
{
    int32_t *wrank_of_urank = table(t, csp_topo_wrank_of_urank);
    int32_t *urank_of_wrank = table(t, csp_topo_urank_of_wrank);
    int32_t *node_of = table(t, csp_topo_node_of_wrank);
    int32_t *lrank_of = table(t, csp_topo_lrank_of_wrank);
    int32_t *ghosts = table(t, csp_topo_ghosts);
    int32_t *first_user = table(t, csp_topo_first_user);
    int32_t urank = 0;
    for (int32_t w = 0; w < t->nranks; w++) {
        int32_t node = node_of_wrank[w], lrank = count[node]++;
        node_of[w] = node;
        lrank_of[w] = lrank;
        if (lrank < t->ng) {
            urank_of_wrank[w] = -1;
            ghosts[(int64_t)node * t->ng + lrank] = w;
            continue;
        }
        if (lrank == t->ng)
            first_user[node] = w;
        urank_of_wrank[w] = urank;
        wrank_of_urank[urank++] = w;
    }
}

enum csp_status csp_topo_build(const int32_t *node_of_wrank, int nranks, int nnodes, int ng,
                               struct csp_topo *t)
{
    if (nranks < 1 || nnodes < 1 || nnodes > nranks || ng < 0 ||
        (int64_t)nranks <= (int64_t)nnodes * ng)
        return CSP_ERR_ARG;
    *t = (struct csp_topo){
        .nranks = nranks, .nusers = nranks - nnodes * ng, .nnodes = nnodes, .ng = ng};
    int32_t *count = table(t, csp_topo_users_of_node);
    if (count_nodes(node_of_wrank, nranks, nnodes, count))
        return CSP_ERR_ARG;
    for (int i = 0; i < nnodes; i++) {
        if (count[i] <= ng)
            return CSP_ERR_ARG;
        count[i] = 0;
    }
    fill(t, node_of_wrank, count);
    for (int i = 0; i < nnodes; i++)
        count[i] -= ng;
    return CSP_OK;
}

int csp_topo_bound_gidx(const struct csp_topo *t, int wrank)
{
    int64_t lrank = csp_topo_lrank_of_wrank(t)[wrank];
    if (t->ng == 0)
        return -1;
    if (lrank < t->ng)
        return (int)lrank;
    return (int)((lrank - t->ng) * t->ng /
                 csp_topo_users_of_node(t)[csp_topo_node_of_wrank(t)[wrank]]);
}
