# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""Page and targets of p2p.json (p2p.py)."""

import results
from pages import HEAD, about, cell, complain, disturbed, groups, number, table, title_of

KB = 1024
LARGE = 64 * KB
CONFIGS = ("plain", "thread", "ghost", "auto")
TEXT = """Messages between users whose ghosts carry them (*ghost*: `CSP_P2P=on`, one ghost on each
node), against the same program without Casper (*plain*), with the MPI library's own progress thread
(*thread*, where it has one and gets through with it) and with `CSP_P2P=auto` (*auto*, if this version
has it). Median of the runs' medians (lowest - highest run), configurations in turns. On fewer cores than
processes, users and ghosts share them: latency, rate and every wait then measure the scheduler, too.
Each table says whether computing was an amount of work (*spin*) or a sleep, which leaves the core to
those who carry messages.

**Bold**: not what is wanted. Of each target the page shows the measured value farthest from it.

Figures: `make bench-p2p`; this page: `python3 bench/tables.py`; plots (build/results/p2p_*.svg):
`python3 bench/plot.py`."""
TEXTS = {
    "post": "Time of each call, microseconds: median / 90th percentile. Two users exchange messages and "
    "wait for the send first; *wait*: both together. *column*: 8 bytes of each row of 32.",
    "latency": "Half of a ping-pong, microseconds; on one node and between two.",
    "rate": "Messages in a second, 64 nonblocking ones at a time.",
    "overlap": "Availability by Sandia's method, 1 - overhead / base: what part of post and wait without "
    "computing is left for computing, for one side (*send*, *recv*) while the other one is in MPI.",
    "sweep": "MPI_Isend, MPI_Irecv, compute, MPI_Waitall on both sides: the time of all over the longer of "
    "computing and transfer, by computing / transfer (*factor*).",
    "halo": "Four users in a torus, 5-point stencil, four faces of so many bytes each: the whole run; by "
    "computing / what plain takes for an exchange (*factor*). Every ten iterations all agree on a number. "
    "*memory*: the grid is of malloc or of MPI_Alloc_mem, which ghosts map.",
    "hops": "One user, which sends 8 bytes to itself, and its ghost, on a core each; nanoseconds. "
    "*ask*: MPI_Iprobe; *ask_idle*: when the ghost had nothing to do for 20 us before.",
}
METRICS = {
    "post": ("irecv", "isend", "wait_send", "wait_recv", "wait"),
    "latency": ("latency",),
    "rate": ("rate",),
    "overlap": ("availability", "base"),
    "sweep": ("over_ideal", "transfer"),
    "halo": ("run", "exchange", "wait_share"),
    "hops": (
        *("hop_post", "hop_pickup", "hop_match", "hop_seen", "hop_side"),
        *("post_recv", "post_send", "ask", "ask_idle", "self", "seen"),
    ),
}
FACTORS = {"ns": 1e3, "ms": 1e-3}  # of microseconds
SHOWN_IN = {"hops": "ns", "halo": "ms"}
FIGURES = {
    "config",
    "value",
    "value_lo",
    "value_hi",
    "core_to_core_ns",
}  # all else: what was measured


def twins(rows, program, metric):
    """The rows of one measurement, by configuration, for each measurement."""
    return list(places(rows, program, metric).values())


def places(rows, program, metric):
    """The same by what was measured, but for the metric."""
    found = {}
    for row in rows:
        if (row["program"], row["metric"]) == (program, metric):
            key = tuple((k, v) for k, v in row.items() if k not in FIGURES and k != "metric")
            found.setdefault(key, {})[row["config"]] = row
    return found


# ---- what is wanted. Findings: (value, row)


def ours(program, metric, least=0, config="ghost"):
    """The values themselves, from so many bytes on."""

    def find(rows):
        both = [twin[config] for twin in twins(rows, program, metric) if config in twin]
        return [(r["value"], r) for r in both if r["bytes"] >= least]

    return find


