"""The interval of a pass rate, and a sweep that stops by it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from didymos.engine.verdict import Verdict
from didymos.errors import InputError
from didymos.studies.pass_rate import STOPPED_LEVEL, next_look, pass_rate
from didymos.studies.plan import FixedPlan
from didymos.studies.trial import Trial


def trial(passed: bool) -> Trial:
    return Trial(0, {}, (Verdict("x", 0.0, None, 1.0, passed),), None)


def test_the_interval_is_that_of_clopper_and_pearson() -> None:
    for passed, runs in ((0, 20), (7, 20), (20, 20), (990, 1000)):
        expected = stats.binomtest(passed, runs).proportion_ci(0.95, "exact")
        found = pass_rate(passed, runs)
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=1e-9)


@pytest.mark.parametrize(("until", "most"), [(0.1, 10_000), (0.05, 10_000), (0.05, 150), (0.03, 10_000)])
def test_an_interval_that_said_when_to_stop_holds_the_truth_in_95_of_100(until: float, most: int) -> None:
    rates = np.concatenate([np.linspace(0.002, 0.1, 50), np.linspace(0.11, 0.5, 40)])
    walk, covered, runs = np.ones((len(rates), 1)), np.zeros(len(rates)), 0
    while walk.sum() > 1e-9:
        more = min(next_look(runs), most) - runs
        steps = stats.binom.pmf(np.arange(more + 1), more, rates[:, None])
        after = np.zeros((len(rates), runs + more + 1))
        for passed in range(more + 1):
            after[:, passed : passed + runs + 1] += steps[:, passed, None] * walk
        walk, runs = after, runs + more
        found = [pass_rate(passed, runs, level=STOPPED_LEVEL) for passed in range(runs + 1)]
        stop = np.array([x.half_width <= until for x in found]) | (runs == most)
        inside = np.array([[x.low <= rate <= x.high for x in found] for rate in rates])
        covered += (walk * (stop & inside)).sum(axis=1)
        walk = walk * ~stop
    assert covered.min() >= 0.95


def test_a_sweep_stops_when_its_interval_is_narrow_enough() -> None:
    plan = FixedPlan({"a": (0.0, 1.0)}, runs=10_000, until=0.02, sampling="random")
    told = 0
    while asked := plan.ask():
        plan.tell([trial(True)] * len(asked))
        told += len(asked)
    # all pass: half of 1 - 0.015^(1/n) is below 0.02 from n = 103 on; looks are 20 runs apart
    assert told == 120
    everything = FixedPlan({"a": (0.0, 1.0)}, runs=50)
    assert len(everything.ask()) == 50
    assert not everything.ask()


def test_a_stop_that_cannot_be_is_refused() -> None:
    with pytest.raises(InputError, match="between 0 and"):
        FixedPlan({}, runs=10, until=0.7)
    with pytest.raises(InputError, match="goes with random draws"):
        FixedPlan({"a": (0.0, 1.0)}, runs=10, until=0.1, sampling="grid")
