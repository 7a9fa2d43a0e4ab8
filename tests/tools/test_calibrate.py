# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""casper calibrate with a real MPI library, and a run that uses what it found."""

import json
import re
import shutil

import launcher_support as support
import pytest
from casper_cli import profiles
from casper_cli.crossing import CROSSING, OFF, ON, SAME, UNCLEAR

BUILD = support.ROOT / "build/m50"
MPI = support.ROOT / "build/env/m50"
JOB = ["-n", 2, "--virtual-nodes", 2, "--mpi", MPI]
SMALL = ["--only", "op=acc,fop", "--only", "bytes=64", "--only", "flush=many"]
pytestmark = pytest.mark.skipif(
    not (BUILD / "bin/rate_check").exists() or not MPI.exists(),
    reason="build/m50 has no rate_check, or build/env/m50 is not there",
)


@pytest.fixture(scope="module")
def profile(tmp_path_factory):
    """The entry and the variables that lead to it; more time if figures varied too much for thresholds."""
    path = tmp_path_factory.mktemp("calibrate") / "profile.json"
    env = {"CSP_LIBRARY": str(BUILD / "libcasper.so"), "CSP_PROFILE": str(path)}
    for minutes in (0.2, 0.8):
        words = ["calibrate", *JOB, *SMALL, "--minutes", minutes]
        done = support.casper(*words, env=env, timeout=600)
        (entry,) = profiles.load(path)
        assert done.returncode == (entry["low"] is None), done.stdout + done.stderr
        assert f"written to {path}" in done.stdout
        if entry["low"] is not None:
            assert f"CSP_LOW_CR={entry['low']} CSP_HIGH_CR={entry['high']}\n" in done.stdout
            break
    return entry, {**env, "CSP_AUTO_METHOD": "profile"}


def test_the_entry_says_what_was_measured(profile):
    entry, _ = profile
    found = profiles.deployment_of(entry)
    assert re.match(r"MPICH 5\.0", found.mpi) and found.transport == "ofi FI_PROVIDER=tcp"
    assert (found.virtual, found.ghosts, found.users_per_node, found.nodes) == (True, 1, 1, 2)
    rows = entry["combinations"]
    assert [(r["op"], r["type"], r["targets"]) for r in rows] == [
        ("acc", "contiguous", "all"),
        ("acc", "contiguous", "node"),
        ("acc", "strided", "all"),
        ("acc", "strided", "node"),
        ("fop", "contiguous", "all"),
        ("fop", "contiguous", "node"),
    ]
    assert {row["kind"] for row in rows} <= {CROSSING, ON, OFF, SAME, UNCLEAR}
    points = [point for row in rows for point in row["points"]]
    assert len(points) >= 3  # the first round has three; how many more depends on the machine
    assert all(0 <= point["rate"] <= 100 and point["on_over_off"] > 0 for point in points)
    assert all(point["rate"] > 99 for point in points if point["x"] == 1)  # nobody computes
    assert all(point["rate"] < 95 for point in points if point["x"] <= 0.1)


def expected(entry, path):
    """(low, high, level, text): on a machine too busy to tell, the defaults and a warning."""
    low, high = entry["low"], entry["high"]
    if low is None:
        return 60, 80, "warn", f"entry 1 of {path} found no thresholds: defaults 60, 80"
    return low, high, "info", f"entry 1 of {path}: {low}, {high}"


def test_a_run_uses_it_and_says_so(profile):
    entry, env = profile
    low, high, level, text = expected(entry, env["CSP_PROFILE"])
    words = ["run", *JOB, "--timeout", 100, BUILD / "bin/gap_check", 0.01]
    done = support.casper(*words, env={**env, "CSP_LOG": "info"}, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith(f"casper: {level}: CSP_LOW_CR, CSP_HIGH_CR: {text}\n")
    heard = f"in MPI for less than {low} % of its time, off for more than {high} %"
    assert heard in done.stderr
    data = json.loads(support.casper("config", *JOB, "--json", env=env).stdout)
    assert (data["profile"]["run"]["low"], data["profile"]["run"]["high"]) == (low, high)


def test_a_wrong_point_ends_the_program():
    words = ["run", *JOB, "--timeout", 100, BUILD / "bin/rate_check", 0.1]
    for point in ("put,contiguous,each,all,2", "pat,contiguous,each,all,2,0"):
        done = support.casper(*words, point, env={"CSP_LIBRARY": str(BUILD / "libcasper.so")})
        assert done.returncode != 0 and "rate_check: " in done.stderr


def test_a_build_without_the_program(tmp_path):
    shutil.copy(BUILD / "libcasper.so", tmp_path / "libcasper.so")
    env = {"CSP_LIBRARY": str(tmp_path / "libcasper.so"), "CSP_PROFILE": str(tmp_path / "p.json")}
    done = support.casper("calibrate", *JOB, env=env)
    assert done.returncode == 1 and "there is no rate_check" in done.stderr
