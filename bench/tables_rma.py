# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""Pages and limits of memory.json, calls.json, node.json and ghosts.json (rma.py)."""

from pages import HEAD, about, cell, complain, disturbed, groups, number, table, title_of

CALL_LIMIT_NS, ACC_LIMIT, SHARE_LIMIT = 60, 1.3, 0.6
NODE_SLACK = 1.05  # what two measurements of the same thing differ by
LOOKUP_LIMIT_NS = 2
FLUSH_GROWTH, FLUSH_SLACK_US = 1.5, 0.2
# Private bytes of a window: docs/design/memory.md, with what the C library adds to its blocks.
WINDOW_BYTES, NODE_BYTES, BLOCK_BYTES = 730, 16, 32
BY_NAME = (
    """Figures: `make bench ARGS="--only {name}"`; this page: `python3 bench/tables.py`{plot}."""
)
PLOT = "; plot\n(build/results/{name}.svg): `python3 bench/plot.py`"

MEMORY_TEXT = """What Casper keeps for a window of `MPI_Win_allocate`, as it counted it itself
in a run with so many nodes, users on each and ghosts (`kept_peak` in the report), each figure
divided by the number of windows that were there at a time. *Internal*: windows of the MPI
library over users and ghosts for each window of the program, besides the one that all windows
of the pool share. *Carriers*: windows on `MPI_COMM_SELF`, which are the program's handles.
*Private*: bytes of a process for a window. *Per set*: bytes of a process for the communicator
and the set of its processes, once for all windows. *Shared*: bytes of a window in the node's
segment. *Heap*: what a window costs a process in all, that is Casper and the MPI library with
its carrier; plain the MPI library alone. Wanted: at most one internal window; private bytes
that do not grow with the users of a node, and at most {window} + {node} for each node and
ghost (beyond: **bold**). The formulas for larger jobs: [memory.md](../design/memory.md)."""

CALLS_TEXT = """What a call costs the origin, in nanoseconds: the calls of a batch, without the
flush after it; median of the runs' medians (lowest - highest run), two virtual nodes with two
users each. Where Casper does the operation itself (load and store) the overhead is the time
with Casper minus that of the plain library. Where it hands it on to the MPI library, to a
ghost or as it is, a library behind Casper keeps the operation from the MPI library: *alone* is
Casper's own part with a call that does nothing, which *empty* costs, and the overhead is the
difference. Overheads are those of the fastest runs, since another process on a core makes calls take
up to twice as long. Between processes that communicate, calls take much longer than that and vary more;
so do operations that Casper sends to the ghost in messages (accumulates, and all on memory that no
ghost maps: *created*, *dynamic*), which have no such part.
Wanted: at most {limit} ns (beyond: **bold**), and no look-up of an attribute."""

LOOKUP_TEXT = """## Redirection that may change

Casper's own part of such a call at another node, as *alone* above, ns: redirection that stays
(*on*; *clock*: with a timeline, for which each call reads the clock twice, as for profiles), by
profile (*P*, *GP*) and by measurement (*auto*). Wanted: the look-up takes at most {limit} ns, which is
what *P* and *GP* take more than *clock*, and *auto* more than *on*, in their fastest runs (beyond:
**bold**)."""

FLUSH_TEXT = """## MPI_Win_flush_all

Microseconds, by the nodes (a user and a ghost each) and windows that exist and the targets on
other nodes that were used since the last one; *flushes*: calls of `MPI_Win_flush` that the MPI
library got, counted behind Casper. Plain, only what needs no progress of a target is measured.
Wanted: as many flushes as targets; and with none or one used at most {growth} times the first
line's time, whatever exists."""

NODE_TEXT = """Operations between two processes of a node, microseconds: median of the runs'
medians (lowest - highest run). *One*: one operation and a flush; *of 16*: each of 16 before a
flush. The plain target sits in MPI_Recv, the one with Casper is outside MPI. *Window of one
node*: all its processes share the node; *of two*: the window has processes on another node
too, so that its accumulates go through the ghost, unless Casper executes them itself. Wanted: at
most 1 times plain ({slack} with what measurements differ by); accumulates through the ghost {acc}
(beyond: **bold**)."""

