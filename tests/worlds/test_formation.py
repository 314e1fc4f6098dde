"""The world `formation`: nine quadcopters keep their places in a V by what they see of the leader, in gusts and wakes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import didymos

FOLLOWERS = [f"{side}{i}" for side in ("left", "right") for i in range(1, 5)]


@pytest.fixture(scope="module")
def world() -> Any:
    return didymos.load_world("formation")


@pytest.fixture(scope="module")
def flight(world: Any) -> Any:
    """All of the scenario."""
    simulation = world.simulate(seed=1, scenario="turn")
    return simulation, simulation.run()


def test_the_v_is_held_through_start_and_turn(flight: Any) -> None:
    simulation, log = flight
    verdicts = simulation.judge(log)
    assert len(verdicts) == 10
    assert [verdict.name for verdict in verdicts if not verdict.ok] == []


def test_the_v_moves_and_turns(flight: Any) -> None:
    """40 m along x, a quarter circle of 25.5 m, 30 m along y; a leader of kp 0.4 1/s is 5 m behind a set-point of 2 m/s."""
    _, log = flight
    x, y, yaw = (log[f"leader.truth.{name}"].values for name in ("position.x", "position.y", "yaw"))
    assert np.hypot(x[-1] - 65.5, y[-1] - (55.5 - 5.0)) < 2.0  # three sigma of the satellites' 0.5 m, and gusts
    assert yaw[-1] == pytest.approx(np.pi / 2, abs=0.05)
    for follower in FOLLOWERS:  # the V came along: behind the leader and beside it, in its heading
        place = np.array([log[f"{follower}.truth.position.{axis}"].values[-1] for axis in "xy"]) - [x[-1], y[-1]]
        assert place[1] < -1.0
        assert place[0] * (-1.0 if follower.startswith("left") else 1.0) > 1.0


def test_followers_do_not_share_the_error_of_their_own_position(flight: Any) -> None:
    """Satellites are off by half a metre, otherwise for each; places in the V are not, once the leader flies steadily."""
    _, log = flight
    off = []
    for follower in FOLLOWERS:
        gps, truth = log[f"{follower}.gps.position.x"], log[f"{follower}.truth.position.x"]
        late = gps.time > 50.0
        off.append(np.mean(gps.values[late] - np.interp(gps.time[late], truth.time, truth.values)))
    errors = [np.abs([log[f"{name}.control.error.{axis}"].values[-500:].mean() for axis in "xy"]).max() for name in FOLLOWERS]
    assert np.std(off) > 0.2  # eight draws of 0.5 m
    assert max(errors) < 0.2


def test_a_follower_that_sees_nothing_stays_behind(world: Any) -> None:
    simulation = world.simulate(seed=1, scenario="turn")
    simulation.set("left2.sensors.sight.drop_out", 1.0)
    verdicts = {verdict.name: verdict for verdict in simulation.judge(simulation.run(12.0))}
    assert verdicts["left2 in its place"].ok is False
    assert verdicts["left3 in its place"].ok


def test_the_wake_is_on_and_is_one_key(world: Any) -> None:
    assert world.file.world.wake.on
