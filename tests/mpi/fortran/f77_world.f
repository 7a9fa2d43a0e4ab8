! SPDX-License-Identifier: BSD-3-Clause
! Copyright the Casper developers
! mpif.h: the world as the program sees it, attributes with Fortran
! callbacks, error handler, names, splits.
      program f77_world
      implicit none
      include 'mpif.h'
      integer me, n, ierr, users, key, grp, grp2, comm, res, sz, rk
      integer errors, ncopy, ndel, nerr, badcom, total, length, eh
      integer(kind=MPI_ADDRESS_KIND) val, extra
      logical flag
      character*(MPI_MAX_OBJECT_NAME) name
      character*16 text
      external on_copy, on_del, on_err
      common /counts/ errors, ncopy, ndel, nerr, badcom, n
      errors = 0
      ncopy = 0
      ndel = 0
      nerr = 0
      badcom = 0
      call MPI_INIT(ierr)
      call MPI_COMM_RANK(MPI_COMM_WORLD, me, ierr)
      call MPI_COMM_SIZE(MPI_COMM_WORLD, n, ierr)
      call get_environment_variable('CASPER_TEST_USERS', text, length)
      if (length .gt. 0) then
        read (text, *) users
        call check(n .eq. users, 'size')
      end if
! groups
      call MPI_COMM_GROUP(MPI_COMM_WORLD, grp, ierr)
      call MPI_GROUP_SIZE(grp, sz, ierr)
      call MPI_GROUP_RANK(grp, rk, ierr)
      call check(sz .eq. n .and. rk .eq. me, 'group')
      call MPI_COMM_DUP(MPI_COMM_WORLD, comm, ierr)
      call MPI_COMM_COMPARE(MPI_COMM_WORLD, comm, res, ierr)
      call check(res .eq. MPI_CONGRUENT, 'compare')
      call MPI_COMM_GROUP(comm, grp2, ierr)
      call MPI_GROUP_COMPARE(grp, grp2, res, ierr)
      call check(res .eq. MPI_IDENT, 'group compare')
      call MPI_GROUP_FREE(grp, ierr)
      call MPI_GROUP_FREE(grp2, ierr)
      call MPI_COMM_FREE(comm, ierr)
! attributes
      call MPI_COMM_GET_ATTR(MPI_COMM_WORLD, MPI_TAG_UB, val, flag,
     &                       ierr)
      call check(flag .and. val .ge. 32767, 'MPI_TAG_UB')
      extra = 11
      call MPI_COMM_CREATE_KEYVAL(on_copy, on_del, key, extra, ierr)
      val = 5
      call MPI_COMM_SET_ATTR(MPI_COMM_WORLD, key, val, ierr)
      call MPI_COMM_DUP(MPI_COMM_WORLD, comm, ierr)
      val = 0
      call MPI_COMM_GET_ATTR(comm, key, val, flag, ierr)
      call check(flag .and. val .eq. 6, 'copied attribute')
      call MPI_COMM_GET_ATTR(comm, MPI_TAG_UB, val, flag, ierr)
      call check(flag .and. val .ge. 32767, 'MPI_TAG_UB copied')
      call MPI_ATTR_GET(comm, MPI_TAG_UB, sz, flag, ierr)
      call check(flag, 'MPI_ATTR_GET of a duplicate')
      call MPI_COMM_FREE(comm, ierr)
      call MPI_COMM_DELETE_ATTR(MPI_COMM_WORLD, key, ierr)
      call check(ncopy .eq. 1 .and. ndel .eq. 2, 'callbacks')
      call check(badcom .eq. 0, 'handle in a callback')
      call MPI_COMM_FREE_KEYVAL(key, ierr)
