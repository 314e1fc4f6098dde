"""Objects that follow a trajectory: where they are and how fast, and that what stands on them is carried."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from didymos.errors import RunError

BOX = """<mujoco><worldbody><body name="box" pos="0 0 .15"><freejoint name="free"/>
  <geom type="box" size=".1 .1 .1" mass="2"/></body></worldbody></mujoco>"""
FAR = """<mujoco><worldbody><body name="post" pos="0 0 99"><geom type="sphere" size=".01"/></body></worldbody></mujoco>"""
SOFT = 0.1 * 0.95 * 0.02 / 2.0
"""[s]: slip per speed of a surface that speeds up. Friction gives way at (1 - d) a / b, with b = 2 / (0.95 T) and d >= 0.9."""


def plate(motion: dict[str, Any], *, integrator: str = "implicitfast", **keys: Any) -> dict[str, Any]:
    return {"integrator": integrator, "objects": {"plate": {"size": [3, 3, 0.1], "motion": motion, **keys}}}


def rows(log: Any, stream: str, name: str) -> Any:
    return np.stack([log[f"{stream}.{name}.{axis}"].values for axis in ("wxyz" if name == "orientation" else "xyz")], axis=1)


def matrices(log: Any, stream: str) -> Rotation:
    return Rotation.from_quat(rows(log, stream, "orientation"), scalar_first=True)


@pytest.mark.parametrize("integrator", ["implicitfast", "rk4"])
def test_a_plate_carries_a_box_and_loses_nothing_of_it(make_twin: Any, integrator: str) -> None:
    """Two metres there, one up, at up to 1.5 m/s: the box stays where it stands, to the softness of friction."""
    poses = [{"time": 0.5}, {"time": 2.5, "position": [2, 0, 1]}]
    motion = {"kind": "path", "interpolation": "smooth", "poses": poses}
    log = make_twin(BOX, world=plate(motion, integrator=integrator)).simulate().run(4.0)
    carried, carrier = rows(log, "truth", "position"), rows(log, "objects.plate", "position")
    assert carrier[-1].tolist() == [2.0, 0.0, 1.0]
    slip = (carried - carrier)[:, 0]
    speed = np.abs(rows(log, "objects.plate", "velocity")[:, 0]).max()
    assert speed == pytest.approx(1.5, rel=1e-3)  # 3/2 of the mean speed of a cubic from rest to rest
    assert np.abs(slip).max() < SOFT * speed
    assert abs(slip[-1]) < 0.5 * SOFT * speed  # what gave way when it sped up comes back when it slows down
    depth = 0.15 - (carried - carrier)[:, 2]
    settled = depth[log["truth.position.z"].time > 0.4]
    assert settled.min() > 0.0  # it is never thrown off: contacts see how the plate moves up
    assert settled.max() < 3.0 * settled[0]


def test_a_lift_presses_with_the_weight_and_the_acceleration(make_twin: Any) -> None:
    """A sine of 0.2 m at 0.5 Hz: m (g + a), within what the armature leaves and the contact's lag."""
    motion = {"kind": "sine", "amplitude": [0, 0, 0.2], "frequency": 0.5, "phase": np.pi / 2}
    simulation = make_twin(BOX, world=plate(motion), start={"position": [0, 0, 0.35]}).simulate()
    simulation.run(2.3)
    mujoco.mj_forward(simulation.model, simulation.data)
    force = sum(_normal(simulation, i) for i in range(simulation.data.ncon))
    w = np.pi
    assert force == pytest.approx(2.0 * (9.80665 - 0.2 * w * w * np.cos(w * simulation.time)), rel=5e-3)


def _normal(simulation: Any, contact: int) -> float:
    force = np.zeros(6)
    mujoco.mj_contactForce(simulation.model, simulation.data, contact, force)
    return float(force[0])


