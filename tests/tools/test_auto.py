# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""CSP_ASYNC_CONFIG=auto: routes change while operations go on, without a call of all processes."""

import re
import time

import job_support
import pytest
from job_support import Job, reported

# Where auto is not just on.
ROUTES_CHANGE = [n for n in job_support.LIBRARIES if n != "o41"]


@pytest.fixture(params=job_support.LIBRARIES)
def lib(request):
    return job_support.library(request.param)


def counts(lib, tmp_path, env, program="casper/auto_switch", args=()):
    """Operations by kind and route, and what was logged."""
    env = {**env, "CSP_ACC_ROUTE": "library", "CSP_LOG": "info"}
    report, said = reported(Job(lib, program, args=args, env=env), tmp_path)
    now_ns = time.time_ns()
    assert all(0 <= now_ns - node["begin_unix_ns"] < 600e9 for node in report["nodes"])
    found = report["total"]["operations"]
    got = {kind: {r: c["count"] for r, c in found[kind].items()} for kind in found}
    return got, said, report["changes"]


@pytest.mark.parametrize("name", ROUTES_CHANGE)
def test_operations_go_both_ways_in_one_epoch(name, tmp_path):
    """One process flushes seldom, so of many attempts to change accumulates few succeed."""
    env = {"CSP_ASYNC_CONFIG": "auto", "CSP_PREDICT_INT": "20"}
    got, _, _ = counts(job_support.library(name), tmp_path, env)
    for kind in ("FOP", "ACC", "GET_ACC", "GET"):
        assert got[kind]["target"] > 0, kind
        assert got[kind]["ghost_net"] > 0, kind


@pytest.mark.parametrize("name", ROUTES_CHANGE)
def test_a_change_is_told_with_the_costs_that_decided(name, tmp_path):
    """By measurements that are long enough to show something, and for ten seconds: all users are in MPI all
    the time, so both ways cost about the same, and one second in twenty is without a change."""
    env = {"CSP_ASYNC_CONFIG": "auto", "CSP_PREDICT_INT": "5000"}
    _, said, changes = counts(job_support.library(name), tmp_path, env, args=("10",))
    assert re.search(r"window \w+, targets of node \d: redirection is o(n|ff) now", said)
    why = [c for c in changes if c["by"] == "measured"]
    assert why and {c["targets_of_node"] for c in why} <= {0, 1}
    assert all(c["with_ns"] > 0 and c["without_ns"] > 0 and c["window"] for c in why)


def test_it_is_on_where_the_library_does_not_bear_it(tmp_path):
    got, said, _ = counts(job_support.library("o41"), tmp_path, {"CSP_ASYNC_CONFIG": "auto"})
    assert all(routes["target"] == 0 for routes in got.values())
    assert said.count("async_config=auto: redirection stays on.") == 1


@pytest.mark.parametrize("method", ["profile", "profile_ghosts"])
def test_nothing_is_predicted_where_it_would_have_no_effect(method, tmp_path):
    env = {"CSP_ASYNC_CONFIG": "auto", "CSP_AUTO_METHOD": method, "CSP_PREDICT_INT": "100000"}
    got, said, changes = counts(job_support.library("o41"), tmp_path, env, "casper/auto_profile")
    assert all(routes["target"] == 0 for routes in got.values())
    assert changes == []
    assert said.count("async_config=auto: redirection stays on.") == 1


@pytest.mark.parametrize("name", ROUTES_CHANGE)
@pytest.mark.parametrize("method", ["profile", "profile_ghosts"])
def test_profiles_are_followed_from_a_fence_on_and_by_get_at_once(name, method, tmp_path):
    """Four users on two nodes: eight pairs on different ones, rank 0 the target of two."""
    pairs, to_0 = 8, 2
    before, behind, last = 100, 10, 1  # operations for each pair: see the program
    env = {
        "CSP_ASYNC_CONFIG": "auto",
        "CSP_AUTO_METHOD": method,
        "CSP_PREDICT_INT": "100000",
        "CSP_GSYNC_INT": "10000",
    }
    got, said, changes = counts(job_support.library(name), tmp_path, env, "casper/auto_profile")
    by_ghost = {"ACC": before * pairs + last * to_0, "GET": before * pairs + last * to_0}
    if method == "profile_ghosts":
        by_ghost["GET"] = last * to_0
    for kind, n in by_ghost.items():
        assert got[kind]["ghost_net"] == n, kind
        assert got[kind]["target"] == (before + behind + last) * pairs - n, kind
    assert re.search(r"user rank 1: in MPI for \d+ % of its time: redirection should be off", said)
    of_0 = [(c["redirection"], c["percent"]) for c in changes if c.get("target") == 0]
    assert [redirection for redirection, _ in of_0] == ["off", "on"]
    assert of_0[0][1] > 80 and of_0[1][1] < 60
    assert [c["targets_off"] for c in changes if c["by"] == "agreed"] == [4, 3]
    assert {c["targets"] for c in changes if c["by"] == "agreed"} == {4}


def test_they_stay_with_the_ghosts_when_it_is_on(lib, tmp_path):
    got, _, changes = counts(lib, tmp_path, {"CSP_ASYNC_CONFIG": "on"})
    assert all(routes["target"] == 0 for routes in got.values())
    assert changes == []


def test_the_report_tells_what_the_program_said(lib, tmp_path):
    _, _, changes = counts(lib, tmp_path, {}, "casper/async_config")
    said = [c["redirection"] for c in changes]
    assert {c["by"] for c in changes} == {"said"}
    assert said.count("off") > 0 and abs(said.count("off") - said.count("on")) <= 1
