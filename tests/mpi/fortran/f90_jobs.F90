! SPDX-License-Identifier: BSD-3-Clause
! Copyright the Casper developers
! use mpi: spawned processes, ports.
#include "handles_int.inc"
#define MPI_INTERFACE use mpi
#define INTERFACE_MODULE f90_jobs_mpi
#include "jobs.inc"
