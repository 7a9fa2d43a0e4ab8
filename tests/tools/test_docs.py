# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""The documentation speaks of what is there: links, paths, variables, sizes, copied figures."""

import json
import re
import shutil
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SKIPPED = {"build", ".git"}
PAGES = sorted(
    p for p in ROOT.rglob("*.md") if not SKIPPED & set(p.relative_to(ROOT).parts) and p.is_file()
)
TOP = tuple(p.name for p in ROOT.iterdir() if p.is_dir() and p.name not in SKIPPED)
# Not in the table: read by the command, or given to CMake.
OTHER_NAMES = {"CSP_LIBRARY", "CSP_PROFILE", "CSP_MPICC", "CSP_NAME", "CSP_ABI", "CSP_WITH_HWLOC"}
SIZES = {  # of docs/design/memory.md; no header of MPI is needed for them
    "struct csp_node_page": 10816,
    "struct csp_node_proc": 896,
    "struct csp_topo": 16,
    "struct csp_wnode": 256,
    "struct csp_peer": 32,
    "struct csp_am": 64,
}


SOURCE = {".c", ".h", ".py", ".sh"}
NO_README = {  # folders of source that explain themselves
    "cmake",  # CMake's modules and a probe: CMakeLists.txt names each
    "include",  # its only room is include/casper
}


def pages(test):
    return pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))(test)


def prose(page):
    """The text without code blocks."""
    text = re.sub(r"(?ms)^```.*?^```", "", page.read_text())
    return re.sub(r"(?m)^ {4,}.*$", "", text)


def anchor(heading):
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def anchors(page):
    return {anchor(h) for h in re.findall(r"(?m)^#+ (.*)$", page.read_text())}


@pages
def test_links(page):
    wrong = []
    for link in re.findall(r"\[[^\]]*\]\(([^)\s]+)\)", prose(page)):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, fragment = link.partition("#")
        target = page.parent / path if path else page
        if not target.exists():
            wrong.append(link)
        elif fragment and target.suffix == ".md" and fragment not in anchors(target):
            wrong.append(link)
    assert not wrong, wrong


def is_path(word):
    """A path from the root of the tree, as far as its first words tell."""
    return re.fullmatch(r"[\w.][\w./-]*", word) and word.split("/")[0] in TOP and "/" in word


@pages
def test_paths(page):
    """`src/...` and the like exist; so do files that a README names without their folder."""
    words = re.findall(r"`([^`\n]+)`", prose(page))
    wrong = [word for word in words if is_path(word) and not (ROOT / word).exists()]
    if page.name == "README.md" and page.parent != ROOT:
        wrong += [w for w in words if re.fullmatch(r"\w+\.(c|h|py|toml)", w) and w not in names()]
    assert not wrong, wrong


@lru_cache
def names():
    """Of all files in the tree, and of one that the build makes."""
    found = (p.name for folder in TOP for p in (ROOT / folder).rglob("*"))
    return {*found, "csp_mpi_have.h"}


def test_paper_map():
    """Its short paths are those of tests."""
    text = (ROOT / "docs/paper-map.md").read_text()
    short = set(re.findall(r"`((?:rma|world|casper)/\w+\.c)`", text))
    assert len(short) > 20
    assert not [name for name in short if not (ROOT / "tests/mpi" / name).exists()]


@pages
def test_variables(page):
    """Users' pages name variables of the table; those for developers may name macros, too."""
    table = json.loads((ROOT / "tools/casper/casper_cli/config_table.json").read_text())
    known = {row["name"] for row in table["variables"]} | OTHER_NAMES
    if {"src", "design"} & set(page.relative_to(ROOT).parts) or page.name == "CONTRIBUTING.md":
        known |= macros()
    used = set(re.findall(r"\bCSP_[A-Z0-9_]*[A-Z0-9]\b", page.read_text()))
    assert not used - known


@lru_cache
def macros():
    """Of the source and of the build."""
    files = [p for p in (ROOT / "src").rglob("*") if p.suffix in (".h", ".inc", ".txt")]
    files += (ROOT / "cmake").glob("*.cmake")
    return {name for p in files for name in re.findall(r"\bCSP_\w+", p.read_text())}


def test_sizes(tmp_path):
    page = (ROOT / "docs/design/memory.md").read_text()
    for size in ("10816", "896 P", "16 + 4 (U + 3 R + N g + 2 N)", "256 + 32 n"):
        assert size in page
    source = tmp_path / "sizes.c"
    source.write_text(
        "".join(f'#include "{h}"\n' for h in ("runtime/node.h", "runtime/wnode.h"))
        + '#include "runtime/am.h"\n#include "topo/topo.h"\n'
        + "".join(f'_Static_assert(sizeof({t}) == {n}, "{t}");\n' for t, n in SIZES.items())
    )
    compiler = shutil.which("cc")
    if not compiler:
        pytest.skip("no C compiler")
    words = [compiler, "-std=gnu11", "-fsyntax-only", f"-I{ROOT / 'src'}", source]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_readme_has_the_figures_of_the_demo():
    words = [sys.executable, ROOT / "tools/gen/readme.py", "--check"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pages
def test_speaks_of_itself_alone(page):
    """Nothing of the machine on which it was written."""
    assert not re.search(r"(?i)\B/(home|root|tmp|work)/\w|\bissue \d", page.read_text())


def rooms():
    """Folders at depth 1 or 2 that hold source, and `docs`."""
    words = ["git", "-C", ROOT, "ls-files"]
    listed = subprocess.run(words, capture_output=True, text=True, check=False).stdout
    files = [Path(line) for line in listed.splitlines()]
    found = {p.parent for p in files if p.suffix in SOURCE and 1 <= len(p.parent.parts) <= 2}
    found |= {p.parent.parent for p in files if p.suffix in SOURCE and len(p.parent.parts) == 2}
    return {folder.as_posix() for folder in found} | {"docs"} if files else set()


def test_every_room_has_a_readme():
    if not rooms():
        pytest.skip("not a clone of git")
    bare = {room for room in rooms() if not (ROOT / room / "README.md").is_file()}
    assert bare == NO_README, bare ^ NO_README
