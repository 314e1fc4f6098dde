"""How often a program is called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

import didymos
from didymos.control import Values
from didymos.errors import InputError


class Counting(didymos.Controller):
    """Counts its calls."""

    def __init__(self, rate: float) -> None:
        self.rate = rate
        self.times: list[float] = []

    def update(self, t: float, measured: Values, setpoints: Values) -> Mapping[str, float]:
        self.times.append(t)
        return {}


@pytest.mark.parametrize("rate", [0.0, -100.0, 300.0, 1000.0])
def test_a_rate_that_does_not_fit_the_physics_step_is_refused(quadcopter: Any, rate: float) -> None:
    with pytest.raises(InputError, match=r"whole number of physics steps of 0\.0025 s"):
        quadcopter.simulate(control=Counting(rate))


@pytest.mark.parametrize("rate", [400.0, 200.0, 50.0])
def test_a_program_is_called_at_its_rate_also_beside_a_faster_sensor(quadcopter: Any, rate: float) -> None:
    program = Counting(rate)
    quadcopter.simulate(control=program).run(0.2)
    assert program.times == pytest.approx([i / rate for i in range(round(0.2 * rate))], abs=1e-12)
