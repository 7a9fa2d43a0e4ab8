# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""Plots of adapt.json: what figures 4 and 6 to 10 of the paper (TPDS) show."""

import results
from canvas import BLUE, GREY, ORANGE, RED, SKY, plt, save
from pages import groups as by_mpi

KIND_COLOURS = {"COMP": BLUE, "COMM": RED, "SCF": SKY, "4INDEX": RED, "CCSD": BLUE, "(T)": GREY}
SHADES = ("#c6dbef", "#9ecae1", "#6baed6", "#3182bd", "#08519c")  # from short to long intervals
CONFIG_COLOURS = {
    "plain": "#bbbbbb",
    "thread": GREY,
    "on1": SKY,
    "on2": "#9ecae1",
    "off": RED,
    "U": "#009e73",
    "P": "#cc79a7",
    "GP": ORANGE,
    "auto": BLUE,
}


def panels(groups, columns, height=2.6):
    """A row of panels for each MPI library."""
    size = (4.4 * columns, height * len(groups) + 0.6)
    return plt.subplots(len(groups), columns, figsize=size, squeeze=False)


def error(row, field):
    low, high = results.spread(field)
    return [[row[field] - row[low]], [row[high] - row[field]]]


def stacked(axis, rows):
    """A bar for each configuration, made of its phases; the spread is that of the run."""
    configs = list(dict.fromkeys(r["config"] for r in rows))
    for at, config in enumerate(configs):
        bottom = 0
        for row in (r for r in rows if r["config"] == config):
            if row["phase"] == 0:
                axis.errorbar(at, bottom, error(row, "seconds"), color="black", lw=1, capsize=2)
                continue
            colour = KIND_COLOURS[row["kind"]]
            axis.bar(at, row["seconds"], 0.7, bottom, color=colour, edgecolor="white", lw=0.6)
            bottom += row["seconds"]
    axis.set_xticks(range(len(configs)), configs, fontsize=7)
    axis.set_ylabel("seconds")
    axis.grid(axis="y", alpha=0.3)


def legend_above(axis, columns):
    """On the right above the panel, whose title is on the left."""
    above = {"loc": "lower right", "bbox_to_anchor": (1, 1), "borderaxespad": 0.2, "frameon": False}
    axis.legend(fontsize=7, ncols=columns, columnspacing=1, **above)


def legend_of_kinds(figure, kinds):
    bars = [plt.Rectangle((0, 0), 1, 1, color=KIND_COLOURS[k]) for k in kinds]
    figure.legend(
        bars, kinds, fontsize=8, ncols=len(kinds), loc="upper center", bbox_to_anchor=(0.5, 0)
    )


def programs(rows, names, kinds, file):
    """Programs side by side, libraries below each other."""
    rows = [r for r in rows if r["program"] in names]
    groups = by_mpi(rows)
    if not groups:
        return
    figure, axes = panels(groups, len(names))
    for line, (mpi, own) in zip(axes, groups.items(), strict=True):
        for axis, name in zip(line, names, strict=True):
            stacked(axis, [r for r in own if r["program"] == name])
            axis.set_title(f"{mpi}: {name}", loc="left", fontsize=9)
    figure.tight_layout()
    legend_of_kinds(figure, kinds)
    save(figure, file)


def grouped(axis, rows, labels, colours, field="seconds"):
    """For each phase a bar of each label; rows by label."""
    width = 0.8 / len(labels)
    for i, (label, colour) in enumerate(zip(labels, colours, strict=True)):
        own = [r for r in rows[label] if r["phase"]]
        at = [r["phase"] + (i - (len(labels) - 1) / 2) * width for r in own]
        axis.bar(at, [r[field] for r in own], width, color=colour, label=label)
    first = [r for r in rows[labels[0]] if r["phase"]]
    names = [f"{r['phase']}\n{r['kind']}" for r in first]
    axis.set_xticks([r["phase"] for r in first], names, fontsize=7)
    axis.set_ylabel("seconds")
    axis.grid(axis="y", alpha=0.3)


