// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Info key casper_p2p, given to communicators.
#ifndef CSP_TEST_CASPER_P2P_INFO_H
#define CSP_TEST_CASPER_P2P_INFO_H

#include "casper_ring.h"

static inline MPI_Info p2p_info(const char *value)
{
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "casper_p2p", value);
    return info;
}

// The class of the error.
static inline int p2p_set_info(MPI_Comm comm, const char *value)
{
    MPI_Info info = p2p_info(value);
    int rc = MPI_Comm_set_info(comm, info), class;
    MPI_Info_free(&info);
    MPI_Error_class(rc, &class);
    return class;
}

#endif
