! SPDX-License-Identifier: BSD-3-Clause
! Copyright the Casper developers
! use mpi_f08: the code of `stop`. The runner expects exit code 3.
program f08_exit
    use mpi_f08
    implicit none
    include 'exit.inc'
end program f08_exit
