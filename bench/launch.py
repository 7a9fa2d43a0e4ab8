# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""The MPI libraries as the benchmarks use them: how to compile a program and how to run it on
virtual nodes, plain or with Casper. USERS counts the program's own ranks; ghosts come on top."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
# Private environments with the wheels, one folder per MPI library.
ENVS = Path(os.environ.get("CASPER_ENV_DIR", BUILD / "env"))
AGENT = ROOT / "bench" / "node_agent.sh"
AS_ROOT = {
    name: "1"
    for name in (
        "OMPI_ALLOW_RUN_AS_ROOT",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM",
        "PRTE_ALLOW_RUN_AS_ROOT",
        "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM",
    )
}
TCP = {"FI_PROVIDER": "tcp", "FI_TCP_IFACE": "lo"}


class Failed(Exception):
    """A program did not compile, did not run, or found wrong data."""


class Mpi:
    """One MPI library. `library` names the folder of build/ whose libcasper.so serves it."""

    def __init__(self, name, title, cc, mpiexec, library):
        self.name, self.title, self.library = name, title, library
        self.cc, self.mpiexec = str(cc), str(mpiexec)
        self.broken = ()  # operations that crash the plain library

    def available(self):
        return bool(shutil.which(self.cc) and shutil.which(self.mpiexec))

    def libcasper(self):
        return BUILD / self.library / "libcasper.so"

    def compile(self, program, sources):
        """Compiles bench/micro/SOURCES to build/bench/NAME/PROGRAM, if it is not newer already."""
        target = BUILD / "bench" / self.name / program
        target.parent.mkdir(parents=True, exist_ok=True)
        paths = [ROOT / "bench" / "micro" / s for s in sources]
        inputs = [p.stat().st_mtime for p in (ROOT / "bench" / "micro").iterdir()]
        if target.exists() and target.stat().st_mtime > max(inputs):
            return target
        cmd = [self.cc, "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Wl,--enable-new-dtags"]
        cmd += ["-o", target, *paths, "-lm"]
        done = subprocess.run(cmd, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Failed(f"{self.name}: {program} does not compile\n{done.stderr}")
        return target

    def command(self, args, users_per_node, nodes=2, ghosts=None, env=None):
        """(argv, environment) of a run. ghosts=None: plain, the library is not there at all."""
        per_node = users_per_node + (ghosts or 0)
        extra = dict(env or {})
        if ghosts is not None:
            extra["LD_PRELOAD"] = str(self.libcasper())
            extra["CSP_NG"] = str(ghosts)
        argv, settings = self.launch_line(per_node, nodes, {**self.settings(nodes), **extra})
        full = {k: v for k, v in os.environ.items() if not k.startswith("CSP_")}
        full.update(settings)
        return [*argv, *map(str, args)], full

    def settings(self, nodes):
        return {}

    def launch_line(self, per_node, nodes, settings):
        raise NotImplementedError


class Mpich(Mpi):
    def settings(self, nodes):
        base = {} if self.name == "m40" else {"MPIR_CVAR_CH4_NETMOD": "ofi", **TCP}
        if nodes > 1:
            base.update(MPIR_CVAR_NUM_CLIQUES=str(nodes), MPIR_CVAR_CLIQUES_BY_BLOCK="1")
        return base

    def launch_line(self, per_node, nodes, settings):
        # The variables go to the ranks alone: mpiexec itself must not be preloaded.
        argv = [self.mpiexec, "-n", str(per_node * nodes)]
        for name, value in settings.items():
            argv += ["-genv", name, value]
        return argv, {}


class Intel(Mpi):
    def settings(self, nodes):
        return dict(TCP)

    def launch_line(self, per_node, nodes, settings):
        root = str(Path(self.mpiexec).parent.parent)
        hosts = ",".join(f"node{i + 1}" for i in range(nodes))
        argv = [self.mpiexec, "-bootstrap", "ssh", "-bootstrap-exec", str(AGENT)]
        argv += ["-hosts", hosts, "-ppn", str(per_node), "-n", str(per_node * nodes)]
        for name, value in settings.items():
            argv += ["-genv", name, value]
        paths = [f"{root}/lib", os.environ.get("LD_LIBRARY_PATH", "")]
        return argv, {"I_MPI_ROOT": root, "LD_LIBRARY_PATH": ":".join(p for p in paths if p)}


class OpenMpi(Mpi):
    def launch_line(self, per_node, nodes, settings):
        old = self.name == "o41"
        if per_node * nodes > os.cpu_count():
            settings = {"OMPI_MCA_mpi_yield_when_idle": "1", **settings}
        hosts = ",".join(f"node{i + 1}:{per_node}" for i in range(nodes))
        agent = ["--mca", "plm_rsh_agent"] if old else ["--prtemca", "plm_ssh_agent"]
        shared = "vader" if old else "sm"
        argv = [self.mpiexec, *agent, str(AGENT), "--host", hosts, "--bind-to", "none"]
        argv += ["--mca", "pml", "ob1", "--mca", "btl", f"tcp,{shared},self"]
        argv += ["--mca", "osc", "^ucx", "--mca", "btl_tcp_if_include", "lo"]
        argv += ["-n", str(per_node * nodes)]
        for name, value in settings.items():
            argv += ["-x", f"{name}={value}"]
        return argv, AS_ROOT


def libraries():
    """All MPI libraries that the benchmarks know, by short name."""
    m50, o50, i21 = (ENVS / name / "bin" for name in ("m50", "o50", "i21"))
    known = [
        Mpich("m40", "MPICH 4.0.2", "mpicc.mpich", "mpiexec.mpich", "m40"),
        Mpich("m50", "MPICH 5.0.2", m50 / "mpicc", m50 / "mpiexec", "m50"),
        OpenMpi("o41", "Open MPI 4.1.4", "mpicc.openmpi", "mpiexec.openmpi", "o41"),
        OpenMpi("o50", "Open MPI 5.0.11", o50 / "mpicc", o50 / "mpiexec", "o50"),
        Intel("i21", "Intel MPI 2021.18 (standard ABI)", m50 / "mpicc_abi", i21 / "mpiexec", "abi"),
    ]
    # osc/pt2pt crashes in the target when both sides have a derived datatype.
    known[2].broken = ("GET_ACC strided",)
    return {mpi.name: mpi for mpi in known}


def run(mpi, args, timeout_s, **how):
    """Runs a program to its end and gives its stderr. Raises Failed with all that it printed."""
    argv, env = mpi.command(args, **how)
    # A session of its own, so that on a timeout mpiexec can take its ranks along.
    child = subprocess.Popen(
        argv, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace"
    )
    try:
        out, err = child.communicate(timeout=timeout_s)
    except subprocess.TimeoutExpired:
        child.terminate()
        try:
            out, err = child.communicate(timeout=10)
        except subprocess.TimeoutExpired:
            child.kill()
            out, err = child.communicate()
        raise Failed(f"{mpi.name}: no end after {timeout_s} s: {' '.join(argv)}\n{err}") from None
    if child.returncode != 0:
        raise Failed(f"{mpi.name}: exit code {child.returncode}: {' '.join(argv)}\n{out}{err}")
    sys.stderr.flush()
    return err
