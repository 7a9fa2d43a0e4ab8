# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""bench/network.py: benchmarks run in a network of their own, with one congestion control of TCP."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
import network
import run_mpi

BENCH = Path(network.__file__).parent
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


SERVER = """
import hashlib, socket, sys
server = socket.create_server(("", 7077))
print("ready", flush=True)
connection, _ = server.accept()
digest, left = hashlib.sha256(), int(sys.argv[1])
while left:
    came = connection.recv(1 << 20)
    digest.update(came)
    left -= len(came)
connection.sendall(digest.digest())
"""
CLIENT = """
import hashlib, os, socket, sys, time
data = os.urandom(int(sys.argv[1]))
start = time.monotonic()
connection = socket.create_connection(("10.213.77.2", 7077))
connected = time.monotonic()
connection.sendall(data)
assert connection.recv(100) == hashlib.sha256(data).digest()
print(connected - start, time.monotonic() - connected)
"""
DELAY_US, RATE_MBIT, BYTES = 30000, 100, 1 << 20
BURST_BYTES = 128 << 10


def in_node(node, program):
    """Starts a Python program in a node's namespace."""
    argv = ["ip", "netns", "exec", f"{network.NAMES}{node}", sys.executable, "-c", program]
    return subprocess.Popen([*argv, str(BYTES)], stdout=subprocess.PIPE, text=True)


@pytest.mark.skipif(not may_have_networks(), reason="network namespaces are not to be had")
@pytest.mark.skipif(not os.access("/dev/net/tun", os.W_OK), reason="no TAP devices, /dev/net/tun")
def test_nodes_with_a_delay_and_a_limited_rate(monkeypatch):
    monkeypatch.setattr(network, "NAMES", f"csptest{os.getpid()}n")
    mark = f"network-{os.getpid()}-{time.monotonic()}"
    monkeypatch.setenv(run_mpi.MARK, mark)
    with network.Netns(DELAY_US, RATE_MBIT):
        with in_node(1, SERVER) as server:
            assert server.stdout.readline() == "ready\n"
            with in_node(0, CLIENT) as client:
                connect_s, transfer_s = map(float, client.communicate(timeout=60)[0].split())
        assert len(run_mpi.marked(mark)) == 1  # the relay
    assert connect_s > 2 * DELAY_US / 1e6
    assert transfer_s > 2 * DELAY_US / 1e6 + (BYTES - BURST_BYTES) * 8 / (RATE_MBIT * 1e6)
    assert not run_mpi.leftovers(mark)
