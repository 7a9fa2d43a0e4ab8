! SPDX-License-Identifier: BSD-3-Clause
! Copyright the Casper developers
! use mpi: MPI-IO.
#include "handles_int.inc"
#define MPI_INTERFACE use mpi
#define CALLBACKS f90_io_callbacks
#include "io.inc"
