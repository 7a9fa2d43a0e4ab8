# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""CSP_TRACE and casper report: the timeline of a run, and the page made of it, in a browser."""

import argparse
import importlib.util
import io
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import job_support
import launcher_support  # noqa: F401  (the path of the package)
import pytest
from casper_cli import timeline
from casper_cli.errors import CasperError
from job_support import Job, reported, run

CASPER = job_support.mpi_libs.ROOT / "bin/casper"
BENCH_PYTHON = job_support.mpi_libs.BUILD / "env/bench/bin/python"


@pytest.fixture(scope="module")
def traced(tmp_path_factory):
    """The directory with the traces of casper/auto_profile: users are in MPI, then rank 0 computes."""
    lib = job_support.library("m50")
    where = tmp_path_factory.mktemp("trace") / "new"
    where.mkdir()
    for node in (1, 2, 3, 17):
        (where / f"casper-{node}.trace.json").write_text("of a run with four nodes")
    env = {
        "CSP_TRACE": str(where),
        "CSP_ASYNC_CONFIG": "auto",
        "CSP_AUTO_METHOD": "profile_ghosts",
        "CSP_PREDICT_INT": "100000",
    }
    done = run(Job(lib, "casper/auto_profile", env=env))
    assert done.code == 0, done.output
    return where


def test_files_of_a_larger_run_before_are_gone(traced):
    names = {p.name for p in traced.iterdir() if p.name.startswith("casper-")}
    assert names == {"casper-0.trace.json", "casper-1.trace.json"}


def test_changes_beyond_those_kept_are_counted(tmp_path):
    env = {"CSP_TRACE": str(tmp_path / "trace"), "CSP_ACC_ROUTE": "library"}
    report, _ = reported(Job(job_support.library("m50"), "casper/many_changes", env=env), tmp_path)
    nodes = list(timeline.load(tmp_path / "trace"))
    kept = [len(node.changes) for node in nodes]
    assert (report["changes_count"], len(report["changes"]), kept) == (300, 256, [256, 0])
    assert [node.more_changes for node in nodes] == [44, 0]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_full_disk_is_an_error(tmp_path):
    for node in (0, 1):
        (tmp_path / f"casper-{node}.trace.json").symlink_to("/dev/full")
    env = {"CSP_TRACE": str(tmp_path)}
    done = run(Job(job_support.library("m50"), "casper/auto_profile", env=env))
    for node in (0, 1):
        assert f"the trace of node {node} is not complete" in done.output


def events(traced, node):
    return json.loads((traced / f"casper-{node}.trace.json").read_text())


def test_a_program_may_write_numbers_with_a_comma(tmp_path):
    lib = job_support.library("m50")
    if not shutil.which("localedef") or not Path("/usr/share/i18n/locales/de_DE").exists():
        pytest.skip("the package locales is not installed")
    made = tmp_path / "locales"
    made.mkdir()
    subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", made / "de_DE.UTF-8"], check=True)
    trace = tmp_path / "trace"
    env = {"LOCPATH": str(made), "LC_ALL": "de_DE.UTF-8", "CSP_TRACE": str(trace)}
    report, _ = reported(Job(lib, "casper/decimal_comma", ["comma"], env=env), tmp_path)
    assert report["seconds"] > 0
    assert all("ts" in e or e["ph"] == "M" for node in (0, 1) for e in events(trace, node))


def spans(of_node, tid):
    """Name, begin, length: events of one kind, and, around a flush, pairs of begin and end."""
    found, begun = [], None
    for e in of_node:
        if e.get("tid") != tid:
            continue
        if e["ph"] == "X":
            found.append((e["name"], e["ts"], e["dur"]))
        elif e["ph"] == "B":
            assert begun is None
            begun = e
        elif e["ph"] == "E":
            found.append((begun["name"], begun["ts"], e["ts"] - begun["ts"]))
            begun = None
    assert begun is None
    return found


