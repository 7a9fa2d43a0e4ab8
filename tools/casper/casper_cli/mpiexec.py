# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""Finds the mpiexec that belongs to an MPI library: next to it first, then on PATH."""

import functools
import os
import re
import shutil
import subprocess
from dataclasses import dataclass

from casper_cli import mpilib
from casper_cli.errors import CasperError

_NAMES = {
    "mpich": ("mpiexec.hydra", "mpiexec.mpich", "mpiexec", "mpirun.mpich", "mpirun"),
    "intel": ("mpiexec.hydra", "mpiexec", "mpirun"),
    "openmpi": ("mpiexec.openmpi", "mpiexec", "mpirun.openmpi", "mpirun", "orterun"),
}

_KINDS = (
    ("intel", re.compile(r"Intel\(R\) MPI Library.*Version (\d+(?:\.\d+)*)")),
    ("mpich", re.compile(r"HYDRA build details:\s*Version:\s*(\d+(?:\.\d+)*)")),
    ("openmpi", re.compile(r"\((?:OpenRTE|Open MPI|PRRTE)\) v?(\d+(?:\.\d+)*)")),
)


@dataclass(frozen=True)
class Mpiexec:
    """A process launcher: its family is "mpich" (Hydra), "intel", "openmpi" or "unknown"."""

    path: str
    family: str
    version: str = ""

    @property
    def name(self):
        return f"{mpilib.FAMILY_NAMES.get(self.family, 'unknown')} {self.version}".strip()


@functools.lru_cache(maxsize=None)
def identify(path):
    """The Mpiexec of a file, by what it says about its version."""
    try:
        asked = subprocess.run(
            [path, "--version"],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            env=mpilib.without_preload(os.environ),
            timeout=20,
            check=False,
        )
        text = asked.stdout.decode("utf-8", "replace")
    except (OSError, subprocess.TimeoutExpired):
        text = ""
    for family, pattern in _KINDS:
        match = pattern.search(text)
        if match:
            return Mpiexec(path, family, match.group(1))
    return Mpiexec(path, "unknown")


def family_of(mpi):
    """The family of launcher that an MPI library needs: Hydra for all of MPICH's descendants."""
    return mpi.family if mpi.family in ("intel", "openmpi") else "mpich"


def serves(launcher, mpi):
    """Can this launcher start programs of that MPI library?"""
    if launcher.family != family_of(mpi):
        return False
    if launcher.family != "openmpi" or not mpi.version:
        return True
    return launcher.version.split(".")[0] == mpi.major  # Open MPI 5 needs a launcher with PMIx


def bin_folders(mpi, env):
    """bin folders that may belong to an MPI library, nearest first."""
    folders = [os.path.join(env["I_MPI_ROOT"], "bin")] if env.get("I_MPI_ROOT") else []
    for path in (mpi.path, mpi.real):
        folder = os.path.dirname(os.path.abspath(path))
        for _ in range(4):
            folder = os.path.dirname(folder)
            folders.append(os.path.realpath(os.path.join(folder, "bin")))
    return list(dict.fromkeys(f for f in folders if os.path.isdir(f)))


def candidates(mpi, env):
    names = _NAMES[family_of(mpi)]
    for folder in bin_folders(mpi, env):
        for name in names:
            path = os.path.join(folder, name)
            if os.access(path, os.X_OK):
                yield path
    for name in names:
        path = shutil.which(name, path=env.get("PATH"))
        if path:
            yield path


def find(mpi, env=None):
    """The Mpiexec for an MPI library; raises CasperError naming what was seen instead."""
    env = os.environ if env is None else env
    seen = []
    for path in candidates(mpi, env):
        launcher = identify(path)
        if serves(launcher, mpi):
            return launcher
        seen.append(f"{path} is of {launcher.name}")
    instead = "; ".join(seen[:3]) or "none at all was found"
    raise CasperError(
        f"no mpiexec for {mpi.name} ({mpi.path}): {instead}",
        "Add that MPI's bin folder to PATH, or say --mpiexec /path/mpiexec.",
    )


def explicit(path, mpi, env=None):
    """The Mpiexec named by the user; an error if it belongs to another MPI library."""
    env = os.environ if env is None else env
    where = path if os.access(path, os.X_OK) and "/" in path else None
    where = where or shutil.which(path, path=env.get("PATH"))
    if where is None:
        raise CasperError(f"--mpiexec {path}: no such program", "Give its full path.")
    launcher = identify(where)
    if launcher.family == "unknown":
        return Mpiexec(where, family_of(mpi))
    if not serves(launcher, mpi):
        raise CasperError(
            f"--mpiexec {path} belongs to {launcher.name}, the program uses {mpi.name}",
            "Leave out --mpiexec to let casper find the right one, or name that of the MPI library.",
        )
    return launcher