def test_a_turntable_turns_what_stands_on_it(make_twin: Any) -> None:
    """Half a turn in ten seconds. The engine's contacts do not foresee that a turning surface bends a path: what stands on it
    creeps outward at the speed at which they brake with w^2 r, so by 0.95 T / 2 times the integral of w^2 r."""
    half = [{"time": 0}, {"time": 5, "orientation": [0, 0, np.pi / 2]}, {"time": 10, "orientation": [0, 0, np.pi]}]
    motion = {"kind": "path", "interpolation": "smooth", "poses": half}
    log = make_twin(BOX, world=plate(motion), start={"position": [0.8, 0, 0.15]}).simulate().run(11.0)
    place, turn = rows(log, "truth", "position")[-1], matrices(log, "truth")[-1].as_euler("xyz")[2]
    rate, dt = rows(log, "objects.plate", "angular_velocity")[:, 2], 0.01
    creep = 0.95 * 0.02 / 2.0 * 0.8 * (rate**2).sum() * dt
    np.testing.assert_allclose(place[:2], [-0.8 - creep, 0.0], atol=SOFT)
    assert abs(turn) == pytest.approx(np.pi, abs=2 * SOFT)


@pytest.mark.parametrize(
    "motion",
    [
        {"kind": "sine", "amplitude": [0.3, 0.1, 0.2], "turn": [0.5, -0.2, 0.9], "frequency": 0.8, "phase": 0.4},
        {"kind": "circle", "radius": 1.5, "frequency": -0.4, "facing": True, "phase": 0.3},
        {"kind": "path", "interpolation": "smooth", "poses": [
            {"time": 0.1}, {"time": 0.5, "position": [1, 0, 0], "orientation": [0.4, 0.2, 2.0]},
            {"time": 0.8, "position": [1, 1, 0], "orientation": [0.1, -1.0, 3.0]}, {"time": 1.4, "position": [0, 1, 1]}]},
        {"kind": "path", "repeat": True, "interpolation": "smooth", "poses": [
            {"time": 0}, {"time": 0.3, "position": [1, 0, 0], "orientation": [0, 0.8, 1.0]}, {"time": 0.7}]},
        {"kind": "path", "poses": [{"time": 0.2}, {"time": 1.0, "position": [1, 2, 0], "orientation": [0, 0.8, 1.0]}]},
    ],
    ids=["sine", "circle", "smooth path", "repeated path", "linear path"],
)  # fmt: skip
def test_the_velocity_is_the_derivative_of_the_pose(make_twin: Any, motion: dict[str, Any]) -> None:
    """Central differences of the logged poses over 2 ms against the logged velocities, both in the body's frame."""
    keys = {} if motion["kind"] == "path" else {"position": [1, 2, 3], "orientation": [0.2, 0.1, -0.5]}
    log = make_twin(FAR, world=plate(motion, **keys), record={"rate": 1000.0}).simulate().run(1.6)
    place, turn, h = rows(log, "objects.plate", "position"), matrices(log, "objects.plate"), 0.001
    velocity = turn[1:-1].apply((place[2:] - place[:-2]) / (2 * h), inverse=True)
    rate = (turn[:-2].inv() * turn[2:]).as_rotvec() / (2 * h)
    knots = np.array([pose["time"] for pose in motion.get("poses", [])])
    times = log["objects.plate.position.x"].time[1:-1]
    period = knots[-1] if motion.get("repeat") else np.inf
    here = times % period
    away = np.array([min((abs(t - knot) for knot in knots), default=1.0) for t in here])
    inside = away > 2 * h
    size = np.abs(velocity).max() + np.abs(rate).max()
    assert size > 1.0
    error = 2e-5 * size * (20 if motion["kind"] == "path" else 1)  # h^2 / 6 of the third derivative
    np.testing.assert_allclose(rows(log, "objects.plate", "velocity")[1:-1][inside], velocity[inside], atol=error)
    np.testing.assert_allclose(rows(log, "objects.plate", "angular_velocity")[1:-1][inside], rate[inside], atol=error)


