# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""From a plan (who runs where, under which MPI library) to the command line of its launcher."""

import os
import re
import shlex
from dataclasses import dataclass, field
from typing import Dict, List, Optional, Union

from casper_cli.errors import CasperError, UsageError
from casper_cli.machine import batch_variables
from casper_cli.mpilib import MpiLibrary
from casper_cli.placement import ALLOCATION, HOSTS, LOCAL, VIRTUAL, Placement, fill
from casper_cli.profiles import Match

AGENT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "agent", "casper-vnode")


@dataclass
class Plan:
    """Everything that the command line depends on."""

    mpi: MpiLibrary
    launcher: str  # "mpich" (Hydra), "intel", "openmpi" or "srun"
    program: str  # path of mpiexec or srun
    placement: Placement
    command: List[str]
    rank_env: Dict[str, str] = field(default_factory=dict)  # for the ranks alone
    binding: Union[None, str, List[int]] = None  # None: the launcher's own; "core", "none", CPUs
    launcher_args: List[str] = field(default_factory=list)
    env: Dict[str, str] = field(default_factory=dict)  # around the command
    cores: int = 0  # of a node; 0: not known
    root: bool = False
    changes: Dict[str, Optional[str]] = field(default_factory=dict)  # to `env`, made already
    no_launcher: str = ""  # why there is none: the plan is to be carried out by hand
    thresholds: Optional[Match] = None  # of a profile, if the run needs some


@dataclass
class Command:
    """What to execute: words, and changes to the environment (None removes a variable)."""

    words: List[str]
    env: Dict[str, Optional[str]] = field(default_factory=dict)

    def environment(self, base):
        result = dict(base)
        for name, value in self.env.items():
            result.pop(name, None)
            if value is not None:
                result[name] = value
        return result

    def shell(self):
        """One line for a shell, environment included."""
        removed = [word for k, v in self.env.items() if v is None for word in ("-u", k)]
        added = [f"{k}={v}" for k, v in self.env.items() if v is not None]
        prefix = ["env", *removed, *added] if removed or added else []
        return " ".join(map(shlex.quote, prefix + self.words))


def build(plan):
    """The Command of a plan."""
    makers = {"mpich": _hydra, "intel": _intel, "openmpi": _openmpi, "srun": _srun}
    command = makers[plan.launcher](plan)
    if plan.placement.kind == VIRTUAL and plan.launcher != "srun":
        for name in batch_variables(plan.env):
            command.env[name] = None
    command.env = {**plan.changes, **command.env}
    return command


def _unless_set(plan, wanted):
    """The variables of `wanted` that the user has not set to something else."""
    known = {**plan.env, **plan.rank_env}
    return {name: value for name, value in wanted.items() if name not in known}


def _host_list(placement, names=None):
    names = names or placement.hosts
    return ",".join(f"{host}:{ranks}" for host, ranks in zip(names, placement.ranks))


def _node_names(placement):
    return [f"vnode{i}" for i in range(placement.nodes)]


# MPICH


def mpich_netmods(mpi):
    """Network modules of an MPICH from its version text, its default first, e.g. ["ucx", "ofi"]."""
    match = re.search(r"Device:\s*ch4:(.+)", mpi.text)
    return re.split(r"[,\s]+", match.group(1).strip()) if match else []


def mpich_network_env(mpi):
    """Traffic between virtual nodes over the loopback device.

    The ucx module of MPICH 5 hangs there in receives from any source, so ofi is taken if it is built in.
    """
    if "ofi" not in mpich_netmods(mpi):
        return {}
    both = {"MPIR_CVAR_CH4_NETMOD": "ofi"} if len(mpich_netmods(mpi)) > 1 else {}
    return {**both, "FI_PROVIDER": "tcp", "FI_TCP_IFACE": "lo"}


def _hydra_nodes(plan):
    """(options, variables for the ranks) that put the ranks on their nodes."""
    placement = plan.placement
    if placement.kind == HOSTS:
        return ["-hosts", _host_list(placement)], {}
    if placement.kind == ALLOCATION:
        _need_filled(placement, "mpiexec")
        return ["-ppn", str(placement.ranks[0])], {}
    if placement.kind == LOCAL or placement.nodes == 1:
        return [], {}
    network = _unless_set(plan, mpich_network_env(plan.mpi))
    if not placement.balanced:  # cliques are as even as possible; made-up hosts need not be
        names = _node_names(placement)
        return ["-launcher", "fork", "-hosts", _host_list(placement, names)], network
    cliques = {"MPIR_CVAR_NUM_CLIQUES": str(placement.nodes), "MPIR_CVAR_CLIQUES_BY_BLOCK": "1"}
    return [], {**cliques, **network}


