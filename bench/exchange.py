#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""What the exchanges of adaptive redirection cost in jobs of up to 100,000 processes, by simulation: builds
and runs tests/unit/exchange_rows.c, which executes the code of src/adapt for all nodes of a job. Writes
build/results/exchange.json. Needs no MPI library, and no quiet machine: time is virtual."""

import argparse
import json
import subprocess
import sys

import launch
import results

PROGRAM = launch.BUILD / "unit" / "tests" / "unit" / "exchange_rows"
LIMIT_S = 600


def main():
    argparse.ArgumentParser(description=__doc__).parse_args()
    subprocess.run([launch.ROOT / "tools/setup/build.sh", "-t", "unit"], check=True)
    done = subprocess.run(
        [PROGRAM], check=True, timeout=LIMIT_S, stdout=subprocess.PIPE, encoding="utf-8"
    )
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    results.write("exchange", rows)
    print(f"  {len(rows)} rows in build/results/exchange.json")
    return 1 if any(row["wrong"] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
