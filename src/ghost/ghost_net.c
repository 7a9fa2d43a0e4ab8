// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Messages between ghosts on csp_rt.ghost_comm: receives that wait in a ring, in whose order messages are handled, so that
// those of one ghost stay in order; sends that nobody waits for.
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include "base/bufs.h"
#include "base/log.h"
#include "ghost/ghost_p2p.h"
#include "runtime/am.h"
#include "runtime/rt.h"

enum {
    TAG = 0,
    RECEIVES = 16,
    OUTS = 256,          // on their way; what users post beyond that stays with them,
    OUT_BYTES = 4 << 20, // or beyond so many bytes of data
    IN_BYTES = sizeof(struct csp_p2p_head) + CSP_EAGER_NET,
    KEPT_BYTES = 4 << 20, // of free buffers
};

struct out {
    struct csp_buf buf;
    struct out *next;
    MPI_Request request;
    size_t bytes;             // of data
    struct csp_p2p_head head; // they follow
    char data[];
};

static struct csp_bufs bufs = {.head_bytes = sizeof(struct out), .keep_bytes = KEPT_BYTES};
static struct out *outs, **outs_last = &outs; // in the order in which they were sent
static int outs_count;
static size_t outs_bytes;
static char *in; // RECEIVES buffers of IN_BYTES
static MPI_Request receives[RECEIVES];
static int next_in;
static uint64_t *sent_to;   // messages to each ghost
static uint64_t taken, due; // messages that came; how many will have come in the end
static MPI_Request ending = MPI_REQUEST_NULL;
static int ending_begun;

static void must(const char *what, int rc)
{
    if (rc != MPI_SUCCESS)
        csp_am_failed(what, rc);
}

static void post(int i)
{
    must("receiving messages for users",
         csp_mpi.Irecv(in + (size_t)i * IN_BYTES, IN_BYTES, MPI_BYTE, MPI_ANY_SOURCE, TAG,
                       csp_rt.ghost_comm, &receives[i]));
}

void csp_ghost_net_start(void)
{
    in = malloc((size_t)RECEIVES * IN_BYTES);
    sent_to = calloc((size_t)csp_rt.topo->nnodes * (size_t)csp_rt.topo->ng, sizeof(*sent_to));
    CSP_CHECK(in && sent_to, "out of memory for messages");
    for (int i = 0; i < RECEIVES; i++)
        post(i);
}

void csp_ghost_net_poll(struct csp_ghost_poll *p)
{
    csp_ghost_poll_add(p, &receives[next_in]);
    if (outs)
        csp_ghost_poll_add(p, &outs->request);
}

// After the first that was polled others may be over as well.
static int is_over(MPI_Request *request, int polled)
{
    int done = *request == MPI_REQUEST_NULL;
    if (!done && !polled)
        must("messages of users", csp_mpi.Test(request, &done, MPI_STATUS_IGNORE));
    return done;
}

// The oldest ones.
static void reap(void)
{
    for (int polled = 1; outs && is_over(&outs->request, polled); polled = 0) {
        struct out *o = outs;
        outs = o->next;
        if (!outs)
            outs_last = &outs;
        outs_count--;
        outs_bytes -= o->bytes;
        csp_bufs_give(&bufs, &o->buf);
    }
}

int csp_ghost_net_room(void)
{
    return outs_count < OUTS && outs_bytes < OUT_BYTES;
}

void csp_ghost_net_send(int to, struct csp_p2p_head *h, struct csp_cell *data)
{
    size_t bytes = data ? data->bytes : 0;
    struct out *o = csp_bufs_take(&bufs, bytes);
    CSP_CHECK(o, "out of memory for a message of %zu bytes", bytes);
    h->from = csp_rt.node * csp_rt.topo->ng + csp_rt.gidx;
    o->head = *h;
    o->bytes = bytes;
    if (data)
        csp_ghost_data_touch(data, 0, o->data, 0, bytes);
    must("sending messages of users",
         csp_mpi.Isend(&o->head, (int)(sizeof(o->head) + bytes), MPI_BYTE, to, TAG,
                       csp_rt.ghost_comm, &o->request));
    sent_to[to]++;
    csp_am_ring(to);
    o->next = NULL;
    *outs_last = o;
    outs_last = &o->next;
    outs_count++;
    outs_bytes += bytes;
}

static void handle(const struct csp_p2p_head *h)
{
    switch (h->type) {
    case CSP_P2P_EAGER:
        csp_ghost_arrive(h, (const char *)(h + 1));
        break;
    case CSP_P2P_LOCAL:
    case CSP_P2P_OFFER:
        csp_ghost_arrive(h, NULL);
        break;
    case CSP_P2P_ACCEPT:
        csp_ghost_data_send(h);
        break;
    case CSP_P2P_ACK:
        csp_ghost_cell_done(csp_cell_at(h->cell_off));
        break;
    default:
        CSP_CHECK(0, "ghost %d sent something unknown", h->from);
    }
}

int csp_ghost_net_turn(void)
{
    int n = 0;
    while (n < RECEIVES && is_over(&receives[next_in], n == 0)) {
        handle((const struct csp_p2p_head *)(const void *)(in + (size_t)next_in * IN_BYTES));
        post(next_in);
        next_in = (next_in + 1) % RECEIVES;
        n++;
    }
    taken += (uint64_t)n;
    reap();
    return n;
}

// Users have waited for what needs an answer: what is still on its way asks for no other message, so each ghost knows by now
// how many it sent.
int csp_ghost_net_over(void)
{
    int done = 0;
    if (outs)
        return 0;
    if (!ending_begun) {
        must("leaving the other ghosts",
             csp_mpi.Ireduce_scatter_block(sent_to, &due, 1, MPI_UINT64_T, MPI_SUM,
                                           csp_rt.ghost_comm, &ending));
        ending_begun = 1;
    }
    if (ending != MPI_REQUEST_NULL)
        must("leaving the other ghosts", csp_mpi.Test(&ending, &done, MPI_STATUS_IGNORE));
    return ending == MPI_REQUEST_NULL && taken == due;
}

void csp_ghost_net_stop(void)
{
    for (int i = 0; i < RECEIVES; i++) {
        csp_mpi.Cancel(&receives[i]);
        csp_mpi.Wait(&receives[i], MPI_STATUS_IGNORE);
    }
    csp_bufs_free(&bufs);
    free(in);
    free(sent_to);
}
