! SPDX-License-Identifier: BSD-3-Clause
! Copyright the Casper developers
! mpif.h: spawned processes, ports.
#include "handles_int.inc"
#define MPI_INTERFACE include 'mpif.h'
#define INTERFACE_MODULE f77_jobs_mpi
#include "jobs.inc"
