# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""At which share of time in MPI are ghosts and targets equally fast? (TPDS 7.2)

The search of casper calibrate, without MPI: where to measure next, and what the measurements say.

A program that computes little between its operations has a high share; the search varies the computing. Where
it measures is given as x, the share that the program would have if operations took as long as they do
without computing.
"""

import math
import statistics
from dataclasses import dataclass

BAND = math.log(1.05)  # times that differ by less count as equal
SCAN = (0.75, 0.5, 0.25, 0.1)  # x of the first look, behind x = 1
LEAST_PAIRS = 3  # fewer do not tell how much they vary
NARROW = 0.01  # a bracket of this width in x is not divided any more
MOST_TRIES = 3  # of a point whose figures vary too much
MOST_STEPS = 8  # of the bisection

CROSSING, ON, OFF, SAME, UNCLEAR = "crossing", "on", "off", "same", "unclear"


@dataclass(frozen=True)
class Point:
    """What is known at one x; `ratio`: logarithm of the time with redirection over that without."""

    x: float
    ratio: float
    error: float
    rate: float  # share of time in MPI, percent

    @property
    def side(self):
        """1: targets are faster, -1: ghosts, 0: neither, None: the figures vary too much to tell."""
        if abs(self.ratio) > BAND and abs(self.ratio) > 2 * self.error:
            return 1 if self.ratio > 0 else -1
        return 0 if abs(self.ratio) <= BAND and self.error <= BAND else None


def make_point(x, pairs):
    """The Point of pairs ((seconds, rate) with redirection, the same without)."""
    ratios = [math.log(on[0] / off[0]) for on, off in pairs]
    middle = statistics.median(ratios)
    spread = statistics.mean(abs(ratio - middle) for ratio in ratios)
    error = 2 * spread / math.sqrt(len(ratios)) if len(ratios) >= LEAST_PAIRS else math.inf
    rate = statistics.median(side[1] for pair in pairs for side in pair)
    return Point(x, middle, error, rate)


@dataclass(frozen=True)
class Result:
    """What the search found. CROSSING: both are equal at `rate`, within 5 % from `low` to `high`; ON, OFF:
    ghosts (targets) are faster or equal at every rate; SAME: no difference; UNCLEAR: `why`."""

    kind: str
    rate: float = 0
    low: float = 0
    high: float = 0
    why: str = ""


def _between(a, b, level):
    """The rate at which the line from Point a to Point b has this ratio."""
    part = (a.ratio - level) / (a.ratio - b.ratio)
    return a.rate + part * (b.rate - a.rate)


def _rates_at(points, level):
    """All rates at which the line through the points crosses this ratio."""
    pairs = [(a, b) for a, b in zip(points, points[1:]) if a.ratio != b.ratio]
    return [_between(a, b, level) for a, b in pairs if (a.ratio - level) * (b.ratio - level) <= 0]


class Search:
    """The search for one combination of factors."""

    def __init__(self):
        self.base_s = 0  # an iteration without computing
        self.pairs = {}  # x: [pair]
        self.tries = {}  # x: how often it was measured
        self.steps = 0
        self.stopped = ""  # why it had to end early

    def compute_s(self, x):
        """The computing of an iteration."""
        return self.base_s * (1 - x) / x

    def add(self, x, pairs):
        """Figures for x, more of them if there are some already."""
        if not self.pairs:
            self.base_s = statistics.median(off[0] for _, off in pairs)
        self.pairs.setdefault(x, []).extend(pairs)
        self.tries[x] = self.tries.get(x, 0) + 1

    def points(self):
        """From no computing to much."""
        return [make_point(x, self.pairs[x]) for x in sorted(self.pairs, reverse=True)]

    def _sides(self):
        """The sides that are sure, without repetitions."""
        sides = [p.side for p in self.points() if p.side]
        return [side for i, side in enumerate(sides) if i == 0 or side != sides[i - 1]]

    def _bracket(self):
        """The points from the last at which targets are faster to the first at which ghosts are."""
        points = self.points()
        first = max(i for i, p in enumerate(points) if p.side == 1)
        last = min(i for i, p in enumerate(points) if p.side == -1)
        return points[first : last + 1]

    def _noisy(self, points):
        return [p.x for p in points if p.side is None and self.tries[p.x] < MOST_TRIES]

    def next(self):
        """All x to measure next; none: the search is over."""
        if self.stopped:
            return []
        if not self.pairs:
            return [1.0]
        missing = [x for x in SCAN if x not in self.pairs]
        if missing:
            return missing
        if self._sides() != [1, -1]:
            return self._noisy(self.points())
        inside = self._bracket()
        if any(p.side == 0 for p in inside):
            return []
        return self._noisy(inside) or self._divide(inside)

    def _divide(self, inside):
        """Where the ratio is likely to be zero, not too close to either end."""
        high, low = inside[0], inside[-1]
        if len(inside) > 2 or high.x - low.x < NARROW or self.steps >= MOST_STEPS:
            return []
        self.steps += 1
        part = high.ratio / (high.ratio - low.ratio)
        return [high.x + min(max(part, 0.2), 0.8) * (low.x - high.x)]

    def result(self):
        if not self.pairs:
            return Result(UNCLEAR, why=self.stopped or "nothing was measured")
        sides = self._sides()
        if sides == [1, -1]:
            return self._crossing()
        if len(sides) > 1:
            why = "faster with ghosts above, not below" if sides == [-1, 1] else "several crossings"
            return Result(UNCLEAR, why=why)
        noisy = [p for p in self.points() if p.side is None]
        if self.stopped or len(noisy) * 2 > len(self.pairs) or (noisy and not sides):
            return Result(UNCLEAR, why=self.stopped or "the figures vary too much")
        return Result({(1,): OFF, (-1,): ON}.get(tuple(sides), SAME))

    def _crossing(self):
        inside = self._bracket()
        zero = _rates_at(inside, 0)
        edges = _rates_at(inside, BAND) + _rates_at(inside, -BAND)
        rate = (zero[0] + zero[-1]) / 2
        return Result(CROSSING, rate, min([rate, *edges]), max([rate, *edges]))


# All combinations

LEAST_S, MOST_S = 0.06, 2.0  # for a point in one round
FIRST, FIRST_S = 3, 0.4  # points of the first round, and at most for each
ROUNDS = 8  # that the time is divided among


class Budget:
    """How much time is left, by a clock."""

    def __init__(self, seconds, clock):
        self.end = clock() + seconds
        self.clock = clock

    def left(self):
        return self.end - self.clock()


def _share(left_s, turn, points, longer):
    """(how many points of the next round, seconds for each) for what is left of the time."""
    if turn == 0:  # to learn how much longer than it should all takes here
        return FIRST, min(max(left_s / 20 / FIRST, LEAST_S), FIRST_S)
    # Half of the time at most for one round: rather a few searches to the end than none.
    count = min(points, max(0, int(left_s / 2 / longer / LEAST_S)))
    each_s = left_s / max(2, ROUNDS - turn) / max(1, count) / longer
    return count, min(max(each_s, LEAST_S), MOST_S)


def search_all(searches, measure, budget, progress=lambda points, seconds: None):
    """Runs the searches ({combination: Search}) side by side: each round is one call of
    measure([(combination, compute_s)], seconds for each) -> [pairs], of the first ones at least."""
    longer = 1.0
    for turn in range(3 * ROUNDS):
        left_s = budget.left()
        todo = [(c, x) for c, search in searches.items() for x in search.next()]
        count, each_s = _share(left_s, turn, len(todo), longer)
        todo = todo[:count] if left_s > LEAST_S else []
        if not todo:
            break
        progress(len(todo), each_s)
        found = measure([(c, searches[c].compute_s(x)) for c, x in todo], each_s)
        for (c, x), pairs in zip(todo, found):
            searches[c].add(x, pairs)
        longer = max(1.0, (left_s - budget.left()) / (each_s * max(1, len(found))))
    for search in searches.values():
        if search.next():
            search.stopped = "the time was over"
