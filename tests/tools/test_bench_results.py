# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""bench/results.py: plain and Casper are compared in runs whose cores were equally far apart; and the
programs look at that, with a real MPI library."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
import launch
import results
import run

FIELDS = {"plain_us": "plain", "casper_us": "casper"}


def compared(**runs):
    """The row of runs [(us, core-to-core latency)] of each kind."""
    rounds, row = results.Rounds(), {}
    for kind, of_kind in runs.items():
        for us, ns in of_kind:
            rounds.add_line(kind, {"samples": [us, us, 9 * us], "core_to_core_ns": ns})
    rounds.compare(row, FIELDS)
    return row


def test_runs_count_where_both_have_most():
    row = compared(
        plain=[(1, 50), (2, 55), (10, 330), (12, 300)],
        casper=[(3, 60), (30, 320), (32, 340), (34, 310)],
    )
    assert (row["plain_us"], row["casper_us"]) == (11, 32)
    assert (row["casper_lo_us"], row["casper_hi_us"]) == (30, 34)
    assert row["core_to_core_ns"] == 320


def test_a_run_in_which_the_cores_moved_does_not_count():
    row = compared(plain=[(1, 50), (7, 0)], casper=[(2, 52), (90, 0), (91, 0)])
    assert (row["plain_us"], row["casper_us"], row["core_to_core_ns"]) == (1, 2, 51)


@pytest.mark.parametrize("ns", [(0, 0), (50, 330)])
def test_without_a_common_place_all_runs_count(ns):
    row = compared(plain=[(1, ns[0]), (3, ns[0])], casper=[(4, ns[1]), (8, 0)])
    assert (row["plain_us"], row["casper_us"]) == (2, 6)
    assert "core_to_core_ns" not in row


def test_nothing_was_measured():
    assert compared(plain=[(1, 50)]) == {"plain_us": 1, "plain_lo_us": 1, "plain_hi_us": 1}


def test_places_are_groups_apart():
    assert results.places([330, 50, 55, 70, 300]) == [[50, 55, 70], [300, 330]]
    assert results.places([50, 74, 110, 160]) == [[50, 74], [110, 160]]
    assert results.places([]) == []


@pytest.mark.parametrize("n, at", [(10, 8), (11, 9), (1, 0), (100, 89)])
def test_a_tenth_of_the_samples_is_above_the_90th_percentile(n, at):
    assert results.quantile(range(n), 0.9) == at


def test_rows_of_other_runs_stay(tmp_path, monkeypatch):
    monkeypatch.setattr(results, "RESULTS", tmp_path)
    results.merge("x", "m50", [{"mpi": "m50", "us": 1}])
    results.merge("x", "o41", [{"mpi": "o41", "us": 2}])
    results.merge("x", "m50", [{"mpi": "m50", "us": 3}])
    assert [row["us"] for row in results.read("x")["rows"]] == [2, 3]
    whole = (tmp_path / "x.json").read_text()
    (tmp_path / "x.json").write_text(whole[:-20])
    with pytest.raises(SystemExit, match="damaged"):
        results.merge("x", "m50", [{"mpi": "m50", "us": 4}])
    assert (tmp_path / "x.json").read_text() == whole[:-20]


@pytest.mark.skipif(
    not launch.libraries()["m50"].available(), reason="build/m50 or its MPI library is not there"
)
def test_each_series_says_how_far_apart_the_cores_were(tmp_path):
    mpi = launch.libraries()["m50"]
    program = mpi.compile("gap", run.GAP_SOURCES)
    launch.run(mpi, [program, tmp_path / "lines", 10, 40, "idle"], 120, users_per_node=1)
    lines = results.read_lines(tmp_path / "lines")
    assert len(lines) == 22
    assert all(line["samples"] for line in lines)
    known = [line["core_to_core_ns"] for line in lines if line["core_to_core_ns"] > 0]
    assert known  # not all of them, where the machine has other work
    assert all(10 < ns < 1e5 for ns in known)
