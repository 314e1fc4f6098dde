"""A compiled program's memory belongs to the twin's state."""

from __future__ import annotations

from typing import Any

import numpy as np

from didymos.contract import command, measurement, memory, setpoint, setting
from didymos.control import CompiledController, Gain, Robot, program


class Integrator(CompiledController):
    """Integrates the error of a position into a force."""

    ki = Gain(2.0)
    x = setpoint(unit="m")
    position = measurement(unit="m")
    first_force = setting(unit="N")
    force = memory(unit="N")
    push = command(unit="N")

    @program
    def step(clock: Any, settings, gains, measured, setpoints, memory, inputs):  # type: ignore[no-untyped-def]
        if clock.first == 1.0:
            memory.force = settings.first_force
        else:
            memory.force += clock.period * gains.ki * (setpoints.x - measured.position)
        inputs.push = memory.force

    def start(self, robot: Robot) -> None:
        self.reads, self.writes = {"position": ["encoder.rail.position"]}, {"push": ["push"]}
        self.settings["first_force"] = 0.25


CART = """<mujoco><worldbody><body name="cart"><joint name="rail" type="slide" axis="1 0 0" damping="3" stiffness="4"/>
  <geom size=".1" mass="1"/></body></worldbody><actuator><motor name="push" joint="rail"/></actuator></mujoco>"""


def _simulate(make_twin: Any) -> Any:
    twin = make_twin(
        CART,
        world={"step": 0.005, "integrator": "rk4"},
        sensors={"encoder": {"kind": "joints", "rate": 200}},
        scenarios={"hold": {"setpoints": {"x": 0.5}}},
    )
    program = Integrator()
    program.rate = 100.0
    return twin.simulate(scenario="hold", control=program)


def test_it_begins_fresh_and_sums_with_its_own_period(make_twin: Any) -> None:
    log = _simulate(make_twin).run(1.0)
    push = log["inputs.push"].values
    position = log["encoder.rail.position"].values[::2]  # called at every second reading
    expected = 0.25 + np.concatenate([[0.0], np.cumsum(0.01 * 2.0 * (0.5 - position[1:]))])
    np.testing.assert_allclose(push, expected, atol=1e-14)  # a hundred sums of numbers below one


def test_it_is_saved_restored_and_reset_with_the_twin(make_twin: Any) -> None:
    simulation = _simulate(make_twin)
    whole = simulation.run(0.5).sha256
    state = simulation.save()
    after, end = simulation.run(0.5).sha256, simulation.save().vector
    simulation.restore(state)
    assert simulation.run(0.5).sha256 == after
    np.testing.assert_array_equal(simulation.save().vector, end)
    simulation.reset()
    assert simulation.run(0.5).sha256 == whole
    other = _simulate(make_twin)
    other.restore(state)
    assert other.run(0.5).sha256 == after


def test_it_removes_the_error_for_good(make_twin: Any) -> None:
    log = _simulate(make_twin).run(30.0)
    # against a spring of 4 N/m: x''' + 3 x'' + 4 x' + 2 (x - 0.5) = 0 has its slowest pole at -1 1/s
    assert abs(log["encoder.rail.position"].values[-1] - 0.5) < 1e-9
