# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""Page and limits of exchange.json (exchange.py)."""

from math import ceil, log2

from pages import HEAD, number, table

FENCE_LIMIT_US = 10  # for each of the rounds that log2(nodes) says, without what was told
BUSY_LIMIT = 0.01
TEXT = """What it costs to tell predictions, in jobs of any size: the code of `src/adapt` runs for all
nodes of a job at once, in virtual time. A message takes 1 us on its way, 0.5 us of a processor at each
end, and 0.1 ns for each byte; to note what was told of a user takes 1 ns. *Changed*: nodes with a user
whose prediction changed; users of a node have successive ranks.

Figures: `python3 bench/exchange.py`; this page: `python3 bench/tables.py`."""
FENCE_TEXT = """## P: a fence of all processes

The leaders' part, who arrive together: the vote of the barrier, and, if somebody's changed, the exchange
and a barrier. *Steps*: messages one behind the other. *Messages*, *bytes*: that a leader sends.
"""
GHOSTS_TEXT = """## GP: the ghosts' exchange

*Messages*, *bytes*: sent and received by the busiest ghost in one CSP_GSYNC_INT ({interval:g} ms), and the
share of its time. *Stale*: the longest time from a change until another node knew it; sleeping
ghosts look every {look:g} ms. *all*: users of every node change in every interval, at any time in it.
"""


def page(data):
    fences = [r for r in data["rows"] if r["method"] == "P"]
    ghosts = [r for r in data["rows"] if r["method"] == "GP"]
    out = [HEAD.format(title="The exchange of predictions", text=TEXT), FENCE_TEXT]
    head = ("processes", "nodes", "changed", "steps", "messages", "bytes", "us")
    out += table(head, [[*job(r), str(r["steps"]), *sent(r), number(r["us"])] for r in fences])
    out.append(GHOSTS_TEXT.format(interval=ghosts[0]["interval_ms"], look=ghosts[0]["look_ms"]))
    head = ("processes", "nodes", "changed", "messages", "bytes", "busy, %", "stale, ms")
    return "\n".join(out + table(head, [[*job(r), *sent(r), *load(r)] for r in ghosts]))


def job(row):
    return [str(row["users"]), str(row["nodes"]), row["changed"]]


def sent(row):
    return [str(row["messages"]), str(row["bytes"])]


def load(row):
    return [number(100 * row["busy"]), number(row["stale_ms"])]


def beyond(row):
    """What is wrong with a row, or nothing."""
    rounds = ceil(log2(row["nodes"]))
    if row["wrong"]:
        return f"{row['wrong']} predictions are wrong in the end"
    if row["method"] == "GP":
        return f"ghosts busy {row['busy']}" if row["busy"] > BUSY_LIMIT else None
    told_us = row["users"] * 1e-3 if row["changed"] == "all" else 0
    if row["steps"] > 3 * rounds or row["us"] - told_us > FENCE_LIMIT_US * rounds:
        return f"fence: {row['steps']} steps, {row['us']} us"
    return None


def check(name, data):
    """Prints every row beyond its limit. @return how many."""
    texts = [(row, beyond(row)) for row in data["rows"]]
    for row, text in texts:
        if text:
            print(f"  {name}: {row['users']} processes, changed {row['changed']}: {text}")
    return sum(text is not None for _, text in texts)
