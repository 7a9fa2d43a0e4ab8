#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""NWChem over Casper: SCF and CCSD(T) of water, plain and with ghosts on two virtual nodes.

Debian's nwchem-mpich runs over ARMCI-MPI, that is over MPI RMA (thousands of windows, accumulates and
fetch-and-ops). The total energies must agree, and the report must show the operations redirected.
"""

from __future__ import annotations

import json
import math
import os
import re
import sys
import tempfile
from pathlib import Path

import _foreign
from _foreign import Failure, check

ENERGIES = {
    "SCF": r"Total SCF energy =\s+(-?[\d.]+)",
    "CCSD(T)": r"^\s*CCSD\(T\) total energy / hartree\s+=\s+(-?[\d.]+)",
}
TOLERANCE_HARTREE = 1e-8  # plain runs agree to 1e-13
LIMIT_S = 1500
REDIRECTED = ("ACC", "GET_ACC", "FOP")
NODES = 2
# How ARMCI-MPI makes operations of patches and lists.
METHODS = {
    "derived types": {"ARMCI_STRIDED_METHOD": "DIRECT", "ARMCI_IOV_METHOD": "DIRECT"},
    "patches as lists, batched": {"ARMCI_STRIDED_METHOD": "IOV", "ARMCI_IOV_METHOD": "BATCHED"},
    "patches as lists, conservative": {"ARMCI_STRIDED_METHOD": "IOV", "ARMCI_IOV_METHOD": "CONSRV"},
}


def energies(output: str) -> dict[str, float]:
    found = {name: re.findall(pattern, output, re.M) for name, pattern in ENERGIES.items()}
    lacking = [name for name, values in found.items() if not values]
    if lacking:
        raise Failure(f"no {' and no '.join(lacking)} energy\n{_foreign.last_lines(output)}")
    return {name: float(values[-1]) for name, values in found.items()}


class Water:
    """Runs of one number of ranks, with one way of making windows."""

    def __init__(self, users: int, ghosts: int, extra: dict[str, str]) -> None:
        self.lib = _foreign.library("m40")
        self.program = _foreign.need("nwchem.mpich", "nwchem-mpich")
        self.users, self.ghosts = users, ghosts
        self.env = _foreign.environment(self.lib, extra | {"OPENBLAS_NUM_THREADS": "1"})

    def run(self, words: list, more: dict[str, str] | None = None) -> str:
        with tempfile.TemporaryDirectory(prefix="casper-nwchem-") as cwd:
            done = _foreign.run(words, self.env | (more or {}), LIMIT_S, Path(cwd))
        check(
            done.code == 0,
            f"exit code {done.code} after {done.seconds:.0f} s\n{_foreign.last_lines(done.output)}",
        )
        return done.output

    def plain(self) -> dict[str, float]:
        """Two ranks, each on a node of its own: inside one, MPICH 4.0.2's windows hold wrong data
        without Casper, and more ranks than cores spin for minutes. Energies do not depend on it."""
        cliques = {"MPIR_CVAR_NUM_CLIQUES": str(NODES), "MPIR_CVAR_CLIQUES_BY_BLOCK": "1"}
        words = [self.lib.mpiexec, "-n", NODES]
        words += [word for pair in cliques.items() for word in ("-genv", *pair)]
        return energies(self.run([*words, self.program, _foreign.HERE / "nwchem/h2o.nw"]))

    def casper(self) -> tuple[dict[str, float], dict]:
        with tempfile.TemporaryDirectory(prefix="casper-nwchem-") as folder:
            report = Path(folder, "report.json")
            words = [sys.executable, _foreign.CASPER, "run", "-n", self.users, "-g", self.ghosts]
            words += ["--virtual-nodes", NODES, "--report-file", report, "--", self.program]
            words.append(_foreign.HERE / "nwchem/h2o.nw")
            found = energies(self.run(words, {"CSP_LIBRARY": str(self.lib.casper)}))
            check(report.exists(), "no report was written")
            return found, json.loads(report.read_text())


def agree(plain: dict[str, float], casper: dict[str, float]) -> str:
    worst = 0.0
    for name, energy in plain.items():
        off = abs(casper[name] - energy)
        check(
            math.isfinite(off) and off <= TOLERANCE_HARTREE,
            f"{name} energy {casper[name]:.12f}, plain {energy:.12f}: off by {off:.1e} hartree",
        )
        worst = max(worst, off)
    return f"CCSD(T) {casper['CCSD(T)']:.12f}, energies agree to {worst:.0e} hartree"


def redirected(report: dict, on_node: str = "direct") -> str:
    """Every window redirected, every kind of operation by the one route inside a node and the one between."""
    total = report["total"]
    _foreign.all_redirected(report)
    counts = []
    for kind in REDIRECTED:
        routes = {route: c["count"] for route, c in total["operations"][kind].items()}
        for route in (on_node, "ghost_net"):
            check(routes[route] > 0, f"no {kind} by {route}: {routes}")
        others = sum(routes.values()) - routes[on_node] - routes["ghost_net"]
        check(others == 0, f"{kind} by other routes, not atomic with these: {routes}")
        counts.append(f"{kind} {routes[on_node]}+{routes['ghost_net']}")
    return ", ".join(counts)


def by_measurement(report: dict) -> str:
    """Redirection was switched, for the reasons that the report gives, and accumulates went both ways."""
    _foreign.all_redirected(report)
    changes = report["changes"]
    check(changes, "redirection was never switched")
    for change in changes:
        check(change["by"] == "measured", f"a change for another reason: {change}")
        # With one user on each node they are its own process's, which wait for nobody either way.
        here = change["node"] == change["targets_of_node"]
        check(here or (change["with_ns"] > 0 and change["without_ns"] > 0), f"no figures: {change}")
    routes = report["total"]["operations"]["GET_ACC"]
    for route in ("ghost_net", "target"):
        check(routes[route]["count"] > 0, f"no GET_ACC by {route}: {routes}")
    return f"{len(changes)} changes, {routes['target']['count']} GET_ACC by targets"


def by_software(report: dict) -> str:
    """The same with windows of MPI_Win_create."""
    created = report["total"]["windows"]["software"]
    check(created > 0, f"no created window was redirected: {report['total']['windows']}")
    return f"{created} created windows, {redirected(report, 'ghost_node')}"


def compare(users: int, ghosts: int, extra: dict[str, str], judge) -> str:
    water = Water(users, ghosts, extra)
    plain = water.plain()
    casper, report = water.casper()
    check(report["users_count"] == users, f"the report counts {report['users_count']} users")
    check(report["nodes_count"] == NODES, f"the report counts {report['nodes_count']} nodes")
    return f"{agree(plain, casper)}; {judge(report)}"


def body(script: _foreign.Script, opts) -> None:
    os.environ.pop("ARMCI_USE_WIN_ALLOCATE", None)
    created = {"ARMCI_USE_WIN_ALLOCATE": "0"}
    auto = {"CSP_ASYNC_CONFIG": "auto"}
    script.case("m40 2 users, 1 ghost per node", lambda: compare(2, 1, {}, redirected))
    script.case("m40 created windows", lambda: compare(2, 1, created, by_software))
    script.case("m40 redirection by measurement", lambda: compare(2, 1, auto, by_measurement))
    if opts.full:
        script.case("m40 4 users, 2 ghosts per node", lambda: compare(4, 2, {}, redirected))
        for title, env in METHODS.items():
            script.case(
                f"m40 allocated windows, {title}", lambda env=env: compare(2, 1, env, redirected)
            )
            made = env | created
            title = f"m40 created windows, {title}"
            script.case(title, lambda env=made: compare(2, 1, env, by_software))


if __name__ == "__main__":
    sys.exit(_foreign.main(__doc__, body))
