# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""casper report: one page of the timelines that CSP_TRACE wrote, and one trace of all nodes."""

import glob
import html
import io
import json
import os

from casper_cli.errors import CasperError

PATTERN = "casper-*.trace.json"
MOST_TRACKS = 48  # of a node; more can not be told apart on a page
COLOURS = {
    "computes": "#56b4e9",
    "computes and MPI": "#e69f00",
    "MPI": "#d55e00",
    "busy": "#0072b2",
}
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

    def end(self):
        """When the last thing ended."""
        ends = [b + n for spans in self.spans.values() for b, n, _ in spans]
        ends += [points[-1][0] for points in self.counters.values()]
        return max(ends + [0])

    def users(self):
        return sorted(tid for tid, name in self.tracks.items() if name.startswith("rank "))

    def ghosts(self):
        return sorted(tid for tid, name in self.tracks.items() if name.startswith("ghost "))

    def share(self, tid, state):
        """Of the track's time in this state."""
        spans = self.spans.get(tid, [])
        return sum(n for _, n, s in spans if s == state) / (self.end() or 1)


def attempts(text):
    """The text; and, as it may be of a job that died, with an end, and without half of a line."""
    yield text
    lines = text.rstrip().rstrip("]").rstrip().rstrip(",").split("\n")
    for last in (len(lines), -1):
        yield "\n".join(lines[:last]).rstrip().rstrip(",") + "]"


def parse_events(text):
    """None: it is something else."""
    for attempt in attempts(text):
        try:
            return json.loads(attempt)
        except ValueError:
            continue
    return None


def read_events(path):
    """The events of a file."""
    with open(path, encoding="utf-8", errors="replace") as file:
        events = parse_events(file.read())
    good = isinstance(events, list) and all(isinstance(e, dict) and "pid" in e for e in events)
    if not events or not good:
        raise CasperError(
            "%s is no trace of Casper" % path, "Traces are written by a run with CSP_TRACE=DIR."
        )
    return events


def read_node(events):
    """Spans that a job which died left open end with the last event."""
    node, begun = Node(events[0]["pid"]), {}
    last = max((e.get("ts", 0) + e.get("dur", 0) for e in events), default=0) * 1e-6

    def end(tid, at):
        if tid in begun:
            begin, name = begun.pop(tid)
            node.spans.setdefault(tid, []).append((begin, at - begin, name))

    for e in events:
        at = e.get("ts", 0) * 1e-6
        if e["ph"] == "M" and e["name"] == "thread_name":
            node.tracks[e["tid"]] = e["args"]["name"]
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


def load(directory):
    """(nodes, all events)."""
    paths = glob.glob(os.path.join(directory, PATTERN))
    if not paths:
        raise CasperError(
            "there is no %s in %s" % (PATTERN, directory),
            "Run the program with CSP_TRACE=%s first." % directory,
        )
    events = [read_events(path) for path in paths]
    nodes = sorted((read_node(e) for e in events), key=lambda n: n.number)
    return nodes, [event for of_node in events for event in of_node]


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


def draw_tracks(axes, node, tids):
    for row, tid in enumerate(tids):
        spans = node.spans.get(tid, [])
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
    tids = (node.users() + node.ghosts())[:MOST_TRACKS]
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
    if middle.get_legend_handles_labels()[1]:
        middle.legend(loc="upper right", fontsize=8)
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
    below.legend(loc="upper right", fontsize=8)
    for axes in (top, middle, below):
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
    shares = [
        [node.tracks[tid]]
        + [100 * node.share(tid, s) for s in ("computes", "computes and MPI", "MPI")]
        for node in nodes
        for tid in node.users()
    ]
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
    parts.append("<h2>Users: percent of the time</h2>")
    parts.append(table(["", "computes", "computes and MPI", "MPI"], shares))
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
    nodes, events = load(args.directory)
    with open(os.path.join(args.directory, "trace.json"), "w", encoding="utf-8") as file:
        json.dump({"traceEvents": events}, file)
    print(os.path.join(args.directory, "trace.json"))
    plt = import_plots()
    target = os.path.join(args.directory, "report.html")
    with open(target, "w", encoding="utf-8") as file:
        file.write(page(nodes, [draw(plt, node) for node in nodes]))
    print(target)
    return 0
