# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""Every test that takes `build` runs once for each build of libcasper, and is skipped without any."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[2] / "tools/gen"))

import builds  # noqa: E402
import pytest  # noqa: E402


def pytest_generate_tests(metafunc):
    if "build" in metafunc.fixturenames:
        found = builds.find()
        reason = f"no libcasper.so under {builds.BUILD_ROOT}"
        none = [pytest.param(None, marks=pytest.mark.skip(reason=reason))]
        ids = [build.path.name for build in found] or ["none"]
        metafunc.parametrize("build", found or none, ids=ids)