def over(program, metric, wanted=lambda _row: True, config="ghost", others=("plain",)):
    """A configuration over the least of others."""

    def find(rows):
        found = []
        for twin in twins(rows, program, metric):
            values = [twin[other]["value"] for other in others if other in twin]
            if config in twin and values and min(values) > 0 and wanted(twin[config]):
                found.append((twin[config]["value"] / min(values), twin[config]))
        return found

    return find


def auto_sweep(rows):
    """The whole time over plain's, had plain computed as long: each computes for a share of its own
    transfer."""
    found = []
    computing = places(rows, "sweep", "compute")
    for what, total in places(rows, "sweep", "total").items():
        compute = computing.get(what, {})
        if {"plain", "auto"} <= total.keys() & compute.keys():
            more = compute["auto"]["value"] - compute["plain"]["value"]
            found.append((total["auto"]["value"] / (total["plain"]["value"] + more), total["auto"]))
    return found


def together(*finds):
    return lambda rows: [one for find in finds for one in find(rows)]


def inverse(find):
    return lambda rows: [(1 / value, row) for value, row in find(rows) if value]


class Target:
    """One of what is wanted: a limit that every finding keeps, the least or the most."""

    def __init__(self, place, what, limit, find, least=False):
        self.number, self.what = place, what
        self.limit, self.find, self.least = limit, find, least

    def wrong(self, value):
        return value < self.limit if self.least else value > self.limit

    def worst(self, rows):
        found = self.find(rows)
        return (min if self.least else max)(found, key=lambda one: one[0], default=None)

    def wanted(self):
        return f"{'at least' if self.least else 'at most'} {self.limit:g}"


AUTO = (("post", "isend"), ("latency", "latency"), ("halo", "run"))
TARGETS = (
    Target(1, "availability from 64 KB", 0.95, ours("overlap", "availability", LARGE), least=True),
    Target(1, "the same, plain", 0.5, ours("overlap", "availability", LARGE, "plain")),
    Target(
        1,
        "sweep: time / max(compute, transfer), from 64 KB",
        1.07,
        ours("sweep", "over_ideal", LARGE),
    ),
    Target(
        2,
        "posting a send or a receive, us",
        0.25,
        together(ours("post", "isend"), ours("post", "irecv")),
    ),
    Target(2, "posting a send / plain", 1, over("post", "isend")),
    Target(3, "hops of a side, us", 1, ours("hops", "hop_side")),
    Target(
        3, "latency / plain up to 1 KB", 1.5, over("latency", "latency", lambda r: r["bytes"] <= KB)
    ),
    Target(
        3,
        "latency / plain from 64 KB",
        1.1,
        over("latency", "latency", lambda r: r["bytes"] >= LARGE),
    ),
    Target(
        3, "rate / plain at 1 KB", 0.8, over("rate", "rate", lambda r: r["bytes"] == KB), least=True
    ),
    Target(
        3,
        "rate / plain from 16 KB",
        1,
        over("rate", "rate", lambda r: r["bytes"] >= 16 * KB),
        least=True,
    ),
    Target(
        4,
        "auto / plain, any program",
        1.03,
        together(
            *(over(*what, config="auto") for what in AUTO),
            auto_sweep,
            inverse(over("rate", "rate", config="auto")),
        ),
    ),
    Target(
        5,
        "halo, computing covers the transfer: run / the best without Casper",
        0.9,
        over("halo", "run", lambda r: r["factor"] >= 1, others=("plain", "thread")),
    ),
)


def place(row):
    """Which measurement: what tells a row from its neighbours."""
    words = [row["program"], row["metric"], size(row["bytes"])]
    words += [f"{k} {row[k]}" for k in ("type", "side", "memory", "factor") if k in row]
    return ", ".join([*words, f"{row['nodes']} node{'s' * (row['nodes'] > 1)}"])


def size(count):
    for unit, factor in (("MB", KB * KB), ("KB", KB)):
        if count >= factor and count % factor == 0:
            return f"{count // factor} {unit}"
    return f"{count} B"


