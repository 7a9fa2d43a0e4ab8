# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""A shared counter with mpi4py: every rank draws numbers from a counter on rank 0 and computes in
between, rank 0 as well. In the end every number must have been drawn once.

    casper run -n 4 --virtual-nodes 2 --report python3 counter.py
"""

import sys

from mpi4py import MPI

TASKS = 100

world = MPI.COMM_WORLD
win = MPI.Win.Allocate(8, 8, comm=world)
memory = memoryview(win).cast("B").cast("q")
memory[0] = 0
win.Lock_all()
world.Barrier()


def draw():
    """Fetches the counter of rank 0 and adds one."""
    one, number = memoryview(bytearray(8)).cast("q"), memoryview(bytearray(8)).cast("q")
    one[0] = 1
    win.Fetch_and_op([one, MPI.INT64_T], [number, MPI.INT64_T], 0, 0, MPI.SUM)
    win.Flush(0)
    return number[0]


def work():
    """Some milliseconds without MPI."""
    return sum(i * i for i in range(50000))


drawn = []
while (task := draw()) < TASKS:
    work()
    drawn.append(task)

everything = sorted(task for part in world.allgather(drawn) for task in part)
ok = everything == list(range(TASKS))
if world.rank == 0:
    print(f"{len(everything)} tasks on {world.size} ranks, {'all there' if ok else 'WRONG'}")
win.Unlock_all()
memory.release()
win.Free()
sys.exit(0 if ok else 1)