def _hydra(plan):
    nodes, variables = _hydra_nodes(plan)
    words = [plan.program, *nodes, "-n", str(plan.placement.total)]
    if isinstance(plan.binding, list):
        words += ["-bind-to", "user:" + ",".join(map(str, plan.binding))]
    elif plan.binding == "core":
        words += ["-bind-to", "core"]
    for name, value in {**variables, **plan.rank_env}.items():
        words += ["-genv", name, value]
    return Command(words + plan.launcher_args + plan.command)


# Intel MPI

_INTEL_NETWORK = {"FI_PROVIDER": "tcp", "FI_TCP_IFACE": "lo"}


def intel_root(mpi):
    """The folder that Intel's tools call I_MPI_ROOT, from the place of the library."""
    folder = os.path.dirname(mpi.real)
    while os.path.basename(folder) in ("lib", "release", "debug", "release_mt", "debug_mt"):
        folder = os.path.dirname(folder)
    return folder


def _intel_nodes(plan):
    placement = plan.placement
    if placement.kind == LOCAL or placement.nodes == 1 and placement.kind == VIRTUAL:
        return [], {}
    _need_filled(placement, "Intel MPI")
    ppn = ["-ppn", str(placement.ranks[0])]
    if placement.kind == ALLOCATION:
        return ppn, {}  # and not as many as the batch job says (_intel)
    if placement.kind == HOSTS:
        return ["-hosts", ",".join(placement.hosts), *ppn], {}
    hosts = ["-hosts", ",".join(_node_names(placement))]
    network = _unless_set(plan, _INTEL_NETWORK)
    return ["-bootstrap", "ssh", "-bootstrap-exec", AGENT, *hosts, *ppn], network


def _intel_binding(plan):
    if isinstance(plan.binding, list):
        return {"I_MPI_PIN_PROCESSOR_LIST": ",".join(map(str, plan.binding))}
    return {} if plan.binding is None else {"I_MPI_PIN": "0" if plan.binding == "none" else "1"}


def _intel(plan):
    nodes, variables = _intel_nodes(plan)
    words = [plan.program, *nodes, "-n", str(plan.placement.total)]
    for name, value in {**_intel_binding(plan), **variables, **plan.rank_env}.items():
        words += ["-genv", name, value]
    command = Command(words + plan.launcher_args + plan.command)
    own = {"I_MPI_ROOT": intel_root(plan.mpi)}
    if plan.placement.kind == ALLOCATION:
        own["I_MPI_JOB_RESPECT_PROCESS_PLACEMENT"] = "0"
    command.env.update(_unless_set(plan, own))
    return command


# Open MPI


def _mca(plan, settings):
    """--mca words, without those the user has set by OMPI_MCA_ variables."""
    wanted = _unless_set(plan, {f"OMPI_MCA_{name}": value for name, value in settings.items()})
    prefix = len("OMPI_MCA_")
    return [word for name, value in wanted.items() for word in ("--mca", name[prefix:], value)]


def _openmpi_network(mpi):
    """MCA parameters for traffic between virtual nodes."""
    shm = "vader" if mpi.major == "4" else "sm"
    return {"pml": "ob1", "btl": f"tcp,{shm},self", "osc": "^ucx", "btl_tcp_if_include": "lo"}


def _openmpi_virtual(plan):
    agent = ["--mca", "plm_rsh_agent"] if plan.mpi.major == "4" else ["--prtemca", "plm_ssh_agent"]
    hosts = ["--host", _host_list(plan.placement, _node_names(plan.placement))]
    return [*agent, AGENT, *hosts, *_mca(plan, _openmpi_network(plan.mpi))]


def _openmpi_nodes(plan):
    placement = plan.placement
    if placement.kind == ALLOCATION:
        _need_even(placement, "mpirun")
        return ["--map-by", f"ppr:{placement.ranks[0]}:node"]
    if placement.kind == VIRTUAL and placement.nodes > 1:
        where = _openmpi_virtual(plan)
    elif placement.kind == HOSTS:
        where = ["--host", _host_list(placement)]
    else:
        where = ["--host", f"localhost:{placement.total}"]
    return [*where, "--map-by", "slot"]


def _here(placement, counts):
    """The most on one machine, of counts by node: virtual nodes share it."""
    return sum(counts) if placement.kind in (LOCAL, VIRTUAL) else max(counts)


