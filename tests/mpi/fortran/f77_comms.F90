! SPDX-License-Identifier: BSD-3-Clause
! Copyright the Casper developers
! mpif.h: inter-communicators, topologies, error handlers.
#include "handles_int.inc"
#define MPI_INTERFACE include 'mpif.h'
#define CALLBACKS f77_comms_callbacks
#include "comms.inc"
