# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""Runs mpi4py's test/main.py and writes what became of every test to FOLDER/<rank>: lines "start ID",
then "ok ID", "skip ID" or "fail ID". A test that hangs or crashes is the one without an end.

usage: record.py FOLDER MAIN [ARGUMENTS OF MAIN]
"""

import os
import runpy
import sys
import unittest


class Recorder(unittest.TextTestResult):
    """Writes each event at once."""

    folder = ""
    file = None

    def write(self, word, test):
        if self.file is None:
            from mpi4py import MPI

            path = os.path.join(self.folder, str(MPI.COMM_WORLD.Get_rank()))
            Recorder.file = open(path, "a", buffering=1, encoding="utf-8")
        self.file.write(f"{word} {test.id()}\n")

    def startTest(self, test):
        self.write("start", test)
        super().startTest(test)

    def addSuccess(self, test):
        self.write("ok", test)
        super().addSuccess(test)

    def addExpectedFailure(self, test, err):
        self.write("ok", test)
        super().addExpectedFailure(test, err)

    def addSkip(self, test, reason):
        self.write("skip", test)
        super().addSkip(test, reason)

    def addError(self, test, err):
        self.write("fail", test)
        super().addError(test, err)

    def addFailure(self, test, err):
        self.write("fail", test)
        super().addFailure(test, err)

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self.write("fail", test)
        super().addSubTest(test, subtest, err)

    def addUnexpectedSuccess(self, test):
        self.write("fail", test)
        super().addUnexpectedSuccess(test)


if __name__ == "__main__":
    Recorder.folder = sys.argv[1]
    unittest.TextTestRunner.resultclass = Recorder
    sys.argv = sys.argv[2:]
    runpy.run_path(sys.argv[0], run_name="__main__")
