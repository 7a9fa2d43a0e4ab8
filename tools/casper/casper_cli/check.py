# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""casper check: the machine, the MPI libraries, the Casper builds, and the measured progress gap."""

import json
import os

from casper_cli import builds, choose, cores, gap, ldso, mpiexec, mpilib, plan, probes
from casper_cli.errors import CasperError

_SONAMES = ("libmpich.so.12", "libmpi.so.12", "libmpi.so.40", "libmpi_abi.so.1")
_LOW_SHM_BYTES = 64 << 20


def _size(count):
    if count is None:
        return "unlimited"
    for unit in ("B", "KB", "MB", "GB"):
        if count < 1024 or unit == "GB":
            return f"{count:.0f} {unit}"
        count /= 1024
    return ""


def all_mpis(args, env):
    """[MpiLibrary]: the one of --mpi, or all that the builds, the loader and PATH lead to."""
    if args.mpi:
        return [choose.named_mpi(args.mpi, env)]
    found = {mpi.real: mpi for mpi in choose.known_mpis(env)}
    paths = [path for name in _SONAMES for path in ldso.cache_entries().get(name, [])]
    for folder in env.get("PATH", "").split(":"):
        if os.path.isfile(os.path.join(folder, "mpiexec")):
            paths.append(mpilib.find_in(os.path.dirname(os.path.abspath(folder))))
    for path in filter(None, paths):
        if os.path.isfile(path):
            found.setdefault(os.path.realpath(path), mpilib.identify(path))
    return list(found.values())


def _library_row(args, mpi, env):
    """What is known of one MPI library without running it; `problem` names what is missing."""
    row = {
        "name": mpi.name,
        "path": mpi.path,
        "soname": mpi.soname,
        "mpiexec": "",
        "casper": "",
        "problem": "",
    }
    try:
        row["casper"] = builds.choose(mpi, env).path
        if args.mpiexec:
            row["mpiexec"] = mpiexec.explicit(args.mpiexec, mpi, env).path
        else:
            row["mpiexec"] = mpiexec.find(mpi, env).path
    except CasperError as error:
        row["problem"] = f"{error.cause}. {error.remedy}"
    return row


def machine_findings(facts):
    """(problems, warnings) from what the machine allows."""
    problems, warnings = [], []
    if facts["memfd"] or facts["proc_fd"]:
        warnings.append(
            f"memfd segments are not usable ({facts['memfd'] or facts['proc_fd']}): Casper uses "
            "files in /dev/shm instead"
        )
        if facts["shm_free_bytes"] is None:
            problems.append("neither memfd nor /dev/shm: there is no shared memory for windows")
    free = facts["shm_free_bytes"]
    if facts["shm_size_bytes"] and free < _LOW_SHM_BYTES:
        warnings.append(
            f"/dev/shm has only {_size(free)} free: MPI libraries and large windows need it "
            "(mount -o remount,size=...; docker run --shm-size)"
        )
    if facts["process_vm_readv"]:
        warnings.append(
            f"process_vm_readv is not allowed ({facts['process_vm_readv']}): windows on memory of "
            "the program's own are left to the MPI library"
        )
    return problems, warnings


def preload_findings(env):
    """Warnings of a libcasper that every program of this shell gets, whatever its MPI library."""
    warnings = []
    for path in builds.preloads(env)[0]:
        try:
            fits = f"it was built for {builds.describe(path).mpi_name}"
        except CasperError as error:
            fits = error.cause
        warnings.append(
            f"LD_PRELOAD holds {path}: {fits}, and a program of another MPI library ends in the "
            "loader or at once. Unset it: casper run gives each program its build"
        )
    return warnings


