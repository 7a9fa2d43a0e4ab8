# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""From the rates of all combinations to CSP_LOW_CR and CSP_HIGH_CR: the strategies of TPDS 7.2.

A basic mean is the mean over data sizes of the rates of one combination. The boundaries of a pattern of
targets are the least and the greatest of its basic means. Which pattern a program has is not known, so
the thresholds are the means of the patterns' boundaries.
"""

import math
import statistics

from casper_cli.crossing import CROSSING, OFF, ON, UNCLEAR


def basic_means(rows):
    """One for each (op, type, flush) with a crossing, in the order of the rows."""
    rates = {}
    for row in rows:
        if row["kind"] == CROSSING:
            rates.setdefault((row["op"], row["type"], row["flush"]), []).append(row["rate"])
    return [statistics.mean(of_one) for of_one in rates.values()]


def derive(rows):
    """{"low", "high": whole percent or None, "by_targets": {pattern: [low, high]}}.

    What has no crossing has no say while something has one. If nothing has, what most combinations prefer
    holds at every rate: 100 keeps redirection on, 0 off. There are none if most combinations are unclear.
    """
    if 2 * sum(row["kind"] == UNCLEAR for row in rows) > len(rows):
        return {"low": None, "high": None, "by_targets": {}}
    patterns = dict.fromkeys(row["targets"] for row in rows)
    means = {t: basic_means([row for row in rows if row["targets"] == t]) for t in patterns}
    found = {t: (min(of_one), max(of_one)) for t, of_one in means.items() if of_one}
    if not found:
        return {**_preferred(rows), "by_targets": {}}
    low = math.floor(statistics.mean(bounds[0] for bounds in found.values()))
    high = math.ceil(statistics.mean(bounds[1] for bounds in found.values()))
    by_targets = {t: [round(rate, 1) for rate in bounds] for t, bounds in found.items()}
    return {"low": max(low, 0), "high": min(high, 100), "by_targets": by_targets}


def _preferred(rows):
    on, off = (sum(row["kind"] == kind for row in rows) for kind in (ON, OFF))
    rate = None if on == off else 100 if on > off else 0
    return {"low": rate, "high": rate}
