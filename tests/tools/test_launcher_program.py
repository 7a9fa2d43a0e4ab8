# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""Finding the MPI library of a program, and the Casper build that fits."""

import json
import os

import launcher_support as support
import pytest
from casper_cli import builds, choose, mpiexec, mpilib, program
from casper_cli.errors import CasperError, UsageError


@pytest.fixture
def site(tmp_path):
    """An MPI installation and a program linked to it through another library."""
    mpi = support.write_elf(tmp_path / "mpi/lib/libmpi.so.40", soname="libmpi.so.40")
    support.write_elf(
        tmp_path / "lib/libsolver.so", ["libmpi.so.40"], "libsolver.so", str(tmp_path / "mpi/lib")
    )
    app = support.write_elf(tmp_path / "app", ["libsolver.so"], runpath="$ORIGIN/lib")
    return {"root": tmp_path, "mpi": mpi, "app": app, "env": {"PATH": f"{tmp_path}:/usr/bin:/bin"}}


def test_program_linked_through_another_library(site):
    found = program.find_mpi([site["app"]], site["env"])
    assert (found.mpi, found.at_start) == (site["mpi"], True)


def test_program_is_looked_up_on_path(site):
    assert program.find_mpi(["app"], site["env"]).mpi == site["mpi"]


@pytest.mark.parametrize("before", [["env", "A=1"], ["nice", "-n", "5"], ["gdb", "--args"]])
def test_program_behind_other_commands(site, before):
    support.write_elf(site["root"] / before[0])
    assert program.find_mpi([*before, site["app"], "in.txt"], site["env"]).mpi == site["mpi"]


def test_program_that_may_be_run_but_not_read(tmp_path, monkeypatch):
    app = support.write_script(tmp_path / "app", "#!/bin/sh\n")
    monkeypatch.setattr("os.access", lambda _, mode: mode != os.R_OK)
    with pytest.raises(CasperError, match="may be run, but not read") as caught:
        program.find_mpi([app], {})
    assert "--mpi" in caught.value.remedy


def test_shell_script_that_names_the_program(site):
    script = support.write_script(
        site["root"] / "job.sh", f'#!/bin/sh\n# not {site["root"]}/else\nexec {site["app"]} "$@"\n'
    )
    found = program.find_mpi([script], site["env"])
    assert found.mpi == site["mpi"] and "job.sh" in found.how


def test_a_program_of_the_command_line_before_what_a_script_says(site):
    other = support.write_elf(site["root"] / "else/lib/libmpi.so.12", soname="libmpi.so.12")
    named = support.write_elf(
        site["root"] / "tool", ["libmpi.so.12"], runpath=str(site["root"] / "else/lib")
    )
    script = support.write_script(site["root"] / "w.sh", f'#!/bin/sh\n{named}; exec "$@"\n')
    found = program.find_mpi([script, site["app"]], site["env"])
    assert (found.mpi, found.guessed) == (site["mpi"], False)
    found = program.find_mpi([script], site["env"])
    assert (found.mpi, found.guessed) == (other, True)


def test_a_script_behind_another_command(site):
    support.write_elf(site["root"] / "env")
    script = support.write_script(site["root"] / "w.sh", f"#!/bin/sh\nexec {site['app']}\n")
    assert program.find_mpi(["env", "A=1", script], site["env"]).mpi == site["mpi"]


def test_what_a_script_says_does_not_refuse_mpi(site):
    """It may name programs of several libraries; --mpi decides."""
    script = support.write_script(site["root"] / "w.sh", f"#!/bin/sh\nexec {site['app']}\n")
    mpi = mpilib.MpiLibrary("/m/libmpich.so.12", "libmpich.so.12", "mpich", "4.0.2")
    choose.refuse_other(mpi, [script], site["env"])
    with pytest.raises(CasperError, match="the program uses"):
        choose.refuse_other(mpi, [site["app"]], site["env"])


def test_a_python_that_is_a_script_is_asked(site, monkeypatch):
    """As those of version managers are."""
    python = support.write_script(site["root"] / "python3", "#!/bin/sh\nexec /else/python3\n")
    asked = []
    monkeypatch.setattr(
        program, "ask_mpi4py", lambda p, env: (asked.append(p), (site["mpi"], ""))[1]
    )
    assert program.find_mpi(["env", python, "x.py"], site["env"]).mpi == site["mpi"]
    assert asked == [python]


