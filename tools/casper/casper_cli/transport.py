# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""What a run's traffic between nodes goes by, as far as it is known before the run, and its Deployment."""

from casper_cli import launch, machine, mpiexec, placement, profiles

# What chooses it in each family, most important first.
_CHOICES = {
    "mpich": ("MPIR_CVAR_CH4_NETMOD", "MPIR_CVAR_CH4_OFI_PROVIDER", "FI_PROVIDER", "UCX_TLS"),
    "intel": ("I_MPI_FABRICS", "I_MPI_OFI_PROVIDER", "FI_PROVIDER"),
    "openmpi": ("OMPI_MCA_pml", "OMPI_MCA_btl", "OMPI_MCA_mtl", "OMPI_MCA_osc", "UCX_TLS"),
}


def is_virtual(where):
    return where.kind == placement.VIRTUAL and where.nodes > 1


def _from_arguments(words):
    """Variables that arguments for the launcher set: -genv NAME VALUE, --mca NAME VALUE."""
    found = {}
    for flag, name, value in zip(words, words[1:], words[2:]):
        if flag.lstrip("-") in ("genv", "env"):
            found[name] = value
        elif flag.lstrip("-") == "mca":
            found["OMPI_MCA_" + name] = value
    return found


def label(plan):
    """For instance "ofi FI_PROVIDER=tcp"; "default" if all is left to the library."""
    family = mpiexec.family_of(plan.mpi)
    known = launch.virtual_network(plan.mpi) if is_virtual(plan.placement) else {}
    known = {**known, **plan.env, **plan.rank_env, **_from_arguments(plan.launcher_args)}
    words = [f"{name}={known[name]}" for name in _CHOICES[family] if known.get(name)]
    modules = launch.mpich_netmods(plan.mpi) if family == "mpich" else []
    if modules and not known.get("MPIR_CVAR_CH4_NETMOD"):
        words.insert(0, modules[0])
    return (
        " ".join(words).replace("MPIR_CVAR_CH4_NETMOD=", "").replace("OMPI_MCA_", "") or "default"
    )


def deployment(plan):
    """The Deployment of a plan, on machines like this one."""
    where = plan.placement
    return profiles.Deployment(
        mpi=plan.mpi.name,
        transport=label(plan),
        virtual=is_virtual(where),
        cpu=machine.cpu_model(),
        ghosts=where.ghosts,
        users_per_node=max(where.users),
        nodes=where.nodes,
    )
