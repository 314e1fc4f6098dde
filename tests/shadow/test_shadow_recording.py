"""The log of both sides of a shadow: what the robot told, what the twin made of it, alarms, and what a kill leaves of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import didymos
from didymos.shadow.alarm import Alarm, Likely
from didymos.shadow.estimate import Estimate, Frame
from didymos.shadow.log_clock import LogClock
from didymos.shadow.recording import ShadowRecording
from didymos.shadow.signal_groups import grouped
from didymos.shadow.source import Arrival
from didymos.twin import Twin

UNITS = {
    "imu.gyro.x": "rad/s", "imu.gyro.y": "rad/s", "state.position.z": "m", "inputs.motor1": "1", "inputs.motor2": "1",
}  # fmt: skip
WEAK = Alarm(1, 1.0, 0.9, ("imu.gyro.x",), 40.0, 30.0, (Likely("actuator", "motor1", -0.15, 0.02, "1", 0.9),))


class Wall:
    """A clock that stands until it is moved."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(scope="module")
def quadcopter() -> Twin:
    return didymos.load("quadcopter")


def opened(path: Path, twin: Twin, wall: Wall | None = None) -> ShadowRecording:
    return ShadowRecording(path, twin, "log:flight.mcap", units=UNITS, clock=wall or Wall())


def imu(stamp: float, value: float, received: float | None = None) -> Arrival:
    values = {"imu.gyro.x": value, "imu.gyro.y": 2.0 * value}
    return Arrival(stamp, stamp if received is None else received, values)


def at(time: float, attitude: Sequence[float] = (1.0, 0.0, 0.0, 0.0)) -> Any:
    """A shadow of a quadcopter that moves along the world's x at 1 m/s; variances are the squares of 1, 2, 3, ..."""
    qpos = np.array([0.0, 0.0, 2.0, *attitude, 0.1, 0.2, 0.3, 0.4])
    qvel = np.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.5, 10.0, 20.0, 30.0, 40.0])
    here = Estimate(time, qpos, qvel, np.empty(0), np.diag(np.arange(1.0, 21.0) ** 2), {}, {}, np.empty(0), 0)
    return SimpleNamespace(estimate=here)


def frame(time: float, signals: Sequence[str], measured: Sequence[float], off: float) -> Frame:
    n = len(signals)
    return Frame(time, tuple(signals), np.array(measured), np.full(n, off), np.full(n, 0.5), 4.0 * n * off**2, np.full(n, time))


def test_both_sides_are_read_back_under_the_names_of_the_twin(tmp_path: Path, quadcopter: Twin) -> None:
    log = opened(tmp_path / "both.mcap", quadcopter)
    log.compared = {"imu.gyro.x", "imu.gyro.y"}
    for i in range(10):
        t = 0.1 * i
        log.heard([imu(t, 1.0 + i), Arrival(t, t, {"inputs.motor1": 0.5}), Arrival(t, t, {"inputs.motor2": 0.25})])
        log.frame(frame(t, ["imu.gyro.x", "imu.gyro.y"], [1.0 + i, 2.0 + 2.0 * i], 0.125), at(t))
    log.close()
    found = didymos.Log.load(tmp_path / "both.mcap")
    assert found["imu.gyro.x"].values.tolist() == [1.0 + i for i in range(10)]
    assert found["imu.gyro.x"].unit == "rad/s"
    assert found["twin.imu.gyro.y.predicted"].values.tolist() == [2.0 + 2.0 * i - 0.125 for i in range(10)]
    assert set(found["twin.imu.gyro.x.innovation"].values) == {0.125}
    assert set(found["twin.imu.gyro.x.sigma"].values) == {0.5}
    assert found["inputs.motor2"].values.tolist() == [0.25] * 10
    assert "twin.inputs.motor1.predicted" not in found  # nobody compares it
    assert found["shadow.readings"].values.tolist() == [2.0] * 10
    assert found["shadow.nis"].values[0] == pytest.approx(8.0 * 0.125**2)
    assert (found.metadata["twin"], found.metadata["robot"]) == ("quadcopter", "log:flight.mcap")


def test_the_state_is_recorded_with_velocities_in_the_frame_of_the_body(tmp_path: Path, quadcopter: Twin) -> None:
    turn = Rotation.from_euler("zyx", [0.7, -0.4, 0.3])
    x, y, z, w = turn.as_quat()
    log = opened(tmp_path / "state.mcap", quadcopter)
    log.heard([imu(0.0, 1.0)])
    log.frame(frame(0.0, ["imu.gyro.x"], [1.0], 0.0), at(0.0, (w, x, y, z)))
    log.close()
    found = didymos.Log.load(tmp_path / "state.mcap")
    body = [found[f"twin.base.velocity.{axis}"].values[0] for axis in "xyz"]
    assert body == pytest.approx(turn.inv().apply([1.0, 0.0, 0.0]).tolist())
    assert found["twin.base.position.z"].values.tolist() == [2.0]
    assert found["twin.joints.motor3_to_axle3.position"].values.tolist() == [0.3]
    assert found["twin.joints.motor3_to_axle3.velocity"].values.tolist() == [30.0]
    sigmas = ["base.position.x", "base.rotation.z", "motor1_to_axle1.position", "base.velocity.x", "motor4_to_axle4.velocity"]
    assert [found[f"twin.sigma.{name}"].values[0] for name in sigmas] == [1.0, 6.0, 7.0, 11.0, 20.0]


