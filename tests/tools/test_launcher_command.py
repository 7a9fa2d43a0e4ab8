# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""The command line made for every kind of launcher, word by word."""

import shlex

import launcher_support  # noqa: F401  (the path of the package)
import pytest
from casper_cli import launch, mpilib
from casper_cli.errors import CasperError, UsageError
from casper_cli.placement import ALLOCATION, HOSTS, VIRTUAL, Placement

MPICH4 = mpilib.MpiLibrary(
    "/l/libmpich.so.12", "libmpich.so.12", "mpich", "4.0.2", "Device: ch4:ucx\n"
)
MPICH5 = mpilib.MpiLibrary(
    "/l/libmpi.so.12", "libmpi.so.12", "mpich", "5.0.2", "MPICH Device:  ch4:ucx ofi\nx"
)
INTEL = mpilib.MpiLibrary("/i/lib/release/libmpi.so.12", "libmpi.so.12", "intel", "2021.18.1")
OMPI4 = mpilib.MpiLibrary("/o/lib/libmpi.so.40", "libmpi.so.40", "openmpi", "4.1.4")
OMPI5 = mpilib.MpiLibrary("/o/lib/libmpi.so.40", "libmpi.so.40", "openmpi", "5.0.11")
ENV = {"LD_PRELOAD": "/c.so", "CSP_NG": "1"}


def made(mpi, where, launcher=None, **changes):
    family = mpi.family if mpi.family != "unknown" else "mpich"
    kind = launcher or family
    base = {
        "mpi": mpi,
        "launcher": kind,
        "program": "srun" if kind == "srun" else "mpiexec",
        "placement": where,
        "command": ["app", "-x", "1"],
        "rank_env": dict(ENV),
    }
    return launch.build(launch.Plan(**{**base, **changes}))


def line(*args, **changes):
    return made(*args, **changes).shell().replace(launch.AGENT, "AGENT")


HERE = Placement((4,), 1)
TWO = Placement((2, 2), 1, VIRTUAL)
ODD = Placement((3, 2), 1, VIRTUAL)
RAGGED = Placement((4, 4, 1), 1, VIRTUAL)
HOST_AB = Placement((4, 4), 1, HOSTS, ("a", "b"))
JOB = Placement((4, 4), 1, ALLOCATION)
GENV = "-genv LD_PRELOAD /c.so -genv CSP_NG 1 app -x 1"
X = "-x LD_PRELOAD=/c.so -x CSP_NG=1"
CLIQUES = "-genv MPIR_CVAR_NUM_CLIQUES 2 -genv MPIR_CVAR_CLIQUES_BY_BLOCK 1"
TCP = "-genv FI_PROVIDER tcp -genv FI_TCP_IFACE lo"
OFI = f"-genv MPIR_CVAR_CH4_NETMOD ofi {TCP}"
MCA4 = "--mca pml ob1 --mca btl tcp,vader,self --mca osc '^ucx' --mca btl_tcp_if_include lo"
MCA5 = MCA4.replace("vader", "sm")


