"""The world `landing`: a quadcopter lands on a deck that drives; and so does another multirotor, on another deck."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import didymos

FOLDER = Path(didymos.__file__).parent / "worlds" / "landing"


@pytest.fixture(scope="module")
def world() -> Any:
    return didymos.load_world("landing")


@pytest.mark.parametrize("scenario", ["circle", "line"])
def test_it_lands_on_the_deck_wherever_it_comes_from(world: Any, scenario: str) -> None:
    ranges = {f"drone.start.position.{axis}": (-8.0, 8.0) for axis in "xy"} | {"world.wind.direction": (-3.14, 3.14)}
    trials = didymos.sweep(world, ranges, runs=4, scenario=scenario, seed=7)
    for trial in trials:
        assert trial.error is None
        assert [verdict.name for verdict in trial.verdicts if not verdict.ok] == []


def test_once_landed_it_is_carried_along(world: Any) -> None:
    simulation = world.simulate(seed=2, scenario="line")
    log = simulation.run()
    late = log["drone.truth.position.y"].time > 20.0
    speed = np.polyfit(log["drone.truth.position.y"].time[late], log["drone.truth.position.y"].values[late], 1)[0]
    assert speed == pytest.approx(0.8, rel=0.03)  # the base goes 1.2 % too far
    assert all(log[f"drone.inputs.motor{i}"].values[-1] == 0.0 for i in range(1, 5))


def test_the_operator_may_call_it_off(world: Any) -> None:
    """It climbs back and stays above the deck; who did it is in the log."""
    simulation = world.simulate(seed=2, scenario="called_off")
    log = simulation.run()
    assert [(verdict.name, verdict.value) for verdict in simulation.judge(log) if not verdict.ok] == []
    assert (10.0, "drone.reason", "the operator") in [(round(time, 1), name, text) for time, name, text in simulation.events(log)]


def test_the_deck_weighs_on_what_carries_it_and_keeps_its_place(world: Any) -> None:
    simulation = world.simulate(scenario="circle")
    log = simulation.run(0.5)
    height = log["deck.truth.position.z"].values - log["base.truth.position.z"].values
    assert height == pytest.approx(0.42, abs=1e-3)


OTHER = """
world: {{step: 0.0025, integrator: implicitfast, gravity: 9.81, wind: {{speed: 3.0}}}}
robots:
  six:
    twin: hexacopter
    start: {{position: [3, -2, 4]}}
    control:
      program: multirotor_landing
      rate: 400
      options:
        target: camera
        rotor_speeds: esc
        estimator: {{imu: imu, gps: gps, magnetometer: compass, barometer: baro, declination: 0.0880}}
      gains:
        roll: {{kp: 0.1, kd: 0.02}}
        pitch: {{kp: 0.16, kd: 0.04}}
        yaw: {{kp: 0.09, kd: 0.07}}
        height: {{kp: 0.18, kd: 0.17, ki: 0.05, hover: 0.4643}}
        gear: {{height: 0.015}}
    sensors: {{camera: {{kind: relative_pose, link: body_FLU, target: pad.plate, rate: 30, position: {{noise: 0.01}}}}}}
  pad: {{twin: {deck}, mount: {{position: [0, 0, 1.0], orientation: [0, 0, 0.5]}}}}
scenarios:
  land:
    seconds: 20
    setpoints: {{six.land: 1, six.x: 0.1}}
    expect:
      - {{name: off, signal: six.control.stage, measure: final, low: 5, high: 5}}
      - {{name: place, relative: {{of: six, to: pad, along: level}}, point: [0.1, 0, 0], measure: final, high: 0.2}}
      - {{name: height, relative: {{of: six, to: pad, along: z}}, measure: final, target: 0.015, low: -0.002, high: 0.002}}
"""


def test_another_multirotor_lands_on_another_deck(make_world: Any) -> None:
    """Six rotors, a plate that stands fast and is turned, a place beside its middle; names by options."""
    world = make_world(OTHER.format(deck=FOLDER / "deck"))
    simulation = world.simulate(seed=3, scenario="land")
    assert [(verdict.name, verdict.value) for verdict in simulation.judge(simulation.run()) if not verdict.ok] == []
