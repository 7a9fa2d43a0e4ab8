! SPDX-License-Identifier: BSD-3-Clause
! Copyright the Casper developers
! mpif.h: an allocated window; fence, lock, lock_all and PSCW epochs,
! all operations, attributes.
      program f77_win
      implicit none
      include 'mpif.h'
      integer me, n, ierr, win, to, from, errors, total, grp, i
      integer src(8), got(8), one, old, two
      integer(kind=MPI_ADDRESS_KIND) bytes, base, disp, val
      logical flag
      common /count/ errors
      errors = 0
      call MPI_INIT(ierr)
      call MPI_COMM_RANK(MPI_COMM_WORLD, me, ierr)
      call MPI_COMM_SIZE(MPI_COMM_WORLD, n, ierr)
      to = mod(me + 1, n)
      from = mod(me + n - 1, n)
      bytes = 64
      call MPI_WIN_ALLOCATE(bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD,
     &                      base, win, ierr)
      do i = 1, 8
        src(i) = me * 100 + i
      end do
! fence
      disp = 0
      call MPI_WIN_FENCE(0, win, ierr)
      call MPI_PUT(src, 8, MPI_INTEGER, to, disp, 8, MPI_INTEGER, win,
     &             ierr)
      call MPI_WIN_FENCE(0, win, ierr)
      call MPI_GET(got, 8, MPI_INTEGER, me, disp, 8, MPI_INTEGER, win,
     &             ierr)
      call MPI_WIN_FENCE(MPI_MODE_NOSUCCEED, win, ierr)
      do i = 1, 8
        call check(got(i) .eq. from * 100 + i, 'put by fence')
      end do
! lock_all
      one = 1
      two = 2
      disp = 8
      if (me .eq. 0) then
        src(1) = 0
        do i = 0, n - 1
          call MPI_WIN_LOCK(MPI_LOCK_EXCLUSIVE, i, 0, win, ierr)
          call MPI_PUT(src, 1, MPI_INTEGER, i, disp, 1, MPI_INTEGER,
     &                 win, ierr)
          call MPI_WIN_UNLOCK(i, win, ierr)
        end do
      end if
      call MPI_BARRIER(MPI_COMM_WORLD, ierr)
      call MPI_WIN_LOCK_ALL(0, win, ierr)
      do i = 0, n - 1
        call MPI_ACCUMULATE(one, 1, MPI_INTEGER, i, disp, 1,
     &                      MPI_INTEGER, MPI_SUM, win, ierr)
        old = -1
        call MPI_FETCH_AND_OP(two, old, MPI_INTEGER, i, disp, MPI_SUM,
     &                        win, ierr)
        call MPI_WIN_FLUSH(i, win, ierr)
        call check(old .ge. 1 .and. old .le. 3 * n - 2, 'fetch')
      end do
      call MPI_WIN_UNLOCK_ALL(win, ierr)
      call MPI_BARRIER(MPI_COMM_WORLD, ierr)
      call MPI_WIN_LOCK(MPI_LOCK_SHARED, to, 0, win, ierr)
      old = -1
      call MPI_GET(old, 1, MPI_INTEGER, to, disp, 1, MPI_INTEGER, win,
     &             ierr)
      call MPI_WIN_UNLOCK(to, win, ierr)
      call check(old .eq. 3 * n, 'sum')
      call MPI_BARRIER(MPI_COMM_WORLD, ierr)
! compare and swap: one rank of all wins
      call MPI_WIN_LOCK(MPI_LOCK_SHARED, 0, 0, win, ierr)
      one = 1000 + me
      total = 3 * n
      call MPI_COMPARE_AND_SWAP(one, total, old, MPI_INTEGER, 0, disp,
     &                          win, ierr)
      call MPI_WIN_UNLOCK(0, win, ierr)
      i = 0
      if (old .eq. 3 * n) i = 1
      call MPI_ALLREDUCE(i, total, 1, MPI_INTEGER, MPI_SUM,
     &                   MPI_COMM_WORLD, ierr)
      call check(total .eq. 1, 'compare and swap')
! PSCW
      call MPI_WIN_GET_GROUP(win, grp, ierr)
      call MPI_WIN_POST(grp, 0, win, ierr)
      call MPI_WIN_START(grp, 0, win, ierr)
      disp = 9
      call MPI_PUT(me, 1, MPI_INTEGER, to, disp, 1, MPI_INTEGER, win,
     &             ierr)
      call MPI_WIN_COMPLETE(win, ierr)
      call MPI_WIN_WAIT(win, ierr)
      call MPI_GROUP_FREE(grp, ierr)
      call MPI_WIN_LOCK(MPI_LOCK_SHARED, me, 0, win, ierr)
      call MPI_GET(old, 1, MPI_INTEGER, me, disp, 1, MPI_INTEGER, win,
     &             ierr)
      call MPI_WIN_UNLOCK(me, win, ierr)
      call check(old .eq. from, 'put by PSCW')
! attributes
      call MPI_WIN_GET_ATTR(win, MPI_WIN_SIZE, val, flag, ierr)
      call check(flag .and. val .eq. 64, 'MPI_WIN_SIZE')
      call MPI_WIN_GET_ATTR(win, MPI_WIN_BASE, val, flag, ierr)
      call check(flag .and. val .eq. base, 'MPI_WIN_BASE')
      call MPI_WIN_GET_ATTR(win, MPI_WIN_DISP_UNIT, val, flag, ierr)
      call check(flag .and. val .eq. 4, 'MPI_WIN_DISP_UNIT')
      call MPI_WIN_FREE(win, ierr)
      call check(win .eq. MPI_WIN_NULL, 'free')
      call MPI_ALLREDUCE(errors, total, 1, MPI_INTEGER, MPI_SUM,
     &                   MPI_COMM_WORLD, ierr)
      call MPI_FINALIZE(ierr)
      if (total .ne. 0) stop 1
      end

      subroutine check(ok, what)
      implicit none
      logical ok
      character*(*) what
      integer errors
      common /count/ errors
      if (ok) return
      errors = errors + 1
      print *, 'wrong: ', what
      end
