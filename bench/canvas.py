# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""What the plots share: matplotlib (if it is missing, the environment build/env/bench is made and the
script that imports this goes on there), colours, files."""

import os
import subprocess
import sys

import results
from launch import BUILD, ROOT

try:
    import matplotlib
except ImportError:
    PYTHON = BUILD / "env" / "bench" / "bin" / "python"
    if sys.executable == str(PYTHON):
        raise
    subprocess.run([ROOT / "tools" / "setup" / "env.sh", "bench"], check=True)
    os.execv(PYTHON, [str(PYTHON), *sys.argv])

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

# Okabe and Ito's colours: distinct for everybody, also in print.
GREY, RED, BLUE, SKY, ORANGE = "#666666", "#d55e00", "#0072b2", "#56b4e9", "#e69f00"


def save(figure, name):
    for suffix in ("svg", "png"):
        figure.savefig(results.RESULTS / f"{name}.{suffix}", dpi=130, bbox_inches="tight")
    plt.close(figure)
    print(f"  {(results.RESULTS / name).relative_to(ROOT)}.svg, .png")
