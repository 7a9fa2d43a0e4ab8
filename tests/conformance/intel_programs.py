#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""Programs of Intel MPI's own compiler scripts, C and both kinds of Fortran that gfortran can use there:
tests of tests/mpi pass plain and with ghosts. They have MPICH's ABI, and so the build for MPICH serves
them, and one that Intel MPI's own mpicc makes.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import _foreign
import mpi_libs
import run_mpi
from _foreign import need

TESTS = _foreign.HERE.parent / "mpi"
USERS = 4
FORTRAN = "f77_world.f f77_win.f f77_comms.F90 f90_world.f90 f90_win.f90 f90_comms.F90"
C = "world/size_rank world/split world/mpi1 rma/put_get rma/acc_ops rma/lock_mix rma/fence_asserts"


def sources() -> list[Path]:
    return [TESTS / "fortran" / name for name in FORTRAN.split()] + [
        TESTS / f"{name}.c" for name in C.split()
    ]


def compiled(source: Path, prefix: Path, env: dict[str, str], folder: Path) -> Path:
    compiler, words = "mpicc", ["-cc=gcc", "-I", TESTS]
    if source.suffix != ".c":
        compiler, words = "mpif90", ["-fc=gfortran", "-ffree-line-length-none", "-J", folder]
    words += ["-w", "-I", source.parent, source]
    return _foreign.compiled(prefix / "bin" / compiler, words, folder / source.stem, env=env)


def own_build(lib: mpi_libs.Library) -> str:
    """Where there is nothing but Intel MPI: in the environment that its setvars.sh makes."""
    with tempfile.TemporaryDirectory(prefix="casper-intel-") as folder:
        env = os.environ | lib.env
        mpicc = Path(lib.prefix) / "bin/mpicc"
        words = [mpi_libs.ROOT / "tools/setup/build.sh", "-o", folder, f"own={mpicc}"]
        built = subprocess.run(words, env=env, capture_output=True, text=True, check=False)
        _foreign.check(
            built.returncode == 0, f"does not build\n{_foreign.last_lines(built.stderr)}"
        )
        program = compiled(TESTS / "rma/put_get.c", Path(lib.prefix), env, Path(folder))
        _foreign.run_job(run_mpi.Job(replace(lib, build=f"{folder}/own"), program, USERS, 1, 2))
    return "is built, and rma/put_get passes with it"


def body(script: _foreign.Script, opts: argparse.Namespace) -> None:
    lib = replace(_foreign.library("i21"), build="m50")
    need("gfortran", "gfortran")
    ghosts = (None, 0, 1, 2) if opts.full else (None, 1)
    script.case("i21 build by mpicc", lambda: own_build(lib))
    for source in sources():
        for nodes in (1, 2) if opts.full else (2,):

            def job(source=source, nodes=nodes) -> str:
                with tempfile.TemporaryDirectory(prefix="casper-intel-") as folder:
                    env = os.environ | lib.env
                    program = compiled(source, Path(lib.prefix), env, Path(folder))
                    for g in ghosts:
                        _foreign.run_job(run_mpi.Job(lib, program, USERS, g, nodes, timeout=120))
                return f"passes plain and with {', '.join(map(str, ghosts[1:]))} ghosts"

            script.case(f"i21 {source.name} on {nodes} nodes", job)


if __name__ == "__main__":
    sys.exit(_foreign.main(__doc__, body))
