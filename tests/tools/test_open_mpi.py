# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""Open MPI 4 as Debian configures it, without osc/pt2pt: the library refuses MPI_Win_create on MPI_COMM_SELF,
and all windows between nodes. With ghosts the program has its windows all the same, also between nodes."""

from dataclasses import replace

import job_support
import pytest
from job_support import Job, run


@pytest.mark.parametrize("program", ["rma/put_get", "rma/acc_ops", "rma/other_windows"])
@pytest.mark.parametrize("nodes", [1, 2])
def test_windows_without_pt2pt(program, nodes):
    lib = job_support.library("o41")
    options = ["^ucx,pt2pt" if word == "^ucx" else word for word in lib.options]
    assert options != lib.options
    done = run(Job(replace(lib, options=options), program, nodes=nodes))
    assert done.code == 0, done.output
