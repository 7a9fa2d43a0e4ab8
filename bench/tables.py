#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""Writes the pages of docs/bench/, and the figures that they show to docs/bench/data/NAME.json: those
that are there, with the runs of build/results/NAME.json in place of theirs (but quick and disturbed
ones). With --check it only says which figures of build/results are beyond their limits (exit code 1 if
any, 2 if there is none to look at)."""

import argparse
import subprocess
import sys

import launch
import published
import results
import tables_adapt
import tables_exchange
import tables_p2p
import tables_rma
from pages import (
    DISTURBED_CORES,
    HEAD,
    about,
    cell,
    complain,
    disturbed,
    groups,
    number,
    table,
    title_of,
)

CALL_LIMIT_US = 0.005
GAP_LIMIT, MESSAGE_LIMIT, SHARED_LIMIT = 1.5, 1.02, 1.08
POOL_LIMIT, LARGE_LIMIT = 1.0, 1.2  # MPI_Win_allocate + MPI_Win_free, by where the memory is
EACH_LIMIT = 1.4  # of the two alone
NOTE_MARKS = "*+"
SLEEP_MS, BUSY_SHARE_LIMIT = 30, 0.05
GAP_TEXT = """Time of one operation + flush between two virtual nodes on one machine, in
microseconds: median of the runs' medians (lowest - highest run). *Plain idle*: the target sits
in MPI_Recv. *Plain busy*: it is outside MPI for {sleep} ms at a time. *Casper busy*: the same
with one ghost per node, one operation after the other; *rare*: with a pause of 1 ms before
each, so that the ghost may be asleep. *Ratio* is Casper busy over plain idle; wanted: at most
{limit} (beyond: **bold**). Plain and Casper run in turns; plain idle and Casper busy are of runs
where the two cores were equally far apart (*cores*: round trip of a cache line in ns), because a
virtual machine may move them every few seconds.

Figures: `make bench ARGS="--only gap"`; this page: `python3 bench/tables.py`; plot
(build/results/gap.svg): `python3 bench/plot.py`."""
CREATED_TEXT = """The same for windows on the program's own memory (*create*: MPI_Win_create; *alloc_mem*: the
same on memory of MPI_Alloc_mem, which ghosts map; *dynamic*: MPI_Win_create_dynamic). Wanted: Casper busy at
most {share} of the {sleep} ms that the target is outside MPI (beyond: **bold**). *Ratio* is Casper busy over
plain idle: but for *alloc_mem* this route is software on both sides.

Figures: `make bench ARGS="--only created"`; this page: `python3 bench/tables.py`."""
OVERHEAD_TEXT = """What calls cost when nobody has to wait, and what quiet ghosts cost users
who share their cores. Microseconds, median of the runs' medians (lowest - highest run), two
virtual nodes with one user each unless said otherwise; with Casper one ghost on each node. For
epochs and operations on one target, the plain target sits in MPI_Recv and the one with Casper
is outside MPI, as in gap.md. Where both users stay in MPI for an epoch (fence + Put,
post/start/Put/complete/wait) the four processes of the run with Casper share the cores named
below: such a row shows what naps and time slices cost, which a ghost with a core of its own does
not take. Wanted: windows from the pool (up to 64 MB a process) at most {pool},
larger ones at most {large} (the very first one with its first touch: Casper takes its memory when it
is made), allocation and free each at most {each}, messages and calls at most {message} (a call of
nanoseconds: 5 ns more), users on shared cores at most {shared} times plain. **Bold**: beyond that.

Figures: `make bench ARGS="--only overhead"`; this page: `python3 bench/tables.py`; plots
(build/results/overhead.svg, shared_cores.svg): `python3 bench/plot.py`."""
DEMO_TEXT = """How long the origin waits for one operation + flush while its target computes
for {compute} s, on two virtual nodes of one machine: median of {rounds} runs each, plain and
with one ghost per node in turns. {mpi}, unmodified program. Seconds.

Figures: `make demo`; this page: `python3 bench/tables.py`; plot (build/results/demo.svg):
`python3 bench/plot.py`."""


def beyond(name, row):
    """Whether a row's ratio is beyond the limit that it has, if it has one."""
    limit, ratio = limit_of(name, row), row.get("busy_share", row.get("ratio"))
    if limit is None or ratio is None or ratio <= limit:
        return False
    if row.get("what", "").startswith("MPI_Comm_"):  # a call of some ns: a ratio says little
        return row["casper_us"] - row["plain_us"] > CALL_LIMIT_US
    return True


def marked(name, row):
    if row.get("ratio") is None:
        return ""
    return f"**{row['ratio']:.2f}**" if beyond(name, row) else f"{row['ratio']:.2f}"


def gap_page(data):
    text = GAP_TEXT.format(sleep=SLEEP_MS, limit=GAP_LIMIT)
    return gap_tables("gap", data, HEAD.format(title="The progress gap", text=text))


def created_page(data):
    text = CREATED_TEXT.format(sleep=SLEEP_MS, share=BUSY_SHARE_LIMIT)
    title = "The progress gap in created windows"
    return gap_tables("created", data, HEAD.format(title=title, text=text))


