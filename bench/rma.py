# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""What RMA costs by itself: memory.json (what is kept for windows), calls.json (calls by route, and
MPI_Win_flush_all), node.json (operations inside a node), ghosts.json (two ghosts against one). Each
function gets the Bench of run.py and gives the rows of one MPI library."""

import math
import shutil

import results

NODE_SOURCES = ("node.c", "series.c", "place.c", "bench.c")
SLEEP_MS = 30  # of a busy target inside the node
SHAPES = [(nodes, users) for nodes in (1, 2, 4) for users in (1, 2, 4)]
WINDOWS = {"pool": (16, 4096, {}), "own": (4, 65536, {"CSP_POOL_MAX": "0", "CSP_SPARE_MAX": "0"})}
DIRECT = ("own memory", "same node", "window of one node")  # PUT and GET; the last one: everything
# Redirection that may change, and one that stays; `clock`: with a timeline, for which wrappers read the
# clock as for profiles.
LOOKUPS = {
    "on": {"CSP_ASYNC_CONFIG": "on"},
    "clock": {"CSP_ASYNC_CONFIG": "on", "CSP_TRACE": results.TIMELINES},
    "P": {"CSP_ASYNC_CONFIG": "auto", "CSP_AUTO_METHOD": "profile"},
    "GP": {"CSP_ASYNC_CONFIG": "auto", "CSP_AUTO_METHOD": "profile_ghosts"},
    "auto": {"CSP_ASYNC_CONFIG": "auto"},
}
LOOKUP_BASE = {"on": "on", "clock": "clock", "P": "clock", "GP": "clock", "auto": "on"}
LOADS = {"target": 320, "node": 320, "whole": 64}  # operations of each process


# ---- memory.json


def memory(bench, quick):
    """Counts, not times: one run each is enough."""
    program = bench.mpi.compile("memory", ("memory.c", "bench.c"))
    shapes = [s for s in SHAPES if max(s) < 4] if quick else SHAPES
    plain = {}
    rows = []
    for kind, (count, size, env) in WINDOWS.items():
        for nodes, users in shapes:
            print(f"  {bench.mpi.name} memory: {kind}, {nodes} nodes of {users}", flush=True)
            how = {"users_per_node": users, "nodes": nodes}
            if nodes * users > 1:
                line = bench.once(program, [count, size], **how)[0]
                plain[nodes, users] = results.median(line["samples"])
            for ghosts in (1, 2):
                row = memory_row(bench, program, (kind, count, size, env), how, ghosts)
                row["plain_heap_bytes"] = plain.get((nodes, users))
                rows.append(row)
    return rows


def memory_row(bench, program, what, how, ghosts):
    kind, count, size, env = what
    env = {**env, "CSP_REPORT_FILE": bench.report_path()}
    line = bench.once(program, [count, size], ghosts=ghosts, env=env, **how)[0]
    kept = bench.take_report()["total"]["kept_peak"]
    windows, users = count + 1, how["nodes"] * how["users_per_node"]
    pool = 1  # the internal window that all windows of the pool share
    return {
        "mpi": bench.mpi.name,
        "kind": kind,
        "nodes": how["nodes"],
        "users_per_node": how["users_per_node"],
        "ghosts": ghosts,
        "internal_windows": (kept["internal_windows"] / users - pool) / windows,
        "carriers": kept["carriers"] / users / windows,
        "window_bytes": round(kept["window_bytes"] / users / windows, 1),
        "set_bytes": round(kept["set_bytes"] / users, 1),
        "shared_bytes": round(kept["shared_bytes"] / how["nodes"] / windows, 1),
        "heap_bytes": results.median(line["samples"]),
    }


# ---- calls.json


def calls(bench, quick):
    program = bench.mpi.compile("calls", ("calls.c", "bench.c"), below=True)
    return issue(bench, program) + lookups(bench, program) + flush_all(bench, program, quick)


def issue(bench, program):
    """The time of a call, by route: rows of the kind `call`."""
    seen = {}

    def one(kind, ghosts, *groups):
        for group in groups:
            for line in bench.lines(program, [group], users_per_node=2, ghosts=ghosts):
                seen.setdefault((line["route"], line["op"]))
                key = (kind, line["route"], line["op"], line["mode"])
                bench.rounds.add(key, line["samples"])

    bench.turns(
        "calls",
        lambda: one("plain", None, "issue"),
        lambda: one("casper", 1, "issue", "created"),
    )
    return [call_row(bench, route, op) for route, op in seen]


def call_row(bench, route, op):
    """By load and store, or handed on to the MPI library; else in messages to the ghost: no overhead."""
    handed_on = ("casper", route, op, "own") in bench.rounds.runs
    direct = route in DIRECT and not handed_on
    row = {"mpi": bench.mpi.name, "kind": "call", "route": route, "op": op, "direct": direct}
    bench.rounds.put(row, "plain_ns", ("plain", route, op, "whole"), 1)
    bench.rounds.put(row, "casper_ns", ("casper", route, op, "whole"), 1)
    bench.rounds.put(row, "own_ns", ("casper", route, op, "own"), 1)
    if handed_on:
        bench.rounds.put(row, "empty_ns", ("casper", route, "PUT", "empty"), 1)
    if direct or handed_on:
        # Of the fastest runs: whoever shares a core makes calls take up to twice as long.
        over, under = ("casper_lo_ns", "plain_lo_ns") if direct else ("own_lo_ns", "empty_lo_ns")
        row["overhead_ns"] = round(row[over] - row[under], 1)
    looked_up = bench.rounds.runs["casper", route, op, "attributes whole"]
    row["attribute_lookups"] = max(looked_up)
    return row


def lookups(bench, program):
    """Casper's part of a call at another node, by configuration: rows of the kind `lookup`."""
    seen = {}

    def one(config):
        env = LOOKUPS[config]
        for line in bench.lines(program, ["lookup"], users_per_node=1, ghosts=1, env=env):
            if line["mode"] == "own":
                seen.setdefault(line["op"])
                bench.rounds.add((config, line["op"]), line["samples"])

    bench.turns("lookup", *[lambda c=c: one(c) for c in LOOKUPS])
    shutil.rmtree(results.TIMELINES, ignore_errors=True)
    return [lookup_row(bench, config, op) for op in seen for config in LOOKUPS]


