# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""Generated wrappers are what the generator makes today, and it refuses a policy with holes."""

import copy
import tomllib
from pathlib import Path

import pytest
import wrappers

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def data():
    return tomllib.loads((ROOT / "src/wrap/policy.toml").read_text())


def test_committed_files_are_fresh():
    files = wrappers.generate()  # fails without clang-format: tools/setup/setup.sh test installs it
    stale = [path for path, text in files.items() if (ROOT / path).read_text() != text]
    assert not stale, f"run tools/gen/wrappers.py; stale: {stale}"
    there = {str(p.relative_to(ROOT)) for p in (ROOT / "src/wrap").glob("gen_*")}
    assert there <= set(files), f"nobody generates {there - set(files)}"


def test_policy_covers_the_standard(data):
    policy = wrappers.Policy(data)
    standard = [f for f in policy.functions.values() if f.origin == "standard"]
    assert len(standard) == 690
    assert all(f.name in policy.class_of for f in standard if f.has_handle())


def test_forgotten_function_is_refused(data):
    broken = copy.deepcopy(data)
    for entry in broken["wrap"]:
        entry["functions"] = entry["functions"].replace("Bcast ", " ")
    with pytest.raises(wrappers.PolicyError, match="neither a class nor an exemption.*MPI_Bcast"):
        wrappers.Policy(broken)


def test_stale_name_is_refused(data):
    data["exempt"][0]["functions"] += " No_such_function"
    with pytest.raises(wrappers.PolicyError, match="stale"):
        wrappers.Policy(data)


def test_exemption_needs_a_reason(data):
    data["exempt"][0]["reason"] = " "
    with pytest.raises(wrappers.PolicyError, match="reason"):
        wrappers.Policy(data)


def test_double_entry_is_refused(data):
    data["wrap"][0]["functions"] += " Wait"
    with pytest.raises(wrappers.PolicyError, match="twice"):
        wrappers.Policy(data)
