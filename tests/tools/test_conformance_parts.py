# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""The summary counts the parts of a conformance script by MPI library, with the reason of each skip, and a
script that ends otherwise than its parts say has failed."""

import argparse
import importlib.util
import os
import sys
from pathlib import Path

import job_support  # noqa: F401 (finds tests/support)
import outside
import pytest

TESTS = Path(__file__).resolve().parents[1]
CONFORMANCE = TESTS / "conformance"
SCRIPT = """#!/usr/bin/env python3
import sys
sys.path.insert(0, {folder!r})
import _foreign
from _foreign import Failure, Skip

def fail():
    raise Failure("wrong energy\\nmore of it")

def skip():
    raise Skip("no compiler")

def body(script, opts):
{body}

if __name__ == "__main__":
    sys.exit(_foreign.main(__doc__, body))
"""


def load_driver():
    """By its path: bench has a driver.py as well."""
    spec = importlib.util.spec_from_file_location("tests_driver", TESTS / "support/driver.py")
    sys.modules[spec.name] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


driver = load_driver()


@pytest.fixture
def ran(tmp_path, monkeypatch):
    """Runs a script with this body; returns the report."""
    (tmp_path / "tests/conformance").mkdir(parents=True)
    monkeypatch.setattr(outside, "ROOT", tmp_path)
    monkeypatch.setattr(outside, "BUILD", tmp_path)

    def run(*lines, mode="full"):
        body = "\n".join("    " + line for line in lines)
        path = tmp_path / "tests/conformance/script.py"
        path.write_text(SCRIPT.format(folder=str(CONFORMANCE), body=body))
        path.chmod(0o755)
        report = driver.Report()
        opts = argparse.Namespace(k="")
        outside.conformance(report, opts, driver.Outcome, mode)
        return report

    return run


def rows(report):
    return [(o.group, o.test, o.status, o.reason) for o in report.outcomes]


def test_parts_are_counted_by_library(ran, capsys):
    report = ran(
        'script.case("m50 first", lambda: "well")',
        'script.case("m50, second", fail)',
        'script.case("o41 first", skip)',
        'script.skip("o41 second", "no nodes")',
    )
    assert rows(report) == [
        ("conform. m50", "script first", "passed", ""),
        ("conform. m50", "script second", "failed", "wrong energy"),
        ("conform. o41", "script first", "skipped", "no compiler"),
        ("conform. o41", "script second", "skipped", "no nodes"),
    ]
    assert report.summary() == 1
    said = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["conform.", "m50", "1", "1", "0"] in [words[:5] for words in said]
    assert ["conform.", "o41", "0", "0", "2"] in [words[:5] for words in said]
    for reason in ("no compiler", "no nodes"):
        assert f"skipped 1 of conform. o41: {reason}".split() in said


def test_a_script_that_cannot_run_is_skipped(ran):
    assert rows(ran('raise Skip("no root")')) == [
        ("conform.", "all of script", "skipped", "no root")
    ]


def test_a_script_that_breaks_after_a_passed_part_has_failed(ran):
    report = ran('script.case("m50 first", lambda: "")', "raise OSError")
    assert report.count()["failed"] == 1
    assert rows(report)[-1][1:] == ("script", "failed", "exit code 1, by its parts 0")
    assert "OSError" in report.outcomes[-1].output


def test_a_part_that_breaks_leaves_the_others(ran):
    report = ran('script.case("m50 first", lambda: 1 / 0)', 'script.case("m50 second", lambda: "")')
    assert [(o.test, o.status) for o in report.outcomes] == [
        ("script first", "failed"),
        ("script second", "passed"),
    ]
    assert "ZeroDivisionError" in report.outcomes[0].output


def test_a_command_that_takes_too_long_says_who_waits(monkeypatch):
    monkeypatch.syspath_prepend(str(CONFORMANCE))
    done = importlib.import_module("_foreign").run(["sleep", "60"], dict(os.environ), 0.5)
    assert done.code == 124 and "sleep 60" in done.output


def test_a_script_that_runs_nothing_has_failed(ran):
    assert rows(ran("pass")) == [("conform.", "script", "failed", "ran nothing")]


def test_a_script_of_the_long_run_is_skipped_in_the_short_one(ran):
    report = ran("raise OSError", mode="quick")
    assert rows(report) == [("conform.", "script", "skipped", "part of test-full")]


@pytest.mark.parametrize(
    ("off", "right"), [(0.9e-8, True), (-1.1e-8, False), (float("nan"), False)]
)
def test_energies_agree_absolutely(monkeypatch, off, right):
    """In hartree, however large the energy is."""
    monkeypatch.syspath_prepend(str(CONFORMANCE))
    nwchem = importlib.import_module("nwchem")
    plain = {"SCF": -75.0, "CCSD(T)": -76.0}
    casper = {"SCF": -75.0, "CCSD(T)": -76.0 + off}
    if right:
        assert "agree to 9e-09 hartree" in nwchem.agree(plain, casper)
    else:
        with pytest.raises(nwchem.Failure):
            nwchem.agree(plain, casper)
