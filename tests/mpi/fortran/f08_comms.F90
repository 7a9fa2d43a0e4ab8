! SPDX-License-Identifier: BSD-3-Clause
! Copyright the Casper developers
! use mpi_f08: inter-communicators, topologies, error handlers.
#include "handles_f08.inc"
#define MPI_INTERFACE use mpi_f08
#define CALLBACKS f08_comms_callbacks
#include "comms.inc"
