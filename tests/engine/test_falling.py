"""A robot that falls through the ground, or for good, is told so; one that stands, flies, lands or floats is not."""

from __future__ import annotations

import math
from typing import Any

import pytest

import didymos
from didymos.cli.main import main
from didymos.errors import RunError

MASS = '<inertial><mass value="2"/><inertia ixx=".1" iyy=".1" izz=".1"/></inertial>'
AXIS = '<origin xyz="0 0 .3"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="5" velocity="2"/>'
BALL = '<collision><geometry><sphere radius=".1"/></geometry></collision>'
ON_GROUND: dict[str, Any] = {"world": {"ground": {}, "gravity": 10.0, "step": 0.001, "integrator": "rk4"}}


def arm(shape: str = "") -> str:
    """Two links, the second at 0.3 m above the first."""
    joint = f'<joint name="j" type="revolute"><parent link="base"/><child link="upper"/>{AXIS}</joint>'
    return f'<robot name="arm"><link name="base">{MASS}{shape}</link><link name="upper">{MASS}{shape}</link>{joint}</robot>'


def _fallen(depth: float) -> float:
    """When a body in free fall at 10 m/s^2 is deeper than this by what it falls in a tick of 10 ms: 5 t^2 = depth + 0.1 t."""
    return 0.01 + math.sqrt(0.0001 + depth / 5.0)


def test_a_floating_robot_without_shapes_falls_through_the_ground_and_is_told_so(make_twin: Any) -> None:
    twin = make_twin(arm(), description={"base": "floating"}, start={"position": {"z": 0.1}}, **ON_GROUND)
    with pytest.raises(RunError, match=r"base fell through the ground.*it has no collision shapes") as caught:
        twin.simulate().run(2.0)
    # the second link reaches 0.3 m from the origin of the first: 0.1 m and the way of a tick of 10 ms more, and all is below
    assert caught.value.time == pytest.approx(_fallen(0.1 + 0.3 + 0.1), abs=0.0101)


def test_shapes_that_do_not_meet_the_ground_are_named_as_the_reason(make_twin: Any) -> None:
    body = '<body name="b" pos="0 0 1"><freejoint/><geom size=".1" contype="2" conaffinity="2"/></body>'
    ball = f"<mujoco><worldbody>{body}</worldbody></mujoco>"
    with pytest.raises(RunError, match=r"b fell through the ground.*its shapes do not collide with the ground"):
        make_twin(ball, **ON_GROUND).simulate().run(2.0)


def test_a_level_plane_of_the_description_is_a_ground(make_twin: Any) -> None:
    plane = '<geom type="plane" size="1 1 .1" pos="0 0 -3"/>'
    body = '<body name="b"><freejoint/><inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/></body>'
    twin = make_twin(f"<mujoco><worldbody>{plane}{body}</worldbody></mujoco>", world={"gravity": 10.0})
    with pytest.raises(RunError, match="fell through the ground") as caught:
        twin.simulate().run(2.0)
    assert caught.value.time == pytest.approx(_fallen(3.1), abs=0.0101)


def test_what_stands_lands_or_drifts_without_gravity_is_left_alone(make_twin: Any) -> None:
    made = {"description": {"base": "floating"}, "start": {"position": {"z": 3.0}}}
    make_twin(arm(BALL), **made, **ON_GROUND).simulate().run(2.0)  # lands at 7.7 m/s
    adrift = {**made, "start": {"velocity": {"z": -5.0}}, "world": {"ground": {}, "gravity": 0.0}}
    simulation = make_twin(arm(), **adrift).simulate()
    simulation.run(2.0)
    assert simulation.data.qpos[2] == pytest.approx(-10.0, abs=1e-6)


def test_a_slider_without_limits_may_hang_as_far_below_as_it_likes(make_twin: Any) -> None:
    slider = '<body><joint type="slide" axis="0 0 1"/><inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/></body>'
    text = f'<mujoco><worldbody><body name="b" pos="0 0 .1"><freejoint/><geom size=".1"/>{slider}</body></worldbody></mujoco>'
    simulation = make_twin(text, **ON_GROUND).simulate()
    simulation.run(1.0)
    assert simulation.data.qpos[7] < -4.0


def test_bundled_twins_are_far_from_it() -> None:
    for name in ("quadcopter", "meldog", "skywalker_2013"):
        timing = didymos.load(name).simulate().context.timing
        assert -10.0 < timing.lowest[0] < -0.2


def test_run_ends_with_status_1_where_nothing_holds_a_robot(make_twin: Any, capsys: pytest.CaptureFixture[str]) -> None:
    world = {"gravity": 10.0, "integrator": "rk4"}
    about = {"seconds": 1}
    expected = [{"name": "fall", "signal": "truth.position.z", "measure": "final", "low": -5.1, "high": -4.8}]
    made = {"description": {"base": "floating"}, "world": world}
    twin = make_twin(arm(), **made, scenarios={"drop": about, "measured": about | {"expect": expected}})
    assert twin.simulate().free_fall is None  # it has not begun to
    assert main(["run", str(twin.folder), "--quiet"]) == 1
    assert "at t = 1 s: link 'base' falls freely, at 10 m/s: nothing holds it" in capsys.readouterr().err
    assert main(["run", str(twin.folder), "--scenario", "measured", "--quiet"]) == 0  # whoever measures a fall wants one
    assert "falls freely" in capsys.readouterr().err
