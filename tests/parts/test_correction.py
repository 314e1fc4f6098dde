"""Learned corrections against their equations: linear, with hidden units, bounded, held within the trained range, and off."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from laws import Law

from didymos.errors import InputError
from didymos.parts.correction import Correction
from didymos.parts.joint_correction import JointCorrection

PUCK = """<mujoco><worldbody><body name="puck"><freejoint name="free"/>
  <inertial pos="0 0 0" mass="2" diaginertia="1 1 1"/></body></worldbody></mujoco>"""
ON = {"scale": 1.0, "force_limit": 1e6, "torque_limit": 1e6}
VELOCITY, RATE, LEVELS = np.array([0.3, -0.2, 0.5]), np.array([1.1, 0.4, -0.7]), np.array([2.0, 3.0, 0, 0, 0, 0, 0, 0])
FEATURES = np.array([*VELOCITY, *RATE, 5.0])


def names(matrix: np.ndarray, rows: tuple[str, ...], columns: tuple[str, ...]) -> dict[str, float]:
    """The keys of a matrix whose first column are constants."""
    words = ("constant", *(f"per_{name}" for name in columns))
    return {f"{row}_{word}": float(matrix[i, k]) for i, row in enumerate(rows) for k, word in enumerate(words)}


def test_a_linear_correction_is_a_constant_and_a_sum_over_features() -> None:
    numbers = np.random.default_rng(1).standard_normal((6, 8))
    outputs = tuple(Correction.limits)
    answer = Law(Correction, **ON, **names(numbers, outputs, Correction.feature_names))(
        velocity=VELOCITY, rate=RATE, inputs={"levels": LEVELS}
    )
    wanted = numbers[:, 0] + numbers[:, 1:] @ FEATURES
    np.testing.assert_allclose([*answer.force, *answer.torque], wanted, rtol=1e-10)
    assert [answer.readouts[f"force.{axis}"] for axis in "xyz"] == list(answer.force)


def test_hidden_units_see_features_from_minus_one_to_one() -> None:
    rng = np.random.default_rng(2)
    into, out = rng.standard_normal((8, 8)), rng.standard_normal((6, 8))
    low, high = FEATURES - rng.uniform(0.1, 1.0, 7), FEATURES + rng.uniform(0.1, 1.0, 7)
    keys = names(into, tuple(f"unit{j}" for j in range(1, 9)), Correction.feature_names)
    keys |= {f"{output}_per_unit{j + 1}": out[i, j] for i, output in enumerate(Correction.limits) for j in range(8)}
    keys |= {f"{name}_low": low[k] for k, name in enumerate(Correction.feature_names)}
    keys |= {f"{name}_high": high[k] for k, name in enumerate(Correction.feature_names)}
    for count in (0, 3, 8):
        law = Law(Correction, **ON, hidden_units=float(count), **keys)
        answer = law(velocity=VELOCITY, rate=RATE, inputs={"levels": LEVELS})
        normal = (2 * FEATURES - high - low) / (high - low)
        wanted = out[:, :count] @ np.tanh(into[:count, 0] + into[:count, 1:] @ normal)
        np.testing.assert_allclose([*answer.force, *answer.torque], wanted, rtol=1e-9, atol=1e-12)


def test_no_axis_ever_exceeds_its_bound() -> None:
    law = Law(
        Correction, scale=1.0, force_limit=0.5, torque_limit=0.02, force_x_per_velocity_x=3.0, force_y_constant=-1e9,
        torque_z_per_rate_z=-1.0,
    )  # fmt: skip
    for speed in (0.01, 0.1, 1.0, 1e3, 1e9):
        answer = law(velocity=[speed, 0, 0], rate=[0, 0, speed])
        assert answer.force[0] == pytest.approx(0.5 * np.tanh(3.0 * min(speed, 1e6) / 0.5), rel=1e-14)
        assert answer.force[1] == -0.5
        assert answer.torque[2] == pytest.approx(-0.02 * np.tanh(min(speed, 1e6) / 0.02), rel=1e-14)
    assert np.all(np.abs(Law(Correction, scale=1.0, force_x_constant=1.0)().force) == 0.0)  # without a bound there is no force


def test_beyond_the_trained_range_it_stays_what_it_is_at_the_end() -> None:
    law = Law(Correction, **ON, force_x_per_velocity_x=-2.0, velocity_x_low=-0.5, velocity_x_high=1.5)
    for speed, held in ((-9.0, -0.5), (-0.5, -0.5), (0.7, 0.7), (1.5, 1.5), (40.0, 1.5)):
        assert law(velocity=[speed, 0, 0]).force[0] == pytest.approx(-2.0 * held, rel=1e-10)


def test_features_of_a_joint_are_its_motion_the_gear_s_angle_and_the_direction() -> None:
    position, velocity, ratio, speed = 0.4, 0.07, 9.0, 0.1
    direction, sine, cosine = np.tanh(velocity / speed), np.sin(ratio * position), np.cos(ratio * position)
    wanted = {
        "position": position, "velocity": velocity, "sine": sine, "cosine": cosine, "direction": direction,
        "direction_sine": direction * sine, "direction_cosine": direction * cosine, "level": 5.0,
    }  # fmt: skip
    for name, value in wanted.items():
        law = Law(
            JointCorrection, scale=0.5, torque_limit=1e6, ratio=ratio, direction_speed=speed, **{f"torque_per_{name}": 3.0}
        )
        answer = law(joint_position=position, joint_velocity=velocity, inputs={"levels": LEVELS})
        assert answer.joint_torque == pytest.approx(0.5 * 3.0 * value, rel=1e-10)
        assert answer.readouts["torque"] == answer.joint_torque


def test_a_body_that_a_correction_slows_down_does_so_as_drag_would(make_twin: Any) -> None:
    """m v' = -c v: v = v0 exp(-c t / m)."""
    mass, drag, speed, step = 2.0, 1.5, 0.8, 0.002
    twin = make_twin(
        PUCK,
        world={"step": step, "integrator": "rk4", "gravity": 0.0},
        parts={"rest": {"kind": "correction", "link": "puck", **ON, "force_x_per_velocity_x": -drag}},
        start={"velocity": [speed, 0, 0]},
    )
    log = twin.simulate().run(2.0)
    time, values = log["truth.velocity.x"].time, log["truth.velocity.x"].values
    bound = speed * (drag / mass * step) ** 4 + speed**3 * (drag / ON["force_limit"]) ** 2  # of RK4, and of the far bound
    np.testing.assert_allclose(values, speed * np.exp(-drag / mass * time), atol=bound + 1e-14)


