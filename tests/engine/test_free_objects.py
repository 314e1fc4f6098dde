"""Free bodies of the world: closed forms of flight, spin and inertia, what the log says, where they begin."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from didymos.errors import InputError, RunError
from didymos.rotations import quaternion_to_matrix, rpy_to_matrix

STONE = {"shape": "box", "size": [0.1, 0.2, 0.4], "mass": 2.0}
G = 9.80665
HELD = '<mujoco><worldbody><body name="post"><geom type="sphere" size=".01"/></body></worldbody></mujoco>'


def world(thing: dict[str, Any], *, integrator: str = "rk4", step: float = 0.001, **keys: Any) -> dict[str, Any]:
    return {"integrator": integrator, "step": step, "objects": {"stone": thing}, **keys}


def column(log: Any, name: str) -> Any:
    return np.stack([log[f"objects.stone.{name}.{axis}"].values for axis in ("wxyz" if name == "orientation" else "xyz")], axis=1)


@pytest.mark.parametrize(("integrator", "extra"), [("rk4", 0.0), ("implicitfast", 1.0)])
def test_a_thrown_one_falls_as_galileo_says(make_twin: Any, integrator: str, extra: float) -> None:
    """z = -g t^2 / 2; the semi-implicit integrator is g h t / 2 below it, exactly, since it is of first order."""
    thing = STONE | {"velocity": [3.0, 0.0, 4.0], "position": [0, 0, 50]}
    log = make_twin(HELD, world=world(thing, integrator=integrator)).simulate().run(1.0)
    t = log["objects.stone.position.z"].time
    place = column(log, "position")
    np.testing.assert_allclose(place[:, 0], 3.0 * t, atol=1e-12)
    np.testing.assert_allclose(place[:, 2], 50.0 + 4.0 * t - 0.5 * G * t * (t + extra * 0.001), atol=1e-10)
    np.testing.assert_allclose(column(log, "velocity")[:, 2], 4.0 - G * t, atol=1e-11)


def test_a_spinning_one_keeps_its_angular_momentum(make_twin: Any) -> None:
    """About the axis of the middle moment, where it tumbles: R I w stays to 1e-10 of itself, and the energy too."""
    thing = STONE | {"angular_velocity": [0.05, 3.0, 0.05], "orientation": [0.4, -0.2, 1.0], "position": [3, 0, 0]}
    keys = {"record": {"rate": 500.0, "momentum": True}, "world": world(thing, gravity=0.0, step=0.0005)}
    log = make_twin(HELD, **keys).simulate().run(4.0)
    moments = 2.0 / 12.0 * np.array([0.2**2 + 0.4**2, 0.1**2 + 0.4**2, 0.1**2 + 0.2**2])
    rates, turns = column(log, "angular_velocity"), column(log, "orientation")
    assert np.abs(rates[:, 0]).max() > 1.0  # it tumbles
    momentum = np.array([quaternion_to_matrix(q) @ (moments * w) for q, w in zip(turns, rates, strict=True)])
    size = np.linalg.norm(momentum[0])
    assert np.abs(momentum - momentum[0]).max() < 1e-10 * size
    whole = np.stack([log[f"momentum.angular.{axis}"].values for axis in "xyz"], axis=1)
    np.testing.assert_allclose(whole, momentum, atol=1e-10 * size)
    energy = 0.5 * (moments * rates**2).sum(axis=1)
    np.testing.assert_allclose(log["momentum.energy"].values, energy, rtol=1e-9)


@pytest.mark.parametrize(
    ("thing", "moments"),
    [
        ({"shape": "box", "size": [1, 2, 3]}, (13 / 12, 10 / 12, 5 / 12)),
        ({"shape": "sphere", "size": [2, 2, 2]}, (0.4, 0.4, 0.4)),
        ({"shape": "cylinder", "size": [2, 2, 3]}, (1.0, 1.0, 0.5)),
        ({"shape": "mesh", "file": "cube.obj", "scale": [1, 2, 3]}, (13 / 12, 10 / 12, 5 / 12)),
        ({"shape": "sphere", "size": [2, 2, 2], "inertia": [1, 1.5, 2]}, (1.0, 1.5, 2.0)),
    ],
)  # fmt: skip
def test_the_inertia_is_that_of_the_shape(make_twin: Any, thing: dict[str, Any], moments: tuple[float, ...]) -> None:
    """Of 1 kg; the cylinder's is (3 r^2 + l^2) / 12 = 1. Corners of meshes are kept in single precision."""
    corners = "".join(f"v {x} {y} {z}\n" for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5))
    sides = ("1 2 4 3", "5 7 8 6", "1 5 6 2", "3 4 8 7", "1 3 7 5", "2 6 8 4")
    faces = "".join(f"f {side}\n" for side in sides)
    twin = make_twin(HELD, world=world(thing | {"mass": 1.0}), files={"cube.obj": corners + faces})
    model = twin.simulate().model
    body = int(model.body("didymos:object:stone").id)
    turn = quaternion_to_matrix(model.body_iquat[body])
    np.testing.assert_allclose(turn @ np.diag(model.body_inertia[body]) @ turn.T, np.diag(moments), atol=1e-6)
    assert model.body_mass[body] == 1.0


