"""Sticks, autopilot options and the estimator against the truth."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import pytest

from didymos.control import Allocations, Robot
from didymos.control.allocation_spec import AllocationSetSpec, stated_allocation
from didymos.control.fixed_wing import FixedWing
from didymos.control.multirotor_hold import MultirotorHold
from didymos.control.sticks import Sticks
from didymos.control.values import Values
from didymos.engine.simulation import Simulation
from didymos.errors import InputError
from didymos.twin import load


def _plane() -> Allocations:
    """Two ailerons, an elevator and a motor."""
    spec = AllocationSetSpec.model_validate({"roll": ["left", "right"], "pitch": "elevator", "thrust": "motor"})
    ranges = {"left": (-1.0, 1.0), "right": (-1.0, 1.0), "elevator": (-1.0, 1.0), "motor": (0.0, 1.0)}
    return Allocations(lambda name: stated_allocation(spec, ranges, tuple(ranges), hover=name == "hover"))


def test_sticks_go_straight_to_their_inputs() -> None:
    sticks = Sticks()
    sticks.set_gain("trim.pitch", 0.1)
    sticks.start(Robot(("left", "right", "elevator", "motor"), (), sticks.setpoints, allocation=_plane()))
    setpoints = Values({name: i for i, name in enumerate(sticks.setpoints)}, np.array([0.4, -0.3, 0.9, 1.7]))
    assert sticks.update(0.0, setpoints, setpoints) == pytest.approx({"left": 0.4, "right": 0.4, "elevator": -0.2, "motor": 1.0})


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "exactly one of"),
        ({"sensor": "state", "estimator": {}}, "exactly one of"),
        ({"estimator": {"gsp": "gps"}}, "gps"),
        ({"sensor": "state", "waypoints": [[0, 0, 1]]}, "two to 1000"),
        ({"sensor": "state", "waypoints": [[0, 0, 1], [0, 0, 9]]}, "closer than 1 m"),
    ],
)
def test_options_that_contradict_each_other_are_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        FixedWing(**options)


def test_a_robot_that_does_not_say_what_turns_it_cannot_be_flown_by_sticks() -> None:
    with pytest.raises(InputError, match=r"allocation: this robot does not say which inputs roll"):
        Sticks().start(Robot(("left",), (), ()))


def test_a_reading_that_no_sensor_gives_is_named() -> None:
    groups = ("imu.gyro", "imu.accel", "gps.position", "gps.velocity")
    measured = (*(f"{group}.{axis}" for group in groups for axis in "xyz"), "imu.stamp", "gps.stamp")
    with pytest.raises(InputError, match=r"compass\.field\.x"):
        MultirotorHold(estimator={"magnetometer": "compass"}).start(Robot((), measured, ()))


def _navigation(simulation: Simulation) -> Any:
    """What the autopilot's navigation remembers, a record of `FILTER_MEMORY`."""
    start, layout = simulation.built.assembly.state.starts["program"], FixedWing.memory_layout
    return simulation.data.plugin_state[start : start + layout.itemsize // 8].view(layout)[0]["navigation"]


def _tilt_and_heading_error(simulation: Simulation) -> tuple[float, float]:
    """Angles [rad] between the estimated and the true attitude, about level axes and about the vertical."""
    turned, error = np.zeros(4), np.zeros(4)
    mujoco.mju_negQuat(turned, _navigation(simulation)["estimate"]["orientation"].copy())
    mujoco.mju_mulQuat(error, simulation.data.qpos[3:7], turned)
    vector = 2.0 * error[1:] * np.sign(error[0])
    return float(np.hypot(vector[0], vector[1])), abs(float(vector[2]))


def test_without_errors_the_estimate_is_the_truth() -> None:
    """What is left comes from holding readings for a period of 10 ms while the plane banks at up to 1 rad/s."""
    plane = load("skywalker_2013")
    for name in plane.file.sensors:
        plane.set(f"sensors.{name}.errors", 0.0)
    simulation = plane.simulate(scenario="waypoints")
    worst = np.zeros(2)
    for _ in range(20):
        simulation.run(2.0)
        if simulation.time > 10.0:
            worst = np.maximum(worst, _tilt_and_heading_error(simulation))
    assert worst[0] < 0.01
    assert worst[1] < 0.015


def test_with_errors_the_estimate_learns_the_bias_of_the_gyro() -> None:
    """A bias of 1 deg/s on every axis: unlearned, it would tip the estimate over within a minute."""
    plane = load("skywalker_2013")
    plane.set("sensors.imu.gyro.bias", 0.017)
    simulation = plane.simulate(seed=9, scenario="cruise")
    simulation.run(80.0)
    place = simulation.built.assembly.state.starts
    drawn = simulation.data.plugin_state[place["bias:imu.gyro"] : place["bias:imu.gyro"] + 3]
    learned = _navigation(simulation)["nominal"]["gyro_bias"]
    assert np.abs(drawn).max() > 0.005
    # five of the filter's own standard deviations (8e-5 rad/s, 0.2 deg) after 80 s
    np.testing.assert_allclose(learned, drawn, atol=4e-4)
    assert _tilt_and_heading_error(simulation)[0] < 0.017
