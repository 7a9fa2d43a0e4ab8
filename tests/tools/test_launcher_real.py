# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""The command with the MPI libraries and builds of this machine; skipped where they are missing."""

import json
import os
import shutil
import subprocess
import sys

import launcher_support as support
import pytest
from casper_cli import mpilib

BUILD = support.ROOT / "build"
INTEL = BUILD / "env/i21"

# name: (folder of build/, variables)
SITES = {
    "m50": ("m50", {}),
    "abi": ("abi", {}),
    "m40": ("m40", {}),
    "o41": ("o41", {}),
    "o50": ("o50", {}),
    "i21": ("abi", {"LD_LIBRARY_PATH": str(INTEL / "lib"), "I_MPI_ROOT": str(INTEL)}),
}


@pytest.fixture(params=SITES)
def site(request):
    """(gap_check of a build, variables); a skip says what is missing."""
    folder, env = SITES[request.param]
    program = BUILD / folder / "bin/gap_check"
    if not (BUILD / folder / "libcasper.so").exists() or not program.exists():
        pytest.skip(f"build/{folder} has no libcasper.so or no bin/gap_check")
    if request.param == "i21" and not (INTEL / "lib/libmpi_abi.so.1").exists():
        pytest.skip("build/env/i21 is not there")
    if request.param in ("i21", "o41", "o50"):
        need_host_names()
    return program, env


def need_host_names():
    agent = support.PACKAGE / "casper_cli/agent/casper-vnode"
    done = subprocess.run([agent, "vnode", "true"], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no host names of its own for a virtual node: {done.stderr.strip()}")


def measured(done):
    assert done.returncode == 0, done.stdout + done.stderr
    line = next(text for text in done.stdout.splitlines() if text.startswith("{"))
    result = json.loads(line)
    assert [row["errors"] for row in result["rows"]] == [0] * 6
    return result


def test_the_program_sees_its_users_alone(site):
    program, env = site
    words = ["run", "-n", 3, "-g", 1, "--virtual-nodes", 2, "--timeout", 50, program, 0.05]
    result = measured(support.casper(*words, env=env))
    assert (result["ranks"], result["nodes"], result["node_ranks"]) == (3, 2, [2, 1])


# Stands for Slurm's: starts as many ranks as it is told, with the variables that it is told, by mpiexec.
SRUN = """#!{python}
import os, sys
words = sys.argv[1:]
options = {{}}
while words[0].startswith("--"):
    name, _, options[name] = words.pop(0).partition("=")
if words[0] == "env":  # a value has a comma in it
    settings = []
else:
    settings = options["--export"].split(",")[1:]
    assert options["--export"].startswith("ALL,")
launch = ["mpiexec", "-n", options["--ntasks"], "env", *settings]
os.execvp("{mpiexec}", [*launch, *words])
"""


@pytest.mark.parametrize("more", [[], ["--env", "CASPER_TEST_X=a,b"]])
def test_in_a_slurm_job_by_srun(more, tmp_path):
    program = BUILD / "m50/bin/gap_check"
    mpiexec = BUILD / "env/m50/bin/mpiexec"
    if not program.exists() or not mpiexec.exists():
        pytest.skip("build/m50 has no bin/gap_check, or its mpiexec is not there")
    srun = tmp_path / "srun"
    srun.write_text(SRUN.format(python=sys.executable, mpiexec=mpiexec))
    srun.chmod(0o755)
    env = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "SLURM_JOB_ID": "1"}
    words = ["run", *more, "-n", 3, "-g", 1, "--virtual-nodes", 1, "--timeout", 50, program, 0.05]
    result = measured(support.casper(*words, env=env))
    assert (result["ranks"], result["nodes"], result["node_ranks"]) == (3, 1, [3])


def test_a_library_under_another_name(tmp_path):
    """As sites do that let programs of one MPICH run over another."""
    program, lib = BUILD / "m40/bin/gap_check", BUILD / "env/m50/lib"
    if not program.exists() or not (BUILD / "m50/libcasper.so").exists():
        pytest.skip("build/m40 has no bin/gap_check, or build/m50 no libcasper.so")
    (tmp_path / "libmpich.so.12").symlink_to(lib / "libmpi.so.12")
    (tmp_path / "mpich").symlink_to(lib / "mpich")  # what it finds beside itself
    words = ["run", "-n", 3, "--virtual-nodes", 2, "--timeout", 50]
    words += ["--mpiexec", BUILD / "env/m50/bin/mpiexec", program, 0.05]
    result = measured(support.casper(*words, env={"LD_LIBRARY_PATH": str(tmp_path)}))
    assert (result["ranks"], result["nodes"]) == (3, 2)


