"""Every number by its path: set before a run, while it goes on, or refused."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import pytest

from didymos.errors import InputError

ARM = """<mujoco><worldbody><body name="base" pos="0 0 .5"><freejoint name="free"/>
  <geom type="box" size=".1 .1 .1" mass="2"/>
  <body name="arm" pos="0 0 .1"><joint name="hinge" axis="0 1 0" damping=".1"/><geom size=".05" pos=".2 0 0" mass=".5"/>
  </body></body></worldbody></mujoco>"""


@pytest.fixture(scope="module")
def arm(make_twin: Any) -> Any:
    return make_twin(
        ARM,
        world={"ground": {}, "integrator": "rk4"},
        parts={
            "drag": {"kind": "body_drag", "link": "base", "area_x": 0.1},
            "rotor": {
                "kind": "rotor", "link": "base", "direction": 1, "thrust_coefficient": 1e-4, "speed_per_input": 100.0,
                "speed_at_zero": 100.0,
            },
        },
        sensors={
            "imu": {"kind": "imu", "link": "base", "rate": 100, "accel": {"noise": 0.1}},
            "pose": {"kind": "odometry", "link": "base", "rate": 100},
        },
        start={"position": [0, 0, 5.0]},
    )  # fmt: skip


def _acceleration(simulation: Any) -> np.ndarray:
    mujoco.mj_forward(simulation.model, simulation.data)
    return simulation.data.qacc.copy()


def test_every_parameter_can_be_set_to_its_own_value_and_nothing_changes(quadcopter: Any, arm: Any) -> None:
    for original in (quadcopter, arm):
        twin = original.copy()
        assert len(twin.parameters) > 100
        for path, parameter in original.parameters.items():
            twin.set(path, parameter.value)
            assert twin.get(path) == parameter.value
        assert twin.parameters == original.parameters
        # the inertia goes through its principal axes once more: roundings
        a, b = original.simulate(), twin.simulate()
        np.testing.assert_allclose(a.model.body_mass, b.model.body_mass, rtol=0)
        a.run(0.2)
        b.run(0.2)
        np.testing.assert_allclose(a.data.qpos, b.data.qpos, atol=1e-12)


def test_a_value_set_on_a_twin_is_read_back_and_does_not_touch_its_copies(quadcopter: Any) -> None:
    twin = quadcopter.copy()
    for path, value in {
        "links.body_FLU.mass": 0.75, "joints.motor1_to_axle1.damping": 1e-7, "parts.motor3.exit_speed": 70.0,
        "world.wind.speed": 3.0, "control.gains.roll.kp": 0.2, "sensors.imu.gyro.noise": 0.5, "start.position.z": 2.0,
        "record.rate": 50.0,
    }.items():  # fmt: skip
        assert twin.get(path) != value
        twin.set(path, value)
        assert twin.get(path) == value
        assert quadcopter.get(path) != value
    assert twin.get("parts.motor1.exit_speed") == 80.0  # the engines share their numbers in the file, not in the twin


def test_every_live_parameter_can_be_set_during_a_run_and_every_other_refuses(quadcopter: Any, arm: Any) -> None:
    for twin in (quadcopter, arm):
        simulation = twin.simulate()
        simulation.run(0.01)
        for path, parameter in twin.parameters.items():
            if parameter.live:
                simulation.set(path, parameter.value)
            else:
                with pytest.raises(InputError, match="cannot change during a run"):
                    simulation.set(path, parameter.value)
        simulation.run(0.01)
        live = {path for path, parameter in twin.parameters.items() if parameter.live}
        assert {path.split(".")[0] for path in live} >= {"links", "joints", "parts", "world", "sensors"}
        assert {"world.step", "start.position.x", "sensors.imu.rate", "record.rate"} & live == set()


def test_gravity_and_wind_and_parts_change_the_forces(arm: Any) -> None:
    simulation = arm.simulate()
    height = 6_356_766.0 * 5.0 / 6_356_771.0  # geopotential
    rho = 101_325.0 / (287.05287 * 288.15) * (1 - 0.0065 * height / 288.15) ** (9.80665 / (287.05287 * 0.0065) - 1)
    rest = _acceleration(simulation)
    total = 2.5
    thrust = 1e-4 * rho / 1.225 * 100.0**2
    assert simulation.data.qfrc_applied[0] == pytest.approx(thrust, rel=1e-12)
    simulation.set("world.gravity", 2.0)
    moved = _acceleration(simulation)
    assert total * (moved[2] - rest[2]) == pytest.approx(total * (9.80665 - 2.0), rel=1e-9)
    simulation.set("world.wind.speed", 4.0)
    _acceleration(simulation)
    assert simulation.data.qfrc_applied[0] == pytest.approx(thrust + 0.5 * rho * 0.1 * 16.0, rel=1e-12)
    simulation.set("parts.drag.area_x", 0.3)
    simulation.set("parts.rotor.thrust_coefficient", 0.0)
    _acceleration(simulation)
    assert simulation.data.qfrc_applied[0] == pytest.approx(0.5 * rho * 0.3 * 16.0, rel=1e-12)


def test_joints_take_damping_friction_and_armature(arm: Any) -> None:
    simulation = arm.simulate()
    simulation.data.qvel[6] = 2.0
    for damping in (0.1, 0.7):
        simulation.set("joints.hinge.damping", damping)
        mujoco.mj_forward(simulation.model, simulation.data)
        assert simulation.data.qfrc_passive[6] == pytest.approx(-2.0 * damping, rel=1e-14)
    full = np.zeros((7, 7))
    mujoco.mj_fullM(simulation.model, simulation.data, full)
    before = full[6, 6]
    simulation.set("joints.hinge.armature", 0.03)
    mujoco.mj_forward(simulation.model, simulation.data)
    mujoco.mj_fullM(simulation.model, simulation.data, full)
    assert full[6, 6] - before == pytest.approx(0.03, rel=1e-12)
    simulation.set("joints.hinge.damping", 0.0)
    simulation.set("joints.hinge.friction", 0.05)
    mujoco.mj_forward(simulation.model, simulation.data)
    assert simulation.data.nefc > 0
    # a dry friction that slips holds with its whole torque; the solver is soft, but not on the sliding side
    assert simulation.data.qfrc_constraint[6] == pytest.approx(-0.05, rel=1e-6)


def test_the_ground_holds_by_its_friction(make_twin: Any) -> None:
    """A sliding block stops after v^2 / (2 mu g): more friction, shorter way, in proportion."""
    block = """<mujoco><worldbody><body name="block"><freejoint name="free"/><geom type="box" size=".2 .2 .05" mass="1"
      friction="0.01"/></body></worldbody></mujoco>"""
    twin = make_twin(
        block,
        world={"ground": {"friction": 0.9}, "step": 0.001},
        start={"position": [0, 0, 0.05], "velocity": [1, 0, 0]},
    )
    ways = []
    for friction in (0.2, 0.4):
        simulation = twin.simulate()
        simulation.set("world.ground.friction", friction)
        simulation.run(1.5)
        ways.append(simulation.data.qpos[0])
        # The friction of a pair is the larger of the two. Soft contacts settle and creep by some per cent of the way.
        assert ways[-1] == pytest.approx(1.0 / (2 * friction * 9.80665), rel=0.05)
    assert ways[0] / ways[1] == pytest.approx(2.0, rel=0.05)


def test_gains_move_the_program(quadcopter: Any) -> None:
    """Hovering, the input is hover + kp (z* - z): one metre too low, another kp gives another input."""
    inputs = []
    for kp in (0.3, 0.1):
        simulation = quadcopter.simulate(scenario="hover")
        simulation.set("control.gains.height.kp", kp)
        inputs.append(simulation.run(0.0025)["inputs.motor1"].values[0])
    # at the start it stands at 0.3 m and wants 1 m, upright and at rest: the mixer shares the height alone, 1 each
    assert inputs == pytest.approx([0.46825 + 0.3 * 0.7, 0.46825 + 0.1 * 0.7], rel=1e-12)


def test_noise_and_losses_of_a_sensor_change_while_it_reads(arm: Any) -> None:
    simulation = arm.simulate(seed=1)
    assert simulation.run(0.5)["pose.position.x"].values.std() < 0.05  # moves a little under its rotor
    simulation.set("sensors.pose.position.noise", 3.0)
    values = simulation.run(0.5)["pose.position.x"].values
    assert 1.5 < values.std() < 4.5  # 50 values: five standard errors are half of 3.0
    simulation.set("sensors.pose.errors", 0.0)
    assert simulation.run(0.1)["pose.position.x"].values.std() < 0.1
    simulation.set("sensors.pose.drop_out", 1.0)
    assert len(simulation.run(0.1)["pose.position.x"].values) == 0


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        ("world.gravty", 1.0, r"no such parameter, did you mean 'world.gravity'\?"),
        ("world.gravity", -1.0, "expected a number from 0 to 300"),
        ("world.gravity", float("nan"), "expected a finite number"),
        ("world.gravity", "strong", "found 'strong', expected a number"),
        ("links.base.mass", -1.0, "expected a number from 0"),
        ("sensors.imu.drop_out", 1.5, "expected a number from 0 to 1"),
    ],
)
def test_values_that_do_not_fit_are_refused_and_change_nothing(arm: Any, path: str, value: Any, says: str) -> None:
    simulation = arm.simulate()
    for target in (arm.copy(), simulation):
        with pytest.raises(InputError, match=says):
            target.set(path, value)
    assert simulation.twin.parameters == arm.parameters


def test_what_many_values_make_together_is_derived_once_and_before_anybody_looks(
    arm: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    simulation, calls, derive = arm.simulate(), [], mujoco.mj_setConst

    def count(model: mujoco.MjModel, data: mujoco.MjData) -> None:
        calls.append(None)
        derive(model, data)

    monkeypatch.setattr(mujoco, "mj_setConst", count)
    for mass in (1.0, 2.0, 3.0):
        simulation.set("links.base.mass", mass)
        simulation.set("links.arm.mass", 2.0 * mass)
    assert not calls
    assert simulation.model.body_mass.sum() == pytest.approx(9.0, rel=1e-12)
    assert simulation.model.body_subtreemass[0] == pytest.approx(9.0, rel=1e-12)
    assert len(calls) == 1
    simulation.set("links.arm.mass", 1.0)
    simulation.advance(1)
    assert len(calls) == 2
    assert simulation.data.subtree_com[1, 0] == pytest.approx(0.2 * 1.0 / 4.0, abs=0.02)  # the arm has hardly moved
