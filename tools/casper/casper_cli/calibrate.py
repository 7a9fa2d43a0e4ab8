# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""casper calibrate: measures the thresholds of redirection by profile for one deployment on this machine."""

import argparse
import itertools
import math
import platform
import random
import sys
import time
from dataclasses import asdict, dataclass

from casper_cli import builds, choose, crossing, helper, plan, profiles, thresholds, transport
from casper_cli.errors import CasperError, UsageError, nearest, warn

PROGRAM = "rate_check"
# Table 1 of TPDS; what is sampled unless --only says otherwise comes from DEFAULTS.
FACTORS = {
    "op": ("put", "get", "acc", "get_acc", "fop", "cas"),
    "type": ("contiguous", "strided"),
    "flush": ("each", "many"),
    "targets": ("all", "node"),
    "bytes": ("64", "4096", "32768"),
}
DEFAULTS = {"op": ("put", "get", "acc", "fop"), "bytes": ("64", "4096")}
SINGLE = ("fop", "cas")  # operations on one element
NEVER_KEPT = ("CSP_TRACE", "CSP_REPORT", "CSP_REPORT_FILE", "CSP_ASYNC_CONFIG", *profiles.LEARNT)
JOB_S = 60  # what a job may take beyond three times its measurements


@dataclass(frozen=True)
class Combination:
    """One value of each factor."""

    op: str
    type: str
    flush: str
    targets: str
    bytes: int

    def word(self, compute_s):
        """As rate_check reads it: a cube of doubles with so many on each edge."""
        side = round((self.bytes / 8) ** (1 / 3))
        return f"{self.op},{self.type},{self.flush},{self.targets},{side},{compute_s:.9f}"


def parse_only(items):
    """{factor: values} of --only op=put,get and the like."""
    chosen = {**FACTORS, **DEFAULTS}
    for item in items or []:
        factor, _, text = item.partition("=")
        if factor not in FACTORS:
            close = nearest(factor, FACTORS)
            hint = f"did you mean {close}? " if close else ""
            raise UsageError(
                f"--only {item}: there is no factor '{factor}'", f"{hint}{', '.join(FACTORS)}"
            )
        wrong = [value for value in text.split(",") if value not in FACTORS[factor]]
        if wrong:
            raise UsageError(
                f"--only {item}: '{wrong[0]}' is no value of {factor}",
                f"It has {', '.join(FACTORS[factor])}.",
            )
        chosen[factor] = tuple(dict.fromkeys(text.split(",")))
    return chosen


def combinations(chosen):
    """All that the values give; operations on one element have no type and no size."""
    found = {}
    for op, kind, flush, targets, size in itertools.product(*(chosen[name] for name in FACTORS)):
        single = op in SINGLE
        made = Combination(
            op, "contiguous" if single else kind, flush, targets, 8 if single else int(size)
        )
        found[made] = None
    return list(found)


def _environment(program, mpi, build, env):
    """Variables of the user stay, as far as they do not decide what is measured here."""
    env = {name: value for name, value in env.items() if name not in NEVER_KEPT}
    env = {**helper.environment(program, mpi, env), builds.VARIABLE: build.path}
    # The clock in the wrappers is then running, as it will in the runs that use the result.
    return {**env, "CSP_AUTO_METHOD": "profile", "CSP_LOW_CR": "0", "CSP_HIGH_CR": "100"}


