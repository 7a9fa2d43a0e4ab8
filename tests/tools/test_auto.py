# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""CSP_ASYNC_CONFIG=auto: routes change while operations go on, without a call of all processes."""

import json
import re

import bad_support
import pytest
from bad_support import Bad, run


@pytest.fixture(params=bad_support.LIBRARIES)
def lib(request):
    return bad_support.library(request.param)


def counts(lib, tmp_path, env):
    """Operations by kind and route of casper/auto_switch, and what was logged."""
    path = tmp_path / "report.json"
    env = {**env, "CSP_ACC_ROUTE": "library", "CSP_REPORT_FILE": str(path), "CSP_LOG": "info"}
    done = run(Bad(lib, "casper/auto_switch", env=env))
    assert done.code == 0, done.output
    found = json.loads(path.read_text())["total"]["operations"]
    return {kind: {r: c["count"] for r, c in found[kind].items()} for kind in found}, done.output


@pytest.mark.parametrize("name", [n for n in bad_support.LIBRARIES if n != "o41"])
def test_operations_go_both_ways_in_one_epoch(name, tmp_path):
    lib = bad_support.library(name)
    got, said = counts(lib, tmp_path, {"CSP_ASYNC_CONFIG": "auto", "CSP_PREDICT_INT": "0"})
    for kind in ("FOP", "ACC", "GET_ACC", "GET"):
        assert got[kind]["target"] > 0, kind
        assert got[kind]["ghost_net"] > 0, kind
    assert re.search(r"window \w+, targets of node \d: redirection is o(n|ff) now", said)


def test_it_is_on_where_the_library_does_not_bear_it(tmp_path):
    got, said = counts(bad_support.library("o41"), tmp_path, {"CSP_ASYNC_CONFIG": "auto"})
    assert all(routes["target"] == 0 for routes in got.values())
    assert said.count("async_config=auto: redirection stays on.") == 1


def test_they_stay_with_the_ghosts_when_it_is_on(lib, tmp_path):
    got, _ = counts(lib, tmp_path, {"CSP_ASYNC_CONFIG": "on"})
    assert all(routes["target"] == 0 for routes in got.values())
