# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""A serial model of message matching (MPI-4.1 3.5), and what it says of a log (p2p_random/pr_log.c).

Whatever the timing, a receiver takes its messages in some order in which those of one sender are in the
order in which they were sent; each message goes to the first posted receive that takes it. So a log is
right if such an order exists. A receive and a message that it takes, and that are not each other's, tell
something of it: if the message went to a later receive, or to none, the receive got an earlier message. These
and the orders of the senders must not form a circle.

MPI itself orders the messages of one sender alone. Ghosts do more: what waits for a receive is one queue. MPI
libraries may have several (MPICH: one of the node, one of the network), from which a wildcard takes the first
that it finds: then only receives and messages of one sender tell something.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field

ANY = -1


@dataclass(frozen=True)
class Message:
    """One message to a receiver."""

    sender: int
    tag: int
    number: int  # among those of its sender to this receiver

    def __str__(self) -> str:
        return f"message {self.number} of rank {self.sender} (tag {self.tag})"


@dataclass(frozen=True)
class Receive:
    """One receive, by what it asks for."""

    posted: int  # in which order
    source: int
    tag: int

    def takes(self, message: Message) -> bool:
        return self.source in (ANY, message.sender) and self.tag in (ANY, message.tag)

    def __str__(self) -> str:
        names = ["any" if v == ANY else v for v in (self.source, self.tag)]
        return f"receive {self.posted} (source {names[0]}, tag {names[1]})"


@dataclass
class Receiver:
    """What one rank was sent, and what its receives got, in one pool of messages."""

    messages: list[Message] = field(default_factory=list)
    got: dict[Receive, Message] = field(default_factory=dict)
    one_queue: bool = True

    def wrong(self) -> str:
        """What no timing explains, or the empty string."""
        return self._strays() or self._circle()

    def _strays(self) -> str:
        sent, seen = set(self.messages), set()
        for receive, message in self.got.items():
            if message not in sent:
                return f"{receive} got {message}, which was not sent"
            if message in seen:
                return f"{receive} got {message}, as another one did"
            if not receive.takes(message):
                return f"{receive} got {message}"
            seen.add(message)
        lost = [m for m in self.messages if m not in seen]
        return f"{lost[0]} was never received" if lost else ""

    def _before(self) -> dict[Message, dict[Message, str]]:
        """Message -> later ones, and why."""
        later: dict[Message, dict[Message, str]] = {m: {} for m in self.messages}
        last: dict[int, Message] = {}
        for message in sorted(self.messages, key=lambda m: (m.sender, m.number)):
            if message.sender in last:
                later[last[message.sender]][message] = "sent later"
            last[message.sender] = message
        taker = {message: receive for receive, message in self.got.items()}
        for receive, message in self.got.items():
            for other in self.messages:
                if not self.one_queue and other.sender != message.sender:
                    continue
                if other != message and receive.takes(other):
                    if taker[other].posted > receive.posted:
                        later[message][other] = f"{receive} took {message}, not {other}"
        return later

    def _circle(self) -> str:
        """A depth-first search; the reasons around the first circle."""
        later = self._before()
        state: dict[Message, int] = {}  # 1: on the path, 2: done

        def visit(message: Message, path: list[str]) -> str:
            state[message] = 1
            for other, why in later[message].items():
                if state.get(other) == 1:
                    return "; ".join(w for w in [*path, why] if w != "sent later")
                if not state.get(other) and (found := visit(other, [*path, why])):
                    return found
            state[message] = 2
            return ""

        for message in self.messages:
            if not state.get(message) and (found := visit(message, [])):
                return f"overtaken: {found}"
        return ""


def check(lines: list[str], one_queue: bool = True) -> str:
    """What is wrong with the log of one program: the first receiver's, or the empty string."""
    receivers: dict[tuple[int, int], Receiver] = defaultdict(lambda: Receiver(one_queue=one_queue))
    tags: dict[tuple[int, int, int, int], int] = {}
    numbers = [(line.split()[0], [int(w) for w in line.split()[1:]]) for line in lines]
    for _, (pool, sender, to, tag, number) in (n for n in numbers if n[0] == "s"):
        tags[pool, sender, to, number] = tag
        receivers[pool, to].messages.append(Message(sender, tag, number))
    for _, (pool, to, posted, source, tag, sender, number) in (n for n in numbers if n[0] == "r"):
        got = Message(sender, tags.get((pool, sender, to, number), ANY), number)
        receivers[pool, to].got[Receive(posted, source, tag)] = got
    for (pool, to), receiver in receivers.items():
        if said := receiver.wrong():
            return f"matching at rank {to} of pool {pool}: {said}"
    return ""


def judge(output: str, one_queue: bool = True) -> dict[int, str]:
    """What is wrong, by seed; of jobs that logged several programs."""
    wrong: dict[int, str] = {}
    lines: list[str] = []
    for word, rest in re.findall(r"^(log|seed) (.*)$", output, re.M):
        if word == "log":
            lines.append(rest)
        elif found := re.match(r"(\d+) ok digest", rest):
            if said := check(lines, one_queue):
                wrong.setdefault(int(found.group(1)), said)
        if word == "seed":
            lines = []
    return wrong