def test_it_lands_and_lies(make_twin: Any) -> None:
    thing = STONE | {"position": [3, 0, 1.0], "orientation": [0, 0, 0.3]}
    simulation = make_twin(HELD, world=world(thing, integrator="implicitfast", ground={})).simulate()
    log = simulation.run(2.0)
    assert log["objects.stone.position.z"].values[-1] == pytest.approx(0.2, abs=1e-3)
    assert np.abs(column(log, "velocity")[-1]).max() < 1e-3
    assert simulation.shown.model.nbody == simulation.model.nbody  # pictures have it
    assert simulation.poses(log)[-1][-5] == pytest.approx(0.2, abs=1e-3)  # x, y, z, w, ... of the last free joint


def test_a_lidar_sees_it_come(make_twin: Any) -> None:
    sensor = {"kind": "lidar", "link": "post", "rate": 100.0, "rays": 3, "field_of_view": 0.02, "farthest": 20.0}
    thing = {"shape": "sphere", "size": [0.2] * 3, "mass": 1.0, "position": [5, 0, 0], "velocity": [-1, 0, 0]}
    twin = make_twin(HELD, world=world(thing, gravity=0.0), sensors={"scan": sensor})
    simulation = twin.simulate()
    simulation.run(1.0)
    assert np.asarray(simulation.measured.scan.ranges)[1] == pytest.approx(5.0 - 0.1 - 1.0, abs=0.011)  # a scan may be 10 ms old


def test_a_hit_keeps_the_momentum_of_all(make_twin: Any) -> None:
    """A stone hits a free robot in mid-air: what one loses the other gains, to the solver's rounding."""
    thing = {"shape": "sphere", "size": [0.2] * 3, "mass": 0.5, "position": [-1, 0, 0.05], "velocity": [4, 0, 0]}
    keys = {"world": world(thing, gravity=0.0, integrator="implicitfast"), "record": {"momentum": True}}
    log = make_twin(**keys).simulate().run(1.0)
    assert np.abs(log["truth.velocity.x"].values[-1]) > 0.5
    np.testing.assert_allclose(log["momentum.linear.x"].values, 2.0, rtol=1e-9)


def test_its_start_is_a_parameter(make_twin: Any) -> None:
    """In the tree, in a scenario, by `reset`: position and turn in the world, velocity and rate in its own frame."""
    thing = STONE | {"position": [1, 2, 3], "orientation": [0, 0, np.pi / 2], "velocity": [1, 0, 0]}
    scenario = {"start": {"objects": {"stone": {"position": {"z": 7.0}, "angular_velocity": [0, 0, 2]}}}}
    twin = make_twin(HELD, world=world(thing, gravity=0.0), scenarios={"high": scenario})
    assert twin.parameters["start.objects.stone.position.y"].value == 2.0
    assert twin.parameters["start.objects.stone.velocity.x"].unit == "m/s"
    assert "world.objects.stone.position.x" not in twin.parameters

    def state(simulation: Any) -> tuple[list[float], list[float]]:
        return simulation.data.qpos[:7].tolist(), simulation.data.qvel[:6].tolist()

    (x, y, z, *turn), velocity = state(twin.simulate())
    assert (x, y, z) == (1.0, 2.0, 3.0)
    np.testing.assert_allclose(turn, [np.sqrt(0.5), 0, 0, np.sqrt(0.5)], atol=1e-15)
    np.testing.assert_allclose(velocity, [0, 1, 0, 0, 0, 0], atol=1e-15)
    high = twin.simulate(scenario="high")
    assert state(high)[0][:3] == [1.0, 2.0, 7.0]
    assert state(high)[1][5] == 2.0
    twin.set("start.objects.stone.position.x", -4.0)
    twin.set("start.objects.stone.angular_velocity.z", 5.0)
    assert state(twin.simulate())[0][:3] == [-4.0, 2.0, 3.0]
    high = twin.simulate(scenario="high")
    assert state(high)[0][:3] == [-4.0, 2.0, 7.0]  # what is set by hand wins over the scenario
    assert state(high)[1][5] == 5.0
    high.reset(start={"objects.stone.position.y": 9.0})
    assert state(high)[0][:3] == [-4.0, 9.0, 7.0]
    with pytest.raises(InputError, match=r"no such start value, did you mean 'objects.stone.position.y'"):
        high.reset(start={"objects.stone.positon.y": 9.0})


