! SPDX-License-Identifier: BSD-3-Clause
! Copyright the Casper developers
! mpif.h: MPI-IO.
#include "handles_int.inc"
#define MPI_INTERFACE include 'mpif.h'
#define CALLBACKS f77_io_callbacks
#include "io.inc"
