# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""The MPI libraries as the benchmarks use them: how to compile a program and, by `casper run`, how
to run it on virtual nodes, plain or with Casper."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
CASPER = ROOT / "bin" / "casper"
SOURCES = (ROOT / "bench" / "micro", ROOT / "bench" / "apps")


class Failed(Exception):
    """A program did not compile, did not run, or found wrong data."""


class Mpi:
    """One MPI library. `library` names the folder of build/ whose libcasper.so serves it; `broken`
    the operations that crash the plain library, `broken_inside` those that do inside a node, left out of
    its plain runs; `thread` the variables that give it a progress thread of its own; with `fixed_routes`
    redirection stays on under CSP_ASYNC_CONFIG=auto."""

    network = None  # what several nodes are; None: virtual nodes

    def __init__(self, name, title, cc, **more):
        self.name, self.title, self.cc = name, title, str(cc)
        self.library = more.get("library", name)
        self.env, self.broken = more.get("env", {}), more.get("broken", ())
        self.broken_inside = more.get("broken_inside", ())
        self.thread, self.fixed_routes = more.get("thread"), more.get("fixed_routes", False)

    def available(self):
        found = shutil.which(self.cc) and self.libcasper().exists()
        root = self.env.get("I_MPI_ROOT")
        return bool(found) and (root is None or Path(root, "bin/mpiexec").exists())

    def libcasper(self):
        return BUILD / self.library / "libcasper.so"

    def compile(self, program, sources, below=False):
        """Compiles sources of bench/ to build/bench/NAME/PROGRAM, if it is not newer already.
        `below`: linked to the library of below.c, in front of the MPI library."""
        libraries = ["-lm"]
        if below:
            library = self.compile_one("libbelow.so", ("below.c",), ["-shared", "-fPIC", "-ldl"])
            libraries += [f"-L{library.parent}", "-lbelow", f"-Wl,-rpath,{library.parent}"]
        return self.compile_one(program, sources, libraries)

    def compile_one(self, program, sources, words):
        target = BUILD / "bench" / self.name / program
        target.parent.mkdir(parents=True, exist_ok=True)
        files = {p.name: p for folder in SOURCES for p in folder.iterdir()}
        inputs = [p.stat().st_mtime for p in files.values()]
        if target.exists() and target.stat().st_mtime > max(inputs):
            return target
        cmd = [self.cc, "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Wl,--enable-new-dtags"]
        cmd += ["-o", target, *(files[s] for s in sources), *words]
        done = subprocess.run(cmd, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Failed(f"{self.name}: {program} does not compile\n{done.stderr}")
        return target

    def command(self, args, users_per_node, nodes=2, ghosts=None, env=None):
        """The `casper run` line. ghosts=None: plain, the library is not there at all."""
        argv = [str(CASPER), "run", "-n", str(users_per_node * nodes)]
        if self.network and nodes > 1:
            argv = self.network.command(argv, self.name, users_per_node)
        else:
            argv += ["--virtual-nodes", str(nodes)]
        # By itself it binds processes that have a core each, so plain ones alone on two cores.
        argv += ["--bind", "none"] if nodes == 1 else []
        argv += ["--plain"] if ghosts is None else ["-g", str(ghosts)]
        for name, value in (env or {}).items():
            argv += ["--env", f"{name}={value}"]
        return [*argv, "--", *map(str, args)]

    def environment(self):
        """Ours, without settings of Casper that somebody may have left in it or in a profile of this
        machine; with the build that available() saw."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith("CSP_")}
        ours = {
            "CSP_LIBRARY": str(self.libcasper()),
            "XDG_CONFIG_HOME": str(BUILD / "bench/config"),
        }
        more = self.network.environment(self.name) if self.network else {}
        return {**kept, **ours, **self.env, **more}


def libraries():
    """All MPI libraries that the benchmarks know, by short name."""
    env = BUILD / "env"
    intel = {"LD_LIBRARY_PATH": str(env / "i21" / "lib"), "I_MPI_ROOT": str(env / "i21")}
    mpich = {"MPICH_ASYNC_PROGRESS": "1"}
    known = [
        Mpi("m40", "MPICH 4.0.2", "mpicc.mpich", thread=mpich),
        Mpi("m50", "MPICH 5.0.2", env / "m50" / "bin" / "mpicc", thread=mpich),
        # osc/pt2pt crashes in the target when both sides have a derived datatype.
        Mpi(
            "o41",
            "Open MPI 4.1.4",
            "mpicc.openmpi",
            broken=("GET_ACC strided",),
            broken_inside=("CAS",),
            fixed_routes=True,
        ),
        Mpi("o50", "Open MPI 5.0.11", env / "o50" / "bin" / "mpicc"),
        # The program and the library are built with MPICH's standard ABI, Intel MPI runs them.
        Mpi(
            "i21",
            "Intel MPI 2021.18",
            env / "m50" / "bin" / "mpicc_abi",
            library="abi",
            env=intel,
            thread={"I_MPI_ASYNC_PROGRESS": "1"},
        ),
    ]
    return {mpi.name: mpi for mpi in known}


def run(mpi, args, timeout_s, **how):
    """Runs a program to its end and gives its stderr. Raises Failed with all that it printed."""
    argv = mpi.command(args, **how)
    child = subprocess.Popen(
        argv,
        env=mpi.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
    )
    try:
        out, err = child.communicate(timeout=timeout_s)
    except (KeyboardInterrupt, SystemExit):
        end(child)
        raise
    except subprocess.TimeoutExpired:
        out, err = end(child)
        raise Failed(f"{mpi.name}: no end after {timeout_s} s: {' '.join(argv)}\n{err}") from None
    if child.returncode != 0:
        raise Failed(f"{mpi.name}: exit code {child.returncode}: {' '.join(argv)}\n{out}{err}")
    return err


def end_on_signal():
    """SIGTERM ends us like Ctrl-C: with the job that is running."""
    signal.signal(signal.SIGTERM, lambda number, _frame: sys.exit(128 + number))


def end(child):
    """Asks the launcher to end its job, then insists."""
    child.terminate()
    try:
        return child.communicate(timeout=15)
    except subprocess.TimeoutExpired:
        child.kill()
        return child.communicate()
