# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""What Casper keeps for windows, as it counts it itself (`kept_peak` of the report), is what
docs/design/memory.md says."""

import job_support
import pytest
from job_support import Job, reported

WINDOWS = 200  # of rma/many_windows, at a time
LIMIT_S = 120  # Intel MPI spins: beside other work its 200 windows take 40 s without Casper, too


@pytest.fixture(params=job_support.LIBRARIES)
def lib(request):
    return job_support.library(request.param)


def kept(lib, tmp_path, users, env=None):
    """The counters of a run, for each user."""
    job = Job(lib, "rma/many_windows", users=users, env=env or {}, limit=LIMIT_S)
    report, _ = reported(job, tmp_path)
    return {name: value / users for name, value in report["total"]["kept_peak"].items()}


def test_windows_of_the_pool_cost_no_internal_window(lib, tmp_path):
    got = kept(lib, tmp_path, 4)
    assert got["internal_windows"] == 1  # the pool's
    assert got["carriers"] == WINDOWS


def test_private_bytes_do_not_grow_with_the_users(lib, tmp_path):
    few, many = kept(lib, tmp_path, 2), kept(lib, tmp_path, 6)
    # the C library may give a block 16 bytes more than asked for; a pointer for each of four users is 32
    assert few["window_bytes"] == pytest.approx(many["window_bytes"], abs=24 * WINDOWS)
    assert 600 < few["window_bytes"] / WINDOWS < 1100


def test_shared_bytes_are_those_of_the_formula(lib, tmp_path):
    users, nodes = 6, 2
    got = kept(lib, tmp_path, users, {"CSP_ACC_ROUTE": "library"})["shared_bytes"] * users
    assert got == nodes * WINDOWS * (256 + 32 * users)
    got = kept(lib, tmp_path, users, {"CSP_ACC_ROUTE": "software"})["shared_bytes"] * users
    assert got == nodes * WINDOWS * (256 + 32 * users) + WINDOWS * 64 * users


def test_a_large_window_has_one_internal_window(lib, tmp_path):
    got = kept(lib, tmp_path, 2, {"CSP_POOL_MAX": "0"})
    assert got["internal_windows"] == WINDOWS + 1