class Machine:
    """Runs rate_check under a deployment."""

    def __init__(self, args, choice, env):
        self.program = choice.build.helper(PROGRAM)
        if self.program is None:
            raise CasperError(
                f"there is no {PROGRAM} beside {choice.build.path}",
                "Build or install this version of Casper.",
            )
        self.env = _environment(self.program, choice.mpi, choice.build, env)
        self.args = argparse.Namespace(**{**vars(args), "mpi": choice.mpi.path})
        made, _ = plan.make(self.args, [self.program], self.env)
        self.where = made.placement
        self.deployment = transport.deployment(made)
        self._refuse()

    def _refuse(self):
        if self.where.nodes < 2:
            raise UsageError(
                "inside one node there is nothing to choose: operations are loads and stores",
                "Give two nodes or more: --nodes, --hosts, --virtual-nodes.",
            )
        if self.where.ghosts < 1:
            raise UsageError("without ghosts there is nothing to choose", "Give -g 1 or more.")

    def measure(self, wanted, seconds):
        """[[((seconds, rate) with redirection, without)]] for [(Combination, compute_s)]; less if it takes
        much longer than it should."""
        words = [self.program, f"{seconds:.3f}", *(c.word(s) for c, s in wanted)]
        limit = 3 * seconds * len(wanted) + JOB_S
        first, *points = helper.run(self.args, words, self.env, limit, partial=True)
        seen = {"ranks": self.where.nusers, "nodes": self.where.nodes}
        if first != seen:
            raise CasperError(
                f"the program saw {first} instead of {seen}",
                "casper check tells whether Casper can run here.",
            )
        return [list(zip(map(tuple, p["on"]), map(tuple, p["off"]))) for p in points]


def row_of(combination, search):
    """What the file says of one combination."""
    found = search.result()
    points = [
        {"x": round(p.x, 4), "on_over_off": round(math.exp(p.ratio), 4), "rate": round(p.rate, 1)}
        for p in search.points()
    ]
    figures = {
        name: round(value, 1)
        for name, value in asdict(found).items()
        if isinstance(value, (int, float))
    }
    return {**asdict(combination), **asdict(found), **figures, "points": points}


def collect(searches, seconds):
    """The entry of the profile without its deployment."""
    rows = [row_of(c, search) for c, search in searches.items()]
    made = {"made": time.strftime("%Y-%m-%d"), "seconds": round(seconds), "host": platform.node()}
    return {**thresholds.derive(rows), **made, "combinations": rows}


def say_progress(points, seconds):
    print(f"casper: measuring {points} points, {seconds:.2f} s each", file=sys.stderr, flush=True)


def in_words(row):
    if row["kind"] == crossing.CROSSING:
        return f"equal at {row['rate']:.0f} % ({row['low']:.0f} to {row['high']:.0f})"
    words = {
        crossing.ON: "ghosts never slower",
        crossing.OFF: "targets never slower",
        crossing.SAME: "no difference",
    }
    return words.get(row["kind"]) or f"unclear: {row['why']}"


def show(entry):
    print(
        f"{'operation':<10}{'type':<12}{'flush':<7}{'targets':<9}{'bytes':>6}  share of time in MPI"
    )
    for row in entry["combinations"]:
        print(
            f"{row['op']:<10}{row['type']:<12}{row['flush']:<7}{row['targets']:<9}{row['bytes']:>6}  "
            f"{in_words(row)}"
        )
    for targets, (low, high) in entry["by_targets"].items():
        print(f"targets {targets}: {low} to {high} %")
    if entry["low"] is None:
        print("no thresholds: nothing crosses, or too little is certain")
    else:
        print(f"CSP_LOW_CR={entry['low']} CSP_HIGH_CR={entry['high']}")


def run(args, env):
    """casper calibrate: exit code 1 if there are no thresholds."""
    path = args.output or profiles.default_path(env)
    profiles.check_writable(path)  # now, not after minutes
    chosen = combinations(parse_only(args.only))
    choice = choose.choose(args, [], env)
    machine = Machine(args, choice, env)
    # If the time is too short for all, some of every kind are measured.
    mixed = random.Random(1).sample(chosen, len(chosen))
    searches = {combination: crossing.Search() for combination in mixed}
    begin = time.monotonic()
    budget = crossing.Budget(60 * args.minutes, time.monotonic)
    crossing.search_all(searches, machine.measure, budget, say_progress)
    entry = collect({c: searches[c] for c in chosen}, time.monotonic() - begin)
    profiles.store(path, machine.deployment, entry)
    show(entry)
    print(f"written to {path}")
    unclear = sum(row["kind"] == crossing.UNCLEAR for row in entry["combinations"])
    if unclear:
        warn(f"{unclear} of {len(chosen)} combinations are unclear", "Give more --minutes.")
    return 1 if entry["low"] is None else 0
