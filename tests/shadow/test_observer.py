"""An observer knows what Kalman's filter knows, reads what the robot reads, and finds what its twin does not have."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.linalg import solve_discrete_are

import didymos
from didymos.shadow.calibration import Calibration
from didymos.shadow.observer import Observer
from didymos.shadow.stepper import Stepper

MASS = 2.0
CART = f"""<robot name="cart"><link name="base"/><link name="cart"><inertial><mass value="{MASS}"/>
<inertia ixx=".1" iyy=".1" izz=".1"/></inertial></link><joint name="rail" type="prismatic"><parent link="base"/>
<child link="cart"/><axis xyz="1 0 0"/><limit lower="-100" upper="100" effort="50" velocity="300"/></joint></robot>"""
NOISE, DENSITY, PERIOD = 0.01, 0.3, 0.02
SENSORS = {"encoder": {"kind": "joints", "rate": 50, "position": {"noise": NOISE}}}
SIGNAL = "encoder.rail.position"


def cart(make_twin: Any, **sections: Any) -> Any:
    return make_twin(CART, world={"step": PERIOD}, sensors=SENSORS, **sections)


def observer_of(twin: Any, density: float = DENSITY) -> Observer:
    made = Observer(twin, (SIGNAL,), calibration=Calibration({"linear": 1.0, "angular": 1.0, "hinge": 1.0, "slide": density}))
    made.begin()
    return made


def test_the_twin_that_gets_the_robots_inputs_reads_what_the_robot_reads() -> None:
    twin = didymos.load("quadcopter")
    robot = twin.copy()
    for name in robot.file.sensors:
        robot.set(f"sensors.{name}.errors", 0.0)
    robot.file = robot.file.model_copy(update={"record": robot.file.record.model_copy(update={"rate": 400.0})})
    log = robot.simulate(scenario="attitude_steps").run(0.4)
    names = tuple(f"imu.{quantity}.{axis}" for quantity in ("gyro", "accel") for axis in "xyz")
    stepper = Stepper(twin, names)
    stepper.data.qpos[2] = 5.0  # where the scenario begins
    stepper.keep()
    rows = stepper.run(np.column_stack([log[f"inputs.motor{k}"].values for k in range(1, 5)]))
    for i, name in enumerate(names):
        ticks = np.rint((log[name].time + 0.0025) / 0.0025).astype(int)  # told a tick after the step that it belongs to
        ticks[0] = 0
        assert rows[ticks[ticks < 160], i].tobytes() == log[name].values[ticks < 160].tobytes(), name


def test_the_covariance_becomes_that_of_the_riccati_equation(make_twin: Any) -> None:
    """A cart of one degree of freedom: x+ = A x + G w, z = C x+ + v, with w a force that holds for a tick."""
    observer = observer_of(cart(make_twin))
    for _ in range(400):
        observer.step(np.zeros((1, len(observer.stepper.inputs))), [(1, 0, np.zeros(1))])
    transition = np.array([[1.0, PERIOD], [0.0, 1.0]])
    force = np.array([PERIOD**2, PERIOD]) / MASS  # semi-implicit, as the engine steps
    noise = np.outer(force, force) * (DENSITY * MASS) ** 2 / PERIOD
    shown = np.array([[1.0, 0.0]])
    before = solve_discrete_are(transition.T, shown.T, noise, np.array([[NOISE**2]]))
    gain = before @ shown.T / (before[0, 0] + NOISE**2)
    after = before - gain @ shown @ before
    assert observer.covariance == pytest.approx(after, rel=1e-5)


def test_a_force_that_the_twin_does_not_know_of_pushes_the_estimate_the_right_way(make_twin: Any) -> None:
    observer = observer_of(cart(make_twin))
    for k in range(200):
        t = (k + 1) * PERIOD
        observer.step(np.zeros((1, len(observer.stepper.inputs))), [(1, 0, np.array([0.25 * t * t]))])  # 0.5 m/s^2
    velocity = float(observer.estimate.qvel[0])
    assert velocity == pytest.approx(0.5 * 4.0, abs=4.0 * float(np.sqrt(observer.covariance[1, 1])) + 0.5 * 0.3)
    assert float(observer.estimate.qpos[0]) == pytest.approx(4.0, abs=5.0 * NOISE)


def test_innovations_are_as_large_as_stated(make_twin: Any) -> None:
    """nu' S^-1 nu of a robot as stated is chi-square distributed: its mean over n readings is 1 within 4 sqrt(2 / n)."""
    twin, count = cart(make_twin), 600
    observer = observer_of(twin)
    generator = np.random.default_rng(3)
    place = speed = 0.0
    total = 0.0
    for k in range(count + 100):
        push = generator.normal(0.0, DENSITY / np.sqrt(PERIOD))
        speed += push * PERIOD
        place += speed * PERIOD
        frame = observer.step(
            np.zeros((1, len(observer.stepper.inputs))), [(1, 0, np.array([place + generator.normal(0.0, NOISE)]))]
        )
        total += frame.nis if k >= 100 else 0.0
    assert total / count == pytest.approx(1.0, abs=4.0 * np.sqrt(2.0 / count))


def test_columns_that_do_not_meet_are_looked_at_together_with_the_same_result(make_twin: Any) -> None:
    arm = """<mujoco><option gravity="0 0 -9.81"/><worldbody>
    <body name="a" pos="0 0 1"><joint name="ja" axis="0 1 0"/><geom size=".02" pos=".3 0 0" mass="1"/></body>
    <body name="b" pos="0 1 1"><joint name="jb" axis="0 1 0"/><geom size=".02" pos=".3 0 0" mass="2"/></body>
    </worldbody></mujoco>"""
    sensors = {"encoder": {"kind": "joints", "rate": 50, "position": {"noise": NOISE}, "velocity": {"noise": 0.1}}}
    twin = make_twin(arm, world={"step": 0.01}, sensors=sensors)
    names = tuple(f"encoder.{joint}.{what}" for what in ("position", "velocity") for joint in ("ja", "jb"))
    observer = Observer(twin, names)
    inputs = np.zeros((2, len(observer.stepper.inputs)))
    linearizer = observer._linearizer
    alone = linearizer.linearize(inputs, inputs[0], 0.0)
    together = linearizer.linearize(inputs, inputs[0], 0.1)
    assert max(len(group) for group in linearizer._groups) == 2  # one of each arm
    assert together.state == pytest.approx(alone.state, abs=1e-7)
    assert together.readings == pytest.approx(alone.readings, abs=1e-7)
    assert np.abs(alone.state).max() > 0.9


def test_a_late_reading_is_worth_what_it_would_have_been_in_time(make_twin: Any) -> None:
    observer = observer_of(cart(make_twin))
    inputs = np.zeros((1, len(observer.stepper.inputs)))
    observer.step(inputs, [(1, 0, np.array([0.02]))])
    saved = observer.save()
    observer.step(inputs, [(1, 0, np.array([0.03]))])
    observer.step(inputs, [(1, 0, np.array([0.05]))])
    whole = observer.estimate
    observer.restore(saved)
    observer.step(inputs, [])
    observer.restore(saved)
    observer.step(inputs, [(1, 0, np.array([0.03]))], judge=False)
    observer.step(inputs, [(1, 0, np.array([0.05]))], judge=False)
    again = observer.estimate
    # the twin is linear; what differs is the rounding of differences, 1e-16 over steps of 1e-5 and 1e-4
    assert again.qpos == pytest.approx(whole.qpos, abs=1e-9)
    assert again.covariance == pytest.approx(whole.covariance, rel=1e-5)