! splits
      call MPI_COMM_SPLIT(MPI_COMM_WORLD, mod(me, 2), -me, comm, ierr)
      call MPI_COMM_SIZE(comm, sz, ierr)
      call check(sz .eq. (n + 1 - mod(me, 2)) / 2, 'split')
      call MPI_COMM_FREE(comm, ierr)
      call MPI_COMM_SPLIT_TYPE(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0,
     &                         MPI_INFO_NULL, comm, ierr)
      call MPI_COMM_RANK(comm, rk, ierr)
      call MPI_COMM_SIZE(comm, sz, ierr)
      if (rk .ne. 0) sz = 0
      call MPI_ALLREDUCE(sz, total, 1, MPI_INTEGER, MPI_SUM,
     &                   MPI_COMM_WORLD, ierr)
      call check(total .eq. n, 'split by shared memory')
      call MPI_COMM_FREE(comm, ierr)
! names and errors
      call MPI_COMM_GET_NAME(MPI_COMM_WORLD, name, length, ierr)
      call check(name(1:length) .eq. 'MPI_COMM_WORLD', 'name')
      call MPI_COMM_CREATE_ERRHANDLER(on_err, eh, ierr)
      call MPI_COMM_SET_ERRHANDLER(MPI_COMM_WORLD, eh, ierr)
      call MPI_SEND(me, 1, MPI_INTEGER, n, 0, MPI_COMM_WORLD, ierr)
      call check(nerr .eq. 1, 'error handler')
      call MPI_COMM_SET_ERRHANDLER(MPI_COMM_WORLD,
     &                             MPI_ERRORS_ARE_FATAL, ierr)
      call MPI_ERRHANDLER_FREE(eh, ierr)
! messages
      rk = -1
      call MPI_SENDRECV(me, 1, MPI_INTEGER, mod(me + 1, n), 3, rk, 1,
     &                  MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG,
     &                  MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      call check(rk .eq. mod(me + n - 1, n), 'message')
      call MPI_ALLREDUCE(errors, total, 1, MPI_INTEGER, MPI_SUM,
     &                   MPI_COMM_WORLD, ierr)
      call MPI_FINALIZE(ierr)
      if (total .ne. 0) stop 1
      end

      subroutine check(ok, what)
      implicit none
      logical ok
      character*(*) what
      integer errors, ncopy, ndel, nerr, badcom, n
      common /counts/ errors, ncopy, ndel, nerr, badcom, n
      if (ok) return
      errors = errors + 1
      print *, 'wrong: ', what
      end

      subroutine on_copy(comm, key, extra, in, out, flag, ierr)
      implicit none
      include 'mpif.h'
      integer comm, key, ierr
      integer(kind=MPI_ADDRESS_KIND) extra, in, out
      logical flag
      integer errors, ncopy, ndel, nerr, badcom, n
      common /counts/ errors, ncopy, ndel, nerr, badcom, n
      ncopy = ncopy + 1
      if (comm .ne. MPI_COMM_WORLD) badcom = badcom + 1
      if (extra .ne. 11) badcom = badcom + 1
      out = in + 1
      flag = .true.
      ierr = MPI_SUCCESS
      end

      subroutine on_del(comm, key, val, extra, ierr)
      implicit none
      include 'mpif.h'
      integer comm, key, ierr
      integer(kind=MPI_ADDRESS_KIND) val, extra
      integer errors, ncopy, ndel, nerr, badcom, n
      common /counts/ errors, ncopy, ndel, nerr, badcom, n
      ndel = ndel + 1
! (the handle: world/keyvals.c; Open MPI 4.1 passes a wrong one here)
      if (extra .ne. 11) badcom = badcom + 1
      ierr = MPI_SUCCESS
      end

      subroutine on_err(comm, code)
      implicit none
      include 'mpif.h'
      integer comm, code, sz, ierr
      integer errors, ncopy, ndel, nerr, badcom, n
      common /counts/ errors, ncopy, ndel, nerr, badcom, n
      nerr = nerr + 1
      if (comm .ne. MPI_COMM_WORLD) nerr = 100
      call MPI_COMM_SIZE(MPI_COMM_WORLD, sz, ierr)
      if (sz .ne. n) nerr = 200
      end
