! SPDX-License-Identifier: BSD-3-Clause
! Copyright the Casper developers
! use mpi_f08: an allocated window in all kinds of epochs, with every operation; attributes, error
! handler and group of the window.
module f08_win_callbacks
    use mpi_f08
    implicit none
    type(MPI_Win) :: expected
    integer :: calls = 0, wrong = 0
contains
    subroutine on_error(win, code)
        type(MPI_Win) :: win
        integer :: code
        calls = calls + 1
        if (win /= expected) wrong = wrong + 1
    end subroutine on_error
end module f08_win_callbacks

program f08_win
    use mpi_f08
    use, intrinsic :: iso_c_binding
    use f08_win_callbacks
    implicit none
    integer, parameter :: w = 16
    integer :: errors = 0, me, n, to, from
    integer, pointer :: mine(:)
    type(c_ptr) :: base
    type(MPI_Win) :: win
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, me)
    call MPI_Comm_size(MPI_COMM_WORLD, n)
    call check_users()
    to = mod(me + 1, n)
    from = mod(me + n - 1, n)
    call MPI_Win_allocate(int(4 * w, MPI_ADDRESS_KIND), 4, MPI_INFO_NULL, MPI_COMM_WORLD, base, win)
    call c_f_pointer(base, mine, [w])
    call fence_epoch()
    call pscw_epoch()
    call lock_epochs()
    call atomics()
    call queries()
    call MPI_Win_free(win)
    call check(win == MPI_WIN_NULL, 'free')
    call done()
contains
    subroutine fence_epoch()
        integer, asynchronous :: src(w), got(w)
        integer :: i
        src = [(me * 100 + i, i=1, w)]
        call MPI_Win_fence(MPI_MODE_NOPRECEDE, win)
        call MPI_Put(src, w, MPI_INTEGER, to, 0_MPI_ADDRESS_KIND, w, MPI_INTEGER, win)
        call MPI_Win_fence(0, win)
        call check(all(mine == [(from * 100 + i, i=1, w)]), 'put by fence')
        got = -1
        call MPI_Get(got, w, MPI_INTEGER, to, 0_MPI_ADDRESS_KIND, w, MPI_INTEGER, win)
        call MPI_Win_fence(MPI_MODE_NOSUCCEED, win)
        call check(all(got == src), 'get by fence')
    end subroutine fence_epoch

    subroutine pscw_epoch()
        type(MPI_Group) :: group
        integer, asynchronous :: one
        one = 1
        mine(1) = 0
        call MPI_Win_get_group(win, group)
        call MPI_Win_post(group, 0, win)
        call MPI_Win_start(group, 0, win)
        call MPI_Accumulate(one, 1, MPI_INTEGER, to, 0_MPI_ADDRESS_KIND, 1, MPI_INTEGER, MPI_SUM, win)
        call MPI_Accumulate(one, 1, MPI_INTEGER, from, 0_MPI_ADDRESS_KIND, 1, MPI_INTEGER, MPI_SUM, win)
        call MPI_Win_complete(win)
        call MPI_Win_wait(win)
        call MPI_Group_free(group)
        call check(mine(1) == 2, 'accumulate by PSCW')
    end subroutine pscw_epoch

    subroutine lock_epochs()
        integer, asynchronous :: src(2), got
        type(MPI_Request) :: request
        src = [me, me + 7]
        call MPI_Barrier(MPI_COMM_WORLD)
        call MPI_Win_lock(MPI_LOCK_EXCLUSIVE, to, 0, win)
        call MPI_Put(src, 2, MPI_INTEGER, to, 2_MPI_ADDRESS_KIND, 2, MPI_INTEGER, win)
        call MPI_Win_flush(to, win)
        call MPI_Rget(got, 1, MPI_INTEGER, to, 3_MPI_ADDRESS_KIND, 1, MPI_INTEGER, win, request)
        call MPI_Wait(request, MPI_STATUS_IGNORE)
        call check(got == me + 7, 'rget of what was put')
        call MPI_Win_unlock(to, win)
        call MPI_Barrier(MPI_COMM_WORLD)
        call MPI_Win_lock(MPI_LOCK_SHARED, me, 0, win)
        call check(mine(3) == from .and. mine(4) == from + 7, 'put by lock')
        mine(5) = 0
        call MPI_Win_unlock(me, win)
        call MPI_Barrier(MPI_COMM_WORLD)
    end subroutine lock_epochs

    subroutine atomics()
        integer, asynchronous :: one, old, last, res(1)
        integer :: i
        one = 1
        last = -1
        call MPI_Win_lock_all(0, win)
        do i = 1, 10
            call MPI_Fetch_and_op(one, old, MPI_INTEGER, 0, 4_MPI_ADDRESS_KIND, MPI_SUM, win)
            call MPI_Win_flush(0, win)
            call check(old > last, 'fetch_and_op')
            last = old
        end do
        call MPI_Barrier(MPI_COMM_WORLD)
        call MPI_Get_accumulate(one, 1, MPI_INTEGER, res, 1, MPI_INTEGER, 0, 4_MPI_ADDRESS_KIND, 1, &
                                MPI_INTEGER, MPI_NO_OP, win)
        call MPI_Win_flush_all(win)
        call check(res(1) == 10 * n, 'get_accumulate')
        call MPI_Barrier(MPI_COMM_WORLD)
        call MPI_Compare_and_swap(one, res, old, MPI_INTEGER, 0, 4_MPI_ADDRESS_KIND, win)
        call MPI_Win_unlock_all(win)
        call check(old == 10 * n .or. old == 1, 'compare_and_swap')
    end subroutine atomics

    subroutine queries()
        integer(MPI_ADDRESS_KIND) :: val
        logical :: flag
        type(MPI_Errhandler) :: handler
        integer, asynchronous :: one
        integer :: ierr
        call MPI_Win_get_attr(win, MPI_WIN_SIZE, val, flag)
        call check(flag .and. val == 4 * w, 'MPI_WIN_SIZE')
        call MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, val, flag)
        call check(flag .and. val == MPI_WIN_FLAVOR_ALLOCATE, 'flavor')
        expected = win
        one = 1
        call MPI_Win_create_errhandler(on_error, handler)
        call MPI_Win_set_errhandler(win, handler)
        call MPI_Win_lock_all(0, win)
        call MPI_Put(one, 1, MPI_INTEGER, n, 0_MPI_ADDRESS_KIND, 1, MPI_INTEGER, win, ierr)
        call MPI_Win_unlock_all(win)
        call check(calls == 1 .and. wrong == 0, 'error handler')
        call MPI_Errhandler_free(handler)
    end subroutine queries

    include 'csp_test.inc'
end program f08_win
