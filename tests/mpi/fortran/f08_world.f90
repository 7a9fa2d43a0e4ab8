! SPDX-License-Identifier: BSD-3-Clause
! Copyright the Casper developers
! use mpi_f08: the world as the program sees it, with callbacks in Fortran.
module f08_world_callbacks
    use mpi_f08
    implicit none
    integer :: copies = 0, deletes = 0, errors_seen = 0, wrong = 0, users = -1
contains
    subroutine on_copy(oldcomm, keyval, extra, val_in, val_out, flag, ierror)
        type(MPI_Comm) :: oldcomm
        integer :: keyval, ierror
        integer(MPI_ADDRESS_KIND) :: extra, val_in, val_out
        logical :: flag
        copies = copies + 1
        if (oldcomm /= MPI_COMM_WORLD .or. extra /= 11) wrong = wrong + 1
        val_out = val_in + 1
        flag = .true.
        ierror = MPI_SUCCESS
    end subroutine on_copy

    subroutine on_delete(comm, keyval, val, extra, ierror)
        type(MPI_Comm) :: comm
        integer :: keyval, ierror
        integer(MPI_ADDRESS_KIND) :: val, extra
        deletes = deletes + 1
        ! (the handle: world/keyvals.c; Open MPI 4.1 passes a wrong one here)
        if (extra /= 11) wrong = wrong + 1
        ierror = MPI_SUCCESS
    end subroutine on_delete

    subroutine on_error(comm, code)
        type(MPI_Comm) :: comm
        integer :: code, size
        errors_seen = errors_seen + 1
        if (comm /= MPI_COMM_WORLD) wrong = wrong + 1
        call MPI_Comm_size(MPI_COMM_WORLD, size)
        if (size /= users) wrong = wrong + 1
    end subroutine on_error
end module f08_world_callbacks

program f08_world
    use mpi_f08
    use f08_world_callbacks
    implicit none
    integer :: errors = 0, me, n
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, me)
    call MPI_Comm_size(MPI_COMM_WORLD, n)
    users = n
    call check_users()
    call groups()
    call attributes()
    call splits()
    call error_handler()
    call messages()
    call done()
contains
    subroutine groups()
        type(MPI_Group) :: world, other
        type(MPI_Comm) :: dup
        integer :: res, size
        call MPI_Comm_group(MPI_COMM_WORLD, world)
        call MPI_Group_size(world, size)
        call check(size == n, 'size of the group')
        call MPI_Comm_dup(MPI_COMM_WORLD, dup)
        call MPI_Comm_compare(dup, MPI_COMM_WORLD, res)
        call check(res == MPI_CONGRUENT, 'compare')
        call MPI_Comm_group(dup, other)
        call MPI_Group_compare(world, other, res)
        call check(res == MPI_IDENT, 'groups')
        call MPI_Group_free(world)
        call MPI_Group_free(other)
        call MPI_Comm_free(dup)
    end subroutine groups

    subroutine splits()
        type(MPI_Comm) :: comm
        integer :: size, rank, total, length
        character(MPI_MAX_OBJECT_NAME) :: name
        call MPI_Comm_split(MPI_COMM_WORLD, mod(me, 2), -me, comm)
        call MPI_Comm_size(comm, size)
        call check(size == (n + 1 - mod(me, 2)) / 2, 'split')
        call MPI_Comm_free(comm)
        call MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, comm)
        call MPI_Comm_size(comm, size)
        call MPI_Comm_rank(comm, rank)
        if (rank /= 0) size = 0
        call MPI_Allreduce(size, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
        call check(total == n, 'split by shared memory')
        call MPI_Comm_free(comm)
        call MPI_Comm_get_name(MPI_COMM_WORLD, name, length)
        call check(name(1:length) == 'MPI_COMM_WORLD', 'name')
    end subroutine splits

    subroutine attributes()
        integer(MPI_ADDRESS_KIND) :: val
        integer :: key
        logical :: flag
        type(MPI_Comm) :: dup
        call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, val, flag)
        call check(flag .and. val >= 32767, 'MPI_TAG_UB')
        call MPI_Comm_create_keyval(on_copy, on_delete, key, 11_MPI_ADDRESS_KIND)
        call MPI_Comm_set_attr(MPI_COMM_WORLD, key, 5_MPI_ADDRESS_KIND)
        call MPI_Comm_dup(MPI_COMM_WORLD, dup)
        call MPI_Comm_get_attr(dup, key, val, flag)
        call check(flag .and. val == 6, 'copied attribute')
        call MPI_Comm_get_attr(dup, MPI_TAG_UB, val, flag)
        call check(flag .and. val >= 32767, 'MPI_TAG_UB of a duplicate')
        call MPI_Comm_free(dup)
        call MPI_Comm_delete_attr(MPI_COMM_WORLD, key)
        call check(copies == 1 .and. deletes == 2, 'callbacks')
        call check(wrong == 0, 'arguments of callbacks')
        call MPI_Comm_free_keyval(key)
    end subroutine attributes

    subroutine error_handler()
        type(MPI_Errhandler) :: handler
        integer :: ierr, class
        call MPI_Comm_create_errhandler(on_error, handler)
        call MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler)
        call MPI_Send(me, 1, MPI_INTEGER, n, 0, MPI_COMM_WORLD, ierr)
        call check(errors_seen == 1 .and. wrong == 0, 'error handler')
        call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
        call MPI_Send(me, 1, MPI_INTEGER, n, 0, MPI_COMM_WORLD, ierr)
        call MPI_Error_class(ierr, class)
        call check(class == MPI_ERR_RANK, 'error class')
        call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL)
        call MPI_Errhandler_free(handler)
    end subroutine error_handler

    subroutine messages()
        integer :: got, total
        type(MPI_Status) :: status
        type(MPI_Request) :: request
        call MPI_Isend(me, 1, MPI_INTEGER, mod(me + 1, n), 9, MPI_COMM_WORLD, request)
        call MPI_Recv(got, 1, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status)
        call MPI_Wait(request, MPI_STATUS_IGNORE)
        call check(got == mod(me + n - 1, n) .and. status%MPI_SOURCE == got, 'message')
        call MPI_Allreduce(me, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
        call check(total == n * (n - 1) / 2, 'allreduce')
    end subroutine messages

    include 'csp_test.inc'
end program f08_world