def multi(rows):
    """Figure 7: the whole run by phases, and phase by phase."""
    groups = by_mpi([r for r in rows if r["program"] == "multiphase"])
    if not groups:
        return
    figure, axes = plt.subplots(
        len(groups), 2, figsize=(13, 3 * len(groups) + 0.6), squeeze=False, width_ratios=(1, 2)
    )
    for (whole, each), (mpi, own) in zip(axes, groups.items(), strict=True):
        stacked(whole, own)
        whole.set_title(f"{mpi}: blue COMP, red COMM", loc="left", fontsize=9)
        configs = list(dict.fromkeys(r["config"] for r in own))
        by_config = {c: [r for r in own if r["config"] == c] for c in configs}
        grouped(each, by_config, configs, [CONFIG_COLOURS[c] for c in configs])
        each.set_title("each phase", loc="left", fontsize=9)
    legend_above(axes[0, 1], len(CONFIG_COLOURS))
    figure.tight_layout()
    save(figure, "adapt_multi")


def intervals(rows):
    """Figure 8: GP by phases, with other intervals."""
    groups = by_mpi([r for r in rows if r["program"] == "intervals"])
    if not groups:
        return
    figure, axes = plt.subplots(len(groups), 2, figsize=(13, 2.8 * len(groups)), squeeze=False)
    for line, (mpi, own) in zip(axes, groups.items(), strict=True):
        for axis, field in zip(line, ("predict_ms", "gsync_ms"), strict=True):
            varied_interval(axis, own, field)
            axis.set_title(f"{mpi}: CSP_{field[:-3].upper()}_INT varies", loc="left", fontsize=9)
    figure.tight_layout()
    save(figure, "adapt_intervals")


def varied_interval(axis, rows, field):
    """The other interval is the one that most rows have."""
    other = {"predict_ms": "gsync_ms", "gsync_ms": "predict_ms"}[field]
    values = [r[other] for r in rows]
    usual = max(set(values), key=values.count)
    rows = sorted((r for r in rows if r[other] == usual), key=lambda r: (r[field], r["phase"]))
    lengths = list(dict.fromkeys(r[field] for r in rows))
    by_length = {f"{x:g} ms": [r for r in rows if r[field] == x] for x in lengths}
    grouped(axis, by_length, list(by_length), SHADES[-len(lengths) :])
    legend_above(axis, len(lengths))


def overhead(rows):
    """Figure 4: calls in which redirection may change."""
    groups = by_mpi([r for r in rows if r["program"] == "overhead"])
    if not groups:
        return
    whats = list(dict.fromkeys(r["what"] for r in rows if "what" in r))
    figure, axes = panels(groups, len(whats))
    for line, (mpi, own) in zip(axes, groups.items(), strict=True):
        for axis, what in zip(line, whats, strict=True):
            overhead_bars(axis, [r for r in own if r["what"] == what])
            axis.set_title(f"{mpi}: {what}", loc="left", fontsize=9)
    axes[0, 0].legend(fontsize=7)
    figure.tight_layout()
    save(figure, "adapt_overhead")


def overhead_bars(axis, rows):
    configs = list(dict.fromkeys(r["config"] for r in rows))
    for shift, users, colour in ((-0.2, 2, SKY), (0.2, 4, BLUE)):
        own = [r for r in rows if r["users"] == users]
        at = [configs.index(r["config"]) + shift for r in own]
        axis.bar(at, [r["us"] for r in own], 0.4, color=colour, label=f"{users} users")
        for x, row in zip(at, own, strict=True):
            axis.errorbar(x, row["us"], error(row, "us"), color="black", lw=1)
    axis.set_yscale("log")
    axis.set_xticks(range(len(configs)), configs, fontsize=7)
    axis.set_ylabel("microseconds")
    axis.grid(axis="y", alpha=0.3)


def plot(data):
    rows = data["rows"]
    overhead(rows)
    programs(rows, ("comp", "comm"), ("COMP", "COMM"), "adapt_single")
    multi(rows)
    intervals(rows)
    programs(rows, ("dft", "ccsd"), ("SCF", "4INDEX", "CCSD", "(T)"), "adapt_kernels")
