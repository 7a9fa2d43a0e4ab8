! SPDX-License-Identifier: BSD-3-Clause
! Copyright the Casper developers
! use mpi_f08: MPI_Abort. The runner expects exit code 42.
program f08_abort
    use mpi_f08
    implicit none
    include 'abort.inc'
end program f08_abort
