# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""Cores, NUMA domains and the batch system's nodes, as the operating system tells them."""

import glob
import os
import socket
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


def quota(own="/proc/self/cgroup", root="/sys/fs/cgroup"):
    """CPUs at a time that this process's control group and those above it allow; 0: all."""
    found = []
    for line in _read(own).splitlines():
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if not path.startswith("/") or controllers and "cpu" not in controllers.split(","):
            continue
        hierarchy = f"{root}/{controllers}" if controllers else f"{root}"
        parts = [part for part in path.split("/") if part]
        found += [_quota_of("/".join([hierarchy, *parts[:n]])) for n in range(len(parts) + 1)]
    return min(filter(None, found), default=0)


def cpus(allowed=None):
    """The Cpus in the affinity mask: hardware threads of one core count once."""
    allowed = sorted(os.sched_getaffinity(0) if allowed is None else allowed)
    domain_of = {}
    for path in glob.glob(f"{NODE_DIR}/node[0-9]*"):
        for cpu in parse_cpulist(_read(f"{path}/cpulist")):
            domain_of[cpu] = int(os.path.basename(path)[4:])
    result, seen = Cpus(quota=quota()), set()
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


def allocation(env):
    """The Allocation this command runs in, or None."""
    slurm = env.get("SLURM_JOB_NUM_NODES") or env.get("SLURM_NNODES") or ""
    if env.get("SLURM_JOB_ID") and slurm.isdecimal() and int(slurm) > 0:
        return Allocation("Slurm", int(slurm))
    hosts = _read(env["PBS_NODEFILE"]).split() if env.get("PBS_NODEFILE") else []
    if hosts:
        hosts = tuple(dict.fromkeys(hosts))
        return Allocation("PBS", len(hosts), hosts)
    hosts = tuple(env.get("LSB_MCPU_HOSTS", "").split()[::2])
    if hosts:
        return Allocation("LSF", len(hosts), hosts)
    return None


BATCH_PREFIXES = ("SLURM_", "PBS_", "LSB_", "PMI_", "PMIX_", "HYDI_")
HOST_FILES = ("HYDRA_HOST_FILE", "I_MPI_HYDRA_HOST_FILE", "PE_HOSTFILE")


def batch_variables(env):
    """Names by which an mpiexec notices a batch system (or an MPI job around it)."""
    return sorted(name for name in env if name.startswith(BATCH_PREFIXES) or name in HOST_FILES)
