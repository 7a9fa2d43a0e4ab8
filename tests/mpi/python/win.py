# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""mpi4py: allocated windows, every operation, every kind of epoch (mpi4py uses the _c functions where
the MPI library has them)."""

import array

import csp_test
from csp_test import check, equal
from mpi4py import MPI

N = 16
csp_test.start()
world = MPI.COMM_WORLD
n, me = world.Get_size(), world.Get_rank()
to, source = (me + 1) % n, (me - 1) % n
win = MPI.Win.Allocate(8 * N * n, 8, comm=world)
mine = memoryview(win).cast("B").cast("d")


def doubles(values):
    return array.array("d", values)


def own(values):
    """Sets the own part."""
    win.Lock(me)
    mine[: len(values)] = doubles(values)
    win.Unlock(me)
    world.Barrier()


def fence():
    own([0.0] * N)
    src = doubles(100 * me + i for i in range(N))
    win.Fence()
    win.Put([src, MPI.DOUBLE], to)
    win.Fence(MPI.MODE_NOSUCCEED)
    equal(list(mine[:N]), [100 * source + i for i in range(N)], "put by fence")


def lock_all():
    own([0.0] * N)
    one, got = doubles([1.0] * N), doubles([-1.0] * N)
    win.Lock_all()
    for target in range(n):
        win.Accumulate([one, MPI.DOUBLE], target, op=MPI.SUM)
    win.Flush_all()
    world.Barrier()
    win.Get([got, MPI.DOUBLE], to)
    win.Flush(to)
    equal(list(got), [float(n)] * N, "accumulated sums")
    world.Barrier()
    win.Get_accumulate([one, MPI.DOUBLE], [got, MPI.DOUBLE], to, op=MPI.SUM)
    win.Unlock_all()
    check(all(v == n for v in got), "fetched sums")
    world.Barrier()


def counter():
    own([0.0])
    one, got, drawn = doubles([1.0]), doubles([-1.0]), []
    win.Lock_all()
    for _ in range(20):
        win.Fetch_and_op([one, MPI.DOUBLE], [got, MPI.DOUBLE], 0, op=MPI.SUM)
        win.Flush(0)
        drawn.append(got[0])
    win.Unlock_all()
    everything = sorted(x for part in world.allgather(drawn) for x in part)
    equal(everything, [float(i) for i in range(20 * n)], "drawn numbers")


def compare_and_swap():
    ints = MPI.Win.Allocate(8, 8, comm=world)
    memory = memoryview(ints).cast("B").cast("l")
    ints.Lock(me)
    memory[0] = 0
    ints.Unlock(me)
    world.Barrier()
    new, old, got = (array.array("l", [v]) for v in (me + 1, 0, -1))
    ints.Lock_all()
    ints.Compare_and_swap([new, MPI.LONG], [old, MPI.LONG], [got, MPI.LONG], 0)
    ints.Unlock_all()
    equal(world.allreduce(int(got[0] == 0)), 1, "winners")
    ints.Free()


def requests():
    own([0.0] * N)
    src, got = doubles(float(me + i) for i in range(N)), doubles([-1.0] * N)
    win.Lock(to, MPI.LOCK_SHARED)
    win.Rput([src, MPI.DOUBLE], to).Wait()
    win.Flush(to)
    win.Rget([got, MPI.DOUBLE], to).Wait()
    win.Unlock(to)
    equal(list(got), list(src), "rput and rget")
    world.Barrier()


def pscw():
    own([0.0] * N)
    group = win.Get_group()
    value = doubles([me + 0.5])
    win.Post(group)
    win.Start(group)
    win.Put([value, MPI.DOUBLE], to)
    win.Complete()
    win.Wait()
    group.Free()
    equal(mine[0], source + 0.5, "put by PSCW")
    world.Barrier()


for test in (fence, lock_all, counter, compare_and_swap, requests, pscw):
    test()
base, size, unit = win.attrs
equal((size, unit), (8 * N * n, 8), "attributes")
equal(win.flavor, MPI.WIN_FLAVOR_ALLOCATE, "flavor")
group = win.Get_group()
equal(group.Get_size(), n, "size of the window's group")
group.Free()
win.Set_name("field")
equal(win.Get_name(), "field", "name")
win.Set_errhandler(MPI.ERRORS_RETURN)
win.Lock_all()
try:
    win.Put([doubles([0.0]), MPI.DOUBLE], n)
    check(False, "a PUT beyond the last rank")
except MPI.Exception as error:
    equal(error.Get_error_class(), MPI.ERR_RANK, "error class")
win.Unlock_all()
mine.release()
win.Free()
csp_test.done(world)
