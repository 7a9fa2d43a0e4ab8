# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""Which MPI test runs where: from build/<mpi>/tests/tests.json to a list of jobs."""

from __future__ import annotations

import argparse
import json
import os
import re
import traceback
from collections import Counter
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase

import run_mpi
from mpi_libs import ROOT, Library

KNOWN_PLAIN = ROOT / "tests/mpi/known_plain.txt"
KNOWN_LIMIT_S = 30  # where the plain library is known to fail in any way, perhaps by a hang


@dataclass
class Test:
    """One line of tests.cmake, as built for one MPI library."""

    name: str
    program: str
    expect: str
    skip: str
    np: int
    ghosts: int
    nodes: int
    timeout: int
    exit: int
    flags: list[str]
    args: list[str] = field(default_factory=list)
    env: list[str] = field(default_factory=list)
    mpi: list[str] = field(default_factory=list)
    above: list[str] = field(default_factory=list)
    below: list[str] = field(default_factory=list)


@dataclass
class Run:
    """A test in one setting."""

    name: str
    setting: str
    job: run_mpi.Job
    alone: bool = False


def load(lib: Library) -> list[Test]:
    path = lib.programs / "tests.json"
    if not path.exists():
        return []
    tests = []
    for line in path.read_text().splitlines():
        entry = json.loads(line)
        tests.append(Test(*entry.pop("texts"), **entry))
    return tests


def _numbers(text: str) -> list[int | None]:
    return [None if word == "none" else int(word) for word in text.split(",")]


def settings(
    test: Test, lib: Library, opts: argparse.Namespace
) -> list[tuple[int | None, int, bool]]:
    """(ghosts, nodes, netns) of a test on a library."""
    if opts.g or opts.nodes or opts.netns:
        ghosts = _numbers(opts.g) if opts.g else [test.ghosts]
        nodes = _numbers(opts.nodes) if opts.nodes else [test.nodes]
        wanted = [(g, n, opts.netns) for g in ghosts for n in nodes]
    elif opts.full:
        ghosts = (1, 2) if _only_casper(test) else (0, 1, 2)
        wanted = [(g, n, False) for g in ghosts for n in (1, 2)] + [(1, 2, True)]
    else:
        # All lines on MPICH 5; each program on MPICH 4.0; what is marked CORE elsewhere; all is test-full.
        wanted = [(test.ghosts, test.nodes, False)]
        there = lib.name == "m50" or (lib.name == "m40" and not _only_casper(test))
        if not there and "CORE" not in test.flags:
            wanted = []
        if lib.name == "m50" and test.name == test.program:  # not another line of the same program
            wanted += [(1, 1, False), (1, 2, False)]
            wanted += [(0, 2, False), (2, 2, False)] if "CORE" in test.flags else []
    if "FIXED" in test.flags:
        wanted = _usual(test, opts, bool(wanted))
    return list(dict.fromkeys(wanted))


def _only_casper(test: Test) -> bool:
    """Whether it is another line of a program, and only by Casper's settings: the same without ghosts."""
    settings_alone = all(pair.startswith("CSP_") for pair in test.env)
    return (
        test.name != test.program and settings_alone and not (test.args or test.above or test.below)
    )


def _usual(test: Test, opts: argparse.Namespace, some: bool) -> list[tuple[int | None, int, bool]]:
    """The only setting of a FIXED test, if it is asked for at all."""
    asked = getattr(opts, "all_fixed", False) or (
        (not opts.g or test.ghosts in _numbers(opts.g))
        and (not opts.nodes or test.nodes in _numbers(opts.nodes))
    )
    wanted = [(test.ghosts, test.nodes, opts.netns and test.nodes > 1)] if some and asked else []
    if opts.full and asked and test.nodes > 1:
        wanted.append((test.ghosts, test.nodes, True))
    return wanted


def known_plain(name: str, job: run_mpi.Job, launcher: bool, said: str | None = None) -> str:
    """The evidence, if the plain library is known to fail this test, or another line of its program;
    `launcher`: so that only its launcher hangs, too; `said`: what a run said that failed."""
    when = {"any"} | (set() if job.ghosts else {"plain"}) | ({"launcher"} if launcher else set())
    return _known(name, job, when, said)


def launcher_fails(job: run_mpi.Job) -> str:
    """The evidence, if mpiexec is known to hang after all processes of this job's program have ended."""
    return _known("", job, {"launcher"}, None)


