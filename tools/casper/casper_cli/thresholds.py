# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""From the rates of all combinations to CSP_LOW_CR and CSP_HIGH_CR: the strategies of TPDS 7.2.

A basic mean is the mean over data sizes of the rates of one combination. The boundaries of a pattern of
targets are the least and the greatest of its basic means. Which pattern a program has is not known, so
the thresholds are the means of the patterns' boundaries.
"""

import math
import statistics

from casper_cli.crossing import CROSSING, OFF, ON


def basic_means(rows):
    """One for each (op, type, flush) with a crossing, in the order of the rows."""
    rates = {}
    for row in rows:
        if row["kind"] == CROSSING:
            rates.setdefault((row["op"], row["type"], row["flush"]), []).append(row["rate"])
    return [statistics.mean(of_one) for of_one in rates.values()]


def boundaries(rows):
    """(low, high) of one pattern of targets; None if its rows say nothing.

    A combination without a crossing has no say while others have one. If none has, what most of them prefer
    holds at every rate: 100 keeps redirection on, 0 off.
    """
    means = basic_means(rows)
    if means:
        return min(means), max(means)
    on, off = (sum(row["kind"] == kind for row in rows) for kind in (ON, OFF))
    if on == off:
        return None
    return (100, 100) if on > off else (0, 0)


def derive(rows):
    """{"low", "high": whole percent or None, "by_targets": {pattern: [low, high]}}."""
    patterns = dict.fromkeys(row["targets"] for row in rows)
    found = {t: boundaries([row for row in rows if row["targets"] == t]) for t in patterns}
    found = {t: bounds for t, bounds in found.items() if bounds}
    if not found:
        return {"low": None, "high": None, "by_targets": {}}
    low = math.floor(statistics.mean(bounds[0] for bounds in found.values()))
    high = math.ceil(statistics.mean(bounds[1] for bounds in found.values()))
    by_targets = {t: [round(rate, 1) for rate in bounds] for t, bounds in found.items()}
    return {"low": max(low, 0), "high": min(high, 100), "by_targets": by_targets}
