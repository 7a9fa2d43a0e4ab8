! SPDX-License-Identifier: BSD-3-Clause
! Copyright the Casper developers
! use mpi: the world as the program sees it: sizes, groups, splits, topologies, attributes, collectives.
program f90_world
    use mpi
    implicit none
    integer :: errors = 0, me, n, ierr
    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, n, ierr)
    call check_users()
    call groups()
    call splits()
    call attributes()
    call collectives()
    call done()
contains
    subroutine groups()
        integer :: world, other, dup, res, rank, nobody(1)
        call MPI_Comm_group(MPI_COMM_WORLD, world, ierr)
        call MPI_Comm_dup(MPI_COMM_WORLD, dup, ierr)
        call MPI_Comm_group(dup, other, ierr)
        call MPI_Group_compare(world, other, res, ierr)
        call check(res == MPI_IDENT, 'groups of world and dup')
        call MPI_Group_translate_ranks(world, 1, [n - 1], other, nobody, ierr)
        call check(nobody(1) == n - 1, 'translated rank')
        call MPI_Group_rank(other, rank, ierr)
        call check(rank == me, 'rank in the group')
        call MPI_Comm_compare(MPI_COMM_WORLD, dup, res, ierr)
        call check(res == MPI_CONGRUENT, 'compare')
        call MPI_Group_free(world, ierr)
        call MPI_Group_free(other, ierr)
        call MPI_Comm_free(dup, ierr)
    end subroutine groups

    subroutine splits()
        integer :: comm, size, rank, total, dims(2), coords(2)
        logical :: periods(2)
        call MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, comm, ierr)
        call MPI_Comm_size(comm, size, ierr)
        call MPI_Comm_rank(comm, rank, ierr)
        if (rank /= 0) size = 0
        call MPI_Allreduce(size, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
        call check(total == n, 'split by shared memory')
        call MPI_Comm_free(comm, ierr)
        dims = 0
        periods = .true.
        call MPI_Dims_create(n, 2, dims, ierr)
        call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, .false., comm, ierr)
        call MPI_Cart_coords(comm, me, 2, coords, ierr)
        call check(coords(1) * dims(2) + coords(2) == me, 'cartesian coordinates')
        call MPI_Comm_free(comm, ierr)
    end subroutine splits

    subroutine attributes()
        integer(MPI_ADDRESS_KIND) :: val
        integer :: dup, universe, length, status
        character(16) :: text
        logical :: flag
        call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, val, flag, ierr)
        call check(flag .and. val >= 32767, 'MPI_TAG_UB')
        call MPI_Comm_dup(MPI_COMM_WORLD, dup, ierr)
        call MPI_Comm_get_attr(dup, MPI_TAG_UB, val, flag, ierr)
        call check(flag .and. val >= 32767, 'MPI_TAG_UB of a duplicate')
        call MPI_Comm_free(dup, ierr)
        call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, val, flag, ierr)
        call check(.not. flag .or. val >= n, 'MPI_UNIVERSE_SIZE')
        call get_environment_variable('CASPER_TEST_UNIVERSE', text, length, status)
        if (status /= 0 .or. length == 0) return
        read (text(1:length), *) universe
        call check(flag .and. val == universe, 'MPI_UNIVERSE_SIZE counts the application')
    end subroutine attributes

    subroutine collectives()
        integer :: all(n), i, total, status(MPI_STATUS_SIZE), got, request
        call MPI_Allgather(me, 1, MPI_INTEGER, all, 1, MPI_INTEGER, MPI_COMM_WORLD, ierr)
        call check(all(1) == 0 .and. all(n) == n - 1, 'allgather')
        call MPI_Allreduce(me, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
        call check(total == n * (n - 1) / 2, 'allreduce')
        do i = 0, n - 1
            total = -1
            if (me == i) total = 7 * i
            call MPI_Bcast(total, 1, MPI_INTEGER, i, MPI_COMM_WORLD, ierr)
            call check(total == 7 * i, 'bcast')
        end do
        call MPI_Isend(me, 1, MPI_INTEGER, mod(me + 1, n), 9, MPI_COMM_WORLD, request, ierr)
        call MPI_Recv(got, 1, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status, ierr)
        call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
        call check(got == mod(me + n - 1, n) .and. status(MPI_SOURCE) == got, 'message')
    end subroutine collectives

    include 'csp_test.inc'
end program f90_world
