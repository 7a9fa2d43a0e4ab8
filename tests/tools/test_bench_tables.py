# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""bench/tables.py: what is beyond its limit, rows without plain figures; and the first large window is
measured, with a real MPI library."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
import demo
import launch
import results
import run
import tables


@pytest.mark.parametrize(
    ("what", "limit"),
    [
        ("Win_allocate 8 B", 1.4),
        ("Win_free 96 MB", 1.4),
        ("Win_allocate + Win_free 32 MB", 1.0),
        ("Win_allocate + Win_free 96 MB", 1.2),
        ("first Win_allocate 96 MB", None),
        ("MPI_Allreduce 4 B", 1.02),
    ],
)
def test_limits_of_overhead(what, limit):
    assert tables.limit_of("overhead", {"what": what}) == limit
    assert tables.beyond("overhead", {"what": what, "ratio": 1.5}) == (limit is not None)


def gap_row(op, **more):
    return {"mpi": "m50", "op": op, "casper_busy_us": 3.0, "casper_cold_us": 4.0, **more}


def test_rows_without_plain_figures_say_why():
    plain = {"plain_idle_us": 2.0, "plain_busy_us": 2.0, "ratio": 1.5}
    rows = [gap_row("PUT", note="Early.", **plain), gap_row("GET_ACC", note="It crashes.")]
    rows.append(gap_row("GET", **plain))
    lines = tables.gap_page({"rows": rows, "cores": 2}).splitlines()
    (put,) = [line for line in lines if line.startswith("| PUT * | 2 ")]
    (get_acc,) = [line for line in lines if line.startswith("| GET_ACC + | - | - | 3 ")]
    assert any(line.startswith("| GET | 2 ") for line in lines)
    assert "\\* Early." in lines and "\\+ It crashes." in lines


def test_the_demo_without_a_plain_run(capsys):
    row = {"op": "GET_ACC", "casper_wait_s": 0.001}
    verdict = demo.judge(row, 0.2, None)
    demo.show([row], 0.2, [verdict])
    assert "GET_ACC" in capsys.readouterr().out and verdict.startswith("ok")
    assert demo.conclude([verdict], 0.2, 0.0) == 0
    data = {"rows": [row], "compute_s": 0.2, "rounds": 1, "mpi": "m50"}
    assert "| GET_ACC | - | 0.001 " in tables.demo_page(data)


@pytest.mark.skipif(
    not launch.libraries()["m50"].available(), reason="build/m50 or its MPI library is not there"
)
@pytest.mark.parametrize("ghosts", [None, 1])
def test_the_first_large_window_is_measured(tmp_path, ghosts):
    mpi = launch.libraries()["m50"]
    program = mpi.compile("overhead", run.OVERHEAD_SOURCES)
    out = tmp_path / "lines"
    launch.run(mpi, [program, out, 10, "idle", "window"], 120, users_per_node=1, ghosts=ghosts)
    samples = {line["what"]: line["samples"] for line in results.read_lines(out)}
    (first,) = samples["first Win_allocate 96 MB"]
    assert first > 0 and len(samples["Win_allocate 96 MB"]) == 5
