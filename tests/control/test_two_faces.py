"""One law, two faces: compiled in the loop and called from Python."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

import didymos
from didymos.contract import setpoint
from didymos.control import Robot, Values
from didymos.control.multirotor_pd import MultirotorPd


class Subclass(MultirotorPd):
    """The shipped law through an `update` of Python."""

    calls = 0

    def update(self, t: float, measured: Values, setpoints: Values) -> Mapping[str, float]:
        self.calls += 1
        return super().update(t, measured, setpoints)


class Holder(didymos.Controller):
    """A program of one's own that asks the shipped one."""

    rate = 400.0
    roll = setpoint(unit="rad")
    pitch = setpoint(unit="rad")
    yaw = setpoint(unit="rad")
    z = setpoint(unit="m")

    def __init__(self, inner: MultirotorPd) -> None:
        self.inner = inner

    def start(self, robot: Robot) -> None:
        self.inner.start(robot)

    def update(self, t: float, measured: Values, setpoints: Values) -> Mapping[str, float]:
        return self.inner.update(t, measured, setpoints)


@pytest.fixture(scope="module")
def compiled_sha256(quadcopter: Any) -> str:
    return quadcopter.simulate(scenario="attitude_steps", seed=3).run(3.0).sha256


def _tuned(quadcopter: Any, program: MultirotorPd) -> Any:
    program.rate = 400.0
    program.gains[:] = quadcopter.make_program().gains
    return program


def test_a_subclass_with_its_own_update_is_asked_and_flies_the_same_to_the_bit(
    quadcopter: Any, compiled_sha256: str
) -> None:
    program = _tuned(quadcopter, Subclass())
    log = quadcopter.simulate(scenario="attitude_steps", seed=3, control=program).run(3.0)
    assert program.calls == 1200
    assert log.sha256 == compiled_sha256


def test_a_program_that_holds_the_shipped_one_flies_the_same_to_the_bit(quadcopter: Any, compiled_sha256: str) -> None:
    program = Holder(_tuned(quadcopter, MultirotorPd()))
    assert quadcopter.simulate(scenario="attitude_steps", seed=3, control=program).run(3.0).sha256 == compiled_sha256
