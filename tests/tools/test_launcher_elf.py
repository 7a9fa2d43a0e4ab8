# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""The ELF reader and the search for libraries, on files made for the purpose and on real ones."""

import os
import shutil
import subprocess
import sys

import launcher_support as support
import pytest
from casper_cli import elf, ldso


@pytest.mark.parametrize("kind", [{}, {"wide": False}, {"big": True}, {"wide": False, "big": True}])
def test_reads_every_word_size_and_byte_order(tmp_path, kind):
    path = support.write_elf(
        tmp_path / "x", ["liba.so.1", "libb.so"], "libx.so.2", "/r:$ORIGIN", "", "/ld.so", **kind
    )
    found = elf.read(path)
    assert found.needed == ["liba.so.1", "libb.so"]
    assert (found.soname, found.runpath, found.rpath) == ("libx.so.2", ["/r", "$ORIGIN"], [])
    assert found.dynamic and found.interp == "/ld.so"


def test_static_program_needs_nothing(tmp_path):
    path = tmp_path / "static"
    data = bytearray(open(support.write_elf(tmp_path / "x", ["liba.so"]), "rb").read())
    data[56:58] = b"\0\0"  # no program headers
    path.write_bytes(data)
    assert elf.read(path).needed == [] and not elf.read(path).dynamic


@pytest.mark.parametrize("data", [b"", b"\x7fELF", b"#!/bin/sh\n", b"\x7fELF\x09" + bytes(60)])
def test_what_is_no_elf_is_refused(tmp_path, data):
    (tmp_path / "x").write_bytes(data)
    with pytest.raises(elf.NotElf):
        elf.read(tmp_path / "x")


def test_truncated_file_is_refused_at_every_length(tmp_path):
    whole = open(support.write_elf(tmp_path / "x", ["liba.so.1"], "libx.so"), "rb").read()
    for length in range(0, len(whole), 7):
        (tmp_path / "cut").write_bytes(whole[:length])
        with pytest.raises(elf.NotElf):
            elf.read(tmp_path / "cut")


def test_damaged_bytes_never_escape_as_other_errors(tmp_path):
    whole = open(support.write_elf(tmp_path / "x", ["liba.so.1"], "libx.so"), "rb").read()
    for position in range(16, len(whole)):
        damaged = bytearray(whole)
        damaged[position] ^= 0xFF
        (tmp_path / "d").write_bytes(damaged)
        try:
            elf.read(tmp_path / "d")
        except elf.NotElf:
            pass


def closure(path, **env):
    return dict(ldso.closure(path, env))


def test_library_path_comes_before_runpath(tmp_path):
    for place in ("one", "two"):
        support.write_elf(tmp_path / place / "liba.so", soname="liba.so")
    path = support.write_elf(tmp_path / "bin/x", ["liba.so"], runpath="$ORIGIN/../one")
    assert os.path.samefile(closure(path)["liba.so"], tmp_path / "one/liba.so")
    found = closure(path, LD_LIBRARY_PATH=str(tmp_path / "two"))
    assert os.path.samefile(found["liba.so"], tmp_path / "two/liba.so")


def test_rpath_comes_before_library_path_and_is_inherited(tmp_path):
    libs = tmp_path / "libs"
    support.write_elf(libs / "libb.so", soname="libb.so")
    support.write_elf(libs / "liba.so", ["libb.so"], "liba.so")
    support.write_elf(tmp_path / "other/liba.so", soname="liba.so")
    path = support.write_elf(tmp_path / "x", ["liba.so"], rpath=str(libs))
    found = closure(path, LD_LIBRARY_PATH=str(tmp_path / "other"))
    assert found == {"liba.so": str(libs / "liba.so"), "libb.so": str(libs / "libb.so")}


def test_runpath_is_not_inherited(tmp_path):
    support.write_elf(tmp_path / "libs/libnobody.so", soname="libnobody.so")
    support.write_elf(tmp_path / "libs/liba.so", ["libnobody.so"], "liba.so")
    path = support.write_elf(tmp_path / "x", ["liba.so"], runpath=str(tmp_path / "libs"))
    assert closure(path)["libnobody.so"] is None


def test_libraries_of_another_machine_are_passed_over(tmp_path):
    support.write_elf(tmp_path / "one/liba.so", soname="liba.so", wide=False)
    right = support.write_elf(tmp_path / "two/liba.so", soname="liba.so")
    path = support.write_elf(tmp_path / "x", ["liba.so"], runpath=f"{tmp_path}/one:{tmp_path}/two")
    assert closure(path)["liba.so"] == right


def test_circular_needs_end(tmp_path):
    support.write_elf(tmp_path / "liba.so", ["libb.so"], runpath="$ORIGIN")
    support.write_elf(tmp_path / "libb.so", ["liba.so"], runpath="$ORIGIN")
    path = support.write_elf(tmp_path / "x", ["liba.so"], runpath="$ORIGIN")
    assert set(closure(path)) == {"liba.so", "libb.so"}


@pytest.mark.skipif(shutil.which("ldd") is None, reason="no ldd to compare with")
@pytest.mark.parametrize("program", [sys.executable, shutil.which("git") or "/bin/sh", "/bin/ls"])
def test_finds_what_the_loader_finds(program):
    path = os.path.realpath(program)
    done = subprocess.run(["ldd", path], capture_output=True, text=True, check=False)
    wanted = {}
    for line in done.stdout.splitlines():
        words = line.split()
        if "=>" in words and words[2].startswith("/"):
            wanted[words[0]] = os.path.realpath(words[2])
    found = {name: os.path.realpath(p) for name, p in ldso.closure(path).items() if p}
    assert {name: found.get(name) for name in wanted} == wanted