def test_alarms_and_notices_are_events_of_the_recording(tmp_path: Path, quadcopter: Twin) -> None:
    log = opened(tmp_path / "alarm.mcap", quadcopter)
    for i in range(3):
        log.heard([imu(0.5 * i, 0.0)])
        log.frame(frame(0.5 * i, ["imu.gyro.x"], [0.0], 0.0), at(0.5 * i))
        if i == 1:
            log.alarm(WEAK)
            log.notice("the robot is silent")
    log.close()
    found = didymos.Log.load(tmp_path / "alarm.mcap")
    assert found["shadow.alarms"].values.tolist() == [0.0, 0.0, 1.0]
    told = json.loads(found.metadata["alarms.1"])
    assert (told["causes"][0]["of"], told["causes"][0]["size"], told["text"]) == ("motor1", -0.15, str(WEAK))
    assert json.loads(found.metadata["notices.1"]) == {"time": 0.5, "text": "the robot is silent"}


def test_a_clock_that_is_set_back_does_not_turn_the_log(tmp_path: Path, quadcopter: Twin) -> None:
    log = opened(tmp_path / "jump.mcap", quadcopter)
    log.heard([imu(50.0 + 0.1 * i, float(i), 7.0 + 0.1 * i) for i in range(10)])
    log.heard([imu(0.1 * i, 10.0 + i, 9.9 + 0.1 * i) for i in range(10)])  # started anew, 2 s later
    log.close()
    found = didymos.Log.load(tmp_path / "jump.mcap")["imu.gyro.x"]
    assert found.values.tolist() == [float(i) for i in range(20)]
    assert np.diff(found.time) == pytest.approx([0.1] * 9 + [2.0] + [0.1] * 9)


def test_stamps_that_no_recording_can_hold_are_carried_on_from_those_before() -> None:
    clock = LogClock()
    assert clock.time(5.0, 1.0) == 5.0
    assert clock.time(1e12, 1.5) == 5.5
    assert clock.time(1e12 + 1.0, 2.5) == 6.5
    assert clock.time(-3.0, 3.0) == 7.0


def test_a_stamp_that_is_no_time_harms_none_of_the_others(tmp_path: Path, quadcopter: Twin) -> None:
    log = opened(tmp_path / "stamps.mcap", quadcopter)
    log.heard([imu(1.0, 1.0), imu(float("nan"), 9.0), imu(float("inf"), 9.0), imu(2.0, 2.0)])
    log.close()
    found = didymos.Log.load(tmp_path / "stamps.mcap")["imu.gyro.x"]
    assert (found.time.tolist(), found.values.tolist()) == ([1.0, 2.0], [1.0, 2.0])


def test_messages_that_overtake_each_other_are_put_in_order_and_late_ones_counted(tmp_path: Path, quadcopter: Twin) -> None:
    wall = Wall()
    log = opened(tmp_path / "order.mcap", quadcopter, wall)
    log.heard([imu(0.2, 2.0), imu(0.1, 1.0), imu(0.4, 4.0)])
    wall.now += 1.0
    log.heard([])  # written
    log.heard([imu(0.3, 3.0), imu(0.5, 5.0)])
    log.close()
    assert didymos.Log.load(tmp_path / "order.mcap")["imu.gyro.x"].values.tolist() == [1.0, 2.0, 4.0, 5.0]
    assert log.late == 1


def test_signals_of_a_sensor_that_come_together_are_one_stream_and_others_are_their_own() -> None:
    came = [("imu.gyro.x", "imu.gyro.y"), ("inputs.motor1",), ("inputs.motor2",), ("imu.gyro.x", "imu.gyro.y")]
    found = {group.name: group.signals for group in grouped(came, UNITS)}
    assert found["imu.gyro"] == ("imu.gyro.x", "imu.gyro.y")
    assert found["state.position"] == ("state.position.z",)
    assert [group.signals for group in grouped(came, UNITS) if group.name == "inputs"] == [("inputs.motor1",), ("inputs.motor2",)]
    assert [group.signals for group in grouped([tuple(UNITS)], UNITS) if group.name == "inputs"] == [
        ("inputs.motor1", "inputs.motor2")
    ]


def test_a_signal_that_stays_away_later_has_no_value_there(tmp_path: Path, quadcopter: Twin) -> None:
    wall = Wall()
    log = opened(tmp_path / "away.mcap", quadcopter, wall)
    log.heard([imu(0.1, 1.0)])
    wall.now += 1.0
    log.heard([])
    log.heard([Arrival(0.2, 0.2, {"imu.gyro.y": 4.0})])
    log.close()
    found = didymos.Log.load(tmp_path / "away.mcap")
    np.testing.assert_array_equal(found["imu.gyro.x"].values, [1.0, np.nan])
    np.testing.assert_array_equal(found["imu.gyro.y"].values, [2.0, 4.0])


def test_the_innovation_of_an_attitude_is_a_rotation_vector_without_a_prediction(tmp_path: Path, quadcopter: Twin) -> None:
    units = {f"state.orientation.{axis}": "1" for axis in "wxyz"}
    log = ShadowRecording(tmp_path / "attitude.mcap", quadcopter, "", units=units)
    log.heard([Arrival(0.0, 0.0, dict.fromkeys(units, 0.5))])
    log.frame(frame(0.0, [f"state.orientation.{axis}" for axis in "xyz"], [0.5, 0.5, 0.5], 0.125), at(0.0))
    log.close()
    found = didymos.Log.load(tmp_path / "attitude.mcap")
    assert (found["twin.state.orientation.z.innovation"].values.tolist(), found["twin.state.orientation.z.innovation"].unit) == (
        [0.125], "rad"
    )  # fmt: skip
    assert [name for name in found.signals if name.startswith("twin.state.") and "innovation" not in name] == [
        f"twin.state.orientation.{axis}.sigma" for axis in "xyz"
    ]
