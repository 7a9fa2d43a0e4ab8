# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""Page and limits of adapt.json (adapt.py)."""

from pages import HEAD, about, cell, complain, disturbed, groups, number, table, title_of

STATIC = ("on1", "on2", "off")
ONE_GHOST = ("on1", "off")  # what auto, with as many, has to choose from
PHASE_LIMIT, RUN_LIMIT = 1.05, 1.03  # auto, over the best static configuration
FENCE_LIMIT_US = 10  # P and GP over static, in a fence that finds no other prediction
FENCE = "MPI_Win_fence"
TRACE_LIMIT = 1.03  # a run with a timeline over one without
NEARLY = 0.05  # of a phase: the setting of so little of it is not told

TEXT = """Programs in phases, in every configuration, runs in turns; two virtual nodes of one machine with
{users} users in all. Seconds, the median of the runs; for the whole run the lowest and the highest
of them too. *plain*: without Casper; *thread*: the same with the MPI library's own progress thread,
where it has one and gets through with it;
*on1*, *on2*: redirection on, one and two ghosts on each node; *off*: redirection off. With one ghost
and adaptive: *U*: the program says what each phase wants; *P*, *GP*: by profile, without and with the
exchange of ghosts (intervals: 1/20 and 1/10 of a phase); *auto*: by measurement, nothing set but
`CSP_ASYNC_CONFIG=auto`. Iterations are as many as make a phase last {phase} s where it is the shortest.
Each process stays on a core (`bench/place.sh`), a node's user and its ghost on different ones.

With redirection on ghosts execute accumulates themselves, many from one message; in this a ghost is
faster than two users, and *on1* is best in all phases. *NAME_library*: the same program with
`CSP_ACC_ROUTE=library`, where the MPI library executes accumulates as in the paper, one by one, and users
spin in it on cores that ghosts want: in COMM phases these are the narrow place.

Wanted: *auto* at most {phase_limit} times the best of on1, on2 and off in each phase of multiphase, and at
most {run_limit} times these together; on comp and comm alone at most {run_limit} times the best of them. In
multiphase_library *U* likewise, *on1* loses to the best in COMM phases, and *GP* is faster than *P*.
A fence with P and GP takes at most {fence} us more than with on1. **Bold**: beyond that.

Figures: `make bench-adapt`; this page: `python3 bench/tables.py`; plots (build/results/adapt_*.svg):
`python3 bench/plot.py`."""
TEXTS = {
    "comp": "Two phases of much computing: GET, computing, ACC, each with a flush, all to all.",
    "comm": "Two phases of many operations and little computing.",
    "multiphase": "Two windows one after the other, with COMP COMP COMM COMM on each.",
    "comp_library": "As comp, accumulates by the MPI library.",
    "comm_library": "As comm, accumulates by the MPI library.",
    "multiphase_library": "As multiphase, accumulates by the MPI library.",
    "intervals": "The same program under GP, by the interval of prediction and of ghosts' exchange.",
    "dft": "Get a block, compute, accumulate it; tasks by one counter (Fetch_and_op).",
    "ccsd": "Four phases: the same (SCF); accumulates on one process (4INDEX); two gets, more computing, "
    "accumulate (CCSD); two gets, most computing ((T)).",
    "overhead": "Calls in which redirection may change, microseconds (lowest - highest run). *New "
    "prediction*: before each fence all processes turned from computing to MPI or back, for three "
    "intervals of prediction.",
    "trace": "What a timeline costs: whole runs with redirection on, seconds (lowest - highest run), "
    f"without and with `CSP_TRACE`. Wanted: at most {TRACE_LIMIT} times as long.",
}
HELD_TEXT = """What held, from the report: accumulates / PUT and GET, if they differ; else one for both. With
a percentage: for how much of the phase redirection was on. With Open MPI accumulates stay with ghosts
all the same (`CSP_ACC_ROUTE`); with Open MPI 4.1 P, GP and auto leave redirection on."""


def phases_of(rows):
    return list(dict.fromkeys((r["phase"], r["kind"]) for r in rows))


