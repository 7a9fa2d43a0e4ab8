# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""Placement of users and ghosts, batch systems, binding."""

import argparse

import launcher_support as support
import pytest
from casper_cli import binding, choose, cores, machine, mpilib, placement, plan
from casper_cli.errors import UsageError


@pytest.mark.parametrize(
    "users, nodes, ppn, expected",
    [
        (4, None, None, [4]),
        (4, 2, None, [2, 2]),
        (5, 2, None, [3, 2]),
        (7, 3, None, [3, 2, 2]),
        (8, None, 4, [4, 4]),
        (9, None, 4, [4, 4, 1]),
        (7, 2, 4, [4, 3]),
        (1, 1, 1, [1]),
    ],
)
def test_users_of_each_node(users, nodes, ppn, expected):
    assert placement.place(users, nodes, ppn) == expected


@pytest.mark.parametrize(
    "users, nodes, ppn, ghosts, words",
    [
        (0, None, None, 1, "at least one user"),
        (4, None, None, 65, "0 to 64"),
        (4, None, None, -1, "0 to 64"),
        (2, 3, None, 1, "every node needs one"),
        (4, 0, None, 1, "at least 1"),
        (4, None, 0, 1, "at least 1"),
        (9, 2, 4, 1, "do not fill"),
        (4, 2, 4, 1, "do not fill"),
    ],
)
def test_impossible_placements(users, nodes, ppn, ghosts, words):
    with pytest.raises(UsageError, match=words) as caught:
        placement.place(users, nodes, ppn, ghosts)
    assert caught.value.remedy


def test_valid_numbers_are_named():
    with pytest.raises(UsageError) as caught:
        placement.place(9, 2, 4)
    assert "-n 5 to 8" in caught.value.remedy


def test_ghosts_come_on_top():
    where = placement.Placement((3, 2), 2)
    assert (where.ranks, where.total, where.nusers) == ((5, 4), 9, 5)
    assert where.balanced and not where.even
    assert not placement.Placement((4, 4, 1), 1).balanced


@pytest.mark.parametrize(
    "users, hosts, nodes, ppn, expected",
    [
        (4, "a,b", None, None, ([2, 2], ["a", "b"])),
        (5, "a:4,b:1", None, None, ([4, 1], ["a", "b"])),
        (4, "a,b,c", 2, None, ([2, 2], ["a", "b"])),
        (4, "a,b,c", None, 2, ([2, 2], ["a", "b"])),
    ],
)
def test_hosts(users, hosts, nodes, ppn, expected):
    assert placement.place_on_hosts(users, hosts, nodes, ppn) == expected


@pytest.mark.parametrize(
    "users, hosts, nodes, ppn",
    [
        (4, "a,,b", None, None),
        (4, "a:x", None, None),
        (4, "a:0", None, None),
        (4, "a,a", None, None),
        (4, "a:2,b", None, None),
        (4, "a:3,b:3", None, None),
        (4, "a:2,b:2", 2, 2),
        (6, "a,b", None, 2),
        (1, "a,b", None, None),
    ],
)
def test_bad_hosts(users, hosts, nodes, ppn):
    with pytest.raises(UsageError) as caught:
        placement.place_on_hosts(users, hosts, nodes, ppn)
    assert caught.value.remedy


def test_batch_systems(tmp_path):
    assert machine.allocation({}) is None
    slurm = machine.allocation({"SLURM_JOB_ID": "1", "SLURM_JOB_NUM_NODES": "3"})
    assert (slurm.system, slurm.nodes, slurm.hosts, slurm.slots) == ("Slurm", 3, (), 0)
    counts = {"SLURM_JOB_ID": "1", "SLURM_NNODES": "3", "SLURM_JOB_CPUS_PER_NODE": "16(x2),8"}
    assert machine.allocation(counts).slots == 8
    (tmp_path / "nodes").write_text("a\na\nb\nb\n")
    pbs = machine.allocation({"PBS_NODEFILE": str(tmp_path / "nodes")})
    assert (pbs.system, pbs.hosts, pbs.slots) == ("PBS", ("a", "b"), 2)
    assert machine.allocation({"PBS_NODEFILE": str(tmp_path / "nodes"), "NCPUS": "8"}).slots == 8
    lsf = machine.allocation({"LSB_MCPU_HOSTS": "h1 4 h2 3"})
    assert (lsf.nodes, lsf.hosts, lsf.slots) == (2, ("h1", "h2"), 3)
    assert machine.allocation({"PBS_NODEFILE": str(tmp_path / "gone")}) is None


def test_cpulist():
    assert machine.parse_cpulist("0-2,8,10-11") == [0, 1, 2, 8, 10, 11]
    assert machine.parse_cpulist("") == []


def options(**changes):
    base = {
        "users": 4,
        "ghosts": 1,
        "nodes": None,
        "ppn": None,
        "hosts": None,
        "virtual_nodes": None,
        "plain": False,
        "bind": "auto",
        "report": False,
        "report_file": None,
        "env": None,
    }
    return argparse.Namespace(**{**base, **changes})


