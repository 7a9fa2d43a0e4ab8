#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""Redirection on, off and adaptive (TPDS 7 and 8): programs in phases, in every configuration, runs in
turns, on two virtual nodes. Writes build/results/adapt.json; rows of MPI libraries and programs that
were not measured this time stay as they are.
Exit code 1 if something did not run or found wrong data."""

import math
import os
import shutil
import sys
import time

import driver
import held
import launch
import results

PLACE = launch.ROOT / "bench" / "place.sh"
SOURCES = {
    "phases": ("phases.c", "app.c", "bench.c"),
    "chem": ("chem.c", "app.c", "bench.c"),
    "sync_cost": ("sync_cost.c", "app.c", "bench.c"),
}
WORK_US = {"phases": (10000, 100), "chem": (2000,)}  # between the operations
KINDS = {"phases": ("COMP", "COMM"), "chem": ("SCF", "4INDEX", "CCSD", "(T)")}
ALL = {"phases": "multiphase", "chem": "ccsd"}  # the program with all kinds
USED = {"comp": ("COMP",), "comm": ("COMM",), "dft": ("SCF",)}  # the others: all kinds
SHORT = {("ccsd", "SCF"): 0.25}  # parts of a phase's length
LOOK = {"phases": 20, "chem": 4}  # rounds of each kind that tell how long one takes
# Programs in which the MPI library executes accumulates, with a ghost as the target, as in the paper.
BY_LIBRARY = "_library"
LIBRARY = {"CSP_ACC_ROUTE": "library"}
CONFIGS = ("plain", "thread", "on1", "on2", "off", "U", "P", "GP", "auto")
OVERHEAD_CONFIGS = ("plain", "on1", "U", "P", "GP", "auto")
TRACED = "traced"  # on1 with a timeline
STATIC = {"on1": "on", "on2": "on", "off": "off", TRACED: "on"}
METHODS = {"P": "profile", "GP": "profile_ghosts"}
# Intervals as parts of a phase's length: 1 and 2 s for phases of 20 s, as in the paper.
PREDICT, GSYNC = 1 / 20, 1 / 10
PREDICT_TIMES, GSYNC_TIMES = (0.1, 0.5, 1, 2, 4), (0.5, 2, 4)
THREAD_ROUNDS = 2  # it takes several times as long as the others
OVERHEAD_ROUNDS = 3  # a run takes seconds, and varies
TRACE_PROGRAMS = (("phases", "comp"), ("phases", "comm"), ("chem", "dft"))
TRACE_ROUNDS = 3  # a difference of 3 % is to be seen
TURN_S = 0.06  # of sync_cost: more than two intervals of prediction
TURN_PREDICT_MS = 20


def how_to_run(mpi, config, users_per_node, intervals_ms):
    """How `casper run` starts a configuration; intervals: of prediction, of ghosts' exchange."""
    env, ghosts = {}, 2 if config == "on2" else 1
    if config == "plain":
        ghosts = None
    elif config == "thread":
        env, ghosts = dict(mpi.thread), None
    elif config in STATIC:
        env["CSP_ASYNC_CONFIG"] = STATIC[config]
    elif config != "U":
        env["CSP_ASYNC_CONFIG"] = "auto"
    if config == TRACED:
        env["CSP_TRACE"] = results.TIMELINES
    if config in METHODS:
        env["CSP_AUTO_METHOD"] = METHODS[config]
        env["CSP_PREDICT_INT"], env["CSP_GSYNC_INT"] = (round(1e3 * x) for x in intervals_ms)
    before = placed(users_per_node + (ghosts or 0))
    return {"users_per_node": users_per_node, "ghosts": ghosts, "env": env, "before": before}


def placed(per_node):
    """The command before the program, with which each of its processes stays on a core."""
    return [PLACE, per_node, ",".join(str(core) for core in sorted(os.sched_getaffinity(0)))]


