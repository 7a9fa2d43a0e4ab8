# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""Runs the programs of tests/mpi as jobs of several nodes, as any user may: to the end, with a time limit,
with all that they said and what outlived them."""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
import uuid
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))

import matrix  # noqa: E402
import mpi_libs  # noqa: E402
import run_mpi  # noqa: E402

FULL = os.environ.get("CASPER_TEST_MODE") == "full"
LIBRARIES = ["m50", "m40", "o41", "o50", "i21"] if FULL else ["m50"]


@dataclass
class Done:
    """What came of a run."""

    code: int
    output: str
    seconds: float
    outlived: list[int]  # processes


@dataclass
class Job:
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
    limit: float = 40
    casper: Path | None = None  # another libcasper
    during: object = None  # called with the marked processes' finder while the job runs


def library(name: str) -> mpi_libs.Library:
    """The MPI library with its build and test programs; skips what is missing."""
    lib = mpi_libs.LIBRARIES[name]
    if why := lib.missing() or lib.missing_nodes(False):
        pytest.skip(why)
    if not (lib.programs / "bad/leave").exists() or not lib.casper.exists():
        pytest.skip(f"build/{lib.build} has no tests (tools/setup/build.sh -t {lib.build})")
    return lib


def matrix_job(asked: Job) -> run_mpi.Job:
    lib = asked.lib
    job = run_mpi.Job(lib, lib.programs / asked.program, asked.users, asked.ghosts, asked.nodes)
    job.args, job.timeout, job.env = asked.args, asked.limit, asked.env
    return job


def command(asked: Job) -> tuple[list[str], dict[str, str]]:
    """Command and environment of a run."""
    lib = asked.lib
    job = matrix_job(asked)
    argv, lib_env = run_mpi.command(job)
    if asked.ranks:
        launch, lib_env = mpi_libs.job(lib, asked.ranks, asked.nodes)
        preload = f"LD_PRELOAD={lib.casper}"
        argv = [*launch, *asked.wrap, "env", preload, str(job.program), *asked.args]
    if asked.casper:
        argv = [a.replace(str(lib.casper), str(asked.casper)) for a in argv]
    env = run_mpi.environment(job, lib_env)
    return argv, env


def run(asked: Job, within: tuple[str, ...] = ()) -> Done:
    """Runs to the end, by the command `within`; a job that hangs is ended and fails the test. Again if
    only its launcher hung, as it is known to."""
    for _ in range(matrix.LAUNCHER_TRIES):
        done, why = _run(asked, within)
        if done:
            return done
    pytest.fail(why)


def _run(asked: Job, within: tuple[str, ...]) -> tuple[Done | None, str]:
    """What came of it; nothing, and why, if only its launcher hung."""
    argv, env = command(asked)
    mark = uuid.uuid4().hex
    start = time.monotonic()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryDirectory() as cwd:
        proc = run_mpi.start_marked([*within, *argv], env, cwd, out, mark)

        def output() -> str:
            out.flush()
            return os.pread(out.fileno(), 1 << 20, 0).decode(errors="replace")

        code = None
        try:
            if asked.during:
                asked.during(lambda: run_mpi.marked(mark), output)
            code = proc.wait(timeout=asked.limit)
            seconds = time.monotonic() - start
            outlived = run_mpi.leftovers(mark)
        except subprocess.TimeoutExpired:
            waits, launcher = run_mpi.who_waits(mark, Path(asked.program).name)
        finally:
            run_mpi.end_all(proc, mark)
        text = output()
    if code is not None:
        return Done(code, text, seconds, outlived), ""
    why = f"hangs: {asked.program} {asked.args}\n{text}\n{waits}"
    if launcher and matrix.launcher_fails(matrix_job(asked)):
        return None, why
    pytest.fail(why)


def reported(asked: Job, folder: Path) -> tuple[dict, str]:
    """Runs to a good end: the report, which is written into the folder, and what the job said."""
    path = folder / "report.json"
    path.unlink(missing_ok=True)
    done = run(replace(asked, env={**asked.env, "CSP_REPORT_FILE": str(path)}))
    assert done.code == 0, done.output
    return json.loads(path.read_text()), done.output


def find_processes(processes, output, name, users, total, limit=20):
    """(user pids, ghost pids) once the program has told them."""
    end = time.monotonic() + limit
    while time.monotonic() < end:
        told = [int(pid) for pid in re.findall(r"is process (\d+)", output())]
        program = [p for p in processes() if name in comm(p)]
        if len(told) == users and len(program) == total:
            return told, [p for p in program if p not in told]
        time.sleep(0.05)
    pytest.fail("the program did not start:\n" + output())
    return [], []


def comm(pid):
    try:
        with open(f"/proc/{pid}/comm", encoding="utf-8") as f:
            return f.read()
    except OSError:
        return ""
