! SPDX-License-Identifier: BSD-3-Clause
! Copyright the Casper developers
! use mpi: inter-communicators, topologies, error handlers.
#include "handles_int.inc"
#define MPI_INTERFACE use mpi
#define CALLBACKS f90_comms_callbacks
#include "comms.inc"
