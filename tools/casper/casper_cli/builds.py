# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""Which builds of libcasper are here, and which of them fits an MPI library?

A build is a folder with libcasper.so and, from the build system, casper-build.json (its fields are in
docs/design/launcher.md). Without that file the ELF file itself says for which MPI it is.
"""

import glob
import json
import os
from dataclasses import dataclass

from casper_cli import elf, mpilib
from casper_cli.errors import CasperError, UsageError

LIBRARY = "libcasper.so"
INFO = "casper-build.json"
ABI_SONAME = "libmpi_abi.so.1"
HOW_TO_BUILD = (
    "MPICC=/path/to/mpicc tools/setup/build.sh native in the source tree, or there "
    "CASPER_MPICC=/path/to/mpicc pip install ."
)
# Of the launcher alone: not handed on to the ranks.
VARIABLE = "CSP_LIBRARY"
PROFILE_VARIABLE = "CSP_PROFILE"


@dataclass(frozen=True)
class Build:
    """One libcasper and the MPI library that it was built for."""

    path: str
    name: str  # folder name
    soname: str  # of its MPI library
    family: str = ""
    mpi_version: str = ""
    mpi_library: str = ""
    version: str = ""
    brings_mpi: bool = True  # it is linked to its MPI library
    sanitizer: str = ""

    @property
    def mpi_name(self):
        """For people, e.g. "MPICH 4.0.2 (libmpich.so.12)"."""
        if self.soname == ABI_SONAME:
            return f"the MPI standard ABI ({self.soname})"
        family = mpilib.FAMILY_NAMES.get(self.family, "an MPI library")
        return " ".join(word for word in (family, self.mpi_version, f"({self.soname})") if word)

    def helper(self, name):
        """A helper program of this build, or None."""
        folder = os.path.dirname(os.path.realpath(self.path))
        for sub in ("bin", "libexec", "."):
            path = os.path.join(folder, sub, name)
            if os.access(path, os.X_OK):
                return os.path.normpath(path)
        return None


def _info(folder):
    try:
        with open(os.path.join(folder, INFO), encoding="utf-8") as file:
            info = json.load(file)
    except (OSError, ValueError):
        return {}
    return {k: v for k, v in info.items() if isinstance(v, str)} if isinstance(info, dict) else {}


def describe(path):
    """The Build of one libcasper.so; raises CasperError if it is not a shared library."""
    try:
        library = elf.read(path)
    except (OSError, elf.NotElf) as error:
        raise CasperError(
            f"{path} is not a libcasper: {error}", "Build it (make), or correct CSP_LIBRARY."
        ) from error
    folder = os.path.dirname(os.path.realpath(path))
    info = _info(folder)
    linked = next((name for name in library.needed if mpilib.is_core_name(name)), "")
    family = info.get("family", "")
    return Build(
        path=os.path.abspath(path),
        name=os.path.basename(folder),
        soname=info.get("soname") or linked or ABI_SONAME,
        family="" if family == "abi" else family,
        mpi_version=info.get("mpi_version", ""),
        mpi_library=info.get("mpi_library", ""),
        version=info.get("casper_version", ""),
        brings_mpi=bool(linked),
        sanitizer=info.get("sanitizer", ""),
    )


def preloads(env):
    """(libcasper files, all others) that LD_PRELOAD holds."""
    words = env.get("LD_PRELOAD", "").replace(":", " ").split()
    ours = [word for word in words if os.path.basename(word) == LIBRARY]
    return ours, [word for word in words if word not in ours]


def source_root():
    """The source tree this command runs from, or None when it is installed."""
    root = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../.."))
    return root if os.path.isfile(os.path.join(root, "src/base/config.toml")) else None


installed = []  # the folder of builds that the installed command belongs to


def search_folders():
    """Folders whose sub-folders hold a libcasper.so, most specific first."""
    root = source_root()
    if root:
        return [os.path.join(root, "build")]
    here = os.path.dirname(os.path.abspath(__file__))
    folders = [*installed, os.path.join(here, "lib")]
    for _ in range(6):
        here = os.path.dirname(here)
        folders += [os.path.join(here, "lib/casper"), os.path.join(here, "lib64/casper")]
        folders += sorted(glob.glob(os.path.join(here, "lib/*-linux-gnu*/casper")))
        if here in ("/", "/usr"):
            break
    return folders


def find_all(folders=None):
    """Every Build in the given folders (default: where this command belongs)."""
    result, seen = [], set()
    for folder in search_folders() if folders is None else folders:
        for path in sorted(glob.glob(os.path.join(folder, "*", LIBRARY))):
            if os.path.realpath(path) in seen:
                continue
            seen.add(os.path.realpath(path))
            try:
                result.append(describe(path))
            except CasperError:
                pass  # half a build: not a candidate
    return result


def _score(build, mpi):
    """The better fit first: the same library, family, version."""
    same_file = bool(build.mpi_library) and os.path.realpath(build.mpi_library) == mpi.real
    same_family = build.family == mpi.family
    return (same_file, same_family, build.mpi_version == mpi.version, build.brings_mpi)


def fits(build, mpi):
    """Can this build run over that MPI library? The name in the ELF files decides.

    Of MPICH and Open MPI the major release as well: libcasper refuses another one, whose functions it does
    not know (src/runtime/libcheck.c).
    """
    major = build.mpi_version.split(".")[0]
    other = major and mpi.major and major != mpi.major and build.family == mpi.family
    return build.soname == mpi.soname and not (other and mpi.family in ("mpich", "openmpi"))


def _no_match(mpi, builds):
    have = ", ".join(sorted({b.mpi_name for b in builds})) or "none"
    where = "" if builds else f" (looked in {', '.join(search_folders())})"
    return CasperError(
        f"no libcasper here fits {mpi.name} ({mpi.soname}, {mpi.path}); there are: {have}{where}",
        f"Build one for it: {HOW_TO_BUILD}; or set CSP_LIBRARY.",
    )


def choose(mpi, env=None, builds=None):
    """The Build to preload for an MPI library. CSP_LIBRARY decides if it is set."""
    env = os.environ if env is None else env
    if env.get(VARIABLE):
        return _explicit(env[VARIABLE], mpi)
    builds = find_all() if builds is None else builds
    fitting = [b for b in builds if fits(b, mpi) and not b.sanitizer]
    if not fitting:
        raise _no_match(mpi, builds)
    return max(fitting, key=lambda build: _score(build, mpi))


def _explicit(path, mpi):
    if not os.path.isfile(path):
        raise UsageError(
            f"CSP_LIBRARY={path}: there is no such file", "Name a libcasper.so, or unset it."
        )
    build = describe(path)
    if not fits(build, mpi):
        raise CasperError(
            f"CSP_LIBRARY={path} was built for {build.mpi_name}, but the program uses "
            f"{mpi.name} ({mpi.soname}, {mpi.path})",
            "Unset CSP_LIBRARY to let casper choose, or name a libcasper.so built for that library.",
        )
    return build
