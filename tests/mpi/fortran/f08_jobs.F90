! SPDX-License-Identifier: BSD-3-Clause
! Copyright the Casper developers
! use mpi_f08: spawned processes, ports.
#include "handles_f08.inc"
#define MPI_INTERFACE use mpi_f08
#define INTERFACE_MODULE f08_jobs_mpi
#include "jobs.inc"
