# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""Layers depend one way: base <- shm, topo, dtype, adapt, trace, match <- runtime <- req, types <- rma,
p2p, ghost, report <- wrap."""

import re
from pathlib import Path

import pytest

SRC = Path(__file__).resolve().parents[2] / "src"
WITHOUT_MPI = {"base", "shm", "topo", "dtype", "adapt", "trace", "match"}
ABOVE_TYPES = WITHOUT_MPI | {"runtime", "req", "types"}
MAY_USE = {
    "base": set(),
    **{layer: {"base"} for layer in WITHOUT_MPI - {"base"}},
    "runtime": WITHOUT_MPI,
    "req": WITHOUT_MPI | {"runtime"},
    "types": WITHOUT_MPI | {"runtime"},
    "rma": ABOVE_TYPES,
    "p2p": ABOVE_TYPES,
    "ghost": WITHOUT_MPI | {"runtime"},
    "report": WITHOUT_MPI | {"runtime"},
    "wrap": ABOVE_TYPES | {"rma", "p2p", "ghost", "report"},
}


def sources(layer: str) -> list[Path]:
    return [p for p in (SRC / layer).rglob("*") if p.suffix in (".c", ".h", ".inc")]


def includes(path: Path) -> list[str]:
    return re.findall(r'^\s*#\s*include\s+["<]([^">]+)[">]', path.read_text(), re.M)


def test_every_folder_is_a_layer():
    assert {p.name for p in SRC.iterdir() if p.is_dir()} <= set(MAY_USE)


@pytest.mark.parametrize("layer", MAY_USE)
def test_includes_go_down(layer):
    wrong = []
    for path in sources(layer):
        for name in includes(path):
            other = name.split("/")[0]
            if other in MAY_USE and other not in MAY_USE[layer] | {layer}:
                wrong.append(f"{path.relative_to(SRC)} includes {name}")
            if layer in WITHOUT_MPI and name in ("mpi.h", "csp_mpi_have.h"):
                wrong.append(f"{path.relative_to(SRC)} includes {name}, but {layer} knows no MPI")
    assert not wrong, "\n".join(wrong)


def test_basenames_are_unique():
    names = [p.name for layer in MAY_USE for p in sources(layer)]
    double = {n for n in names if names.count(n) > 1}
    assert not double
