#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""relay.py NODES DELAY_US: what nodes send is late, on kernels without netem, too.

Makes a pair of Ethernet devices (TAP) for each node, nodeK and portK, and returns. From then on a process
hands on what comes out of nodeK to portK so much later, and what comes out of portK to nodeK at once. It
ends when one of the devices is removed, with all others.
"""

from __future__ import annotations

import fcntl
import os
import select
import struct
import sys
import time
from collections import deque

TUN = "/dev/net/tun"
TUNSETIFF = 0x400454CA
IFF_TAP, IFF_NO_PI = 0x0002, 0x1000
FRAME_BYTES = 1 << 16
READS = 64  # of one device in a row


def tap(name: str) -> int:
    """A new device; frames are read from and written to the descriptor, and it ends with that."""
    fd = os.open(TUN, os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(fd, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TAP | IFF_NO_PI))
    return fd


def frames(fd: int) -> list[bytes]:
    """What has come. Raises OSError once the device is gone."""
    found: list[bytes] = []
    try:
        while len(found) < READS:
            found.append(os.read(fd, FRAME_BYTES))
    except BlockingIOError:
        pass
    return found


def send(fd: int, frame: bytes) -> None:
    """A device that is full or not up yet loses the frame, as a network would."""
    try:
        os.write(fd, frame)
    except OSError:
        pass


def relay(pairs: list[tuple[int, int]], delay_s: float) -> None:
    port_of = dict(pairs)
    node_of = {port: node for node, port in pairs}
    late: deque[tuple[float, int, bytes]] = deque()  # (when, to whom, what); all are as late
    while True:
        wait = max(0, late[0][0] - time.monotonic()) if late else None
        for fd in select.select([*port_of, *node_of], [], [], wait)[0]:
            due = time.monotonic() + delay_s
            for frame in frames(fd):
                if fd in port_of:
                    late.append((due, port_of[fd], frame))
                else:
                    send(node_of[fd], frame)
        while late and late[0][0] <= time.monotonic():
            send(*late.popleft()[1:])


def main() -> None:
    nodes, delay_us = map(int, sys.argv[1:])
    try:
        pairs = [(tap(f"node{k}"), tap(f"port{k}")) for k in range(nodes)]
    except OSError as error:
        sys.exit(f"relay.py: no delay without TAP devices, {TUN}: {error.strerror}")
    if os.fork():
        os._exit(0)
    os.setsid()
    null = os.open(os.devnull, os.O_RDWR)
    for fd in range(3):
        os.dup2(null, fd)
    try:
        relay(pairs, delay_us / 1e6)
    except OSError:
        pass  # a device was removed


if __name__ == "__main__":
    main()
