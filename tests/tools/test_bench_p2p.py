# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""bench/p2p.py, network.py and tables_p2p.py: rows are complete, what follows from a run is right, targets
are judged, the page shows them; and the programs run with a real MPI library."""

import sys
import types
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
import driver
import launch
import load
import network
import results
import tables_p2p

import p2p

KB = 1024


class FakeMpi:
    name, thread, network = "m50", {"PROGRESS": "1"}, None

    def compile(self, program, _sources):
        return program


def fake_lines(program, words):
    """What the programs write, a size each."""
    labels = {"bytes": 64 * KB, "unit": "us", "core_to_core_ns": 50.0}
    metrics = {
        "post_wait": ("irecv", "isend", "wait_send", "wait_recv", "wait"),
        "ping_rate": words[3:],
        "overlap": ("base", "work", "total")
        if "sandia" in words
        else ("transfer", "compute", "total"),
        "halo_2d": ("exchange", "post", "wait", "run"),
        "hops": ("post_recv", "post_send", "ask", "ask_idle", "self", "seen"),
    }[program]
    if program == "overlap":
        labels |= {"side": "send"} if "sandia" in words else {"factor": 1}
    if program == "halo_2d":
        labels |= {"compute_us": words[5], "iterations": words[1]}
    return [{**labels, "metric": m, "samples": [2.0, 4.0, 8.0]} for m in metrics]


class FakeBench(driver.Bench):
    def lines(self, program, args, more=list, **how):
        self.started.append((args, how))
        if how["env"] and "PROGRESS" in how["env"] and len(self.started) > self.thread_works:
            raise launch.Failed("it hangs")
        return more(fake_lines(program, args))


def fake_rows(what, compute=None, net=None, thread_works=1000):
    options = types.SimpleNamespace(rounds=2, patience=0, quiet_s=0, quick=True, compute=compute)
    bench = FakeBench(what, FakeMpi(), options, 1)
    bench.mpi.network, bench.started, bench.thread_works = net, [], thread_works
    return p2p.PROGRAMS[what](bench, options), bench.started


def settings(config):
    return {"plain": {}, "thread": FakeMpi.thread, "ghost": {"CSP_P2P": "on"}}[config]


@pytest.mark.parametrize("what", p2p.PROGRAMS)
def test_rows_are_complete(what, monkeypatch):
    monkeypatch.setattr(p2p.os, "cpu_count", lambda: 4)
    rows, started = fake_rows(what)
    configs = p2p.configs_of(FakeMpi())
    wanted = {
        *("mpi", "program", "config", "bytes", "metric", "value", "value_lo", "value_hi", "unit"),
        *("network", "nodes", "users_per_node", "compute"),
    }
    assert all(wanted <= row.keys() for row in rows)
    assert {r["config"] for r in rows} == set(configs)
    measured = {(r["config"], r["metric"]) for r in rows}
    for metric in tables_p2p.METRICS[what]:
        only_ghosts = metric.startswith("hop_")
        for config in configs:
            assert ((config, metric) in measured) == (not only_ghosts or config in p2p.P2P)
    for config in ("plain", "thread", "ghost"):
        ghosts = {how["ghosts"] for _, how in started if how["env"] == settings(config)}
        assert ghosts == {1 if config == "ghost" else None}


def test_auto_is_measured_as_soon_as_it_is_accepted(monkeypatch):
    monkeypatch.setattr(p2p, "accepted", lambda: ["off", "on", "auto"])
    rows, started = fake_rows("post")
    assert {r["config"] for r in rows} == set(p2p.CONFIGS)
    assert {"CSP_P2P": "auto"} in [how["env"] for _, how in started]
    monkeypatch.setattr(p2p, "accepted", lambda: ["off", "on"])
    assert "auto" not in p2p.configs_of(FakeMpi())


@pytest.mark.parametrize("runs", [0, 3])  # the second thing that the first round runs
def test_a_library_whose_thread_does_not_work_goes_on_without(runs, capsys):
    rows, started = fake_rows("post", thread_works=runs)
    assert any(how["env"] == FakeMpi.thread for _, how in started[:3])
    assert "thread" not in {r["config"] for r in rows}
    assert {"plain", "ghost"} <= {r["config"] for r in rows}
    assert "goes on without" in capsys.readouterr().out


@pytest.mark.parametrize(
    "cores, compute, is_said", [(2, None, "sleep"), (6, None, "spin"), (2, "spin", "spin")]
)
def test_rows_say_how_the_program_computed(cores, compute, is_said, monkeypatch):
    monkeypatch.setattr(p2p.os, "cpu_count", lambda: cores)
    rows, started = fake_rows("halo", compute)
    assert {r["compute"] for r in rows} == {is_said}
    assert all(args[2] == is_said for args, _ in started)
    assert {r["compute"] for r in fake_rows("rate")[0]} == {"none"}


def test_the_halo_computes_the_same_in_all_configurations():
    rows, _ = fake_rows("halo")
    labels = ("config", "memory", "factor")
    run = {tuple(r[k] for k in labels): r["compute_us"] for r in rows if r["metric"] == "run"}
    for memory in p2p.HALO_MEMORY:
        both = {run[c, memory, 2] for c in ("plain", "thread", "ghost")}
        assert both == {8}  # twice the exchange, 4 us


def test_configurations_are_compared_where_the_cores_were_alike(monkeypatch):
    class Moved(FakeBench):
        def lines(self, program, args, more=list, **how):
            far = how["env"] != {} or len(self.started) > 0  # plain in the first round: near
            us, ns = (6.0, 330.0) if far else (2.0, 50.0)
            lines = super().lines(program, args, more, **how)
            return [{**line, "samples": [us], "core_to_core_ns": ns} for line in lines]

    monkeypatch.setattr(sys.modules[__name__], "FakeBench", Moved)
    rows, _ = fake_rows("post")
    assert {(r["value"], r["core_to_core_ns"]) for r in rows} == {(6.0, 330)}


def test_a_network_has_rows_of_its_own():
    net = network.Netns(delay_us=50, rate_mbit=1000)
    rows, started = fake_rows("latency", net=net)
    assert {how["nodes"] for _, how in started} == {2}
    assert {(r["network"], r["rate_mbit"]) for r in rows} == {("netns 1000 Mbit/s 50 us", 1000)}
    assert {results.run_key(r) for r in rows} == {"m50 latency netns 1000 Mbit/s 50 us"}
    assert fake_rows("hops", net=net)[0] == []
    assert {r["nodes"] for r in fake_rows("latency")[0]} == {1, 2}


def test_the_command_for_namespaces_goes_through_the_hub():
    words = network.Netns.command(["casper", "run", "-n", "4"], "m50", 2)
    assert words[1:3] == ["run", "casper"] and words[0].endswith("netns.sh")
    assert "cspb0:2,cspb1:2" in words and "--launcher-arg=-iface" in words
    env = network.Netns.environment("m50")
    assert env["CASPER_AGENT_NETNS"] == "1" and env["FI_TCP_IFACE"] == "veth0"
    assert not [name for name in env if "THROTTLE" in name]


# ---- what follows from a run


def lines(labels, **metrics):
    return [{"bytes": 64 * KB, **labels, "metric": m, "samples": [x]} for m, x in metrics.items()]


def told(more):
    return {line["metric"]: pytest.approx(line["samples"][0]) for line in more}


def test_availability_is_what_overhead_leaves_of_the_base():
    more = p2p.sandia(lines({"side": "send"}, base=100, work=200, total=210))
    assert told(more) == {"overhead": 10, "availability": 0.9}


def test_the_sweep_compares_with_the_longer_of_both():
    more = p2p.sweep(
        lines({"factor": 0.5}, transfer=100, compute=50, total=120)
        + lines({"factor": 2}, transfer=100, compute=200, total=220)
    )
    assert [line["samples"][0] for line in more] == [pytest.approx(1.2), pytest.approx(1.1)]


def test_the_halo_tells_what_is_waited_for():
    more = p2p.halo(lines({}, exchange=100, post=5, wait=20, run=1000))
    assert told(more) == {"wait_share": 0.25}


def test_hops_add_up_to_what_was_measured():
    more = p2p.hops(lines({}, post_recv=0.2, post_send=0.3, ask=0.8, self=1.4, seen=0.5))
    hops = told(more)
    assert hops == {
        "hop_post": 0.3,
        "hop_pickup": 0.35,  # 0.8 - 0.2 - 0.25
        "hop_match": 0.05,  # 1.4 - 0.5 - 0.35 - 0.5
        "hop_seen": 0.25,
        "hop_side": 0.95,
    }


# ---- targets and page


def row(program, metric, value, config="ghost", **more):
    labels = {"mpi": "m50", "program": program, "config": config, "bytes": 64 * KB}
    labels |= {"metric": metric, "value": value, "value_lo": value, "value_hi": value}
    about = {"unit": "us", "network": "virtual", "nodes": 2, "compute": "none"}
    return {**labels, **about, **more}


def swept(total, compute, auto_total, auto_compute):
    both = (("plain", total, compute), ("auto", auto_total, auto_compute))
    return [
        row("sweep", metric, x, config)
        for config, *values in both
        for metric, x in zip(("total", "compute"), values, strict=True)
    ]


def run(plain, thread, ghost, **more):
    values = {"plain": plain, "thread": thread, "ghost": ghost}
    more = {"factor": 1, "compute": "sleep", **more}
    return [row("halo", "run", x, c, **more) for c, x in values.items()]


def both(program, metric, plain, ghost, count):
    return [
        row(program, metric, x, c, bytes=count) for c, x in (("plain", plain), ("ghost", ghost))
    ]


@pytest.mark.parametrize(
    "rows, count",
    [
        ([row("overlap", "availability", 0.96)], 0),
        ([row("overlap", "availability", 0.94)], 1),
        ([row("overlap", "availability", 0.5, bytes=KB)], 0),
        ([row("overlap", "availability", 0.9, "plain")], 0),  # not ours to judge
        ([row("sweep", "over_ideal", 1.06)], 0),
        ([row("sweep", "over_ideal", 1.08)], 1),
        ([row("post", "irecv", 0.26), row("post", "isend", 0.24)], 1),
        (both("post", "isend", 0.1, 0.2, 8), 1),
        ([row("hops", "hop_side", 1.1)], 1),
        (both("latency", "latency", 4, 5.9, KB), 0),
        (both("latency", "latency", 4, 6.1, KB), 1),
        (both("latency", "latency", 40, 50, 16 * KB), 0),
        (both("latency", "latency", 40, 50, 64 * KB), 1),
        (both("rate", "rate", 100, 79, KB), 1),
        (both("rate", "rate", 100, 99, 16 * KB), 1),
        (both("rate", "rate", 100, 99, 4 * KB), 0),
        (swept(100, 50, 150, 100), 0),  # it computed longer
        (swept(100, 50, 160, 100), 1),
        ([{**r, "core_to_core_ns": i} for i, r in enumerate(run(10, 8, 8.5))], 1),
        (run(10, 8, 7), 0),
        (run(10, 8, 8.5), 1),  # better than plain, not than the thread
        (run(10, 8, 9, factor=0.5), 0),  # computing does not cover the transfer
    ],
)
def test_targets(rows, count, capsys):
    assert tables_p2p.check("p2p", {"rows": rows}) == count
    assert len(capsys.readouterr().out.splitlines()) == count


def test_auto_is_held_against_plain():
    rows = [*both("rate", "rate", 100, 200, 8), row("rate", "rate", 96, "auto", bytes=8)]
    (target,) = (t for t in tables_p2p.TARGETS if t.number == 4)
    value, _ = target.worst(rows)
    assert value == pytest.approx(100 / 96) and target.wrong(value)


def test_the_page_shows_targets_with_what_was_measured():
    rows = [
        *run(10e3, 8e3, 8.5e3),
        row("overlap", "availability", 0.97, side="send", unit="1"),
        *both("post", "isend", 2, 0.3, 8),
        *both("post", "isend_p90", 3, 0.5, 8),
    ]
    runs = {f"m50 {p} virtual": {"rounds": 3, "when": "today"} for p in ("halo", "overlap", "post")}
    page = tables_p2p.page({"rows": rows, "runs": runs, "cores": 2}).splitlines()
    assert "## m50: MPICH 5.0.2, virtual" in page
    where = "overlap, availability, 64 KB, side send, 2 nodes"
    assert f"| 1 | availability from 64 KB | at least 0.95 | 0.97 | {where} |" in page
    assert "| 4 | auto / plain, any program | at most 1.03 | not measured |  |" in page
    assert "| isend, us | 8 B | 2 / 3 | **0.3 / 0.5** |" in page
    assert "Computing: sleep." in page
    shown = "| run, ms | 64 KB | 10.0 (10.0 - 10.0) | 8 (8 - 8) | **8.5 (8.5 - 8.5)** |"
    assert shown in page


def test_figures_of_a_disturbed_run_are_not_shown():
    runs = {"m50 post virtual": {"rounds": 3, "when": "today", "foreign_cores": 1.0}}
    page = tables_p2p.page({"rows": [row("post", "isend", 9)], "runs": runs, "cores": 2})
    assert "No figures" in page and "| 9" not in page


# ---- the programs


@pytest.mark.skipif(
    not launch.libraries()["m50"].available(), reason="build/m50 or its MPI library is not there"
)
@pytest.mark.parametrize("what", p2p.PROGRAMS)
def test_the_program_runs_and_finds_its_data(what, monkeypatch, tmp_path):
    monkeypatch.setattr(results, "RESULTS", tmp_path)
    monkeypatch.setattr(load, "wait_quiet", lambda _s: None)
    for name, value in {"QUICK_BYTES": 64 * KB, "QUICK_SAMPLES": 4, "QUICK_ITERATIONS": 3}.items():
        monkeypatch.setattr(p2p, name, value)
    monkeypatch.setattr(p2p, "HALO", ((32, 8),))
    monkeypatch.setattr(p2p, "HALO_FACTORS", (1,))
    monkeypatch.setattr(launch, "ROOT", tmp_path.parent)  # what paths are shown from
    monkeypatch.setattr(p2p, "accepted", lambda: ["off", "on"])
    mpi = launch.libraries()["m50"]
    mpi.thread = None
    args = types.SimpleNamespace(
        rounds=1, patience=0, quiet_s=0, quick=True, compute=None, network=None, limit_s=120
    )
    p2p.measure(what, mpi, args)
    rows = results.read("p2p")["rows"]
    assert {r["config"] for r in rows} == {"plain", "ghost"}
    assert set(tables_p2p.METRICS[what]) <= {r["metric"] for r in rows}
    assert "m50" in tables_p2p.page(results.read("p2p"))
