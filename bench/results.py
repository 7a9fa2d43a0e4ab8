# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""Samples to rows, rows to build/results/NAME.json."""

import fcntl
import json
import math
import os
import platform
import statistics
import time

from launch import BUILD

RESULTS = BUILD / "results"
TIMELINES = RESULTS / "timelines"  # of programs that are measured with one


def read_lines(path):
    """The objects that a benchmark program wrote, one a line."""
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f if line.strip()]


def median(values):
    return statistics.median(values) if values else None


def quantile(values, q):
    ordered = sorted(values)
    return ordered[max(0, math.ceil(q * len(ordered) - 1e-9) - 1)]


def spread(field):
    """The names of the lowest and the highest run beside a figure: x_us: x_lo_us, x_hi_us;
    seconds: seconds_lo, seconds_hi."""
    stem, _, unit = field.rpartition("_")
    if not stem:
        return f"{field}_lo", f"{field}_hi"
    return f"{stem}_lo_{unit}", f"{stem}_hi_{unit}"


APART = 1.5  # core-to-core latencies that differ more are of different places


class Rounds:
    """Samples of repeated runs. A run counts by its median; the figure is the median of the runs,
    its spread the lowest and the highest of them. A virtual machine's cores may be near each other
    in some runs and far apart in others: where core-to-core latencies are known, compare() finds
    the runs that were alike."""

    def __init__(self):
        self.runs = {}
        self.latencies = {}  # by key, of each run, ns; 0: it changed meanwhile, or is not known

    def add(self, key, samples, core_to_core_ns=0):
        if samples:
            self.runs.setdefault(key, []).append(median(samples))
            self.latencies.setdefault(key, []).append(core_to_core_ns)

    def add_line(self, key, line):
        """The same with a line of a program that looked at the latency (bench/micro/series.h)."""
        self.add(key, line["samples"], line["core_to_core_ns"])

    def compare(self, row, fields, digits=3, keys=None):
        """Sets some fields ({field: key}) of a row from runs whose core-to-core latencies were alike,
        and row["core_to_core_ns"] to those: where each has most runs. From all runs, if there are no
        such. keys: what else the figures stand beside, in other rows."""
        place = self.best_place([*fields.values(), *(keys or ())])
        if place:
            row["core_to_core_ns"] = round(median(place))
        for field, key in fields.items():
            self.put(row, field, key, digits, place)

    def best_place(self, keys):
        """The latencies where the key with the fewest runs has most; None: some have none anywhere."""
        seen = [self.latencies.get(key, ()) for key in keys]
        found = [
            (min(sum(ns in place for ns in of_key) for of_key in seen), place)
            for place in places([ns for of_key in seen for ns in of_key if ns > 0])
        ]
        fewest, place = max(found, default=(0, None))
        return place if fewest > 0 else None

    def put(self, row, field, key, digits=3, place=None):
        """Sets row[field] and its spread; nothing if there were no samples. place: the latencies of
        the runs that count."""
        runs = self.runs.get(key)
        if runs and place:
            latencies = self.latencies[key]
            runs = [x for i, x in enumerate(runs) if latencies[i] in place]
        if not runs:
            return
        low, high = spread(field)
        row[field] = round(median(runs), digits)
        row[low] = round(min(runs), digits)
        row[high] = round(max(runs), digits)


def places(latencies):
    """The latencies in groups that are alike."""
    found = []
    for ns in sorted(latencies):
        if found and ns <= APART * found[-1][0]:
            found[-1].append(ns)
        else:
            found.append([ns])
    return found


def ratio(row, over, under, field):
    if row.get(over) and row.get(under):
        row[field] = round(row[over] / row[under], 3)


def write(name, rows, **more):
    """Writes build/results/NAME.json: {"rows": [...], ...} with the circumstances of the run."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    path = RESULTS / f"{name}.json"
    data = {
        **more,
        "when": now(),
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0],
        "kernel": platform.release(),
        "rows": rows,
    }
    new = path.with_suffix(f".{os.getpid()}")
    new.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    new.replace(path)
    return path


def run_key(row):
    """Which entry of a file's "runs" tells the circumstances of a row: that of the MPI library or,
    in a file of several programs and networks, of the library's program on the network."""
    return " ".join(row[part] for part in ("mpi", "program", "network") if part in row)


def merge(name, key, rows, **about):
    """Replaces the rows of one run in build/results/NAME.json and keeps the others; key as above. Other
    commands wait meanwhile."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    with open(RESULTS / ".lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            old = read(name)
        except FileNotFoundError:
            old = {"rows": []}
        except json.JSONDecodeError as wrong:
            said = f"build/results/{name}.json is damaged ({wrong}): mend or remove it"
            raise SystemExit(said) from wrong
        run = {**about, "cores": os.cpu_count(), "when": now()}
        runs = {**old.get("runs", {}), key: run}
        kept = [row for row in old["rows"] if run_key(row) != key]
        return write(name, kept + rows, runs=runs)


def now():
    return time.strftime("%Y-%m-%d %H:%M:%S")


def read(name):
    with open(RESULTS / f"{name}.json", encoding="utf-8") as f:
        return json.load(f)
