"""A saved state is the whole state: a run that is restored continues to the bit."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import didymos
from didymos.control import Values
from didymos.errors import InputError

HOP = """<mujoco><worldbody><body name="body"><freejoint name="free"/><geom type="box" size=".1 .15 .02" mass="1"/>
  <site name="nozzle" pos=".05 0 .02" euler="0 -90 0"/></body></worldbody></mujoco>"""

SWELL = {"target": "inputs.rotor", "kind": "sine", "amplitude": 0.3, "frequency": 1, "offset": 0.5}


class Learning(didymos.Controller):
    """Remembers in attributes that it makes when it first needs them."""

    rate = 50.0
    kp = didymos.Gain(0.4)

    def update(self, t: float, measured: Values, setpoints: Values) -> Mapping[str, float]:
        if not hasattr(self, "seen"):
            self.seen: list[float] = []
        self.seen.append(measured.imu.accel.z)
        return {"rotor": self.kp + 0.01 * float(np.tanh(sum(self.seen[-9:]) - 9.0 * len(self.seen[-9:])))}


@pytest.fixture(scope="module")
def hopper(make_twin: Any) -> Any:
    """A free body with a rotor with lag, noisy sensors with delay and walking bias, on the ground at first."""
    errors = {"noise": 0.01, "bias": 0.02, "bias_walk": 0.05}
    return make_twin(
        HOP,
        world={"integrator": "rk4", "step": 0.002, "ground": {}, "wind": {"speed": 2.0, "exponent": 0.2}},
        parts={
            "rotor": {
                "kind": "rotor", "link": "nozzle", "direction": 1, "thrust_coefficient": 3e-5,
                "torque_coefficient": 1e-7, "speed_per_input": 1000.0, "time_constant": 0.08,
            },
            "drag": {"kind": "body_drag", "link": "body", "area_x": 0.02, "area_y": 0.01, "area_z": 0.03},
        },
        sensors={
            "imu": {
                "kind": "imu", "link": "nozzle", "rate": 250, "delay": 0.03, "drop_out": 0.1, "gyro": errors,
                "accel": errors,
            },
            "pose": {
                "kind": "odometry", "link": "body", "rate": 40, "delay": 0.11, "position": errors,
                "orientation": errors,
            },
        },
        start={"position": [0, 0, 0.019]},
        scenarios={"hop": {"stimuli": [SWELL]}},
    )  # fmt: skip


def _assert_continues(simulation: Any) -> None:
    simulation.run(0.777)
    state = simulation.save()
    straight, end = simulation.run(0.9).sha256, simulation.save()
    simulation.restore(state)
    again = simulation.run(0.9)
    assert again.sha256 == straight
    np.testing.assert_array_equal(simulation.save().vector, end.vector)
    assert len(again["truth.position.z"].values) == 90


def test_compiled_programs_continue(quadcopter: Any) -> None:
    twin = quadcopter.copy()
    twin.set("sensors.state.position.noise", 0.01)
    _assert_continues(twin.simulate(scenario="climb", seed=5))


def test_parts_with_lag_and_sensors_with_delay_and_walking_bias_continue(hopper: Any) -> None:
    _assert_continues(hopper.simulate(scenario="hop", seed=11))


def test_python_programs_continue_with_what_they_remembered(hopper: Any) -> None:
    _assert_continues(hopper.simulate(control=Learning(), seed=11))


def test_a_state_continues_in_another_simulation_of_the_same_twin(hopper: Any) -> None:
    first = hopper.simulate(control=Learning(), seed=11)
    first.run(0.5)
    state = first.save()
    second = hopper.simulate(control=Learning(), seed=4)  # another seed: the random streams are part of the state
    second.restore(state)
    assert second.time == first.time == pytest.approx(0.5)
    assert second.run(0.5).sha256 == first.run(0.5).sha256


def test_a_saved_state_does_not_change_while_the_run_goes_on(hopper: Any) -> None:
    simulation = hopper.simulate(control=Learning())
    simulation.run(0.2)
    state = simulation.save()
    vector, seen = state.vector.copy(), list(state.program["seen"])
    simulation.run(0.2)
    np.testing.assert_array_equal(state.vector, vector)
    assert state.program["seen"] == seen


def test_restore_forgets_what_the_program_learnt_since_but_keeps_its_gains(hopper: Any) -> None:
    program = Learning()
    simulation = hopper.simulate(control=program)
    state = simulation.save()
    first = simulation.run(0.3).sha256
    simulation.restore(state)
    assert not hasattr(program, "seen")
    assert simulation.run(0.3).sha256 == first
    program.kp = 0.7
    simulation.restore(state)
    assert program.kp == 0.7


@pytest.mark.parametrize("python", [True, False])
def test_reset_is_a_fresh_run(hopper: Any, python: bool) -> None:
    simulation = hopper.simulate(seed=2, control=Learning()) if python else hopper.simulate(seed=2, scenario="hop")
    first = simulation.run(0.5).sha256
    simulation.reset()
    assert simulation.time == 0.0
    assert simulation.run(0.5).sha256 == first


class Locked(Learning):
    """Holds what no copy can be made of."""

    def __init__(self) -> None:
        self.lock = threading.Lock()


def test_a_program_that_cannot_be_copied_runs_but_cannot_be_saved(hopper: Any) -> None:
    simulation = hopper.simulate(control=Locked())
    simulation.run(0.1)
    for impossible in (simulation.save, simulation.reset):
        with pytest.raises(InputError, match="Locked holds something that cannot be copied"):
            impossible()


def test_what_is_no_state_of_this_run_is_refused_with_one_sentence(hopper: Any) -> None:
    simulation = hopper.simulate(seed=1)
    simulation.step(seconds=0.1)
    state, other = simulation.save(), didymos.load("quadcopter").simulate().save()
    wrong = {
        "another twin's": (other, "this state was saved by quadcopter"),
        "nothing": (None, "found NoneType"),
        "a mapping": ({}, "found dict"),
        "a text": ("state", "found str"),
        "short": (replace(state, vector=state.vector[:-1]), "this state is damaged"),
        "coarse": (replace(state, vector=state.vector.astype(np.float32)), "this state is damaged"),
        "empty": (replace(state, vector=None), "this state is damaged"),
        "forgetful": (replace(state, program=None), "this state is damaged"),
        "nameless": (replace(state, made_by=None), "this state was saved by another version"),
        "no numbers": (replace(state, vector=np.nan * state.vector), "its clock says otherwise"),
        "another tick": (replace(state, tick="three"), "its clock says otherwise"),
    }
    for name, (given, said) in wrong.items():
        with pytest.raises(InputError, match=said):
            simulation.restore(given)
        assert np.array_equal(simulation.save().vector, state.vector, equal_nan=True), name
    simulation.restore(state)
