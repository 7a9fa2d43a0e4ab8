#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""The demo: one unmodified MPI program on two virtual nodes, in turns plain and with a ghost on
each node. It prints how long an RMA operation takes while its target computes, then the report of
the run with ghosts, and writes build/results/demo.json. Exit code 1 if something broke, or if the gap
was not shown and nobody else's work can be why."""

import argparse
import os
import sys

import launch
import load
import results

SOURCES = ("gap_demo.c", "ops.c", "bench.c")
PLAIN_LEAST, CASPER_MOST = 0.8, 0.05  # of the target's compute time


def one_run(mpi, program, compute_s, ghosts):
    """({operation: seconds}, stderr) of one run of the program."""
    out = results.RESULTS / "demo.lines"
    env, left_out = ({}, mpi.broken) if ghosts is None else ({"CSP_REPORT": "1"}, ())
    limit_s = 60 + 20 * compute_s  # each operation waits as long
    err = launch.run(
        mpi, [program, compute_s, out, *left_out], limit_s, users_per_node=1, ghosts=ghosts, env=env
    )
    waits = {line["op"]: line["wait_s"] for line in results.read_lines(out)}
    out.unlink()
    return waits, err


def measure(mpi, program, args):
    """Rows with the medians of the rounds, and the last report."""
    rounds, report = results.Rounds(), ""
    for i in range(args.rounds):
        print(f"  round {i + 1} of {args.rounds}: plain, ", end="", flush=True)
        plain, _ = one_run(mpi, program, args.compute, None)
        print("with ghosts", flush=True)
        casper, report = one_run(mpi, program, args.compute, 1)
        for kind, waits in (("plain", plain), ("casper", casper)):
            for op, wait_s in waits.items():
                rounds.add((op, kind), [wait_s])
    rows = []
    for op in casper:  # plain some may be left out
        row = {"op": op}
        rounds.put(row, "plain_wait_s", (op, "plain"), 6)
        rounds.put(row, "casper_wait_s", (op, "casper"), 6)
        rows.append(row)
    return rows, report


def judge(row, compute_s, one_sided_put):
    """'ok...', 'early' (plain, it returns before the target has the data), or what is amiss."""
    if row["casper_wait_s"] > CASPER_MOST * compute_s:
        return "waits with ghosts"
    if "plain_wait_s" not in row:
        return "ok, plain crashes"
    if row["plain_wait_s"] >= PLAIN_LEAST * compute_s:
        return "ok"
    return "early" if row["op"] == one_sided_put else "no gap without ghosts"


def show(rows, compute_s, verdicts):
    print(f"\nWait of the origin, operation + flush, while the target computes {compute_s} s:\n")
    print(f"  {'operation':<16}{'plain':>12}{'with ghosts':>14}{'ratio':>9}   verdict")
    for row, verdict in zip(rows, verdicts):  # noqa: B905  it runs with older Pythons
        plain, casper = row.get("plain_wait_s"), row["casper_wait_s"]
        waited, ratio = (
            ("-", "-") if plain is None else (f"{1e3 * plain:.2f} ms", f"{plain / casper:.0f}")
        )
        print(f"  {row['op']:<16}{waited:>12}{1e3 * casper:>11.2f} ms{ratio:>9}   {verdict}")


def conclude(verdicts, compute_s, foreign):
    """Says whether the gap was shown for all operations. The exit code."""
    if "early" in verdicts:
        print("\nearly: over TCP this library returns from a small PUT before the target has it.")
    wrong = [v for v in verdicts if not v.startswith(("ok", "early"))]
    limits = f"plain >= {PLAIN_LEAST} x {compute_s} s, with ghosts <= {CASPER_MOST} x {compute_s} s"
    if not wrong:
        print(f"\nShown for all operations: {limits}. All data checked.")
        return 0
    why = ", ".join(f"{wrong.count(v)} {v!r}" for v in sorted(set(wrong)))
    print(f"\nNot shown for {len(wrong)} of {len(verdicts)} operations ({why}): {limits}.")
    if foreign > load.QUIET_CORES:
        print(f"Others kept {foreign:.1f} of {os.cpu_count()} cores busy: run again when quiet.")
        return 0
    print("Nobody else used the machine: exit code 1. bin/casper check may tell why.")
    return 1


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mpi", default="m50", choices=sorted(launch.libraries()))
    parser.add_argument("--compute", type=float, default=0.3, help="seconds (default: 0.3)")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each kind (default: 3)")
    args = parser.parse_args()
    mpi = launch.libraries()[args.mpi]
    launch.end_on_signal()
    load.adopt_orphans()
    results.RESULTS.mkdir(parents=True, exist_ok=True)
    try:
        if not mpi.available():
            raise launch.Failed(f"{mpi.cc} or {mpi.libcasper()} is not there: run make first")
        program = mpi.compile("gap_demo", SOURCES)
        print(f"{mpi.title}, two virtual nodes, one user on each; with ghosts: one more on each.")
        meter = load.Meter()
        rows, report = measure(mpi, program, args)
        foreign = meter.stop()
    except launch.Failed as failed:
        print(f"demo: {failed}", file=sys.stderr)
        return 1
    early = "PUT 8 B" if mpi.name == "m50" else None
    verdicts = [judge(row, args.compute, early) for row in rows]
    show(rows, args.compute, verdicts)
    code = conclude(verdicts, args.compute, foreign)
    about = {"compute_s": args.compute, "mpi": mpi.name, "rounds": args.rounds}
    path = results.write("demo", rows, **about, foreign_cores=foreign)
    print(f"\nWritten to {path.relative_to(launch.ROOT)}. Report of the last run with ghosts:\n")
    print(report.strip())
    return code


if __name__ == "__main__":
    sys.exit(main())