def test_a_start_of_nothing_is_a_mistake(make_twin: Any) -> None:
    with pytest.raises(InputError, match=r"start.objects.stoone: there is no free body 'stoone', did you mean 'stone'"):
        make_twin(HELD, world=world(STONE), start={"objects": {"stoone": {}}})


BALLS = """<mujoco><worldbody>
  <body name="post"><freejoint name="free"/><geom type="box" size=".1 .1 .1"/><body name="mast"><joint name="turn"/>
  <geom type="sphere" size=".1"/></body></body>
  <body name="arm" pos="0 0 1"><joint name="hip" type="ball"/><geom type="capsule" fromto="0 0 0 0 0 -.5" size=".02"/></body>
  <body name="loose" pos="3 0 1"><freejoint name="own"/><geom type="box" size=".1 .1 .1"/></body></worldbody>
  <actuator><motor joint="turn"/></actuator></mujoco>"""


def test_ball_joints_and_further_free_links_begin_where_the_start_says(make_twin: Any) -> None:
    """A rotation vector and a rate in the child's frame; the second free link is below `start.objects`."""
    start = {"joints": {"hip": [0.3, 0, 0]}, "joint_velocities": {"hip": [0, 0, 1]}}
    twin = make_twin(BALLS, start=start, world={"gravity": 0.0})
    paths = [path for path in twin.parameters if path.startswith("start.")]
    assert {"start.joints.hip.x", "start.joint_velocities.hip.z"} <= set(paths)
    twin.set("start.joints.hip.y", 0.4)
    simulation = twin.simulate()
    first = int(simulation.model.joint("hip").qposadr[0])
    half = 0.5 * 0.5  # the length of (0.3, 0.4, 0)
    np.testing.assert_allclose(simulation.data.qpos[first : first + 4], [np.cos(half), 0.6 * np.sin(half), 0.8 * np.sin(half), 0])
    assert simulation.data.qvel[int(simulation.model.joint("hip").dofadr[0]) + 2] == 1.0
    twin.set("start.objects.loose.orientation.z", 0.7)
    simulation = twin.simulate()
    q = int(simulation.model.joint("own").qposadr[0])
    found = quaternion_to_matrix(simulation.data.qpos[q + 3 : q + 7])
    np.testing.assert_allclose(found, rpy_to_matrix(np.array([0, 0, 0.7])), atol=1e-12)
    assert simulation.data.qpos[q] == 3.0


@pytest.mark.parametrize(("value", "sentence"), [(0.3, "expected three: a ball joint"), ([0.1, 0.2], "found 2 numbers")])
def test_a_ball_joint_wants_three_numbers(make_twin: Any, value: Any, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        make_twin(BALLS, start={"joints": {"hip": value}})


def test_one_that_leaves_the_world_is_named(make_twin: Any) -> None:
    thing = STONE | {"velocity": [100, 0, 0]}
    with pytest.raises(RunError, match="stone left the world"):
        make_twin(HELD, world=world(thing, gravity=0.0, boundary=10.0)).simulate().run(1.0)


def test_a_saved_state_holds_the_objects(make_twin: Any) -> None:
    thing = STONE | {"velocity": [1, 0, 3], "angular_velocity": [1, 2, 3]}
    simulation = make_twin(HELD, world=world(thing, ground={"height": -1.0})).simulate()
    simulation.run(0.5)
    state = simulation.save()
    simulation.run(0.5)
    ended = simulation.data.qpos.copy()
    simulation.restore(state)
    simulation.run(0.5)
    assert simulation.data.qpos.tobytes() == ended.tobytes()
