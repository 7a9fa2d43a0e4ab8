# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""Which cores a job that is started here gets, and whether a ghost would have one of its own."""

import os

from casper_cli import binding, machine


def cpulist(cpus):
    """[0, 1, 2, 8] -> '0-2,8'."""
    ranges = []
    for cpu in sorted(cpus):
        if ranges and ranges[-1][1] == cpu - 1:
            ranges[-1][1] = cpu
        else:
            ranges.append([cpu, cpu])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in ranges)


def _ghosts(cores, domains):
    """In words, for an admin: who gets what with one ghost on this node."""
    if cores < 2:
        return "ghosts get no core of their own: the one core is shared with the program"
    text = f"a ghost gets a core of its own with up to {cores - 1} users on this node"
    if domains > 1:
        text += f"; {domains} NUMA domains: with -g {domains} each has its ghost"
    return text


def look(env, allowed=None, online=None):
    """What the affinity mask leaves, who else decides on binding, and what that means for ghosts."""
    allowed = os.sched_getaffinity(0) if allowed is None else allowed
    online = machine.online() if online is None else online
    mine, whole = machine.cpus(allowed), machine.cpus(online)
    return {
        "cpus": cpulist(allowed),
        "cores": mine.cores,
        "cores_online": whole.in_mask,
        "quota": mine.quota if mine.quota < mine.in_mask else 0,
        "restricted": set(allowed) < set(online),
        "variables": sorted(name for name in env if name.startswith(binding.OWN_BINDING)),
        "own_cores": mine.cores >= 2,
        "verdict": _ghosts(mine.cores, len(mine.domains)),
    }


def findings(facts):
    """Warnings of a look()."""
    warnings = []
    if facts["restricted"]:
        warnings.append(
            f"this shell may use {facts['cores']} of {facts['cores_online']} core(s), CPUs "
            f"{facts['cpus']}: a launcher, batch system or container has bound it, and jobs started "
            "here inherit that. Ask for whole nodes or switch its binding off"
        )
    if facts["quota"]:
        warnings.append(
            f"control groups leave it the time of {facts['quota']} core(s) at once, as a container's "
            "or a batch job's limit on CPU time: with more processes than that ghosts wait quietly"
        )
    if facts["variables"]:
        warnings.append(
            f"{', '.join(facts['variables'])} decides on binding, casper run leaves it alone: see "
            "that it leaves a core to each ghost, or unset it"
        )
    if not facts["own_cores"]:
        warnings.append("one core only: ghosts will share it with the program")
    return warnings