def lookup_row(bench, config, op):
    row = {"mpi": bench.mpi.name, "kind": "lookup", "config": config, "op": op}
    bench.rounds.put(row, "own_ns", (config, op), 1)
    fastest, base = (min(bench.rounds.runs[c, op]) for c in (config, LOOKUP_BASE[config]))
    return {**row, "more_ns": round(fastest - base, 1)}


def flush_all(bench, program, quick):
    """MPI_Win_flush_all, by what exists and what was used: rows of the kind `flush_all`."""
    shapes = [(2, 1), (4, 1), (2, 256)] if quick else [(2, 1), (4, 1), (8, 1), (2, 16), (2, 256)]
    seen = {}

    def one(nodes, windows, kind, ghosts):
        how = {"users_per_node": 1, "nodes": nodes, "ghosts": ghosts}
        for line in bench.lines(program, ["flush", 1, windows, kind], **how):
            key = (nodes, windows, line["used"])
            seen.setdefault(key)
            bench.rounds.add((kind, *key, line["mode"]), line["samples"])

    for shape in shapes:
        bench.turns(
            f"flush_all: {shape[0]} nodes, {shape[1]} windows",
            lambda s=shape: one(*s, "plain", None),
            lambda s=shape: one(*s, "casper", 1),
        )
    return [flush_row(bench, *key) for key in seen]


def flush_row(bench, nodes, windows, used):
    row = {"mpi": bench.mpi.name, "kind": "flush_all", "nodes": nodes, "windows": windows}
    row["used"] = used
    key = (nodes, windows, used)
    bench.rounds.put(row, "plain_us", ("plain", *key, "flush_all"))
    bench.rounds.put(row, "casper_us", ("casper", *key, "flush_all"))
    row["flushes"] = results.median(bench.rounds.runs["casper", *key, "flushes"])
    return row


