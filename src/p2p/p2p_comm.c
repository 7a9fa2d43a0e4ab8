// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "p2p/p2p_comm.h"

#include <pthread.h>
#include <stdlib.h>
#include "base/handles.h"
#include "casper/casper.h"
#include "p2p/p2p.h"
#include "p2p/p2p_cells.h"
#include "req/req.h"
#include "runtime/detours.h"
#include "runtime/info.h"
#include "runtime/node.h"
#include "runtime/rt.h"
#include "runtime/threads.h"

enum { COUNT_BITS = 32 }; // of a context: number of the communicator at its rank 0

static struct csp_handles comms = CSP_HANDLES_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t frees = PTHREAD_MUTEX_INITIALIZER;
static int keyval = MPI_KEYVAL_INVALID;
static uint64_t made; // communicators whose rank 0 this process is

struct csp_p2p_comm *csp_p2p_comm_find(MPI_Comm comm)
{
    return csp_handles_find(&comms, (uintptr_t)comm);
}

void csp_p2p_comms_lock(void)
{
    csp_threads_lock(&frees);
}

void csp_p2p_comms_unlock(void)
{
    csp_threads_unlock(&frees);
}

void csp_p2p_comm_drop(struct csp_p2p_comm *c)
{
    if (atomic_fetch_sub_explicit(&c->refs, 1, memory_order_acq_rel) != 1)
        return;
    csp_members_drop(c->members);
    csp_p2p_flow_end(&c->own);
    if (c->has_left)
        csp_mpi.Errhandler_free(&c->left);
    free(c);
}

struct csp_req_home csp_p2p_home(const struct csp_p2p_comm *c)
{
    csp_p2p_comms_lock();
    struct csp_req_home home = {c->handle, MPI_WIN_NULL, c->has_left ? &c->left : NULL};
    csp_p2p_comms_unlock();
    return home;
}

int csp_p2p_raise(MPI_Comm comm, int code)
{
    struct csp_req_home home = {comm, MPI_WIN_NULL, NULL};
    return csp_req_raise(&home, code);
}

// The program freed it; its requests may still be under way.
static int on_free(MPI_Comm comm, int key, void *value, void *extra)
{
    struct csp_p2p_comm *c = value;
    (void)key, (void)extra;
    csp_p2p_comms_lock();
    csp_handles_drop(&comms, (uintptr_t)comm, c);
    if (atomic_load_explicit(&c->refs, memory_order_relaxed) > 1)
        c->has_left = csp_mpi.Comm_get_errhandler(comm, &c->left) == MPI_SUCCESS;
    c->handle = MPI_COMM_NULL;
    csp_p2p_comms_unlock();
    csp_p2p_comm_drop(c);
    return MPI_SUCCESS;
}

static void make_keyval(void)
{
    pthread_mutex_lock(&lock);
    if (keyval == MPI_KEYVAL_INVALID)
        csp_mpi.Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_free, &keyval, NULL);
    pthread_mutex_unlock(&lock);
}

static uint64_t next_context(void)
{
    pthread_mutex_lock(&lock);
    uint64_t context = (uint64_t)(csp_rt.wrank + 1) << COUNT_BITS | ++made;
    pthread_mutex_unlock(&lock);
    return context;
}

// What a communicator's processes wish: names[] of an info, or what CSP_P2P says.
enum { OFF, ON, AUTO, NOTHING };

static int wish_of_config(void)
{
    return csp_config.p2p == CSP_CONFIG_P2P_AUTO ? AUTO
           : csp_config.p2p == CSP_CONFIG_P2P_ON ? ON
                                                 : OFF;
}

static int read_wish(MPI_Info info, int otherwise)
{
    static const char *const names[] = {"off", "on", "auto", NULL};
    return (int)csp_info_choice(info, CASPER_INFO_P2P, names, (uint32_t)otherwise);
}