def figure(rows, config, phase):
    """The time of a phase; phase 0: of the run. None if it was not measured."""
    found = [r["seconds"] for r in rows if (r["config"], r["phase"]) == (config, phase)]
    return found[0] if found else None


def best(rows, phase, static=STATIC):
    """The best static configuration in a phase. Of the run: the best in each phase, together."""
    if phase == 0:
        return sum(best(rows, p, static) for p, _ in phases_of(rows) if p)
    return min(x for x in (figure(rows, c, phase) for c in static) if x)


# ---- what is wanted: each gives the complaint about a row, or nothing


def over_best(row, rows):
    limit = PHASE_LIMIT if row["phase"] else RUN_LIMIT
    ratio = row["seconds"] / best(rows, row["phase"])
    return f"{ratio:.3f} times the best static > {limit}" if ratio > limit else ""


def multi_wrong(row, rows):
    return over_best(row, rows) if row["config"] == "auto" else ""


def library_wrong(row, rows):
    """Where ghosts are the narrow place of COMM phases."""
    config, phase = row["config"], row["phase"]
    if config in ("auto", "U"):
        return over_best(row, rows)
    if config == "on1" and row["kind"] == "COMM" and row["seconds"] <= best(rows, phase):
        return "on is the best static choice for communication"
    slower = figure(rows, "P", 0)
    if config == "GP" and phase == 0 and slower and row["seconds"] >= slower:
        return "not faster than P"
    return ""


def single_wrong(row, rows):
    return over_best(row, rows) if row["config"] == "auto" and row["phase"] == 0 else ""


def overhead_wrong(row, rows):
    if row["config"] not in ("P", "GP") or row["what"] != FENCE:
        return ""
    key = ("on1", row["what"], row["users"])
    static = next(r["us"] for r in rows if (r["config"], r["what"], r["users"]) == key)
    more = row["us"] - static
    return f"{more:.1f} us over static > {FENCE_LIMIT_US}" if more > FENCE_LIMIT_US else ""


def untraced(row, rows):
    """The row of the same program without a timeline."""
    return next(r for r in rows if (r["config"], r["what"]) == ("on1", row["what"]))


def slowdown(row, rows):
    return row["seconds"] / untraced(row, rows)["seconds"]


def trace_wrong(row, rows):
    ratio = slowdown(row, rows)
    return f"{ratio:.3f} times as long > {TRACE_LIMIT}" if ratio > TRACE_LIMIT else ""


WRONG = {
    "multiphase": multi_wrong,
    "multiphase_library": library_wrong,
    "comp": single_wrong,
    "comm": single_wrong,
    "comp_library": single_wrong,
    "comm_library": single_wrong,
    "overhead": overhead_wrong,
    "trace": trace_wrong,
}


def wrong(row, rows):
    return WRONG[row["program"]](row, rows) if row["program"] in WRONG else ""


def by_program(rows):
    found = {}
    for row in rows:
        found.setdefault(row["program"], []).append(row)
    return {name: found[name] for name in TEXTS if name in found}


def check(name, data):
    """Prints every row beyond its limit. Returns the number of those that were not disturbed."""
    count = 0
    for rows in groups(data["rows"]).values():
        for program, own in by_program(rows).items():
            for row in own:
                bad = wrong(row, own)
                where = f"phase {row['phase']} {row['kind']}" if "phase" in row else row["what"]
                what = f"{program}, {row['config']}, {where}: {bad}"
                count += complain(name, data, row, what) if bad else 0
    return count


# ---- page


def marked(text, row, rows):
    return f"**{text}**" if wrong(row, rows) else text


def phase_line(label, own, rows):
    """Cells of the phases, then of the run."""
    cells = [marked(number(r["seconds"]), r, rows) for r in own if r["phase"]]
    run = next(r for r in own if not r["phase"])
    return [*label, *cells, marked(cell(run, "seconds"), run, rows)]


def phase_heads(rows):
    return [f"{p} {kind}" for p, kind in phases_of(rows) if p]


