# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""Ghosts sleep longer where only users of their node can need them, and where these need the core."""

import job_support
import pytest
from job_support import Job, reported


def turns(name, tmp_path, **env):
    """Of all ghosts of a program that makes no window."""
    env = {"CSP_GHOST_POLL": "sleep", **env}
    job = Job(job_support.library(name), "casper/unused_ghosts", ["idle"], env=env)
    report, _ = reported(job, tmp_path)
    return sum(ghost["turns"] for node in report["nodes"] for ghost in node["ghosts"])


@pytest.mark.parametrize("name", job_support.LIBRARIES)
def test_ghosts_without_a_window_or_messages_sleep_longer(name, tmp_path):
    awake = turns(name, tmp_path, CSP_P2P="on")
    assert 2 * turns(name, tmp_path) < awake
    assert 2 * turns(name, tmp_path, CSP_P2P="auto") < awake


@pytest.mark.parametrize("name", job_support.LIBRARIES)
def test_ghosts_leave_cores_that_users_need(name, tmp_path):
    """One that looks for the next operation for long has the core for longer, and sleeps less.

    The proportion of the two stays beside other work on the machine, for which it waits, too. Ghosts that
    look for long have at most 0.9 (MPICH) and 1.5 (Open MPI).
    """
    job = Job(
        job_support.library(name), "casper/needed_core", env={"CSP_ASYNC_CONFIG": "on"}, users=2
    )
    report, _ = reported(job, tmp_path)
    ghosts = [ghost for node in report["nodes"] for ghost in node["ghosts"]]
    asleep, on_core = (sum(ghost[of] for ghost in ghosts) for of in ("sleep_ns", "cpu_ns"))
    assert asleep > (2 if name in ("o41", "o50") else 1.2) * on_core
