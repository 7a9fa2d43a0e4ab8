# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""mpi4py: the world as the program sees it."""

import csp_test
from csp_test import check, equal
from mpi4py import MPI

csp_test.start()
world = MPI.COMM_WORLD
n, me = world.Get_size(), world.Get_rank()
if csp_test.users():
    equal(n, csp_test.users(), "size")
equal(world.allgather(me), list(range(n)), "ranks")
equal(world.Get_name(), "MPI_COMM_WORLD", "name")
check(world.Get_attr(MPI.TAG_UB) >= 32767, "TAG_UB")
universe = world.Get_attr(MPI.UNIVERSE_SIZE)
check(universe is None or universe >= n, f"UNIVERSE_SIZE {universe}")

group = world.Get_group()
equal((group.size, group.rank), (n, me), "group")
dup = world.Dup()
equal(MPI.Comm.Compare(world, dup), MPI.CONGRUENT, "compare")
equal(group.Translate_ranks(list(range(n)), dup.Get_group()), list(range(n)), "translated ranks")
dup.Free()

node = world.Split_type(MPI.COMM_TYPE_SHARED)
equal(world.allreduce(node.size if node.rank == 0 else 0), n, "sum of the nodes")
node.Free()
half = world.Split(me % 2, -me)
equal(half.size, (n + 1 - me % 2) // 2, "size of half")
half.Free()

cart = world.Create_cart(MPI.Compute_dims(n, 2), periods=[True, False])
equal(cart.size, n, "size of the grid")
cart.Free()

seen = []
keyval = MPI.Comm.Create_keyval(
    copy_fn=lambda comm, key, value: seen.append(comm == MPI.COMM_WORLD) or value,
    delete_fn=lambda comm, key, value: seen.append(comm == MPI.COMM_WORLD),
)
world.Set_attr(keyval, {"a": 1})
dup = world.Dup()
equal(dup.Get_attr(keyval), {"a": 1}, "copied attribute")
dup.Free()
world.Delete_attr(keyval)
MPI.Comm.Free_keyval(keyval)
equal(seen, [True, False, True], "communicators that callbacks got")

world.Set_errhandler(MPI.ERRORS_RETURN)
try:
    world.send(None, dest=n)
    check(False, "a message beyond the last rank")
except MPI.Exception as error:
    equal(error.Get_error_class(), MPI.ERR_RANK, "error class")
world.Set_errhandler(MPI.ERRORS_ARE_FATAL)

status = MPI.Status()
request = world.isend({"from": me}, dest=(me + 1) % n, tag=7)
got = world.recv(source=MPI.ANY_SOURCE, tag=MPI.ANY_TAG, status=status)
request.wait()
equal((got["from"], status.source, status.tag), ((me - 1) % n, (me - 1) % n, 7), "message")
equal(world.allreduce(me), n * (n - 1) // 2, "sum")
csp_test.done(world)
