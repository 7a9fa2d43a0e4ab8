// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Sends and receives by ghosts, for the wrappers. CasperII; docs/design/twosided.md. User role, any thread.
#ifndef CSP_P2P_P2P_H
#define CSP_P2P_P2P_H

#include <mpi.h>
#include "base/log.h"
#include "types/type.h"

/** MPI_Buffer_attach, MPI_Buffer_detach: how much there is room for. */
int csp_p2p_buffer_attach(void *buffer, int size);
int csp_p2p_buffer_detach(void *buffer_addr, int *size);
#if CSP_HAVE_MPI_Buffer_attach_c
int csp_p2p_buffer_attach_c(void *buffer, MPI_Count size);
int csp_p2p_buffer_detach_c(void *buffer_addr, MPI_Count *size);
#endif
/** The program attaches a buffer to a communicator. */
void csp_p2p_buffer_of_comm(void);

void csp_p2p_start(void);
void csp_p2p_stop(void);

/** The processes of `comm` have just made it, all of them together. */
void csp_p2p_comm_made(MPI_Comm comm, MPI_Info info);
int csp_p2p_comm_set_info(MPI_Comm comm, MPI_Info info);
/** MPI_Comm_disconnect: requests that the program has freed are over, and their buffers its own. */
int csp_p2p_comm_disconnect(MPI_Comm *comm);
/** The same of one that the program made, with its hints. */
void csp_p2p_comm_new(MPI_Comm comm, MPI_Info info);
/** Keeps the hints of an info that the communicator was given. */
void csp_p2p_hints_keep(MPI_Comm comm, MPI_Info info);
/** What the library says, who carries messages, and the hints. */
int csp_p2p_comm_get_info(MPI_Comm comm, MPI_Info *info);

struct csp_p2p_comm;

enum csp_p2p_mode {
    CSP_P2P_STANDARD,
    CSP_P2P_SYNC,
    CSP_P2P_BUFFERED,
    CSP_P2P_COPIED, // standard, from a buffer that the receive of the same call replaces
    CSP_P2P_RECV
};

// What a call does.
enum csp_p2p_call {
    CSP_P2P_BLOCKS,   // sends or receives, and waits for it
    CSP_P2P_BEGINS,   // sends or receives, with a request
    CSP_P2P_PERSISTS, // makes a persistent request
    CSP_P2P_LOOKS,    // takes a message out of matching, or waits for one
    CSP_P2P_ASKS      // asks for one
};

// A send or receive with the program's arguments.
struct csp_post {
    enum csp_p2p_mode mode;
    enum csp_p2p_call call;
    int way;          // of a flow (p2p_flow.h): enum csp_p2p_way
    int open;         // it waits to know what this call met
    uint32_t changes; // of the flow so far
    struct csp_p2p_comm *comm;
    void *buf; // a send's is not written
    csp_count_t count;
    MPI_Datatype type;
    int peer, tag;
};

/**
 * Whether ghosts carry it. If not, it is the MPI library's: another communicator, MPI_PROC_NULL, or arguments that
 * it will complain about.
 */
int csp_p2p_takes(MPI_Comm comm, struct csp_post *post);

/** The same for a send and a receive; one of them may be to or from MPI_PROC_NULL. */
int csp_p2p_takes_both(MPI_Comm comm, struct csp_post *send, struct csp_post *recv);

/** Nonblocking. @return MPI error code. */
int csp_p2p_post(const struct csp_post *post, MPI_Request *request);
/** Send and receive under one request; its status is the receive's. */
int csp_p2p_post_both(const struct csp_post *send, const struct csp_post *recv,
                      MPI_Request *request);
/** Blocking. */
int csp_p2p_send(const struct csp_post *post);
int csp_p2p_recv(struct csp_post *post, MPI_Status *status);
int csp_p2p_sendrecv(const struct csp_post *send, struct csp_post *recv, MPI_Status *status);
/** Persistent; inactive. */
int csp_p2p_init(const struct csp_post *post, MPI_Request *request);

/** MPI_Cancel. */
int csp_p2p_cancel(MPI_Request *request);

// CSP_P2P=auto.
/** A call that csp_p2p_takes left to the MPI library failed. */
void csp_p2p_failed(const struct csp_post *post, int rc);

/** The library did such a call. @return `rc`. */
static inline int csp_p2p_did(const struct csp_post *post, int rc)
{
    if (CSP_UNLIKELY(rc != MPI_SUCCESS))
        csp_p2p_failed(post, rc);
    return rc;
}

/** A collective call on `comm` succeeded. */
void csp_p2p_collective(MPI_Comm comm);
/** Whether a large message of this thread's is on its way by the MPI library. */
int csp_p2p_large(void);
/** If so: the thread waited for requests of the library's. */
void csp_p2p_waited(uint64_t since_ns);

// Probes; `source` and `tag` were looked at by csp_p2p_takes.
int csp_p2p_iprobe(const struct csp_post *post, int *flag, MPI_Status *status);
int csp_p2p_probe(struct csp_post *post, MPI_Status *status);
int csp_p2p_improbe(struct csp_post *post, int *flag, MPI_Message *message, MPI_Status *status);
int csp_p2p_mprobe(struct csp_post *post, MPI_Message *message, MPI_Status *status);
/** Whether it is a message of Casper's. */
int csp_p2p_has_message(MPI_Message message);
int csp_p2p_imrecv(struct csp_post *post, MPI_Message *message, MPI_Request *request);
int csp_p2p_mrecv(struct csp_post *post, MPI_Message *message, MPI_Status *status);

#endif
