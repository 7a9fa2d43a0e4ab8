# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""What libcasper exports is an exact list, and it reaches the MPI library through its table alone."""

import re
from pathlib import Path

import builds

HERE = Path(__file__).parent
# Data and constants of Open MPI that its header's macros name; no function that could be called.
OPENMPI_DATA = re.compile(r"ompi_mpi_\w+|ompi_(message|request)_null|OMPI_C_MPI_\w+")


def words(path: Path) -> list[str]:
    return re.sub(r"#.*", "", path.read_text()).split()


def sections() -> dict[str, list[str]]:
    text = re.sub(r"#.*", "", (HERE / "exports.txt").read_text())
    parts = re.split(r"^\[(.*)\]$", text, flags=re.M)
    return {name: body.split() for name, body in zip(parts[1::2], parts[2::2], strict=True)}


def fortran_names(routine: str) -> set[str]:
    names = {f"ompi_{routine}_f"}
    for lower, upper in (("mpi_", "MPI_"), ("pmpi_", "PMPI_")):
        names |= {lower + routine + tail for tail in ("", "_", "__")}
        names.add(upper + routine.upper())
    return names


def expected_exports(build: builds.Build) -> set[str]:
    extra = sections()
    names = {n for n in words(HERE / "wrapped.txt") if n in build.have}
    names |= {"P" + n for n in names} | set(extra["all"])
    if not build.is_openmpi():
        return names | set(extra["mpich"])
    for routine in extra["fortran openmpi"]:
        names |= fortran_names(routine)
    return names


# Intel MPI's library exports these of its own, and so does all that is linked with it.
OF_INTEL_MPI = {"__bss_start", "_edata", "_end"}


def test_exports_are_the_list(build):
    got, want = build.defined(), expected_exports(build)
    if build.info["family"] == "intel":
        got -= OF_INTEL_MPI
    assert not got - want, f"exported but not in the list: {sorted(got - want)}"
    assert not want - got, f"in the list but not exported: {sorted(want - got)}"


def test_no_mpi_function_is_called_directly(build):
    named = {s for s in build.undefined() if re.search(r"mpi", s, re.I)}
    if build.is_openmpi():
        named = {s for s in named if not OPENMPI_DATA.fullmatch(s)}
    assert not named, f"reached beside the table: {sorted(named)}"


def test_abi_build_needs_no_mpi_library(build):
    if build.info["family"] == "abi":
        assert not [n for n in build.needed() if "mpi" in n]
    else:  # and the others bring theirs: programs may load them before any MPI library
        assert build.info["soname"] in build.needed()


def test_probe_says_what_the_library_has(build):
    library = Path(build.info["mpi_library"])
    defined = builds.dynamic_symbols(library, "--defined-only")
    missing = {n for n in build.have if "P" + n not in defined}
    assert not missing, f"the probe found {sorted(missing)}, the library has them not"
    assert len(build.have) > 350
