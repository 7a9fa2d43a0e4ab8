# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""From the options of a command to a Plan: the nodes, the binding, the environment, the launcher."""

import os
import shutil
import subprocess
from dataclasses import replace

from casper_cli import (
    binding,
    builds,
    choose,
    config,
    launch,
    machine,
    mpiexec,
    placement,
    profiles,
    transport,
)
from casper_cli.errors import CasperError, UsageError

# Nodes


def ghosts(args, env):
    """-g or CSP_NG by --env, else CSP_NG around the command, else the default of the table."""
    said = extra_env(args)
    if args.ghosts is not None and said.get("CSP_NG", str(args.ghosts)) != str(args.ghosts):
        raise UsageError(
            f"-g {args.ghosts} and --env CSP_NG={said['CSP_NG']} differ", "Give one of them."
        )
    if args.ghosts is not None:
        return args.ghosts
    value, problem = config.effective(config.variable("CSP_NG"), {**env, **said})
    if problem:
        raise UsageError(problem, "Correct CSP_NG, or give -g.")
    return int(value)


def make_placement(args, env, by_hand=False):
    """The Placement that the options and the batch system ask for; by hand the nodes need no names."""
    count = 0 if args.plain else ghosts(args, env)
    if args.virtual_nodes is not None:
        if args.hosts or args.nodes:
            raise UsageError(
                "--virtual-nodes is instead of --hosts and --nodes", "Give one of them."
            )
        blocks = placement.place(args.users, args.virtual_nodes, args.ppn, count)
        return placement.Placement(tuple(blocks), count, placement.VIRTUAL)
    given = machine.allocation(env)
    hosts = args.hosts or (",".join(given.hosts) if given else "")
    if hosts:
        blocks, names = placement.place_on_hosts(args.users, hosts, args.nodes, args.ppn, count)
        return placement.Placement(tuple(blocks), count, placement.HOSTS, tuple(names))
    if given:
        nodes = args.nodes or (None if args.ppn else min(given.nodes, args.users))
        blocks = placement.place(args.users, nodes, args.ppn, count)
        if len(blocks) > given.nodes:
            raise UsageError(
                f"{len(blocks)} nodes are needed, {given.system} gave {given.nodes}",
                "Ask for more nodes, or give a larger --ppn.",
            )
        return placement.Placement(tuple(blocks), count, placement.ALLOCATION)
    blocks = placement.place(args.users, args.nodes, args.ppn, count)
    if len(blocks) > 1 and by_hand:
        return placement.Placement(tuple(blocks), count, placement.ALLOCATION)
    if len(blocks) > 1:
        raise UsageError(
            f"{len(blocks)} nodes are asked for, but nothing says which",
            "Name them (--hosts a,b), run inside a batch job, or try --virtual-nodes "
            f"{len(blocks)} on this machine.",
        )
    return placement.Placement(tuple(blocks), count)


# Environment of the ranks


def preload(choice, env):
    """LD_PRELOAD for the ranks: what the user preloads but for any libcasper, which is decided here, Casper,
    and MPI if only later loaded."""
    words = [*builds.preloads(env)[1], choice.build.path]
    if not choice.build.brings_mpi and not choice.at_start:
        launch.check_preload_path(choice.mpi.path)
        words.append(choice.mpi.path)
    return ":".join(words)


def _library_path(choice, env):
    """LD_LIBRARY_PATH if libcasper, loaded first, would bring another MPI library than the program's."""
    linked = choose.linked_mpi(choice.build, env)
    if linked is None or os.path.realpath(linked) == choice.mpi.real:
        return {}
    folder = os.path.dirname(os.path.abspath(choice.mpi.path))
    old = env.get("LD_LIBRARY_PATH")
    return {"LD_LIBRARY_PATH": f"{folder}:{old}" if old else folder}


def extra_env(args):
    """--env K=V, as a dict."""
    result = {}
    for item in args.env or []:
        name, equals, value = item.partition("=")
        if not name or not equals:
            raise UsageError(f"--env {item}: not NAME=VALUE", "Example: --env OMP_NUM_THREADS=4")
        result[name] = value
    return result


