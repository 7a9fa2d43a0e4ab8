# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""Runs the programs of tests/mpi under bad conditions, in a mount namespace with a /dev/shm of its own,
so that its size can be chosen and what is left in it belongs to the run alone."""

import os
import subprocess
import sys
import tempfile
import time
import uuid
from dataclasses import dataclass, field
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))

import mpi_libs  # noqa: E402
import run_mpi  # noqa: E402

FULL = os.environ.get("CASPER_TEST_MODE") == "full"
LIBRARIES = ["m50", "m40", "o41", "o50", "i21"] if FULL else ["m50"]
# Runs the job with its own /dev/shm of size $1 and says what is left in it.
NAMESPACE = """
mount -t tmpfs -o size="$1" tmpfs /dev/shm || exit 126
shift
"$@"
code=$?
for i in 1 2 3 4 5 6 7 8 9 10; do
    [ -z "$(ls -A /dev/shm)" ] && break
    sleep 0.2
done
for name in $(ls -A /dev/shm); do echo "left: $name"; done
exit $code
"""


@dataclass
class Done:
    """What came of a run."""

    code: int
    output: str
    seconds: float
    left: list[str]  # names in /dev/shm
    outlived: list[int]  # processes


@dataclass
class Bad:
    """How to run: the defaults are four users and a ghost on each of two nodes."""

    lib: mpi_libs.Library
    program: str
    args: list[str] = field(default_factory=list)
    env: dict[str, str] = field(default_factory=dict)
    users: int = 4
    ghosts: int | None = 1
    nodes: int = 2
    ranks: int = 0  # given to mpiexec; 0: users and ghosts
    wrap: list[str] = field(default_factory=list)  # words before every rank; only with `ranks`
    shm: str = "1g"
    limit: float = 40
    casper: Path | None = None  # another libcasper
    during: object = None  # called with the marked processes' finder while the job runs


def namespaces_work() -> bool:
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", "mount -t tmpfs tmpfs /dev/shm"],
        capture_output=True,
        check=False,
    )
    return done.returncode == 0


def library(name: str) -> mpi_libs.Library:
    """The MPI library with its build and test programs; skips what is missing."""
    lib = mpi_libs.LIBRARIES[name]
    if why := lib.missing() or lib.missing_nodes(False):
        pytest.skip(why)
    if not (lib.programs / "bad/leave").exists() or not lib.casper.exists():
        pytest.skip(f"build/{lib.build} has no tests (tools/setup/build.sh -t {lib.build})")
    if not namespaces_work():
        pytest.skip("mount namespaces are not permitted")
    return lib


def command(bad: Bad) -> tuple[list[str], dict[str, str]]:
    """Command and environment of a run."""
    lib = bad.lib
    job = run_mpi.Job(lib, lib.programs / bad.program, bad.users, bad.ghosts, bad.nodes)
    job.args, job.timeout, job.env = bad.args, bad.limit, bad.env
    argv, lib_env = run_mpi.command(job)
    if bad.ranks:
        launch, lib_env = mpi_libs.job(lib, bad.ranks, bad.nodes)
        preload = f"LD_PRELOAD={lib.casper}"
        argv = [*launch, *bad.wrap, "env", preload, str(job.program), *bad.args]
    if bad.casper:
        argv = [a.replace(str(lib.casper), str(bad.casper)) for a in argv]
    env = run_mpi.environment(job, lib_env)
    return ["unshare", "-m", "sh", "-c", NAMESPACE, "sh", bad.shm, *argv], env


def run(bad: Bad) -> Done:
    """Runs to the end; a job that hangs is ended and fails the test."""
    argv, env = command(bad)
    mark = uuid.uuid4().hex
    start = time.monotonic()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryDirectory() as cwd:
        proc = run_mpi.start_marked(argv, env, cwd, out, mark)

        def output() -> str:
            out.flush()
            return os.pread(out.fileno(), 1 << 20, 0).decode(errors="replace")

        try:
            if bad.during:
                bad.during(lambda: run_mpi.marked(mark), output)
            code = proc.wait(timeout=bad.limit)
        except subprocess.TimeoutExpired:
            run_mpi.end_all(proc, mark)
            pytest.fail(f"hangs: {bad.program} {bad.args}\n{output()}")
        except BaseException:
            run_mpi.end_all(proc, mark)
            raise
        seconds = time.monotonic() - start
        outlived = run_mpi.leftovers(mark)
        run_mpi.end_all(proc, mark)
        text = output()
    left = [line[6:] for line in text.splitlines() if line.startswith("left: ")]
    return Done(code, text, seconds, left, outlived)