GHOSTS_TEXT = """All four processes of two nodes accumulate on users of the second node at
once. *target*: on one of them, 1 KB at changing places; *node*: on both in turn; *whole*: on
both in turn, all 64 KB of the window. Accumulates are bound to ghosts by the target's rank or
by segment of its memory (CSP_ACC_GHOST), and executed by the MPI library or by Casper (*software*,
CSP_ACC_ROUTE). *Busiest*: share of the bytes that the ghost with the most of them was given, and
*operations*: those of the MPI library for one of the program; both counted behind Casper, where
there are none of the software route. *Busy*: time that the busiest ghost spent in turns with
work, for each operation: on a machine with a core for each ghost this bounds the rate. *Time*: of
an operation, here, where {cores} cores do the work of eight processes. Wanted of the library: by
segment the load of one target is divided (at most {share}), by rank that of several is, with one
operation for each of the program's."""


def head(title, text, name, plot=True):
    by = BY_NAME.format(name=name, plot=PLOT.format(name=name) if plot else "")
    return HEAD.format(title=title, text=f"{text}\n\n{by}")


def sections(page, data, lines_of):
    """The page with a section for each MPI library whose run was not disturbed."""
    out = [page]
    for mpi, rows in groups(data["rows"]).items():
        out += [f"## {title_of(mpi)}", "", *about(data, mpi)]
        if not disturbed(data, mpi):
            out += lines_of(rows)
    return "\n".join(out)


def bold(text, bad):
    return f"**{text}**" if bad and text else text


# ---- what is wanted: each gives the complaint about a row, or nothing


def memory_wrong(row, _rows):
    ghosts = row["nodes"] * row["ghosts"]
    blocks = 8 if row["kind"] == "own" else 6  # ghosts' ranks and segments' sizes are its own
    most = WINDOW_BYTES + blocks * BLOCK_BYTES + NODE_BYTES * (row["nodes"] + ghosts)
    if row["internal_windows"] > (row["kind"] == "own"):
        return f"{row['internal_windows']} internal windows"
    if row["window_bytes"] > most:
        return f"{row['window_bytes']} private bytes > {most}"
    return ""


def call_wrong(row):
    if row.get("overhead_ns", 0) > CALL_LIMIT_NS:
        return f"{row['overhead_ns']} ns > {CALL_LIMIT_NS}"
    if row["attribute_lookups"]:
        return f"{row['attribute_lookups']} attribute look-ups in each call"
    return ""


def flush_wrong(row, rows):
    if row["flushes"] != row["used"]:
        return f"{row['flushes']} flushes for {row['used']} targets"
    first = next(r for r in rows if r["kind"] == "flush_all" and r["used"] == row["used"])
    most = FLUSH_GROWTH * first["casper_us"] + FLUSH_SLACK_US
    if row["used"] < 2 and row["casper_us"] > most:
        return f"{row['casper_us']} us > {most:.2f} with fewer of them"
    return ""


def lookup_wrong(row):
    more = row["more_ns"]
    return f"look-up: {more} ns > {LOOKUP_LIMIT_NS}" if more > LOOKUP_LIMIT_NS else ""


def calls_wrong(row, rows):
    if row["kind"] == "flush_all":
        return flush_wrong(row, rows)
    return call_wrong(row) if row["kind"] == "call" else lookup_wrong(row)


def node_wrong(row, _rows):
    through_ghost = row["window"] == "window of two" and row["op"] not in ("PUT", "GET")
    limit = ACC_LIMIT if through_ghost else NODE_SLACK
    if row.get("ratio") is None or row["ratio"] <= limit:
        return ""
    return f"{row['ratio']} > {limit}"


def ghosts_wrong(row, _rows):
    wins = {"target": "segment", "node": "rank", "whole": "rank"}
    if row["route"] != "library" or row["ghosts"] == 1 or row["bind"] != wins[row["load"]]:
        return ""
    if row["busiest_share"] > SHARE_LIMIT:
        return f"busiest ghost: {row['busiest_share']} > {SHARE_LIMIT}"
    if row["bind"] == "rank" and row["library_ops"] > 1:
        return f"{row['library_ops']} operations for one"
    return ""


WRONG = {"memory": memory_wrong, "calls": calls_wrong, "node": node_wrong, "ghosts": ghosts_wrong}
NAMES = ("kind", "config", "route", "window", "load", "bind", "op", "bytes", "mode", "nodes")
NAMES += ("users_per_node", "ghosts", "windows", "used")


def check(name, data):
    """Prints every row beyond its limit. Returns the number of those that were not disturbed."""
    count = 0
    for rows in groups(data["rows"]).values():
        for row in rows:
            wrong = WRONG[name](row, rows)
            what = ", ".join(f"{n} {row[n]}" for n in NAMES if n in row)
            count += complain(name, data, row, f"{what}: {wrong}") if wrong else 0
    return count


