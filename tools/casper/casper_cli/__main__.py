# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""python3 -m casper_cli"""

import sys

from casper_cli.cli import main

if __name__ == "__main__":
    sys.exit(main())
