! SPDX-License-Identifier: BSD-3-Clause
! Copyright the Casper developers
! use mpi_f08: handles are exchanged with C (MPI_VAL) and compared; a window of a split communicator,
! two windows at once; sizes count the application's ranks; the C pointers are those of the windows.
program f08_cptr
    use mpi_f08
    use, intrinsic :: iso_c_binding
    implicit none
    integer :: errors = 0, me, n, rank, size, i
    integer, pointer :: a(:), b(:)
    integer, asynchronous :: value
    type(c_ptr) :: pa, pb
    type(MPI_Win) :: wa, wb, copy
    type(MPI_Comm) :: half, same
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, me)
    call MPI_Comm_size(MPI_COMM_WORLD, n)
    call check_users()
    same%MPI_VAL = MPI_COMM_WORLD%MPI_VAL
    call check(same == MPI_COMM_WORLD, 'handle of the world')
    call MPI_Comm_size(same, size)
    call check(size == n, 'size by a copy of the handle')
    call MPI_Comm_split(MPI_COMM_WORLD, mod(me, 2), me, half)
    call MPI_Comm_rank(half, rank)
    call MPI_Comm_size(half, size)
    call check(size == (n + 1 - mod(me, 2)) / 2, 'size of half')
    call MPI_Win_allocate(64_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, half, pa, wa)
    call MPI_Win_allocate(64_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, pb, wb)
    call c_f_pointer(pa, a, [16])
    call c_f_pointer(pb, b, [16])
    copy%MPI_VAL = wa%MPI_VAL
    call check(copy == wa .and. wa /= wb, 'handles of windows')
    do i = 1, 5
        value = 100 * me + i
        call MPI_Win_fence(0, copy)
        call MPI_Win_fence(0, wb)
        call MPI_Put(value, 1, MPI_INTEGER, mod(rank + 1, size), 3_MPI_ADDRESS_KIND, 1, MPI_INTEGER, wa)
        call MPI_Put(value, 1, MPI_INTEGER, mod(me + 1, n), 3_MPI_ADDRESS_KIND, 1, MPI_INTEGER, wb)
        call MPI_Win_fence(0, wb)
        call MPI_Win_fence(0, wa)
        call check(b(4) == 100 * mod(me + n - 1, n) + i, 'window of the world')
        call check(a(4) == 100 * (2 * mod(rank + size - 1, size) + mod(me, 2)) + i, 'window of half')
    end do
    call owners(wa, pa, size)
    call owners(wb, pb, n)
    call MPI_Win_free(wa)
    call MPI_Win_free(wb)
    call MPI_Comm_free(half)
    call done()
contains
    subroutine owners(win, p, users)
        type(MPI_Win), intent(in) :: win
        type(c_ptr), intent(in) :: p
        integer, intent(in) :: users
        type(MPI_Group) :: group
        integer(MPI_ADDRESS_KIND) :: base
        integer :: members
        logical :: flag
        call MPI_Win_get_group(win, group)
        call MPI_Group_size(group, members)
        call check(members == users, 'group of a window')
        call MPI_Group_free(group)
        call MPI_Win_get_attr(win, MPI_WIN_BASE, base, flag)
        call check(flag .and. base == transfer(p, base), 'MPI_WIN_BASE')
    end subroutine owners

    include 'csp_test.inc'
end program f08_cptr
