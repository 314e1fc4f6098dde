"""What a rotor finds below it: the ground, a table, a loose box, terrain; never its own robot."""

from __future__ import annotations

import math
from typing import Any

import pytest

BODY = """<mujoco><asset><hfield name="hill" nrow="2" ncol="2" size="2 2 1 0.1" elevation="0 1 0 1"/></asset>
<worldbody>{world}<body name="craft"><freejoint name="free"/>
  <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
  <geom type="box" size=".3 .3 .01" pos="0 0 -.05"/>
  <body name="leg" pos="0 0 -.1"><joint name="knee" axis="0 1 0"/><geom type="sphere" size=".02" mass=".01"/></body>
</body></worldbody></mujoco>"""
ROTOR = {
    "kind": "rotor", "link": "craft", "direction": 1, "thrust_coefficient": 2e-5, "torque_coefficient": 4e-7, "radius": 0.2,
    "speed_per_input": 800.0, "speed_at_zero": 400.0, "ground_effect": 1.0,
}  # fmt: skip


def _height(make_twin: Any, up: float, things: str = "", ground: float | None = None) -> float:
    """The height that the thrust of a rotor at rest betrays: T / T0 = 1 / (1 - (R / 4 h)^2); infinite for T0."""
    world: dict[str, Any] = {"gravity": 0.0, "step": 0.001}
    if ground is not None:
        world["ground"] = {"height": ground}
    start = {"position": [0.3, -0.2, up], "orientation": [0, -math.pi / 2, 0]}  # its +x points up
    twin = make_twin(BODY.format(world=things), parts={"rotor": ROTOR}, world=world, start=start)
    log = twin.simulate().run(0.01)
    density = 1.0 - 9.6e-5 * up  # per metre of height, of that on the bench
    share = 1.0 - 2e-5 * 400.0**2 * density / log["parts.rotor.thrust"].values[0]
    return math.inf if share < 1e-5 else 0.2 / (4.0 * math.sqrt(share))


def test_it_is_the_height_over_the_ground_wherever_that_lies(make_twin: Any) -> None:
    for level in (0.0, -3.0, 20.0):
        found = _height(make_twin, level + 0.5, ground=level)
        assert found == pytest.approx(0.5, rel=0.02)  # the density is right to 1e-5 here, the ground effect 1e-2


def test_a_table_counts_and_so_does_its_edge(make_twin: Any) -> None:
    table = '<geom type="box" size=".5 .5 .1" pos="{x} 0 .4"/>'
    assert _height(make_twin, 0.8, table.format(x=0.3), ground=0.0) == pytest.approx(0.3, rel=0.01)
    assert _height(make_twin, 0.8, table.format(x=-0.3), ground=0.0) == pytest.approx(0.8, rel=0.04)  # 0.1 m beside it


def test_what_is_above_does_not_count(make_twin: Any) -> None:
    ceiling = '<geom type="box" size=".5 .5 .1" pos="0.3 0 1.4"/>'
    assert _height(make_twin, 0.8, ceiling, ground=0.0) == pytest.approx(0.8, rel=0.04)


def test_a_loose_box_and_terrain_count(make_twin: Any) -> None:
    box = '<body name="box" pos=".3 -.2 .3"><freejoint/><geom type="box" size=".2 .2 .1" mass="1"/></body>'
    assert _height(make_twin, 0.7, box) == pytest.approx(0.3, rel=0.01)
    hill = 0.575  # it rises by 1 m over the 4 m from x = -2 m
    assert _height(make_twin, hill + 0.5, '<geom type="hfield" hfield="hill"/>') == pytest.approx(0.5, rel=0.02)


def test_without_anything_below_there_is_no_ground_effect(make_twin: Any) -> None:
    """Its own plate and leg are below it, too."""
    assert _height(make_twin, 0.3) == math.inf
