# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""What the sanitizers say, read: whose a leak is, and which errors count."""

import job_support  # noqa: F401  (the path to sanitize)
import sanitize

MALLOC = (
    "    #0 0x7f8a292b89cf in __interceptor_malloc ../../src/libsanitizer/asan/asan_malloc.cpp:69\n"
)
OURS = "    #1 0x7f8a28941d42 in csp_win_new src/rma/rma_win.c:265\n"
OURS_BY_FILE = "    #1 0x7f8a28941d42  (/build/m50-asan/libcasper.so+0x331c88)\n"
LIBRARY = "    #1 0x7f2b16f57be7  (/lib/libfabric.so.1+0xa8be7)\n"
PROGRAM = "    #2 0x55c04a79506a in main tests/mpi/rma/flush.c:83\n"
LEAK = "Direct leak of 77 byte(s) in 1 object(s) allocated from:\n"


def test_leaks_are_ours_where_libcasper_allocated():
    text = "\n".join(LEAK + MALLOC + who + PROGRAM for who in (OURS, LIBRARY, OURS_BY_FILE))
    own = sanitize.own_leaks(text)
    assert [OURS in leak or OURS_BY_FILE in leak for leak in own] == [True, True]


def test_no_leak_is_ours_that_the_library_or_the_program_made():
    assert not sanitize.own_leaks(LEAK + MALLOC + LIBRARY + OURS.replace("#1", "#2"))
    assert not sanitize.own_leaks(LEAK + MALLOC + PROGRAM.replace("#2", "#1"))


def test_known_errors_of_the_library_are_no_news(tmp_path):
    error = "==1==ERROR: AddressSanitizer: SEGV on unknown address\n"
    (tmp_path / "asan.1").write_text(error + LIBRARY)
    assert sanitize.findings(tmp_path, known=False)[0]
    assert not sanitize.findings(tmp_path, known=True)[0]
    for who in (OURS, OURS_BY_FILE, PROGRAM, ""):
        (tmp_path / "asan.2").write_text(error + who)
        assert sanitize.findings(tmp_path, known=True)[0]
