! SPDX-License-Identifier: BSD-3-Clause
! Copyright the Casper developers
! mpif.h: the code of `stop`. The runner expects exit code 3.
program f77_exit
    implicit none
    include 'mpif.h'
    include 'exit.inc'
end program f77_exit
