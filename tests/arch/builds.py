# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""The builds of libcasper that are there: under CSP_BUILD_ROOT (default: build/ of the repository)."""

import json
import os
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD_ROOT = Path(os.environ.get("CSP_BUILD_ROOT", ROOT / "build"))


class Build:
    """One build directory with a libcasper.so."""

    def __init__(self, path: Path):
        self.path = path
        self.library = path / "libcasper.so"
        self.info = json.loads((path / "casper-build.json").read_text())
        text = (path / "csp_mpi_have.h").read_text()
        self.have = {n for n, v in re.findall(r"#define CSP_HAVE_(\w+) (\d)", text) if v == "1"}

    def is_openmpi(self) -> bool:
        return self.info["family"] == "openmpi"

    def defined(self) -> set[str]:
        return dynamic_symbols(self.library, "--defined-only")

    def undefined(self) -> set[str]:
        return dynamic_symbols(self.library, "--undefined-only")

    def needed(self) -> list[str]:
        out = subprocess.run(
            ["readelf", "-d", self.library], capture_output=True, text=True, check=True
        ).stdout
        return re.findall(r"\(NEEDED\).*\[(.*)\]", out)


def dynamic_symbols(library: Path, which: str) -> set[str]:
    """Names in the dynamic symbol table, without versions."""
    out = subprocess.run(
        ["nm", "-D", which, library], capture_output=True, text=True, check=True
    ).stdout
    return {line.split()[-1].split("@")[0] for line in out.splitlines()}


def find() -> list[Build]:
    """Every complete build of the library, sanitizer builds left out (they export more)."""
    found = []
    for path in sorted(BUILD_ROOT.glob("*")):
        files = ("libcasper.so", "casper-build.json", "csp_mpi_have.h")
        if all((path / name).exists() for name in files):
            build = Build(path)
            if not build.info.get("sanitizer"):
                found.append(build)
    return found
