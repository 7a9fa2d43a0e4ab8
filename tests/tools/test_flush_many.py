# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""A flush of several ghosts takes as long as that of one, in a network where that can be told: each
message is late by a delay."""

import os
import re
import subprocess
import sys

import job_support
import pytest

DELAY_US = 20000
LIMIT_S = 150  # Intel MPI connects sixteen ranks behind such a delay in 10 to 60 s
TIMES = re.compile(r"^((?:allocated|created) (?:ACC|PUT)) (\S+) (\S+)$", re.MULTILINE)


@pytest.mark.skipif(not os.access("/dev/net/tun", os.W_OK), reason="no TAP devices, /dev/net/tun")
@pytest.mark.parametrize("key", job_support.LIBRARIES)
def test_a_flush_of_four_ghosts(key):
    lib = job_support.library(key)
    if why := lib.missing_nodes(True):
        pytest.skip(why)
    if key == "m40":
        pytest.skip("its UCX takes shared memory between network namespaces: nothing is delayed")
    words = f"--mpi {key} -n 8 -g 4 --nodes 2 --netns --delay-us {DELAY_US} --timeout {LIMIT_S}"
    done = subprocess.run(
        [sys.executable, job_support.run_mpi.__file__, *words.split(), "casper/flush_many"],
        env={**os.environ, "CASPER_NETNS": f"csptest{os.getpid()}f"},
        capture_output=True,
        text=True,
        timeout=LIMIT_S + 30,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    times = {what: (float(one), float(many)) for what, one, many in TIMES.findall(done.stdout)}
    assert len(times) == 4
    # Open MPI 4's MPI_Win_flush of one target after the other waits for each, and its MPI_Win_flush_all
    # asks all processes of the window, those that compute, too.
    if key == "o41":
        del times["allocated PUT"]
    for what, (one_s, all_s) in times.items():
        assert 2 * DELAY_US / 1e6 < one_s < all_s * 1.2, what
        assert all_s < 2 * one_s, what
