// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Before mpi.h of Open MPI: the suite calls functions that MPI-3.0 removed. The library has them; its header refuses them.
#ifndef CSP_CONFORMANCE_REMOVED_H
#define CSP_CONFORMANCE_REMOVED_H

#define OMPI_OMIT_MPI1_COMPAT_DECLS 0
#define __mpi_interface_removed__(function, replacement)

#endif