def networks(rows):
    """Rows by MPI library and network: {(mpi, network): rows}."""
    found = {}
    for mpi, own in groups(rows).items():
        for row in own:
            found.setdefault((mpi, row["network"]), []).append(row)
    return found


def check(name, data):
    """Prints every figure of ours beyond its target. Returns the number of those that were not disturbed."""
    count = 0
    for rows in networks(data["rows"]).values():
        for target in TARGETS:
            for value, row in target.find(rows):
                if target.wrong(value) and row["config"] != "plain":
                    text = f"{row['network']}: {target.what}: {value:.3g}, not {target.wanted()}"
                    count += complain(name, data, row, f"{text} ({place(row)}, {row['config']})")
    return count


# ---- page


def target_lines(rows):
    lines = []
    for target in TARGETS:
        found = target.worst(rows)
        line = [str(target.number), target.what, target.wanted()]
        if found is None:
            lines.append([*line, "not measured", ""])
            continue
        value, row = found
        mark = "**" if target.wrong(value) else ""
        lines.append([*line, f"{mark}{number(value)}{mark}", place(row)])
    return table(("target", "what", "wanted", "measured", "where"), lines)


def beyond(rows):
    """The rows (by identity) that miss a target."""
    return {id(r) for t in TARGETS for value, r in t.find(rows) if t.wrong(value)}


def in_unit(row, unit):
    if row["unit"] != "us" or unit is None:
        return row
    scaled = {f: row[f] * FACTORS[unit] for f in ("value", *results.spread("value"))}
    return {**row, **scaled}


def metric_name(program, row):
    unit = SHOWN_IN.get(program, "us") if row["unit"] == "us" else row["unit"]
    return row["metric"] if unit == "1" else f"{row['metric']}, {unit}"


def figure(program, row, tail, wrong):
    if row is None:
        return ""
    shown = in_unit(row, SHOWN_IN.get(program))
    text = f"{number(shown['value'])} / {number(tail['value'])}" if tail else cell(shown, "value")
    return f"**{text}**" if id(row) in wrong else text


def program_lines(program, rows, wrong):
    """A line for each measurement, a column for each configuration."""
    configs = [c for c in CONFIGS if any(r["config"] == c for r in rows)]
    known = ("nodes", "type", "side", "memory", "factor")
    labels = [k for k in known if len({r.get(k) for r in rows}) > 1]
    lines = []
    for metric in METRICS[program]:
        tails = twins(rows, program, f"{metric}_p90")
        for i, twin in enumerate(twins(rows, program, metric)):
            first = next(iter(twin.values()))
            tail = tails[i] if tails else {}
            names = [metric_name(program, first), size(first["bytes"])]
            names += [str(first.get(k, "")) for k in labels]
            cells = [figure(program, twin.get(c), tail.get(c), wrong) for c in configs]
            lines.append([*names, *cells])
    return table(("what", "bytes", *labels, *configs), lines)


def computing(rows):
    how = {r["compute"] for r in rows} - {"none"}
    return [f"Computing: {', '.join(sorted(how))}.", ""] if how else []


def page(data):
    out = [HEAD.format(title="Messages through ghosts", text=TEXT)]
    for (mpi, network), rows in networks(data["rows"]).items():
        of = {p: [r for r in rows if r["program"] == p] for p in TEXTS}
        keys = {p: results.run_key(own[0]) for p, own in of.items() if own}
        quiet = [r for p in keys for r in of[p] if not disturbed(data, keys[p])]
        wrong = beyond(quiet)
        out += [f"## {title_of(mpi)}, {network}", "", *target_lines(quiet)]
        for program, key in keys.items():
            out += [f"### {program}", "", TEXTS[program], "", *computing(of[program])]
            out += about(data, key)
            if not disturbed(data, key):
                out += program_lines(program, of[program], wrong)
    return "\n".join(out)
