"""Expectations of where a robot is as seen from another: closed forms of bodies that fly and turn freely."""

from __future__ import annotations

import math
from typing import Any

import pytest

BODY = """<mujoco><worldbody><body name="body"><freejoint/><geom type="box" size=".1 .1 .1" mass="1"/>
  <body name="tip" pos="0 0 2"><joint name="hinge"/><geom size=".05" mass=".001"/></body></body></worldbody></mujoco>"""
KEYS = {"world": {"gravity": 0, "step": 0.001, "ground": None}, "record": {"tf_rate": 100}}
TEXT = """
robots:
  turning: {{twin: ./body, start: {{position: [1, 2, 0], orientation: [{roll}, 0, 0.4], angular_velocity: [0, 0, {rate}]}}}}
  gliding: {{twin: ./body, start: {{position: [4, 2, 6], velocity: [0, 0, -0.7]}}}}
  third: {{twin: ./body, start: {{position: [20, 2, 6]}}}}
scenarios: {{s: {{seconds: 1.01, expect: [{{name: figure, low: -100, {about}}}]}}}}
"""


def _figure(make_world: Any, about: str, roll: float = 0.0, rate: float = 0.5) -> Any:
    simulation = make_world(TEXT.format(about=about, roll=roll, rate=rate), body=(BODY, KEYS)).simulate(scenario="s")
    (verdict,) = simulation.judge(simulation.run())
    return verdict


SEEN = "relative: {of: gliding, to: turning"


@pytest.mark.parametrize(
    ("about", "expected"),
    [
        (f"{SEEN}, along: x}}, measure: final", 3.0 * math.cos(0.9)),
        (f"{SEEN}, along: y}}, measure: final", -3.0 * math.sin(0.9)),
        (f"{SEEN}, along: z}}, measure: final", 5.3),
        (f"{SEEN}, along: z}}, measure: final, point: [0, 0, 5]", 0.3),
        (f"{SEEN}, along: level}}, measure: max", 3.0),
        (f"{SEEN}}}, measure: final", math.hypot(3.0, 5.3)),
        (f"{SEEN}, axes: world, along: x}}, measure: final", 3.0),
        (f"{SEEN}, axes: world}}, point: [3, 0, 5.3], measure: final", 0.0),
        ("relative: {of: turning, to: gliding, along: z}, measure: final", -5.3),
        ("relative: {of: turning.tip, to: turning, along: z}, measure: mean", 2.0),
    ],
)
def test_a_place_is_seen_in_the_axes_that_are_asked_for(make_world: Any, about: str, expected: float) -> None:
    """A body that began turned by 0.4 rad and turns at 0.5 rad/s, one that falls at 0.7 m/s; after a second."""
    verdict = _figure(make_world, about)
    assert verdict.value == pytest.approx(expected, abs=1e-6)
    assert verdict.unit == "m"


def test_axes_of_the_heading_do_not_tilt_with_the_link(make_world: Any) -> None:
    """Rolled by 0.3 rad: in the link's axes z is 6 cos - y sin of it, in those of the heading the height."""
    about = f"{SEEN}, along: z}}, measure: max"
    across = -3.0 * math.sin(0.4)
    expected = 6.0 * math.cos(0.3) - across * math.sin(0.3)
    assert _figure(make_world, about, roll=0.3, rate=0.0).value == pytest.approx(expected, abs=1e-9)
    assert _figure(make_world, about.replace("along", "axes: heading, along"), roll=0.3, rate=0.0).value == pytest.approx(6.0)


def test_how_fast_a_place_changes(make_world: Any) -> None:
    """As seen from a body that turns, the other one moves: dx/dt = -3 w sin."""
    falls = _figure(make_world, f"{SEEN}, along: z, rate: true}}, measure: mean")
    assert falls.value == pytest.approx(-0.7, abs=1e-6)
    assert falls.unit == "m/s"
    turns = _figure(make_world, f"{SEEN}, along: x, rate: true}}, measure: final")
    assert turns.value == pytest.approx(-3.0 * 0.5 * math.sin(0.9), abs=0.01)  # of second differences: 3 w^2 dt


def test_only_samples_within_count(make_world: Any) -> None:
    """6 m down to 5.3 m: of those below 5.5 m the highest."""
    highest = _figure(make_world, f"{SEEN}, along: z, within: [0, 5.5]}}, measure: max")
    assert highest.value == pytest.approx(5.5, abs=0.7 * 0.011)  # a sample
    none = _figure(make_world, f"{SEEN}, along: z, within: [0, 1]}}, measure: max")
    assert none.value is None
    assert none.ok is None


def test_of_many_robots_the_nearest_two_count(make_world: Any) -> None:
    """5 m between the first two at the end, 16 m and more to the third."""
    verdict = _figure(make_world, "distance: [third, turning, gliding], measure: min")
    assert verdict.value == pytest.approx(math.hypot(3.0, 5.3), abs=1e-6)