def gap_tables(name, data, head):
    out = [head]
    for mpi, rows in groups(data["rows"]).items():
        out += [f"## {title_of(mpi)}", "", *about(data, mpi)]
        if disturbed(data, mpi):
            continue
        head = (
            "operation",
            "plain idle",
            "plain busy",
            "Casper busy",
            "Casper rare",
            "ratio",
            "cores",
        )
        fields = ("plain_idle_us", "plain_busy_us", "casper_busy_us", "casper_cold_us")
        lines = []
        notes = list(dict.fromkeys(r["note"] for r in rows if r.get("note")))
        marks = dict(zip(notes, NOTE_MARKS))
        for row in rows:
            star = f" {marks[row['note']]}" if row.get("note") else ""
            figures = [cell(row, f) or "-" for f in fields]
            what = f"{row['window']}, {row['op']}" if "window" in row else row["op"]
            cores = number(row.get("core_to_core_ns"))
            lines.append([what + star, *figures, marked(name, row), cores])
        out += table(head, lines)
        out += [f"\\{mark} {note}\n" for note, mark in marks.items()]
    return "\n".join(out)


def limit_of(name, row):
    """The acceptance limit of a row's ratio; None if it has none."""
    if name == "created":
        return BUSY_SHARE_LIMIT
    if name == "gap":
        return None if row.get("note") else GAP_LIMIT
    what = row["what"]
    if "poll" in row:
        return None if row["poll"] == "spin" else SHARED_LIMIT
    if what.startswith("first Win_allocate + touch"):
        return LARGE_LIMIT
    if what.startswith("Win_allocate + Win_free"):
        return LARGE_LIMIT if what.endswith("96 MB") else POOL_LIMIT
    if what.startswith(("Win_allocate ", "Win_free ")):
        return EACH_LIMIT
    if what.startswith(("Send/Recv", "MPI_Allreduce", "MPI_Comm_")):
        return MESSAGE_LIMIT
    return None


def overhead_page(data):
    limits = {
        "pool": POOL_LIMIT,
        "large": LARGE_LIMIT,
        "each": EACH_LIMIT,
        "message": MESSAGE_LIMIT,
        "shared": SHARED_LIMIT,
    }
    text = OVERHEAD_TEXT.format(**limits)
    out = [HEAD.format(title="Overhead", text=text)]
    for mpi, rows in groups(data["rows"]).items():
        out += [f"## {title_of(mpi)}", "", *about(data, mpi)]
        if disturbed(data, mpi):
            continue
        lines = [
            [r["what"], cell(r, "plain_us"), cell(r, "casper_us"), marked("overhead", r)]
            for r in rows
            if "poll" not in r
        ]
        out += table(("what", "plain", "Casper", "ratio"), lines)
        lines = [
            [
                r["what"],
                marked("overhead", r),
                cell(r, "answer_us"),
                number(r["answer_p95_us"]),
            ]
            for r in rows
            if r.get("answer_us")
        ]
        if lines:
            out += table(("users on shared cores", "time / plain", "answer", "95 %"), lines)
    return "\n".join(out)


def demo_page(data):
    text = DEMO_TEXT.format(
        compute=data["compute_s"], rounds=data["rounds"], mpi=title_of(data["mpi"])
    )
    fields = ("plain_wait_s", "casper_wait_s")
    lines = [[r["op"], *(cell(r, field) or "-" for field in fields)] for r in data["rows"]]
    page = [HEAD.format(title="The demo", text=text)]
    return "\n".join(page + table(("operation", "plain", "with ghosts"), lines))


def check(name, data):
    """Prints every row beyond its limit. Returns the number of those that were not disturbed."""
    count = 0
    for row in data["rows"]:
        if not beyond(name, row):
            continue
        what = row.get("op") or row["what"]
        figure = row.get("busy_share", row.get("ratio"))
        count += complain(name, data, row, f"{what}: {figure} > {limit_of(name, row)}")
    return count


PAGES = {
    "demo": demo_page,
    "gap": gap_page,
    "created": created_page,
    "overhead": overhead_page,
    **tables_rma.PAGES,
    "adapt": tables_adapt.page,
    "exchange": tables_exchange.page,
    "p2p": tables_p2p.page,
}
CHECKS = {
    "gap": check,
    "created": check,
    "overhead": check,
    **dict.fromkeys(tables_rma.PAGES, tables_rma.check),
    "adapt": tables_adapt.check,
    "exchange": tables_exchange.check,
    "p2p": tables_p2p.check,
}


def check_all():
    """The exit code."""
    checked, beyond_count = 0, 0
    for name, check_page in CHECKS.items():
        try:
            data = results.read(name)
        except FileNotFoundError:
            print(f"  {name}: no build/results/{name}.json")
            continue
        checked += 1
        beyond_count += check_page(name, data)
    if not checked:
        print("nothing was checked: make bench writes the figures")
        return 2
    return 1 if beyond_count else 0


def text_of(name, data):
    """A page, as it is in its file."""
    return PAGES[name](data).rstrip() + "\n"


def write_all():
    for name in PAGES:
        data = published.read(name)
        if data is None:
            print(f"  {name}: no figures that can be published")
        elif name == "demo" and data.get("foreign_cores", 0) > DISTURBED_CORES:
            print(f"  demo: page left as it is, others used {data['foreign_cores']} cores")
        else:
            published.write(name, data)
            (published.DOCS / f"{name}.md").write_text(text_of(name, data), encoding="utf-8")
            print(f"  docs/bench/{name}.md")
            if name == "demo":  # README.md shows some figures of it
                subprocess.run([sys.executable, launch.ROOT / "tools/gen/readme.py"], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--check", action="store_true", help="compare with the limits, write nothing"
    )
    args = parser.parse_args()
    if args.check:
        return check_all()
    write_all()
    return 0


if __name__ == "__main__":
    sys.exit(main())
