# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""`cmake --install` and `pip install .` give a working casper command and library; CMake and
pkg-config find them."""

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
find_package(MPI REQUIRED)
find_package(casper 0.1 REQUIRED)
add_executable(app app.c)
target_compile_definitions(app PRIVATE "ASK=casper_active()")
target_link_libraries(app PRIVATE casper::casper MPI::MPI_C)
"""
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
    for name in ("abi", "m50"):
        run(["cmake", "--install", ROOT / "build" / name, "--prefix", path])
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


def test_cmake_package(prefix, source, tmp_path):
    (tmp_path / "CMakeLists.txt").write_text(CMAKE_PROJECT.format(mpicc=MPI / "mpicc"))
    shutil.copy(source, tmp_path / "app.c")
    run(["cmake", "-S", tmp_path, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={prefix}"])
    run(["cmake", "--build", tmp_path / "build"])
    job = [MPI / "mpiexec", "-n", "3", tmp_path / "build/app"]
    assert run(job).count("size 2, asked 1\n") == 2
    assert run(job, env={"CSP_NG": "0"}).count("size 3, asked 0\n") == 3


@pytest.mark.skipif(not shutil.which("pkg-config"), reason="pkg-config is not installed")
def test_pkg_config(prefix, source, tmp_path):
    found = run(
        ["pkg-config", "--cflags", "--libs", "casper"],
        env={"PKG_CONFIG_PATH": f"{prefix}/lib/pkgconfig"},
    )
    app = tmp_path / "app"
    run([MPI / "mpicc", "-DASK=casper_active()", "-o", app, source, *found.split()])
    assert run([MPI / "mpiexec", "-n", "3", app]).count("size 2, asked 1\n") == 2


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
