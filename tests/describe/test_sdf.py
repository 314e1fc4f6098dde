"""SDF: frames, nested models, includes, loops and worlds."""

from __future__ import annotations

import math
from pathlib import Path

import mujoco
import numpy as np
import pytest

from didymos.describe.description import Description, JointKind
from didymos.describe.float_base import float_base
from didymos.describe.formats.importer import read_description
from didymos.errors import InputError

MASS = "<inertial><mass>{0}</mass><inertia><ixx>0.01</ixx><iyy>0.01</iyy><izz>0.01</izz></inertia></inertial>"


def link(name: str, inside: str = "", mass: float = 1.0) -> str:
    return f'<link name="{name}">{MASS.format(mass)}{inside}</link>'


def read(tmp_path: Path, text: str) -> Description:
    file = tmp_path / "model.sdf"
    file.write_text(text)
    return read_description(file)


def model(tmp_path: Path, inside: str, version: str = "1.9") -> Description:
    return read(tmp_path, f'<sdf version="{version}"><model name="m">{inside}</model></sdf>')


def at_start(description: Description) -> tuple[mujoco.MjModel, mujoco.MjData]:
    compiled = description.spec.compile()
    data = mujoco.MjData(compiled)
    mujoco.mj_forward(compiled, data)
    return compiled, data


def test_poses_follow_their_frames(tmp_path: Path) -> None:
    description = model(
        tmp_path,
        "<pose>0 0 10 0 0 0</pose>"
        + link("a", "<pose>1 0 0 0 0 1.5707963267948966</pose>")
        + '<frame name="f" attached_to="a"><pose>1 0 0 0 0 0</pose></frame>'
        '<frame name="g"><pose relative_to="f" degrees="true">0 0 1 0 0 90</pose></frame>'
        + link("b", '<pose relative_to="g">1 0 0 0 0 0</pose>')
        + '<joint name="j" type="fixed"><parent>a</parent><child>b</child></joint>',
    )
    _, data = at_start(description)
    # a stands at x = 1, turned by 90 degrees; f one further along its x (world y); g above, turned again; b along -x
    np.testing.assert_allclose(data.body("b").xpos, [0, 1, 11], atol=1e-12)
    np.testing.assert_allclose(data.site("f").xpos, [1, 1, 10], atol=1e-12)
    np.testing.assert_allclose(data.site("g").xpos, [1, 1, 11], atol=1e-12)
    assert description.frames["f"].link == "a"
    np.testing.assert_allclose(description.frames["f"].position, [1, 0, 0], atol=1e-15)


@pytest.mark.parametrize(
    ("version", "xyz", "expected"),
    [
        ("1.9", "<xyz>1 0 0</xyz>", [0, 1, 0]),  # in the joint's frame, which is the child's, turned by 90 degrees
        ("1.9", '<xyz expressed_in="__model__">1 0 0</xyz>', [1, 0, 0]),
        ("1.6", "<xyz>1 0 0</xyz><use_parent_model_frame>true</use_parent_model_frame>", [1, 0, 0]),
        ("1.4", "<xyz>1 0 0</xyz>", [1, 0, 0]),
    ],
)
def test_an_axis_is_expressed_where_the_version_says(
    tmp_path: Path, version: str, xyz: str, expected: list[float]
) -> None:
    description = model(
        tmp_path,
        link("a")
        + link("b", f"<pose>0 0 0 0 0 {math.pi / 2}</pose>")
        + f'<joint name="j" type="revolute"><pose>0.5 0 0 0 0 0</pose><parent>a</parent><child>b</child>'
        f"<axis>{xyz}</axis></joint>",
        version,
    )
    _, data = at_start(description)
    np.testing.assert_allclose(data.xaxis[0], expected, atol=1e-12)
    np.testing.assert_allclose(data.xanchor[0], [0, 0.5, 0], atol=1e-12)
    assert description.joints["j"].kind is JointKind.CONTINUOUS


def test_springs_limits_and_mimic_reach_the_engine(tmp_path: Path) -> None:
    joint = (
        '<joint name="{0}" type="revolute"><parent>a</parent><child>{1}</child><axis><xyz>0 0 1</xyz><limit>'
        "<lower>-1</lower><upper>2</upper><effort>{2}</effort></limit><dynamics><damping>0.1</damping>"
        "<friction>0.2</friction><spring_stiffness>3</spring_stiffness><spring_reference>0.5</spring_reference>"
        "</dynamics>{3}</axis></joint>"
    )
    mimic = '<mimic joint="j"><multiplier>2</multiplier><offset>0.3</offset><reference>0.1</reference></mimic>'
    description = model(
        tmp_path,
        link("a") + link("b") + link("c") + joint.format("j", "b", 7, "") + joint.format("k", "c", -1, mimic),
        "1.11",
    )
    compiled, data = at_start(description)
    assert (compiled.jnt_stiffness[0], compiled.qpos_spring[0]) == (3, 0.5)
    assert (compiled.dof_damping[0], compiled.dof_frictionloss[0]) == (0.1, 0.2)
    assert (description.joints["j"].effort, description.joints["k"].effort) == (7, None)
    data.qpos[:] = [0.4, 2 * (0.4 - 0.1) + 0.3]
    mujoco.mj_forward(compiled, data)
    assert data.efc_pos[0] == pytest.approx(0, abs=1e-12)


