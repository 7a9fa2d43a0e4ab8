# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""Which MPI library and which Casper build: by name, by the program, or by the mpiexec on PATH."""

import os
import shutil
from dataclasses import dataclass
from typing import Optional

from casper_cli import builds, launch, ldso, mpiexec, mpilib, program
from casper_cli.errors import CasperError, UsageError, nearest


@dataclass
class Choice:
    """The MPI library of the program and the Casper build for it."""

    mpi: mpilib.MpiLibrary
    how: str
    at_start: bool
    direct: bool = False  # both as in program.Found
    build: Optional[builds.Build] = None


def known_mpis(env):
    """[MpiLibrary] of this machine that Casper knows of: those of its builds, and Intel's by its root."""
    paths = {}
    for build in builds.find_all():
        path = build.mpi_library if os.path.isfile(build.mpi_library) else linked_mpi(build, env)
        if path:
            paths.setdefault(os.path.realpath(path), path)
    intel = mpilib.find_in(env["I_MPI_ROOT"]) if env.get("I_MPI_ROOT") else None
    if intel:
        paths.setdefault(os.path.realpath(intel), intel)
    return [mpilib.identify(path) for path in paths.values()]


def linked_mpi(build, env):
    """Path of the MPI library that a libcasper brings with it, or None."""
    libraries = ldso.closure(build.path, env)
    return next((path for name, path in libraries.items() if mpilib.is_core_name(name)), None)


def label(mpi):
    """A name that --mpi takes, e.g. "mpich-4.0.2"."""
    return f"{mpi.family}-{mpi.version}"


def pick_mpi(word, known, env):
    """The MpiLibrary that a name such as mpich, openmpi-4 or abi means; None if there is none.

    Of several the one whose mpiexec is first on PATH, else the newest.
    """
    family, _, version = word.partition("-")
    family = {"impi": "intel", "ompi": "openmpi"}.get(family, family)
    if family == "abi":
        return next((mpi for mpi in known if mpi.soname == builds.ABI_SONAME), None)
    wanted = version + "." if version else ""
    fitting = [m for m in known if m.family == family and (m.version + ".").startswith(wanted)]
    fitting = [m for m in fitting if m.soname != builds.ABI_SONAME] or fitting
    path = shutil.which("mpiexec", path=env.get("PATH"))
    first = mpiexec.identify(path) if path else None
    here = [mpi for mpi in fitting if first and first.version == mpi.version]
    return max(here or fitting, key=lambda mpi: mpi.version_key, default=None)


def named_mpi(word, env):
    """The MpiLibrary that --mpi means: a file, an installation folder, or a name."""
    if "/" in word or os.path.isfile(word):
        path = mpilib.find_in(word) if os.path.isdir(word) else word
        if not path or not os.path.isfile(path):
            raise UsageError(
                f"--mpi {word}: no MPI library there", "Name libmpi.so, or the MPI's own folder."
            )
        return mpilib.identify(os.path.abspath(path))
    known = known_mpis(env)
    found = pick_mpi(word, known, env)
    if found is None:
        names = sorted({label(mpi) for mpi in known} | {mpi.family for mpi in known})
        close = nearest(word, names)
        raise UsageError(
            f"--mpi {word}: known here are {', '.join(names) or 'none'}"
            + (f"; did you mean {close}?" if close else ""),
            "Or give the path of the MPI library: --mpi /path/libmpi.so",
        )
    return found


def refuse_other(mpi, command, env):
    """The program loads an MPI library of its own: with a build for another one it dies in the loader."""
    try:
        found = program.find_mpi(command, env)
    except CasperError:
        return  # --mpi is there for what cannot be found out
    linked = mpilib.identify(found.mpi)
    if found.at_start and not found.guessed and linked.soname != mpi.soname:
        raise CasperError(
            f"--mpi means {mpi.name} ({mpi.soname}, {mpi.path}), but the program uses {linked.name} "
            f"({linked.soname}, {linked.path})",
            "Leave --mpi out to let casper choose, or compile the program with that library.",
        )


def choose(args, command, env):
    """The Choice for a command line; --plain needs no build."""
    if command and not args.plain:
        program.refuse_unloadable(command, env)
    if args.mpi:
        choice = Choice(named_mpi(args.mpi, env), "named by --mpi", False)
        if command and not args.plain:
            refuse_other(choice.mpi, command, env)
    elif command:
        found = program.find_mpi(command, env)
        choice = Choice(mpilib.identify(found.mpi), found.how, found.at_start, found.direct)
    else:
        choice = Choice(default_mpi(env), "the mpiexec on PATH belongs to it", False)
    if not args.plain:
        choice.build = builds.choose(choice.mpi, env)
        launch.check_preload_path(choice.build.path)
    return choice


def default_mpi(env):
    """Without a program: the library of the mpiexec on PATH, or the only one there is."""
    known = known_mpis(env)
    path = shutil.which("mpiexec", path=env.get("PATH"))
    found = pick_mpi(mpiexec.identify(path).family, known, env) if path else None
    if found or len(known) == 1:
        return found or known[0]
    raise UsageError(
        "which MPI library? None belongs to the mpiexec on PATH",
        f"Say --mpi NAME ({', '.join(map(label, known)) or 'a path'}), or give the program too.",
    )