def test_python_is_asked_for_mpi4py(site, monkeypatch):
    python = support.write_elf(site["root"] / "python3.9")
    monkeypatch.setattr(program, "ask_mpi4py", lambda p, env: (site["mpi"], ""))
    found = program.find_mpi([python, "x.py"], site["env"])
    assert found.mpi == site["mpi"] and not found.at_start
    script = support.write_script(site["root"] / "x.py", "#!/usr/bin/env python3.9\n")
    assert program.find_mpi([script], site["env"]).mpi == site["mpi"]


def test_missing_mpi_library_is_named(tmp_path):
    app = support.write_elf(tmp_path / "app", ["libmpi.so.99"])
    with pytest.raises(CasperError, match="libmpi.so.99"):
        program.find_mpi([app], {})


def test_program_without_mpi_says_how_to_go_on(tmp_path):
    app = support.write_elf(tmp_path / "app", ["libc.so.6"])
    with pytest.raises(CasperError) as caught:
        program.find_mpi([app], {})
    assert "--mpi" in caught.value.remedy


@pytest.mark.parametrize(
    "name, words",
    [("nowhere", "not found"), ("plain.txt", "not executable"), ("here", "not on PATH")],
)
def test_what_cannot_be_run_is_explained(tmp_path, monkeypatch, name, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plain.txt").write_text("x")
    support.write_script(tmp_path / "here", "#!/bin/sh\n")
    word = "./plain.txt" if name == "plain.txt" else name
    with pytest.raises(CasperError, match=words):
        program.find_mpi([word], {"PATH": "/usr/bin"})


@pytest.mark.parametrize(
    "name, core",
    [
        ("libmpi.so.12", True),
        ("libmpich.so.12", True),
        ("libmpi.so.40.30.4", True),
        ("libmpi_abi.so.1", True),
        ("libmpi_gnu_123.so.12", True),
        ("libmpicxx.so.12", False),
        ("libmpi_mpifh.so.40", False),
        ("libmpifort.so.12", False),
        ("libmpi_usempif08.so.40", False),
    ],
)
def test_core_library_names(name, core):
    assert mpilib.is_core_name("/x/" + name) is core


@pytest.mark.parametrize(
    "text, expected",
    [
        ("MPICH Version:      5.0.2\nMPICH Release date", ("mpich", "5.0.2")),
        ("MPICH Version:\t4.0.2\n", ("mpich", "4.0.2")),
        ("Open MPI v5.0.11, package: Open MPI user@h", ("openmpi", "5.0.11")),
        ("Intel(R) MPI Library 2021.18.1 for Linux* OS\n", ("intel", "2021.18.1")),
        ("MPI VERSION    : CRAY MPICH version 8.1.28 (ANL base 3.4a2)", ("cray", "8.1.28")),
        ("MVAPICH2 Version      :\t2.3.7\nMPICH Version", ("mvapich", "2.3.7")),
        ("something else", ("unknown", "")),
    ],
)
def test_library_version_texts(text, expected):
    assert mpilib.parse_version(text) == expected


# Builds


def library(family="mpich", version="4.0.2", soname="libmpich.so.12", path="/sw/x/libmpich.so.12"):
    return mpilib.MpiLibrary(path, soname, family, version)


def info(**fields):
    return json.dumps(fields)


@pytest.fixture
def here(tmp_path):
    """A build folder with one build for each of several MPI libraries."""
    names = {
        "mpich4": (
            "libmpich.so.12",
            info(family="mpich", mpi_version="4.0.2", soname="libmpich.so.12"),
        ),
        "mpich5": (
            "libmpi.so.12",
            info(family="mpich", mpi_version="5.0.2", soname="libmpi.so.12"),
        ),
        "ompi4": (
            "libmpi.so.40",
            info(family="openmpi", mpi_version="4.1.4", soname="libmpi.so.40"),
        ),
        "ompi5": (
            "libmpi.so.40",
            info(family="openmpi", mpi_version="5.0.11", soname="libmpi.so.40"),
        ),
        "abi": ("", info(family="abi", mpi_version="5.0.2", soname="libmpi_abi.so.1")),
        "ompi5-asan": (
            "libmpi.so.40",
            info(
                family="openmpi", mpi_version="5.0.11", soname="libmpi.so.40", sanitizer="address"
            ),
        ),
    }
    for name, (soname, text) in names.items():
        support.write_build(tmp_path / name, soname, text)
    return builds.find_all([str(tmp_path)])


@pytest.mark.parametrize(
    "mpi, name",
    [
        (library(), "mpich4"),
        (library(version="5.0.2", soname="libmpi.so.12"), "mpich5"),
        (library("intel", "2021.18.1", "libmpi.so.12"), "mpich5"),
        (library("openmpi", "4.1.6", "libmpi.so.40"), "ompi4"),
        (library("openmpi", "5.0.3", "libmpi.so.40"), "ompi5"),
        (library("mpich", "5.0.2", "libmpi_abi.so.1"), "abi"),
        (library("intel", "2021.18.1", "libmpi_abi.so.1"), "abi"),
    ],
)
def test_the_build_that_fits_is_chosen(here, mpi, name):
    assert builds.choose(mpi, {}, here).name == name


def test_no_build_that_fits_names_what_there_is(here):
    with pytest.raises(CasperError) as caught:
        builds.choose(library(soname="libmpi.so.20"), {}, here)
    assert "MPICH 4.0.2" in caught.value.cause and "build.sh" in caught.value.remedy


def test_no_build_fits_another_major_release(here):
    here = [build for build in here if build.name != "ompi5"]
    assert builds.choose(library("openmpi", "4.0.0", "libmpi.so.40"), {}, here).name == "ompi4"
    with pytest.raises(CasperError) as caught:
        builds.choose(library("openmpi", "5.0.3", "libmpi.so.40"), {}, here)
    assert "Open MPI 4.1.4" in caught.value.cause


def test_releases_that_are_not_known_or_do_not_matter_fit(tmp_path):
    def build(family, version):
        text = info(family=family, mpi_version=version, soname="libmpi.so.12")
        return builds.describe(support.write_build(tmp_path / family, "libmpi.so.12", text))

    assert builds.fits(build("mpich", "5.0.2"), library("mpich", "", "libmpi.so.12"))
    assert builds.fits(build("intel", "2021.18.1"), library("intel", "2019.9.304", "libmpi.so.12"))
    assert not builds.fits(build("mpich", "5.0.2"), library("mpich", "4.1", "libmpi.so.12"))


def test_without_info_the_elf_file_tells(tmp_path):
    path = support.write_build(tmp_path / "native", "libmpi.so.40")
    build = builds.describe(path)
    assert (build.soname, build.brings_mpi) == ("libmpi.so.40", True)
    assert builds.choose(library("openmpi", "5.0.3", "libmpi.so.40"), {}, [build]) is build


@pytest.mark.parametrize("text", ["", "[]", "{", '{"soname": 3}'])
def test_damaged_info_is_ignored(tmp_path, text):
    path = support.write_build(tmp_path / "native", "libmpi.so.40", text)
    assert builds.describe(path).soname == "libmpi.so.40"


def test_library_variable_decides(here, tmp_path):
    path = support.write_build(tmp_path / "mine", "libmpich.so.12")
    assert builds.choose(library(), {"CSP_LIBRARY": path}, here).path == path


def test_library_variable_for_another_mpi_is_an_error(here, tmp_path):
    path = support.write_build(tmp_path / "mine", "libmpi.so.40")
    with pytest.raises(CasperError) as caught:
        builds.choose(library(), {"CSP_LIBRARY": path}, here)
    assert "libmpi.so.40" in caught.value.cause and "MPICH 4.0.2" in caught.value.cause
    assert "Unset CSP_LIBRARY" in caught.value.remedy


def test_library_variable_without_file(here, tmp_path):
    with pytest.raises(UsageError, match="no such file"):
        builds.choose(library(), {"CSP_LIBRARY": str(tmp_path / "gone.so")}, here)
    (tmp_path / "text.so").write_text("no library")
    with pytest.raises(CasperError, match="not a libcasper"):
        builds.choose(library(), {"CSP_LIBRARY": str(tmp_path / "text.so")}, here)


# Names of MPI libraries, and their launchers

KNOWN = [
    library(),
    library("mpich", "5.0.2", "libmpi.so.12"),
    library("mpich", "5.0.2", "libmpi_abi.so.1"),
    library("openmpi", "4.1.4", "libmpi.so.40"),
    library("openmpi", "5.0.11", "libmpi.so.40"),
]


@pytest.mark.parametrize(
    "word, version",
    [
        ("mpich", "5.0.2"),
        ("mpich-4", "4.0.2"),
        ("mpich-4.0.2", "4.0.2"),
        ("ompi-4.1", "4.1.4"),
        ("openmpi", "5.0.11"),
    ],
)
def test_names_of_libraries(word, version):
    assert choose.pick_mpi(word, KNOWN, {"PATH": ""}).version == version


def test_the_mpiexec_on_path_decides_between_versions(tmp_path):
    support.write_mpiexec(tmp_path / "mpiexec", "openmpi", "4.1.4")
    assert choose.pick_mpi("openmpi", KNOWN, {"PATH": str(tmp_path)}).version == "4.1.4"


def test_unknown_names():
    assert choose.pick_mpi("openmpi-3", KNOWN, {"PATH": ""}) is None
    assert choose.pick_mpi("mpich-4.0.20", KNOWN, {"PATH": ""}) is None
    assert choose.pick_mpi("abi", KNOWN, {"PATH": ""}).soname == builds.ABI_SONAME


def install(prefix, family, version, soname):
    names = {"mpich": "mpiexec.hydra", "intel": "mpiexec.hydra", "openmpi": "mpiexec"}
    support.write_mpiexec(prefix / "bin" / names[family], family, version)
    path = support.write_elf(prefix / "lib" / soname, soname=soname)
    return library(family, version, soname, path)


def test_mpiexec_next_to_the_library_comes_first(tmp_path):
    mpi = install(tmp_path / "a", "mpich", "5.0.2", "libmpi.so.12")
    install(tmp_path / "b", "mpich", "4.0.2", "libmpi.so.12")
    found = mpiexec.find(mpi, {"PATH": str(tmp_path / "b/bin")})
    assert found.path == str(tmp_path / "a/bin/mpiexec.hydra")


def test_mpiexec_of_another_family_is_passed_over(tmp_path):
    mpi = install(tmp_path / "a", "mpich", "5.0.2", "libmpi.so.12")
    support.write_mpiexec(tmp_path / "a/bin/mpiexec.hydra", "openmpi", "4.1.4")
    support.write_mpiexec(tmp_path / "c/mpiexec", "mpich", "4.1")
    found = mpiexec.find(mpi, {"PATH": str(tmp_path / "c")})
    assert found.path == str(tmp_path / "c/mpiexec")


def test_no_mpiexec_says_what_was_seen(tmp_path):
    mpi = install(tmp_path / "a", "openmpi", "5.0.3", "libmpi.so.40")
    support.write_mpiexec(tmp_path / "a/bin/mpiexec", "openmpi", "4.1.4")
    with pytest.raises(CasperError) as caught:
        mpiexec.find(mpi, {"PATH": ""})
    assert "Open MPI 4.1.4" in caught.value.cause and "--mpiexec" in caught.value.remedy


def test_named_mpiexec_of_another_library_is_refused(tmp_path):
    mpi = install(tmp_path / "a", "mpich", "5.0.2", "libmpi.so.12")
    other = support.write_mpiexec(tmp_path / "mpiexec", "openmpi", "4.1.4")
    with pytest.raises(CasperError, match="belongs to Open MPI 4.1.4"):
        mpiexec.explicit(other, mpi, {})
    with pytest.raises(CasperError, match="no such program"):
        mpiexec.explicit(str(tmp_path / "nowhere"), mpi, {})


def test_named_mpiexec_that_says_nothing_is_taken(tmp_path):
    mpi = install(tmp_path / "a", "mpich", "5.0.2", "libmpi.so.12")
    mute = support.write_script(tmp_path / "wrapper", "#!/bin/sh\nexit 0\n")
    assert mpiexec.explicit(mute, mpi, {}).family == "mpich"
