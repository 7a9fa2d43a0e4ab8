# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""The search of casper calibrate on a synthetic machine whose crossing is known, and what it makes of it."""

import math
import random

import launcher_support  # noqa: F401  (the path of the package)
import pytest
from casper_cli import crossing, thresholds
from casper_cli.crossing import BAND, CROSSING, OFF, ON, SAME, UNCLEAR

BASE_S = 1e-4  # operations of an iteration, without ghosts and without computing
WAITS = 0.3  # of the computing of others is waited for without ghosts


class Synthetic:
    """With ghosts operations take `ghosts` times as long; without, they wait for others that compute."""

    def __init__(self, ghosts, waits=WAITS, noise=0.0, seed=1, times=None):
        self.ghosts, self.waits, self.noise = ghosts, waits, noise
        self.random = random.Random(seed)
        self.times = times or self.linear
        self.clock_s = self.measured = 0

    def linear(self, compute_s):
        return self.ghosts * BASE_S, BASE_S + self.waits * compute_s

    def pair(self, compute_s):
        made = []
        for in_mpi in self.times(compute_s):
            noisy = in_mpi * math.exp(self.random.gauss(0, self.noise))
            total = noisy + compute_s * math.exp(abs(self.random.gauss(0, self.noise)))
            made.append((total, 100 * noisy / total))
        return tuple(made)

    def measure(self, wanted, seconds):
        self.clock_s += seconds * len(wanted)
        self.measured += len(wanted)
        return [[self.pair(compute_s) for _ in range(5)] for _, compute_s in wanted]


def crossing_at(percent, **more):
    """A machine on which both ways are equally fast at this share of time in MPI."""
    r, waits = percent / 100, WAITS if percent < 70 else 1
    compute = (1 - r) / ((1 + waits) * r - waits)
    return Synthetic(1 + waits * compute, waits, **more)


def search(machine, seconds=60.0):
    searches = {"one": crossing.Search()}
    budget = crossing.Budget(seconds, lambda: machine.clock_s)
    crossing.search_all(searches, machine.measure, budget)
    return searches["one"].result()


@pytest.mark.parametrize("percent", [35, 45, 60, 75, 90])
def test_it_finds_the_crossing(percent):
    machine = crossing_at(percent)
    found = search(machine)
    assert found.kind == CROSSING
    assert found.rate == pytest.approx(percent, abs=2)
    assert found.low <= found.rate <= found.high and found.high - found.low < 30
    assert machine.measured <= 5 + crossing.MOST_STEPS


@pytest.mark.parametrize("percent", [45, 60, 80])
def test_noise_moves_it_little(percent):
    found = [search(crossing_at(percent, noise=0.02, seed=seed)) for seed in range(30)]
    assert all(result.kind in (CROSSING, UNCLEAR) for result in found)
    rates = [result.rate for result in found if result.kind == CROSSING]
    assert len(rates) >= 25
    assert all(abs(rate - percent) < 10 for rate in rates)
    assert sum(rates) / len(rates) == pytest.approx(percent, abs=3)


def test_where_nothing_crosses_it_says_so():
    assert search(Synthetic(0.7)).kind == ON
    assert search(Synthetic(3.0, waits=0)).kind == OFF
    assert search(Synthetic(1.0, waits=0)).kind == SAME


def test_a_difference_within_the_band_is_none():
    assert search(Synthetic(math.exp(0.8 * BAND), waits=0)).kind == SAME


def test_noise_makes_no_crossing():
    kinds = [search(Synthetic(1.0, waits=0, noise=0.03, seed=seed)).kind for seed in range(60)]
    assert CROSSING not in kinds
    assert kinds.count(SAME) >= 55


def test_figures_that_tell_nothing_are_unclear():
    found = [search(Synthetic(1.0, waits=0, noise=0.8, seed=seed)) for seed in range(60)]
    unclear = [result for result in found if result.kind == UNCLEAR]
    assert len(unclear) > 45
    assert {result.why for result in unclear} <= {
        "the figures vary too much",
        "several crossings",
        "faster with ghosts above, not below",
    }


def test_a_point_that_varies_is_measured_again():
    one = crossing.Search()
    one.add(1.0, [((2.0, 100), (1.0, 100))] * 3)
    calm = {0.75: 1.5, 0.5: 0.5, 0.25: 0.5, 0.1: 0.5}
    for x, ratio in calm.items():
        wild = (0.5, 1.0, 2.0) if x == 0.1 else (1, 1, 1)
        one.add(x, [((ratio * w, 100 * x), (1.0, 100 * x)) for w in wild])
    (middle,) = one.next()
    assert 0.5 < middle < 0.75  # what lies outside the bracket does not matter
    one.add(middle, [((w, 60), (1.0, 60)) for w in (0.3, 1.0, 3.0)])
    assert one.next() == [middle]
    one.add(middle, [((1.0, 60), (1.0, 60))] * 20)
    assert one.next() == []
    assert one.result().rate == pytest.approx(60)


def test_two_pairs_that_agree_by_chance_tell_nothing():
    pair = ((2.0, 50), (1.0, 50))
    assert crossing.make_point(0.5, [pair] * 2).side is None
    assert crossing.make_point(0.5, [pair] * 3).side == 1