def _openmpi_yield(plan):
    """More ranks than cores yield, or the start takes seconds; users with a core each only then."""
    name, where = "mpi_yield_when_idle", plan.placement
    if not plan.cores or _here(where, where.ranks) <= plan.cores:
        return []
    words = [] if name in plan.launcher_args else _mca(plan, {name: "1"})
    said = not words or "CSP_YIELD" in {**plan.env, **plan.rank_env}  # by the user
    if not said and _here(where, where.users) <= plan.cores:
        words += ["-x", "CSP_YIELD=start"]
    return words


def _openmpi(plan):
    words = [plan.program, *_openmpi_nodes(plan)]
    if plan.binding is not None:
        words += ["--bind-to", plan.binding]
    words += _openmpi_yield(plan)
    for name, value in plan.rank_env.items():
        words += ["-x", f"{name}={value}"]
    for name in sorted(plan.env):
        if name.startswith("CSP_") and name not in plan.rank_env:
            words += ["-x", name]
    words += ["-n", str(plan.placement.total)]
    command = Command(words + plan.launcher_args + plan.command)
    if plan.root:  # the user runs this command as root already
        tools = ["OMPI"] if plan.mpi.major == "4" else ["OMPI", "PRTE"]
        names = [f"{t}_ALLOW_RUN_AS_ROOT{c}" for t in tools for c in ("", "_CONFIRM")]
        command.env.update(_unless_set(plan, dict.fromkeys(names, "1")))
    return command


def virtual_network(mpi):
    """Variables that say what the traffic between virtual nodes goes by, unless the user says otherwise."""
    if mpi.family == "openmpi":
        return {f"OMPI_MCA_{name}": value for name, value in _openmpi_network(mpi).items()}
    return _INTEL_NETWORK if mpi.family == "intel" else mpich_network_env(mpi)


# Slurm


def _srun(plan):
    placement = plan.placement
    if placement.kind == VIRTUAL and placement.nodes > 1:
        raise UsageError("srun has no virtual nodes", "Add --launcher mpiexec, on one node.")
    _need_even(placement, "srun")
    words = [plan.program, f"--nodes={placement.nodes}", f"--ntasks={placement.total}"]
    words += [f"--ntasks-per-node={placement.ranks[0]}", "--distribution=block"]
    if placement.kind == HOSTS:
        words.append("--nodelist=" + ",".join(placement.hosts))
    if "SLURM_MPI_TYPE" not in plan.env:
        words.append("--mpi=pmix" if plan.mpi.family == "openmpi" else "--mpi=pmi2")
    if isinstance(plan.binding, str):
        words.append("--cpu-bind=" + {"core": "cores"}.get(plan.binding, plan.binding))
    settings = [f"{name}={value}" for name, value in plan.rank_env.items()]
    if any("," in setting for setting in settings):  # --export separates by commas
        return Command([*words, *plan.launcher_args, "env", *settings, *plan.command])
    words.append(",".join(["--export=ALL", *settings]))
    return Command(words + plan.launcher_args + plan.command)


# Shapes that a launcher cannot place


def _need_even(placement, launcher):
    if placement.even:
        return
    low = placement.nusers // placement.nodes * placement.nodes
    raise UsageError(
        f"{launcher} places equal numbers only; {placement.nusers} users on {placement.nodes} "
        f"nodes would be {', '.join(map(str, placement.users))}",
        f"Give -n {low} or -n {low + placement.nodes}, or --launcher mpiexec and --hosts "
        "HOST:USERS,...",
    )


def _need_filled(placement, launcher):
    """Equal nodes, only the last may have less."""
    if fill(placement.nusers, placement.users[0]) == list(placement.users):
        return
    low = placement.nusers // placement.nodes * placement.nodes
    raise UsageError(
        f"{launcher} fills all nodes but the last equally; {placement.nusers} users on "
        f"{placement.nodes} nodes would be {', '.join(map(str, placement.users))}",
        f"Give -n {low} or -n {low + placement.nodes}, or --ppn {placement.users[0]} with fewer "
        "nodes.",
    )


def check_preload_path(path):
    """LD_PRELOAD separates by colons and blanks."""
    if re.search(r"[:\s]", path):
        raise CasperError(
            f"LD_PRELOAD cannot hold {path}: there is a blank or a colon in it",
            "Install Casper in a folder without them, or set CSP_LIBRARY to a link without them.",
        )
