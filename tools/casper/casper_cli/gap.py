# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""Measures the progress gap of an MPI library, plain and under Casper, with the program gap_check."""

import os

from casper_cli import builds, cli, helper
from casper_cli.errors import CasperError

PROGRAM = "gap_check"
COMPUTE_S = 0.3
WAITS = 0.5  # an operation that waits longer than this part of the target's computing has a gap
PROMPT = 0.2  # one that waits less than this part has none


def _options(args, mpi, program, plain):
    """Those of casper run -n 2 --virtual-nodes 2."""
    words = ["run", "-n", "2", "--virtual-nodes", "2", "--launcher", "mpiexec", "--mpi", mpi.path]
    words += ["--plain"] if plain else ["-g", "1"]
    words += ["--mpiexec", args.mpiexec] if args.mpiexec else []
    for word in args.launcher_arg or []:
        words.append(f"--launcher-arg={word}")
    return cli.parse([*words, "--", program, str(COMPUTE_S)])[0]


def _run(args, mpi, program, env, plain):
    """The JSON object that gap_check prints; raises CasperError if the run fails."""
    options = _options(args, mpi, program, plain)
    return helper.run(options, options.command, env, args.timeout)[0]


def verdict(compute_s, plain_s, casper_s):
    """In words, for one operation."""
    if plain_s >= WAITS * compute_s:
        if casper_s is None:
            return "gap"
        return "gap, closed by Casper" if casper_s <= PROMPT * compute_s else "gap, not closed"
    if casper_s is not None and casper_s >= WAITS * compute_s:
        return "worse with Casper"
    return "no gap"


def _rows(plain, casper):
    under = {row["op"]: row for row in casper["rows"]} if casper else {}
    rows = []
    for row in plain["rows"]:
        other = under.get(row["op"], {})
        rows.append(
            {
                "op": row["op"],
                "plain_idle_s": row["idle_s"],
                "plain_wait_s": row["busy_s"],
                "casper_wait_s": other.get("busy_s"),
                "errors": row["errors"] + other.get("errors", 0),
                "verdict": verdict(plain["compute_s"], row["busy_s"], other.get("busy_s")),
            }
        )
    return rows


def _both(args, mpi, program, env):
    """({"plain": result, "casper": result}, problems): what of the two runs succeeded."""
    results, problems = {}, []
    for kind in ("plain", "casper"):
        try:
            results[kind] = _run(args, mpi, program, env, kind == "plain")
        except CasperError as error:
            problems.append(f"{error.cause} {error.remedy}".strip())
    return results, problems


def measure(args, mpi, build, env):
    """{"compute_s", "bytes", "nodes", "node_ranks", "rows", "problems"} for one MPI library."""
    program = build.helper(PROGRAM)
    if program is None:
        folder = os.path.dirname(build.path)
        return {"rows": [], "problems": [f"not measured: there is no {PROGRAM} in {folder}/bin"]}
    env = {name: value for name, value in env.items() if not name.startswith("CSP_")}
    env = {**helper.environment(program, mpi, env), builds.VARIABLE: build.path}
    results, problems = _both(args, mpi, program, env)
    if "plain" not in results:
        return {"rows": [], "problems": problems}
    plain, casper = results["plain"], results.get("casper")
    for kind, result in results.items():
        if result["nodes"] != 2:
            problems.append(f"node split: {result['nodes']} node(s) instead of 2 ({kind} run)")
    if casper and casper["ranks"] != plain["ranks"]:
        problems.append(f"the program saw {casper['ranks']} ranks: Casper was not active")
    rows = _rows(plain, casper)
    problems += [f"{row['op']}: wrong data" for row in rows if row["errors"]]
    return {
        "compute_s": plain["compute_s"],
        "bytes": plain["bytes"],
        "nodes": plain["nodes"],
        "node_ranks": {kind: result["node_ranks"] for kind, result in results.items()},
        "rows": rows,
        "problems": problems,
    }