void csp_p2p_comm_made(MPI_Comm comm, MPI_Info info)
{
    if (!csp_detour(CSP_BY_P2P) || comm == MPI_COMM_NULL)
        return;
    struct csp_members *m = csp_members_take(comm); // NULL in all its processes or in none
    if (!m)
        return;
    uint64_t agreed[] = {OFF, 0}; // and the context
    if (m->rank == 0) {
        agreed[0] = (uint64_t)read_wish(info, wish_of_config());
        agreed[1] = agreed[0] == OFF ? 0 : next_context();
    }
    int rc = csp_mpi.Bcast(agreed, 2, MPI_UINT64_T, 0, comm);
    CSP_CHECK(rc == MPI_SUCCESS, "the MPI library could not use a communicator that it just made");
    if (agreed[0] == OFF) {
        csp_members_drop(m);
        return;
    }
    make_keyval();
    struct csp_p2p_comm *c = calloc(1, sizeof(*c));
    CSP_CHECK(c, "out of memory for a communicator");
    *c = (struct csp_p2p_comm){.handle = comm, .context = agreed[1], .members = m};
    if (agreed[0] == AUTO) {
        csp_detour_open(CSP_BY_AUTO);
        c->flow = csp_p2p_flow_of(c, &c->own);
    } else {
        atomic_store(&c->own.way, CSP_P2P_GHOSTS); // csp_p2p_flow_end undoes the next line
        csp_node_carry_flow(csp_rt.page, 1);
    }
    atomic_init(&c->refs, 1);
    rc = csp_mpi.Comm_set_attr(comm, keyval, c);
    CSP_CHECK(rc == MPI_SUCCESS, "the MPI library could not use a communicator that it just made");
    csp_handles_put(&comms, (uintptr_t)comm, c);
}

// Whether something may be on its way: *yes, the same in all processes. Messages that the MPI library alone knows of are
// seen once they have come.
static int look_for_messages(MPI_Comm comm, const struct csp_p2p_comm *c, int *yes)
{
    uint64_t mine[3] = {0}, all[3]; // what is not settled, and requests
    int flag = 0;
    if (c) {
        csp_p2p_flow_unsettled(c, mine);
        flag = atomic_load_explicit(&c->refs, memory_order_relaxed) > 1;
    } else {
        csp_mpi.Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &flag, MPI_STATUS_IGNORE);
    }
    mine[2] = flag != 0;
    int rc = csp_mpi.Allreduce(mine, all, 3, MPI_UINT64_T, MPI_SUM, comm);
    *yes = rc == MPI_SUCCESS && (all[0] || all[1] || all[2]);
    return rc;
}

// All processes are in the call. @return MPI error class.
static int change(MPI_Comm comm, int wish, MPI_Info info)
{
    struct csp_p2p_comm *c = csp_p2p_comm_find(comm);
    int mine[2] = {wish, -wish}, all[2], pending;
    int rc = csp_mpi.Allreduce(mine, all, 2, MPI_INT, MPI_MAX, comm);
    if (rc != MPI_SUCCESS)
        return rc;
    if (all[0] != -all[1])
        return MPI_ERR_INFO_VALUE;
    if (wish == NOTHING || wish == (!c ? OFF : c->flow ? AUTO : ON))
        return MPI_SUCCESS;
    rc = look_for_messages(comm, c, &pending);
    if (pending)
        return MPI_ERR_PENDING;
    if (rc == MPI_SUCCESS && c)
        rc = csp_mpi.Comm_delete_attr(comm, keyval);
    if (rc == MPI_SUCCESS && wish != OFF)
        csp_p2p_comm_made(comm, info);
    return rc;
}

int csp_p2p_comm_set_info(MPI_Comm comm, MPI_Info info)
{
    int rc = csp_mpi.Comm_set_info(comm, info);
    if (!csp_detour(CSP_BY_P2P) || rc != MPI_SUCCESS)
        return rc;
    struct csp_members *m = csp_members_take(comm);
    if (!m)
        return rc;
    csp_members_drop(m);
    return csp_p2p_raise(comm, change(comm, read_wish(info, NOTHING), info));
}

int csp_p2p_comm_disconnect(MPI_Comm *comm)
{
    const struct csp_p2p_comm *c = csp_detour(CSP_BY_P2P) ? csp_p2p_comm_find(*comm) : NULL;
    if (c)
        csp_cells_settle(c->context);
    return csp_mpi.Comm_disconnect(comm);
}
