#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""Plots of build/results/NAME.json, as SVG and PNG beside them. Needs matplotlib (canvas.py)."""

import sys

import plot_adapt
import plot_p2p
import results
from canvas import BLUE, GREY, RED, SKY, plt, save
from pages import groups as by_mpi

KINDS = (
    ("plain_idle_us", "plain, target in MPI", GREY, "o"),
    ("plain_busy_us", "plain, target busy", RED, "s"),
    ("casper_busy_us", "Casper, target busy", BLUE, "D"),
    ("casper_cold_us", "Casper, target busy, rare operations", SKY, "^"),
)


def series(rows, field):
    """Positions, values and distances to the lowest and highest run, where the field is there."""
    lowest, highest = results.spread(field)
    have = [(i, r) for i, r in enumerate(rows) if r.get(field)]
    values = [r[field] for _, r in have]
    low = [r[field] - r[lowest] for _, r in have]
    high = [r[highest] - r[field] for _, r in have]
    return [i for i, _ in have], values, (low, high)


def plot_gap(data):
    groups = by_mpi(data["rows"])
    figure, axes = plt.subplots(
        len(groups), 1, figsize=(10, 2.9 * len(groups)), sharex=False, squeeze=False
    )
    for axis, (mpi, rows) in zip(axes[:, 0], groups.items(), strict=True):
        for shift, (field, label, colour, marker) in enumerate(KINDS):
            at, values, error = series(rows, field)
            at = [x + 0.12 * (shift - 1.5) for x in at]
            axis.errorbar(at, values, error, fmt=marker, color=colour, label=label, ms=4, lw=1)
        axis.set_yscale("log")
        axis.set_ylabel("microseconds")
        axis.set_title(mpi, loc="left", fontsize=10)
        axis.set_xticks(range(len(rows)), [r["op"] for r in rows], rotation=60, fontsize=7)
        axis.grid(axis="y", alpha=0.3)
    figure.suptitle("Operation + flush between two nodes; runs' median, lowest, highest")
    figure.tight_layout()
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, fontsize=8, ncols=4, loc="upper center", bbox_to_anchor=(0.5, 0))
    save(figure, "gap")


def plot_demo(data):
    rows = data["rows"]
    figure, axis = plt.subplots(figsize=(8, 0.35 * len(rows) + 1))
    at = range(len(rows))
    plain = [r.get("plain_wait_s", float("nan")) for r in rows]
    axis.barh([y - 0.2 for y in at], plain, 0.4, color=RED)
    axis.barh([y + 0.2 for y in at], [r["casper_wait_s"] for r in rows], 0.4, color=BLUE)
    axis.axvline(data["compute_s"], color=GREY, ls="--", lw=1)
    axis.set_xscale("log")
    name_rows(axis, [r["op"] for r in rows], 8)
    axis.legend(["target's computing", "plain", "with ghosts"], fontsize=7)
    axis.set_xlabel("seconds that the origin waits")
    save(figure, "demo")


def two_bars(rows, inches):
    """Two panels with a line of so many inches for each row; where the lines are."""
    figure, axes = plt.subplots(1, 2, figsize=(10, inches * len(rows) + 1.2), sharey=True)
    return figure, axes, range(len(rows))


def name_rows(axis, names, size):
    """Lines from top to bottom."""
    axis.set_yticks(range(len(names)), names, fontsize=size)
    axis.invert_yaxis()


def plot_shared(rows):
    """Users' slowdown and the ghosts' answer time, side by side."""
    figure, axes, at = two_bars(rows, 0.3)
    slow = [100 * (r["ratio"] - 1) for r in rows]
    axes[0].barh(at, slow, color=[SKY if r["poll"] != "spin" else GREY for r in rows])
    axes[0].axvline(8, color=RED, ls="--", lw=1)
    axes[0].set_xlabel("users' slowdown by quiet ghosts, %")
    axes[1].barh(at, [r["answer_us"] for r in rows], color=BLUE)
    axes[1].plot([r["answer_p95_us"] for r in rows], at, "|", color=RED, ms=9)
    axes[1].set_xscale("log")
    axes[1].set_xlabel("answer to a computing user, microseconds (| 95 %)")
    name_rows(axes[0], [f"{r['mpi']}, {r['users']} users, {r['poll']}" for r in rows], 8)
    save(figure, "shared_cores")