def rank_env(args, choice, where, env):
    """Variables for the ranks alone. What --env says is kept, but for the two that it is part of already."""
    extra = extra_env(args)
    result = {}
    if args.plain:
        result["CSP_NG"] = "0"  # the program may be linked to libcasper
    if choice.build:
        result["LD_PRELOAD"] = preload(choice, {**env, **extra})
        result["CSP_NG"] = str(where.ghosts)
        if where.ghosts:
            result["CSP_STRICT"] = "1"  # ranks were added for the ghosts
            result["CSP_USERS"] = str(where.nusers)
        if args.report:
            result["CSP_REPORT"] = "1"
        if args.report_file:
            result["CSP_REPORT_FILE"] = os.path.abspath(args.report_file)
        if not choice.direct:
            result.update(_library_path(choice, {**env, **extra}))
    merged = {name: result[name] for name in ("LD_PRELOAD", "LD_LIBRARY_PATH") if name in result}
    return {**result, **extra, **merged}


# Launcher


def _srun(env):
    return shutil.which("srun", path=env.get("PATH"))


def srun_for(mpi, env):
    """srun, if this is a Slurm job in which it starts programs of that library; else None."""
    if mpi.family == "intel" and "I_MPI_PMI_LIBRARY" not in env:
        return None  # each rank would be a job of its own; its mpiexec knows Slurm
    return _srun(env) if "SLURM_JOB_ID" in env else None


def pick_launcher(args, choice, where, env):
    """(kind, path): srun inside a Slurm job, else the mpiexec of the MPI library."""
    if args.launcher == "srun":
        srun = _srun(env)
        if srun is None:
            raise CasperError("--launcher srun: srun is not on PATH", "Is this a Slurm machine?")
        return "srun", srun
    srun = srun_for(choice.mpi, env) if where.kind == placement.ALLOCATION else None
    if srun and args.launcher == "auto" and not args.mpiexec:
        return "srun", srun
    if args.mpiexec:
        found = mpiexec.explicit(args.mpiexec, choice.mpi, env)
    else:
        found = mpiexec.find(choice.mpi, env)
    return mpiexec.family_of(choice.mpi), found.path


def need_virtual_nodes(plan):
    """Intel MPI and Open MPI tell nodes apart by host name: can we give each its own?"""
    virtual = plan.placement.kind == placement.VIRTUAL and plan.placement.nodes > 1
    if not virtual or plan.launcher not in ("intel", "openmpi"):
        return
    try:
        tried = subprocess.run(
            [launch.AGENT, "vnode-test", "true"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            timeout=20,
            check=False,
        )
        why = tried.stderr.decode("utf-8", "replace").strip() if tried.returncode else ""
    except (OSError, subprocess.TimeoutExpired) as error:
        why = str(error)
    if why:
        raise CasperError(
            f"--virtual-nodes with {plan.mpi.name} needs a host name for each node, which is not "
            f"allowed here ({why})",
            "Run as root, or allow user namespaces; MPICH has virtual nodes without either.",
        )


def _of_ranks(args, env):
    """As the loader of the ranks sees it."""
    path = extra_env(args).get("LD_LIBRARY_PATH")
    return env if path is None else {**env, "LD_LIBRARY_PATH": path}


def cleaned(env):
    """(the environment without what is for this command alone, the changes)."""
    changes = {name: None for name in (builds.VARIABLE, builds.PROFILE_VARIABLE) if name in env}
    others = ":".join(builds.preloads(env)[1])
    if env.get("LD_PRELOAD", "") != others:
        changes["LD_PRELOAD"] = others or None
    return launch.Command([], changes).environment(env), changes


def make(args, command, env, by_hand=False):
    """(Plan, Choice) for parsed options and a program's command line; by hand it needs no launcher."""
    choice = choose.choose(args, command, _of_ranks(args, env))
    profile = profiles.default_path(env)
    env, changes = cleaned(env)
    where = make_placement(args, env, by_hand)
    why = ""
    try:
        kind, path = pick_launcher(args, choice, where, env)
    except CasperError as error:
        if not by_hand:
            raise
        kind, path, why = mpiexec.family_of(choice.mpi), "", error.cause
    known = machine.allocation(env) or not args.hosts or machine.are_here(where.hosts)
    cpus = machine.cpus() if known else None
    compared = replace(where, ghosts=ghosts(args, env)) if args.plain else where
    plan = launch.Plan(
        mpi=choice.mpi,
        launcher=kind,
        program=path,
        placement=where,
        command=command,
        rank_env=rank_env(args, choice, where, env),
        binding=binding.choose(args, compared, kind, {**env, **extra_env(args)}, cpus),
        launcher_args=list(args.launcher_arg or []),
        env=env,
        cores=cpus.cores if cpus else 0,
        root=os.geteuid() == 0,
        changes=changes,
        no_launcher=why,
    )
    if choice.build and where.ghosts:
        plan.thresholds = profiles.apply(plan, profile, transport.deployment(plan))
    return plan, choice
