"""`didymos check` says of a base that is not REP 103 that it is not, and how that shows; it says nothing of one that is."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio
import pytest

import didymos
from described_robots import quadruped
from didymos.cli.main import main
from didymos.describe.base_axes import base_axes_notes
from didymos.describe.bundled import bundled
from didymos.describe.named_sides import named_sides
from wheeled_robots import ackermann, differential, mecanum, omni, skid, swerve

ROBOTS = Path(pinocchio.__file__).parents[4] / "share" / "example-robot-data" / "robots"
MASS = '<inertial><mass value="1"/><inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial>'
RIGHT = {"differential": differential, "skid": skid, "ackermann": ackermann, "mecanum": mecanum, "omni": omni, "swerve": swerve}


def under_a_root(urdf: str, yaw: float) -> str:
    """The same robot under another root link, in whose axes it is turned by an angle."""
    name, rest = urdf.split(">", 1)
    mount = (
        f'<joint name="mount" type="fixed"><parent link="root"/><child link="base"/><origin xyz="0 0 0" rpy="0 0 {yaw}"/></joint>'
    )
    return f'{name}><link name="root">{MASS}</link>{mount}{rest}'


def said(make_twin: Any, model: str, **keys: Any) -> str:
    description = {"base": "floating"} if "<robot" in model else {}
    return " ".join(note.what for note in base_axes_notes(make_twin(model, description=description, **keys)))


@pytest.mark.parametrize("name", bundled())
def test_bundled_twins_keep_rep_103(name: str) -> None:
    assert base_axes_notes(didymos.load(name)) == ()


def test_the_axes_of_a_source_are_reported_with_all_that_shows_them() -> None:
    (note,) = base_axes_notes(didymos.load("omni_base", variant="source_axes"))
    assert note.what == (
        "the base 'base_link' does not keep REP 103 (x forward, y left, z up): control.options.forward is y; "
        "its wheels roll along y ('drive_1'); by their names its left is towards -x ('lidar_left', 'lidar_right')"
    )
    assert note.line is not None
    assert note.file.endswith("twin.yaml")


def test_check_prints_it(make_twin: Any, capsys: pytest.CaptureFixture[str]) -> None:
    twin = make_twin(under_a_root(differential(), 0.5 * math.pi), description={"base": "floating"})
    assert main(["check", str(twin.folder)]) == 0
    out = capsys.readouterr().out
    assert "does not keep REP 103 (x forward, y left, z up): its wheels roll along y" in out
    assert main(["check", "omni_base"]) == 0
    assert "REP 103" not in capsys.readouterr().out


@pytest.mark.parametrize("kind", RIGHT)
def test_wheels_and_names_show_the_axes(make_twin: Any, kind: str) -> None:
    """Axles that cross, or that are all steered, roll anywhere; names are there nevertheless, but for the omni base's."""
    assert said(make_twin, under_a_root(RIGHT[kind](), math.radians(20.0))) == ""
    aside, back = (said(make_twin, under_a_root(RIGHT[kind](), yaw)) for yaw in (0.5 * math.pi, math.pi))
    rolls = kind in ("differential", "skid", "ackermann", "mecanum")
    assert ("its wheels roll along y" in aside) == rolls
    assert "roll along" not in back  # a line has two ends
    if kind != "omni":
        assert "its left is towards -x" in aside
        assert "its left is towards -y" in back


def test_knees_show_the_line_along_which_it_walks(make_twin: Any) -> None:
    """Without its names: legs of a joint that spreads and two that bend."""
    trunk = quadruped().replace('"trunk"', '"base"')
    for name, nameless in (("FL_", "one_"), ("FR_", "two_"), ("RL_", "three_"), ("RR_", "four_")):
        trunk = trunk.replace(name, nameless)
    walks = {"control": {"program": "legged", "rate": 500}}
    assert said(make_twin, under_a_root(trunk, 0.3), **walks) == ""
    text = said(make_twin, under_a_root(trunk, 0.5 * math.pi), **walks)
    assert "its legs bend about x, so that it walks along y" in text
    assert "by their names" not in text


