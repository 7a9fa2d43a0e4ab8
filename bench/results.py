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


class Rounds:
    """Samples of repeated runs. A run counts by its median; the figure is the median of the runs,
    its spread the lowest and the highest of them."""

    def __init__(self):
        self.runs = {}

    def add(self, key, samples):
        if samples:
            self.runs.setdefault(key, []).append(median(samples))

    def put(self, row, field, key, digits=3):
        """Sets row[field], row[field_lo], row[field_hi]; nothing if there were no samples."""
        runs = self.runs.get(key)
        if not runs:
            return
        stem, _, unit = field.rpartition("_")
        row[field] = round(median(runs), digits)
        row[f"{stem}_lo_{unit}"] = round(min(runs), digits)
        row[f"{stem}_hi_{unit}"] = round(max(runs), digits)


def ratio(row, over, under, field):
    if row.get(over) and row.get(under):
        row[field] = round(row[over] / row[under], 3)


def write(name, rows, **more):
    """Writes build/results/NAME.json: {"rows": [...], ...} with the circumstances of the run."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    path = RESULTS / f"{name}.json"
    data = {
        **more,
        "when": time.strftime("%Y-%m-%d %H:%M:%S"),
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0],
        "kernel": platform.release(),
        "rows": rows,
    }
    with open(path, "w", encoding="utf-8") as f:
        json.dump(data, f, indent=1)
        f.write("\n")
    return path


def read(name):
    with open(RESULTS / f"{name}.json", encoding="utf-8") as f:
        return json.load(f)
