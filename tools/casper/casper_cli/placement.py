# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""How many ranks start where: the program's users, plus the ghosts of every node."""

from dataclasses import dataclass
from typing import List, Tuple

from casper_cli.errors import UsageError

MAX_GHOSTS = 64  # the range of CSP_NG

# Where the nodes come from.
LOCAL, VIRTUAL, HOSTS, ALLOCATION = "local", "virtual", "hosts", "allocation"


@dataclass(frozen=True)
class Placement:
    """Users of every node in rank order (block distribution), and the ghosts of each node."""

    users: Tuple[int, ...]
    ghosts: int
    kind: str = LOCAL
    hosts: Tuple[str, ...] = ()

    @property
    def nodes(self):
        return len(self.users)

    @property
    def nusers(self):
        return sum(self.users)

    @property
    def ranks(self) -> Tuple[int, ...]:
        return tuple(n + self.ghosts for n in self.users)

    @property
    def total(self):
        return sum(self.ranks)

    @property
    def even(self):
        return len(set(self.users)) == 1

    @property
    def balanced(self):
        """Sizes differ by at most one, the larger ones first: what dividing by blocks gives."""
        return list(self.users) == split(self.nusers, self.nodes)


def split(users, nodes) -> List[int]:
    """users over nodes in blocks as even as possible, the larger blocks first."""
    small, larger = divmod(users, nodes)
    return [small + 1] * larger + [small] * (nodes - larger)


def fill(users, ppn) -> List[int]:
    """users in blocks of ppn, the last one may be smaller."""
    full, rest = divmod(users, ppn)
    return [ppn] * full + ([rest] if rest else [])


def _check(users, ghosts, nodes, ppn):
    if users < 1:
        raise UsageError(f"-n {users}: a run needs at least one user", "Give -n 1 or more.")
    if not 0 <= ghosts <= MAX_GHOSTS:
        raise UsageError(
            f"-g {ghosts}: ghosts per node are 0 to {MAX_GHOSTS}", "One or two is usual."
        )
    for name, value in (("nodes", nodes), ("ppn", ppn)):
        if value is not None and value < 1:
            raise UsageError(f"--{name} {value}: must be at least 1", "Give a positive number.")
    if nodes is not None and users < nodes:
        raise UsageError(
            f"{users} users cannot be spread over {nodes} nodes: every node needs one",
            f"Give -n {nodes} or more, or at most {users} nodes.",
        )


def place(users, nodes=None, ppn=None, ghosts=1):
    """Users of each node; raises UsageError with the valid numbers if it cannot be done."""
    _check(users, ghosts, nodes, ppn)
    if ppn is None:
        return split(users, nodes or 1)
    blocks = fill(users, ppn)
    if nodes is not None and len(blocks) != nodes:
        low, high = (nodes - 1) * ppn + 1, nodes * ppn
        raise UsageError(
            f"{users} users do not fill {nodes} nodes with {ppn} users each",
            f"Give -n {low} to {high} for these nodes, or leave out --ppn (users are then spread "
            "evenly).",
        )
    return blocks


def parse_hosts(text):
    """'a,b' or 'a:4,b:2' (users on each) -> (names, counts or None)."""
    names, counts = [], []
    for item in text.split(","):
        name, colon, count = item.strip().partition(":")
        if not name or (colon and not (count.isdecimal() and int(count) > 0)):
            raise UsageError(
                f"--hosts {text}: '{item}' is not HOST or HOST:USERS", "Example: --hosts n1:4,n2:4"
            )
        names.append(name)
        counts.append(int(count) if colon else None)
    if len(set(names)) != len(names):
        raise UsageError(f"--hosts {text}: a host stands twice", "Write HOST:USERS once.")
    given = [count for count in counts if count is not None]
    if given and len(given) != len(names):
        raise UsageError(
            f"--hosts {text}: either every host has a number of users or none", "a:4,b:4 or a,b"
        )
    return names, given or None


def place_on_hosts(users, text, nodes=None, ppn=None, ghosts=1):
    """(users of each node, names of the nodes) for --hosts."""
    names, counts = parse_hosts(text)
    if counts is None:
        blocks = place(users, nodes or (None if ppn else len(names)), ppn, ghosts)
        if len(blocks) > len(names):
            raise UsageError(
                f"--hosts {text}: {len(names)} hosts, but {len(blocks)} nodes are needed",
                f"Name {len(blocks)} hosts, or give at most {len(names) * (ppn or users)} users.",
            )
        return blocks, names[: len(blocks)]
    if ppn is not None or (nodes is not None and nodes != len(names)):
        raise UsageError(
            "--hosts with numbers of users already says the nodes", "Leave out --nodes and --ppn."
        )
    if sum(counts) != users:
        raise UsageError(
            f"--hosts {text} places {sum(counts)} users, but -n says {users}",
            f"Give -n {sum(counts)}, or other numbers.",
        )
    _check(users, ghosts, None, None)
    return counts, names
