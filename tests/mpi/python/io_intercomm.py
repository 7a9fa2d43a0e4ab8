# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""mpi4py: a file of everybody, in order; an intercommunicator of two halves."""

import csp_test
from csp_test import equal
from mpi4py import MPI

csp_test.start()
world = MPI.COMM_WORLD
n, me = world.Get_size(), world.Get_rank()
mode = MPI.MODE_CREATE | MPI.MODE_RDWR | MPI.MODE_DELETE_ON_CLOSE
f = MPI.File.Open(world, "casper-test-py.dat", mode)
f.Set_size(0)
f.Write_ordered(b"%04d" % me)
f.Sync()
world.Barrier()
everything = bytearray(4 * n)
f.Read_at_all(0, everything)
equal(bytes(everything), b"".join(b"%04d" % r for r in range(n)), "the file")
equal(f.Get_group().Get_size(), n, "group of the file")
f.Close()
if n > 1:
    half = world.Split(me % 2, me)
    inter = half.Create_intercomm(0, world, 1 - me % 2, 3)
    equal(inter.Get_remote_size(), n - half.size, "remote size")
    merged = inter.Merge(me % 2 == 1)
    equal(merged.size, n, "merged size")
    merged.Free()
    inter.Free()
    half.Free()
csp_test.done(world)