def plotting_python():
    """A Python with matplotlib."""
    if importlib.util.find_spec("matplotlib"):
        return sys.executable
    if subprocess.run(
        [job_support.mpi_libs.ROOT / "tools/setup/env.sh", "bench"], check=False
    ).returncode:
        pytest.skip("build/env/bench with matplotlib is not there")
    return BENCH_PYTHON


def make_page(traced, python=None):
    words = [python or plotting_python(), CASPER, "report", traced]
    return subprocess.run(words, capture_output=True, text=True, check=False)


def test_users_are_told_from_ghosts(traced):
    for node in (0, 1):
        names = {e["args"]["name"] for e in events(traced, node) if e.get("name") == "thread_name"}
        assert len([n for n in names if n.startswith("rank ")]) == 2
        assert [n for n in names if n.startswith("ghost ")] == ["ghost 0"]


def test_phases_are_seen(traced):
    """Rank 0 sleeps for 0.8 s while the others wait for it in MPI."""
    of_node = events(traced, 0)
    computes = [dur for name, _, dur in spans(of_node, 0) if name == "computes"]
    assert max(computes) > 600e3
    in_mpi = sum(dur for name, _, dur in spans(of_node, 1) if name == "MPI")
    assert in_mpi > 1200e3


def test_spans_of_a_track_do_not_overlap(traced):
    of_node = events(traced, 1)
    for tid in {e["tid"] for e in of_node if e["ph"] in "XB"}:
        end = 0
        for _, begin, dur in sorted(spans(of_node, tid), key=lambda s: s[1]):
            assert begin >= end - 1
            end = begin + dur


def test_changes_are_in_it(traced):
    said = [e["name"] for node in (0, 1) for e in events(traced, node) if e["ph"] == "i"]
    assert "target rank 0: off" in said
    assert "target rank 0: on" in said


def test_the_page_stands_alone(traced):
    done = make_page(traced)
    assert done.returncode == 0, done.stderr
    page = (traced / "report.html").read_text()
    assert page.count("<svg") == 2
    assert "target rank 0: off" in page
    assert not re.search(r"(src|href)=\"https?:", page)
    assert len(json.loads((traced / "trace.json").read_text())["traceEvents"]) > 20