@pytest.mark.parametrize(
    "mpi, where, expected",
    [
        (MPICH4, HERE, f"mpiexec -n 5 {GENV}"),
        (MPICH4, TWO, f"mpiexec -n 6 {CLIQUES} {GENV}"),
        (MPICH5, TWO, f"mpiexec -n 6 {CLIQUES} {OFI} {GENV}"),
        (MPICH5, ODD, f"mpiexec -n 7 {CLIQUES} {OFI} {GENV}"),
        (
            MPICH5,
            RAGGED,
            f"mpiexec -launcher fork -hosts vnode0:5,vnode1:5,vnode2:2 -n 12 {OFI} {GENV}",
        ),
        (MPICH5, HOST_AB, f"mpiexec -hosts a:5,b:5 -n 10 {GENV}"),
        (MPICH5, JOB, f"mpiexec -ppn 5 -n 10 {GENV}"),
        (INTEL, HERE, f"env I_MPI_ROOT=/i mpiexec -n 5 {GENV}"),
        (
            INTEL,
            TWO,
            "env I_MPI_ROOT=/i mpiexec -bootstrap ssh -bootstrap-exec AGENT -hosts vnode0,vnode1 "
            f"-ppn 3 -n 6 {TCP} {GENV}",
        ),
        (INTEL, HOST_AB, f"env I_MPI_ROOT=/i mpiexec -hosts a,b -ppn 5 -n 10 {GENV}"),
        (
            INTEL,
            JOB,
            f"env I_MPI_ROOT=/i I_MPI_JOB_RESPECT_PROCESS_PLACEMENT=0 mpiexec -ppn 5 -n 10 {GENV}",
        ),
        (OMPI4, HERE, f"mpiexec --host localhost:5 --map-by slot {X} -n 5 app -x 1"),
        (
            OMPI4,
            ODD,
            f"mpiexec --mca plm_rsh_agent AGENT --host vnode0:4,vnode1:3 {MCA4} --map-by slot {X} "
            "-n 7 app -x 1",
        ),
        (
            OMPI5,
            TWO,
            f"mpiexec --prtemca plm_ssh_agent AGENT --host vnode0:3,vnode1:3 {MCA5} --map-by slot "
            f"{X} -n 6 app -x 1",
        ),
        (OMPI5, HOST_AB, f"mpiexec --host a:5,b:5 --map-by slot {X} -n 10 app -x 1"),
        (OMPI5, JOB, f"mpiexec --map-by ppr:5:node {X} -n 10 app -x 1"),
    ],
)
def test_command_line(mpi, where, expected):
    assert line(mpi, where) == expected


def test_srun():
    slurm = "srun --nodes=2 --ntasks=10 --ntasks-per-node=5 --distribution=block"
    export = "--export=ALL,LD_PRELOAD=/c.so,CSP_NG=1"
    assert line(MPICH5, JOB, launcher="srun") == f"{slurm} --mpi=pmi2 {export} app -x 1"
    assert line(OMPI5, JOB, launcher="srun") == f"{slurm} --mpi=pmix {export} app -x 1"
    chosen = line(OMPI5, JOB, launcher="srun", env={"SLURM_MPI_TYPE": "pmi2"}, binding="core")
    assert chosen == f"{slurm} --cpu-bind=cores {export} app -x 1"
    on_hosts = line(MPICH5, HOST_AB, launcher="srun")
    assert "--nodelist=a,b" in on_hosts


def test_srun_with_a_comma_in_a_value():
    words = made(MPICH5, JOB, launcher="srun", rank_env={"A": "1,2"}).words
    assert words[-5:] == ["env", "A=1,2", "app", "-x", "1"]
    assert not any(word.startswith("--export") for word in words)


@pytest.mark.parametrize(
    "mpi, binding, words",
    [
        (MPICH4, "core", "-bind-to core"),
        (MPICH4, [0, 4, 1], "-bind-to user:0,4,1"),
        (INTEL, "none", "-genv I_MPI_PIN 0"),
        (INTEL, "core", "-genv I_MPI_PIN 1"),
        (INTEL, [0, 4, 1], "-genv I_MPI_PIN_PROCESSOR_LIST 0,4,1"),
        (OMPI4, "none", "--bind-to none"),
        (OMPI4, "core", "--bind-to core"),
    ],
)
def test_binding_words(mpi, binding, words):
    assert words in line(mpi, HERE, binding=binding)


def test_mpich_needs_no_word_for_no_binding():
    assert "bind" not in line(MPICH4, HERE, binding="none")


def test_what_the_user_set_stays():
    env = {"MPIR_CVAR_CH4_NETMOD": "ucx", "FI_PROVIDER": "sockets"}
    text = line(MPICH5, TWO, env=env)
    assert "NETMOD" not in text and "FI_PROVIDER" not in text and "FI_TCP_IFACE lo" in text
    text = line(OMPI4, TWO, env={"OMPI_MCA_btl": "tcp,self"})
    assert "--mca btl " not in text and "--mca pml ob1" in text
    text = line(OMPI5, TWO, rank_env={**ENV, "OMPI_MCA_btl": "self"})  # by --env
    assert "--mca btl " not in text and "-x OMPI_MCA_btl=self" in text
    text = line(OMPI4, HERE, cores=4, rank_env={**ENV, "OMPI_MCA_mpi_yield_when_idle": "0"})
    assert "--mca mpi_yield_when_idle" not in text and "CSP_YIELD" not in text
    assert line(INTEL, HERE, env={"I_MPI_ROOT": "/j"}).startswith("mpiexec")


