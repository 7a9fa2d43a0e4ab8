# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""What the commands share that measure on several MPI libraries (run.py, adapt.py): their options,
runs in turns, and what others used of the machine meanwhile."""

import argparse
import json
import os
import sys
import time

import launch
import load
import network
import results


class Bench:
    """Runs programs on one MPI library and keeps the samples of all rounds. `what` is measured."""

    def __init__(self, what, mpi, args, timeout_s):
        self.what, self.mpi, self.timeout_s = what, mpi, timeout_s
        self.count, self.patience, self.quiet_s = args.rounds, args.patience, args.quiet_s
        self.quick = args.quick
        self.rounds = results.Rounds()
        self.foreign_cores = []  # what others used during the runs that count

    def lines(self, program, args, more=list, **how):
        """What the program wrote; its first argument is the file. A run that others disturbed is
        repeated, up to the user's patience; the least disturbed one counts. `more` gets the lines
        right after their run and gives what is returned."""
        best = None
        for _ in range(1 + self.patience):
            load.wait_quiet(self.quiet_s)
            meter = load.Meter()
            written = self.once(program, args, **how)
            foreign, lines = meter.stop(), more(written)
            if best is None or foreign < best[0]:
                best = (foreign, lines)
            if foreign <= load.QUIET_CORES:
                break
        self.foreign_cores.append(best[0])
        return best[1]

    def once(self, program, args, before=(), **how):
        """The same without a look at others: for figures that are no times. before: the words before
        the program's."""
        out = results.RESULTS / f"{self.mpi.name}.{os.getpid()}.lines"
        try:
            launch.run(self.mpi, [*before, program, out, *args], self.timeout_s, **how)
            return results.read_lines(out)
        finally:
            out.unlink(missing_ok=True)

    def turns(self, what, *runs):
        """Calls the runs in turns, round after round."""
        for i in range(self.count):
            print(f"  {self.mpi.name} {what}: round {i + 1} of {self.count}", flush=True)
            for run in runs:
                run()

    def want(self, row, *fields):
        """Fails if one of the figures is not there: every run of it ended without a sample."""
        for field in fields:
            if field not in row:
                raise launch.Failed(f"{self.mpi.name} {self.what}: no samples for {field} of {row}")

    def attempt(self, configs, config, run):
        """Calls run(config), if it is among the configurations. Some libraries do not get through with
        their own progress thread: `thread` is taken out, and the others go on."""
        if config not in configs:
            return
        try:
            run(config)
        except launch.Failed as failed:
            if config != "thread":
                raise
            print(f"  {self.what}: goes on without `thread`: {failed}", flush=True)
            configs.remove(config)

    def report_path(self):
        return results.RESULTS / f"{self.mpi.name}.report.json"

    def take_report(self):
        """What the run before wrote there."""
        report = json.loads(self.report_path().read_text(encoding="utf-8"))
        self.report_path().unlink()
        return report

    def about(self, start_s):
        """The circumstances of the runs so far."""
        return {
            "rounds": self.count,
            "quick": self.quick,
            "took_s": round(time.time() - start_s),
            "foreign_cores": results.median(self.foreign_cores),
            "foreign_cores_most": max(self.foreign_cores, default=None),
            "tcp": network.congestion_control(),
        }


def options(description, names, rounds):
    """The parser with the options of all such commands."""
    known = launch.libraries()
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--mpi", default=",".join(known), help=f"default: {','.join(known)}")
    parser.add_argument("--only", default=",".join(names), help=f"default: {','.join(names)}")
    parser.add_argument(
        "--rounds", type=int, default=rounds, help=f"runs of each kind (default: {rounds})"
    )
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
    parser.add_argument("--quick", action="store_true", help="fewer rounds, less work")
    return parser


def parse(parser, names, quick_rounds):
    """The arguments; what follows runs in the command's own network."""
    args = parser.parse_args()
    args.rounds = quick_rounds if args.quick else args.rounds
    unknown = set(args.mpi.split(",")) - set(launch.libraries())
    unknown |= set(args.only.split(",")) - set(names)
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    network.own()
    return args


def main(args, measure):
    """Calls measure(name, mpi, args) for what the arguments say. @return the exit code: 1 if
    something did not run or found wrong data"""
    results.RESULTS.mkdir(parents=True, exist_ok=True)
    load.adopt_orphans()
    launch.end_on_signal()
    known, failures = launch.libraries(), 0
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
