! SPDX-License-Identifier: BSD-3-Clause
! Copyright the Casper developers
! A shared counter in Fortran 2008: every rank draws numbers from a counter on rank 0 and computes
! in between, rank 0 as well. In the end every number must have been drawn once.
!     mpif90 -O2 counter.f90 -o counter        casper run -n 4 --virtual-nodes 2 --report ./counter
program counter
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
    use mpi_f08
    implicit none
    integer, parameter :: tasks = 200
    integer :: rank, ranks, task, drawn
    integer, pointer :: shared
    integer(kind=MPI_ADDRESS_KIND) :: bytes, place
    real(8) :: total, expected
    type(c_ptr) :: base
    type(MPI_Win) :: win

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    bytes = 4
    place = 0
    call MPI_Win_allocate(bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, base, win)
    call c_f_pointer(base, shared)
    shared = 0
    call MPI_Win_lock_all(0, win)
    call MPI_Barrier(MPI_COMM_WORLD)

    drawn = 0
    total = 0.0d0
    do
        call draw(task)
        if (task >= tasks) exit
        drawn = drawn + 1
        total = total + work(task)
    end do

    call MPI_Allreduce(MPI_IN_PLACE, drawn, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
    expected = tasks * (tasks - 1) / 2
    if (rank == 0) print '(i0,a,i0,a,f0.1,a,f0.1)', drawn, ' tasks on ', ranks, ' ranks, sum ', &
        total, ' of ', expected
    call MPI_Win_unlock_all(win)
    call MPI_Win_free(win)
    call MPI_Finalize()
    if (drawn /= tasks .or. total /= expected) error stop 1

contains

    ! Fetches the counter of rank 0 and adds one.
    subroutine draw(number)
        integer, intent(out), asynchronous :: number
        integer, asynchronous :: one
        one = 1
        call MPI_Fetch_and_op(one, number, MPI_INTEGER, 0, place, MPI_SUM, win)
        call MPI_Win_flush(0, win)
    end subroutine draw

    ! Some milliseconds of arithmetic; gives its argument back.
    real(8) function work(number)
        integer, intent(in) :: number
        integer :: i
        real(8) :: x
        x = 0.5d0
        do i = 1, 1000000
            x = 3.7d0 * x * (1.0d0 - x)
        end do
        work = number + merge(0.0d0, 1.0d0, x > 0.0d0 .and. x < 1.0d0)
    end function work

end program counter
