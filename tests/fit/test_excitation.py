"""Excitations: within range and speed for any numbers, and back where they began."""

from __future__ import annotations

import numpy as np
import pytest

from didymos.fitting.bursts import Bursts
from didymos.fitting.chain import Chain
from didymos.fitting.excitation import Family, Moved, values_of
from didymos.fitting.sines import Sines

SLOW = Moved("setpoints.a", "rad", 0.4, -1.0, 0.7, 2.0)
FREE = Moved("setpoints.b", "rev", 0.0, -0.1, 0.1)
SECONDS, TICK = 4.0, 0.005
FAMILIES: list[Family] = [
    Sines((SLOW, FREE), SECONDS, 5.0, 4), Bursts((SLOW, FREE), SECONDS, 5.0, TICK, 5),
    Chain(Bursts((SLOW, FREE), SECONDS / 4, 5.0, TICK, 3), 4),
]  # fmt: skip
TIMES = np.arange(0.0, SECONDS + 1e-9, 0.001)


def names(family: Family) -> str:
    return family.name


@pytest.mark.parametrize("family", FAMILIES, ids=names)
def test_any_numbers_stay_within_range_and_speed_and_come_home(family: Family) -> None:
    rng = np.random.default_rng(1)
    for corner in (None, 0.0, 1.0, None, None):
        point = rng.uniform(size=family.size) if corner is None else np.full(family.size, corner)
        stimuli = family.stimuli(point)
        for one in (SLOW, FREE):
            values = values_of(stimuli, one.target, TIMES)
            slack = 2e-3 * (one.high - one.low)  # of rounding to digits that people read
            assert values.min() >= one.low - slack
            assert values.max() <= one.high + slack
            assert values[0] == pytest.approx(one.home, abs=1e-9)
            assert values[-1] == pytest.approx(one.home, abs=slack)
            assert np.abs(np.diff(values)).max() / 0.001 <= 1.02 * one.speed


@pytest.mark.parametrize("family", FAMILIES, ids=names)
def test_every_excitation_has_the_same_targets_in_the_same_order(family: Family) -> None:
    rng = np.random.default_rng(2)
    targets = [[item.target for item in family.stimuli(rng.uniform(size=family.size))] for _ in range(5)]
    assert all(one == targets[0] for one in targets)


@pytest.mark.parametrize("family", FAMILIES, ids=names)
def test_a_factor_makes_it_smaller(family: Family) -> None:
    point = np.random.default_rng(3).uniform(size=family.size)
    large, small = (values_of(family.stimuli(point, factor), "setpoints.b", TIMES) for factor in (1.0, 0.5))
    assert np.abs(small).max() == pytest.approx(0.5 * np.abs(large).max(), rel=0.3)


def test_a_sum_of_sines_begins_and_ends_at_rest_and_has_whole_waves() -> None:
    family = FAMILIES[0]
    stimuli = family.stimuli(np.random.default_rng(4).uniform(size=family.size))
    values = values_of(stimuli, "setpoints.a", TIMES)
    fastest = np.abs(np.diff(values)).max()
    assert abs(values[1] - values[0]) < 0.05 * fastest
    assert abs(values[-1] - values[-2]) < 0.05 * fastest
    waves = [item.frequency * SECONDS for item in stimuli]
    assert waves == pytest.approx(np.round(waves))
    assert max(waves) <= 5.0 * SECONDS


def test_the_size_touches_the_range_where_the_speed_is_free() -> None:
    family = Sines((FREE,), SECONDS, 5.0, 4)
    point = np.random.default_rng(5).uniform(size=family.size)
    point[family.sizes] = 1.0
    values = values_of(family.stimuli(point), "setpoints.b", TIMES)
    assert max(values.max() / 0.1, values.min() / -0.1) == pytest.approx(1.0, abs=5e-3)


def test_the_pieces_of_a_chain_are_what_they_are_alone_and_meet_at_home() -> None:
    chain = FAMILIES[2]
    assert isinstance(chain, Chain)
    point = np.random.default_rng(5).uniform(size=chain.size)
    inside = np.linspace(0.0, chain.piece.seconds, 200, endpoint=False)
    for one in (SLOW, FREE):
        for k, numbers in enumerate(np.split(point, chain.count)):
            alone = values_of(chain.piece.stimuli(numbers), one.target, inside)
            within = values_of(chain.stimuli(point), one.target, inside + k * chain.piece.seconds)
            slack = 2e-3 * (one.high - one.low)  # of rounding to digits that people read
            assert within == pytest.approx(alone, abs=slack)
            assert within[0] == pytest.approx(one.home, abs=slack)
