# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""What --bind auto does. Ranks on cores that somebody else uses are worse off than unbound ones, so cores are
bound only where they are known to be this job's, and only if its ranks take most of them: those of a program
with threads of its own would have one core for all."""

from casper_cli import machine, placement

OWN_BINDING = (  # the user's; the beginnings of names
    "HYDRA_BINDING",
    "I_MPI_PIN",
    "SLURM_CPU_BIND",
    "OMPI_MCA_hwloc_base_binding_policy",
    "PRTE_MCA_hwloc_default_binding_policy",
)
LISTS = ("mpich", "intel")  # launchers that take a CPU for each rank of a node


def _threads(env):
    first = env.get("OMP_NUM_THREADS", "1").split(",")[0]
    return int(first) if first.isdecimal() else 1


def spread(cpus, ghosts, users):
    """CPUs for the ranks of one node, ghosts first: each on the NUMA domain of its share, so a user is with
    its ghost; on another where that has no CPU left."""
    domains = [list(domain) for _, domain in sorted(cpus.domains.items())]

    def take(i, n):
        domain = domains[i * len(domains) // n] or max(domains, key=len)
        return domain.pop(0)

    chosen = [take(i, ghosts) for i in range(ghosts)]
    return chosen + [take(i, users) for i in range(users)]


def _left_to_launcher(where, launcher, threads):
    """What launchers do by themselves: nothing, or some cores for each rank; Open MPI one for each of two."""
    alone = launcher == "openmpi" and where.total <= 2 and threads > 1
    return "none" if alone else None


def _bound(where, launcher, cpus, plain):
    """Each rank has a core."""
    if cpus.whole and (where.ghosts < 2 or len(cpus.domains) < 2):
        return "core"
    if where.kind == placement.LOCAL and launcher in LISTS:
        chosen = spread(cpus, where.ghosts, where.users[0])
        return chosen[where.ghosts :] if plain else chosen
    # Of the machine's cores, not of the mask's.
    return "none" if where.kind == placement.LOCAL and not cpus.whole else None


def choose(args, where, launcher, env, cpus):
    """Returns "core", "none", a list of CPUs, or None (left to the launcher). `cpus`: of a node, if known;
    `where`: with the ghosts that a plain run is compared with."""
    if args.bind != "auto":
        return None if args.bind == "default" else args.bind
    if any(name.startswith(OWN_BINDING) for name in env) or launcher == "srun" or cpus is None:
        return None
    if where.kind == placement.VIRTUAL and where.nodes > 1:
        return "none"
    given, threads, most = machine.allocation(env), _threads(env), max(where.ranks)
    if most * threads > cpus.cores - (0 if given else round(machine.busy())):
        return "none"
    if given and not given.has_all(cpus) or threads > 1 or 2 * most <= cpus.cores:
        return _left_to_launcher(where, launcher, threads)
    return _bound(where, launcher, cpus, args.plain)
