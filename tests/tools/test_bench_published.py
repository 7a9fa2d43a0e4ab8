# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""bench/published.py: runs take the place of the same ones; and the pages of docs/bench/ say what the
figures beside them say."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
import published
import results
import tables

QUIET, NOISY = {"rounds": 3, "foreign_cores": 0.01}, {"rounds": 3, "foreign_cores": 1.5}


def data(us, **runs):
    return {"runs": runs, "rows": [{"mpi": mpi, "us": us} for mpi in runs], "cores": 2}


def figures(of):
    return [(row["mpi"], row["us"]) for row in of["rows"]]


def test_a_run_takes_the_place_of_the_same_one():
    kept = data(1, m50=QUIET, o50=QUIET, i21=QUIET)
    both = published.union(kept, data(2, o50={**QUIET, "when": "later"}, m40=QUIET))
    assert figures(both) == [("m50", 1), ("o50", 2), ("i21", 1), ("m40", 2)]
    assert both["runs"]["o50"]["when"] == "later"


@pytest.mark.parametrize("run", [NOISY, {**QUIET, "quick": True}])
def test_a_quick_or_disturbed_run_does_not(run):
    kept = data(1, m50=QUIET)
    assert figures(published.union(kept, data(2, m50=run))) == [("m50", 1)]


def test_what_was_never_measured_better():
    assert published.union(None, data(2, m50={**QUIET, "quick": True})) is None
    assert figures(published.union(None, data(2, m50=NOISY))) == [("m50", 2)]


def test_what_tells_of_the_machine_is_not_published(tmp_path, monkeypatch):
    monkeypatch.setattr(results, "RESULTS", tmp_path)
    monkeypatch.setattr(published, "DATA", tmp_path / "data")
    results.merge("gap", "m50", [{"mpi": "m50", "us": 1}], rounds=3)
    assert "kernel" in results.read("gap")
    published.write("gap", published.read("gap"))
    (tmp_path / "gap.json").unlink()
    again = published.read("gap")
    assert figures(again) == [("m50", 1)] and not set(again) & set(published.OF_THE_MACHINE)


@pytest.mark.parametrize("name", sorted(path.stem for path in published.DATA.glob("*.json")))
def test_pages_say_what_the_figures_say(name, tmp_path, monkeypatch):
    monkeypatch.setattr(results, "RESULTS", tmp_path)
    page = (published.DOCS / f"{name}.md").read_text(encoding="utf-8")
    assert page == tables.text_of(name, published.read(name)), "python3 bench/tables.py"
