# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""Samples to rows, rows to build/results/NAME.json."""

import json
import os
import platform
import statistics
import time

from launch import BUILD

RESULTS = BUILD / "results"


def read_lines(path):
    """The objects that a benchmark program wrote, one a line."""
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f if line.strip()]


def median(values):
    return statistics.median(values) if values else None


def quantile(values, q):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(q * len(ordered)))]


def spread(field):
    """The names of the lowest and the highest run beside a figure: x_us: x_lo_us, x_hi_us;
    seconds: seconds_lo, seconds_hi."""
    stem, _, unit = field.rpartition("_")
    if not stem:
        return f"{field}_lo", f"{field}_hi"
    return f"{stem}_lo_{unit}", f"{stem}_hi_{unit}"


class Rounds:
    """Samples of repeated runs. A run counts by its median; the figure is the median of the runs,
    its spread the lowest and the highest of them."""

    def __init__(self):
        self.runs = {}

    def add(self, key, samples):
        if samples:
            self.runs.setdefault(key, []).append(median(samples))

    def put(self, row, field, key, digits=3):
        """Sets row[field] and its spread; nothing if there were no samples."""
        runs = self.runs.get(key)
        if not runs:
            return
        low, high = spread(field)
        row[field] = round(median(runs), digits)
        row[low] = round(min(runs), digits)
        row[high] = round(max(runs), digits)


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
    with open(path, "w", encoding="utf-8") as f:
        json.dump(data, f, indent=1)
        f.write("\n")
    return path


def run_key(row):
    """Which entry of a file's "runs" tells the circumstances of a row: that of the MPI library or,
    in a file of several programs and networks, of the library's program on the network."""
    return " ".join(row[part] for part in ("mpi", "program", "network") if part in row)


def merge(name, key, rows, **about):
    """Replaces the rows of one run in build/results/NAME.json and keeps the others; key as above."""
    try:
        old = read(name)
    except (FileNotFoundError, json.JSONDecodeError):
        old = {"rows": []}
    runs = {**old.get("runs", {}), key: {**about, "when": now()}}
    kept = [row for row in old["rows"] if run_key(row) != key]
    return write(name, kept + rows, runs=runs)


def now():
    return time.strftime("%Y-%m-%d %H:%M:%S")


def read(name):
    with open(RESULTS / f"{name}.json", encoding="utf-8") as f:
        return json.load(f)
