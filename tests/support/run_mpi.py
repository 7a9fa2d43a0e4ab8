#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""Runs one MPI program under one MPI library: with ghosts (libcasper preloaded) or plain.

Used by driver.py for every test, and by hand:
    run_mpi.py --mpi m50 -n 4 -g 1 --nodes 2 rma/put
PROGRAM is a path, or the name of a test program (build/<mpi>/tests/<name>).
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

import mpi_libs
from mpi_libs import LIBRARIES, Library

SKIPPED = 77
STOPPING = threading.Event()
LIVE: dict[str, subprocess.Popen] = {}  # mark -> mpiexec of the runs under way
MARK = "CASPER_RUN_MARK"  # in the environment of every process of a run: how we find them again


@dataclass
class Job:
    """What to run."""

    lib: Library
    program: Path
    users: int
    ghosts: int | None = 1  # on each node; None: without Casper
    nodes: int = 1
    netns: bool = False
    args: list[str] = field(default_factory=list)
    env: dict[str, str] = field(default_factory=dict)
    timeout: float = 60
    linked: bool = False  # the program is linked to libcasper
    above: list[Path] = field(default_factory=list)  # preloaded before libcasper
    below: list[Path] = field(default_factory=list)  # preloaded behind it
    exit_code: int = 0  # what counts as passed; -1: anything but 0
    expect: str = ""  # pattern that the output must contain


@dataclass
class Result:
    """What came of it."""

    status: str  # passed, failed, skipped
    reason: str
    seconds: float
    output: str
    launcher: bool = False  # took too long, and no process of the program was left by then


def marked(mark: str) -> list[int]:
    """The processes of a run, wherever their parents have gone."""
    name, want = f"{MARK}=".encode(), mark.encode()
    pids = []
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                words = Path(entry.path, "environ").read_bytes().split(b"\0")
                if any(w.startswith(name) and want in w[len(name) :].split(b":") for w in words):
                    pids.append(int(entry.name))
            except OSError:
                continue
    return sorted(pids)


def _read(path: str) -> str:
    try:
        return Path(path).read_text(errors="replace").replace("\0", " ").strip()
    except OSError:
        return "?"


def stacks(gdb: str, pid: int) -> list[str]:
    """Of all threads of a process."""
    command = [gdb, "-p", str(pid), "-batch", "-ex", "thread apply all bt 12"]
    try:
        trace = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    except subprocess.TimeoutExpired:
        return ["gdb took longer than 60 s"]
    return [line for line in trace.stdout.splitlines() if line.startswith(("#", "Thread"))]


def who_waits(mark: str, program: str) -> tuple[str, bool]:
    """State of every process of a run that hangs, with its stack when gdb is there; whether it is the
    launcher alone that hangs."""
    lines = ["--- processes of the run when the time was over ---"]
    gdb = shutil.which("gdb")
    alone = True
    for pid in marked(mark):
        state = re.sub(r".*\) (\S) .*", r"\1", _read(f"/proc/{pid}/stat"))
        lines.append(
            f"{pid} {state} {_read(f'/proc/{pid}/wchan')}: {_read(f'/proc/{pid}/cmdline')[:120]}"
        )
        if _read(f"/proc/{pid}/comm") == program[:15]:
            alone = False
            lines += stacks(gdb, pid) if gdb else []
    return "\n".join(lines), alone


def start_marked(
    words: list, env: dict[str, str], cwd: str | Path | None, out: IO[bytes], mark: str
) -> subprocess.Popen:
    """Starts a command in a session of its own; `marked` finds all that it starts by the mark, or
    by that of a run which this one is a part of."""
    marks = [*filter(None, os.environ.get(MARK, "").split(":")), mark]
    return subprocess.Popen(
        [str(word) for word in words],
        env=env | {MARK: ":".join(marks)},
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=out,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )


def kill_marked(mark: str) -> list[int]:
    """Kills each process of a run by its id; returns those that were there."""
    left = marked(mark)
    for pid in left:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    return left


def end_all(proc: subprocess.Popen, mark: str) -> None:
    """Ends every process of a run: politely through mpiexec, then each by its id."""
    for signum, wait in ((signal.SIGTERM, 3.0), (signal.SIGKILL, 2.0)):
        if proc.poll() is None:
            proc.send_signal(signum)
        deadline = time.monotonic() + wait
        while marked(mark) and time.monotonic() < deadline:
            time.sleep(0.1)
    kill_marked(mark)
    deadline = time.monotonic() + 2.0
    # Not wait(): a signal handler that interrupted one would wait for its lock.
    while proc.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)


def end_runs(signum: int, _frame: object) -> None:
    """Signal handler: ends what is under way, then this process."""
    STOPPING.set()
    for _ in range(2):  # once more for what was just being started
        for mark, proc in list(LIVE.items()):
            end_all(proc, mark)
        time.sleep(0.3)
    os._exit(128 + signum)


def environment(job: Job, lib_env: dict[str, str]) -> dict[str, str]:
    """The environment of the whole job; nothing of Casper's is inherited."""
    env = {
        k: v
        for k, v in os.environ.items()
        if not k.startswith(("CSP_", "LD_PRELOAD", "OMPI_", "PMI"))
    }
    env |= lib_env
    limit = max(5, int(job.timeout) - 5)
    env |= {
        "CASPER_TEST_USERS": str(job.users),
        "CASPER_TEST_GHOSTS": "" if job.ghosts is None else str(job.ghosts),
        "CASPER_TEST_NODES": str(job.nodes),
        "CASPER_TEST_MPI": job.lib.name,
        "CASPER_TEST_LIMIT_S": str(limit),
        "CSP_NG": str(job.ghosts or 0),  # plain, a program may be linked to libcasper
    }
    if size := mpi_libs.universe(job.lib, job.users, job.nodes):
        env["CASPER_TEST_UNIVERSE"] = str(size)
    if job.ghosts is not None:
        env["CSP_WATCHDOG_S"] = str(max(5, limit - 10))
    return env | job.env