def _known(name: str, job: run_mpi.Job, when: set[str], said: str | None) -> str:
    """The evidence of the first line for a test and one of these words that fits what was said."""
    names = (name, os.path.relpath(job.program, job.lib.programs))
    for line in KNOWN_PLAIN.read_text().splitlines():
        words = line.split(None, 4)
        if len(words) == 5 and not line.startswith("#") and words[3] in when:
            for wanted in names:
                where = (job.lib.name, wanted, str(job.nodes))
                if all(fnmatchcase(value, pattern) for value, pattern in zip(where, words)):
                    must, evidence = re.fullmatch(r"(?:/(.*)/ )?(.*)", words[4]).groups()
                    if said is None or not must or re.search(must, said, re.M):
                        return evidence
    return ""


def obstacle(test: Test, lib: Library, nodes: int, netns: bool) -> str:
    """Why a run is skipped, or the empty string."""
    if test.skip:
        return test.skip
    if test.mpi and lib.name not in test.mpi:
        return ""
    if (nodes > 1 or netns) and (why := lib.missing_nodes(netns)):
        return why
    if test.np < nodes:
        return "fewer ranks than nodes"
    return ""


def make_run(test: Test, lib: Library, ghosts: int | None, nodes: int, netns: bool) -> Run:
    job = run_mpi.Job(
        lib,
        lib.programs / test.program,
        test.np,
        ghosts,
        nodes,
        netns,
        test.args,
        dict(pair.split("=", 1) for pair in test.env),
        test.timeout,
        "LINKED" in test.flags,
        [lib.programs / tool for tool in test.above],
        [lib.programs / tool for tool in test.below],
        test.exit,
        test.expect,
    )
    if known_plain(test.name, job, launcher=True, said=""):
        job = replace(job, timeout=min(test.timeout, KNOWN_LIMIT_S))
    shown = "plain" if ghosts is None else f"{ghosts} ghosts"
    where = "netns" if netns else "nodes"
    setting = f"np {test.np}, {shown}, {nodes} {where}"
    return Run(test.name, setting, job, "ALONE" in test.flags)


def plan(opts: argparse.Namespace) -> tuple[list[Run], list[tuple[str, str, int]]]:
    """The runs, and what is skipped: (library, reason, number of runs)."""
    runs: list[Run] = []
    skipped: Counter = Counter()
    for lib in opts.libraries:
        why = lib.missing()
        tests = [] if why else load(lib)
        if not tests:
            skipped[lib.name, why or "nothing was built for it"] += 1
        for test in tests:
            if not re.search(opts.k, test.name) or (test.mpi and lib.name not in test.mpi):
                continue
            for setting in settings(test, lib, opts):
                if reason := obstacle(test, lib, *setting[1:]):
                    skipped[lib.name, reason] += 1
                else:
                    runs.append(make_run(test, lib, *setting))
    return runs, [(group, reason, n) for (group, reason), n in skipped.items()]


PLAIN_TRIES = 4
LAUNCHER_TRIES = 3


def _run(job: run_mpi.Job) -> run_mpi.Result:
    """A runner that fails is a job that failed: the results of all others stay."""
    try:
        return run_mpi.run(job)
    except Exception:  # noqa: BLE001
        return run_mpi.Result("failed", "the test runner failed", 0.0, traceback.format_exc())


def _plain_fails(run: Run) -> str:
    """What the same test does without Casper, now: the reason of its failure, or the empty string."""
    job = replace(run.job, ghosts=None)
    for _ in range(PLAIN_TRIES):
        result = run_mpi.run(job)
        if result.status == "failed":
            return result.reason
    return ""


def execute(run: Run) -> tuple[Run, run_mpi.Result]:
    """Runs it; again if only the launcher failed, as it is known to. A failure counts as skipped if the plain
    library is known to fail, too; without ghosts, also if it is seen to fail now."""
    for _ in range(LAUNCHER_TRIES):
        result = _run(run.job)
        if result.status != "failed":
            return run, result
        said = f"{result.reason}\n{result.output}"
        why = known_plain(run.name, run.job, result.launcher, said)
        if not (result.launcher and why or _known(run.name, run.job, {"again"}, said)):
            break
    if why:
        result.status, result.reason = "skipped", f"the plain library fails: {why}"
    elif run.job.ghosts == 0 and (why := _plain_fails(run)):
        result.status, result.reason = (
            "skipped",
            f"the plain library, run right after it, fails as well: {why}",
        )
    return run, result
