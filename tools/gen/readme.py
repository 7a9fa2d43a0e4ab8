#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""Copies the figures of the gap from docs/bench/demo.md into README.md, between the markers. With
--check it only says whether they are the same (exit code 1 if not)."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
README, SOURCE = ROOT / "README.md", ROOT / "docs/bench/demo.md"
BEGIN, END = "<!-- gap: made by tools/gen/readme.py -->\n", "<!-- end of gap -->\n"
SHOWN = (
    "GET 8 B",
    "ACC 8 B",
    "FOP 8 B",
    "CAS 8 B",
    "PUT 1 MB",
    "GET 1 MB",
    "ACC 1 MB",
    "GET_ACC 1 MB",
    "GET strided",
    "ACC strided",
    "PUT 8 B",
)


def milliseconds(cell):
    """'0.000259 (0.0001 - 0.0003)', in seconds, as '0.26'."""
    value = 1e3 * float(cell.split()[0])
    return f"{value:.0f}" if value >= 10 else f"{value:.2g}"


def table(text):
    """The README's table from the page of the demo."""
    cells = [[c.strip() for c in line.strip("| ").split("|")] for line in text.splitlines()]
    figures = {row[0]: row[1:3] for row in cells if len(row) == 3}
    lines = ["| operation | plain, ms | with one ghost per node, ms |", "|---|---|---|"]
    for op in SHOWN:
        plain, casper = map(milliseconds, figures[op])
        lines.append(f"| {op} | {plain} | {casper} |")
    return "\n".join(lines) + "\n"


def fresh(readme, source):
    """The text of README.md with the figures of `source`."""
    head, rest = readme.split(BEGIN)
    return head + BEGIN + table(source) + END + rest.split(END)[1]


def main():
    old = README.read_text()
    new = fresh(old, SOURCE.read_text())
    if "--check" not in sys.argv[1:]:
        README.write_text(new)
        print("  README.md")
        return 0
    if old != new:
        print("README.md has other figures than docs/bench/demo.md: run tools/gen/readme.py")
    return int(old != new)


if __name__ == "__main__":
    sys.exit(main())
