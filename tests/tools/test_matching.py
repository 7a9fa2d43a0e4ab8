# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""The model of matching that judges random programs of messages (tests/conformance/_matching.py): it accepts
what MPI allows, and finds what it does not."""

import itertools
import random
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "conformance"))

import _matching  # noqa: E402

SENT = ["s 0 1 0 5 0", "s 0 1 0 6 1", "s 0 1 0 5 2", "s 0 2 0 5 0"]


def receive(posted, source, tag, sender, number, pool=0, to=0):
    return f"r {pool} {to} {posted} {source} {tag} {sender} {number}"


def log(*got):
    """SENT, received by receives (source, tag, sender, number) in their order."""
    return SENT + [receive(i, *one) for i, one in enumerate(got)]


RIGHT = [
    [(1, 5, 1, 0), (1, 6, 1, 1), (1, 5, 1, 2), (2, 5, 2, 0)],
    [(1, 6, 1, 1), (1, 5, 1, 0), (-1, 5, 2, 0), (-1, -1, 1, 2)],  # another tag may overtake
    [(-1, -1, 2, 0), (-1, -1, 1, 0), (-1, -1, 1, 1), (-1, -1, 1, 2)],
    [(-1, -1, 1, 0), (-1, -1, 1, 1), (-1, -1, 1, 2), (-1, -1, 2, 0)],
    [(-1, 5, 1, 0), (-1, 5, 2, 0), (1, -1, 1, 1), (-1, -1, 1, 2)],
]
FORGED = {
    "same tag": [(1, 5, 1, 2), (1, 6, 1, 1), (1, 5, 1, 0), (2, 5, 2, 0)],
    "by a wildcard for the tag": [(1, -1, 1, 1), (1, -1, 1, 0), (1, 5, 1, 2), (2, 5, 2, 0)],
    "by a wildcard for the source": [(-1, 5, 1, 2), (-1, 5, 1, 0), (1, 6, 1, 1), (2, 5, 2, 0)],
    # The first receive took rank 1's before rank 2's, the second one the other way round.
    "two orders": [(-1, 5, 1, 2), (2, 5, 2, 0), (-1, 6, 1, 1), (1, 5, 1, 0)],
}
STRAYS = {
    "twice": [(1, 5, 1, 0), (1, 6, 1, 1), (1, 5, 1, 0), (2, 5, 2, 0)],
    "not sent": [(1, 5, 1, 0), (1, 6, 1, 1), (1, 5, 1, 2), (2, 5, 2, 9)],
    "never received": [(1, 5, 1, 0), (1, 6, 1, 1), (1, 5, 1, 2)],
    "got message 1 of rank 1": [(1, 5, 1, 0), (1, 5, 1, 1), (1, 5, 1, 2), (2, 5, 2, 0)],
}


@pytest.mark.parametrize("got", RIGHT)
def test_what_mpi_allows_is_right(got):
    assert _matching.check(log(*got)) == ""


@pytest.mark.parametrize("how", FORGED)
def test_overtaking_is_found(how):
    assert "overtaken" in _matching.check(log(*FORGED[how]))


@pytest.mark.parametrize("how", FORGED)
def test_queues_of_a_library_keep_the_order_of_a_sender(how):
    assert "overtaken" in _matching.check(log(*FORGED[how]), one_queue=False)


def test_queues_of_a_library_have_no_order_between_senders():
    lines = ["s 0 1 0 5 0", "s 0 1 0 6 1", "s 0 2 0 6 0", "s 0 2 0 5 1"]
    lines += [receive(0, -1, 5, 2, 1), receive(1, -1, 6, 1, 1), receive(2, 1, 5, 1, 0)]
    lines += [receive(3, 2, 6, 2, 0)]
    assert "overtaken" in _matching.check(lines)
    assert _matching.check(lines, one_queue=False) == ""


@pytest.mark.parametrize("how", STRAYS)
def test_lost_and_strange_messages_are_found(how):
    word = "as another one did" if how == "twice" else how
    assert word in _matching.check(log(*STRAYS[how]))


def test_pools_and_receivers_are_apart():
    lines = ["s 0 1 0 5 0", "s 1 1 0 5 0", "s 0 1 2 5 0"]
    lines += [receive(2, 1, 5, 1, 0), receive(1, 1, 5, 1, 0, pool=1), receive(0, 1, 5, 1, 0, to=2)]
    assert _matching.check(lines) == ""


def serial(messages, receives):
    """Each message, as it comes, goes to the first receive that takes it."""
    got = {}
    for message in messages:
        for receive in receives:
            if receive not in got and receive.takes(message):
                got[receive] = message
                break
    return got


def merged(rng, senders):
    """The messages of all senders in some order that keeps each one's."""
    queues = [list(messages) for messages in senders]
    while any(queues):
        yield rng.choice([q for q in queues if q]).pop(0)


@pytest.mark.parametrize("seed", range(60))
def test_the_model_accepts_exactly_what_some_order_gives(seed):
    rng = random.Random(seed)
    senders = [
        [_matching.Message(s, rng.randrange(2), n) for n in range(rng.randrange(1, 4))]
        for s in range(2)
    ]
    messages = [m for own in senders for m in own]
    receives = [
        _matching.Receive(i, rng.choice((-1, m.sender)), rng.choice((-1, m.tag)))
        for i, m in enumerate(rng.sample(messages, len(messages)))
    ]
    possible = [serial(merged(rng, senders), receives) for _ in range(200)]
    for order in itertools.permutations(messages):
        got = dict(zip(receives, order))
        if not all(r.takes(m) for r, m in got.items()):
            continue
        said = _matching.Receiver(messages, got).wrong()
        assert (said == "") == (got in possible)
