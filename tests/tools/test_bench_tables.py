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
import tables_rma

import rma


@pytest.mark.parametrize(
    ("what", "limit"),
    [
        ("Win_allocate 8 B", 1.4),
        ("Win_free 96 MB", 1.4),
        ("Win_allocate + Win_free 32 MB", 1.0),
        ("Win_allocate + Win_free 96 MB", 1.2),
        ("first Win_allocate 96 MB", None),
        ("first Win_allocate + touch 96 MB", 1.2),
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


def call_row(op, **more):
    label = {"mpi": "m50", "kind": "call", "route": "other node", "op": op, "direct": False}
    return {**label, "plain_ns": 9.0, "casper_ns": 99.0, "attribute_lookups": 0, **more}


def test_what_is_sent_in_messages_has_no_part_of_its_own():
    rows = [call_row("PUT", own_ns=70.0, empty_ns=4.0, overhead_ns=66.0), call_row("ACC")]
    lines = tables_rma.call_lines(rows)
    assert any(line.startswith("| other node | PUT |") and "| **66.0** |" in line for line in lines)
    assert any(
        line.startswith("| other node | ACC |") and "|  |  |  | 0 |" in line for line in lines
    )
    assert tables_rma.calls_wrong(rows[0], rows) and not tables_rma.calls_wrong(rows[1], rows)


def test_a_look_up_may_cost_two_nanoseconds():
    label = {"mpi": "m50", "kind": "lookup", "op": "PUT"}
    times = {"on": 40.0, "auto": 41.5, "P": 85.0}
    rows = [{**label, "config": c, "own_ns": ns, "more_ns": ns - 40} for c, ns in times.items()]
    assert [bool(tables_rma.calls_wrong(row, rows)) for row in rows] == [False, False, True]
    head, _rule, line, _end = tables_rma.lookup_lines(rows)
    assert head == "| operation | on | auto | P |" and "**" in line.split("|")[4]


def ghosts_row(route, **more):
    kind = {"mpi": "m50", "load": "target", "route": route, "ghosts": 2, "bind": "segment"}
    return {**kind, "busy_ns": 700, "casper_us": 8.0, **more}


def test_what_the_library_is_not_given_has_no_share():
    good = {"busiest_share": 0.5, "library_ops": 1.0}
    rows = [ghosts_row("library", **good), ghosts_row("software")]
    lines = tables_rma.ghosts_page({"rows": rows, "cores": 2}).splitlines()
    assert any(line.startswith("| target | library | 2 | segment | 0.5 | 1 |") for line in lines)
    assert any(line.startswith("| target | software | 2 | segment |  |  |") for line in lines)
    assert tables_rma.ghosts_wrong(ghosts_row("library", busiest_share=0.7), rows)
    assert not tables_rma.ghosts_wrong(rows[0], rows) and not tables_rma.ghosts_wrong(rows[1], rows)


MEASURES = pytest.mark.skipif(
    not launch.libraries()["m50"].available(), reason="build/m50 or its MPI library is not there"
)


@MEASURES
@pytest.mark.parametrize("ghosts", [None, 1])
def test_the_first_large_window_is_measured(tmp_path, ghosts):
    mpi = launch.libraries()["m50"]
    program = mpi.compile("overhead", run.OVERHEAD_SOURCES)
    out = tmp_path / "lines"
    launch.run(mpi, [program, out, 10, "idle", "window"], 120, users_per_node=1, ghosts=ghosts)
    samples = {line["what"]: line["samples"] for line in results.read_lines(out)}
    (first,) = samples["first Win_allocate 96 MB"]
    assert first > 0 and len(samples["Win_allocate 96 MB"]) == 5


@MEASURES
@pytest.mark.parametrize(("state", "ghosts"), [("idle", None), ("busy", 1)])
def test_a_target_sleeps_long_enough_for_samples(tmp_path, state, ghosts):
    mpi = launch.libraries()["m50"]
    program = mpi.compile("node", rma.NODE_SOURCES)
    args = [program, tmp_path / "lines", state, 1, rma.SLEEP_MS, 256]
    launch.run(mpi, args, 120, users_per_node=2, nodes=1, ghosts=ghosts)
    lines = results.read_lines(tmp_path / "lines")
    assert {line["op"] for line in lines} >= {"PUT", "GET", "ACC"}
    assert all(line["samples"] for line in lines)


@pytest.mark.parametrize(("ratio", "code"), [(None, 2), (1.0, 0), (1.5, 1)])
def test_a_check_says_when_it_had_nothing_to_look_at(ratio, code, monkeypatch, tmp_path):
    monkeypatch.setattr(results, "RESULTS", tmp_path)
    monkeypatch.setattr(sys, "argv", ["tables.py", "--check"])
    if ratio:
        results.write("overhead", [{"mpi": "m50", "what": "MPI_Allreduce 4 B", "ratio": ratio}])
    assert tables.main() == code
