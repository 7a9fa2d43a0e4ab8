# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""Ghosts that nothing can come for but from users of their node sleep longer."""

import json

import job_support
import pytest
from job_support import Job, run


def turns(name, tmp_path, **env):
    """Of all ghosts of a program that makes no window."""
    path = tmp_path / "report.json"
    env = {"CSP_GHOST_POLL": "sleep", "CSP_REPORT_FILE": str(path), **env}
    done = run(Job(job_support.library(name), "casper/unused_ghosts", ["idle"], env=env))
    assert done.code == 0, done.output
    nodes = json.loads(path.read_text())["nodes"]
    return sum(ghost["turns"] for node in nodes for ghost in node["ghosts"])


@pytest.mark.parametrize("name", job_support.LIBRARIES)
def test_ghosts_without_a_window_sleep_longer(name, tmp_path):
    assert 2 * turns(name, tmp_path) < turns(name, tmp_path, CSP_P2P="on")
