# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""No function that takes a communicator passes the program's MPI_COMM_WORLD on to the library as it is.

A library behind Casper stands in for the MPI library's functions and notes the communicators that come; a
program calls each of them, MPI_X and PMPI_X, with MPI_COMM_WORLD. Both are generated: none is left out.
"""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import builds
import mpi_api
import pytest
import wrappers

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
import mpi_libs  # noqa: E402
import run_mpi  # noqa: E402

POLICY = builds.ROOT / "src/wrap/policy.toml"
CLASSES = ("collective", "comm", "comm-new", "p2p")
HEAD = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
"""
DATA = """
int world_recording, world_calls[{n}], world_real[{n}];
"""
NOTE = """
int P{name}({params})
{{
    if (!world_recording) {{
        int (*next)({types}) = (int (*)({types}))dlsym(RTLD_NEXT, "P{name}");
        return next({names});
    }}
    world_calls[{i}]++;
    world_real[{i}] += {real};
    return MPI_SUCCESS;
}}
"""
MAIN = """
int main(void)
{{
    int *recording = dlsym(RTLD_DEFAULT, "world_recording");
    int *calls = dlsym(RTLD_DEFAULT, "world_calls"), *real = dlsym(RTLD_DEFAULT, "world_real");
    MPI_Init(NULL, NULL);
    *recording = 1;
    {calls}
    *recording = 0;
    for (int i = 0; i < {n}; i++)
        printf("%d: %d calls, %d real\\n", i, calls[i], real[i]);
    MPI_Finalize();
}}
"""


def functions_with_comm(build: builds.Build) -> list[mpi_api.Function]:
    policy = wrappers.Policy(tomllib.loads(POLICY.read_text()))
    return [
        f
        for entry, f in policy.wrapped
        if entry["class"] in CLASSES and f.origin == "standard" and f.name in build.have
    ]


def note(i: int, f: mpi_api.Function) -> str:
    comms = [p.name for p in f.params if p.type == "MPI_Comm"]
    return NOTE.format(
        params=", ".join(p.text for p in f.params),
        types=", ".join(re.sub(rf"\b{p.name}\b", "", p.text, count=1) for p in f.params),
        names=", ".join(p.name for p in f.params),
        name=f.name,
        i=i,
        real=" + ".join(f"({c} == MPI_COMM_WORLD)" for c in comms),
    )


def calls(f: mpi_api.Function) -> str:
    args = ", ".join("MPI_COMM_WORLD" if p.type == "MPI_Comm" else "0" for p in f.params)
    return f"{f.name}({args}); P{f.name}({args});"


def compiled(lib: mpi_libs.Library, code: str, output: Path, *options: str) -> Path:
    source = output.with_suffix(".c")
    source.write_text(code)
    wrapper = lib.compiler + ("_abi" if lib.build == "abi" else "")
    words = [wrapper, "-O1", "-w", source, "-o", output, "-ldl", *options]
    subprocess.run(words, check=True)
    return output


def test_the_program_s_world_is_never_passed_on(build, tmp_path):
    lib = mpi_libs.LIBRARIES.get(build.path.name)
    if not lib or lib.missing() or not lib.compiler:
        pytest.skip(f"no MPI library runs the build {build.path.name} here")
    functions = functions_with_comm(build)
    assert len(functions) > 100
    n = len(functions)
    notes = HEAD + DATA.format(n=n) + "".join(note(i, f) for i, f in enumerate(functions))
    main = HEAD + MAIN.format(n=n, calls="\n    ".join(map(calls, functions)))
    recorder = compiled(lib, notes, tmp_path / "recorder.so", "-shared", "-fPIC")
    program = compiled(lib, main, tmp_path / "program")
    result = run_mpi.run(run_mpi.Job(lib, program, users=2, ghosts=1, below=[recorder]))
    assert result.status == "passed", result.output
    lines = re.findall(r"^(\d+): (\d+) calls, (\d+) real$", result.output, re.M)
    assert len(lines) == 2 * n, result.output
    wrong = {functions[int(i)].name: (c, r) for i, c, r in lines if (c, r) != ("2", "0")}
    assert not wrong, f"name: (calls that came, of MPI_COMM_WORLD): {wrong}"
