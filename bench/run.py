#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""The micro-benchmarks: plain MPI library against Casper, runs in turns, between two virtual nodes.
Writes build/results/gap.json, created.json, overhead.json and those of rma.py; rows of MPI libraries
that were not measured this time stay as they are.
Exit code 1 if something did not run or found wrong data."""

import argparse
import os
import sys
import time

import launch
import load
import results

import rma

GAP_SOURCES = ("gap.c", "series.c", "ops.c", "bench.c")
OVERHEAD_SOURCES = ("overhead.c", "series.c", "bench.c")
SHARED_SOURCES = ("shared_cores.c", "bench.c")
SLEEP_MS = 30  # of a busy target: what a plain operation waits
SAMPLES = 400
POLLS = ("auto", "spin", "sleep")


class Bench:
    """Runs programs on one MPI library and keeps the samples of all rounds."""

    def __init__(self, mpi, args, timeout_s):
        self.mpi, self.timeout_s = mpi, timeout_s
        self.count, self.patience, self.quiet_s = args.rounds, args.patience, args.quiet_s
        self.rounds = results.Rounds()
        self.foreign_cores = []  # what others used during the runs that count

    def lines(self, program, args, **how):
        """What the program wrote; its first argument is the file. A run that others disturbed is
        repeated, up to the user's patience; the least disturbed one counts."""
        out = results.RESULTS / f"{self.mpi.name}.lines"
        best = None
        for _ in range(1 + self.patience):
            load.wait_quiet(self.quiet_s)
            meter = load.Meter()
            launch.run(self.mpi, [program, out, *args], self.timeout_s, **how)
            foreign = meter.stop()
            if best is None or foreign < best[0]:
                best = (foreign, results.read_lines(out))
            if foreign <= load.QUIET_CORES:
                break
        out.unlink()
        self.foreign_cores.append(best[0])
        return best[1]

    def once(self, program, args, **how):
        """The same without a look at others: for figures that are no times."""
        out = results.RESULTS / f"{self.mpi.name}.lines"
        launch.run(self.mpi, [program, out, *args], self.timeout_s, **how)
        lines = results.read_lines(out)
        out.unlink()
        return lines

    def turns(self, what, *runs):
        """Calls the runs in turns, round after round."""
        for i in range(self.count):
            print(f"  {self.mpi.name} {what}: round {i + 1} of {self.count}", flush=True)
            for run in runs:
                run()


def gap(bench, window="allocate"):
    """Rows of gap.json or created.json for one MPI library."""
    program = bench.mpi.compile("gap", GAP_SOURCES)
    ops = {}

    def one(kind, states, ghosts):
        args = [SLEEP_MS, SAMPLES, states, *bench.mpi.broken]
        how = {"users_per_node": 1, "ghosts": ghosts, "env": {"BENCH_WINDOW": window}}
        for line in bench.lines(program, args, **how):
            ops.setdefault(line["op"], line)
            bench.rounds.add((kind, line["state"], line["op"]), line["samples"])

    plain, casper = (lambda: one("plain", "idle,busy", None), lambda: one("casper", "busy,cold", 1))
    bench.turns(f"gap, windows of {window}", plain, casper)
    return [gap_row(bench, line) for line in ops.values()]


def created(bench, _quick):
    """Rows of created.json: windows on the program's own memory."""
    rows = []
    for window in ("create", "dynamic"):
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
    bench.rounds.put(row, "plain_idle_us", ("plain", "idle", op))
    bench.rounds.put(row, "plain_busy_us", ("plain", "busy", op))
    bench.rounds.put(row, "casper_busy_us", ("casper", "busy", op))
    bench.rounds.put(row, "casper_cold_us", ("casper", "cold", op))
    results.ratio(row, "casper_busy_us", "plain_idle_us", "ratio")
    if row.get("plain_busy_us", 1e9) < 1e3 * SLEEP_MS / 4:
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
            bench.rounds.add((kind, line["what"]), line["samples"])

    bench.turns(
        "overhead",
        lambda: one("plain", "idle", None),
        lambda: one("casper", "busy", 1),
        lambda: one("ng0", "idle", 0, "calls", "p2p"),
    )
    rows = [overhead_row(bench, what, "casper", what) for what in whats]
    zero = [what for what in whats if ("ng0", what) in bench.rounds.runs]
    return rows + [overhead_row(bench, what, "ng0", f"{what}, CSP_NG=0") for what in zero]


def overhead_row(bench, what, kind, label):
    row = {"mpi": bench.mpi.name, "what": label}
    bench.rounds.put(row, "plain_us", ("plain", what), 5)
    bench.rounds.put(row, "casper_us", (kind, what), 5)
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
    bench = Bench(mpi, args, 120)
    start = time.time()
    rows = FILES[name](bench, args.quick)
    about = {
        "rounds": args.rounds,
        "took_s": round(time.time() - start),
        "foreign_cores": results.median(bench.foreign_cores),
        "foreign_cores_most": max(bench.foreign_cores, default=None),
    }
    path = results.merge(name, mpi.name, rows, **about)
    print(f"  {mpi.name} {name}: {len(rows)} rows in {path.relative_to(launch.ROOT)}", flush=True)


def main():
    known = launch.libraries()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mpi", default=",".join(known), help=f"default: {','.join(known)}")
    parser.add_argument("--only", default=",".join(FILES), help=f"default: {','.join(FILES)}")
    parser.add_argument("--rounds", type=int, default=5, help="runs of each kind (default: 5)")
    parser.add_argument(
        "--patience",
        type=int,
        default=2,
        help="how often a run is repeated that others disturbed (default: 2)",
    )
    parser.add_argument(
        "--quiet-s",
        type=float,
        default=10,
        help="how long each run waits for a machine that does nothing else (default: 10 s)",
    )
    parser.add_argument("--quick", action="store_true", help="two rounds, less work")
    args = parser.parse_args()
    args.rounds = 2 if args.quick else args.rounds
    unknown = set(args.mpi.split(",")) - set(known) | set(args.only.split(",")) - set(FILES)
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    results.RESULTS.mkdir(parents=True, exist_ok=True)
    load.adopt_orphans()
    launch.end_on_signal()
    failures = 0
    for mpi in (known[name] for name in args.mpi.split(",")):
        if not mpi.available():
            print(f"  {mpi.name}: skipped, {mpi.title} or the library for it is not here")
            continue
        for name in args.only.split(","):
            try:
                measure(name, mpi, args)
            except launch.Failed as failed:
                failures += 1
                print(f"bench: {failed}", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