def test_rotors_lift_and_airfoils_fly(make_twin: Any) -> None:
    site = '<site name="{}" pos="{}" euler="{}"/>'
    body = (
        '<mujoco><compiler angle="degree"/><worldbody><body name="b"><freejoint/><geom size=".1"/>{}</body></worldbody></mujoco>'
    )
    rotor = {"kind": "rotor", "direction": 1, "thrust_coefficient": 1e-5, "moment_coefficient": 1e-7, "speed_per_input": 900}
    for turn, words in (("0 -90 0", ""), ("0 90 0", "its rotors lift it towards -z ('r0')"), ("0 0 0", "lift it towards x")):
        sites = "".join(site.format(f"s{i}", f"{math.cos(2 * i)} {math.sin(2 * i)} 0", turn) for i in range(3))
        keys = {k: v for k, v in rotor.items() if k != "moment_coefficient"}
        text = said(make_twin, body.format(sites), parts={f"r{i}": {**keys, "link": f"s{i}"} for i in range(3)})
        assert (words in text) if words else text == ""
    plane = didymos.load("plane_1wing")
    wing = next(part for part in plane.file.parts.values() if part.kind == "airfoil")
    about = wing.model_dump(exclude_unset=True) | {"link": "s"}
    for turn, words in (("0 0 30", ""), ("0 0 90", "its airfoils fly towards y ('wing')"), ("0 0 180", "fly towards -x")):
        text = said(make_twin, body.format(site.format("s", "0 0 0", turn)), parts={"wing": about})
        assert (words in text) if words else text == ""


def test_what_points_up_at_the_start_is_up(make_twin: Any) -> None:
    body = '<mujoco><worldbody><body name="b"><freejoint/><geom size=".1"/></body></worldbody></mujoco>'
    turned = {"start": {"orientation": [0.5 * math.pi, 0, 0]}}
    assert "y points up at the start (start.orientation)" in said(make_twin, body, **turned)
    assert said(make_twin, body, **turned, world={"gravity": 0}) == ""  # nothing is up
    assert said(make_twin, body, start={"orientation": [0.9, 0, 0]}) == ""  # dropped askew


def test_names_count_as_pairs_that_agree() -> None:
    def sides(**places: tuple[float, float, float]) -> dict[str, list[float]]:
        return {
            side.side: side.direction.round(3).tolist()
            for side in named_sides({name: np.array(place) for name, place in places.items()})
        }

    assert sides(left_wheel=(0, 1, 0), right_leg=(0, -1, 0), upright=(1, 0, 0), bright_left=(0, 3, 0)) == {}
    assert sides(wheelFrontLeft=(1, 1, 0), wheelRearLeft=(-1, 1, 0)) == {"front": [1, 0, 0]}
    legs = {"LF_HIP": (0, 1, 0), "RF_HIP": (0, -1, 0), "LH_HIP": (-2, 1, 0), "RH_HIP": (-2, -1, 0)}
    assert sides(**legs) == {"front": [1, 0, 0], "left": [0, 1, 0]}
    assert sides(RL_hip=(-1, 1, 0), RR_hip=(-1, -1, 0)) == {"left": [0, 1, 0]}
    assert sides(l_arm=(0, 1, 0), r_arm=(0, -1, 0), l_tip=(0, -1, 0), r_tip=(0, 1, 0)) == {}  # contradict each other
    assert sides(l_arm=(0, 0.4, 0), r_arm=(0, -0.4, 0), left_finger=(0.04, 0, 0), right_finger=(0, 0, 0)) == {
        "left": [pytest.approx(0.05, abs=0.01), pytest.approx(1.0, abs=0.01), 0]
    }
    assert sides(left_finger=(0, 0.02, 0), right_finger=(0, -0.02, 0)) == {}  # too close for sides of a robot


@pytest.mark.parametrize(
    ("robot", "words"),
    [
        ("tiago_description/robots/tiago.urdf", ""),
        ("a1_description/urdf/a1.urdf", ""),
        ("anymal_b_simple_description/robots/anymal.urdf", ""),
        ("bolt_description/robots/bolt.urdf", ""),
        ("panda_description/urdf/panda.urdf", ""),
        ("icub_description/robots/icub.urdf", "its left is towards -y ('l_shoulder_1', 'r_shoulder_1')"),  # its x is backward
        ("human_description/robots/human.urdf", "y points up at the start"),
    ],
)
def test_strangers_robots_are_told_apart(robot: str, words: str) -> None:
    text = " ".join(note.what for note in base_axes_notes(didymos.load(ROBOTS / robot, run_code=False)))
    assert (words in text) if words else text == ""
