! SPDX-License-Identifier: BSD-3-Clause
! Copyright the Casper developers
! use mpi_f08: MPI-IO.
#include "handles_f08.inc"
#define MPI_INTERFACE use mpi_f08
#define CALLBACKS f08_io_callbacks
#include "io.inc"