def test_several_nodes_need_a_source():
    with pytest.raises(UsageError) as caught:
        plan.make_placement(options(nodes=2), {})
    assert "--virtual-nodes 2" in caught.value.remedy
    with pytest.raises(UsageError):
        plan.make_placement(options(virtual_nodes=2, hosts="a,b"), {})


def test_a_batch_job_gives_the_nodes():
    env = {"SLURM_JOB_ID": "1", "SLURM_JOB_NUM_NODES": "2"}
    where = plan.make_placement(options(), env)
    assert (where.kind, where.users) == (placement.ALLOCATION, (2, 2))
    with pytest.raises(UsageError, match="Slurm gave 2"):
        plan.make_placement(options(ppn=1), env)


def test_ghosts_by_option_variable_and_default():
    assert plan.make_placement(options(ghosts=2), {"CSP_NG": "3"}).ghosts == 2
    assert plan.make_placement(options(ghosts=None), {"CSP_NG": "3"}).ghosts == 3
    assert plan.make_placement(options(ghosts=None), {}).ghosts == 1
    assert plan.make_placement(options(ghosts=2, plain=True), {}).ghosts == 0
    with pytest.raises(UsageError, match="CSP_NG=many"):
        plan.make_placement(options(ghosts=None), {"CSP_NG": "many"})


WIDE = machine.Cpus({0: [0, 1, 2, 3], 1: [4, 5, 6, 7]}, threads=16)
PART = machine.Cpus({0: [0, 1, 2, 3], 1: [4, 5, 6, 7]}, threads=8, whole=False)
SMALL = machine.Cpus({0: [0, 1]}, threads=2)
FOUR, SIX, FEW = (placement.Placement((n,), 1) for n in (4, 6, 2))
TWO_GHOSTS = placement.Placement((6,), 2)
HOSTS = placement.Placement((6, 6), 1, placement.HOSTS, ("a", "b"))
SLURM = {"SLURM_JOB_ID": "1", "SLURM_NNODES": "2", "SLURM_JOB_CPUS_PER_NODE": "16(x2)"}
SLURM_PART = {**SLURM, "SLURM_JOB_CPUS_PER_NODE": "12(x2)"}
LSF, LSF_PART = ({"LSB_MCPU_HOSTS": f"a {n} b {n}"} for n in (8, 7))
OMP4 = {"OMP_NUM_THREADS": "4"}
OMP2 = {"OMP_NUM_THREADS": "2"}


@pytest.mark.parametrize(
    "where, launcher, env, cpus, expected",
    [
        (SIX, "mpich", {}, WIDE, "core"),
        (FOUR, "mpich", {}, SMALL, "none"),
        (SIX, "openmpi", {"HYDRA_BINDING": "x"}, WIDE, None),
        (SIX, "srun", {}, WIDE, None),
        (SIX, "intel", {"I_MPI_PIN_DOMAIN": "omp"}, WIDE, None),
        (SIX, "openmpi", {"PRTE_MCA_hwloc_default_binding_policy": "x"}, WIDE, None),
        (HOSTS, "mpich", {}, None, None),
        (placement.Placement((2, 2), 1, placement.VIRTUAL), "mpich", {}, WIDE, "none"),
        (placement.Placement((1,), 1), "openmpi", {}, SMALL, "core"),
        # A rank may have threads that no variable tells of.
        (FEW, "intel", {}, WIDE, None),
        (FEW, "openmpi", {}, WIDE, None),
        # Threads: what launchers do by themselves, if there is a core for each.
        (SIX, "intel", OMP2, WIDE, "none"),
        (FEW, "intel", OMP2, WIDE, None),
        (FEW, "openmpi", OMP2, WIDE, None),
        (placement.Placement((1,), 1), "openmpi", OMP4, WIDE, "none"),
        # Several ghosts and domains: each user on that of its ghost, which has those on it in turn.
        (TWO_GHOSTS, "mpich", {}, WIDE, [0, 4, 1, 2, 3, 5, 6, 7]),
        (placement.Placement((5,), 2), "mpich", {}, WIDE, [0, 4, 1, 2, 3, 5, 6]),
        (TWO_GHOSTS, "openmpi", {}, WIDE, None),
        (placement.Placement((6, 6), 2, placement.ALLOCATION), "intel", SLURM, WIDE, None),
        # A part of the machine: launchers count its cores from the first one on.
        (SIX, "mpich", {}, PART, [0, 1, 2, 3, 4, 5, 6]),
        (SIX, "openmpi", {}, PART, "none"),
        (HOSTS, "mpich", LSF, PART, None),
        # Nodes that a batch system gave in whole, or in part.
        (HOSTS, "mpich", LSF, WIDE, "core"),
        (HOSTS, "mpich", LSF_PART, WIDE, None),
        (placement.Placement((6, 6), 1, placement.ALLOCATION), "mpich", SLURM, WIDE, "core"),
        (placement.Placement((6, 6), 1, placement.ALLOCATION), "mpich", SLURM_PART, WIDE, None),
    ],
)
def test_binding(where, launcher, env, cpus, expected, monkeypatch):
    monkeypatch.setattr(machine, "busy", lambda: 0.2)
    assert binding.choose(options(), where, launcher, env, cpus) == expected


