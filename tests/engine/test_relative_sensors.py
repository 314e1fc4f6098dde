"""Sensors that look at another robot: pose and motion in their own frame, range, and a kind of somebody else's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from didymos import InputError
from didymos.rotations import quaternion_to_matrix

BODY = """<mujoco><worldbody><body name="body"><freejoint/><geom type="box" size=".1 .15 .2" mass="1.5"/>
<site name="eye" pos=".1 .2 .3" euler="20 -30 50"/></body></worldbody></mujoco>"""
TUMBLING = """
robots:
  a:
    twin: ./body
    start: {{position: [0, 0, 0], velocity: [0.1, 0.2, 0], angular_velocity: [0.3, 0.2, -0.1]}}
    sensors: {{{sensors}}}
  b: {{twin: ./body, start: {{position: [2, 0, 1], orientation: [0.3, 0.5, 1], angular_velocity: [-0.3, 0.5, 0.1]}}}}
"""
KEYS: dict[str, Any] = {
    "world": {"gravity": 0, "step": 0.001, "integrator": "rk4"},
    "record": {"rate": 1000, "tf_rate": 1000},
}


def _vector(log: Any, name: str, axes: str = "xyz") -> Any:
    return np.column_stack([log[f"{name}.{axis}"].values for axis in axes])


def test_pose_and_motion_are_those_of_the_other_in_the_own_frame(make_world: Any) -> None:
    text = TUMBLING.format(sensors="marker: {kind: relative_pose, link: eye, target: b.eye, rate: 1000}")
    log = make_world(text, body=(BODY, KEYS)).simulate().run(0.5)
    turns = [quaternion_to_matrix(q) for q in _vector(log, "tf.a/body.orientation", "wxyz")]
    others = [quaternion_to_matrix(q) for q in _vector(log, "tf.b/body.orientation", "wxyz")]
    place, other = _vector(log, "tf.a/body.position"), _vector(log, "tf.b/body.position")
    eye = np.array([0.1, 0.2, 0.3])
    import mujoco

    model = mujoco.MjModel.from_xml_string(BODY)
    own = quaternion_to_matrix(model.site_quat[0])
    seen, facing = _vector(log, "a.marker.position"), _vector(log, "a.marker.orientation", "wxyz")
    for i in range(0, 500, 100):
        mine = turns[i] @ own
        at = other[i] + others[i] @ eye - place[i] - turns[i] @ eye
        assert seen[i] == pytest.approx(mine.T @ at, abs=1e-12)
        assert quaternion_to_matrix(facing[i]) == pytest.approx(mine.T @ others[i] @ own, abs=1e-12)
    time = log["a.marker.position.x"].time
    slope = (seen[2:] - seen[:-2]) / (time[2:] - time[:-2])[:, None]
    assert _vector(log, "a.marker.velocity")[1:-1] == pytest.approx(slope, abs=2e-6)  # h^2/6 of the third derivative
    spin = _vector(log, "a.marker.angular_velocity")[0]
    expected = own.T @ (others[0] @ [-0.3, 0.5, 0.1] - np.array([0.3, 0.2, -0.1]))
    assert spin == pytest.approx(expected, abs=1e-9)
    layout = next(layout for layout in log.layouts if layout.name == "a.marker")
    assert (layout.frame, layout.child_frame) == ("a/eye", "b/eye")


def test_a_beacon_gives_the_range(make_world: Any) -> None:
    text = TUMBLING.format(sensors="far: {kind: beacon, link: body, target: b, rate: 100}")
    log = make_world(text, body=(BODY, KEYS)).simulate().run(0.2)
    assert log["a.far.range"].values[0] == pytest.approx(np.sqrt(5.0), abs=1e-12)


def test_its_errors_are_those_of_any_sensor(make_world: Any) -> None:
    text = TUMBLING.format(sensors="far: {kind: beacon, link: body, target: b, rate: 1000, range: {noise: 0.1}}")
    log = make_world(text, body=(BODY, KEYS)).simulate().run(2.0)
    place = _vector(log, "tf.b/body.position") - _vector(log, "tf.a/body.position")
    error = log["a.far.range"].values - np.linalg.norm(place, axis=1)
    assert np.std(error) == pytest.approx(0.1, rel=5 / np.sqrt(2 * 2000))


@pytest.mark.parametrize(
    ("target", "what"),
    [("c.body", "no robot 'c'"), ("b.bodi", "b has no link 'bodi', did you mean 'body'")],
)
def test_a_target_that_is_not_there(make_world: Any, target: str, what: str) -> None:
    text = TUMBLING.format(sensors=f"far: {{kind: beacon, link: body, target: {target}, rate: 100}}")
    with pytest.raises(InputError, match=what):
        make_world(text, body=(BODY, KEYS))


def test_a_twin_alone_has_nobody_to_look_at(make_twin: Any) -> None:
    twin = make_twin(BODY, sensors={"far": {"kind": "beacon", "link": "body", "target": "b.body", "rate": 100}})
    with pytest.raises(InputError, match="a twin alone has no other robot beside it"):
        twin.simulate()
    own = make_twin(BODY, sensors={"far": {"kind": "beacon", "link": "body", "target": "eye", "rate": 100}})
    assert own.simulate().measured.far.range == pytest.approx(np.sqrt(0.14), abs=1e-12)


def test_objects_of_the_world_are_seen_held_and_reckoned_with(make_world: Any) -> None:
    """A free box by its name: a target of sensors, an end of welds and of distances."""
    text = """
world: {objects: {box: {shape: box, size: [0.1, 0.1, 0.1], mass: 0.5, position: [1, 2, 0], velocity: [0.1, 0, 0]}}}
robots:
  a: {twin: ./body, sensors: {far: {kind: beacon, link: body, target: objects.box, rate: 100}}}
couplings: {hold: {between: [a.body, objects.box]}}
scenarios:
  hold:
    seconds: 1
    stimuli: [{target: a.inputs.hold, kind: step, at: 0.5, from: 0, to: 1}]
    expect: [{name: apart, distance: [a, objects.box], measure: final, low: 2.2, high: 2.4}]
"""
    simulation = make_world(text, body=(BODY, KEYS)).simulate(scenario="hold")
    log = simulation.run()
    assert log["a.far.range"].values[0] == pytest.approx(np.sqrt(5.0), abs=1e-12)
    place = _vector(log, "objects.box.position")
    time = log["objects.box.position.x"].time
    assert place[time < 0.5][-1] == pytest.approx([1.0 + 0.1 * time[time < 0.5][-1], 2, 0], abs=1e-9)
    total = 1.5 * _vector(log, "a.truth.velocity")[-1]
    assert np.linalg.norm(total) > 0.01  # it is carried along
    assert simulation.judge(log)[0].ok
    with pytest.raises(InputError, match="there is no object 'bax' that moves, did you mean 'box'"):
        make_world(text.replace("target: objects.box", "target: objects.bax"), body=(BODY, KEYS))
