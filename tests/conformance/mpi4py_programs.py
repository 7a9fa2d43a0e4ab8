#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""The project's own mpi4py programs (tests/mpi/python), plain and with ghosts, on every MPI library for
which mpi4py builds here."""

from __future__ import annotations

import argparse
import sys

import _foreign
import mpi4py_suite
import mpi_libs
import run_mpi
from _foreign import Failure, Skip

PROGRAMS = mpi_libs.ROOT / "tests/mpi/python"
NAMES = ("world", "win", "sessions", "io_intercomm")


def run(library: str, name: str, ghosts: int | None, nodes: int) -> str:
    lib = _foreign.library(library)
    if nodes > 1 and (why := lib.missing_nodes(False)):
        raise Skip(why)
    env = {"PYTHONPATH": str(mpi4py_suite.build(lib)), "PYTHONDONTWRITEBYTECODE": "1"}
    if library == "o41" and ghosts is None:  # between nodes, its windows refuse MPI_THREAD_MULTIPLE
        env["MPI4PY_RC_THREAD_LEVEL"] = "serialized"
    args = [str(PROGRAMS / f"{name}.py")]
    job = run_mpi.Job(lib, mpi4py_suite.PYTHON, 4, ghosts, nodes, args=args, env=env, timeout=90)
    result = run_mpi.run(job)
    if result.status == "failed":
        raise Failure(f"{result.reason}\n{_foreign.last_lines(result.output)}")
    if result.status == "skipped":
        raise Skip(result.reason)
    return ""


def body(script: _foreign.Script, opts: argparse.Namespace) -> None:
    libraries = ("m50", "m40", "o41", "o50") if opts.full else ("m50", "o41")
    settings = [(None, 2), (1, 2), (1, 1), (2, 2)] if opts.full else [(None, 2), (1, 2)]
    for library in libraries:
        for name in NAMES:
            for ghosts, nodes in settings:
                shown = "plain" if ghosts is None else f"{ghosts} ghosts"

                def job(where=(library, name, ghosts, nodes)) -> str:
                    return run(*where)

                script.case(f"{library} {name}, {shown}, {nodes} nodes", job)


if __name__ == "__main__":
    sys.exit(_foreign.main(__doc__, body))
