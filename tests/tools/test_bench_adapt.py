# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""bench/held.py and tables_adapt.py: which setting held in a phase, and which figures are beyond limits."""

import os
import subprocess
import sys
import types
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
import driver
import held
import tables_adapt

import adapt

START_NS = 1_700_000_000_123_456_789  # of the first phase
INIT_NS = (START_NS - 3_000_000_000, START_NS - 3_002_000_000)  # of MPI_Init, by node


def lines(*kinds):
    """Phases of a second each, four on each window."""
    return [
        {
            "phase": i + 1,
            "kind": k,
            "opened": 1 + i // 4,
            "windows": 1,
            "begin_unix_ns": START_NS + i * 10**9,
            "seconds": 1,
        }
        for i, k in enumerate(kinds)
    ]


MULTI = lines(*["COMP", "COMP", "COMM", "COMM"] * 2)


def report(*changes):
    """Two nodes of one user. A change: seconds after the first phase began, "on" or "off", who."""
    told = []
    for i, (s, to, who) in enumerate(changes):
        ns = START_NS + int(s * 1e9) - INIT_NS[i % 2]
        by = "predicted" if "target" in who else "measured"
        told.append({"ns": ns, "node": i % 2, "by": by, "redirection": to, **who})
    nodes = [{"node": i, "begin_unix_ns": ns} for i, ns in enumerate(INIT_NS)]
    counts = {"changes_count": len(told), "nodes_count": 2, "users_count": 2}
    return {**counts, "changes": told, "nodes": nodes}


def predicted(s, to):
    return [(s, to, {"target": rank}) for rank in (0, 1)]


def shares(config, changes, field="on_share"):
    was = held.held(config, MULTI, report(*changes))
    return [pytest.approx(one[field], abs=1e-9) for one in was]


PREDICTIONS = [*predicted(2.25, "off"), *predicted(4.25, "on"), *predicted(6.25, "off")]


def test_without_exchange_a_prediction_holds_from_the_next_phase_on():
    for field in held.FIELDS[:2]:
        assert shares("P", PREDICTIONS, field) == [1, 1, 1, 0, 0, 1, 1, 0]


def test_with_exchange_put_and_get_follow_at_once():
    assert shares("GP", PREDICTIONS) == [1, 1, 0.25, 0, 0.75, 1, 0.25, 0]
    assert shares("GP", PREDICTIONS, "acc_on_share") == [1, 1, 1, 0, 0, 1, 1, 0]


def test_what_is_measured_belongs_to_a_window_and_a_node():
    changes = [(2.5, "off", {"window": "a", "targets_of_node": 0})]
    assert shares("auto", changes) == [1, 1, 0.75, 0.5, 1, 1, 1, 1]
    assert shares("auto", changes, "changes") == [0, 0, 1, 0, 0, 0, 0, 0]


def test_what_the_program_says_holds_for_the_window():
    changes = [(2.0, "off", {"window": "a"}), (6.0, "off", {"window": "b"})]
    assert shares("U", changes) == [1, 1, 0, 0, 1, 1, 0, 0]


def test_a_program_whose_first_phase_communicates_begins_without_redirection():
    assert held.held("U", lines("COMM", "COMM"), report())[0]["on_share"] == 0


def test_a_report_that_lost_changes_says_nothing():
    cut = report(*PREDICTIONS) | {"changes_count": 1000}
    assert held.held("P", MULTI, cut) == [{}] * 8
    assert held.held("plain", MULTI, None) == [{}] * 8


def row(config, phase, seconds, program="multiphase"):
    labels = {"mpi": "m50", "program": program, "config": config, "phase": phase}
    labels["kind"] = ("run", "COMP", "COMM")[phase]
    return {**labels, "seconds": seconds, "seconds_lo": seconds, "seconds_hi": seconds}


def rows_of(program="multiphase", **seconds):
    """Two phases of each configuration, and the run."""
    return [
        row(c, p, x, program)
        for c, both in seconds.items()
        for p, x in ((1, both[0]), (2, both[1]), (0, sum(both)))
    ]


def complaints(capsys, program="multiphase", **seconds):
    rows = rows_of(program, **seconds)
    count = tables_adapt.check("adapt", {"rows": rows})
    assert len(capsys.readouterr().out.splitlines()) == count
    return count


