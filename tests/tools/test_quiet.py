# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""Ghosts that nothing can come for but from users of their node sleep longer."""

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
