# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""Page and limits of exchange.json (exchange.py)."""

from math import ceil, log2

from pages import HEAD, number, table

FENCE_LIMIT_US = 10  # for each of the rounds that log2(nodes) says, without what was told
BUSY_LIMIT = 0.01
TEXT = """What adaptive redirection costs in jobs of any size: the code of `src/adapt` runs for all
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
ROUTES_TEXT = """## Auto: reports, probes, changes

One window; each node's users work on targets of one node (the same for all), of 26 others, or of all
others, and wait for an operation 20 us by one route and 60 by the other. *Found*: from the first operation
until 95 % of the routes are the cheaper one and stay; *followed*: likewise when the other one gets
cheaper. Between the two, for 5 s: *messages* of the busiest ghost in {interval:g} ms, and the share of
its time (*peak*: in the worst of these); *stopped*: the share of time for which users wait until a
route has changed. *End*: until ghosts can end, when all users leave at once.
"""


def page(data):
    fences = [r for r in data["rows"] if r["method"] == "P"]
    ghosts = [r for r in data["rows"] if r["method"] == "GP"]
    routes = [r for r in data["rows"] if r["method"] == "auto"]
    out = [HEAD.format(title="The exchanges of adaptive redirection", text=TEXT), FENCE_TEXT]
    head = ("processes", "nodes", "changed", "steps", "messages", "bytes", "us")
    out += table(head, [[*job(r), str(r["steps"]), *sent(r), number(r["us"])] for r in fences])
    out.append(GHOSTS_TEXT.format(interval=ghosts[0]["interval_ms"], look=ghosts[0]["look_ms"]))
    head = ("processes", "nodes", "changed", "messages", "bytes", "busy, %", "stale, ms")
    out += table(head, [[*job(r), *sent(r), *load(r)] for r in ghosts])
    out.append(ROUTES_TEXT.format(interval=routes[0]["interval_ms"]))
    head = ("processes", "nodes", "targets on", "found, ms", "followed, ms", "messages", "busy, %")
    head += ("peak", "peak, %", "stopped, %", "end, ms")
    return "\n".join(out + table(head, [route(r) for r in routes]))


def route(row):
    count = [str(row["users"]), str(row["nodes"]), row["targets"]]
    times = [number(row["found_ms"]), number(row["followed_ms"])]
    usual = [number(row["messages"]), number(100 * row["busy"])]
    peak = [number(row["peak_messages"]), number(100 * row["peak_busy"])]
    return [*count, *times, *usual, *peak, number(100 * row["stopped"]), number(row["leave_ms"])]


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
        return f"{row['wrong']} predictions or routes are wrong in the end"
    if row["method"] != "P":
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
            print(f"  {name}: {row['users']} processes, {row['method']}: {text}")
    return sum(text is not None for _, text in texts)
