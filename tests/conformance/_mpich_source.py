# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""MPICH's test suite: fetched, configured and built for an MPI library, and its lists of tests read."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

import _foreign
import mpi_libs
from _foreign import Failure

SUITE = mpi_libs.ENV / "mpich-suite"  # a folder for each MPI library
LISTS = ("testlist", "testlist.dtp")  # not testlist.cvar: algorithms inside the library
# Compilers that the wheels do not have: they come with Debian's libraries alone.
FORTRAN = {"MPIF77": "mpif77", "MPIFC": "mpifort"}
CONFIGURE = "--enable-threads=multiple --disable-cxx --disable-spawn --disable-romio"
CONFIGURE += " --disable-perftest --disable-dependency-tracking --disable-shared"
F77_STYLE = [f"{flags}=-fallow-argument-mismatch" for flags in ("FFLAGS", "FCFLAGS")]
MOST_RANKS = 10  # of a test; a job has ghosts besides
LARGE_COUNT = 65530  # elements of generated tests: gigabytes and minutes


@dataclass
class Line:
    """A test: one line of a list."""

    folder: str  # in the suite, as in errors/comm
    program: str
    np: int
    args: list[str] = field(default_factory=list)
    env: dict[str, str] = field(default_factory=dict)
    options: list[str] = field(default_factory=list)  # of mpiexec
    keys: dict[str, str] = field(default_factory=dict)  # timeLimit, resultTest, xfail, strict ...

    @property
    def test(self) -> str:
        return f"{self.folder}/{self.program}"

    @property
    def name(self) -> str:
        env = [f"{k}={v}" for k, v in self.env.items()]
        return " ".join([self.test, *self.args, *env, f"np {self.np}"])

    def obstacle(self, lib: mpi_libs.Library) -> str:
        """Why it is not run, or the empty string."""
        if "xfail" in self.keys:
            return "the suite itself expects it to fail"
        if self.np > MOST_RANKS:
            return f"more than {MOST_RANKS} ranks"
        counts = [
            int(n) for n in re.findall(r"-(?:send|recv)?c(?:oun|n)t=(\d+)", " ".join(self.args))
        ]
        if "mem" in self.keys or max(counts, default=0) >= LARGE_COUNT:
            return "a large buffer"
        if lib.family != "mpich" and (
            self.keys.get("strict", "").lower() == "false" or "mpix" in self.keys
        ):
            return "an extension of MPICH"
        return ""


def parse(text: str, folder: str) -> Iterator[Line]:
    """The lines of a list; a folder's name is a line without numbers, too."""
    for words in (line.split("#")[0].split() for line in text.splitlines()):
        if not words or words[0].startswith("!"):  # ! builds a helper, which make does anyway
            continue
        line = Line(folder, words[0], int(words[1]) if len(words) > 1 else 2)
        for key, _, value in (word.partition("=") for word in words[2:]):
            if key == "arg":
                line.args.append(value)
            elif key == "mpiexecarg":
                line.options.append(value)
            elif key == "env":
                line.env |= dict([value.split("=", 1)])
            else:
                line.keys[key] = value
        yield line


def source() -> Path:
    return _foreign.debian_source("mpich") / "test/mpi"


def read(tree: Path, folder: str) -> Iterator[Line]:
    """All tests of a folder and the folders that it names; configure writes some of the lists."""
    for name in LISTS:
        path = next(
            (p for p in (tree / folder / name, source() / folder / name) if p.exists()), None
        )
        for line in parse(path.read_text(), folder) if path else ():
            if (tree / line.test).is_dir():
                yield from read(tree, line.test)
            else:
                yield line


def compilers(lib: mpi_libs.Library) -> dict[str, str]:
    found = {"MPICC": lib.compiler, "MPIEXEC": lib.mpiexec}
    for variable, name in FORTRAN.items():
        path = name + Path(lib.compiler).suffix
        if not lib.prefix and shutil.which(path) and shutil.which("gfortran"):
            found[variable] = path
    return found


def configure(lib: mpi_libs.Library) -> Path:
    """The tree where the suite is built for a library: anew where it was configured in another way, or from
    sources in another place."""
    tree = SUITE / lib.name
    done = tree / "configured"
    found = compilers(lib)
    removed = "" if lib.family == "mpich" else f" -include {_foreign.HERE / 'mpich/removed.h'}"
    words = [source() / "configure", *CONFIGURE.split(), f"CFLAGS=-g -O1{removed}"]
    words.append(f"--with-mpi={Path(shutil.which(lib.compiler)).parents[1]}")
    words += F77_STYLE if "MPIFC" in found else ["--disable-fortran"]
    words += [] if lib.family == "mpich" else ["--enable-strictmpi"]
    way = "\n".join(map(str, words))
    if done.exists() and done.read_text() == way:
        return tree
    shutil.rmtree(tree, ignore_errors=True)
    tree.mkdir(parents=True)
    env = os.environ | lib.env | found
    what = f"MPICH's tests cannot be configured for {lib.name}"
    _foreign.command(words, what, Failure, cwd=tree, env=env)
    done.write_text(way)
    return tree


def _make(tree: Path, folder: str, goals: Iterable[str], jobs: int, env: dict[str, str]) -> None:
    """What does not compile is missing afterwards, and keeps nothing else away."""
    words = ["nice", "-n", "10", "make", "-s", "-k", f"-j{jobs}", "-C", tree / folder, *goals]
    with (tree / "make.log").open("ab") as log:
        subprocess.run(words, stdout=log, stderr=log, check=False, env=env)


def build(lib: mpi_libs.Library, lines: list[Line], jobs: int) -> int:
    """Builds the programs that are not there yet; returns how many there are now."""
    tree = configure(lib)
    env = os.environ | lib.env | {"MAKEFLAGS": ""}
    wanted = sorted({(line.folder, line.program) for line in lines})
    missing = [(folder, name) for folder, name in wanted if not (tree / folder / name).exists()]
    for library in ("dtpools", "util") if missing else ():
        _make(tree, library, [], jobs, env)
    if missing and "MPIFC" in compilers(lib):  # outside MPICH's own build the suite leaves f08 out
        goals = ["libmtest_f08.la", "libmtest_f08_la_OBJECTS=mtest_f08.lo"]
        (tree / "util/libmtest_f08.la").unlink(missing_ok=True)  # made without its object
        _make(tree, "util", goals, jobs, env)
    for folder, group in groupby(missing, key=lambda pair: pair[0]):
        _make(tree, folder, [name for _, name in group], jobs, env)
    there = sum((tree / folder / name).exists() for folder, name in wanted)
    if not there and wanted:
        raise Failure(f"nothing of MPICH's tests builds for {lib.name}: {tree / 'make.log'}")
    return there
