"""A robot without a compass: nothing that it reads tells how it is turned, and its shadow does not think so either."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import didymos
from didymos.shadow.observer import Observer
from didymos.shadow.turning import turning_of

WHEELS = tuple(f"encoders.drive_{k}.{what}" for k in range(1, 5) for what in ("position", "velocity"))
IMU = tuple(f"imu.{what}.{axis}" for what in ("gyro", "accel") for axis in "xyz")


def heading(observer: Observer) -> float:
    """Standard deviation [rad] of a turn about the vertical."""
    turning = turning_of(observer.stepper.model, observer.states)
    assert turning is not None
    along = turning.along(observer.stepper.state())
    return float(np.sqrt(along @ observer.covariance[: observer.states, : observer.states] @ along))


def test_motion_tells_a_base_without_compass_nothing_of_its_heading(tmp_path: Path) -> None:
    twin = didymos.load("omni_base")
    twin.simulate(scenario="oblique", seed=3).run(2.0, record=tmp_path / "robot.mcap")
    shadow = didymos.Shadow(twin, f"log:{tmp_path / 'robot.mcap'}", scenario="oblique", signals=(*WHEELS, *IMU))
    known: list[tuple[float, float]] = []

    class Watch:
        def frame(self, frame: object, shadow: didymos.Shadow) -> None:
            speed = float(np.linalg.norm(shadow.observer.stepper.data.qvel[:2]))
            known.append((speed, heading(shadow.observer)))

        def alarm(self, alarm: object) -> None: ...

        def notice(self, text: str) -> None: ...

    shadow.listen(Watch())
    shadow.run()
    shadow.close()
    speeds, doubts = np.array(known).T
    assert speeds.max() > 0.1  # it moved
    # readings of wheels and IMU hang on nothing that turns: what was doubted at first stays, but for rounding of slopes by steps
    assert doubts.min() > 0.99 * doubts[0]


def test_a_turned_robot_moves_on_turned_and_a_compass_shows_it() -> None:
    twin = didymos.load("quadcopter")
    observer = Observer(twin, ("imu.gyro.x", "imu.gyro.y", "imu.gyro.z", "compass.field.x", "compass.field.y"), causes=())
    stepper, turning = observer.stepper, turning_of(observer.stepper.model, observer.states)
    assert turning is not None
    stepper.data.qpos[:3], stepper.data.qvel[:3] = (1.0, 2.0, 5.0), (0.3, -0.2, 0.1)
    stepper.keep()
    observer.begin()
    inputs = np.full((4, len(stepper.inputs)), 0.5)
    made = observer._linearizer.linearize(inputs, inputs[0], 0.0)
    assert made.turned is not None
    # second order of the step of 1e-5 rad, over it, beside velocities of order one
    assert np.abs(made.turned.changed).max() < 1e-3
    assert made.turned.shown.tolist() == [False, False, False, True, True]
    begin = stepper.state()
    assert turning.along(begin) @ turning.about(begin, turning.place(begin)) == np.float64(1.0)


def test_a_covariance_follows_the_turn_of_a_corrected_state() -> None:
    """One that doubts nothing but a turn of all still doubts nothing else after the speed was corrected."""
    observer = Observer(didymos.load("omni_base"), WHEELS, causes=())
    turning = turning_of(observer.stepper.model, observer.states)
    assert turning is not None
    before = observer.stepper.state()
    after = before[0].copy(), before[1].copy(), before[2].copy()
    after[0][:2] += 0.1, 0.2
    after[1][:2] += 0.3, -0.4
    turn, origin = turning.about(before, np.zeros(3)), np.zeros(3)
    covariance = np.zeros((observer.size, observer.size))
    covariance[: observer.states, : observer.states] = np.outer(turn, turn)
    turning.follow(covariance, before, after)
    expected = turning.about(after, origin)
    assert np.allclose(covariance[: observer.states, : observer.states], np.outer(expected, expected), rtol=0.0, atol=1e-12)
