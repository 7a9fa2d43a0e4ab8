# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""The manual pages: clean, and naming every command, option and variable there is."""

import re
import shutil
import subprocess

import launcher_support as support
import pytest
from casper_cli import cli, config

MAN = support.ROOT / "docs/man"
PAGES = sorted(MAN.glob("*.[17]"))
UNKNOWN_HERE = ("referenced manual not found", "outdated mandoc.db")  # depends on what is installed


def text_of(name):
    """The page with roff's escapes and macro words for options made plain."""
    text = (MAN / name).read_text()
    return re.sub(r"\bFl (-?)", r"-\1", text.replace("\\-", "-"))


def test_there_is_a_page_for_every_command():
    names = {path.name for path in PAGES}
    wanted = {f"casper-{verb}.1" for verb in cli.COMMANDS if verb != "help"}
    assert wanted | {"casper.1", "casper-env.7"} <= names


@pytest.mark.skipif(shutil.which("mandoc") is None, reason="mandoc is not installed")
@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_mandoc_finds_nothing_wrong(path):
    done = subprocess.run(
        ["mandoc", "-T", "lint", "-W", "style", path], capture_output=True, text=True, check=False
    )
    lines = (done.stdout + done.stderr).splitlines()
    assert [text for text in lines if not any(word in text for word in UNKNOWN_HERE)] == []


@pytest.mark.parametrize("verb", [verb for verb in cli.COMMANDS if verb != "help"])
def test_every_option_is_described(verb):
    _, subs = cli.make_parser()
    text = text_of(f"casper-{verb}.1")
    options = {name for action in subs[verb]._actions for name in action.option_strings}
    prose = re.sub(r"(?m)^\.Op .*$", "", text)  # the synopsis alone does not describe
    described = set(re.findall(r"(?<![\w-])--?\w[\w-]*", prose))
    assert options - {"-h", "--help"} - described == set()


def test_every_variable_is_described():
    text = (MAN / "casper-env.7").read_text()
    assert [row["name"] for row in config.public() if f".It Ev {row['name']}\n" not in text] == []
