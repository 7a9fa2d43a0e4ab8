# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""bench/run.py: the fields of the rows of gap.json and overhead.json, their types and units. The names end
with the unit: _us microseconds, _ns nanoseconds, none: text, a number of things, or a ratio."""

import sys
import types
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
import driver
import launch
import run

PLAIN_S, CASPER_S, LATENCY_NS = 2e-6, 6e-6, 50.0  # of every sample here


def spread(*names):
    """Each figure has its lowest and highest run beside it."""
    return {f"{name}{end}_us": float for name in names for end in ("", "_lo", "_hi")}


ALIKE = {"core_to_core_ns": int, "ratio": float}
GAP = {"mpi": str, "op": str, "shape": str, "bytes": int, "note": str, **ALIKE}
GAP |= spread("plain_idle", "plain_busy", "casper_busy", "casper_cold")
OVERHEAD = {"mpi": str, "what": str, **ALIKE, **spread("plain", "casper")}
SHARED = {"mpi": str, "what": str, "poll": str, "users": int, "ratio": float}
SHARED |= spread("plain", "casper", "plain_answer", "answer", "answer_p95")


class FakeMpi:
    name, broken = "m50", ()

    def compile(self, program, _sources):
        return program


class FakeBench(driver.Bench):
    """Every figure is the same for one kind of run, so that a field of another kind shows."""

    def lines(self, program, args, more=list, **how):
        seconds = PLAIN_S if how["ghosts"] is None else CASPER_S
        line = {"unit": "us", "samples": [1e6 * seconds] * 3, "core_to_core_ns": LATENCY_NS}
        if program == "gap":
            line |= {"op": "GET 8 B", "shape": "8 B", "bytes": 8}
            return [{**line, "state": state} for state in args[2].split(",")]
        whats = ("work", "answer") if program == "shared_cores" else ("MPI_Comm_rank",)
        return [{**line, "what": what} for what in whats]


@pytest.fixture
def bench():
    args = types.SimpleNamespace(rounds=2, patience=0, quiet_s=0, quick=True)
    return FakeBench("gap", FakeMpi(), args, 60)


def typed(row):
    return {name: type(value) for name, value in row.items()}


def figures(row):
    return {name: value for name, value in row.items() if name.endswith("_us")}


def test_rows_of_gap(bench):
    (row,) = run.FILES["gap"](bench, True)
    assert typed(row) == GAP
    assert (row["mpi"], row["op"], row["shape"], row["bytes"]) == ("m50", "GET 8 B", "8 B", 8)
    assert figures(row) == {n: 6 if "casper" in n else 2 for n in figures(GAP)}
    assert (row["core_to_core_ns"], row["ratio"]) == (50, 3)


def test_a_figure_without_samples_is_a_failure(bench):
    bench.lines = lambda *given, **how: [
        {**line, "samples": line["samples"] if how["ghosts"] is None else []}
        for line in FakeBench.lines(bench, *given, **how)
    ]
    with pytest.raises(launch.Failed, match="no samples for casper_busy_us"):
        run.FILES["gap"](bench, True)


def test_what_crashes_plain_is_measured_with_ghosts(bench):
    """And the row says why there are no figures beside it."""
    given = []

    def lines(program, args, **how):
        given.append((how["ghosts"], args[3:]))
        return FakeBench.lines(bench, program, args, **how) if how["ghosts"] else []

    bench.mpi.broken, bench.lines = ("GET 8 B",), lines
    (row,) = run.FILES["gap"](bench, True)
    assert given == 2 * [(None, ["GET 8 B"]), (1, [])]
    assert set(figures(row)) == set(spread("casper_busy", "casper_cold"))
    assert "crashes" in row["note"] and "ratio" not in row


def test_rows_of_overhead(bench):
    rows = run.FILES["overhead"](bench, True)
    calls = [row for row in rows if "poll" not in row]
    assert [row["what"] for row in calls] == ["MPI_Comm_rank", "MPI_Comm_rank, CSP_NG=0"]
    for row in calls:
        assert typed(row) == OVERHEAD
        assert figures(row) == {n: 6 if "casper" in n else 2 for n in figures(OVERHEAD)}
        assert (row["core_to_core_ns"], row["ratio"]) == (50, 3)
    shared = [row for row in rows if "poll" in row]
    assert [(row["users"], row["poll"]) for row in shared] == [
        (users, poll) for users in (2, 4) for poll in run.POLLS
    ]
    for row in shared:
        assert typed(row) == SHARED
        assert figures(row) == {n: 2 if "plain" in n else 6 for n in figures(SHARED)}
        assert row["ratio"] == 3