class Study:
    """A program on one MPI library: how long a phase is, the runs, and what came out. `source` names
    the file, `name` the program in it."""

    looks = {}  # seconds of a round of each kind, by MPI library, source and settings

    def __init__(self, bench, args, source, name):
        self.bench, self.phase_s, self.users = bench, args.phase_s, args.users
        self.source, self.name = source, name
        self.file = bench.mpi.compile(source, SOURCES[source])
        self.kinds = {}  # of phases, by number
        by_library = bench.what.endswith(BY_LIBRARY)
        self.env = LIBRARY if by_library else {}
        with_thread = bench.mpi.thread and not by_library  # these differ with Casper only
        self.configs = [c for c in CONFIGS if c != "thread" or with_thread]
        self.threads = 0  # runs of `thread`
        self.words = [name, *self.counts(), *WORK_US[source]]

    def counts(self):
        """How many rounds of each kind make a phase as long as wanted where it is the shortest."""
        key = (self.bench.mpi.name, self.source, *self.env)
        if key not in self.looks:
            self.looks[key] = self.look()
        counts = []
        for kind, round_s in self.looks[key].items():
            wanted_s = self.phase_s * SHORT.get((self.name, kind), 1)
            used = kind in USED.get(self.name, KINDS[self.source])
            counts.append(math.ceil(wanted_s / round_s) if used else 0)
        return counts

    def look(self):
        kinds, rounds = KINDS[self.source], LOOK[self.source]
        self.words = [ALL[self.source], *[rounds] * len(kinds), *WORK_US[self.source]]
        runs = [self.run(config)[0] for config in ("on1", "off")]
        shortest = {}
        for kind in kinds:
            each = [[x["seconds"] for x in lines if x["kind"] == kind] for lines in runs]
            shortest[kind] = min(results.median(seconds) for seconds in each) / rounds
        return shortest

    def intervals(self):
        """Of prediction and of ghosts' exchange, in ms."""
        return 1e3 * PREDICT * self.phase_s, 1e3 * GSYNC * self.phase_s

    def run(self, config, intervals_ms=None):
        """The lines of one run, and the report if there is Casper."""
        bench, words = self.bench, self.words + ["hints"] * (config == "U")
        how = how_to_run(bench.mpi, config, self.users, intervals_ms or self.intervals())
        if how["ghosts"] is None:
            return bench.lines(self.file, words, lambda lines: (lines, None), **how)
        how["env"] |= self.env
        how["env"]["CSP_REPORT_FILE"] = bench.report_path()
        return bench.lines(self.file, words, lambda lines: (lines, bench.take_report()), **how)

    def add_config(self, config):
        """One run of a configuration."""
        if config == "thread":
            self.threads += 1
            if self.threads > THREAD_ROUNDS:
                return
        self.bench.attempt(self.configs, config, lambda c: self.add((c,)))

    def add(self, key, intervals_ms=None):
        """One run in phases: its times and what held. key: the configuration, what else varies."""
        lines, report = self.run(key[0], intervals_ms)
        add = self.bench.rounds.add
        stays = self.bench.mpi.fixed_routes and key[0] in METHODS  # whatever is predicted
        settings = held.held("on1" if stays else key[0], lines, report)
        for line, was in zip(lines, settings, strict=True):
            self.kinds[line["phase"]] = line["kind"]
            for what, value in {"seconds": line["seconds"], **was}.items():
                add((*key, line["phase"], what), [value])
        add((*key, 0, "seconds"), [sum(line["seconds"] for line in lines)])

    def rows(self, key, **labels):
        """A row for each phase, and one of phase 0 for the whole run."""
        rows = []
        for phase, kind in {**self.kinds, 0: "run"}.items():
            row = {"mpi": self.bench.mpi.name, "program": self.bench.what, "config": key[0]}
            row |= {**labels, "phase": phase, "kind": kind}
            for what in ("seconds", *held.FIELDS):
                self.bench.rounds.put(row, what, (*key, phase, what), 6)
            rows.append(row)
        return rows


def in_phases(bench, args):
    """A program in phases in all configurations."""
    name = bench.what.removesuffix(BY_LIBRARY)
    study = Study(bench, args, "chem" if name in ("dft", "ccsd") else "phases", name)
    bench.turns(bench.what, *[lambda c=c: study.add_config(c) for c in CONFIGS])
    return [row for c in study.configs for row in study.rows((c,))]