def test_a_path_goes_through_its_poses_and_holds_its_ends(make_twin: Any) -> None:
    poses = [{"time": 0.2, "position": [0, 0, 1]}, {"time": 0.5, "position": [1, 0, 1], "orientation": [0, 0, 1.2]},
             {"time": 1.0, "position": [1, 2, 1], "orientation": [0.3, 0, 1.2]}]  # fmt: skip
    for interpolation in ("linear", "smooth"):
        motion = {"kind": "path", "poses": poses, "interpolation": interpolation}
        log = make_twin(FAR, world=plate(motion), record={"rate": 1000.0}).simulate().run(1.2)
        place, turn = rows(log, "objects.plate", "position"), matrices(log, "objects.plate")
        for t, pose in ((0.0, poses[0]), *((pose["time"], pose) for pose in poses), (1.15, poses[2])):
            row = round(t * 1000)
            np.testing.assert_allclose(place[row], pose["position"], atol=1e-12)
            wanted = Rotation.from_euler("xyz", pose.get("orientation", [0, 0, 0]))
            assert (wanted.inv() * turn[row]).magnitude() < 1e-12
        assert not rows(log, "objects.plate", "velocity")[[50, -1]].any()


def test_nothing_hinders_it_and_nothing_of_it_weighs(make_twin: Any) -> None:
    """A plate that carries a box through the ground: it goes on, the run goes on, momentum and energy are the box's alone."""
    motion = {"kind": "sine", "amplitude": [0, 0, 0.2], "frequency": 0.5}
    world = plate(motion) | {"ground": {"height": 0.0}}
    log = make_twin(BOX, world=world, record={"momentum": True}).simulate().run(2.0)
    t = log["objects.plate.position.z"].time
    np.testing.assert_allclose(log["objects.plate.position.z"].values, 0.2 * np.sin(np.pi * t), atol=1e-12)
    speed = log["truth.velocity.z"].values
    assert np.abs(speed).max() > 0.3
    np.testing.assert_allclose(log["momentum.linear.z"].values, 2.0 * speed, atol=1e-6)
    spin = rows(log, "truth", "angular_velocity")
    velocity = rows(log, "truth", "velocity")
    energy = (velocity**2).sum(axis=1) + 0.5 * 2.0 / 6.0 * 0.04 * (spin**2).sum(axis=1)
    np.testing.assert_allclose(log["momentum.energy"].values, energy, atol=1e-6)


def test_the_tolerance_of_the_solver_is_that_of_the_robot(make_twin: Any) -> None:
    motion = {"kind": "sine", "amplitude": [0, 0, 0.2], "frequency": 0.5}
    alone, beside = make_twin(BOX).simulate(), make_twin(BOX, world=plate(motion)).simulate()
    assert beside.model.stat.meaninertia == alone.model.stat.meaninertia
    beside.set("links.box.mass", 3.0)
    alone.set("links.box.mass", 3.0)
    assert beside.model.stat.meaninertia == alone.model.stat.meaninertia


def test_a_saved_run_goes_on_to_the_same_bits(make_twin: Any) -> None:
    motion = {"kind": "circle", "radius": 0.2, "frequency": 0.3}
    simulation = make_twin(BOX, world=plate(motion)).simulate()
    simulation.run(0.7)
    state = simulation.save()
    simulation.run(0.7)
    ended = simulation.data.qpos.tobytes()
    simulation.restore(state)
    simulation.run(0.7)
    assert simulation.data.qpos.tobytes() == ended


def test_the_numbers_of_a_trajectory_are_parameters(make_twin: Any) -> None:
    motion = {"kind": "sine", "amplitude": [0.1, 0, 0], "frequency": 0.5}
    twin = make_twin(BOX, world=plate(motion))
    twin.set("world.objects.plate.motion.amplitude.x", 0.4)
    twin.set("world.objects.plate.motion.phase", np.pi / 2)
    assert twin.simulate().run(0.1)["objects.plate.position.x"].values[0] == 0.4


def test_a_box_that_is_left_behind_falls(make_twin: Any) -> None:
    motion = {"kind": "path", "poses": [{"time": 0.1}, {"time": 0.2, "position": [9, 0, 0]}]}
    with pytest.raises(RunError, match="box left the world"):
        make_twin(BOX, world=plate(motion) | {"boundary": 20.0}).simulate().run(5.0)
