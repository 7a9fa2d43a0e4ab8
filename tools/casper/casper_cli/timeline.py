# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""casper report: one page of the timelines that CSP_TRACE wrote, and one trace of all nodes."""

import glob
import html
import io
import json
import os
from collections import Counter

from casper_cli import files
from casper_cli.errors import CasperError, warn

PATTERN = "casper-*.trace.json"
MOST_TRACKS = 48  # of a node; more can not be told apart on a page
PIXELS = 1200  # across it
REMEDY = "Is there room, and may you write there?"
COLOURS = {
    "computes": "#56b4e9",
    "computes and MPI": "#e69f00",
    "MPI": "#d55e00",
    "busy": "#0072b2",
}
OF_USERS = ("computes", "computes and MPI", "MPI")  # of these states
WAYS = (("load/store", "#666666"), ("ghosts", "#0072b2"), ("targets", "#d55e00"))
STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 75em; padding: 0 1em; color: #222 }
h1 { font-size: 1.5em } h2 { font-size: 1.15em; margin-top: 2em }
table { border-collapse: collapse } th, td { padding: .2em .9em .2em 0; text-align: left }
td.n { text-align: right; padding-left: 2em; font-variant-numeric: tabular-nums }
th { border-bottom: 1px solid #999 }
svg { max-width: 100%; height: auto } .key span { display: inline-block; width: 1em; height: 1em;
margin: 0 .35em 0 1.2em; vertical-align: -.15em }
"""


class Node:
    """What one node's file says, times in seconds."""

    def __init__(self, number):
        self.number = number
        self.tracks = {}  # tid: name
        self.spans = {}  # tid: [(begin, length, state)]
        self.counters = {}  # name: [(time, {series: value})]
        self.changes = []  # (time, text, arguments, whether redirection is off)
        self.more_changes = 0  # that the file leaves out
        self.kept = None  # end and percents, when the rest is forgotten

    def end(self):
        """When the last thing ended."""
        if self.kept:
            return self.kept[0]
        ends = [b + n for spans in self.spans.values() for b, n, _ in spans]
        ends += [points[-1][0] for points in self.counters.values()]
        return max(ends + [0])

    def users(self):
        return sorted(tid for tid, name in self.tracks.items() if name.startswith("rank "))

    def ghosts(self):
        return sorted(tid for tid, name in self.tracks.items() if name.startswith("ghost "))

    def percents(self):
        """A row for each user: of the node's time in each state."""
        if self.kept:
            return self.kept[1]
        total, rows = self.end() or 1, []
        for tid in self.users():
            of_state = times(self.spans.get(tid, []))
            rows.append([self.tracks[tid]] + [100 * of_state[state] / total for state in OF_USERS])
        return rows

    def forget(self):
        """What is drawn by now: a long run of many processes has gigabytes of it."""
        self.kept = self.end(), self.percents()
        self.spans, self.counters = {}, {}


def times(spans):
    """In each state."""
    found = Counter()
    for _, length, state in spans:
        found[state] += length
    return found


def parse(text):
    """What the text holds, or None."""
    try:
        return json.loads(text)
    except ValueError:
        return None


def read_events(path):
    """The events of a file, one a line: (text, event). Its job may have died, or the disk was full for a
    while: lines may be damaged, and the end may not be there."""
    found, damaged, end = False, False, ""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            for line in file:
                text = line.strip().rstrip(",")
                end = text or end
                if text in ("[", "]", ""):
                    continue
                event = parse(text)
                if isinstance(event, dict) and {"pid", "ph"} <= event.keys():
                    found = True
                    yield text, event
                else:
                    damaged = True
    except OSError as error:
        raise CasperError("%s cannot be read: %s" % (path, error.strerror), "May you?") from error
    if found and (damaged or end != "]"):
        warn("%s is not complete" % path)


def read_node(events):
    """The node, or None without events. Spans that a job which died left open end with the last event."""
    node, begun, last = None, {}, 0

    def end(tid, at):
        if tid in begun:
            begin, name = begun.pop(tid)
            node.spans.setdefault(tid, []).append((begin, at - begin, name))

    for e in events:
        node = node or Node(e["pid"])
        at = e.get("ts", 0) * 1e-6
        last = max(last, at + e.get("dur", 0) * 1e-6)
        if e["ph"] == "M" and e["name"] == "thread_name":
            node.tracks[e["tid"]] = e["args"]["name"]
        elif e["ph"] == "M" and e["name"] == "more_changes":
            node.more_changes = e["args"]["count"]
        elif e["ph"] == "X":
            node.spans.setdefault(e["tid"], []).append((at, e["dur"] * 1e-6, e["name"]))
        elif e["ph"] == "B":
            begun[e["tid"]] = at, e["name"]
        elif e["ph"] == "E":
            end(e["tid"], at)
        elif e["ph"] == "C":
            node.counters.setdefault(e["name"], []).append((at, e["args"]))
        elif e["ph"] == "i":
            node.changes.append((at, e["name"], e["args"], e.get("cat") == "off"))
    for tid in list(begun):
        end(tid, last)
    return node


def copied(events, out, begin):
    """The events, whose texts go to a trace of all nodes."""
    for text, event in events:
        if out:
            out.write(begin + text)
        begin = ",\n"
        yield event


def load(directory, out=None):
    """The nodes, one at a time; their events go to the file `out`."""
    paths = glob.glob(os.path.join(glob.escape(directory), PATTERN))
    if not paths:
        raise CasperError(
            "there is no %s in %s" % (PATTERN, directory),
            "Run the program with CSP_TRACE=%s first." % directory,
        )
    bad, begin = [], '{"traceEvents": [\n'
    for path in sorted(paths, key=lambda path: (len(path), path)):  # by numbers of nodes
        node = read_node(copied(read_events(path), out, begin))
        if node:
            begin = ",\n"
            yield node
        else:
            bad.append(path)
    if out:
        out.write("\n]}\n")
    if len(bad) == len(paths):
        raise CasperError(
            "%s is no trace of Casper" % bad[0], "Traces are written by a run with CSP_TRACE=DIR."
        )
    for path in bad:
        warn("%s is no trace of Casper: left out" % path)


def step_sum(node, suffix, series):
    """The sum over all counters of that name's end, as steps: times, values."""
    points = sorted(
        (at, name, args.get(series, 0))
        for name, of_name in node.counters.items()
        if name.endswith(suffix)
        for at, args in of_name
    )
    last, times, values = {}, [], []
    for at, name, value in points:
        last[name] = value
        if times and times[-1] == at:
            values[-1] = sum(last.values())
        else:
            times.append(at)
            values.append(sum(last.values()))
    return times + [node.end()], values + values[-1:]


def visible(spans, least):
    """The spans as they are drawn. A row of spans that are shorter than `least` is one, in the state that
    most of it had."""
    drawn, row = [], []

    def end_row():
        if row:
            begin, end = row[0][0], row[-1][0] + row[-1][1]
            drawn.append((begin, end - begin, times(row).most_common(1)[0][0]))
            row.clear()

    for begin, length, state in spans:
        if row and begin + length - row[0][0] > least:
            end_row()
        if length < least:
            row.append((begin, length, state))
        else:
            drawn.append((begin, length, state))
    end_row()
    return drawn


def tracks(node):
    """Which are drawn: ghosts first, and then the users for whom there is room."""
    ghosts = node.ghosts()[:MOST_TRACKS]
    return node.users()[: MOST_TRACKS - len(ghosts)] + ghosts


def draw_tracks(axes, node, tids):
    least = node.end() / PIXELS
    for row, tid in enumerate(tids):
        spans = visible(node.spans.get(tid, []), least)
        axes.broken_barh(
            [(begin, length) for begin, length, _ in spans],
            (row - 0.4, 0.8),
            facecolors=[COLOURS[state] for _, _, state in spans],
        )
    axes.set_yticks(range(len(tids)))
    axes.set_yticklabels([node.tracks[tid] for tid in tids], fontsize=8)
    axes.set_ylim(len(tids) - 0.5, -0.5)


def mark_changes(axes, node):
    for at, _, _, off in node.changes:
        axes.axvline(at, color="black", linewidth=0.8, linestyle="-" if off else ":")


def draw(plt, node):
    """The node's figure, as SVG."""
    tids = tracks(node)
    height = 0.6 + 0.24 * len(tids)
    figure, (top, middle, below) = plt.subplots(
        3,
        1,
        figsize=(12, height + 3.4),
        sharex=True,
        gridspec_kw={"height_ratios": [height, 1.5, 1.3], "hspace": 0.12},
    )
    draw_tracks(top, node, tids)
    for way, colour in WAYS:
        times, values = step_sum(node, ": operations/s", way)
        if any(values):
            middle.step(times, values, where="post", color=colour, label=way, linewidth=1)
    middle.set_ylabel("operations/s")
    users = len(node.users()) or 1
    for suffix, count, colour, label in (
        (": waits", users, "#d55e00", "users wait (mean)"),
        (": busy", len(node.ghosts()) or 1, "#0072b2", "ghosts busy (mean)"),
    ):
        times, values = step_sum(node, suffix, "%")
        if values:
            means = [v / count for v in values]
            below.step(times, means, where="post", color=colour, label=label, linewidth=1)
    below.set_ylabel("%")
    below.set_ylim(0, 102)
    below.set_xlabel("seconds since MPI_Init")
    for axes in (top, middle, below):
        if axes.get_legend_handles_labels()[1]:
            axes.legend(loc="upper right", fontsize=8)
        mark_changes(axes, node)
        axes.margins(x=0)
    text = io.StringIO()
    figure.savefig(text, format="svg", bbox_inches="tight")
    plt.close(figure)
    svg = text.getvalue()
    return svg[svg.index("<svg") :]


def table(head, rows):
    cells = "".join("<th>%s</th>" % html.escape(h) for h in head)
    lines = ["<table><tr>%s</tr>" % cells]
    for row in rows:
        of_row = (
            ("<td>%s</td>" if isinstance(c, str) else '<td class="n">%.1f</td>')
            % (html.escape(c) if isinstance(c, str) else c)
            for c in row
        )
        lines.append("<tr>%s</tr>" % "".join(of_row))
    return "\n".join(lines + ["</table>"])


def page(nodes, figures):
    """The whole page."""
    shares = [row for node in nodes for row in node.percents()]
    changes = [(at, node.number, n, args) for node in nodes for at, n, args, _ in node.changes]
    changes.sort(key=lambda change: change[:3])  # several may be equal but for their figures
    rows = [
        ["%.3f s" % at, n, "; ".join("%s: %s" % item for item in args.items())]
        for at, _, n, args in changes
    ]
    key = "".join('<span style="background:%s"></span>%s' % (c, s) for s, c in COLOURS.items())
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8"><title>Casper: timeline</title>',
        "<style>%s</style></head><body>" % STYLE,
        "<h1>Casper: timeline of %d nodes, %.3f s</h1>" % (len(nodes), max(n.end() for n in nodes)),
        '<p class="key">Users and ghosts:%s</p>' % key,
        "<p>Vertical lines: redirection changed (dotted: on). Below: operations by the way that they took, "
        "and how much of their time users waited in flushes, locks and fences.</p>",
    ]
    for node, svg in zip(nodes, figures):
        parts.append("<h2>Node %d</h2>" % node.number)
        left = len(node.users()) + len(node.ghosts()) - MOST_TRACKS
        if left > 0:
            parts.append("<p>%d more processes are in the trace alone.</p>" % left)
        parts.append(svg)
    parts.append("<h2>Changes of redirection</h2>")
    parts.append(table(["when", "what", "figures"], rows) if rows else "<p>None.</p>")
    parts += [
        "<p>Node %d: %d more, later ones, were not kept.</p>" % (node.number, node.more_changes)
        for node in nodes
        if node.more_changes
    ]
    parts.append("<h2>Users: percent of the time</h2>")
    parts.append(table(["", *OF_USERS], shares))
    return "\n".join(parts + ["</body></html>\n"])


def import_plots():
    try:
        import matplotlib
    except ImportError as error:
        raise CasperError(
            "casper report draws with matplotlib, which this Python does not have",
            "pip install matplotlib, or Debian's python3-matplotlib. The traces themselves open in "
            "https://ui.perfetto.dev.",
        ) from error
    matplotlib.use("Agg")
    matplotlib.rcParams["svg.fonttype"] = "none"
    import matplotlib.pyplot as plt

    return plt


def run(args, env):
    """Writes DIR/report.html and DIR/trace.json."""
    nodes, figures, missing, plt = [], [], None, None
    try:
        plt = import_plots()
    except CasperError as error:
        missing = error  # the trace of all nodes needs no plots
    path = os.path.join(args.directory, "trace.json")
    with files.replacing(path, REMEDY) as out:
        for node in load(args.directory, out):
            if not missing:
                figures.append(draw(plt, node))
            node.forget()
            nodes.append(node)
    print(path)
    if missing:
        raise missing
    path = os.path.join(args.directory, "report.html")
    files.replace(path, page(nodes, figures), REMEDY)
    print(path)
    return 0