def intervals(bench, args):
    """The multiphase program under GP, by the two intervals (TPDS 7.5)."""
    study = Study(bench, args, "phases", "multiphase")
    predict, gsync = study.intervals()
    pairs = [(predict * x, gsync) for x in PREDICT_TIMES] + [
        (predict, gsync * x) for x in GSYNC_TIMES
    ]
    bench.turns(bench.what, *[lambda p=p: study.add(("GP", *p), p) for p in pairs])
    rows = []
    for pair in pairs:
        rows += study.rows(("GP", *pair), predict_ms=pair[0], gsync_ms=pair[1])
    return rows


def overhead(bench, args):
    """Calls in which redirection may change (TPDS 7.1), with 2 and 4 users."""
    file = bench.mpi.compile("sync_cost", SOURCES["sync_cost"])
    words, whats = [50 if args.quick else 100, TURN_S], {}
    bench.count *= 1 if args.quick else OVERHEAD_ROUNDS

    def one(config, per_node):
        how = how_to_run(bench.mpi, config, per_node, (TURN_PREDICT_MS, TURN_PREDICT_MS))
        for line in bench.lines(file, words + ["hints"] * (config == "U"), **how):
            whats.setdefault((line["what"], 2 * per_node))
            bench.rounds.add((config, line["what"], 2 * per_node), line["samples"])

    for per_node in (1, 2):
        runs = [lambda c=c, n=per_node: one(c, n) for c in OVERHEAD_CONFIGS]
        bench.turns(f"overhead, {2 * per_node} users", *runs)
    return [overhead_row(bench, c, *key) for key in whats for c in OVERHEAD_CONFIGS]


def overhead_row(bench, config, what, users):
    row = {"mpi": bench.mpi.name, "program": "overhead", "config": config, "what": what}
    row["users"] = users
    bench.rounds.put(row, "us", (config, what, users))
    return row


def trace(bench, args):
    """What a timeline (CSP_TRACE) costs: whole runs with redirection on, with and without one."""
    studies = [Study(bench, args, *program) for program in TRACE_PROGRAMS]
    configs = ("on1", TRACED)
    bench.count *= 1 if args.quick else TRACE_ROUNDS

    def one(study, config):
        lines, _report = study.run(config)
        seconds = sum(line["seconds"] for line in lines)
        bench.rounds.add((config, study.name), [seconds])

    for study in studies:
        bench.turns(f"trace, {study.name}", *[lambda s=study, c=c: one(s, c) for c in configs])
    shutil.rmtree(results.TIMELINES, ignore_errors=True)
    return [trace_row(bench, study.name, config) for study in studies for config in configs]


def trace_row(bench, what, config):
    row = {"mpi": bench.mpi.name, "program": "trace", "config": config, "what": what}
    bench.rounds.put(row, "seconds", (config, what), 6)
    return row


PROGRAMS = {
    "comp": in_phases,
    "comm": in_phases,
    "multiphase": in_phases,
    "comp_library": in_phases,
    "comm_library": in_phases,
    "multiphase_library": in_phases,
    "intervals": intervals,
    "overhead": overhead,
    "dft": in_phases,
    "ccsd": in_phases,
    "trace": trace,
}


def measure(name, mpi, args):
    """One program's rows for one MPI library, merged into the file."""
    bench = driver.Bench(name, mpi, args, args.limit_s)
    start_s = time.time()
    rows = PROGRAMS[name](bench, args)
    about = {**bench.about(start_s), "phase_s": args.phase_s, "users": 2 * args.users}
    path = results.merge("adapt", f"{mpi.name} {name}", rows, **about)
    print(f"  {mpi.name} {name}: {len(rows)} rows in {path.relative_to(launch.ROOT)}", flush=True)


def main():
    parser = driver.options(__doc__, PROGRAMS, 3)
    parser.add_argument("--phase-s", type=float, help="length of a phase (default: 4; --quick: 1)")
    parser.add_argument("--users", type=int, default=1, help="users on each node (default: 1)")
    parser.add_argument("--limit-s", type=float, help="limit of a run (default: from --phase-s)")
    args = driver.parse(parser, PROGRAMS, 1)
    args.phase_s = args.phase_s or (1 if args.quick else 4)
    args.limit_s = args.limit_s or 60 + 100 * args.phase_s
    return driver.main(args, measure)


if __name__ == "__main__":
    sys.exit(main())