def test_without_ghosts_the_library_is_transparent(site):
    program, env = site
    env = {**env, "OMPI_MCA_osc": "sm"}  # Open MPI 4.1.4 crashes in its own CAS inside a node
    words = ["run", "-n", 2, "-g", 0, "--timeout", 50, program, 0.01]
    assert measured(support.casper(*words, env=env))["ranks"] == 2


def test_the_exit_code_of_the_program(site, request):
    program, env = site
    words = ["run", "-n", 1, "--plain", "--timeout", 50, program]  # gap_check wants two ranks
    done = support.casper(*words, env=env)
    # The mpiexec of MPICH 4.0.2 ends with 1 after one MPI_Abort in 100.
    codes = [1, 2] if "m40" in request.node.name else [2]
    assert done.returncode in codes and "needs two ranks" in done.stderr
    assert f"exit code {done.returncode}" in done.stderr


def test_check_measures_a_gap(site):
    program, env = site
    mpi = next(path for path in linked_mpi(program, env))
    for _ in range(3):  # single samples of times, on cores that others use
        done = support.casper("check", "--mpi", mpi, "--json", env=env, timeout=120)
        result = json.loads(done.stdout)
        assert done.returncode == 0, result["problems"]
        (row,) = result["mpi"]
        assert row["gap"]["node_ranks"] == {"plain": [1, 1], "casper": [1, 1]}
        verdicts = {gap["op"]: gap["verdict"] for gap in row["gap"]["rows"]}
        assert set(verdicts) == {"PUT", "GET", "ACC", "GET_ACC", "FOP", "CAS"}
        if verdicts["ACC"] == verdicts["FOP"] == "gap, closed by Casper":
            return
    raise AssertionError(row["gap"]["rows"])


def linked_mpi(program, env):
    out = subprocess.run(
        ["ldd", program], env={**os.environ, **env}, capture_output=True, text=True, check=False
    )
    words = [line.split() for line in out.stdout.splitlines()]
    return [w[2] for w in words if len(w) > 2 and mpilib.is_core_name(w[0])]


def test_check_of_the_machine():
    done = support.casper("check", "--no-measure", "--json", timeout=120)
    facts = json.loads(done.stdout)["machine"]
    assert facts["cores"] >= 1 and {"memfd", "proc_fd", "process_vm_readv"} <= set(facts)


def test_check_tells_a_shell_that_is_bound():
    cpu = min(os.sched_getaffinity(0))
    bind = {"preexec_fn": lambda: os.sched_setaffinity(0, {cpu})}
    env = {"I_MPI_PIN": "1"}
    done = support.casper("check", "--no-measure", "--json", env=env, timeout=120, **bind)
    result = json.loads(done.stdout)
    binding = result["binding"]
    assert (binding["cpus"], binding["cores"], binding["own_cores"]) == (str(cpu), 1, False)
    assert binding["variables"] == ["I_MPI_PIN"]
    assert any("I_MPI_PIN decides on binding" in text for text in result["warnings"])


def test_virtual_node_agent_gives_the_host_name():
    need_host_names()
    agent = support.PACKAGE / "casper_cli/agent/casper-vnode"
    words = [agent, "-x", "-p", "22", "vnode7", "hostname;", "echo", "'a  b'"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.stdout == "vnode7\na  b\n"


@pytest.mark.skipif(
    os.geteuid() != 0 or not shutil.which("setpriv"), reason="needs root to drop it"
)
def test_virtual_node_agent_without_root():
    agent = support.PACKAGE / "casper_cli/agent/casper-vnode"
    drop = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    words = [*drop, agent, "vnode7", "hostname;", "id", "-u"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode and "unshare" in done.stderr:
        pytest.skip("user namespaces are not allowed here")
    if "Permission denied" in done.stderr and str(agent) in done.stderr:
        pytest.skip("only this user may read the checkout")
    assert done.stdout == "vnode7\n65534\n"
