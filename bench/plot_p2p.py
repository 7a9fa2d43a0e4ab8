# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""Plots of p2p.json: what figures 3 to 6 of the paper (CasperII) show, a row of panels for each MPI library
and network."""

import results
from canvas import BLUE, GREY, ORANGE, RED, plt, save
from tables_p2p import CONFIGS, networks, size

COLOURS = dict(zip(CONFIGS, (RED, GREY, BLUE, ORANGE), strict=True))
MARKERS = dict(zip(CONFIGS, "os^D", strict=True))


def panels(rows, program, columns, height=2.8):
    """(figure, [(name, its rows, its panels)]); None if there is nothing."""
    found = networks([r for r in rows if r["program"] == program])
    if not found:
        return None
    shape = (4.6 * columns, height * len(found) + 0.6)
    figure, axes = plt.subplots(len(found), columns, figsize=shape, squeeze=False)
    names = [f"{mpi}, {network}" for mpi, network in found]
    return figure, list(zip(names, found.values(), axes, strict=True))


def curves(axis, rows, x="bytes", factor=1.0):
    """A line with its spread for each configuration."""
    for config in CONFIGS:
        own = sorted((r for r in rows if r["config"] == config), key=lambda r: r[x])
        if own:
            low, high = results.spread("value")
            values = [r["value"] * factor for r in own]
            spread = [
                [max(0, r["value"] - r[low]) * factor for r in own],
                [max(0, r[high] - r["value"]) * factor for r in own],
            ]
            style = {"fmt": f"{MARKERS[config]}-", "ms": 4, "lw": 1, "color": COLOURS[config]}
            axis.errorbar([r[x] for r in own], values, spread, label=config, **style)
    axis.grid(alpha=0.3)


def by_size(axis, rows, title, label, log=True):
    curves(axis, rows)
    axis.set_xscale("log", base=2)
    if log:
        axis.set_yscale("log")
    sizes = sorted({r["bytes"] for r in rows})[::2]
    axis.set_xticks(sizes, [size(x) for x in sizes], fontsize=7)
    axis.set_title(title, loc="left", fontsize=9)
    axis.set_ylabel(label, fontsize=8)


def finish(made, name):
    figure, lines = made
    lines[0][2][0].legend(fontsize=7)
    figure.tight_layout()
    save(figure, name)


def sized(rows, program, name, columns):
    """Panels by size; columns: (title, label of the axis, whether logarithmic, what its rows have)."""
    made = panels(rows, program, len(columns))
    if made is None:
        return
    for where, own, axes in made[1]:
        for axis, (title, label, log, wanted) in zip(axes, columns, strict=True):
            chosen = [r for r in own if wanted.items() <= r.items()]
            by_size(axis, chosen, f"{where}: {title}", label, log)
    finish(made, name)


def post(rows):
    """Figure 3a, b."""
    columns = [
        (f"{call}, {kind}", "microseconds", True, {"metric": call, "type": kind})
        for kind in ("contiguous", "column")
        for call in ("isend", "irecv", "wait")
    ]
    sized(rows, "post", "p2p_post", columns)


def pings(rows):
    """Figure 3c, and latency."""
    for program, label in (("latency", "microseconds"), ("rate", "messages/s")):
        shown = [
            (f"{program}, {nodes} node(s)", label, True, {"metric": program, "nodes": nodes})
            for nodes in (1, 2)
        ]
        sized(rows, program, f"p2p_{program}", shown)


def overlap(rows):
    columns = [
        (
            f"availability, {side}",
            "1 - overhead / base",
            False,
            {"metric": "availability", "side": side},
        )
        for side in ("send", "recv")
    ]
    sized(rows, "overlap", "p2p_overlap", columns)


def sweep(rows):
    """Figure 4: the time over max(compute, transfer), a panel for each size."""
    shown = [r for r in rows if r["metric"] == "over_ideal"]
    sizes = sorted({r["bytes"] for r in shown})[-4:]
    made = panels(shown, "sweep", len(sizes))
    if made is None:
        return
    for where, own, axes in made[1]:
        for axis, count in zip(axes, sizes, strict=True):
            curves(axis, [r for r in own if r["bytes"] == count], "factor")
            axis.axhline(1.07, color=GREY, ls="--", lw=1)
            axis.set_title(f"{where}: {size(count)}", loc="left", fontsize=9)
            axis.set_xlabel("compute / transfer", fontsize=8)
        axes[0].set_ylabel("time / max(compute, transfer)", fontsize=8)
    finish(made, "p2p_sweep")


def halo(rows):
    """Figure 6: the whole run by computing, a panel for each face; with memory that any program has."""
    shown = [r for r in rows if r["metric"] == "run" and r.get("memory") != "alloc"]
    sizes = sorted({r["bytes"] for r in shown if r["program"] == "halo"})
    made = panels(shown, "halo", len(sizes))
    if made is None:
        return
    for where, own, axes in made[1]:
        for axis, count in zip(axes, sizes, strict=True):
            curves(axis, [r for r in own if r["bytes"] == count], "factor", 1e-6)
            axis.set_ylim(bottom=0)
            axis.set_title(f"{where}: faces of {size(count)}", loc="left", fontsize=9)
            axis.set_xlabel("compute / plain exchange", fontsize=8)
        axes[0].set_ylabel("seconds", fontsize=8)
    finish(made, "p2p_halo")


def plot(data):
    rows = data["rows"]
    for draw in (post, pings, overlap, sweep, halo):
        draw(rows)
