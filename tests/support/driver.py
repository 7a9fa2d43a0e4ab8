#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""Runs the tests and counts: `make test` (--quick) and `make test-full` (--full).

Parts: unit (layers without MPI, plain and under sanitizers), arch and tools (pytest), mpi (the matrix
of libraries, ghosts and nodes), sanitize (MPI tests under AddressSanitizer and UBSan), conformance
(foreign programs). Every part that this machine cannot run is counted as skipped, with the reason.
Results go to build/results/test.json.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path

import matrix
import outside
import run_mpi
import sanitize
from mpi_libs import BUILD, LIBRARIES, network

PARTS = ("unit", "arch", "mpi", "sanitize", "tools", "conformance")
SHOWN_LINES = 60  # of a failed test's output


@dataclass
class Outcome:
    """One line of the result."""

    group: str  # MPI library, or part
    test: str
    setting: str  # ghosts, nodes
    status: str
    reason: str = ""
    seconds: float = 0.0
    output: str = ""


class Report:
    """Collects outcomes and says them as they come."""

    def __init__(self) -> None:
        self.outcomes: list[Outcome] = []
        self.start = time.monotonic()

    def add(self, outcome: Outcome) -> None:
        self.outcomes.append(outcome)
        reason = f": {outcome.reason}" if outcome.reason else ""
        setting = f" [{outcome.setting}]" if outcome.setting else ""
        word = {"passed": "ok  ", "failed": "FAIL", "skipped": "skip"}[outcome.status]
        print(
            f"{word} {outcome.group} {outcome.test}{setting} {outcome.seconds:.1f} s{reason}",
            flush=True,
        )
        if outcome.status == "failed" and outcome.output:
            lines = outcome.output.rstrip().splitlines()
            if len(lines) > SHOWN_LINES:
                lines = [f"... {len(lines) - SHOWN_LINES} lines", *lines[-SHOWN_LINES:]]
            print("\n".join("     | " + line for line in lines), flush=True)

    def count(self, group: str | None = None) -> Counter:
        return Counter(o.status for o in self.outcomes if group in (None, o.group))

    def summary(self) -> int:
        """Prints the table and the closing line; returns the exit code."""
        total = self.count()
        print(f"\n{'':<13}{'passed':>8}{'failed':>8}{'skipped':>8}{'seconds':>9}")
        for group in dict.fromkeys(o.group for o in self.outcomes):
            count = self.count(group)
            seconds = sum(o.seconds for o in self.outcomes if o.group == group)
            title = LIBRARIES[group].title if group in LIBRARIES else ""
            row = "".join(f"{count[s]:>8}" for s in ("passed", "failed", "skipped"))
            print(f"{group:<13}{row}{seconds:>9.0f}  {title}")
        self.skips()
        for outcome in self.outcomes:
            if outcome.status == "failed":
                setting = f" [{outcome.setting}]" if outcome.setting else ""
                print(f"FAILED {outcome.group} {outcome.test}{setting}: {outcome.reason}")
        print(f"\n{time.monotonic() - self.start:.0f} s\n")
        print(
            f"{total['passed']} passed, {total['failed']} failed, {total['skipped']} skipped",
            flush=True,
        )
        return 1 if total["failed"] or not total["passed"] else 0

    def skips(self) -> None:
        reasons = Counter((o.group, o.reason) for o in self.outcomes if o.status == "skipped")
        for (group, reason), n in reasons.items():
            print(f"skipped {n} of {group}: {reason}")

    def write(self, mode: str) -> None:
        path = BUILD / "results" / "test.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        rows = [asdict(o) | {"output": o.output[-4000:]} for o in self.outcomes]
        path.write_text(
            json.dumps({"mode": mode, "total": self.count(), "rows": rows}, indent=1) + "\n"
        )


def run_matrix(report: Report, opts: argparse.Namespace) -> None:
    runs, skipped = matrix.plan(opts)
    for group, reason, n in skipped:
        report.add(Outcome(group, f"{n} runs", "", "skipped", reason))
    nodes = max((r.job.nodes for r in runs if r.job.netns), default=0)
    beside = [r for r in runs if not r.alone]
    alone = (matrix.execute(r) for r in runs if r.alone)
    with network(nodes), ThreadPoolExecutor(opts.jobs) as pool:
        for run, result in chain(pool.map(matrix.execute, beside), alone):
            report.add(
                Outcome(
                    run.job.lib.name,
                    run.name,
                    run.setting,
                    result.status,
                    result.reason,
                    result.seconds,
                    result.output,
                )
            )


def parse(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--full", action="store_true", help="the whole matrix")
    parser.add_argument("--quick", action="store_true", help="what `make test` runs (default)")
    parser.add_argument("--only", default=",".join(PARTS), help=f"parts: {','.join(PARTS)}")
    parser.add_argument(
        "--mpi", default=",".join(LIBRARIES), help=f"libraries: {','.join(LIBRARIES)}"
    )
    parser.add_argument("-k", default="", metavar="REGEX", help="only tests whose name matches")
    parser.add_argument(
        "-g", default="", metavar="LIST", help="numbers of ghosts, e.g. 0,1 or none (plain)"
    )
    parser.add_argument("--nodes", default="", metavar="LIST", help="numbers of nodes, e.g. 1,2")
    parser.add_argument("--netns", action="store_true", help="nodes are network namespaces")
    parser.add_argument("-j", "--jobs", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--no-build", action="store_true", help="trust what is built")
    opts = parser.parse_args(argv)
    opts.parts = opts.only.split(",")
    opts.mode = "full" if opts.full else "quick"
    opts.libraries = [LIBRARIES[name] for name in opts.mpi.split(",")]
    if unknown := set(opts.parts) - set(PARTS):
        parser.error(f"no such part: {', '.join(unknown)}")
    if not re.fullmatch(r"(none|\d+)(,(none|\d+))*|", opts.g):
        parser.error(f"-g: numbers are wanted, or none, not {opts.g}")
    if not re.fullmatch(r"\d+(,\d+)*|", opts.nodes):
        parser.error(f"--nodes: numbers are wanted (namespaces: --netns), not {opts.nodes}")
    return opts


def main() -> int:
    opts = parse(sys.argv[1:])
    for signum in (signal.SIGTERM, signal.SIGINT):
        signal.signal(signum, run_mpi.end_runs)
    report = Report()
    try:
        run_parts(report, opts)
    finally:
        report.write(opts.mode)
    return report.summary()


def run_parts(report: Report, opts: argparse.Namespace) -> None:
    with_mpi = set(opts.parts) - {"unit", "arch", "sanitize"}
    usable = [lib for lib in opts.libraries if not lib.missing()]
    if with_mpi and not opts.no_build:
        for name in sorted({lib.build for lib in usable}):
            outside.build(report, Outcome, name)
    if "unit" in opts.parts:
        outside.unit(report, opts, Outcome)
    if "arch" in opts.parts:
        outside.pytest(report, opts, Outcome, "arch")
    if "mpi" in opts.parts:
        run_matrix(report, opts)
    if "sanitize" in opts.parts:
        sanitize.run(report, opts, Outcome)
    if "tools" in opts.parts:
        outside.pytest(report, opts, Outcome, "tools")
    if "conformance" in opts.parts:
        outside.conformance(report, opts, Outcome, opts.mode)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    sys.exit(main())
