# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""Cores, NUMA domains and the batch system's nodes, as the operating system tells them."""

import glob
import os
import re
import socket
import time
from dataclasses import dataclass, field
from typing import Dict, Tuple

CPU_DIR = "/sys/devices/system/cpu"
NODE_DIR = "/sys/devices/system/node"


def _read(path):
    try:
        with open(path, encoding="ascii") as file:
            return file.read().strip()
    except OSError:
        return ""


def parse_cpulist(text):
    """'0-3,8' -> [0, 1, 2, 3, 8]."""
    cpus = []
    for part in filter(None, text.split(",")):
        low, _, high = part.partition("-")
        cpus += range(int(low), int(high or low) + 1)
    return cpus


@dataclass
class Cpus:
    """What this process may use: one CPU of each core, by NUMA domain."""

    domains: Dict[int, list] = field(default_factory=dict)
    quota: int = 0  # as many at a time, as control groups say; 0: all
    threads: int = 0  # hardware threads, of all cores
    whole: bool = True  # all of the machine

    @property
    def in_mask(self):
        return sum(len(cpus) for cpus in self.domains.values())

    @property
    def cores(self):
        return min(self.in_mask, self.quota or self.in_mask)


def _numbers(path):
    return [int(word) for word in _read(path).split() if word.lstrip("-").isdecimal()]


def _quota_of(folder):
    """Of one control group: version 2 has quota and period in a file, version 1 in two."""
    both = _numbers(f"{folder}/cpu.max")
    if len(both) != 2:
        both = _numbers(f"{folder}/cpu.cfs_quota_us") + _numbers(f"{folder}/cpu.cfs_period_us")
    return max(1, both[0] // both[1]) if len(both) == 2 and min(both) > 0 else 0


def control_groups(controller, own="/proc/self/cgroup", root="/sys/fs/cgroup"):
    """Folders of this process's control group and of those above it that are for "cpu" or "memory"."""
    for line in _read(own).splitlines():
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if not path.startswith("/") or controllers and controller not in controllers.split(","):
            continue
        hierarchy = f"{root}/{controllers}" if controllers else f"{root}"
        parts = [part for part in path.split("/") if part]
        yield from ("/".join([hierarchy, *parts[:n]]) for n in range(len(parts) + 1))


def quota(*where):
    """CPUs at a time that the control groups allow; 0: all."""
    return min(filter(None, map(_quota_of, control_groups("cpu", *where))), default=0)


def _limit_of(folder):
    found = _numbers(f"{folder}/memory.max") or _numbers(f"{folder}/memory.limit_in_bytes")
    return found[0] if found and 0 < found[0] < 1 << 60 else None


def memory_limit(*where):
    """Bytes that the control groups allow, or None."""
    return min(filter(None, map(_limit_of, control_groups("memory", *where))), default=None)


def cpus(allowed=None):
    """The Cpus in the affinity mask: hardware threads of one core count once."""
    allowed = sorted(os.sched_getaffinity(0) if allowed is None else allowed)
    domain_of = {}
    for path in glob.glob(f"{NODE_DIR}/node[0-9]*"):
        for cpu in parse_cpulist(_read(f"{path}/cpulist")):
            domain_of[cpu] = int(os.path.basename(path)[4:])
    whole = online() <= set(allowed)
    result, seen = Cpus(quota=quota(), threads=len(allowed), whole=whole), set()
    for cpu in allowed:
        topology = f"{CPU_DIR}/cpu{cpu}/topology"
        core = (_read(f"{topology}/physical_package_id"), _read(f"{topology}/core_id") or cpu)
        if core not in seen:
            seen.add(core)
            result.domains.setdefault(domain_of.get(cpu, 0), []).append(cpu)
    return result


def online():
    """The CPUs of this machine, whatever this process may use of them."""
    return set(parse_cpulist(_read(f"{CPU_DIR}/online"))) or set(range(os.cpu_count() or 1))


def _ticks():
    """(at work, in all) of all CPUs since the start of the machine."""
    fields = [int(word) for word in _read("/proc/stat").partition("\n")[0].split()[1:9]]
    return sum(fields) - sum(fields[3:5]), sum(fields)


def busy(seconds=0.1):
    """How many CPUs of this machine are at work just now."""
    work, total = _ticks()
    time.sleep(seconds)
    more_work, more = (now - before for now, before in zip(_ticks(), (work, total)))
    return (os.cpu_count() or 1) * more_work / more if more else 0.0


def are_here(hosts):
    """Do all these names mean this machine?"""
    name = socket.gethostname()
    return set(hosts) <= {"localhost", "127.0.0.1", name, name.partition(".")[0]}


def cpu_model(path="/proc/cpuinfo"):
    """The name of this machine's processor; "" if the system does not tell."""
    for line in _read(path).splitlines():
        name, _, value = line.partition(":")
        if name.strip() in ("model name", "Model", "cpu"):
            return " ".join(value.split())
    return ""


@dataclass(frozen=True)
class Allocation:
    """The nodes that a batch system gave to this job."""

    system: str
    nodes: int
    hosts: Tuple[str, ...] = ()  # empty: the launcher knows them
    slots: int = 0  # the fewest on one: hardware threads in Slurm, else mostly cores; 0: not told

    def has_all(self, cpus):
        """Whether nodes with such Cpus are this job's alone, as far as the batch system tells."""
        return self.slots >= (cpus.threads if self.system == "Slurm" else cpus.cores)


def _slurm(env):
    nodes = env.get("SLURM_JOB_NUM_NODES") or env.get("SLURM_NNODES") or ""
    if not (env.get("SLURM_JOB_ID") and nodes.isdecimal() and int(nodes) > 0):
        return None
    counts = re.findall(r"(?:^|,)(\d+)", env.get("SLURM_JOB_CPUS_PER_NODE", ""))  # as in 16(x2),8
    return Allocation("Slurm", int(nodes), (), min(map(int, counts), default=0))


def _pbs(env):
    lines = _read(env["PBS_NODEFILE"]).split() if env.get("PBS_NODEFILE") else []
    if not lines:
        return None
    slots = min(map(lines.count, set(lines)))  # processes that the job asked for
    more = env.get("NCPUS", "")  # of this node, with those of their threads
    return Allocation(
        "PBS",
        len(set(lines)),
        tuple(dict.fromkeys(lines)),
        max(slots, int(more) if more.isdecimal() else 0),
    )


def _lsf(env):
    words = env.get("LSB_MCPU_HOSTS", "").split()
    if not words:
        return None
    return Allocation("LSF", len(words[::2]), tuple(words[::2]), min(map(int, words[1::2])))


def allocation(env):
    """The Allocation this command runs in, or None."""
    return _slurm(env) or _pbs(env) or _lsf(env)


BATCH_PREFIXES = ("SLURM_", "PBS_", "LSB_", "PMI_", "PMIX_", "HYDI_")
HOST_FILES = ("HYDRA_HOST_FILE", "I_MPI_HYDRA_HOST_FILE", "PE_HOSTFILE")


def batch_variables(env):
    """Names by which an mpiexec notices a batch system (or an MPI job around it)."""
    return sorted(name for name in env if name.startswith(BATCH_PREFIXES) or name in HOST_FILES)
