# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""Reads the dynamic section of an ELF file: what it needs, its name, where it looks for libraries."""

import os
import struct
from dataclasses import dataclass, field
from typing import List

PT_LOAD, PT_DYNAMIC, PT_INTERP = 1, 2, 3
DT_NULL, DT_NEEDED, DT_STRTAB, DT_STRSZ = 0, 1, 5, 10
DT_SONAME, DT_RPATH, DT_RUNPATH = 14, 15, 29


class NotElf(Exception):
    """The file is not an ELF file, or a damaged one."""


@dataclass
class Elf:
    """What the dynamic section says; empty lists and strings for a static program."""

    machine: tuple = ()  # (class, byte order, e_machine): equal in files that can be loaded together
    dynamic: bool = False
    interp: str = ""
    soname: str = ""
    needed: List[str] = field(default_factory=list)
    rpath: List[str] = field(default_factory=list)
    runpath: List[str] = field(default_factory=list)


class _Reader:
    """Little helper over an open file with the word size and byte order of the ELF header."""

    def __init__(self, file, name):
        self.file, self.name = file, name
        self.length = os.fstat(file.fileno()).st_size
        ident = file.read(16)
        if len(ident) < 16 or ident[:4] != b"\x7fELF" or ident[4] not in (1, 2):
            raise NotElf(f"{name}: not an ELF file")
        self.wide = ident[4] == 2
        self.order = ">" if ident[5] == 2 else "<"
        self.ident = ident

    def at(self, offset, fmt):
        size = struct.calcsize(self.order + fmt)
        return struct.unpack(self.order + fmt, self.bytes(offset, size))

    def bytes(self, offset, size):
        if offset + size > self.length:
            raise NotElf(f"{self.name}: truncated or damaged ELF file")
        self.file.seek(offset)
        return self.file.read(size)


def _segments(reader):
    """(type, offset, address, size in the file) of every program header."""
    if reader.wide:
        phoff, phentsize, phnum = reader.at(32, "Q")[0], *reader.at(54, "HH")
    else:
        phoff, phentsize, phnum = reader.at(28, "I")[0], *reader.at(42, "HH")
    result = []
    for i in range(phnum):
        where = phoff + i * phentsize
        if reader.wide:
            kind, _, offset, address, _, size = reader.at(where, "IIQQQQ")
        else:
            kind, offset, address, _, size = reader.at(where, "IIIII")
        result.append((kind, offset, address, size))
    return result


def _dynamic_entries(reader, offset, size):
    width, fmt = (16, "qQ") if reader.wide else (8, "iI")
    for i in range(size // width):
        tag, value = reader.at(offset + i * width, fmt)
        if tag == DT_NULL:
            return
        yield tag, value


def _file_offset(segments, address):
    for kind, offset, start, size in segments:
        if kind == PT_LOAD and start <= address < start + size:
            return offset + address - start
    raise NotElf("string table outside the file")


def _fill(reader, elf, segments, offset, size):
    entries = list(_dynamic_entries(reader, offset, size))
    tags = dict(entries)
    if DT_STRTAB not in tags or DT_STRSZ not in tags:
        return
    strings = reader.bytes(_file_offset(segments, tags[DT_STRTAB]), tags[DT_STRSZ])

    def text(start):
        end = strings.find(b"\0", start)
        return strings[start : end if end >= 0 else None].decode("utf-8", "surrogateescape")

    elf.needed = [text(value) for tag, value in entries if tag == DT_NEEDED]
    elf.soname = text(tags[DT_SONAME]) if DT_SONAME in tags else ""
    elf.rpath = text(tags[DT_RPATH]).split(":") if DT_RPATH in tags else []
    elf.runpath = text(tags[DT_RUNPATH]).split(":") if DT_RUNPATH in tags else []


def read(path):
    """The Elf of a file. Raises NotElf, or OSError when the file cannot be read."""
    with open(path, "rb") as file:
        reader = _Reader(file, path)
        elf = Elf(machine=(reader.ident[4], reader.ident[5], reader.at(18, "H")[0]))
        segments = _segments(reader)
        for kind, offset, _, size in segments:
            if kind == PT_INTERP:
                elf.interp = reader.bytes(offset, size).rstrip(b"\0").decode("utf-8", "replace")
            elif kind == PT_DYNAMIC:
                elf.dynamic = True
                _fill(reader, elf, segments, offset, size)
        return elf


def is_elf(path):
    try:
        with open(path, "rb") as file:
            return file.read(4) == b"\x7fELF"
    except OSError:
        return False
