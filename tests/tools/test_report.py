# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""The report, as text (CSP_REPORT) and as JSON (CSP_REPORT_FILE), of a program whose operations are known:
numbers by kind and route, sums over the nodes, waited time."""

import re

import job_support
import pytest
from job_support import Job, reported

LOCKS = 20  # of each process in casper/busy_end
ROUNDS, USERS, NODES, ITEM_BYTES = 10, 4, 2, 4  # of casper/redirected
EACH = ROUNDS * USERS * USERS  # operations of a kind
OFF_NODE = EACH // NODES
KINDS = ("PUT", "GET", "ACC", "GET_ACC", "FOP", "CAS")
SUMMED = ("users", "operations", "waits", "windows", "kept_peak")


@pytest.fixture(scope="module", params=job_support.LIBRARIES)
def written(request, tmp_path_factory):
    """(JSON, text) of one run."""
    lib = job_support.library(request.param)
    job = Job(lib, "casper/redirected", users=USERS, nodes=NODES, env={"CSP_REPORT": "1"})
    return reported(job, tmp_path_factory.mktemp(request.param))


def summed(parts):
    """Numbers of the same name added up."""
    if isinstance(parts[0], dict):
        assert all(part.keys() == parts[0].keys() for part in parts)
        return {name: summed([part[name] for part in parts]) for name in parts[0]}
    return sum(parts)


def test_ghosts_tell_how_busy_they_were(written):
    report, text = written
    for node in report["nodes"]:
        for ghost in node["ghosts"]:
            assert 0 < ghost["busy_ns"] < ghost["loop_ns"] and ghost["sleep_ns"] < ghost["loop_ns"]
            assert ghost["busy_share"] == pytest.approx(
                ghost["busy_ns"] / ghost["loop_ns"], abs=1e-5
            )
            assert 0 < ghost["busy_turns"] < ghost["turns"] and ghost["messages"] > 0
            assert f"busy {100 * (ghost['busy_ns'] / ghost['loop_ns']):.1f} %" in text


@pytest.mark.parametrize("key", job_support.LIBRARIES)
def test_what_ghosts_did_just_before_the_end_counts(key, tmp_path):
    job = Job(job_support.library(key), "casper/busy_end", users=USERS, nodes=NODES)
    report, _ = reported(job, tmp_path)
    messages = [ghost["messages"] for node in report["nodes"] for ghost in node["ghosts"]]
    assert min(messages) >= 2 * LOCKS * USERS // NODES


def test_nodes_add_up_to_the_total(written):
    report, _ = written
    nodes, total = report["nodes"], report["total"]
    assert len(nodes) == report["nodes_count"] == NODES
    assert [node["users"] for node in nodes] == [USERS // NODES] * NODES
    assert {name: total[name] for name in SUMMED} == {
        name: summed([node[name] for node in nodes]) for name in SUMMED
    }


def test_operations_and_bytes_by_kind_and_route(written):
    report, _ = written
    for kind in KINDS:
        routes = report["total"]["operations"][kind]
        assert sum(route["count"] for route in routes.values()) == EACH, kind
        assert routes["ghost_net"]["count"] == OFF_NODE, kind
        assert routes["target"]["count"] == 0, kind
        for name, route in routes.items():
            assert route["bytes"] == ITEM_BYTES * route["count"], (kind, name)


def test_each_node_counts_its_own_users_operations(written):
    report, _ = written
    for node in report["nodes"]:
        for kind in KINDS:
            routes = node["operations"][kind]
            assert sum(route["count"] for route in routes.values()) == EACH // NODES, kind
            assert routes["ghost_net"]["count"] == OFF_NODE // NODES, kind


def test_waited_time(written):
    """One lock and one unlock each to fill the window and to work; a flush waits where an operation went
    through a ghost."""
    report, _ = written
    waits, operations = report["total"]["waits"], report["total"]["operations"]
    on_node = any(routes["ghost_node"]["count"] for routes in operations.values())
    flushes = 2 * USERS + OFF_NODE + (EACH - OFF_NODE if on_node else 0)
    want = {"flush": flushes, "lock": 2 * USERS, "pscw": 0, "fence": 0}
    assert {name: wait["count"] for name, wait in waits.items()} == want
    assert all((wait["ns"] > 0) == (wait["count"] > 0) for wait in waits.values()), waits
    assert sum(wait["ns"] for wait in waits.values()) < USERS * report["seconds"] * 1e9


def test_the_text_says_the_same(written):
    report, text = written
    shown = text[text.index(" total\n") :]
    for kind in KINDS:
        routes = report["total"]["operations"][kind]
        want = []
        for name in ("direct", "ghost_node", "ghost_net", "target"):
            want += [str(routes[name]["count"]), str(routes[name]["bytes"]), "B"]
        line = re.search(rf"^  {kind} .*$", shown, re.M).group().split()
        assert line[1:] == [*want, str(routes["none"]["count"])], kind
    for name, wait in report["total"]["waits"].items():
        assert f" {name} {wait['ns'] * 1e-9:.3f} s ({wait['count']})" in shown
