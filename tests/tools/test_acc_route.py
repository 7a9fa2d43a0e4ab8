# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""CSP_ACC_ROUTE: who executes accumulates in a window over two nodes. Inside a node the report tells it: the
origin (`direct`, the software route), or a ghost by the MPI library (`ghost_node`)."""

import json

import job_support
import pytest
from job_support import Job, run

ACCUMULATES = ("ACC", "GET_ACC", "FOP", "CAS")
SOFTWARE, LIBRARY = "direct", "ghost_node"
FIXED = {
    "m50"
}  # MPI libraries with which the software route is taken where nobody wants more than it can do
ALWAYS = {"o41", "o50"}


@pytest.fixture(params=job_support.LIBRARIES)
def lib(request):
    return job_support.library(request.param)


def routes(lib, tmp_path, env, ghosts=1):
    """Of accumulates inside a node: the set of those that were taken."""
    path = tmp_path / "report.json"
    env = {**env, "CSP_REPORT_FILE": str(path)}
    done = run(Job(lib, "casper/redirected", ghosts=ghosts, env=env))
    assert done.code == 0, done.output
    got = json.loads(path.read_text())["total"]["operations"]
    return {r for kind in ACCUMULATES for r in (SOFTWARE, LIBRARY) if got[kind][r]["count"]}


@pytest.mark.parametrize("way, route", [("software", SOFTWARE), ("library", LIBRARY)])
def test_the_user_decides(lib, tmp_path, way, route):
    assert routes(lib, tmp_path, {"CSP_ACC_ROUTE": way}) == {route}


def test_by_default_the_faster_one_of_the_library(lib, tmp_path):
    soft = lib.name in FIXED | ALWAYS
    assert routes(lib, tmp_path, {}) == {SOFTWARE if soft else LIBRARY}


@pytest.mark.parametrize(
    "env, ghosts",
    [
        ({"CSP_ASYNC_CONFIG": "auto", "CSP_PREDICT_INT": "1000000"}, 1),
        ({"CSP_ACC_GHOST": "segment"}, 2),
    ],
)
def test_by_default_the_one_that_can_do_what_was_asked_for(lib, tmp_path, env, ghosts):
    assert routes(lib, tmp_path, env, ghosts) == {SOFTWARE if lib.name in ALWAYS else LIBRARY}
