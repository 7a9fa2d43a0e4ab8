#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""Messages through ghosts (CasperII V): posting and waiting, latency and rate, overlap, a halo exchange,
the cost of each hop; plain, with the MPI library's own progress thread and with ghosts, runs in turns.
Writes build/results/p2p.json; rows of MPI libraries, programs and networks that were not measured this
time stay as they are.
Exit code 1 if something did not run or found wrong data."""

import contextlib
import json
import os
import sys
import time

import driver
import launch
import network
import results

CONFIGS = ("plain", "thread", "ghost", "auto")
P2P = {"ghost": "on", "auto": "auto"}  # CSP_P2P; the others: without Casper
SAMPLES, QUICK_SAMPLES = 400, 30
BYTES, QUICK_BYTES = 4 << 20, 1 << 18
OVERLAP_SAMPLES = 4  # times as many: they are of several messages
HALO = (
    (256, 64),
    (512, 128),
    (1024, 128),
)  # words of a side, of the halo: faces of 128, 512, 1024 KB
HALO_ITERATIONS, QUICK_ITERATIONS = 100, 10
HALO_MEMORY = ("malloc", "alloc")  # of the C library, of MPI_Alloc_mem
HALO_FACTORS = (0.5, 1, 2)  # computing / what plain takes to exchange
MEASURED = ("samples", "core_to_core_ns")  # of a line; the rest says what it is about
LABELS = ("side", "type", "memory", "factor", "messages", "compute_us", "iterations")


# ---- what follows from the lines of one run: more lines


def line_of(line, metric, value, unit):
    return {**line, "metric": metric, "unit": unit, "samples": [value]}


def figures(lines, *labels):
    """Medians by metric, for each set of labels: [(a line, {metric: median})]."""
    found = {}
    for line in lines:
        key = tuple(line.get(label) for label in ("bytes", *labels))
        first, values = found.setdefault(key, (line, {}))
        values[line["metric"]] = results.median(line["samples"])
    return found.values()


def tails(lines):
    """The 90th percentile of each call."""
    return [
        line_of(line, f"{line['metric']}_p90", results.quantile(line["samples"], 0.9), "us")
        for line in lines
    ]


def nothing(_lines):
    return []


def sandia(lines):
    more = []
    for line, x in figures(lines, "side"):
        overhead = x["total"] - x["work"]
        more.append(line_of(line, "overhead", overhead, "us"))
        more.append(line_of(line, "availability", 1 - overhead / x["base"], "1"))
    return more


def sweep(lines):
    more = []
    for line, x in figures(lines, "factor"):
        ideal = max(x["compute"], x["transfer"])
        more.append(line_of(line, "over_ideal", x["total"] / ideal, "1"))
    return more


def halo(lines):
    """How much of what a transfer takes processes spend on it all the same."""
    return [
        line_of(line, "wait_share", (x["post"] + x["wait"]) / x["exchange"], "1")
        for line, x in figures(lines)
    ]


def hops(lines):
    """One side's hops. Two are measured alone (post, seen); what else a question to the ghost takes is
    until it takes a cell up, and what more a message takes is the match."""
    ((line, x),) = figures(lines)
    post, seen = max(x["post_send"], x["post_recv"]), x["seen"] / 2
    pickup = max(0, x["ask"] - x["post_recv"] - seen)
    match = max(0, x["self"] - x["post_recv"] - x["post_send"] - pickup - x["seen"])
    parts = {"hop_post": post, "hop_pickup": pickup, "hop_match": match, "hop_seen": seen}
    parts["hop_side"] = sum(parts.values())
    return [line_of(line, metric, value, "us") for metric, value in parts.items()]


# ---- runs


def configs_of(mpi):
    known = [c for c in CONFIGS if P2P.get(c, "on") in accepted()]
    return [c for c in known if c != "thread" or mpi.thread]


def accepted():
    """The values that CSP_P2P may have."""
    path = launch.ROOT / "tools" / "casper" / "casper_cli" / "config_table.json"
    variables = json.loads(path.read_text(encoding="utf-8"))["variables"]
    return next(v["values"] for v in variables if v["name"] == "CSP_P2P")


class Study:
    """A program on one MPI library and one shape of job: the runs in turns, and their rows."""

    def __init__(self, bench, args, source, derive, **shape):
        self.bench, self.args, self.derive = bench, args, derive
        self.shape = {"users_per_node": 1, "nodes": 2, **shape}
        self.file = bench.mpi.compile(
            source, tuple(f"{name}.c" for name in (source, "two_sided", "place", "bench"))
        )
        self.configs, self.derived_in = configs_of(bench.mpi), CONFIGS
        self.labels = {}  # those of each row, in the order in which they came
        self.compute = "none"

    def computes(self):
        """The program computes: asleep where there are fewer cores than processes, or as the user says."""
        processes = self.shape["nodes"] * (self.shape["users_per_node"] + 1)
        crowded = os.cpu_count() < processes
        self.compute = self.args.compute or ("sleep" if crowded else "spin")
        return self

    def lines(self, config, samples, *words):
        env, ghosts = {}, None
        if config == "thread":
            env = self.bench.mpi.thread
        elif config in P2P:
            env, ghosts = {"CSP_P2P": P2P[config]}, 1
        how = "spin" if self.compute == "none" else self.compute
        words = (QUICK_BYTES if self.args.quick else BYTES, samples, how, *words)
        return self.bench.lines(self.file, words, env=env, ghosts=ghosts, **self.shape)

    def run(self, config, samples, *words, **labels):
        """One run; labels: what its lines do not say themselves."""
        lines = self.lines(config, samples, *words)
        for line in lines + (self.derive(lines) if config in self.derived_in else []):
            row = {k: v for k, v in {**line, **labels}.items() if k not in MEASURED}
            key = (config, *sorted((k, str(v)) for k, v in row.items()))
            self.labels.setdefault(key, row)
            self.bench.rounds.add_line(key, line)

    def turns(self, samples, *words, **labels):
        def one(config):
            self.run(config, samples, *words, **labels)

        runs = [lambda c=c: self.bench.attempt(self.configs, c, one) for c in CONFIGS]
        self.bench.turns(self.bench.what, *runs)
        return self

    def rows(self):
        net = self.bench.mpi.network
        about = {"network": str(net) if net else "virtual", **self.shape, "compute": self.compute}
        about |= {"delay_us": net.delay_us, "rate_mbit": net.rate_mbit} if net else {}
        return [self.row(key, self.labels[key], about) for key in self.kept()]

    def kept(self):
        """The keys of the configurations that got through."""
        return [key for key in self.labels if key[0] in self.configs]

    def alike(self, key):
        """The keys of the same figure in all configurations."""
        return [other for other in self.kept() if other[1:] == key[1:]]

    def row(self, key, line, about):
        row = {"mpi": self.bench.mpi.name, "program": self.bench.what, "config": key[0]}
        row |= {"bytes": line["bytes"], "metric": line["metric"]}
        self.bench.rounds.compare(row, {"value": key}, 6, self.alike(key))
        row |= {k: line[k] for k in LABELS if k in line}
        return {**row, "unit": line["unit"], **about}


def count(args, usual=SAMPLES, quick=QUICK_SAMPLES):
    return quick if args.quick else usual


def post(bench, args):
    return Study(bench, args, "post_wait", tails).turns(count(args)).rows()


def two_places(bench, args):
    """Between nodes, and inside one if that is not the network's matter."""
    shapes = [{"nodes": 2, "users_per_node": 1}]
    shapes += [] if bench.mpi.network else [{"nodes": 1, "users_per_node": 2}]
    rows = []
    for shape in shapes:
        bench.rounds = results.Rounds()
        study = Study(bench, args, "ping_rate", nothing, **shape)
        rows += study.turns(count(args) // 2, bench.what).rows()
    return rows


def overlap(bench, args):
    study = Study(bench, args, "overlap", sandia).computes()
    return study.turns(OVERLAP_SAMPLES * count(args), "sandia").rows()


def swept(bench, args):
    study = Study(bench, args, "overlap", sweep).computes()
    return study.turns(count(args), "sweep").rows()


def halo_2d(bench, args):
    """Computing as long as some part of what plain takes to exchange, the same in all configurations."""
    study = Study(bench, args, "halo_2d", halo, users_per_node=2).computes()
    iterations = count(args, HALO_ITERATIONS, QUICK_ITERATIONS)
    for size in HALO[:1] if args.quick else HALO:
        look = figures(study.lines("plain", iterations, *size, 0, HALO_MEMORY[0]))
        exchange_us = next(iter(look))[1]["exchange"]
        for factor in HALO_FACTORS:
            for memory in HALO_MEMORY:
                words = (*size, round(factor * exchange_us), memory)
                study.turns(iterations, *words, factor=factor, memory=memory)
    return study.rows()


def all_hops(bench, args):
    """One process and its ghost. Between them there is no network."""
    if os.cpu_count() < 2 or bench.mpi.network:
        print(f"  {bench.mpi.name} hops: skipped, they want two cores and no network", flush=True)
        return []
    study = Study(bench, args, "hops", hops, nodes=1)
    study.derived_in = tuple(P2P)
    return study.turns(count(args, 5 * SAMPLES, 5 * QUICK_SAMPLES)).rows()


PROGRAMS = {
    "post": post,
    "latency": two_places,
    "rate": two_places,
    "overlap": overlap,
    "sweep": swept,
    "halo": halo_2d,
    "hops": all_hops,
}


def measure(name, mpi, args):
    """One program's rows for one MPI library and network, merged into the file."""
    mpi.network = args.network
    bench = driver.Bench(name, mpi, args, args.limit_s)
    start_s = time.time()
    rows = PROGRAMS[name](bench, args)
    if rows:
        path = results.merge("p2p", results.run_key(rows[0]), rows, **bench.about(start_s))
        print(f"  {mpi.name} {name}: {len(rows)} rows in {path.relative_to(launch.ROOT)}")


def main():
    parser = driver.options(__doc__, PROGRAMS, 3)
    parser.add_argument(
        "--compute",
        choices=("sleep", "spin"),
        help="how programs compute (default: sleep where there are fewer cores than processes)",
    )
    parser.add_argument("--netns", action="store_true", help="nodes are network namespaces (root)")
    parser.add_argument("--delay-us", type=int, default=0, help="with --netns: of each message")
    parser.add_argument("--rate-mbit", type=int, default=0, help="with --netns: of each node")
    parser.add_argument("--limit-s", type=float, default=300, help="of a run (default: 300)")
    args = driver.parse(parser, PROGRAMS, 1)
    if (args.delay_us or args.rate_mbit) and not args.netns:
        parser.error("--delay-us and --rate-mbit want --netns")
    args.network = network.Netns(args.delay_us, args.rate_mbit) if args.netns else None
    launch.end_on_signal()
    try:
        with args.network or contextlib.nullcontext():
            return driver.main(args, measure)
    except launch.Failed as failed:
        print(f"bench: {failed}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