def command(job: Job) -> tuple[list[str], dict[str, str]]:
    """The whole command line and what the MPI library wants in the environment."""
    ghosts = (job.ghosts or 0) * job.nodes
    launch, lib_env = mpi_libs.job(job.lib, job.users + ghosts, job.nodes, job.netns)
    if job.netns:
        launch = [str(mpi_libs.NETNS), "run", *launch]
    preload = [str(p) for p in job.above]
    if job.ghosts is not None and not job.linked:
        preload.append(str(job.lib.casper))
    preload += map(str, job.below)
    preload += [lib_env["LD_PRELOAD"]] if "LD_PRELOAD" in lib_env else []
    if preload:  # Casper and tools are for the program alone, not for mpiexec and its daemons
        launch += ["env", "LD_PRELOAD=" + ":".join(preload)]
    return [*launch, str(job.program), *job.args], lib_env


def judge(job: Job, code: int, output: str) -> tuple[str, str]:
    """Passed, failed or skipped, and why."""
    said = re.search(r"^skipped: (.*)$", output, re.M)
    # Intel MPI over a remote shell returns 255 for many another exit code.
    skips = code == SKIPPED or (code == 255 and said and job.lib.family == "intel")
    if skips and job.exit_code != SKIPPED:
        return "skipped", said.group(1) if said else "the program skipped itself"
    if code < 0:
        return "failed", f"mpiexec was ended by signal {-code}"
    if code != job.exit_code and not (job.exit_code == -1 and code != 0):
        return "failed", f"exit code {code}"
    if job.expect and not re.search(job.expect, output, re.M):
        return "failed", f"output lacks /{job.expect}/"
    return "passed", ""


def run(job: Job) -> Result:
    """Runs a job to its end or to its time limit; leaves no process."""
    if STOPPING.is_set():
        return Result("skipped", "stopped", 0.0, "")
    if not job.program.is_file():
        return Result("failed", "the program was not built", 0.0, "")
    mark = uuid.uuid4().hex
    argv, lib_env = command(job)
    start = time.monotonic()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryDirectory(prefix="casper-test-") as cwd:
        # Open MPI's jobs of one host share a directory there, and end it for each other.
        env = environment(job, lib_env) | {"TMPDIR": cwd}
        proc = start_marked(argv, env, cwd, out, mark)
        LIVE[mark] = proc
        try:
            code = proc.wait(timeout=job.timeout)
            status, reason, extra, launcher = "", "", "", False
        except subprocess.TimeoutExpired:
            status, reason = "failed", f"took longer than {job.timeout:.0f} s"
            extra, launcher = who_waits(mark, job.program.name)
        except BaseException:
            end_all(proc, mark)
            raise
        left = leftovers(mark) if not status else []
        end_all(proc, mark)
        LIVE.pop(mark, None)
        out.seek(0)
        output = out.read().decode(errors="replace") + extra
    if not status:
        status, reason = judge(job, code, output)
    if status == "passed" and left:
        status, reason = "failed", f"{len(left)} processes outlived the job"
    return Result(status, reason, time.monotonic() - start, output, launcher)


def leftovers(mark: str) -> list[int]:
    """Processes that are still there a moment after mpiexec has ended."""
    deadline = time.monotonic() + 15
    while (left := marked(mark)) and time.monotonic() < deadline:
        time.sleep(0.05)
    return left


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--mpi", default="m50", choices=LIBRARIES)
    parser.add_argument("-n", type=int, default=2, help="ranks of the application")
    parser.add_argument(
        "-g", default="1", help="ghosts on each node, or 'none' for the plain library"
    )
    parser.add_argument("--nodes", type=int, default=1)
    parser.add_argument("--netns", action="store_true", help="nodes are network namespaces")
    parser.add_argument(
        "--delay-us", type=int, default=0, help="with --netns: of what a node sends"
    )
    parser.add_argument("--timeout", type=float, default=60)
    parser.add_argument("--env", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--dry-run", action="store_true", help="print the command")
    parser.add_argument("program")
    parser.add_argument("args", nargs=argparse.REMAINDER)
    return parser.parse_args()


def main() -> int:
    opts = parse()
    signal.signal(signal.SIGTERM, end_runs)
    lib = LIBRARIES[opts.mpi]
    if why := lib.missing() or (
        lib.missing_nodes(opts.netns) if opts.nodes > 1 or opts.netns else ""
    ):
        print(f"skipped: {why}")
        return SKIPPED
    program = lib.programs / opts.program
    if not program.is_file():
        program = Path(opts.program).resolve()
    job = Job(
        lib,
        program,
        opts.n,
        None if opts.g == "none" else int(opts.g),
        opts.nodes,
        opts.netns,
        opts.args,
        dict(pair.split("=", 1) for pair in opts.env),
        opts.timeout,
    )
    if opts.dry_run:
        argv, lib_env = command(job)
        print(" ".join([*(f"{k}={v}" for k, v in lib_env.items()), *argv]))
        return 0
    with mpi_libs.network(opts.nodes if opts.netns else 0, opts.delay_us):
        result = run(job)
    sys.stdout.write(result.output)
    print(f"{result.status} {result.reason} ({result.seconds:.1f} s)")
    return {"passed": 0, "skipped": SKIPPED}.get(result.status, 1)


if __name__ == "__main__":
    sys.exit(main())
