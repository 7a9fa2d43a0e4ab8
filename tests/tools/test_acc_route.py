# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""CSP_ACC_ROUTE: who executes accumulates in a window over two nodes. Inside a node the report tells it: the
origin (`direct`, the software route), a ghost by the MPI library (`ghost_node`), or, with redirection off,
the target (`target`)."""

import job_support
import pytest
from job_support import Job, reported

ACCUMULATES = ("ACC", "GET_ACC", "FOP", "CAS")
SOFTWARE, LIBRARY, OFF = "direct", "ghost_node", "target"
REDIRECTED = {
    "m50",
    "m40",
    "i21",
}  # with these, accumulates that are redirected take the software route
ALWAYS = {"o41", "o50"}


@pytest.fixture(params=job_support.LIBRARIES)
def lib(request):
    return job_support.library(request.param)


def routes(lib, tmp_path, env, ghosts=1, program="casper/redirected"):
    """Of accumulates inside a node: the set of those that were taken."""
    report, _ = reported(Job(lib, program, ghosts=ghosts, env=env), tmp_path)
    got = report["total"]["operations"]
    return {r for kind in ACCUMULATES for r in (SOFTWARE, LIBRARY, OFF) if got[kind][r]["count"]}


@pytest.mark.parametrize("way, route", [("software", SOFTWARE), ("library", LIBRARY)])
def test_the_user_decides(lib, tmp_path, way, route):
    assert routes(lib, tmp_path, {"CSP_ACC_ROUTE": way}) == {route}


def test_by_default_the_faster_one_of_the_library(lib, tmp_path):
    soft = lib.name in REDIRECTED | ALWAYS
    assert routes(lib, tmp_path, {}) == {SOFTWARE if soft else LIBRARY}


def test_it_stays_with_the_library_where_several_ghosts_are_wanted(lib, tmp_path):
    route = routes(lib, tmp_path, {"CSP_ACC_GHOST": "segment"}, ghosts=2)
    assert route == {SOFTWARE if lib.name in ALWAYS else LIBRARY}


def test_it_follows_redirection(lib, tmp_path):
    soft = lib.name in REDIRECTED | ALWAYS
    way = {"CSP_ASYNC_CONFIG": "auto", "CSP_PREDICT_INT": "1000000"}
    assert routes(lib, tmp_path, way) == {SOFTWARE if soft else LIBRARY}
    way = {"CSP_ASYNC_CONFIG": "off"}
    assert routes(lib, tmp_path, way, program="rma/fetch_contention") == {
        SOFTWARE if lib.name in ALWAYS else OFF
    }