@pytest.fixture
def flyer(make_twin: Any) -> Any:
    """flyer(**parts): a tumbling body with drag, and further parts behind it."""

    def make(**parts: Any) -> Any:
        drag = {"kind": "body_drag", "link": "puck", "area_x": 0.2, "area_y": 0.1, "area_z": 0.3}
        return make_twin(
            PUCK, world={"step": 0.002, "integrator": "rk4"}, parts={"drag": drag, **parts},
            start={"position": [0, 0, 50.0], "velocity": [3.0, 1.0, 0.5], "angular_velocity": [0.3, 0.2, 2.0]},
        )  # fmt: skip

    return make


def test_one_that_is_off_changes_no_bit_and_says_nothing(flyer: Any) -> None:
    weights = {"force_x_constant": 1.0, "torque_y_per_rate_y": -0.1, "force_limit": 5.0, "torque_limit": 5.0}
    without, off = flyer().simulate().run(1.0), flyer(rest={"kind": "correction", "link": "puck", **weights}).simulate().run(1.0)
    for signal in ("truth.position.x", "truth.velocity.z", "truth.angular_velocity.y", "parts.drag.force.x"):
        assert np.array_equal(without[signal].values, off[signal].values)
    assert not off["parts.rest.force.x"].values.any()


def test_it_is_switched_while_a_run_goes_on(flyer: Any) -> None:
    weights = {"force_x_constant": 1.0, "force_limit": 1e3}
    simulation = flyer(rest={"kind": "correction", "link": "puck", **weights}).simulate()
    forces = []
    for scale in (0.0, 0.25, 0.0):
        simulation.set("parts.rest.scale", scale)
        forces.append(simulation.run(0.1)["parts.rest.force.x"].values[-1])
    assert forces == pytest.approx([0.0, 0.25, 0.0], rel=1e-6)
    assert forces[2] == 0.0


def test_the_level_is_the_sum_of_readouts_of_other_parts(flyer: Any) -> None:
    sources = ["drag.force.x", "drag.force.z"]
    rest = {"kind": "correction", "link": "puck", **ON, "force_y_per_level": -1.0, "levels_from": sources}
    log = flyer(rest=rest).simulate().run(0.01)
    level = sum(log[f"parts.{name}"].values for name in sources)
    np.testing.assert_allclose(log["parts.rest.force.y"].values, -level, rtol=1e-9)
    with pytest.raises(InputError, match=r"no readout of a part before this one named 'drag.force.w', did you mean"):
        flyer(rest={**rest, "levels_from": ["drag.force.w"]})
    with pytest.raises(InputError, match="found 9 readouts in levels_from, expected 8 at most"):
        flyer(rest={**rest, "levels_from": ["drag.force.x"] * 9})