def test_nested_models_keep_their_names_and_placement(tmp_path: Path) -> None:
    inner = (
        '<model name="arm" placement_frame="grip"><pose relative_to="base">0 0 1 0 0 0</pose>'
        + link("one")
        + '<frame name="grip" attached_to="one"><pose>0.25 0 0 0 0 0</pose></frame></model>'
    )
    description = model(
        tmp_path,
        link("base") + inner + '<joint name="j" type="fixed"><parent>base</parent><child>arm::one</child></joint>',
    )
    _, data = at_start(description)
    assert set(description.links) == {"base", "arm::one"}
    np.testing.assert_allclose(data.body("arm::one").xpos, [-0.25, 0, 1], atol=1e-12)
    np.testing.assert_allclose(data.site("arm::grip").xpos, [0, 0, 1], atol=1e-12)


def test_an_included_model_is_read_with_its_new_name_and_pose(tmp_path: Path) -> None:
    (tmp_path / "wheel").mkdir()
    (tmp_path / "wheel" / "model.sdf").write_text(f'<sdf version="1.9"><model name="w">{link("rim")}</model></sdf>')
    include = "<include><uri>model://wheel</uri><name>{0}</name><pose>{1} 0 0 0 0 0</pose></include>"
    description = model(
        tmp_path,
        link("base")
        + include.format("left", 1)
        + include.format("right", -1)
        + "".join(
            f'<joint name="{side}_axle" type="continuous"><parent>base</parent>'
            f"<child>{side}::rim</child><axis/></joint>"
            for side in ("left", "right")
        ),
    )
    _, data = at_start(description)
    assert set(description.links) == {"base", "left::rim", "right::rim"}
    np.testing.assert_allclose(data.body("right::rim").xpos, [-1, 0, 0], atol=1e-12)


def test_a_loop_is_closed_by_a_constraint(tmp_path: Path) -> None:
    joint = (
        '<joint name="{0}" type="revolute"><pose>{1} 0 0 0 0 0</pose><parent>{2}</parent><child>{3}</child>'
        "<axis><xyz>0 1 0</xyz></axis></joint>"
    )
    description = model(
        tmp_path,
        link("a")
        + link("b")
        + link("c")
        + joint.format("j", 0, "a", "b")
        + joint.format("k", 1, "b", "c")
        + joint.format("l", 0.5, "a", "c"),
    )
    compiled, data = at_start(description)
    assert (compiled.nv, compiled.neq) == (2, 2)
    assert description.joints["l"].engine_joints == ()
    np.testing.assert_allclose(data.efc_pos[:6], 0, atol=1e-12)
    assert any("joint 'l' closes a loop" in note.what for note in description.notes)


def test_static_models_of_a_world_count_no_mass(tmp_path: Path) -> None:
    house = "<inertial><mass>5000</mass></inertial>"
    still = f'<model name="house"><static>true</static><link name="walls">{house}</link></model>'
    text = f'<sdf version="1.9"><world name="w">{still}<model name="robot">{link("a")}</model></world></sdf>'
    description = read(tmp_path, text)
    alone = read(tmp_path, f'<sdf version="1.9"><model name="robot">{link("a")}</model></sdf>')
    assert sum(one.mass for one in description.links.values()) == sum(one.mass for one in alone.links.values()) > 0
    assert description.spec.compile().body("house::walls").mass[0] == 0.0


def test_models_of_a_world_collide_with_each_other_but_not_with_themselves(tmp_path: Path) -> None:
    ball = "<collision name='c'><geometry><sphere><radius>0.1</radius></sphere></geometry></collision>"
    ground = (
        '<model name="ground"><static>true</static><link name="l"><collision name="c"><geometry><plane>'
        "<normal>0 0 1</normal></plane></geometry></collision></link></model>"
    )
    text = "".join(f'<model name="{name}">{link("a", ball)}{link("b", ball)}</model>' for name in ("one", "two"))
    description = read(
        tmp_path,
        f'<sdf version="1.9"><world name="w"><gravity>0 0 -1.6</gravity>{ground}{text}'
        "<include><uri>model://sun</uri></include></world></sdf>",
    )
    assert description.spec.compile().nv == 18  # the robot's root waits for float_base, the other three links fall
    compiled, data = at_start(float_base(description))
    names = {frozenset(compiled.body(compiled.geom_bodyid[g]).name for g in contact.geom) for contact in data.contact}
    assert names == {frozenset({f"one::{a}", f"two::{b}"}) for a in "ab" for b in "ab"} | {
        frozenset({"ground::l", f"{model}::{link}"}) for model in ("one", "two") for link in "ab"
    }
    assert description.root == "one::a"
    np.testing.assert_array_equal(compiled.opt.gravity, [0, 0, -1.6])
    assert any("'model://sun'" in note.what and "left out" in note.what for note in description.notes)


def test_a_joint_to_the_world_holds_the_root(tmp_path: Path) -> None:
    description = model(
        tmp_path,
        link("a", "<pose>0 0 2 0 0 0</pose>")
        + '<joint name="j" type="fixed"><parent>world</parent><child>a</child></joint>',
    )
    _, data = at_start(description)
    np.testing.assert_allclose(data.body("a").xpos, [0, 0, 2])
    assert (description.root, description.joints["j"].parent) == ("a", "world")
    with pytest.raises(InputError, match="link 'a' cannot float: joint 'j' holds it in the world"):
        float_base(description)


def test_links_without_gravity_or_inertial_are_what_sdf_says(tmp_path: Path) -> None:
    description = model(tmp_path, '<link name="a"><gravity>false</gravity><sensor name="s" type="imu"/></link>')
    compiled = float_base(description).spec.compile()
    data = mujoco.MjData(compiled)
    mujoco.mj_forward(compiled, data)
    np.testing.assert_allclose(data.qacc, 0, atol=1e-12)
    assert description.links["a"].mass == 1
    whats = [note.what for note in description.notes]
    assert "<link> 'a' has no <inertial>; SDF's default of 1 kg and 1 kg m^2 is used" in whats
    assert "<sensor> 's' is offered to `didymos new` as the sensor 's' of kind 'imu'" in whats
