! SPDX-License-Identifier: BSD-3-Clause
! Copyright the Casper developers
! mpif.h: MPI_Abort. The runner expects exit code 42.
program f77_abort
    implicit none
    include 'mpif.h'
    include 'abort.inc'
end program f77_abort
