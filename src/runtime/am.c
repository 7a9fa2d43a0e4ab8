// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Control messages over csp_rt.ctl: eager sends from a pool of slots, one receiver at a time.
#include "runtime/am.h"

#include <limits.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/node.h"
#include "runtime/peers.h"
#include "runtime/piece.h"
#include "runtime/rt.h"
#include "runtime/stats.h"
#include "runtime/wait.h"

enum { AM_TAG = 1, SELDOM = 64 };

// A message in flight; slots without room for a text are reused, their number is bounded by the most ever in flight.
struct slot {
    struct slot *next;
    MPI_Request request;
    struct csp_am msg;
    char text[];
};

struct received {
    struct csp_am msg;
    char text[CSP_AM_TEXT_BYTES];
};

enum found { NOTHING, MESSAGE, BY_THE_WAY, PIECE };

static csp_am_handler handlers[CSP_AM_TYPES];
static int (*piece_has_room)(void);
static int (*piece_take)(int wrank, int bytes, int tag);
static pthread_mutex_t poll_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t send_lock = PTHREAD_MUTEX_INITIALIZER;
static struct received in; // under poll_lock
static struct slot *in_flight, *idle;
static uint64_t *sent_to; // users: messages to each ghost, [node * ng + gidx]

void csp_am_handle(enum csp_am_type type, csp_am_handler handler)
{
    handlers[type] = handler;
}

int csp_am_start(void)
{
    sent_to = calloc((size_t)csp_rt.topo->nnodes * (size_t)csp_rt.topo->ng, sizeof(*sent_to));
    CSP_CHECK(sent_to, "out of memory in MPI_Init");
    return csp_mpi.Comm_set_errhandler(csp_rt.ctl, MPI_ERRORS_RETURN);
}

void csp_am_failed(const char *what, int rc)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int len = 0;
    csp_peers_lost();
    csp_mpi.Error_string(rc, text, &len);
    csp_error("%s failed: %s", what, text);
    csp_rt_die(1);
}

static void slot_give(struct slot *s)
{
    if (s->msg.text_bytes) {
        free(s);
        return;
    }
    s->next = idle;
    idle = s;
}

// Caller holds send_lock. Moves the slots whose send completed to the idle list.
static void reap(void)
{
    struct slot **at = &in_flight;
    while (*at) {
        struct slot *s = *at;
        int done = 0;
        int rc = csp_mpi.Test(&s->request, &done, MPI_STATUS_IGNORE);
        if (rc != MPI_SUCCESS)
            csp_am_failed("sending a control message", rc);
        if (!done) {
            at = &s->next;
            continue;
        }
        *at = s->next;
        slot_give(s);
    }
}

static struct slot *slot_take(size_t text_bytes)
{
    struct slot *s = text_bytes ? NULL : idle;
    if (s)
        idle = s->next;
    else
        s = malloc(sizeof(*s) + text_bytes);
    CSP_CHECK(s, "out of memory for a control message");
    return s;
}

static int sends_left(void)
{
    pthread_mutex_lock(&send_lock);
    reap();
    int left = in_flight != NULL;
    pthread_mutex_unlock(&send_lock);
    return left;
}

static int is_ghost(int wrank)
{
    return csp_topo_lrank_of_wrank(csp_rt.topo)[wrank] < csp_rt.topo->ng;
}

void csp_am_ring(int ghost)
{
    if (ghost / csp_rt.topo->ng == csp_rt.node)
        csp_bell_ring(&csp_node_procs(csp_rt.page)[ghost % csp_rt.topo->ng].bell);
}

// A message to a ghost is counted; one of this node may be asleep.
static void note_ghost(int wrank)
{
    int node = csp_topo_node_of_wrank(csp_rt.topo)[wrank];
    int ghost = node * csp_rt.topo->ng + csp_topo_lrank_of_wrank(csp_rt.topo)[wrank];
    if (!is_ghost(wrank))
        return;
    sent_to[ghost]++;
    csp_am_ring(ghost);
}

void csp_am_send(int wrank, struct csp_am *msg)
{
    csp_am_send_text(wrank, msg, NULL, 0);
}

