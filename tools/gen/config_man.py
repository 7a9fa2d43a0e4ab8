# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""casper-env(7), the manual page of the variables, from the table (called by tools/gen/config.py)."""

import textwrap

HEAD = r""".\" {note}
.\" SPDX-License-Identifier: BSD-3-Clause
.\" Copyright the Casper developers
.Dd November 22, 2026
.Dt CASPER-ENV 7
.Os
.Sh NAME
.Nm casper-env
.Nd environment variables of Casper
.Sh DESCRIPTION
The Casper library reads these variables once, when the program initialises MPI.
They should be the same in all processes of a job;
.Xr casper-run 1
sees to that.
Where differing values would do harm, the job ends with a message.
A variable that begins with
.Ev CSP_
and is not listed here, or a value that is not allowed, is named on the
standard error output together with the nearest valid one, and the job ends.
.Pp
Sizes take the suffixes K, M, G and T, powers of 1024.
.Ic casper config
prints the values in effect.
.Sh ENVIRONMENT
.Bl -tag -width Ds
"""

TAIL = r""".It Ev CSP_LIBRARY
Read by the
.Xr casper 1
command alone: the
.Pa libcasper.so
to preload, instead of the one that it finds for the program's MPI library.
The library does not know this variable and the next: unset them where a
program is started without
.Xr casper-run 1 .
.It Ev CSP_PROFILE
Read by the
.Xr casper 1
command alone: the file of
.Xr casper-calibrate 1 ,
instead of
.Pa casper/profile.json
in
.Ev XDG_CONFIG_HOME
or
.Pa ~/.config .
.El
.Sh EXAMPLES
Inside a batch job of four nodes, two ghosts on each that never sleep, and a
report at the end:
.Pp
.Dl $ CSP_NG=2 CSP_GHOST_POLL=spin CSP_REPORT=1 casper run -n 64 --nodes 4 ./app
.Sh SEE ALSO
.Xr casper 1 ,
.Xr casper-calibrate 1 ,
.Xr casper-config 1 ,
.Xr casper-run 1
"""


def escape(text):
    """One line as roff takes it: no control line, backslashes and quotes as such."""
    text = text.replace("\\", "\\e").replace('"', "\\(dq")
    return "\\&" + text if text[:1] in (".", "'") else text


def lines_of(text):
    """Every sentence begins a line, as manual pages have it, and lines are at most 78 long."""
    sentences = text.replace(". ", ".\n").split("\n")
    return [escape(line) for one in sentences for line in textwrap.wrap(one, 78)]


def allowed(var):
    if var["type"] in ("int", "size"):
        return f"{var['min']} to {var['max']}"
    if var["type"] == "bool":
        return "0 or 1 (also off, on, no, yes, false, true)"
    return ", ".join(var["values"]) if var["type"] == "enum" else "text"


def meaning(var):
    return var["help"] + (" Must be the same in all processes." if var.get("same") else "")


def entry(var, default):
    facts = [f"Values: {allowed(var)}"]
    facts += [f"unit: {var['unit']}"] if var.get("unit") else []
    facts.append(f"default: {default}" if default else "not set by default")
    text = [*lines_of(meaning(var)), ".br", *lines_of("; ".join(facts) + ".")]
    return "\n".join([f".It Ev {var['name']}", *text]) + "\n"


def make_man(variables, note, default_text):
    """The page; `default_text` writes a variable's default as in the environment."""
    public = [var for var in variables if not var.get("internal")]
    entries = "".join(entry(var, default_text(var)) for var in public)
    return HEAD.replace("{note}", note) + entries + TAIL
