! SPDX-License-Identifier: BSD-3-Clause
! Copyright the Casper developers
! use mpi: an allocated window whose memory is used through a pointer; derived types, request-based
! operations, attributes and a name of the window. With an argument: for several threads.
program f90_win
    use mpi
    use, intrinsic :: iso_c_binding
    implicit none
    integer, parameter :: w = 16
    integer :: errors = 0, me, n, ierr, win, to, from
    real(c_double), pointer :: mine(:)
    type(c_ptr) :: base
    if (command_argument_count() > 0) then
        call MPI_Init_thread(MPI_THREAD_MULTIPLE, n, ierr)
    else
        call MPI_Init(ierr)
    end if
    call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, n, ierr)
    to = mod(me + 1, n)
    from = mod(me + n - 1, n)
    call MPI_Win_allocate(int(8 * w, MPI_ADDRESS_KIND), 8, MPI_INFO_NULL, MPI_COMM_WORLD, base, win, ierr)
    call c_f_pointer(base, mine, [w])
    call fence_epoch()
    call strided()
    call requests()
    call attributes()
    call MPI_Win_free(win, ierr)
    call done()
contains
    subroutine fence_epoch()
        real(c_double) :: src(w)
        integer :: i
        mine = -1
        src = [(me * 100 + i, i=1, w)]
        call MPI_Win_fence(0, win, ierr)
        call MPI_Put(src, w, MPI_DOUBLE_PRECISION, to, 0_MPI_ADDRESS_KIND, w, MPI_DOUBLE_PRECISION, win, ierr)
        call MPI_Win_fence(0, win, ierr)
        call check(all(mine == [(from * 100 + i, i=1, w)]), 'put by fence')
        call MPI_Win_fence(0, win, ierr) ! all have looked
        call MPI_Accumulate(src, w, MPI_DOUBLE_PRECISION, to, 0_MPI_ADDRESS_KIND, w, &
                            MPI_DOUBLE_PRECISION, MPI_SUM, win, ierr)
        call MPI_Win_fence(MPI_MODE_NOSUCCEED, win, ierr)
        call check(all(mine == [(2 * (from * 100 + i), i=1, w)]), 'accumulate by fence')
    end subroutine fence_epoch

    subroutine strided()
        real(c_double) :: src(w / 2)
        integer :: even, i
        mine = 0
        src = me + 0.5d0
        call MPI_Type_vector(w / 2, 1, 2, MPI_DOUBLE_PRECISION, even, ierr)
        call MPI_Type_commit(even, ierr)
        call MPI_Barrier(MPI_COMM_WORLD, ierr)
        call MPI_Win_lock_all(0, win, ierr)
        call MPI_Put(src, w / 2, MPI_DOUBLE_PRECISION, to, 0_MPI_ADDRESS_KIND, 1, even, win, ierr)
        call MPI_Win_unlock_all(win, ierr)
        call MPI_Type_free(even, ierr)
        call MPI_Barrier(MPI_COMM_WORLD, ierr)
        do i = 1, w
            call check(mine(i) == merge(from + 0.5d0, 0d0, mod(i, 2) == 1), 'strided put')
        end do
        call MPI_Barrier(MPI_COMM_WORLD, ierr)
    end subroutine strided

    subroutine requests()
        real(c_double) :: got(w)
        integer :: request
        got = -1
        mine = me
        call MPI_Barrier(MPI_COMM_WORLD, ierr)
        call MPI_Win_lock(MPI_LOCK_SHARED, to, 0, win, ierr)
        call MPI_Rget(got, w, MPI_DOUBLE_PRECISION, to, 0_MPI_ADDRESS_KIND, w, MPI_DOUBLE_PRECISION, &
                      win, request, ierr)
        call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
        call check(all(got == to), 'rget')
        call MPI_Win_unlock(to, win, ierr)
        call MPI_Barrier(MPI_COMM_WORLD, ierr)
    end subroutine requests

    subroutine attributes()
        integer(MPI_ADDRESS_KIND) :: val
        integer :: length
        logical :: flag
        character(MPI_MAX_OBJECT_NAME) :: name
        call MPI_Win_get_attr(win, MPI_WIN_SIZE, val, flag, ierr)
        call check(flag .and. val == 8 * w, 'MPI_WIN_SIZE')
        call MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, val, flag, ierr)
        call check(flag .and. val == MPI_WIN_FLAVOR_ALLOCATE, 'flavor')
        call MPI_Win_set_name(win, 'field', ierr)
        call MPI_Win_get_name(win, name, length, ierr)
        call check(name(1:length) == 'field', 'name')
    end subroutine attributes

    include 'csp_test.inc'
end program f90_win
