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


@pytest.mark.parametrize("name", ["Initialized", "Finalized", "T_pvar_read", "Info_create_env"])
def test_what_any_thread_may_call_meets_nothing(name):
    """Neither messages of other threads' operations nor a clock in memory that MPI_Finalize takes away."""
    text = "".join(p.read_text() for p in (ROOT / "src/wrap").glob("gen_*.c"))
    assert f"CSP_WRAP_ANY_THREAD(int, {name}, " in text
    assert f"CSP_WRAP(0, int, {name}, " not in text


def test_what_any_thread_may_call_has_no_detours(data):
    data["any_thread"] += " Waitall"
    with pytest.raises(wrappers.PolicyError, match="MPI_Waitall may be called by any thread"):
        wrappers.wrapper_files(wrappers.Policy(data))


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