# ---- pages


def memory_lines(rows):
    fields = ("internal_windows", "carriers", "window_bytes", "set_bytes", "shared_bytes")
    fields += ("heap_bytes", "plain_heap_bytes")
    names = ("internal", "carriers", "private", "per set", "shared", "heap", "plain heap")
    lines = []
    for r in rows:
        figures = [number(r.get(f)) for f in fields]
        figures[0] = bold(figures[0], memory_wrong(r, rows))
        lines.append(
            [r["kind"], *(str(r[f]) for f in ("nodes", "users_per_node", "ghosts")), *figures]
        )
    return table(("memory from", "nodes", "users each", "ghosts", *names), lines)


def memory_page(data):
    text = MEMORY_TEXT.format(window=WINDOW_BYTES + 6 * BLOCK_BYTES, node=NODE_BYTES)
    return sections(head("Memory of windows", text, "memory", False), data, memory_lines)


def call_lines(rows):
    lines = []
    for r in rows:
        figures = [cell(r, "plain_ns"), cell(r, "casper_ns")]
        alone = [cell(r, "own_ns"), number(r["empty_ns"])] if "own_ns" in r else ["", ""]
        over = bold(number(r.get("overhead_ns")), call_wrong(r))
        lines.append([r["route"], r["op"], *figures, *alone, over, number(r["attribute_lookups"])])
    heads = ("target", "operation", "plain", "Casper", "alone", "empty", "overhead", "look-ups")
    return table(heads, lines)


def lookup_lines(rows):
    lines = []
    for op in dict.fromkeys(r["op"] for r in rows):
        own = [r for r in rows if r["op"] == op]
        lines.append([op, *(bold(cell(r, "own_ns"), lookup_wrong(r)) for r in own)])
    return table(("operation", *dict.fromkeys(r["config"] for r in rows)), lines) if lines else []


def flush_lines(rows):
    fields = ("nodes", "windows", "used")
    lines = []
    for r in rows:
        time = bold(cell(r, "casper_us"), flush_wrong(r, rows))
        lines.append(
            [*(str(r[f]) for f in fields), cell(r, "plain_us"), time, number(r["flushes"])]
        )
    return table((*fields, "plain", "Casper", "flushes"), lines)


def calls_lines(rows):
    kinds = {"call": call_lines, "lookup": lookup_lines, "flush_all": flush_lines}
    return [x for k, lines in kinds.items() for x in lines([r for r in rows if r["kind"] == k])]


def calls_page(data):
    parts = (CALLS_TEXT.format(limit=CALL_LIMIT_NS), LOOKUP_TEXT.format(limit=LOOKUP_LIMIT_NS))
    text = "\n\n".join((*parts, FLUSH_TEXT.format(growth=FLUSH_GROWTH)))
    return sections(head("Calls", text, "calls"), data, calls_lines)


def node_lines(rows):
    lines = []
    for r in rows:
        mode = {"one": "one", "burst": "of 16"}[r["mode"]]
        speed = number(r["bytes"] / r["casper_us"]) if r["mode"] == "burst" else ""
        ratio = bold(f"{r['ratio']:.2f}", node_wrong(r, rows)) if r.get("ratio") else ""
        what = [r["window"], r["op"], str(r["bytes"]), mode]
        lines.append([*what, cell(r, "plain_us"), cell(r, "casper_us"), ratio, speed])
    heads = ("window", "operation", "bytes", "", "plain", "Casper", "ratio", "MB/s")
    return table(heads, lines)


def node_page(data):
    text = NODE_TEXT.format(slack=NODE_SLACK, acc=ACC_LIMIT)
    return sections(head("Inside a node", text, "node"), data, node_lines)


def ghosts_lines(rows):
    lines = []
    for r in rows:
        share = bold(number(r.get("busiest_share")), ghosts_wrong(r, rows))
        figures = [share, number(r.get("library_ops")), cell(r, "busy_ns"), cell(r, "casper_us")]
        lines.append([r["load"], r["route"], str(r["ghosts"]), r["bind"], *figures])
    heads = ("load", "executed by", "ghosts", "bound by", "busiest", "operations")
    return table((*heads, "busy (ns)", "time (us)"), lines)


def ghosts_page(data):
    text = GHOSTS_TEXT.format(cores=data["cores"], share=SHARE_LIMIT)
    return sections(head("Two ghosts against one", text, "ghosts"), data, ghosts_lines)


PAGES = {"memory": memory_page, "calls": calls_page, "node": node_page, "ghosts": ghosts_page}
