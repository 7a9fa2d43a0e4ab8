! SPDX-License-Identifier: BSD-3-Clause
! Copyright the Casper developers
! use mpi_f08: Sessions without MPI_Init; the process set of the world holds the application's ranks.
program f08_session
    use mpi_f08
    implicit none
    integer :: errors = 0, me = -1, n, total, users, length, status, code
    character(16) :: text
    type(MPI_Session) :: session
    type(MPI_Group) :: group
    type(MPI_Comm) :: comm
    call MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, session)
    call MPI_Group_from_session_pset(session, 'mpi://WORLD', group)
    call MPI_Group_size(group, n)
    call MPI_Comm_create_from_group(group, 'casper', MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, comm)
    call MPI_Comm_rank(comm, me)
    call get_environment_variable('CASPER_TEST_USERS', text, length, status)
    if (status == 0 .and. length > 0) then
        read (text(1:length), *) users
        if (n /= users) errors = errors + 1
    end if
    call MPI_Allreduce(me, total, 1, MPI_INTEGER, MPI_SUM, comm)
    if (total /= n * (n - 1) / 2) errors = errors + 1
    call MPI_Allreduce(errors, code, 1, MPI_INTEGER, MPI_SUM, comm)
    call MPI_Group_free(group)
    call MPI_Comm_free(comm)
    call MPI_Session_finalize(session)
    if (code /= 0) stop 1
end program f08_session
