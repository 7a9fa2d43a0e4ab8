// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The processes of a communicator: who they are, on which nodes, who leads a node. Computed from
// the group once per communicator and kept as an attribute of it. User role.
#include "runtime/members.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/meta.h"
#include "runtime/rt.h"

static int keyval = MPI_KEYVAL_INVALID;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void csp_members_drop(struct csp_members *m)
{
    if (atomic_fetch_sub_explicit(&m->refs, 1, memory_order_acq_rel) != 1)
        return;
    csp_meta_free(CSP_META_SET, m->nodes);
    csp_meta_free(CSP_META_SET, m->own_wrank);
    csp_meta_free(CSP_META_SET, m);
}

static int on_comm_free(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)extra;
    csp_members_drop(value);
    return MPI_SUCCESS;
}

static void *must_malloc(size_t bytes)
{
    void *p = malloc(bytes ? bytes : 1);
    CSP_CHECK(p, "out of memory for a communicator's members");
    return p;
}

// wranks of the group, or 0 if some process is not of this job.
static int translate(struct csp_members *m, MPI_Comm comm)
{
    int *ranks = must_malloc((size_t)m->n * sizeof(int)), ok = 1;
    m->own_wrank = csp_meta_alloc(CSP_META_SET, (size_t)m->n * sizeof(int32_t));
    MPI_Group group;
    csp_mpi.Comm_group(comm, &group);
    for (int i = 0; i < m->n; i++)
        ranks[i] = i;
    csp_mpi.Group_translate_ranks(group, m->n, ranks, csp_rt.world_group, m->own_wrank);
    csp_mpi.Group_free(&group);
    for (int i = 0; i < m->n; i++)
        ok &= m->own_wrank[i] != MPI_UNDEFINED;
    free(ranks);
    m->wrank = m->own_wrank;
    return ok;
}

// Nodes in the order of their lowest rank in the communicator, which leads the node.
static void find_nodes(struct csp_members *m)
{
    const int32_t *node_of = csp_topo_node_of_wrank(csp_rt.topo);
    int nnodes = csp_rt.topo->nnodes;
    int32_t *idx = must_malloc((size_t)nnodes * sizeof(int32_t));
    memset(idx, -1, (size_t)nnodes * sizeof(int32_t));
    m->nodes = csp_meta_alloc(CSP_META_SET, 2 * (size_t)nnodes * sizeof(int32_t));
    m->leaders = m->nodes + nnodes;
    for (int i = 0; i < m->n; i++) {
        int node = node_of[m->wrank[i]];
        m->nlocal += node == csp_rt.node;
        if (idx[node] >= 0)
            continue;
        idx[node] = m->nnodes;
        m->nodes[m->nnodes] = node;
        m->leaders[m->nnodes++] = i;
    }
    m->my_node_idx = idx[csp_rt.node];
    free(idx);
}

static struct csp_members *make(MPI_Comm comm)
{
    int inter = 0;
    csp_mpi.Comm_test_inter(comm, &inter);
    if (inter)
        return NULL;
    struct csp_members *m = csp_meta_alloc(CSP_META_SET, sizeof(*m));
    atomic_init(&m->refs, 1);
    csp_mpi.Comm_size(comm, &m->n);
    csp_mpi.Comm_rank(comm, &m->rank);
    if (comm == csp_user_world) {
        m->wrank = csp_topo_wrank_of_urank(csp_rt.topo);
    } else if (!translate(m, comm)) {
        csp_members_drop(m);
        return NULL;
    }
    find_nodes(m);
    return m;
}

struct csp_members *csp_members_take(MPI_Comm comm)
{
    struct csp_members *m = NULL;
    int flag = 0;
    pthread_mutex_lock(&lock);
    if (keyval == MPI_KEYVAL_INVALID)
        csp_mpi.Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_comm_free, &keyval, NULL);
    int rc = csp_mpi.Comm_get_attr(comm, keyval, &m, &flag);
    if (rc == MPI_SUCCESS && !flag) {
        m = make(comm);
        if (m && csp_mpi.Comm_set_attr(comm, keyval, m) != MPI_SUCCESS) {
            csp_members_drop(m);
            m = NULL;
        }
    }
    if (m)
        atomic_fetch_add_explicit(&m->refs, 1, memory_order_relaxed);
    pthread_mutex_unlock(&lock);
    return m;
}