def phase_lines(rows):
    configs = list(dict.fromkeys(r["config"] for r in rows))
    lines = [phase_line([c], [r for r in rows if r["config"] == c], rows) for c in configs]
    for label, static in (("auto / best static", STATIC), ("auto / best of on1, off", ONE_GHOST)):
        shares = [figure(rows, "auto", p) / best(rows, p, static) for p, _ in phases_of(rows)]
        lines.append([label, *(f"{x:.2f}" for x in shares)])
    return table(("", *phase_heads(rows), "run"), lines)


def setting(share):
    if NEARLY < share < 1 - NEARLY:
        return f"ON {100 * share:.0f} %"
    return "ON" if share > 0.5 else "OFF"


def setting_of(row):
    if "on_share" not in row:
        return ""
    accumulates, others = setting(row["acc_on_share"]), setting(row["on_share"])
    return others if accumulates == others else f"{accumulates} / {others}"


def held_lines(rows):
    """Table 4 of the paper."""
    lines = []
    for config in ("U", "P", "GP", "auto"):
        own = [r for r in rows if r["config"] == config and r["phase"]]
        lines.append([config, *(setting_of(r) for r in own)])
    return [HELD_TEXT, "", *table(("", *phase_heads(rows)), lines)]


def multi_lines(rows):
    return phase_lines(rows) + held_lines(rows)


def interval_lines(rows):
    pairs = list(dict.fromkeys((r["predict_ms"], r["gsync_ms"]) for r in rows))
    lines = []
    for pair in pairs:
        own = [r for r in rows if (r["predict_ms"], r["gsync_ms"]) == pair]
        lines.append(phase_line([number(x) for x in pair], own, rows))
    return table(("prediction, ms", "exchange, ms", *phase_heads(rows), "run"), lines)


def overhead_lines(rows):
    configs = list(dict.fromkeys(r["config"] for r in rows))
    lines = []
    for what, users in dict.fromkeys((r["what"], r["users"]) for r in rows):
        own = [r for r in rows if (r["what"], r["users"]) == (what, users)]
        lines.append([what, str(users), *(marked(cell(r, "us"), r, rows) for r in own)])
    return table(("call", "users", *configs), lines)


def trace_lines(rows):
    lines = []
    for row in rows:
        if row["config"] == "on1":
            continue
        without, ratio = untraced(row, rows), f"{slowdown(row, rows):.3f}"
        cells = (cell(without, "seconds"), cell(row, "seconds"), marked(ratio, row, rows))
        lines.append([row["what"], *cells])
    return table(("program", "without", "with a timeline", "ratio"), lines)


LINES = {
    "multiphase": multi_lines,
    "multiphase_library": multi_lines,
    "intervals": interval_lines,
    "overhead": overhead_lines,
    "trace": trace_lines,
}


def page(data):
    runs = data["runs"]
    limits = {"phase_limit": PHASE_LIMIT, "run_limit": RUN_LIMIT, "fence": FENCE_LIMIT_US}
    circumstances = {"users": spans(runs, "users"), "phase": spans(runs, "phase_s")}
    text = TEXT.format(**limits, **circumstances)
    out = [HEAD.format(title="Adaptive redirection", text=text)]
    for mpi, rows in groups(data["rows"]).items():
        out += [f"## {title_of(mpi)}", ""]
        for program, own in by_program(rows).items():
            key = f"{mpi} {program}"
            text = TEXTS[program] + phases_last(own, runs.get(key, {}))
            out += [f"### {program}", "", text, "", *about(data, key)]
            if not disturbed(data, key):
                out += LINES.get(program, phase_lines)(own)
    return "\n".join(out)


def phases_last(rows, run):
    """How long phases are, of a program in phases."""
    return f" Phases of {run['phase_s']:g} s." if "phase" in rows[0] and run else ""


def spans(runs, field):
    """What the runs have in common, or from the least to the most."""
    values = sorted({run[field] for run in runs.values()})
    return f"{values[0]:g}" if len(values) == 1 else f"{values[0]:g} to {values[-1]:g}"
