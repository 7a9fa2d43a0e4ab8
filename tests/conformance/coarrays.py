#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""OpenCoarrays' own tests, plain and with ghosts: those that pass plain must pass.

Debian's libcoarrays-mpich-dev has them built. The plain library gets a virtual node for each image: inside
one node, MPICH 4.0.2's windows hold wrong data. coarrays/known.txt lists what it does not pass.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

import _foreign
import run_mpi
from _foreign import Skip, check

FOLDER = Path("/usr/lib")
PATTERN = "*/open-coarrays/mpich/bin/OpenCoarrays-*-tests"
IMAGES = 4
LIMIT_S = 150
# Limits of those that take longer: a third of that on two cores without other work.
LONG = {"send_array": 300, "alloc_comp_multidim_shape": 600}
OTHER_IMAGES = {"sync_team": 8, "team_number": 8, "coarray_burgers_pde": 2}
OTHER_IMAGES |= {"issue-515-mimic-mpi-gatherv": 2, "issue-552-send_by_ref-singleton": 2}
FEW = """alloc_comp_get_convert_nums async_comp_alloc atomics convert-before-put get_convert_nums
register_vector send_with_vector_index strided_get strided_sendget
syncimages2 teams_coarray_send""".split()
WRONG = re.compile(r"test failed|error stop|need at least|requires? at least", re.I)


def programs(few: bool) -> list[Path]:
    folders = sorted(FOLDER.glob(PATTERN))
    if not folders:
        raise Skip("OpenCoarrays' tests are not installed (Debian: libcoarrays-mpich-dev)")
    return [path for path in sorted(folders[-1].iterdir()) if not few or path.name in FEW]


def known() -> set[str]:
    """Tests that the plain library does not pass."""
    return {words[0] for words in _foreign.table(_foreign.HERE / "coarrays/known.txt", 2)}


def run(program: Path, ghosts: int | None, nodes: int | None, limit_s: float) -> str:
    """What is wrong, or the empty string; without `nodes` each image has one."""
    images = OTHER_IMAGES.get(program.name, IMAGES)
    nodes = nodes or images
    lib = _foreign.library("m40")
    result = run_mpi.run(run_mpi.Job(lib, program, images, ghosts, nodes, timeout=limit_s))
    said = WRONG.search(result.output)
    if result.status == "passed" and not said:
        return ""
    return f"{result.reason or said.group()}\n{_foreign.last_lines(result.output)}"


def compare(program: Path, settings: list[tuple[int, int | None]]) -> str:
    """The plain library once, then with ghosts in each setting."""
    limit_s = LONG.get(program.name, LIMIT_S)
    wrong = run(program, None, None, limit_s)
    check(not wrong, f"the plain library fails, for coarrays/known.txt: {wrong}")
    for ghosts, nodes in settings:
        wrong = run(program, ghosts, nodes, 2 * limit_s)
        check(
            not wrong,
            f"ghosts on each node: {ghosts}, nodes: {nodes or 'as many as images'}: {wrong}",
        )
    return f"passes plain and in {len(settings)} settings with ghosts"


def body(script: _foreign.Script, opts: argparse.Namespace) -> None:
    left_out = known()
    settings = [(1, 2), (2, 2), (1, 1), (1, None)] if opts.full else [(1, 2)]
    for program in programs(not opts.full):
        if program.name not in left_out:
            script.case(f"m40 {program.name}", lambda program=program: compare(program, settings))


if __name__ == "__main__":
    sys.exit(_foreign.main(__doc__, body))
