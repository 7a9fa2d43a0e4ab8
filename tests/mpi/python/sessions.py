# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""mpi4py: Sessions without MPI_Init; the process set of the world has the application's ranks alone."""

import array
import sys

import mpi4py

mpi4py.rc.initialize = False

import csp_test  # noqa: E402
from csp_test import check, equal  # noqa: E402
from mpi4py import MPI  # noqa: E402

csp_test.start()
try:
    session = MPI.Session.Init()
except NotImplementedError:
    print("skipped: this MPI library has no Sessions")
    sys.exit(77)
sets = [session.Get_nth_pset(i) for i in range(session.Get_num_psets())]
check("mpi://WORLD" in sets and "mpi://SELF" in sets, f"process sets {sets}")
group = session.Create_group("mpi://WORLD")
if csp_test.users():
    equal(group.size, csp_test.users(), "size of the group")
    equal(session.Get_pset_info("mpi://WORLD").Get("mpi_size"), str(csp_test.users()), "mpi_size")
comm = MPI.Intracomm.Create_from_group(group)
group.Free()


def total(value):
    """Buffers only: what pickles needs MPI_COMM_SELF, which exists after MPI_Init alone."""
    got = array.array("i", [-1])
    comm.Allreduce([array.array("i", [value]), MPI.INT], [got, MPI.INT])
    return got[0]


equal(total(comm.rank), comm.size * (comm.size - 1) // 2, "sum")
errors = total(csp_test.ERRORS)
comm.Free()
session.Finalize()
sys.exit(1 if errors else 0)
