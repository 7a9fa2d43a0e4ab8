# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""What the pages of docs/bench/ show: docs/bench/data/NAME.json, which is kept with them, and in its place
what build/results/NAME.json has of the same runs, if they were neither quick nor disturbed. So one
library or program can be measured anew, and the text of a page changed, without the rest of it."""

import json

import launch
import pages
import results

DOCS = launch.ROOT / "docs" / "bench"
DATA = DOCS / "data"
OF_THE_MACHINE = ("kernel", "load")  # of no use without it


def path(name):
    return DATA / f"{name}.json"


def read(name):
    """The figures of a page. None: there are none."""
    kept = json.loads(path(name).read_text(encoding="utf-8")) if path(name).exists() else None
    try:
        new = results.read(name)
    except FileNotFoundError:
        return kept
    new = {field: value for field, value in new.items() if field not in OF_THE_MACHINE}
    return union(kept, new) if "runs" in new else new


def union(kept, new):
    """Runs of `new` in place of those of `kept`; these stay in their order."""
    kept = kept or {"rows": [], "runs": {}}
    worse = {key for key in kept["runs"] if pages.disturbed(new, key)}
    worse |= {key for key, run in new["runs"].items() if run.get("quick")}
    fresh = {key: run for key, run in new["runs"].items() if key not in worse}
    runs = {**kept["runs"], **fresh}
    rows = [
        row
        for key in runs
        for row in (new if key in fresh else kept)["rows"]
        if results.run_key(row) == key
    ]
    return {**new, "runs": runs, "rows": rows} if rows else None


def write(name, data):
    DATA.mkdir(parents=True, exist_ok=True)
    path(name).write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
