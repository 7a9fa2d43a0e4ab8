#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""What a job leaves behind when it ends well, aborts, or is killed: no process, and nothing in
/dev/shm, /tmp or among System V segments that the plain MPI library does not leave as well.

Each job sees folders of its own as /dev/shm and /tmp (a mount namespace), so that other jobs of the
machine do not count; the plain library runs the same way first, for comparison.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import _foreign
import mpi_libs
import run_mpi
from _foreign import Failure, Skip, check

USERS = 2
READY_S = 60  # until all ranks are at work
GONE_S = 20  # from the end until no process is left
GHOSTS = 1
POOL = {"": {}, ", windows with segments of their own": {"CSP_POOL_MAX": "0"}}
WAYS = ("end", "abort", "leave", "kill user", "kill ghost", "kill mpiexec", "interrupt")


@dataclass
class Left:
    """What is still there some seconds after the end of a job."""

    processes: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    segments: list[str] = field(default_factory=list)  # System V


class Box:
    """Folders that a job sees as /dev/shm and /tmp, and one for its messages."""

    def __init__(self) -> None:
        mpi_libs.BUILD.mkdir(parents=True, exist_ok=True)
        self.folder = Path(tempfile.mkdtemp(prefix="casper-leaks-", dir=mpi_libs.BUILD))
        self.shm = Path(tempfile.mkdtemp(prefix="casper-leaks-", dir="/dev/shm"))
        self.tmp, self.news = self.folder / "tmp", self.folder / "news"
        self.tmp.mkdir()
        self.news.mkdir()
        self.kept = [p for p in (mpi_libs.ROOT, mpi_libs.BUILD) if p.is_relative_to("/tmp")]

    def wrap(self, words: list[str]) -> list[str]:
        """The command in its namespace; what lies below /tmp and is needed stays there."""
        lines = ["set -e"]
        for path in self.kept:
            inside = shlex.quote(str(self.tmp / path.relative_to("/tmp")))
            lines += [f"mkdir -p {inside}", f"mount --rbind {shlex.quote(str(path))} {inside}"]
        lines += [f"mount --bind {shlex.quote(str(self.shm))} /dev/shm"]
        lines += [f"mount --rbind {shlex.quote(str(self.tmp))} /tmp", 'exec "$@"']
        rights = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
        return ["unshare", *rights, "--mount", "sh", "-c", "\n".join(lines), "sh", *words]

    def files(self) -> list[str]:
        """What is in both folders, but for the empty mount points."""
        own = {part for path in self.kept for part in path.relative_to("/tmp").parts[:1]}
        found = [f"/tmp/{name}" for name in os.listdir(self.tmp) if name not in own]
        return sorted(found + [f"/dev/shm/{name}" for name in os.listdir(self.shm)])

    def remove(self) -> None:
        subprocess.run(["rm", "-rf", str(self.folder), str(self.shm)], check=False)


def segments(pids: set[int]) -> list[str]:
    """System V segments that one of the processes made."""
    try:
        lines = Path("/proc/sysvipc/shm").read_text().splitlines()[1:]
    except OSError:
        return []
    return [f"System V segment {w[1]}" for w in map(str.split, lines) if int(w[4]) in pids]


class Job:
    """One run of the program, ended in one way."""

    def __init__(
        self,
        lib: mpi_libs.Library,
        program: Path,
        ghosts: int | None,
        way: str,
        more: dict[str, str] | None = None,
    ) -> None:
        self.lib, self.program, self.ghosts, self.way = lib, program, ghosts, way
        self.env = more or {}
        self.nodes = 2 if lib.family == "mpich" else 1
        self.box = Box()
        self.pids: set[int] = set()
        self.left = Left()

    def words(self) -> tuple[list[str], dict[str, str]]:
        mode = "wait" if " " in self.way or self.way == "interrupt" else self.way
        args = [str(self.box.news), mode]
        job = run_mpi.Job(self.lib, self.program, USERS, self.ghosts, self.nodes, args=args)
        words, env = run_mpi.command(job)
        if self.ghosts is not None:
            env = env | self.env | {"CSP_NG": str(self.ghosts)}
        return self.box.wrap(words), _foreign.environment(self.lib, env)

    def run(self) -> tuple[_foreign.Done, Left]:
        try:
            words, env = self.words()
            done = _foreign.run(words, env, READY_S + GONE_S, self.box.news, self.attend)
            self.left.segments = segments(self.pids)
            self.left.files = self.box.files()
            return done, self.left
        finally:
            self.box.remove()

    def attend(self, proc: subprocess.Popen, mark: str) -> None:
        """While it runs: waits until all ranks are at work, ends it, and sees who stays."""
        self.wait_for(lambda: len(self.users()) == USERS or proc.poll() is not None, READY_S)
        self.pids = set(run_mpi.marked(mark))
        if proc.poll() is None:
            self.strike(proc)
        self.wait_for(lambda: proc.poll() is not None, READY_S)
        if self.wait_for(lambda: not run_mpi.marked(mark), GONE_S):
            return
        for pid in run_mpi.marked(mark):
            words = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ")
            self.left.processes.append(words.decode(errors="replace")[:100])

    def users(self) -> list[int]:
        files = [p for p in self.box.news.iterdir() if p.name.isdigit()]
        return [int(p.read_text()) for p in sorted(files)]

    def strike(self, proc: subprocess.Popen) -> None:
        users = self.users()
        same = [p for p in self.pids if comm(p) == comm(users[0])] if users else []
        if self.way == "kill user":
            os.kill(users[-1], signal.SIGKILL)
        elif self.way == "kill ghost":
            os.kill(min(p for p in same if p not in users), signal.SIGKILL)
        elif self.way == "kill mpiexec":
            proc.kill()
        elif self.way == "interrupt":
            proc.send_signal(signal.SIGINT)

    @staticmethod
    def wait_for(reached: Callable[[], bool], limit_s: float) -> bool:
        deadline = time.monotonic() + limit_s
        while not reached() and time.monotonic() < deadline:
            time.sleep(0.1)
        return reached()


