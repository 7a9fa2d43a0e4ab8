// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Matched messages (MPI-4.1 3.8.2): the program holds a carrier, a matched message of the MPI library's that this process
// sent to itself.
#ifndef CSP_P2P_MSG_H
#define CSP_P2P_MSG_H

#include "p2p/p2p.h"

struct csp_msg {
    MPI_Message handle; // the carrier,
    MPI_Request send;   // and what it was sent by: freed before, MPICH 4.0 uses it all the same
    struct csp_msg *next;
    struct csp_p2p_comm *comm; // counted reference
    uint64_t message;          // as the ghost named it
};

void csp_msg_stop(void);

#endif
