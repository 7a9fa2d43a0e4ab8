# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""bench/network.py: benchmarks run in a network of their own, with one congestion control of TCP."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parents[2] / "bench"
HOST = Path("/proc/sys/net/ipv4/tcp_congestion_control")
SHOW = """
import os, socket, sys
sys.path.insert(0, sys.argv[1])
import network
network.own()
names = sorted(name for _, name in socket.if_nameindex() if name.startswith("csp") or name == "lo")
print(os.readlink("/proc/self/ns/net"), network.congestion_control(), *names, sys.argv[2])
"""


def shown(env=None):
    """What a program says after own(), as words."""
    done = subprocess.run(
        [sys.executable, "-c", SHOW, BENCH, "argument"],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        env=env,
    )
    return done.stdout.split()


def may_have_networks():
    words = ["unshare", "--net", "ip", "link"]
    try:
        return subprocess.run(words, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


@pytest.mark.skipif(not may_have_networks(), reason="network namespaces are not to be had")
def test_own_network():
    ours, before = os.readlink("/proc/self/ns/net"), HOST.read_text()
    theirs, *rest = shown()
    assert theirs != ours
    assert rest[0] in ("cubic", "reno")
    assert rest[1:] == ["csp0", "csp1", "lo", "argument"]
    assert HOST.read_text() == before


def test_without_permission_as_the_machine_is(tmp_path):
    unshare = tmp_path / "unshare"
    unshare.write_text("#!/bin/sh\nexit 1\n")
    unshare.chmod(0o755)
    namespace, tcp, *_, argument = shown({**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"})
    assert (namespace, tcp) == (os.readlink("/proc/self/ns/net"), HOST.read_text().strip())
    assert argument == "argument"
