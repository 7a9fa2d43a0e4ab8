# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""Which MPI library is this? Family and version of a shared library, asked of the library itself."""

import functools
import os
import re
import subprocess
import sys
from dataclasses import dataclass

from casper_cli import elf
from casper_cli.errors import CasperError

# The core library of an MPI installation, not its C++, Fortran or tool companions.
CORE_NAME = re.compile(
    r"lib(mpi|mpich|mpi_abi|mpi_(gnu|cray|intel|amd|nvidia)[_0-9]*)\.so(\.\d+)*$"
)

FAMILY_NAMES = {
    "mpich": "MPICH",
    "intel": "Intel MPI",
    "openmpi": "Open MPI",
    "mvapich": "MVAPICH",
    "cray": "Cray MPICH",
}

# MPI_Get_library_version may be called before MPI_Init; in a process of its own, because loading an
# MPI library installs hooks and may fail in its own way.
_ASK = """
import ctypes, sys
lib = ctypes.CDLL(sys.argv[1])
text, length = ctypes.create_string_buffer(16384), ctypes.c_int()
lib.MPI_Get_library_version(text, ctypes.byref(length))
sys.stdout.write(text.value.decode("utf-8", "replace"))
"""

_VERSIONS = (
    ("intel", re.compile(r"Intel\(R\) MPI Library (\d+(?:\.\d+)*)")),
    ("openmpi", re.compile(r"Open MPI v?(\d+(?:\.\d+)*)")),
    ("cray", re.compile(r"CRAY MPICH version\s+(\d+(?:\.\d+)*)", re.I)),
    ("mvapich", re.compile(r"MVAPICH2? Version\s*:\s*(\d+(?:\.\d+)*)", re.I)),
    ("mpich", re.compile(r"MPICH Version:\s*(\d+(?:\.\d+)*)")),
)


@dataclass(frozen=True)
class MpiLibrary:
    """One MPI library on this machine."""

    path: str  # as the loader finds it
    soname: str  # of the file itself: what a libcasper must have been built for
    family: str  # a key of FAMILY_NAMES, or "unknown"
    version: str
    text: str = ""  # MPI_Get_library_version

    @property
    def real(self):
        return os.path.realpath(self.path)

    @property
    def major(self):
        return self.version.split(".")[0]

    @property
    def version_key(self):
        """For comparison of versions."""
        return [int(part) for part in self.version.split(".") if part.isdecimal()]

    @property
    def name(self):
        abi = ", standard ABI" if self.soname.startswith("libmpi_abi.so") else ""
        return f"{FAMILY_NAMES.get(self.family, 'MPI')} {self.version}".strip() + abi


def is_core_name(name):
    return bool(CORE_NAME.match(os.path.basename(name)))


def parse_version(text):
    """(family, version) of a library version text; ("unknown", "") if it is none that we know."""
    for family, pattern in _VERSIONS:
        match = pattern.search(text)
        if match:
            return family, match.group(1)
    return "unknown", ""


def without_preload(env):
    """The environment without the preloads meant for MPI ranks: for helpers of the command."""
    return {k: v for k, v in env.items() if k != "LD_PRELOAD"}


def _guess_from_soname(soname):
    if soname.startswith("libmpi.so.40"):
        return "openmpi"
    if soname.startswith("libmpich.so") or soname == "libmpi.so.12":
        return "mpich"
    return "unknown"


@functools.lru_cache(maxsize=None)
def identify(path):
    """The MpiLibrary of a file; raises CasperError if it is no shared library."""
    try:
        soname = elf.read(path).soname or os.path.basename(path)
    except (OSError, elf.NotElf) as error:
        raise CasperError(
            f"{path} is not an MPI library: {error}",
            "Name the MPI library itself (libmpi.so...) or the folder in which MPI is installed.",
        ) from error
    try:
        asked = subprocess.run(
            [sys.executable, "-c", _ASK, path],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            stdin=subprocess.DEVNULL,
            env=without_preload(os.environ),
            timeout=30,
            check=False,
        )
        text = asked.stdout.decode("utf-8", "replace") if asked.returncode == 0 else ""
    except (OSError, subprocess.TimeoutExpired):
        text = ""
    family, version = parse_version(text)
    if family == "unknown":
        family = _guess_from_soname(soname)
    return MpiLibrary(path=path, soname=soname, family=family, version=version, text=text)


def find_in(prefix):
    """The core MPI library in an installation folder (its lib folders, or the folder itself)."""
    names = ("libmpi.so.12", "libmpi.so.40", "libmpich.so.12", "libmpi_abi.so.1", "libmpi.so")
    for folder in ("lib", "lib/release", "lib64", "lib/x86_64-linux-gnu", "."):
        for name in names:
            path = os.path.normpath(os.path.join(prefix, folder, name))
            if os.path.isfile(path):
                return path
    return None
