# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""Fixtures of the launcher's tests: small ELF files, fake MPI installations, running the command."""

import os
import struct
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "tools/casper"
sys.path.insert(0, str(PACKAGE))

BASE = 0x1000  # address at which the file is mapped


def _strings(words):
    table, offsets = b"\0", {}
    for word in words:
        offsets[word] = len(table)
        table += word.encode() + b"\0"
    return table, offsets


def write_elf(path, needed=(), soname="", runpath="", rpath="", interp="", **kind):
    """A 64-bit (wide=False: 32-bit, big=True: big-endian) ELF file with only a dynamic section."""
    wide, order = kind.get("wide", True), ">" if kind.get("big") else "<"
    table, at = _strings([*needed, *filter(None, (soname, runpath, rpath))])
    head, phent, dyn = (64, 56, "qQ") if wide else (52, 32, "iI")
    entries = [(1, at[name]) for name in needed]
    entries += [(tag, at[t]) for tag, t in ((14, soname), (15, rpath), (29, runpath)) if t]
    interp_bytes = interp.encode() + b"\0"
    interp_off = head + 3 * phent
    string_off = interp_off + len(interp_bytes)
    dyn_off = string_off + len(table)
    entries += [(5, BASE + string_off), (10, len(table)), (0, 0)]
    dynamic = b"".join(struct.pack(order + dyn, *entry) for entry in entries)
    size = dyn_off + len(dynamic)

    def header(kind_, off, length):
        if wide:
            return struct.pack(
                order + "IIQQQQQQ", kind_, 4, off, BASE + off, BASE + off, length, length, 1
            )
        return struct.pack(
            order + "IIIIIIII", kind_, off, BASE + off, BASE + off, length, length, 4, 1
        )

    ident = b"\x7fELF" + bytes([2 if wide else 1, 2 if order == ">" else 1, 1]) + bytes(9)
    fields = (3, 62, 1, 0, head, 0, 0, head, phent, 3, 0, 0, 0)
    data = ident + struct.pack(order + ("HHIQQQIHHHHHH" if wide else "HHIIIIIHHHHHH"), *fields)
    data += header(1, 0, size) + header(2, dyn_off, len(dynamic))
    data += header(3 if interp else 0, interp_off, len(interp_bytes))
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data + interp_bytes + table + dynamic)
    path.chmod(0o755)
    return str(path)


def write_script(path, text):
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return str(path)


VERSION_TEXTS = {
    "mpich": "HYDRA build details:\n    Version:      {}\n",
    "openmpi": "mpiexec (OpenRTE) {}\n",
    "intel": "Intel(R) MPI Library for Linux* OS, Version {} Build 1\n",
}


def write_mpiexec(path, family, version, body="exit 0"):
    """A launcher that tells its version and otherwise runs `body`."""
    text = VERSION_TEXTS[family].format(version)
    return write_script(
        path,
        f"#!/bin/sh\nif [ \"$1\" = --version ]; then printf '%s' '{text}'; exit 0; fi\n{body}\n",
    )


def write_build(folder, soname, info=None):
    """A libcasper.so for an MPI library, with casper-build.json if `info` is given."""
    path = write_elf(Path(folder) / "libcasper.so", needed=[soname] if soname else ["libc.so.6"])
    if info is not None:
        (Path(folder) / "casper-build.json").write_text(info)
    return path


def casper(*words, env=None, **how):
    """Runs the command in a process of its own."""
    full = {k: v for k, v in os.environ.items() if not k.startswith(("CSP_", "SLURM_", "PBS_"))}
    full.update(env or {}, PYTHONPATH=str(PACKAGE))
    how.setdefault("timeout", 60)
    return subprocess.run(
        [sys.executable, "-m", "casper_cli", *map(str, words)],
        env=full,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        **how,
    )