def comm(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def kind(path: str) -> str:
    """The part of a name that does not differ from run to run."""
    path = re.sub(r"(tmp|_)\w{6}$", r"\1", path)
    return re.sub(r"[0-9a-f]*\d[0-9a-f]*", "#", path)


@dataclass
class Plain:
    """What jobs of the plain library leave, over all its ends: what is left is a matter of time."""

    lib: mpi_libs.Library
    program: Path
    kinds: set[str] = field(default_factory=set)
    segments: bool = False
    processes: dict[str, list[str]] = field(default_factory=dict)

    def run(self, way: str) -> str:
        _, left = Job(self.lib, self.program, None, way).run()
        if way != "end":
            self.kinds |= {kind(f) for f in left.files}
            self.segments = self.segments or bool(left.segments)
        self.processes[way] = left.processes
        said = [*left.processes, *left.files, *left.segments]
        return f"leaves {', '.join(said)}" if said else "leaves nothing"

    def judge(self, way: str, casper: Left) -> str:
        check(
            not casper.processes or self.processes.get(way),
            f"processes outlive the job: {casper.processes}",
        )
        said = casper.files + casper.segments
        check(way != "end" or not said, f"left behind: {said}")
        more = {kind(f) for f in casper.files} - self.kinds
        check(not more, f"left behind: {casper.files}; by the plain library {self.kinds}")
        check(self.segments or not casper.segments, f"left behind: {casper.segments}")
        same = sorted({kind(f) for f in casper.files})
        return f"leaves {', '.join(same)} as the plain library does" if same else "nothing left"


def one(way: str, plain: Plain, more: dict[str, str]) -> str:
    done, casper = Job(plain.lib, plain.program, GHOSTS, way, more).run()
    shown = _foreign.last_lines(done.output)
    check(done.code != 124, f"hangs\n{shown}")
    check((done.code == 0) == (way == "end"), f"exit code {done.code}\n{shown}")
    try:
        return f"exit code {done.code}, {plain.judge(way, casper)}"
    except Failure as failure:
        raise Failure(f"{failure}\n{shown}") from failure


def compiled(lib: mpi_libs.Library, folder: Path) -> Path:
    program = folder / f"leaks-{lib.name}"
    words = [lib.compiler, "-Wall", str(_foreign.HERE / "leaks/work.c"), "-o", str(program)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    check(done.returncode == 0, f"work.c does not build: {done.stderr}")
    return program


def library(script: _foreign.Script, name: str, folder: Path) -> None:
    lib = _foreign.library(name)
    plain = Plain(lib, compiled(lib, folder))
    for way in WAYS:
        if way != "kill ghost":
            script.note(f"{name} plain, {way}", lambda way=way: plain.run(way))
    for pool, more in POOL.items():
        for way in WAYS:
            script.case(f"{name} {way}{pool}", lambda w=way, more=more: one(w, plain, more))


def body(script: _foreign.Script, opts: argparse.Namespace) -> None:
    probe = Box()
    words = probe.wrap(["true"])
    permitted = subprocess.run(words, capture_output=True, check=False).returncode == 0
    probe.remove()
    if not permitted:
        raise Skip("mount namespaces (unshare --mount) are not permitted")
    with tempfile.TemporaryDirectory(prefix="leaks-", dir=mpi_libs.BUILD) as folder:
        for name in ("m50", "m40", "o41", "o50") if opts.full else ("m50", "o41"):
            try:
                library(script, name, Path(folder))
            except Skip as skip:
                script.skip(name, str(skip))


if __name__ == "__main__":
    sys.exit(_foreign.main(__doc__, body))
