# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""The network of a benchmark. own(): sockets inside one machine that behave alike everywhere.
Netns: namespaces with real sockets between them, made by tests/support/netns.sh under names of their
own, so that tests may run at the same time; with a delay and a limited rate, if wished. Without it
nodes are virtual."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import launch

SUPPORT = launch.ROOT / "tests" / "support"
sys.path.append(str(SUPPORT))  # behind ours: both have a driver.py
import mpi_libs  # noqa: E402

NAMES = "cspb"
INSIDE = "CASPER_BENCH_OWN_NETWORK"  # set: started anew in it, which is still empty
CONGESTION = Path("/proc/sys/net/ipv4/tcp_congestion_control")
LINKS = (  # MPI libraries pass over a machine that has nothing but `lo`
    "link set lo up",
    "link add csp0 type veth peer name csp1",
    "addr add 10.77.0.1/24 dev csp0",
    "link set csp0 up",
    "link set csp1 up",
)


def own():
    """Starts this command anew in a network namespace of its own, which ends with it, where TCP is as
    Linux comes: congestion control `cubic`, or `reno` where that is not permitted. Others estimate a
    rate and pace messages by it: with `bbr` 1 MB on loopback takes 500 or 820 us for seconds on end,
    whoever sends it. Who may not (root) measures with what the machine has; the files say which it
    was (`tcp`)."""
    if os.environ.pop(INSIDE, None):
        for words in LINKS:
            subprocess.run(["ip", *words.split()], check=True)
        subprocess.run([mpi_libs.NETNS, "calm"], check=True)
    elif shutil.which("ip") and _succeeds("unshare", "--net", "true"):
        os.environ[INSIDE] = "1"
        os.execvp("unshare", ["unshare", "--net", "--", *sys.orig_argv])


def _succeeds(*argv):
    return shutil.which(argv[0]) and not subprocess.run(argv, capture_output=True).returncode


def congestion_control():
    return CONGESTION.read_text().strip()


class Netns:
    """Two nodes. To be entered before the first run; leaving it removes them."""

    def __init__(self, delay_us=0, rate_mbit=0):
        self.delay_us, self.rate_mbit = delay_us, rate_mbit

    def __str__(self):
        words = ["netns"]
        words += [f"{self.rate_mbit} Mbit/s"] if self.rate_mbit else []
        words += [f"{self.delay_us} us"] if self.delay_us else []
        return " ".join(words)

    def __enter__(self):
        self._do("probe")
        try:
            self._do("up", 2)
            if self.delay_us or self.rate_mbit:
                self._do("slow", self.delay_us, self.rate_mbit)
        except launch.Failed:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_error):
        self._do("down")

    @staticmethod
    def _do(*words):
        argv = [str(mpi_libs.NETNS), *map(str, words)]
        done = subprocess.run(
            argv, env=os.environ | _names(), capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            what = "netns.sh " + " ".join(map(str, words))
            raise launch.Failed(f"no network namespaces, {what}: {done.stderr.strip()}")

    @staticmethod
    def command(argv, mpi, users_per_node):
        """A `casper run` line, from the hub, with what tells it where the nodes are."""
        lib = mpi_libs.LIBRARIES[mpi]
        hosts = ",".join(f"{NAMES}{node}:{users_per_node}" for node in range(2))
        argv = [str(mpi_libs.NETNS), "run", *argv, "--hosts", hosts, "--bind", "default"]
        options = [*lib.options, *mpi_libs.daemons(lib), *mpi_libs.netns_options(lib)]
        return argv + [f"--launcher-arg={word}" for word in options]

    @staticmethod
    def environment(mpi):
        """Of the whole job; but ranks that wait do so as they do without it."""
        lib = mpi_libs.LIBRARIES[mpi]
        env = lib.env | lib.nodes_env | mpi_libs.netns_env(lib) | _names()
        if "UCX_NET_DEVICES" in env:  # memory is shared across namespaces, and UCX would use that
            env["UCX_TLS"] = "tcp,self"
        return {k: v for k, v in env.items() if k not in mpi_libs.THROTTLE}


def _names():
    return {"CASPER_NETNS": NAMES}