def test_open_mpi_hands_on_casper_variables_and_yields_when_crowded():
    text = line(OMPI4, HERE, env={"CSP_LOG": "info", "CSP_NG": "3", "HOME": "/h"}, cores=2)
    assert "-x CSP_LOG " in text and "-x CSP_NG " not in text and "HOME" not in text
    assert "--mca mpi_yield_when_idle 1" in text and "CSP_YIELD" not in text
    assert "yield" not in line(OMPI4, HERE, cores=8)


def test_users_with_a_core_each_yield_at_the_start_alone():
    assert "--mca mpi_yield_when_idle 1 -x CSP_YIELD=start" in line(OMPI4, HERE, cores=4)
    assert "CSP_YIELD=start" in line(OMPI5, TWO, cores=4)
    assert "YIELD" not in line(OMPI5, TWO, cores=3)
    assert "-x CSP_YIELD=start" in line(OMPI5, HOST_AB, cores=4)
    text = line(OMPI4, HERE, cores=4, env={"CSP_YIELD": "library"})
    assert "-x CSP_YIELD " in text and "start" not in text
    theirs = {"OMPI_MCA_mpi_yield_when_idle": "1"}
    assert "yield" not in line(OMPI4, HERE, cores=4, env=theirs)
    theirs = ["--mca", "mpi_yield_when_idle", "1"]
    assert line(OMPI4, HERE, cores=4, launcher_args=theirs).count("yield") == 1


def test_root_is_allowed_only_for_root():
    assert made(OMPI5, HERE).env == {}
    assert made(OMPI5, HERE, root=True).env["PRTE_ALLOW_RUN_AS_ROOT_CONFIRM"] == "1"
    assert set(made(OMPI4, HERE, root=True).env) == {
        "OMPI_ALLOW_RUN_AS_ROOT",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM",
    }


def test_virtual_nodes_inside_a_batch_job_hide_it():
    command = made(MPICH5, TWO, env={"SLURM_JOB_ID": "7", "HOME": "/h"})
    assert command.env == {"SLURM_JOB_ID": None}
    assert command.environment({"SLURM_JOB_ID": "7", "HOME": "/h"}) == {"HOME": "/h"}
    assert shlex.split(command.shell())[:3] == ["env", "-u", "SLURM_JOB_ID"]


@pytest.mark.parametrize(
    "mpi, where, launcher",
    [
        (INTEL, Placement((3, 2, 2), 1, VIRTUAL), None),
        (MPICH5, Placement((3, 2, 2), 1, ALLOCATION), None),
        (OMPI5, Placement((3, 2), 1, ALLOCATION), None),
        (MPICH5, Placement((3, 2), 1, ALLOCATION), "srun"),
        (MPICH5, TWO, "srun"),
    ],
)
def test_shapes_that_a_launcher_cannot_place(mpi, where, launcher):
    with pytest.raises(UsageError) as caught:
        made(mpi, where, launcher=launcher)
    assert caught.value.remedy


def test_uneven_nodes_name_valid_numbers():
    with pytest.raises(UsageError) as caught:
        made(INTEL, Placement((3, 2, 2), 1, VIRTUAL))
    assert "-n 6 or -n 9" in caught.value.remedy


def test_launcher_arguments_come_before_the_program():
    words = made(OMPI4, HERE, launcher_args=["--tag-output"]).words
    assert words[-4:] == ["--tag-output", "app", "-x", "1"]


@pytest.mark.parametrize("path", ["/a b/c.so", "/a:b/c.so"])
def test_preload_path_that_the_loader_cannot_read(path):
    with pytest.raises(CasperError, match="blank or a colon"):
        launch.check_preload_path(path)