STATIC = {"on1": (2, 9), "on2": (2, 9), "off": (3, 1)}


def test_the_best_of_each_phase_is_the_measure(capsys):
    assert complaints(capsys, **STATIC, auto=(2.05, 1.02)) == 0
    assert complaints(capsys, **STATIC, auto=(2.2, 1.0)) == 2  # the phase, and the run
    assert complaints(capsys, **STATIC, auto=(2.08, 1.04)) == 1  # the run alone


def test_where_the_library_accumulates_ghosts_are_the_narrow_place(capsys):
    equal = {"on1": (2, 1), "on2": (2, 1), "off": (3, 1)}
    many = "multiphase_library"
    assert complaints(capsys, many, **STATIC, P=(3, 3), GP=(3, 2), U=(2, 1)) == 0
    assert complaints(capsys, many, **STATIC, P=(3, 3), GP=(3, 3)) == 1  # GP no better
    assert complaints(capsys, many, **STATIC, U=(2.2, 1)) == 2
    assert complaints(capsys, many, **equal) == 1  # on1 loses nothing
    assert complaints(capsys, **equal, U=(3, 3), P=(3, 3), GP=(3, 3)) == 0


def test_the_page_tells_settings_by_their_share():
    share = {"on_share": 0.25, "acc_on_share": 1.0}
    assert tables_adapt.setting_of(share) == "ON / ON 25 %"
    assert tables_adapt.setting_of({"on_share": 0.01, "acc_on_share": 0}) == "OFF"


def test_a_fence_may_take_ten_microseconds_more(capsys):
    def fence(config, us):
        labels = {"mpi": "m50", "program": "overhead", "config": config, "users": 4}
        return {**labels, "what": tables_adapt.FENCE, "us": us}

    rows = [fence("on1", 20), fence("P", 29), fence("GP", 31)]
    assert tables_adapt.check("adapt", {"rows": rows}) == 1
    assert "GP" in capsys.readouterr().out


def test_a_timeline_may_cost_three_percent(capsys):
    def trace(config, what, seconds):
        labels = {"mpi": "m50", "program": "trace", "config": config, "what": what}
        return {**labels, "seconds": seconds, "seconds_lo": seconds, "seconds_hi": seconds}

    rows = [trace("on1", "comp", 2), trace("traced", "comp", 2.04)]
    assert tables_adapt.check("adapt", {"rows": rows}) == 0
    rows += [trace("on1", "comm", 1), trace("traced", "comm", 1.05)]
    assert tables_adapt.check("adapt", {"rows": rows}) == 1
    assert "trace, traced, comm" in capsys.readouterr().out
    lines = tables_adapt.trace_lines(rows)
    assert "| comm | 1 (1 - 1) | 1.05 (1.05 - 1.05) | **1.050** |" in lines


def test_the_page_shows_times_settings_and_what_is_beyond():
    rows = rows_of(**STATIC, auto=(2.2, 1.0))
    rows += [{**r, "config": "GP", "on_share": 0.25, "acc_on_share": 1.0} for r in rows[:3]]
    runs = {"m50 multiphase": {"rounds": 3, "when": "today", "phase_s": 4, "users": 2}}
    page = tables_adapt.page({"rows": rows, "runs": runs, "cores": 2}).splitlines()
    assert "|  | 1 COMP | 2 COMM | run |" in page
    assert "| auto | **2.2** | 1 | **3.2 (3.2 - 3.2)** |" in page
    assert "| auto / best static | 1.10 | 1.00 | 1.07 |" in page
    assert f"{tables_adapt.TEXTS['multiphase']} Phases of 4 s." in page
    assert "| GP | ON / ON 25 % | ON / ON 25 % |" in page


def test_auto_is_also_compared_with_what_one_ghost_can_do():
    lines = tables_adapt.phase_lines(rows_of(**STATIC | {"on2": (1, 9)}, auto=(2.2, 1.0)))
    assert "| auto / best static | 2.20 | 1.00 | 1.60 |" in lines
    assert "| auto / best of on1, off | 1.10 | 1.00 | 1.07 |" in lines


