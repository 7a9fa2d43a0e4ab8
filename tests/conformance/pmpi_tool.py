#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""A PMPI tool (tool/tool.c) and Casper under one program, preloaded in both orders and linked: the
tool sees the world without ghosts and counts every call of the program exactly once, in C and Fortran,
as it does without Casper.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import _foreign
import run_mpi
from _foreign import Skip, check

SOURCES = _foreign.HERE / "tool"
FORTRAN = {"m40": "mpif90.mpich", "o41": "mpif90.openmpi"}
FULL = ("m50", "m40", "o41", "o50")
USERS = 3
SEEN = "Init 1, Comm_size 2, Put 5 (10), Send 3 (12), Finalize 1"


def wanted(users: int) -> list[str]:
    return [f"tool: rank {r} of {users}, largest size {users}, {SEEN}" for r in range(users)]


class Stack:
    """The tool and one program for one library and language, in a folder."""

    def __init__(self, name: str, fortran: bool, folder: Path, nodes: int) -> None:
        self.lib, self.folder, self.nodes = _foreign.library(name), folder, nodes
        self.source = SOURCES / ("ring.f90" if fortran else "ring.c")
        self.compiler = FORTRAN[name] if fortran else self.lib.compiler
        if not shutil.which(self.compiler):
            raise Skip(f"{self.compiler} is not installed")
        tool = ["-shared", "-fPIC", SOURCES / "tool.c"]
        self.tool = _foreign.compiled(self.lib.compiler, tool, folder / "libtool.so")

    def program(self, name: str, *words) -> Path:
        return _foreign.compiled(self.compiler, [self.source, *words], self.folder / name)

    def linked(self, name: str, *libraries: Path) -> Path:
        words = ["-Wl,--no-as-needed"]
        words += [w for path in libraries for w in (path, f"-Wl,-rpath,{path.parent}")]
        return self.program(name, *words)

    def object(self) -> Path:
        return _foreign.compiled(
            self.lib.compiler, ["-c", SOURCES / "tool.c"], self.folder / "tool.o"
        )

    def run(self, program: Path, ghosts: int | None = 1, **how) -> None:
        job = run_mpi.Job(self.lib, program, USERS, ghosts, self.nodes, timeout=120, **how)
        output = _foreign.run_job(job)
        shown = _foreign.last_lines(output)
        lines = sorted(line for line in output.splitlines() if line.startswith("tool:"))
        check(lines == wanted(USERS), f"the tool should say '{wanted(USERS)[0]}' ...\n{shown}")

    def stackings(self) -> dict[str, Callable[[], None]]:
        casper, tool = self.lib.casper, self.tool
        return {
            "plain": lambda: self.run(self.program("bare"), None, above=[tool]),
            "tool preloaded before Casper": lambda: self.run(self.program("bare"), above=[tool]),
            "tool preloaded after Casper": lambda: self.run(self.program("bare"), below=[tool]),
            "both linked, tool first": lambda: self.run(
                self.linked("tool-first", tool, casper), linked=True
            ),
            "both linked, Casper first": lambda: self.run(
                self.linked("casper-first", casper, tool), linked=True
            ),
            "tool linked, Casper preloaded": lambda: self.run(self.linked("with-tool", tool)),
            "tool in the program, Casper preloaded": lambda: self.run(
                self.program("inside", self.object())
            ),
        }


def body(script: _foreign.Script, opts: argparse.Namespace) -> None:
    for name in FULL:
        for fortran in (False, True) if name in FORTRAN else (False,):
            with tempfile.TemporaryDirectory(prefix="casper-tool-") as folder:
                title = f"{name} {'Fortran' if fortran else 'C'}"
                try:
                    stack = Stack(name, fortran, Path(folder), 2 if opts.full else 1)
                except Skip as skip:
                    script.skip(title, str(skip))
                    continue
                for how, job in stack.stackings().items():
                    script.case(f"{title}, {how}", job)


if __name__ == "__main__":
    sys.exit(_foreign.main(__doc__, body))
