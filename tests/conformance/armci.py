#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""Programs (armci/*.c) over Debian's ARMCI-MPI and Global Arrays, plain and with ghosts: each checks its own
results, and the report must show its operations redirected.

The plain library runs them on two virtual nodes: inside one node, MPICH 4.0.2's windows hold wrong data.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path

import _foreign
import run_mpi
from _foreign import Skip, check

SOURCES = _foreign.HERE / "armci"
ARMCI = ["-larmci-mpich"]
ARRAYS = ["-lga-mpich", *ARMCI, "-l:libscalapack-mpich.so.2.2", "-l:liblapack.so.3"]
ARRAYS += ["-l:libblas.so.3", "-lgfortran", "-lm"]
USERS = 4
PLAIN_NODES = 2
LIMIT_S = 120
ATOMIC, LOOSE = ("ACC", "GET_ACC"), ("ACC", "GET", "PUT")  # what ARMCI-MPI makes of put, get, acc
ROUTES = ("direct", "ghost_net")  # on a node, to another


@dataclass
class Program:
    """One of ours, and what the report must show of it."""

    name: str
    libraries: list[str] = field(default_factory=lambda: ARMCI)
    kinds: tuple[str, ...] = ATOMIC
    lists: bool = False  # it has patches or lists of segments
    header: str = "armci.h"

    def build(self, lib, folder: Path) -> Path:
        if not Path("/usr/include", self.header).exists():
            raise Skip(
                f"{self.header} is not installed (Debian: libarmci-mpi-dev libglobalarrays-dev)"
            )
        words = [lib.compiler, "-g", "-Wall", SOURCES / f"{self.name}.c", "-o", folder / self.name]
        done = subprocess.run(
            [*words, *self.libraries], capture_output=True, text=True, check=False
        )
        check(done.returncode == 0, f"does not build\n{_foreign.last_lines(done.stderr)}")
        return folder / self.name


PROGRAMS = (
    Program("update"),
    Program("patches", lists=True),
    Program("vectors", lists=True),
    Program("counters", kinds=(*ATOMIC, "FOP")),
    Program("arrays", ARRAYS, (*ATOMIC, "FOP"), lists=True, header="ga.h"),
)
NOT_ATOMIC = {"ARMCI_RMA_ATOMICITY": "0"}
# How patches and lists of segments become operations.
METHODS = {
    "strided as lists, conservative": {"ARMCI_STRIDED_METHOD": "IOV", "ARMCI_IOV_METHOD": "CONSRV"},
    "strided as lists, batched": {
        "ARMCI_STRIDED_METHOD": "IOV",
        "ARMCI_IOV_METHOD": "BATCHED",
        "ARMCI_IOV_BATCHED_LIMIT": "3",
    },
    "strided as lists, derived types": {
        "ARMCI_STRIDED_METHOD": "IOV",
        "ARMCI_IOV_METHOD": "DIRECT",
    },
}


def redirected(program: Program, report: dict, nodes: int) -> str:
    """Windows redirected, and every kind of operation gone its way."""
    total = report["total"]
    _foreign.all_redirected(report)
    counts = []
    for kind in program.kinds:
        routes = ROUTES if nodes > 1 else ROUTES[:1]
        found = {route: c["count"] for route, c in total["operations"][kind].items()}
        check(all(found[route] > 0 for route in routes), f"{kind} not by {routes}: {found}")
        counts.append(f"{kind} {'+'.join(str(found[route]) for route in routes)}")
    return ", ".join(counts)


class Runs:
    """A built program, run in several settings."""

    def __init__(self, program: Program, env: dict[str, str], folder: Path) -> None:
        self.program, self.env, self.folder = program, env, folder
        self.lib = _foreign.library("m40")
        self.binary = program.build(self.lib, folder)

    def run(self, ghosts: int | None, nodes: int, more: dict[str, str]) -> None:
        job = run_mpi.Job(
            self.lib, self.binary, USERS, ghosts, nodes, env=self.env | more, timeout=LIMIT_S
        )
        _foreign.run_job(job)

    def with_ghosts(self, ghosts: int, nodes: int) -> str:
        report = self.folder / f"report-{ghosts}-{nodes}.json"
        self.run(ghosts, nodes, {"CSP_REPORT_FILE": str(report)})
        check(report.exists(), "no report was written")
        return redirected(self.program, json.loads(report.read_text()), nodes)


def compare(program: Program, env: dict[str, str], settings: list[tuple[int, int]]) -> str:
    with tempfile.TemporaryDirectory(prefix="casper-armci-") as folder:
        runs = Runs(program, env, Path(folder))
        runs.run(None, PLAIN_NODES, {})
        said = [runs.with_ghosts(ghosts, nodes) for ghosts, nodes in settings]
    return said[0]


def body(script: _foreign.Script, opts: argparse.Namespace) -> None:
    settings = [(1, 2), (2, 2), (1, 1), (2, 1)] if opts.full else [(1, 2)]
    for program in PROGRAMS:
        script.case(f"m40 {program.name}", lambda program=program: compare(program, {}, settings))
    loose = replace(PROGRAMS[1], kinds=LOOSE)
    script.case("m40 patches, not atomic", lambda: compare(loose, NOT_ATOMIC, settings))
    for title, env in METHODS.items() if opts.full else ():
        for program in PROGRAMS:
            if program.lists:
                name = f"m40 {program.name}, {title}"
                script.case(name, lambda p=program, e=env: compare(p, e, [(1, 2)]))


if __name__ == "__main__":
    sys.exit(_foreign.main(__doc__, body))
