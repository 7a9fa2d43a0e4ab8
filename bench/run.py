#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""The micro-benchmarks: plain MPI library against Casper, runs in turns, between two virtual nodes.
Writes build/results/gap.json, created.json, overhead.json and those of rma.py; rows of MPI libraries
that were not measured this time stay as they are.
Exit code 1 if something did not run or found wrong data."""

import os
import sys
import time

import driver
import launch
import results

import rma

GAP_SOURCES = ("gap.c", "series.c", "place.c", "ops.c", "bench.c")
OVERHEAD_SOURCES = ("overhead.c", "series.c", "place.c", "bench.c")
SHARED_SOURCES = ("shared_cores.c", "bench.c")
SLEEP_MS = 30  # of a busy target: what a plain operation waits
SAMPLES = 400
POLLS = ("auto", "spin", "sleep")
MESSAGE_TURNS = 3  # in each round: one or two in a hundred are to be told from noise


def gap(bench, window="allocate"):
    """Rows of gap.json or created.json for one MPI library."""
    program = bench.mpi.compile("gap", GAP_SOURCES)
    ops = {}

    def one(kind, states, ghosts):
        args = [SLEEP_MS, SAMPLES, states, *(bench.mpi.broken if ghosts is None else ())]
        how = {"users_per_node": 1, "ghosts": ghosts, "env": {"BENCH_WINDOW": window}}
        for line in bench.lines(program, args, **how):
            ops.setdefault(line["op"], line)
            bench.rounds.add_line((kind, line["state"], line["op"]), line)

    plain, casper = (lambda: one("plain", "idle,busy", None), lambda: one("casper", "busy,cold", 1))
    bench.turns(f"gap, windows of {window}", plain, casper)
    return [gap_row(bench, line) for line in ops.values()]


def created(bench, _quick):
    """Rows of created.json: windows on the program's own memory."""
    rows = []
    for window in ("create", "alloc_mem", "dynamic"):
        bench.rounds = results.Rounds()
        for row in gap(bench, window):
            row["busy_share"] = round(row["casper_busy_us"] / (1e3 * SLEEP_MS), 4)
            rows.append({"window": window, **row})
    return rows


def only_gap(bench, _quick):
    return gap(bench)


def gap_row(bench, line):
    op = line["op"]
    row = {"mpi": bench.mpi.name, "op": op, "shape": line["shape"], "bytes": line["bytes"]}
    alike = {"plain_idle_us": ("plain", "idle", op), "casper_busy_us": ("casper", "busy", op)}
    bench.rounds.compare(row, alike)
    bench.rounds.put(row, "plain_busy_us", ("plain", "busy", op))
    bench.rounds.put(row, "casper_cold_us", ("casper", "cold", op))
    bench.want(row, "casper_busy_us", "casper_cold_us")
    results.ratio(row, "casper_busy_us", "plain_idle_us", "ratio")
    if op in bench.mpi.broken:
        row["note"] = "The plain library crashes: not run there."
    elif row.get("plain_busy_us", 1e9) < 1e3 * SLEEP_MS / 4:
        row["note"] = "The plain library returns before the target has the data."
    return row


def overhead(bench):
    """Rows of overhead.json for one MPI library: costs of calls, windows, epochs."""
    program = bench.mpi.compile("overhead", OVERHEAD_SOURCES)
    whats = {}

    def one(kind, state, ghosts, *groups):
        how = {"users_per_node": 1, "ghosts": ghosts}
        for line in bench.lines(program, [SLEEP_MS, state, *groups], **how):
            whats.setdefault(line["what"])
            bench.rounds.add_line((kind, line["what"]), line)

    rest = ("calls", "window", "issue", "passive", "active")
    messages = [
        lambda: one("plain", "idle", None, "p2p"),
        lambda: one("casper", "idle", 1, "p2p"),
        lambda: one("ng0", "idle", 0, "p2p"),
    ]
    bench.turns(
        "overhead",
        lambda: one("plain", "idle", None, *rest),
        lambda: one("casper", "busy", 1, *rest),
        lambda: one("ng0", "idle", 0, "calls"),
        *(MESSAGE_TURNS * messages),
    )
    rows = [overhead_row(bench, what, "casper", what) for what in whats]
    zero = [what for what in whats if ("ng0", what) in bench.rounds.runs]
    return rows + [overhead_row(bench, what, "ng0", f"{what}, CSP_NG=0") for what in zero]


def overhead_row(bench, what, kind, label):
    row = {"mpi": bench.mpi.name, "what": label}
    bench.rounds.compare(row, {"plain_us": ("plain", what), "casper_us": (kind, what)}, 5)
    results.ratio(row, "casper_us", "plain_us", "ratio")
    return row


def shared_cores(bench, per_node, work_units, ask_s):
    """Rows of overhead.json: computing users whose cores the ghosts share."""
    program = bench.mpi.compile("shared_cores", SHARED_SOURCES)
    users = 2 * per_node

    def one(kind, ghosts, env):
        how = {"users_per_node": per_node, "ghosts": ghosts, "env": env}
        for line in bench.lines(program, [work_units, ask_s], **how):
            bench.rounds.add((kind, users, line["what"]), line["samples"])
            if line["what"] == "answer" and line["samples"]:
                bench.rounds.add((kind, users, "p95"), [results.quantile(line["samples"], 0.95)])

    runs = [lambda: one("plain", None, {})]
    runs += [lambda poll=poll: one(poll, 1, {"CSP_GHOST_POLL": poll}) for poll in POLLS]
    bench.turns(f"{users} users on shared cores", *runs)
    return [shared_row(bench, users, poll) for poll in POLLS]


def shared_row(bench, users, poll):
    what = f"{users} users compute on {os.cpu_count()} cores, 2 quiet ghosts, CSP_GHOST_POLL={poll}"
    row = {"mpi": bench.mpi.name, "what": what, "poll": poll, "users": users}
    bench.rounds.put(row, "plain_us", ("plain", users, "work"))
    bench.rounds.put(row, "casper_us", (poll, users, "work"))
    results.ratio(row, "casper_us", "plain_us", "ratio")
    bench.rounds.put(row, "plain_answer_us", ("plain", users, "answer"))
    bench.rounds.put(row, "answer_us", (poll, users, "answer"))
    bench.rounds.put(row, "answer_p95_us", (poll, users, "p95"))
    return row


def all_overhead(bench, quick):
    work, ask_s = (300, 0.5) if quick else (1000, 1.5)
    rows = overhead(bench)
    rows += shared_cores(bench, 1, work, ask_s)
    return rows + shared_cores(bench, 2, work // 2, ask_s)


FILES = {"gap": only_gap, "created": created, "overhead": all_overhead, **rma.FILES}


def measure(name, mpi, args):
    """One file's rows for one MPI library, merged into the file."""
    bench = driver.Bench(name, mpi, args, 120)
    start_s = time.time()
    rows = FILES[name](bench, args.quick)
    path = results.merge(name, mpi.name, rows, **bench.about(start_s))
    print(f"  {mpi.name} {name}: {len(rows)} rows in {path.relative_to(launch.ROOT)}", flush=True)


def main():
    parser = driver.options(__doc__, FILES, 5)
    return driver.main(driver.parse(parser, FILES, 2), measure)


if __name__ == "__main__":
    sys.exit(main())
