! SPDX-License-Identifier: BSD-3-Clause
! Copyright the Casper developers
! use mpi: MPI_Abort. The runner expects exit code 42.
program f90_abort
    use mpi
    implicit none
    include 'abort.inc'
end program f90_abort