def test_the_wrong_way_round_is_unclear():
    """Ghosts that take the cores of those who compute."""
    machine = Synthetic(1, times=lambda s: (BASE_S * 0.5 + 0.3 * s, BASE_S))
    found = search(machine)
    assert (found.kind, found.why) == (UNCLEAR, "faster with ghosts above, not below")


def test_several_crossings_are_unclear():
    def times(compute_s):
        x = BASE_S / (BASE_S + compute_s)
        slow = 3 if x > 0.9 or 0.4 < x < 0.6 else 1
        return slow * BASE_S, (4 - slow) * BASE_S

    found = search(Synthetic(1, times=times))
    assert (found.kind, found.why) == (UNCLEAR, "several crossings")


@pytest.mark.parametrize("longer", [1, 4])
def test_the_time_is_kept_and_divided(longer):
    """Also on a machine on which all takes longer than it is asked to."""
    machines = {percent: crossing_at(percent, noise=0.01) for percent in range(36, 90, 3)}
    clock = [0.0]
    slices = []

    def measure(wanted, seconds):
        clock[0] += longer * seconds * len(wanted) + 0.5  # starting a job takes time as well
        slices.append(seconds)
        return [machines[c].measure([(c, s)], seconds)[0] for c, s in wanted]

    searches = {percent: crossing.Search() for percent in machines}
    crossing.search_all(searches, measure, crossing.Budget(60, lambda: clock[0]))
    assert clock[0] <= 60 + 10 * (longer > 1)
    assert all(crossing.LEAST_S <= seconds <= crossing.MOST_S for seconds in slices)
    found = {percent: one.result() for percent, one in searches.items()}
    assert all(result.kind == CROSSING for result in found.values())
    assert all(abs(result.rate - percent) < 5 for percent, result in found.items())


def test_what_a_job_did_not_reach_is_measured_by_the_next():
    machine = crossing_at(60)
    searches = {name: crossing.Search() for name in "abc"}
    asked = []

    def measure(wanted, seconds):
        asked.append(len(wanted))
        return machine.measure(wanted[:4], seconds)

    crossing.search_all(searches, measure, crossing.Budget(60, lambda: machine.clock_s))
    assert asked[:4] == [3, 12, 8, 4]  # those of the scan in three jobs
    assert [one.result().kind for one in searches.values()] == [CROSSING] * 3


def test_in_a_short_time_some_searches_end():
    machines = {percent: crossing_at(percent) for percent in range(36, 90)}
    clock = [0.0]

    def measure(wanted, seconds):
        clock[0] += 10 * seconds * len(wanted)
        return [machines[c].measure([(c, s)], seconds)[0] for c, s in wanted]

    searches = {percent: crossing.Search() for percent in machines}
    crossing.search_all(searches, measure, crossing.Budget(100, lambda: clock[0]))
    kinds = [one.result().kind for one in searches.values()]
    assert 5 < kinds.count(CROSSING) < 54
    assert kinds[:3] == [CROSSING] * 3 and kinds[-1] == UNCLEAR
    assert clock[0] < 110


def test_without_time_it_is_unclear():
    found = search(crossing_at(60), seconds=0.2)  # enough for three points
    assert (found.kind, found.why) == (UNCLEAR, "the time was over")
    assert search(crossing_at(60), seconds=0).why == "the time was over"


# Thresholds


def row(op, kind, rate=0, targets="all", **more):
    base = {"op": op, "type": "contiguous", "flush": "each", "targets": targets}
    return {**base, "kind": kind, "rate": rate, **more}


@pytest.mark.parametrize(
    "rows, low, high",
    [
        ([row("put", CROSSING, 60.4), row("acc", CROSSING, 71.2)], 60, 72),
        # a mean over sizes is one value
        ([row("put", CROSSING, 40), row("put", CROSSING, 60), row("acc", CROSSING, 70)], 50, 70),
        # without a crossing, no say
        ([row("put", CROSSING, 60), row("acc", ON), row("get", OFF), row("fop", UNCLEAR)], 60, 60),
        # the mean over patterns of the boundaries
        (
            [
                row("put", CROSSING, 40),
                row("acc", CROSSING, 60),
                row("put", CROSSING, 60, "node"),
                row("acc", CROSSING, 90, "node"),
            ],
            50,
            75,
        ),
        ([row("put", ON), row("acc", ON), row("get", OFF)], 100, 100),
        ([row("put", OFF), row("acc", SAME)], 0, 0),
        ([row("put", SAME), row("acc", UNCLEAR)], None, None),
        ([row("put", ON), row("acc", OFF)], None, None),
        # too little is certain
        ([row("put", CROSSING, 60), row("acc", UNCLEAR), row("get", UNCLEAR)], None, None),
        # nor has a whole pattern without one
        ([row("put", CROSSING, 60), row("acc", UNCLEAR, targets="node")], 60, 60),
        ([row("put", CROSSING, 60), row("acc", OFF, targets="node")], 60, 60),
    ],
)
def test_thresholds(rows, low, high):
    found = thresholds.derive(rows)
    assert (found["low"], found["high"]) == (low, high)