# ---- node.json


def node(bench, quick):
    """One node, and the same between two processes of a node in a window over two nodes."""
    program = bench.mpi.compile("node", NODE_SOURCES)
    most = 2**18 if quick else 2**22
    rows = []
    for nodes, where, size in ((1, "window of one node", most), (2, "window of two", 2**18)):
        rows += node_window(bench, program, nodes, where, size)
    return rows


def node_window(bench, program, nodes, where, size):
    bench.rounds, seen = results.Rounds(), {}
    broken = bench.mpi.broken_inside if nodes == 1 else ()

    def one(kind, state, ghosts):
        args = [state, 1, SLEEP_MS, size, *(broken if ghosts is None else ())]
        how = {"users_per_node": 2, "nodes": nodes, "ghosts": ghosts}
        for line in bench.lines(program, args, **how):
            key = (line["op"], line["bytes"], line["mode"])
            seen.setdefault(key)
            bench.rounds.add_line((kind, *key), line)

    plain, casper = (lambda: one("plain", "idle", None), lambda: one("casper", "busy", 1))
    bench.turns(f"node, {where}", plain, casper)
    return [node_row(bench, where, broken, *key) for key in seen]


def node_row(bench, where, broken, op, size, mode):
    row = {"mpi": bench.mpi.name, "window": where, "op": op, "bytes": size, "mode": mode}
    keys = {f"{kind}_us": (kind, op, size, mode) for kind in ("plain", "casper")}
    bench.rounds.compare(row, keys, 4)
    bench.want(row, *(["casper_us"] if op in broken else keys))
    results.ratio(row, "casper_us", "plain_us", "ratio")
    return row


# ---- ghosts.json


def ghosts(bench, quick):
    program = bench.mpi.compile("ghosts", ("ghosts.c", "bench.c"), below=True)
    setups = [("library", *s) for s in ((1, "rank"), (2, "rank"), (2, "segment"))]
    setups += [("software", count, "rank") for count in (1, 2)]
    rows = []
    for load, ops in LOADS.items():
        rows += ghosts_load(bench, program, load, ops // 4 if quick else ops, setups)
    return rows


def ghosts_load(bench, program, load, ops, setups):
    bench.rounds, given = results.Rounds(), {}
    runs = [lambda s=s: ghosts_run(bench, program, load, ops, s, given) for s in setups]
    bench.turns(f"ghosts, {load}", *runs)
    return [ghosts_row(bench, load, setup, given[setup]) for setup in setups]


def ghosts_run(bench, program, load, ops, setup, given):
    route, count, bind = setup
    env = {"CSP_ACC_ROUTE": route, "CSP_ACC_GHOST": bind, "CSP_REPORT_FILE": bench.report_path()}
    lines = bench.lines(program, [load, 2, ops], users_per_node=2, ghosts=count, env=env)
    by_what = {line["what"]: line["samples"] for line in lines}
    last = bench.take_report()["nodes"][-1]["ghosts"]
    total = 4 * ops  # of four processes
    bench.rounds.add((setup, "operation"), by_what["operation"])
    bench.rounds.add((setup, "busy"), [max(g["busy_ns"] for g in last) / total])
    given[setup] = {} if route == "software" else shares(by_what, total)


def shares(by_what, total):
    """What the MPI library was given, which is nothing where Casper executes accumulates itself."""
    return {
        "library_ops": sum(by_what["operations"]) / total,
        "busiest_share": round(max(by_what["bytes"]) / math.fsum(by_what["bytes"]), 3),
    }


def ghosts_row(bench, load, setup, given):
    route, count, bind = setup
    row = {"mpi": bench.mpi.name, "load": load, "route": route, "ghosts": count, "bind": bind}
    row |= given
    bench.rounds.put(row, "casper_us", (setup, "operation"))
    bench.rounds.put(row, "busy_ns", (setup, "busy"), 0)
    return row


FILES = {"memory": memory, "calls": calls, "node": node, "ghosts": ghosts}