def test_the_page_in_a_browser(traced, tmp_path):
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if not browser:
        pytest.skip("no chromium (Debian: chromium)")
    assert make_page(traced).returncode == 0
    shot = tmp_path / "page.png"
    words = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1300,1600"]
    words += [f"--user-data-dir={tmp_path}/profile", f"--screenshot={shot}", "--dump-dom"]
    words += [f"file://{traced}/report.html"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "<h2>Node 1</h2>" in done.stdout
    assert shot.stat().st_size > 20000  # not an empty page


def test_a_trace_without_its_end_is_read(traced, tmp_path):
    text = (traced / "casper-1.trace.json").read_text()
    (tmp_path / "casper-1.trace.json").write_text(text[: len(text) * 2 // 3])
    done = make_page(tmp_path)
    assert done.returncode == 0, done.stderr
    assert "casper-1.trace.json is not complete" in done.stderr


def track(**fields):
    return {"pid": 0, "tid": 7, **fields}


TRACK = [
    track(ph="M", name="thread_name", args={"name": "rank 7"}),
    track(ph="X", ts=0, dur=2e6, name="MPI"),
    track(ph="X", ts=2e6, dur=1e6, name="computes"),
    track(ph="X", ts=3e6, dur=1e6, name="MPI"),
]


def lines(events):
    return "[\n" + ",\n".join(map(json.dumps, events)) + "\n]\n"


def test_a_hole_in_a_trace_costs_what_was_in_it(tmp_path, capsys):
    """The disk was full for a while."""
    text = lines(TRACK)
    hole = text.index("computes")
    (tmp_path / "casper-0.trace.json").write_text(text[:hole] + text[hole + 20 :])
    out = io.StringIO()
    (node,) = timeline.load(tmp_path, out)
    assert node.spans == {7: [(0, 2, "MPI")]}
    assert len(json.loads(out.getvalue())["traceEvents"]) == 2
    assert "casper-0.trace.json is not complete" in capsys.readouterr().err


def test_a_node_without_a_trace_does_not_cost_the_others(tmp_path, capsys):
    (tmp_path / "casper-0.trace.json").write_text(lines(TRACK))
    (tmp_path / "casper-1.trace.json").write_text("")
    assert [node.number for node in timeline.load(tmp_path)] == [0]
    assert "casper-1.trace.json is no trace of Casper: left out" in capsys.readouterr().err


def test_a_directory_with_a_pattern_in_its_name(tmp_path):
    for name in ("run[1]", "run1"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "casper-0.trace.json").write_text(lines(TRACK))
    (tmp_path / "run1" / "casper-1.trace.json").write_text(lines(TRACK))
    assert len(list(timeline.load(tmp_path / "run[1]"))) == 1


def test_a_page_that_fails_leaves_the_one_before(tmp_path, monkeypatch):
    (tmp_path / "casper-0.trace.json").write_text(lines(TRACK))
    (tmp_path / "report.html").write_text("before")

    def full(*_args):
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(timeline, "import_plots", lambda: None)
    monkeypatch.setattr(timeline, "draw", lambda _plt, _node: "<svg></svg>")
    monkeypatch.setattr(timeline.files.os, "replace", full)
    args = argparse.Namespace(directory=str(tmp_path))
    with pytest.raises(CasperError, match=f"cannot be written: {os.strerror(28)}"):
        timeline.run(args, {})
    assert {p.name for p in tmp_path.iterdir()} == {"casper-0.trace.json", "report.html"}
    assert (tmp_path / "report.html").read_text() == "before"


def test_nodes_are_read_one_after_the_other(tmp_path, monkeypatch):
    """A long run of many processes has more of them than fit in memory."""
    for node in (0, 2, 10):
        (tmp_path / f"casper-{node}.trace.json").write_text(
            lines([e | {"pid": node} for e in TRACK])
        )
    monkeypatch.setattr(timeline, "import_plots", lambda: None)
    monkeypatch.setattr(timeline, "draw", lambda _plt, node: f"<svg>{len(node.spans)}</svg>")
    found = []
    page = timeline.page
    monkeypatch.setattr(timeline, "page", lambda *args: (found.extend(args[0]), page(*args))[1])
    timeline.run(argparse.Namespace(directory=str(tmp_path)), {})
    assert [node.number for node in found] == [0, 2, 10]
    assert not any(node.spans for node in found)
    text = (tmp_path / "report.html").read_text()
    assert text.count("<svg>1</svg>") == 3 and text.count("<td>rank 7</td>") == 3
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    assert [e["pid"] for e in events] == [node for node in (0, 2, 10) for _ in TRACK]


def test_short_spans_are_drawn_together():
    short = [(1 + i, 1, "MPI" if i % 3 else "computes") for i in range(8)]
    spans = [(0, 1, "computes"), *short, (9, 5, "computes"), (14, 2, "MPI"), (30, 3, "computes")]
    drawn = timeline.visible(spans, 5)
    assert drawn == [
        (0, 5, "computes"),
        (5, 4, "MPI"),
        (9, 5, "computes"),
        (14, 2, "MPI"),
        (30, 3, "computes"),
    ]
    assert timeline.visible(spans, 0.5) == spans


def test_ghosts_are_drawn_on_nodes_with_many_users():
    names = {i: f"rank {i}" for i in range(64)} | {10**6 + i: f"ghost {i}" for i in range(2)}
    node = timeline.Node(0)
    node.tracks = names
    shown = timeline.tracks(node)
    assert len(shown) == timeline.MOST_TRACKS
    assert shown[-2:] == [10**6, 10**6 + 1] and shown[:-2] == list(range(46))


@pytest.mark.parametrize("text", ['{"traceEvents": []}', "[]", "[1]", "", "no", '[{"ph": "X"}]'])
def test_something_else_is_no_trace(tmp_path, text):
    (tmp_path / "casper-0.trace.json").write_text(text)
    with pytest.raises(CasperError, match="no trace of Casper"):
        list(timeline.load(tmp_path))


def test_a_span_that_a_dead_job_left_open_ends_with_the_last_event():
    node = timeline.read_node(
        [
            TRACK[0],
            track(ph="B", ts=1e6, name="MPI"),
            track(ph="E", ts=3e6),
            track(ph="X", ts=3e6, dur=1e6, name="computes"),
            track(ph="B", ts=4e6, name="MPI"),
            {"pid": 0, "ph": "C", "ts": 9e6, "name": "rank 7: in MPI", "args": {"%": 99}},
        ]
    )
    assert node.spans == {7: [(1, 2, "MPI"), (3, 1, "computes"), (4, 5, "MPI")]}


def test_changes_that_differ_in_their_figures_alone():
    node = timeline.Node(0)
    node.changes = [(1.0, "on", {"wait": wait}, False) for wait in (2, 3)]
    page = timeline.page([node], [])
    assert "wait: 2" in page and "wait: 3" in page
    assert "not kept" not in page


def test_changes_that_are_not_in_the_trace_are_counted():
    more = {"pid": 3, "ph": "M", "name": "more_changes", "args": {"count": 5}}
    page = timeline.page([timeline.read_node([more])], [])
    assert "Node 3: 5 more, later ones, were not kept." in page


def test_a_long_wait_is_seen_as_long_as_it_is(tmp_path):
    """And not all at its end, within the time of one look."""
    env = {"CSP_TRACE": str(tmp_path)}
    done = run(Job(job_support.library("m50"), "casper/long_wait", env=env))
    assert done.code == 0, done.output
    waits = [
        (e["ts"] * 1e-6, e["args"]["%"])
        for node in (0, 1)
        for e in events(tmp_path, node)
        if e["ph"] == "C" and e["name"] == "rank 1: waits"
    ]
    share, begin = 0, 0
    waited = 0
    for at, percent in waits:
        waited += (at - begin) * share / 100
        begin, share = at, percent
    assert 0.3 < waited < 2, waits


def test_a_spawned_job_has_files_of_its_own(tmp_path):
    env = {
        "CSP_SPAWN_NG": "1",
        "CSP_TRACE": str(tmp_path / "trace") + "/",
        "CSP_REPORT_FILE": str(tmp_path / "report.json"),
    }
    done = run(Job(job_support.library("m50"), "casper/spawn_ghosts", env=env))
    assert done.code == 0, done.output
    folder, report = sorted(tmp_path.glob("*.spawned-*"), reverse=True)
    assert report.name.partition(".spawned-")[::2] == (
        "report.json",
        folder.name.rpartition("-")[2],
    )
    users = {
        d: json.loads((tmp_path / d).read_text())["users_count"] for d in ("report.json", report)
    }
    assert users == {"report.json": 4, report: 6}
    for where, count in ((tmp_path / "trace", 4), (folder, 6)):
        ranks = [
            e["args"]["name"]
            for node in (0, 1)
            for e in events(where, node)
            if e["ph"] == "M" and e["name"] == "thread_name" and "rank" in e["args"]["name"]
        ]
        assert sorted(ranks) == [f"rank {i}" for i in range(count)]


def test_no_traces(tmp_path):
    done = make_page(tmp_path)
    assert done.returncode == 1
    assert "CSP_TRACE" in done.stderr


def test_a_directory_that_can_not_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    env = {"CSP_TRACE": str(tmp_path / "file" / "trace")}
    done = run(Job(job_support.library("m50"), "world/size_rank", env=env))
    assert done.code == 0, done.output
    assert f"CSP_TRACE={tmp_path}/file/trace: {os.strerror(20)}" in done.output
