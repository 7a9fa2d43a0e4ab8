# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""Which way operations went in each phase of a run: from the changes in Casper's report and the lines
of the program, both by the system's clock. Shares of the phase's time, 1: redirection was on for all
targets throughout.
  on_share      PUT and GET
  acc_on_share  accumulates
  changes       how many there were in the phase"""

FIELDS = ("on_share", "acc_on_share", "changes")
STATIC = {"on1": 1.0, "on2": 1.0, "off": 0.0}


def held(config, lines, report):
    """One object for each line; empty ones if there is no report, or not all of it."""
    if report is None or report["changes_count"] > len(report["changes"]):
        return [{} for _ in lines]
    return [held_in(config, line, lines, report) for line in lines]


def held_in(config, line, lines, report):
    start_ns = lines[0]["begin_unix_ns"]
    begin = seconds(line["begin_unix_ns"], start_ns)
    end = begin + line["seconds"]
    changes = changes_of(report, start_ns)
    count = {"changes": sum(begin <= c[0] < end for c in changes)}
    if config in STATIC:
        return {"on_share": STATIC[config], "acc_on_share": STATIC[config], **count}
    mates = [x for x in lines if x["opened"] == line["opened"]]  # phases on the same windows
    first, at_first = mates[0], 1.0
    if config in ("P", "GP"):  # predictions are for processes, whatever the window
        keys = report["users_count"]
    elif config == "U":
        keys, at_first = first["windows"], float(first["kind"] != "COMM")
    else:
        keys = first["windows"] * report["nodes_count"]
    if config not in ("P", "GP"):
        opened = seconds(first["begin_unix_ns"], start_ns)
        changes = [c for c in changes if c[0] >= opened]
    at_begin = share(changes, keys, at_first, begin, begin)
    during = share(changes, keys, at_first, begin, end)
    if config in ("P", "GP"):  # accumulates change between phases alone, and P does not change else
        return {
            "on_share": at_begin if config == "P" else during,
            "acc_on_share": at_begin,
            **count,
        }
    return {"on_share": during, "acc_on_share": during, **count}


def seconds(unix_ns, start_ns):
    """Nanoseconds since 1970 are too many for a float."""
    return (unix_ns - start_ns) * 1e-9


def changes_of(report, start_ns):
    """When, for whom, and whether it is on now, by time."""
    begins = {node["node"]: node["begin_unix_ns"] for node in report["nodes"]}
    return sorted(
        (seconds(begins[c["node"]] + c["ns"], start_ns), who(c), c["redirection"] == "on")
        for c in report["changes"]
        if c["by"] != "agreed"  # tells when predictions, which are there too, are followed
    )


def who(change):
    """For whom redirection changed: a window's targets on a node, a process, a window."""
    return (
        change.get("window", ""),
        change.get("targets_of_node", -1),
        change.get("target", -1),
    )


def share(changes, keys, at_first, begin, end):
    """Of the time between begin and end, in how much redirection was on, as the mean of so many
    that can change. Those that never did are as all were at first."""
    state, since, on_s = {}, begin, 0.0

    def mean():
        return (sum(state.values()) + at_first * (keys - len(state))) / keys

    for at, key, is_on in changes:
        if at > end:
            break
        if at > since:
            on_s += (at - since) * mean()
            since = at
        state[key] = float(is_on)
    return (on_s + (end - since) * mean()) / (end - begin) if end > begin else mean()
