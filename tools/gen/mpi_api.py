# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""The functions of MPI-5.0 with their C prototypes, from the Forum's machine-readable API."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pympistandard

HANDLE_KINDS = {"COMMUNICATOR", "WINDOW", "REQUEST", "GROUP", "SESSION", "FILE"}
HANDLE_TYPES = {
    "MPI_Comm": "COMMUNICATOR",
    "MPI_Win": "WINDOW",
    "MPI_Request": "REQUEST",
    "MPI_Group": "GROUP",
    "MPI_Session": "SESSION",
    "MPI_File": "FILE",
}


@dataclass(frozen=True)
class Param:
    """One parameter: its C declaration, name, and base type without const (`int *` for `int *flag`)."""

    text: str
    name: str
    type: str


@dataclass(frozen=True)
class Function:
    """One C function. `origin` is standard, removed or extension."""

    name: str
    result: str
    params: tuple[Param, ...]
    kinds: frozenset[str]
    origin: str = "standard"

    @property
    def field(self) -> str:
        """Name of its entry in csp_mpi."""
        return "X_" + self.name[5:] if self.name.startswith("MPIX_") else self.name[4:]

    def has_handle(self) -> bool:
        return bool(self.kinds & HANDLE_KINDS)


# Parameters of which the data differ from the standard's text.
CORRECTED = {("MPI_Info_create_env", "argv"): "char *argv[]"}


def _standard_function(symbol) -> Function:
    params = []
    kinds = {symbol.return_kind.name}
    for p in symbol.parameters:
        kinds.add(p.kind.name)
        text = CORRECTED.get((symbol.name, p.name), str(p))
        params.append(Param(text, p.name if p.kind.name != "VARARGS" else "", str(p.type)))
    return Function(symbol.name, symbol.return_type, tuple(params), frozenset(kinds))


def standard_functions() -> dict[str, Function]:
    """All C functions of the standard, large-count variants included, by name."""
    pympistandard.use_api_version(1, force_bundled=True)
    functions = {}
    for procedure in pympistandard.all_iso_c_procedures():
        symbols = [procedure.express.iso_c]
        if procedure.express.embiggen and procedure.express.embiggen.iso_c is not None:
            symbols.append(procedure.express.embiggen.iso_c)
        for symbol in symbols:
            functions[symbol.name] = _standard_function(symbol)
    return functions


def parse_prototype(text: str, origin: str) -> Function:
    """A function from a one-line C prototype."""
    match = re.fullmatch(r"(\w+) (\w+)\((.*)\)", text)
    if not match:
        raise ValueError(f"not a prototype: {text}")
    params = []
    for decl in match[3].split(", "):
        parts = re.fullmatch(r"(?:const )?(\w+) (\**)(\w+)(\[\])?", decl)
        if not parts:
            raise ValueError(f"not a parameter: {decl}")
        params.append(Param(decl, parts[3], (parts[1] + " " + parts[2]).strip()))
    kinds = {HANDLE_TYPES[w] for w in re.findall(r"\w+", text) if w in HANDLE_TYPES}
    return Function(match[2], match[1], tuple(params), frozenset(kinds), origin)
