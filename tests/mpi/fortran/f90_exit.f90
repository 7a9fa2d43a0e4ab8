! SPDX-License-Identifier: BSD-3-Clause
! Copyright the Casper developers
! use mpi: the code of `stop`. The runner expects exit code 3.
program f90_exit
    use mpi
    implicit none
    include 'exit.inc'
end program f90_exit
