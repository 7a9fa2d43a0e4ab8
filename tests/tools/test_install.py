# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""`cmake --install` and `pip install .` give a working casper command and library; CMake and
pkg-config find them."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MPI = ROOT / "build/env/m50/bin"
PROGRAM = """
#include <mpi.h>
#include <casper/casper.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int size;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    printf("size %d, asked %d\\n", size, ASK);
    MPI_Finalize();
    return 0;
}
"""
CMAKE_PROJECT = """
cmake_minimum_required(VERSION 3.18)
project(app C)
set(MPI_C_COMPILER {mpicc})
{first}
find_package(casper 0.1 REQUIRED)
find_package(MPI REQUIRED)
add_executable(app app.c)
target_compile_definitions(app PRIVATE "ASK=casper_active()")
target_link_libraries(app PRIVATE casper::casper MPI::MPI_C)
"""
needs_pkg_config = pytest.mark.skipif(
    not shutil.which("pkg-config"), reason="pkg-config is not installed"
)
pytestmark = pytest.mark.skipif(not MPI.exists(), reason="build/env/m50 is not there")


def run(args, **more):
    """Output of a command that must succeed."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("CSP_", "PYTHONPATH"))}
    done = subprocess.run(
        [str(a) for a in args],
        env=env | more.pop("env", {}),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
        check=False,
        **more,
    )
    assert done.returncode == 0, f"{args}\n{done.stdout}"
    return done.stdout


def install(prefix, *names):
    """Builds, one after the other."""
    for name in names:
        run(["cmake", "--install", ROOT / "build" / name, "--prefix", prefix])


def link(prefix, source, app, mpicc="mpicc"):
    """The program, linked as pkg-config says."""
    found = run(
        ["pkg-config", "--cflags", "--libs", "casper"],
        env={"PKG_CONFIG_PATH": f"{prefix}/lib/pkgconfig"},
    )
    run([MPI / mpicc, "-DASK=casper_active()", "-o", app, source, *found.split()])
    return app


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    path = tmp_path_factory.mktemp("app") / "app.c"
    path.write_text(PROGRAM)
    return path


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    """Both default builds installed to one prefix."""
    path = tmp_path_factory.mktemp("prefix")
    run([ROOT / "tools/setup/build.sh", "m50", "abi"])
    install(path, "m50", "abi")
    return path


@pytest.fixture(scope="module")
def plain_app(source):
    """The program, that knows nothing of Casper but its header."""
    path = source.with_name("plain")
    run([MPI / "mpicc", "-DASK=2", f"-I{ROOT}/include", "-o", path, source])
    return path


def test_installed_command_runs_a_program(prefix, plain_app):
    output = run([prefix / "bin/casper", "run", "-n", "2", plain_app])
    assert output.count("size 2, asked 2\n") == 2
    dry = run([prefix / "bin/casper", "run", "-n", "2", "--dry-run", plain_app])
    assert f"{prefix}/lib/casper/m50/libcasper.so" in dry


def test_installed_files(prefix):
    for name in ("lib/libcasper.so", "lib/casper/abi/libcasper.so", "include/casper/casper.h"):
        assert (prefix / name).is_file()
    pages = {p.name for p in (ROOT / "docs/man").glob("*.[1-8]")}
    assert {p.name for p in (prefix / "share/man").glob("man*/*")} == pages


def run_paths(library):
    """Of an ELF file; an empty one means the current folder."""
    found = re.findall(r"\(RU?N?PATH\).*\[(.*)\]", run(["readelf", "-d", library]))
    return ":".join(found).split(":") if found else []


def test_binaries_load_nothing_from_the_current_folder(prefix):
    """And name no file of the source tree, so that they are the same from any."""
    for name, paths in (("m50", [f"{MPI.parent}/lib"]), ("abi", [])):
        for file in ("libcasper.so", "bin/gap_check", "bin/rate_check"):
            binary = prefix / "lib/casper" / name / file
            assert run_paths(binary) == paths
            assert str(ROOT / "src").encode() not in binary.read_bytes()


def test_another_library_does_not_replace_a_build(prefix, tmp_path):
    install(tmp_path, "m50")
    info = tmp_path / "lib/casper/m50/casper-build.json"
    about = json.loads(info.read_text())
    other = tmp_path / "libmpi.so.12"
    other.touch()
    info.write_text(json.dumps({**about, "mpi_library": str(other)}))
    words = ["cmake", "--install", ROOT / "build/m50", "--prefix", tmp_path]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode != 0 and "MPI_NAME" in done.stderr
    assert json.loads(info.read_text())["mpi_library"] == str(other)
    other.unlink()  # an update may have another path
    install(tmp_path, "m50")
    assert json.loads(info.read_text()) == about


def configured(folder, *words):
    """A build that is only configured, with the binaries of build/m50."""
    build = [ROOT / "tools/setup/build.sh", "--configure", "-o", folder, "m50", "--", *words]
    run(build)
    for file in ("libcasper.so", "bin/gap_check", "bin/rate_check"):
        (folder / "m50" / file).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / "build/m50" / file, folder / "m50" / file)
    return folder / "m50"


@needs_pkg_config
@pytest.mark.parametrize("whole", [False, True])
def test_other_folders(prefix, source, plain_app, tmp_path, whole):
    """As packagers name them, below the prefix or whole."""
    where = tmp_path / "prefix"
    libdir, includedir = (
        f"{where}/" * whole + name for name in ("lib64/mpich/lib", "include/mpich")
    )
    words = [
        f"-DCMAKE_INSTALL_{name}={folder}"
        for name, folder in (("PREFIX", where), ("LIBDIR", libdir), ("INCLUDEDIR", includedir))
    ]
    run(["cmake", "--install", configured(tmp_path / "build", *words)])
    assert run([where / "bin/casper", "run", "-n", "1", plain_app]) == "size 1, asked 2\n"
    found = run(
        ["pkg-config", "--cflags", "--libs", "casper"],
        env={"PKG_CONFIG_PATH": f"{where}/lib64/mpich/lib/pkgconfig"},
    )
    run([MPI / "mpicc", "-DASK=casper_active()", "-o", tmp_path / "app", source, *found.split()])
    assert run([MPI / "mpiexec", "-n", "2", tmp_path / "app"]) == "size 1, asked 1\n"
    package = f"{where}/lib64/mpich/lib/cmake/casper"
    (tmp_path / "project").mkdir()
    words, made = project(tmp_path / "project", where, source, how=(f"-Dcasper_DIR={package}",))
    run(words)
    run(["cmake", "--build", made])
    assert run([MPI / "mpiexec", "-n", "2", made / "app"]) == "size 1, asked 1\n"


@pytest.mark.parametrize("names", [["m50", "abi"], ["abi", "m50"], ["abi", "m50", "abi"]])
def test_the_standard_abi_is_not_the_one_to_link(prefix, tmp_path, names):
    install(tmp_path, *names)
    assert os.readlink(tmp_path / "lib/libcasper.so") == "casper/m50/libcasper.so"


def test_the_standard_abi_is_the_one_to_link_if_alone(prefix, tmp_path):
    install(tmp_path, "abi")
    assert os.readlink(tmp_path / "lib/libcasper.so") == "casper/abi/libcasper.so"


def project(folder, prefix, source, mpicc="mpicc", first="find_package(MPI REQUIRED)", how=()):
    """The command that configures a project of the program, and its build folder."""
    text = CMAKE_PROJECT.format(mpicc=MPI / mpicc, first=first)
    (folder / "CMakeLists.txt").write_text(text)
    shutil.copy(source, folder / "app.c")
    words = ["cmake", "-S", folder, "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={prefix}", *how]
    return list(map(str, words)), folder / "build"


@pytest.mark.parametrize("mpicc", ["mpicc", "mpicc_abi"])
def test_cmake_package(prefix, source, tmp_path, mpicc):
    words, build = project(tmp_path, prefix, source, mpicc)
    run(words)
    run(["cmake", "--build", build])
    job = [MPI / "mpiexec", "-n", "3", build / "app"]
    assert run(job).count("size 2, asked 1\n") == 2
    assert run(job, env={"CSP_NG": "0"}).count("size 3, asked 0\n") == 3


def copy_build(prefix, old, new, **other):
    """Another build in the prefix, which differs in what casper-build.json says."""
    home = prefix / "lib/cmake/casper"
    shutil.copytree(home / old, home / new)
    path = home / new / "casper-build.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | other, indent=2))


def test_cmake_takes_the_build_for_the_mpi_library_of_the_project(prefix, source, tmp_path):
    """Not the first one by name: neither for another library nor for another one of the same SONAME."""
    install(tmp_path / "p", "m50", "abi")
    other = "/nowhere/libmpi.so.40"
    copy_build(tmp_path / "p", "m50", "another", soname="libmpi.so.40", mpi_library=other)
    copy_build(tmp_path / "p", "m50", "elsewhere", mpi_library="/nowhere/libmpi.so.12")
    copy_build(tmp_path / "p", "m50", "native")  # the same library by another name
    words, build = project(tmp_path, tmp_path / "p", source)
    run(words)
    run(["cmake", "--build", build])
    assert "casper/m50/libcasper.so" in run(["ldd", build / "app"])


@pytest.mark.parametrize("first", ["", "set(casper_MPI no_such)"])
def test_cmake_says_that_it_cannot_tell(prefix, source, tmp_path, first):
    words, _ = project(tmp_path, prefix, source, first=first)
    done = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode, done.stdout
    assert "casper_MPI to one of: abi, m50" in " ".join(done.stderr.split())


def test_cmake_takes_the_build_that_is_named(prefix, source, tmp_path):
    words, build = project(tmp_path, prefix, source, "mpicc_abi", "", ["-Dcasper_MPI=abi"])
    run(words)
    run(["cmake", "--build", build])
    assert run([MPI / "mpiexec", "-n", "3", build / "app"]).count("size 2, asked 1\n") == 2


@needs_pkg_config
def test_pkg_config(prefix, source, tmp_path):
    app = link(prefix, source, tmp_path / "app")
    assert run([MPI / "mpiexec", "-n", "3", app]).count("size 2, asked 1\n") == 2


@needs_pkg_config
@pytest.mark.parametrize("staged", [False, True])
def test_make_install(prefix, source, tmp_path, staged):
    """Of the builds that are there, to PREFIX or to DESTDIR and PREFIX; a package is made from the latter."""
    where, words = tmp_path / "here", [f"PREFIX={tmp_path}/here"]
    if staged:
        where, words = tmp_path / "stage/opt/csp", [f"DESTDIR={tmp_path}/stage", "PREFIX=/opt/csp"]
    run(["make", "-C", ROOT, "-o", "all", "install", *words], env={"MPICC": "", "MAKEFLAGS": ""})
    assert [path.name for path in tmp_path.iterdir()] == ["stage" if staged else "here"]
    app = link(where, source, tmp_path / "app")
    assert run([MPI / "mpiexec", "-n", "3", app]).count("size 2, asked 1\n") == 2


def test_a_dash_in_the_name_of_a_build(tmp_path):
    """And in the path of the wrapper; what is before the dash is not one of the libraries known here."""
    wrapper = tmp_path / "my-mpi/mpicc"
    wrapper.parent.mkdir()
    wrapper.write_text(f'#!/bin/sh\nexec {MPI}/mpicc "$@"\n')
    wrapper.chmod(0o755)
    build = [ROOT / "tools/setup/build.sh", "--configure", "-o", tmp_path / "build"]
    run([*build, f"my-mpich={wrapper}"])
    about = json.loads((tmp_path / "build/my-mpich/casper-build.json").read_text())
    assert about["name"] == "my-mpich"
    cache = (tmp_path / "build/my-mpich/CMakeCache.txt").read_text()
    assert f"CSP_MPICC:STRING={wrapper}\n" in cache


def test_a_wrapper_of_the_same_name_may_be_of_another_library(tmp_path):
    """After `module swap`, or an MPICC that is older than the last build."""
    build = [ROOT / "tools/setup/build.sh", "--configure", "-o", tmp_path / "build", "native"]
    have = []
    for kind in ("mpicc", "mpicc_abi"):
        folder = tmp_path / f"mpi{len(have)}"
        folder.mkdir()
        wrapper = folder / "mpicc"
        wrapper.write_text(f'#!/bin/sh\nexec {MPI}/{kind} "$@"\n')
        wrapper.chmod(0o755)
        os.utime(wrapper, (0, 0))
        run(build, env={"MPICC": "mpicc", "PATH": f"{folder}:{os.environ['PATH']}"})
        have.append((tmp_path / "build/native/csp_mpi_have.h").read_text())
    assert "CSP_HAVE_MPIX_" in have[0] and have[0] != have[1]


def test_the_least_cmake_has_what_is_used():
    """find_program(... NO_CACHE) is of CMake 3.21."""
    least = re.search(r"minimum_required\(VERSION 3\.(\d+)", (ROOT / "CMakeLists.txt").read_text())
    presets = json.loads((ROOT / "CMakePresets.json").read_text())["cmakeMinimumRequired"]
    assert int(least.group(1)) == presets["minor"] == 21


def test_pip(plain_app, tmp_path):
    """A fresh environment; the mpich wheel for the build comes from the package index."""
    run([sys.executable, "-m", "venv", tmp_path / "env"])
    python = tmp_path / "env/bin/python"
    args = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", ROOT]
    done = subprocess.run(
        args,
        env=os.environ | {"CASPER_MPICC": f"m50={MPI}/mpicc"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    if done.returncode and re.search("No matching distribution|ConnectionError", done.stderr):
        pytest.skip("no package index")
    assert done.returncode == 0, done.stdout + done.stderr
    command = tmp_path / "env/bin/casper"
    assert run([command, "run", "-n", "2", plain_app], cwd=tmp_path).count("size 2, asked 2\n") == 2
    dry = run([command, "run", "-n", "2", "--dry-run", plain_app], cwd=tmp_path)
    assert f"{tmp_path}/env/lib" in dry
    (builds,) = tmp_path.glob("env/lib/python*/site-packages/casper_cli/lib")
    assert json.loads((builds / "abi/casper-build.json").read_text())["mpi_library"] == ""
    assert run_paths(builds / "abi/bin/gap_check") == []
    assert run_paths(builds / "m50/libcasper.so") == [f"{MPI.parent}/lib"]
    abi = tmp_path / "app_abi"
    run(
        [
            MPI / "mpicc_abi",
            "-DASK=2",
            f"-I{ROOT}/include",
            "-o",
            abi,
            plain_app.with_name("app.c"),
        ]
    )
    assert run([command, "run", "-n", "2", abi], cwd=tmp_path).count("size 2, asked 2\n") == 2


def test_one_version():
    header = (ROOT / "include/casper/casper.h").read_text()
    version = re.search(r'CASPER_VERSION_STRING "(.*)"', header).group(1)
    numbers = re.findall(r"CASPER_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header)
    assert ".".join(numbers) == version
    assert version in run([ROOT / "bin/casper", "--version"])
