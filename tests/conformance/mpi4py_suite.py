#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""mpi4py's own test suite, plain and with ghosts: the same tests must pass, on every rank; also where
ghosts carry the messages, or carry them now and then.

The suite and its subject come from one pinned source distribution, compiled for each MPI library in a
private environment. mpi4py/known.txt lists what the plain library does not pass.
"""

from __future__ import annotations

import argparse
import fnmatch
import os
import shutil
import sys
import tempfile
from pathlib import Path

import _foreign
import mpi_libs
import run_mpi
from _foreign import Failure, check, command

DATA = _foreign.HERE / "mpi4py"
ENV = mpi_libs.ENV / "mpi4py"
PYTHON = ENV / "bin/python"
SOURCE = ENV / "src"
FEW = "attributes comm group info p2p_buf p2p_obj request rma session status win"
MESSAGES = "p2p_buf p2p_buf_matched p2p_obj p2p_obj_matched request status threads"
WINDOWS = {"CSP_P2P": "off"}
CARRIED = {"CSP_P2P": "on"}
CHANGING = {"CSP_P2P": "auto", "CSP_P2P_METHOD": "alternate"}
PASSED, SKIPPED, UNFINISHED = "ok", "skip", "unfinished"
SHOWN = 12  # tests named when results differ


def fetch() -> None:
    """The pinned source distribution, unpacked in the environment."""
    if SOURCE.exists():
        return
    with tempfile.TemporaryDirectory(dir=ENV) as folder:
        words = [PYTHON, "-m", "pip", "download", "-q", "--disable-pip-version-check"]
        words += ["--no-deps", "--no-build-isolation", "--no-binary", "mpi4py", "-d", folder]
        command([*words, "-r", DATA / "sdist.txt"], "mpi4py cannot be had")
        archive = next(Path(folder).glob("*.tar.gz"))
        shutil.unpack_archive(archive, folder)
        Path(folder, archive.name.removesuffix(".tar.gz")).rename(SOURCE)


def build(lib: mpi_libs.Library) -> Path:
    """mpi4py compiled for the library: the folder to import it from."""
    setup = mpi_libs.ROOT / "tools/setup/env.sh"
    command([setup, "mpi4py"], "build/env/mpi4py cannot be made")
    fetch()
    base = SOURCE / f"build-{lib.name}"
    if not (base / "done").exists():
        words = [PYTHON, "setup.py", "-q", "build", "--build-base", base.name]
        env = os.environ | {"MPICC": lib.compiler, "CFLAGS": "-O0 -g0"}
        command(words, f"mpi4py does not build for {lib.name} (python3-dev?)", cwd=SOURCE, env=env)
        (base / "done").touch()
    return next(base.glob("lib*"))


def known(lib: mpi_libs.Library, users: int, nodes: int) -> list[str]:
    """Patterns of tests that the plain library does not pass."""
    here = (lib.name, str(users), str(nodes))
    lines = _foreign.table(DATA / "known.txt", 5)
    return [w[3] for w in lines if all(fnmatch.fnmatchcase(h, p) for h, p in zip(here, w))]


class Suite:
    """The suite in one setting."""

    def __init__(self, lib: mpi_libs.Library, users: int, nodes: int, modules: str) -> None:
        self.lib, self.users, self.nodes = lib, users, nodes
        self.path = build(lib)  # in the environment too: tests spawn other interpreters
        self.arguments = [SOURCE / "test/main.py", "-q", "--path", self.path]
        self.arguments += [w for m in modules.split() for w in ("-i", f"test_{m}")]
        self.arguments += [w for p in known(lib, users, nodes) for w in ("-x", p)]

    def run(
        self, ghosts: int | None, limit_s: float, way: dict[str, str]
    ) -> tuple[list[dict[str, str]], str]:
        """What became of each test on each rank, and the output."""
        with tempfile.TemporaryDirectory(prefix="casper-mpi4py-") as folder:
            args = [str(w) for w in (DATA / "record.py", folder, *self.arguments)]
            env = {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(self.path), **way}
            job = run_mpi.Job(
                self.lib,
                PYTHON,
                self.users,
                ghosts,
                self.nodes,
                args=args,
                env=env,
                timeout=limit_s,
            )
            result = run_mpi.run(job)
            files = sorted(Path(folder).iterdir(), key=lambda path: int(path.name))
            ranks = [outcomes(path.read_text()) for path in files]
        return ranks, f"{result.reason}\n{_foreign.last_lines(result.output, 30)}"


def outcomes(log: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in log.splitlines():
        word, _, test = line.partition(" ")
        if word == "start":
            found[test] = UNFINISHED
        elif found.get(test) != "fail":
            found[test] = word
    return found


def differences(plain: list[dict[str, str]], casper: list[dict[str, str]]) -> list[str]:
    """Tests with other results; not those that pass although the plain library cannot do it: with Open MPI 4
    there are windows between nodes with MPI_THREAD_MULTIPLE then."""
    lines = []
    for rank, (off, on) in enumerate(zip(plain, casper)):
        for test in {**off, **on}:
            before, after = off.get(test, "not run"), on.get(test, "not run")
            if before != after and (before, after) != (SKIPPED, PASSED):
                lines.append(f"rank {rank} {test}: plain {before}, Casper {after}")
    return lines


def compare(suite: Suite, ghosts: int, limit_s: float, way: dict[str, str]) -> str:
    plain, said = suite.run(None, limit_s, {})
    check(len(plain) == suite.users, f"plain: results of {len(plain)} ranks\n{said}")
    casper, output = suite.run(ghosts, 2 * limit_s, way)
    check(len(casper) == suite.users, f"Casper: results of {len(casper)} ranks\n{output}")
    lines = differences(plain, casper)
    if lines:
        more = [f"... {len(lines) - SHOWN} more"] if len(lines) > SHOWN else []
        raise Failure("\n".join([f"{len(lines)} differ", *lines[:SHOWN], *more, output]))
    bad = {t for rank in plain for t, word in rank.items() if word in ("fail", UNFINISHED)}
    check(not bad, f"the plain library fails too, for mpi4py/known.txt: {sorted(bad)}\n{said}")
    passed = min(sum(word == PASSED for word in rank.values()) for rank in plain)
    return f"{passed} tests pass on each rank, plain and with ghosts"


def body(script: _foreign.Script, opts: argparse.Namespace) -> None:
    libraries, settings = ("m50", "o50"), [(2, 2, FEW, WINDOWS, 1), (3, 2, MESSAGES, CARRIED, 1)]
    if opts.full:
        libraries = ("m50", "o50", "o41", "m40")
        settings = [(n, k, "", WINDOWS, 1) for n in (1, 2, 3, 4) for k in (1, 2) if k <= n]
        for users, nodes, ghosts in ((3, 1, 1), (4, 2, 1), (4, 2, 2)):
            settings += [(users, nodes, "", way, ghosts) for way in (CARRIED, CHANGING)]
    for name in libraries:
        for users, nodes, modules, way, ghosts in settings:
            title = f"{name} np {users} on {nodes} nodes, {ghosts} ghosts, CSP_P2P={way['CSP_P2P']}"

            def job(name=name, where=(users, nodes, modules), ghosts=ghosts, way=way) -> str:
                suite = Suite(_foreign.library(name), *where)
                return compare(suite, ghosts, 600 if opts.full else 150, way)

            script.case(title, job)


if __name__ == "__main__":
    sys.exit(_foreign.main(__doc__, body))