void csp_am_send_text(int wrank, struct csp_am *msg, const void *text, size_t bytes)
{
    CSP_CHECK(bytes <= CSP_AM_TEXT_BYTES, "control message of %zu bytes", bytes);
    msg->src = csp_rt.wrank;
    msg->text_bytes = (uint16_t)bytes;
    pthread_mutex_lock(&send_lock);
    reap();
    struct slot *s = slot_take(bytes);
    s->msg = *msg;
    if (bytes)
        memcpy(s->text, text, bytes);
    int rc = csp_mpi.Isend(&s->msg, (int)(sizeof(s->msg) + bytes), MPI_BYTE, wrank, AM_TAG,
                           csp_rt.ctl, &s->request);
    if (rc != MPI_SUCCESS)
        csp_am_failed("sending a control message", rc);
    s->next = in_flight;
    in_flight = s;
    note_ghost(wrank);
    pthread_mutex_unlock(&send_lock);
    if (csp_rt.is_ghost)
        return;
    struct csp_wait w; // the transport may need us to get the message out
    csp_wait_begin(&w, "control message to process %ld to leave", wrank);
    while (sends_left())
        csp_wait_turn(&w);
}

void csp_am_on_piece(int (*has_room)(void), int (*take)(int wrank, int bytes, int tag))
{
    piece_has_room = has_room;
    piece_take = take;
}

static int receive_piece(MPI_Status *status)
{
    int bytes = 0;
    int rc = csp_mpi.Get_count(status, MPI_BYTE, &bytes);
    if (rc == MPI_SUCCESS)
        rc = piece_take(status->MPI_SOURCE, bytes, status->MPI_TAG);
    if (rc != MPI_SUCCESS)
        csp_am_failed("receiving an RMA operation", rc);
    return PIECE;
}

static int is_piece(int tag)
{
    return tag == CSP_PIECE_TAG || tag >= CSP_PIECE_HEAD_TAG;
}

// One probe finds both kinds.
static enum found receive_one(void)
{
    MPI_Status status;
    int flag = 0, tag = piece_take && piece_has_room() ? MPI_ANY_TAG : AM_TAG;
    int rc = csp_mpi.Iprobe(MPI_ANY_SOURCE, tag, csp_rt.ctl, &flag, &status);
    if (rc == MPI_SUCCESS && !flag)
        return NOTHING;
    if (rc == MPI_SUCCESS && is_piece(status.MPI_TAG))
        return receive_piece(&status);
    if (rc == MPI_SUCCESS)
        rc = csp_mpi.Recv(&in, sizeof(in), MPI_BYTE, status.MPI_SOURCE, AM_TAG, csp_rt.ctl,
                          MPI_STATUS_IGNORE);
    if (rc != MPI_SUCCESS)
        csp_am_failed("receiving a control message", rc);
    CSP_CHECK(in.msg.type < CSP_AM_TYPES && handlers[in.msg.type] &&
                  in.msg.text_bytes <= CSP_AM_TEXT_BYTES,
              "control message of unknown type %u from %d", in.msg.type, in.msg.src);
    handlers[in.msg.type](&in.msg);
    return csp_rt.is_ghost && is_ghost(in.msg.src) ? BY_THE_WAY : MESSAGE;
}

// Caller holds `poll_lock`, which is given back.
static int receive(int max)
{
    int n = 0;
    enum found what = MESSAGE;
    for (int i = 0; i < max && what != NOTHING; i++) {
        what = receive_one();
        n += what == MESSAGE;
    }
    pthread_mutex_unlock(&poll_lock);
    return n;
}

int csp_am_poll(int max)
{
    return pthread_mutex_trylock(&poll_lock) == 0 ? receive(max) : 0; // else another thread does
}

void csp_am_poll_surely(void)
{
    pthread_mutex_lock(&poll_lock);
    receive(INT_MAX);
}

void csp_am_poll_at_times(void)
{
    static _Atomic uint64_t calls;
    csp_stats_add(&calls, 1);
    if (csp_stats_get(&calls) % SELDOM == 0)
        csp_am_poll(1);
}

void csp_am_settle(void)
{
    int n = csp_rt.topo->nnodes * csp_rt.topo->ng;
    csp_mpi.Allreduce(MPI_IN_PLACE, sent_to, n, MPI_UINT64_T, MPI_SUM, csp_rt.user_comm);
    for (int g = 0; g < csp_rt.page->ng; g++)
        csp_node_procs(csp_rt.page)[g].messages_due = sent_to[csp_rt.node * csp_rt.page->ng + g];
}

void csp_am_stop(void)
{
    struct csp_wait w;
    csp_wait_begin(&w, "control messages to leave");
    while (sends_left())
        csp_wait_turn(&w);
    while (idle) {
        struct slot *s = idle;
        idle = s->next;
        free(s);
    }
    free(sent_to);
}
