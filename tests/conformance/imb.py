#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""The one-sided part of the Intel MPI Benchmarks, plain and with ghosts: every benchmark must run to its end,
for all sizes, with figures that are numbers. Times are not judged.

The binary comes with Intel MPI (build/env/i21). It wants libmpi.so.12, so MPICH 5.0 runs it as well; for
Intel MPI itself Casper is built by Intel's compiler wrapper, since this is not the standard ABI.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import math
import os
import re
import sys
import tempfile
from pathlib import Path

import _foreign
import mpi_libs
import run_mpi
from _foreign import Failure, Skip, check

PROGRAM = mpi_libs.ENV / "i21/bin/IMB-RMA"
WORDS = ["-iter_policy", "off", "-time", "20", "-imb_barrier", "on"]
QUICK, FULL = (
    ("3", "2:3"),
    ("5", "2:12"),
)  # repetitions, logarithms of the sizes; atomics want 4 bytes
BENCHMARKS = 17
USERS = 2  # pairs: with more, some benchmarks do not run, or not across nodes
LIMIT_S = 250
Table = dict[str, dict[int, list[float]]]  # benchmark, processes and mode -> size -> figures


def parse(output: str) -> Table:
    """What was measured; a size without figures, or with impossible ones, is a failure."""
    check("time-out" not in output, f"out of time\n{_foreign.last_lines(output)}")
    table: Table = {}
    title = ""
    for line in output.splitlines():
        if said := re.match(r"# Benchmarking (\S+)", line):
            title = said.group(1)
        elif said := re.match(r"# (#processes = \d+|   MODE: \S+)", line):
            title = f"{title}, {said.group(1).strip()}"
        elif re.match(r"\s+\d+\s+\d+\s+[\d.]+", line):
            size, *figures = map(float, line.split())
            check(all(map(math.isfinite, figures)), f"{title}: {line}")
            table.setdefault(title, {})[int(size)] = figures
    return table


def library(name: str) -> mpi_libs.Library:
    """With a Casper for the ABI of the binary."""
    if not PROGRAM.exists():
        raise Skip("IMB-RMA is not there (build/env/i21)")
    if name != "i21":
        return _foreign.library(name)
    lib = dataclasses.replace(mpi_libs.LIBRARIES[name], build=name)
    wrapper = f"{name}={lib.prefix}/bin/mpicc"
    _foreign.command(
        [mpi_libs.ROOT / "tools/setup/build.sh", wrapper],
        "Casper for Intel MPI's own ABI does not build",
        Failure,
        env=os.environ | lib.env,
    )
    return lib


def run(lib: mpi_libs.Library, ghosts: int | None, nodes: int, scale: tuple, report: Path) -> Table:
    iterations, sizes = scale
    args = [*WORDS, "-npmin", str(USERS), "-iter", iterations, "-msglog", sizes]
    env = {} if ghosts is None else {"CSP_REPORT_FILE": str(report)}
    job = run_mpi.Job(lib, PROGRAM, USERS, ghosts, nodes, args=args, env=env, timeout=LIMIT_S)
    return parse(_foreign.run_job(job))


def redirected(report: dict) -> str:
    """Its windows are made by MPI_Win_create of memory of MPI_Alloc_mem; operations on the other node go
    through its ghost."""
    total = report["total"]
    created = total["windows"]["pool"]
    check(created > 0, f"no created window was redirected: {total['windows']}")
    if report["nodes_count"] > 1:
        routes = {
            kind: counts["ghost_net"]["count"] for kind, counts in total["operations"].items()
        }
        check(
            all(routes[kind] for kind in ("PUT", "GET", "ACC", "FOP", "CAS")),
            f"by ghosts: {routes}",
        )
    return f"{created} created windows redirected"


def compare(name: str, ghosts: int, nodes: int, scale: tuple) -> str:
    lib = library(name)
    with tempfile.TemporaryDirectory(prefix="casper-imb-") as folder:
        report = Path(folder, "report.json")
        plain = run(lib, None, nodes, scale, report)
        casper = run(lib, ghosts, nodes, scale, report)
        check(report.exists(), "no report was written")
        shown = json.loads(report.read_text())
    titles = {title.split(",")[0] for title in plain}
    check(len(titles) == BENCHMARKS, f"{len(titles)} benchmarks ran plain: {sorted(titles)}")
    for title in {**plain, **casper}:
        off, on = plain.get(title, {}), casper.get(title, {})
        check(off.keys() == on.keys(), f"{title}: sizes plain {list(off)}, with ghosts {list(on)}")
    said = f"{sum(map(len, casper.values()))} lines of {len(casper)} tables"
    return f"{said}; {redirected(shown)}"


def body(script: _foreign.Script, opts: argparse.Namespace) -> None:
    settings = [("m50", 1, 2)]
    if opts.full:
        settings += [("m50", 2, 2), ("m50", 1, 1), ("i21", 1, 2), ("i21", 2, 1)]
    for name, ghosts, nodes in settings:
        title = f"{name}, ghosts on each node: {ghosts}, nodes: {nodes}"

        def job(name=name, ghosts=ghosts, nodes=nodes) -> str:
            return compare(name, ghosts, nodes, FULL if opts.full else QUICK)

        script.case(title, job)


if __name__ == "__main__":
    sys.exit(_foreign.main(__doc__, body))