def _look_at_libraries(args, env, problems, warnings):
    """A row for each MPI library; adds what was found."""
    rows, startable = [], False
    for mpi in all_mpis(args, env):
        row = _library_row(args, mpi, env)
        has_mpiexec = row["mpiexec"] or args.mpiexec
        by_srun = row["casper"] and not has_mpiexec and plan.srun_for(mpi, env)
        if by_srun:
            warnings.append(
                f"{mpi.name}: no mpiexec of it here: casper run takes srun; the gap was not measured"
            )
        elif row["problem"]:
            (problems if args.mpi else warnings).append(f"{mpi.name}: {row['problem']}")
        elif not args.no_measure:
            row["gap"] = gap.measure(args, mpi, builds.describe(row["casper"]), env)
            problems += [f"{mpi.name}: {text}" for text in row["gap"]["problems"]]
        startable |= bool(row["casper"] and (row["mpiexec"] or by_srun))
        rows.append(row)
    if not startable:
        problems.append("no MPI library here has an mpiexec and a Casper build for it")
    return rows


def examine(args, env):
    """The whole result, as printed by --json."""
    facts = probes.look()
    problems, warnings = machine_findings(facts)
    bound = cores.look(env)
    warnings += cores.findings(bound) + preload_findings(env)
    libraries = _look_at_libraries(args, env, problems, warnings)
    return {
        "machine": facts,
        "binding": bound,
        "mpi": libraries,
        "problems": problems,
        "warnings": warnings,
    }


def _print_machine(facts):
    print("machine")
    yes = {True: "yes", False: "no"}
    print(f"  cores                 {facts['cores']} in {facts['numa_domains']} NUMA domain(s)")
    if facts["batch"]:
        print(f"  batch job             {facts['batch']}")
    free, size = facts["shm_free_bytes"], facts["shm_size_bytes"]
    shm = f"{_size(free)} free of {_size(size)}" if size else "no limit of its own"
    shm = shm if free is not None else "not there"
    print(f"  /dev/shm              {shm}")
    print(f"  memory limit          {_size(facts['memory_limit_bytes'])}")
    print(f"  locked memory limit   {_size(facts['memlock_bytes'])}")
    for key, text in (
        ("memfd", "memfd"),
        ("proc_fd", "/proc/PID/fd"),
        ("process_vm_readv", "process_vm_readv"),
    ):
        print(f"  {text:<20}  {yes[not facts[key]]} {facts[key]}".rstrip())


def _print_binding(facts):
    bound = "bound" if facts["restricted"] else "not bound"
    print("\nbinding")
    print(f"  CPUs                  {facts['cpus']} ({bound})")
    print(f"  cores                 {facts['cores']} of {facts['cores_online']}")
    print(f"  decided by            {', '.join(facts['variables']) or 'casper run (--bind)'}")
    print(f"  ghosts                {facts['verdict']}")


def _milli(seconds):
    return "-" if seconds is None else f"{1e3 * seconds:.2f}"


def _print_gap(result):
    if not result["rows"]:
        return
    for kind, ranks in result["node_ranks"].items():
        each = ", ".join(map(str, ranks))
        print(f"  node split, {kind:<8}{len(ranks)} node(s) with {each} rank(s)")
    print(
        f"  wait of the origin (ms) while the target computes {1e3 * result['compute_s']:.0f} ms, "
        f"{result['nodes']} virtual nodes"
    )
    print(f"    {'operation':<10}{'plain':>10}{'Casper':>10}  verdict")
    for row in result["rows"]:
        plain, casper = _milli(row["plain_wait_s"]), _milli(row["casper_wait_s"])
        print(f"    {row['op']:<10}{plain:>10}{casper:>10}  {row['verdict']}")


def _print(result):
    _print_machine(result["machine"])
    _print_binding(result["binding"])
    for row in result["mpi"]:
        print(f"\n{row['name']}")
        print(f"  library   {row['path']} ({row['soname']})")
        print(f"  mpiexec   {row['mpiexec'] or '-'}")
        print(f"  Casper    {row['casper'] or '-'}")
        _print_gap(row.get("gap", {"rows": []}))
    for kind in ("problems", "warnings"):
        if result[kind]:
            print(f"\n{kind}")
        for text in result[kind]:
            print(f"  {text}")
    print("\nverdict: " + ("Casper cannot run here as it is" if result["problems"] else "ready"))


def run(args, env):
    """casper check: 0 if Casper can run here, 1 if something prevents it."""
    result = examine(args, env)
    if args.json:
        print(json.dumps(result, indent=2))
    else:
        _print(result)
    return 1 if result["problems"] else 0
