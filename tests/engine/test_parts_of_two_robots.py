"""A part on a link of another robot: what one gains the other loses; and names that lead nowhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import didymos
from didymos.cockpit.forces import PartForces
from didymos.errors import InputError

BODY = """<mujoco><worldbody><body name="body"><freejoint/><inertial pos="0 0 0" mass="{mass}" diaginertia="1 2 2.5"/>
<site name="front" pos="0.5 0 0"/></body></worldbody></mujoco>"""
TWIN = "description: {{file: {name}.xml}}\nworld: {{gravity: 0, integrator: rk4, step: 0.002}}\n"
WORLD = """
record: {{momentum: true}}
robots:
  one:
    twin: ./one
    parts:
      port: {{kind: gripper_port, link: {link}}}
      gripper: {{kind: gripper, link: front, input_from: port, reach: 0.1, reach_angle: 0.5, seated: 0.01, soft_time: 0.1,
                hard_time: 0.1, soft_stiffness: 50, soft_damping: 20, hard_stiffness: 500, hard_damping: 100, arm: 0.3}}
      reaction: {{kind: gripper_reaction, link: {link}, input_from: gripper}}
  two: {{twin: ./two, start: {{position: [0.03, 0.02, 0.01], angular_velocity: [0.1, -0.2, 0.3], velocity: [0.01, 0.02, 0.0]}}}}
scenarios:
  hold:
    seconds: 20
    stimuli: [{{target: one.inputs.gripper, kind: constant, value: 2}}]
"""


def _world(folder: Path, link: str) -> Any:
    for name, mass in (("one", 30), ("two", 8)):
        (folder / name).mkdir()
        (folder / name / f"{name}.xml").write_text(BODY.format(mass=mass))
        (folder / name / "twin.yaml").write_text(TWIN.format(name=name))
    (folder / "world.yaml").write_text(WORLD.format(link=link))
    return didymos.load_world(folder / "world.yaml")


def test_a_gripper_holds_the_body_of_another_robot_and_all_momentum_stays(tmp_path: Path) -> None:
    """Both come to turn at one rate, and the sum of their momenta is what it was: RK4 errs by (k h^2 / m)^2 of 0.6 N m s."""
    log = _world(tmp_path, "two.front").simulate(scenario="hold").run()
    assert log["one.parts.gripper.stage"].values[-1] == 2.0
    for name in (f"{kind}.{axis}" for kind in ("linear", "angular") for axis in "xyz"):
        values = log[f"world.momentum.{name}"].values
        assert np.abs(values - values[0]).max() < 1e-7
    rates = [[log[f"{robot}.truth.angular_velocity.{axis}"].values[-1] for axis in "xyz"] for robot in ("one", "two")]
    np.testing.assert_allclose(rates[0], rates[1], atol=1e-3)
    assert np.linalg.norm(rates[0]) > 0.05


def test_a_rotor_on_another_robot_thrusts_and_is_drawn_there(tmp_path: Path) -> None:
    """The arrow on the page stands where the part sits, 0.5 m ahead of the other's middle; it is no rotor of its own frame."""
    engine = "{kind: rotor, link: two.front, direction: 1, thrust_coefficient: 1e-5, speed_per_input: 500}"
    _world(tmp_path, "two.front")
    text = WORLD.format(link="two.front").replace("    parts:\n", f"    parts:\n      rotor: {engine}\n")
    (tmp_path / "world.yaml").write_text(text)
    simulation = didymos.load_world(tmp_path / "world.yaml").simulate()
    assert simulation.robots["one"].built.robot.rotors == ()
    source = PartForces(simulation.robots["one"])._sources[0]  # the rotor is the first part; the gripper has a force as well
    np.testing.assert_allclose(source.position, [0.5, 0.0, 0.0], atol=1e-12)
    assert simulation.model.body(source.body).name.startswith("two/")


@pytest.mark.parametrize(
    ("link", "words"),
    [
        ("too.front", "there is no robot 'too', did you mean 'two'"),
        ("two.frond", "two has no link 'frond', did you mean 'front'"),
    ],
)
def test_a_link_of_nobody_is_named(tmp_path: Path, link: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        _world(tmp_path, link)
    assert words in str(caught.value)
    assert "robots.one.parts.port.link" in str(caught.value)


def test_a_twin_alone_has_no_other_robot_to_sit_on(tmp_path: Path) -> None:
    (tmp_path / "one.xml").write_text(BODY.format(mass=3))
    text = TWIN.format(name="one") + "parts: {port: {kind: gripper_port, link: two.front}}\n"
    (tmp_path / "twin.yaml").write_text(text)
    with pytest.raises(InputError, match="a twin alone has no other robot beside it"):
        didymos.load(tmp_path).simulate()