class FakeMpi:
    name, thread, fixed_routes = "m50", None, False

    def compile(self, program, _sources):
        return program


class FakeBench(driver.Bench):
    """Programs that take no time: each phase a second, each call a microsecond."""

    def lines(self, program, args, more=list, **how):
        self.started.append(how["env"])
        assert how["before"][1] == how["users_per_node"] + (how["ghosts"] or 0)
        if program == "sync_cost":
            return [{"what": tables_adapt.FENCE, "samples": [1.0]}]
        return more(MULTI if args[0] == "multiphase" else lines("COMP"))

    def take_report(self):
        return report()


def fake_rows(what):
    options = types.SimpleNamespace(rounds=2, patience=0, quiet_s=0, phase_s=4, users=1, quick=True)
    bench = FakeBench(what, FakeMpi(), options, 1)
    bench.started = []
    return adapt.PROGRAMS[what](bench, options), bench.started


def test_intervals_vary_one_at_a_time():
    rows, started = fake_rows("intervals")
    pairs = dict.fromkeys((r["predict_ms"], r["gsync_ms"]) for r in rows)
    assert len(pairs) == 8
    assert all(200 in p or 400 in p for p in pairs)
    assert {r["phase"] for r in rows} == set(range(9))
    assert [e["CSP_PREDICT_INT"] for e in started if "CSP_PREDICT_INT" in e][0] == 20000


def test_the_overhead_is_that_of_each_configuration_with_two_and_four_users():
    rows, _ = fake_rows("overhead")
    assert {(r["config"], r["users"]) for r in rows} == {
        (c, users) for c in adapt.OVERHEAD_CONFIGS for users in (2, 4)
    }
    assert all(r["us"] == 1 for r in rows)


def test_a_library_without_a_progress_thread_has_no_row_of_it():
    rows, _ = fake_rows("multiphase")
    assert {r["config"] for r in rows} == set(adapt.CONFIGS) - {"thread"}
    assert [r["seconds"] for r in rows if r["config"] == "auto"] == [1] * 8 + [8]


def test_the_library_accumulates_where_the_name_says_so():
    rows, started = fake_rows("multiphase_library")
    assert {r["program"] for r in rows} == {"multiphase_library"}
    casper = [e for e in started if "CSP_REPORT_FILE" in e]
    assert casper and all(e["CSP_ACC_ROUTE"] == "library" for e in casper)
    _, started = fake_rows("multiphase")
    assert not any("CSP_ACC_ROUTE" in e for e in started)


class ThreadMpi(FakeMpi):
    name, thread = "m50 with a thread", {"PROGRESS": "1"}


def test_the_progress_thread_has_fewer_rounds(monkeypatch):
    monkeypatch.setattr(sys.modules[__name__], "FakeMpi", ThreadMpi)
    monkeypatch.setattr(adapt, "THREAD_ROUNDS", 1)
    rows, started = fake_rows("multiphase")
    assert sum("PROGRESS" in e for e in started) == 1
    assert [r["seconds"] for r in rows if r["config"] == "thread"] == [1] * 8 + [8]
    rows, _ = fake_rows("multiphase_library")
    assert "thread" not in {r["config"] for r in rows}


PLACES = [
    ((2, 4, "0"), ["0", "0", "0", "0"]),
    ((2, 4, "0,1"), ["0", "1", "1", "0"]),
    ((1, 2, "0,1"), ["0", "1"]),
    ((3, 6, "4,7"), ["4", "7", "4", "7", "4", "7"]),
]


@pytest.mark.parametrize(("job", "cores"), PLACES)
@pytest.mark.parametrize("variable", ["PMI_RANK", "OMPI_COMM_WORLD_RANK"])
def test_processes_take_the_cores_in_turn(tmp_path, variable, job, cores):
    per_node, count, allowed = job
    taskset = tmp_path / "taskset"  # which machine has the cores?
    taskset.write_text("#!/bin/sh\necho $*\n")
    taskset.chmod(0o755)
    for rank, core in zip(range(count), cores, strict=True):
        done = subprocess.run(
            [adapt.PLACE, str(per_node), allowed, "program", "its word"],
            env={"PATH": f"{tmp_path}:{os.environ['PATH']}", variable: str(rank)},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout == f"-c {core} program its word\n"
