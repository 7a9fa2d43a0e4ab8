! SPDX-License-Identifier: BSD-3-Clause
! Copyright the Casper developers
! ring.c with use mpi: the same calls.
program ring
    use mpi
    use, intrinsic :: iso_c_binding
    implicit none
    integer, parameter :: puts = 5, sends = 3
    integer :: me, n, one, i, ierr, win, from, to, request, errors = 0, all = 0
    integer :: pair(2), out(4), in(4)
    integer, pointer :: mine(:)
    type(c_ptr) :: base
    call MPI_Init(ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, n, ierr)
    call MPI_Comm_size(MPI_COMM_SELF, one, ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
    to = mod(me + 1, n)
    from = mod(me + n - 1, n)
    if (one /= 1) errors = errors + 1
    call MPI_Win_allocate(64_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, base, win, ierr)
    call c_f_pointer(base, mine, [2 * puts])
    mine = -1
    call MPI_Win_fence(0, win, ierr)
    do i = 1, puts
        pair = [me, i]
        call MPI_Put(pair, 2, MPI_INTEGER, to, int(2 * (i - 1), MPI_ADDRESS_KIND), 2, MPI_INTEGER, win, ierr)
        call MPI_Win_fence(0, win, ierr)
    end do
    do i = 1, puts
        if (mine(2 * i - 1) /= from .or. mine(2 * i) /= i) errors = errors + 1
    end do
    call MPI_Win_free(win, ierr)
    do i = 1, sends
        out = [me, i, 0, 0]
        in = -1
        call MPI_Irecv(in, 4, MPI_INTEGER, from, i, MPI_COMM_WORLD, request, ierr)
        call MPI_Send(out, 4, MPI_INTEGER, to, i, MPI_COMM_WORLD, ierr)
        call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
        if (in(1) /= from .or. in(2) /= i) errors = errors + 1
    end do
    call MPI_Allreduce(errors, all, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    if (me == 0 .and. all /= 0) print *, all, ' errors'
    call MPI_Finalize(ierr)
    if (all /= 0) stop 1
end program ring