@pytest.mark.parametrize("where", [SIX, TWO_GHOSTS])
def test_a_plain_run_is_placed_as_the_one_that_it_is_compared_with(where, monkeypatch):
    monkeypatch.setattr(machine, "busy", lambda: 0.2)
    bound = binding.choose(options(), where, "mpich", {}, WIDE)
    plain = binding.choose(options(plain=True), where, "mpich", {}, WIDE)
    assert plain == (bound[where.ghosts :] if isinstance(bound, list) else bound) != "none"
    crowded = placement.Placement((8,), 1)  # eight users alone would have a core each
    assert binding.choose(options(plain=True), crowded, "mpich", {}, WIDE) == "none"


def test_what_is_at_work_on_this_machine():
    assert 0 <= machine.busy(0.02) <= machine.os.cpu_count()


def test_quotas_of_control_groups(tmp_path, monkeypatch):
    """As of docker --cpus: the affinity mask is the whole machine's."""

    def put(name, text):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)

    def quota(groups):
        put("own", groups)
        return machine.quota(tmp_path / "own", tmp_path)

    put("cpu.max", "max 100000\n")
    put("job/cpu.max", "250000 100000\n")
    put("job/step/cpu.max", "800000 100000\n")
    put("cpu,cpuacct/a/cpu.cfs_quota_us", "200000\n")
    put("cpu,cpuacct/a/cpu.cfs_period_us", "50000\n")
    assert [quota(f"0::{path}\n") for path in ("/job/step", "/job", "/", "/other")] == [2, 2, 0, 0]
    assert quota("5:memory:/x\n4:cpu,cpuacct:/a\n") == 4
    put("job/memory.max", f"{8 << 30}\n")
    put("job/step/memory.max", "max\n")
    put("memory/x/memory.limit_in_bytes", f"{1 << 62}\n")  # as version 1 says that there is none
    for groups, limit in (("0::/job/step\n", 8 << 30), ("5:memory:/x\n", None)):
        put("own", groups)
        assert machine.memory_limit(tmp_path / "own", tmp_path) == limit
    assert quota("4:cpuset:/a\n") == quota("") == quota("nonsense\n") == 0
    monkeypatch.setattr(machine, "CPU_DIR", "/nowhere")  # each CPU a core
    monkeypatch.setattr(machine, "quota", lambda: 3)
    found = machine.cpus({0, 1, 2, 3})
    assert (found.cores, found.in_mask) == (3, 4)
    assert binding.choose(options(), placement.Placement((3,), 1), "mpich", {}, found) == "none"
    facts = cores.look({}, {0, 1, 2, 3}, {0, 1, 2, 3})
    assert "up to 2 users" in facts["verdict"] and "3 core(s)" in cores.findings(facts)[0]


def test_no_binding_on_a_machine_with_other_work(monkeypatch):
    monkeypatch.setattr(machine, "busy", lambda: 4.1)
    assert binding.choose(options(), SIX, "mpich", {}, WIDE) == "none"
    job = placement.Placement((6, 6), 1, placement.ALLOCATION)
    assert binding.choose(options(), job, "mpich", SLURM, WIDE) == "core"


def test_binding_as_asked():
    assert binding.choose(options(bind="core"), FOUR, "mpich", {}, SMALL) == "core"
    assert binding.choose(options(bind="default"), FOUR, "mpich", {}, WIDE) is None


def test_variables_for_the_ranks():
    assert plan.extra_env(options(env=["A=1", "B=x=y", "C="])) == {"A": "1", "B": "x=y", "C": ""}
    for bad in ("A", "=1"):
        with pytest.raises(UsageError):
            plan.extra_env(options(env=[bad]))


@pytest.mark.parametrize(
    "family, env, kind",
    [
        ("mpich", {}, "srun"),
        ("openmpi", {}, "srun"),
        ("intel", {}, "intel"),  # under srun alone each rank would be a job of its own
        ("intel", {"I_MPI_PMI_LIBRARY": "/s/libpmi2.so"}, "srun"),
    ],
)
def test_the_launcher_in_a_slurm_job(family, env, kind, tmp_path):
    support.write_script(tmp_path / "srun", "#!/bin/sh\n")
    support.write_mpiexec(tmp_path / "mpiexec", family, "2021.18.1")
    mpi = mpilib.MpiLibrary("/i/lib/libmpi.so.12", "libmpi.so.12", family, "2021.18.1")
    choice = choose.Choice(mpi, "", True)
    args = argparse.Namespace(launcher="auto", mpiexec=None)
    where = placement.Placement((4,), 1, placement.ALLOCATION)
    env = {**env, "PATH": f"{tmp_path}:/usr/bin:/bin", "SLURM_JOB_ID": "1"}
    assert plan.pick_launcher(args, choice, where, env)[0] == kind
