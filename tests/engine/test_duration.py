"""How long a run may last, and how many runs there are."""

from __future__ import annotations

from typing import Any

import pytest

import didymos
from didymos.errors import InputError


@pytest.mark.parametrize("seconds", [0.0, -1.0, 0.001, float("nan"), float("inf"), float("-inf")])
def test_a_run_lasts_at_least_a_tick_and_ends(quadcopter: Any, seconds: float) -> None:
    with pytest.raises(InputError, match=r"expected a duration of at least one tick, 0\.0025 s"):
        quadcopter.simulate().run(seconds)


def test_each_seed_of_many_runs_needs_its_values(quadcopter: Any) -> None:
    with pytest.raises(InputError, match="2 seeds and 1 sets of values"):
        didymos.run_many(quadcopter, seeds=[1, 2], values=[{}])