def plot_overhead(rows):
    groups = by_mpi(rows)
    names = list(dict.fromkeys(r["what"] for r in rows))
    figure, axis = plt.subplots(figsize=(8, 0.24 * len(names) + 1))
    for mpi, marker in zip(groups, "oDs^v", strict=False):
        have = [r for r in groups[mpi] if r.get("ratio")]
        at = [names.index(r["what"]) for r in have]
        axis.plot([r["ratio"] for r in have], at, marker, label=mpi, ms=4)
    axis.axvline(1, color=GREY, lw=1)
    axis.set_xscale("log")
    name_rows(axis, names, 7)
    axis.set_xlabel("time with Casper / plain")
    axis.grid(axis="x", alpha=0.3)
    axis.legend(fontsize=7)
    save(figure, "overhead")


def line(axis, points, marker, colour, label):
    if points:
        xs, ys = zip(*points, strict=True)
        axis.plot(xs, ys, marker, ls="-", color=colour, ms=4, lw=1, label=label)


def plot_node(data):
    """Bandwidth of 16 operations before a flush, by size, in a window of one node."""
    groups = by_mpi(data["rows"])
    figure, axes = plt.subplots(1, len(groups), figsize=(4 * len(groups), 3.6), squeeze=False)
    for axis, (mpi, rows) in zip(axes[0], groups.items(), strict=True):
        for op, marker in (("PUT", "o"), ("GET", "s"), ("ACC", "D")):
            have = [r for r in rows if (r["op"], r["mode"]) == (op, "burst")]
            have = [r for r in have if r["window"] == "window of one node"]
            for field, colour in (("plain_us", RED), ("casper_us", BLUE)):
                at = [(r["bytes"], r["bytes"] / r[field]) for r in have if r.get(field)]
                kind = "plain" if colour == RED else "Casper"
                line(axis, at, marker, colour, f"{op}, {kind}")
        axis.set_xscale("log")
        axis.set_yscale("log")
        axis.set_title(mpi, loc="left", fontsize=10)
        axis.set_xlabel("bytes")
        axis.grid(alpha=0.3)
    axes[0, 0].set_ylabel("MB/s")
    axes[0, 0].legend(fontsize=7)
    figure.tight_layout()
    save(figure, "node")


def plot_calls(data):
    """MPI_Win_flush_all by the nodes that exist, with none, one and all of them used."""
    groups = by_mpi([r for r in data["rows"] if r["kind"] == "flush_all" and r["windows"] == 1])
    figure, axis = plt.subplots(figsize=(6, 4))
    for (mpi, rows), marker in zip(groups.items(), "oDs^v", strict=False):
        for name, colour in (("none", GREY), ("one", BLUE), ("all", SKY)):
            have = [r for r in rows if r["used"] == {"none": 0, "one": 1}.get(name, r["nodes"] - 1)]
            at = [(r["nodes"], r["casper_us"]) for r in have]
            line(axis, at, marker, colour, f"{mpi}, {name} used")
    axis.set_yscale("log")
    axis.set_xlabel("nodes that exist")
    axis.set_ylabel("MPI_Win_flush_all, microseconds")
    axis.grid(alpha=0.3)
    axis.legend(fontsize=6, ncols=2)
    save(figure, "calls")


def plot_ghosts(data):
    """Share of the busiest ghost and its busy time, by load and binding."""
    rows = data["rows"]
    figure, axes, at = two_bars(rows, 0.25)
    colours = [GREY if r["ghosts"] == 1 else BLUE if r["bind"] == "rank" else SKY for r in rows]
    axes[0].barh(at, [r.get("busiest_share", 0) for r in rows], color=colours)
    axes[0].set_xlabel("share of the busiest ghost")
    axes[1].barh(at, [r["busy_ns"] for r in rows], color=colours)
    axes[1].set_xscale("log")
    axes[1].set_xlabel("its busy time for each operation, ns")
    names = [f"{r['mpi']}, {r['load']}, {r['route']}, {r['ghosts']} by {r['bind']}" for r in rows]
    name_rows(axes[0], names, 7)
    save(figure, "ghosts")


PLOTS = {
    "demo": plot_demo,
    "gap": plot_gap,
    "node": plot_node,
    "calls": plot_calls,
    "ghosts": plot_ghosts,
    "adapt": plot_adapt.plot,
    "p2p": plot_p2p.plot,
}


def main():
    for name, plot in PLOTS.items():
        if (results.RESULTS / f"{name}.json").exists():
            plot(results.read(name))
    if (results.RESULTS / "overhead.json").exists():
        rows = results.read("overhead")["rows"]
        plot_overhead([r for r in rows if "poll" not in r])
        plot_shared([r for r in rows if "poll" in r and r.get("ratio") and r.get("answer_us")])
    return 0


if __name__ == "__main__":
    sys.exit(main())
