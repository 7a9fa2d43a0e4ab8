# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""`pip install .`: the casper command with libcasper inside the package.

The library is built for the MPI standard ABI (by the mpich wheel that pip brings for the build), and
for every MPI compiler wrapper that CASPER_MPICC names, e.g.
    CASPER_MPICC="mpicc.mpich mine=/path/to/mpicc" pip install .
"""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent
INFO = "casper-build.json"
LIBRARY_FILES = ("libcasper.so", INFO, "bin/gap_check", "bin/rate_check")


def version():
    header = (ROOT / "include/casper/casper.h").read_text()
    return re.search(r'CASPER_VERSION_STRING "([^"]+)"', header).group(1)


def wrappers():
    """NAME=WRAPPER for each build of the library."""
    found = []
    abi = shutil.which("mpicc_abi")
    if abi:
        found.append(f"abi={abi}")
    for i, word in enumerate(os.environ.get("CASPER_MPICC", "").split()):
        found.append(word if "=" in word else f"native{i}={word}")
    if not found:
        raise SystemExit("no mpicc_abi (of the package mpich), and CASPER_MPICC names no wrapper")
    return found


class BuildWithLibrary(build_py):
    """Adds lib/<name>/libcasper.so to the package."""

    def run(self):
        super().run()
        work = Path(self.get_finalized_command("build").build_temp).resolve()
        names = wrappers()
        shutil.rmtree(work, ignore_errors=True)
        script = ROOT / "tools/setup/build.sh"
        as_installed = "-DCMAKE_BUILD_WITH_INSTALL_RPATH=ON"
        subprocess.run([script, "-o", work, *names, "--", as_installed], check=True)
        for name in (word.split("=")[0] for word in names):
            target = Path(self.build_lib) / "casper_cli/lib" / name
            (target / "bin").mkdir(parents=True, exist_ok=True)
            for file in LIBRARY_FILES:
                shutil.copy(work / name / file, target / file)
            if name == "abi":  # built with a library that is gone when pip ends
                about = json.loads((target / INFO).read_text())
                (target / INFO).write_text(
                    json.dumps({**about, "mpi_library": ""}, indent=2) + "\n"
                )


class BinaryDistribution(Distribution):
    """The wheel belongs to one platform, though it has no extension module."""

    def has_ext_modules(self):
        return True


def wheel_tag():
    """py3-none-<platform>: any Python 3."""
    try:
        from setuptools.command.bdist_wheel import bdist_wheel
    except ImportError:
        return {}

    class AnyPython(bdist_wheel):
        def get_tag(self):
            return ("py3", "none", super().get_tag()[2])

    return {"bdist_wheel": AnyPython}


readme = ROOT / "README.md"
setup(
    version=version(),
    long_description=readme.read_text() if readme.exists() else "",
    long_description_content_type="text/markdown",
    distclass=BinaryDistribution,
    cmdclass={"build_py": BuildWithLibrary, **wheel_tag()},
    data_files=[
        (
            f"share/man/man{n}",
            [str(p.relative_to(ROOT)) for p in (ROOT / "docs/man").glob(f"*.{n}")],
        )
        for n in (1, 7)
    ],
)
