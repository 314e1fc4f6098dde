"""URDF: what a file says is what the engine simulates, and everything else is noted."""

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

BALL = '<inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01"/></inertial>'


def robot(tmp_path: Path, inside: str) -> Description:
    file = tmp_path / "robot.urdf"
    file.write_text(f'<robot name="r">\n{inside}\n</robot>')
    return read_description(file)


def notes(description: Description) -> str:
    return "\n".join(map(str, description.notes))


def test_a_fixed_joint_keeps_its_child_addressable_with_its_exact_mass(tmp_path: Path) -> None:
    inertial = (
        '<inertial><origin xyz="0.1 0.2 0.3" rpy="0.3 0.2 0.1"/><mass value="0.7"/>'
        '<inertia ixx="0.010" ixy="0.001" ixz="0.002" iyy="0.012" iyz="0.0005" izz="0.015"/></inertial>'
    )
    description = robot(
        tmp_path,
        f'<link name="a">{BALL}</link><link name="b">{inertial}</link><link name="tip"/>'
        '<joint name="j" type="fixed"><parent link="a"/><child link="b"/><origin xyz="0 0 1"/></joint>'
        '<joint name="k" type="fixed"><parent link="b"/><child link="tip"/></joint>',
    )
    model = description.spec.compile()
    body = model.body("b")
    rotation = np.zeros(9)
    mujoco.mju_quat2Mat(rotation, body.iquat)
    rotation = rotation.reshape(3, 3)
    cx, cy, cz = np.cos([0.3, 0.2, 0.1])
    sx, sy, sz = np.sin([0.3, 0.2, 0.1])
    turn = (
        np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]])
        @ np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
        @ np.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]])
    )
    tensor = np.array([[0.010, 0.001, 0.002], [0.001, 0.012, 0.0005], [0.002, 0.0005, 0.015]])
    np.testing.assert_allclose(rotation @ np.diag(body.inertia) @ rotation.T, turn @ tensor @ turn.T, atol=1e-15)
    np.testing.assert_allclose(description.links["b"].inertia, turn @ tensor @ turn.T, atol=1e-16)
    assert body.mass[0] == 0.7
    assert model.body("tip").mass[0] == 0
    assert description.joints["k"].engine_joints == ()
    assert description.links["tip"].parent_joint == "k"


def test_a_pendulum_swings_with_its_closed_form_acceleration(tmp_path: Path) -> None:
    length = 0.5
    description = robot(
        tmp_path,
        f'<link name="a">{BALL}</link><link name="b"><inertial><origin xyz="{length} 0 0"/>'
        '<mass value="2"/><inertia ixx="0.03" iyy="0.03" izz="0.03"/></inertial></link>'
        '<joint name="j" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 -2 0"/></joint>',
    )
    model = description.spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    expected = -2 * 9.81 * length / (0.03 + 2 * length**2)  # the axis is -y, so falling turns backwards
    assert data.qacc[0] == pytest.approx(expected, rel=1e-12)
    np.testing.assert_array_equal(description.joints["j"].axis, [0, -1, 0])


def test_limits_effort_damping_and_friction_reach_the_engine(tmp_path: Path) -> None:
    description = robot(
        tmp_path,
        f'<link name="a"/><link name="b">{BALL}</link><joint name="j" type="revolute">'
        '<parent link="a"/><child link="b"/><limit lower="-1" upper="2" effort="7" velocity="3"/>'
        '<dynamics damping="0.4" friction="0.3"/></joint>',
    )
    model = description.spec.compile()
    joint, table = model.joint("j"), description.joints["j"]
    np.testing.assert_array_equal(joint.range, [-1, 2])
    np.testing.assert_array_equal(model.jnt_actfrcrange[0], [-7, 7])
    assert (joint.limited[0], model.jnt_actfrclimited[0]) == (1, 1)
    assert (model.dof_damping[0], model.dof_frictionloss[0]) == (0.4, 0.3)
    assert (table.lower, table.upper, table.effort, table.velocity) == (-1, 2, 7, 3)


def test_a_revolute_joint_without_room_is_welded_where_its_limits_say(tmp_path: Path) -> None:
    description = robot(
        tmp_path,
        f'<link name="a">{BALL}</link><link name="b">{BALL}</link><link name="c">{BALL}</link>'
        '<joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>'
        '<limit lower="0.5" upper="0.5" effort="1" velocity="1"/></joint>'
        '<joint name="k" type="revolute"><parent link="b"/><child link="c"/></joint>',
    )
    model = description.spec.compile()
    assert model.nv == 0
    np.testing.assert_allclose(model.body("b").quat, [math.cos(0.25), 0, 0, math.sin(0.25)], atol=1e-15)
    assert description.joints["j"].kind is JointKind.FIXED
    assert "joint 'j' is revolute between 0.5 and 0.5" in notes(description)
    assert "joint 'k' is revolute and has no <limit>" in notes(description)


def test_mimic_becomes_a_constraint_that_holds(tmp_path: Path) -> None:
    joint = '<joint name="{0}" type="continuous"><parent link="a"/><child link="{1}"/><axis xyz="0 0 1"/>{2}</joint>'
    description = robot(
        tmp_path,
        f'<link name="a"/><link name="b">{BALL}</link><link name="c">{BALL}</link>'
        + joint.format("j", "b", "")
        + joint.format("k", "c", '<mimic joint="j" multiplier="-2" offset="0.1"/>'),
    )
    model = description.spec.compile()
    data = mujoco.MjData(model)
    data.qpos[:] = [0.3, 0.1 - 2 * 0.3]
    mujoco.mj_forward(model, data)
    assert data.efc_pos[0] == pytest.approx(0, abs=1e-12)
    assert "mimic of joint 'j' by joint 'k' becomes an equality constraint" in notes(description)


def test_neighbours_do_not_collide_even_across_welds_and_at_the_fixed_base(tmp_path: Path) -> None:
    ball = BALL + '<collision><geometry><sphere radius="0.1"/></geometry></collision>'
    fixed = '<joint name="{0}" type="fixed"><parent link="{1}"/><child link="{2}"/></joint>'
    turning = '<joint name="{0}" type="continuous"><parent link="{1}"/><child link="{2}"/></joint>'
    description = robot(
        tmp_path,
        "".join(f'<link name="{name}">{ball}</link>' for name in "abcdef")
        + fixed.format("ab", "a", "b")
        + turning.format("bc", "b", "c")
        + fixed.format("cd", "c", "d")
        + turning.format("de", "d", "e")
        + turning.format("ef", "e", "f"),
    )

    def pairs(which: Description) -> set[frozenset[str]]:
        model = which.spec.compile()
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        return {frozenset(model.body(model.geom_bodyid[g]).name for g in contact.geom) for contact in data.contact}

    apart = {frozenset(pair) for pair in ("ae", "be", "af", "bf", "cf", "df")}
    assert pairs(description) == apart
    assert pairs(float_base(description)) == apart


def test_shapes_are_kept_visuals_without_contact(tmp_path: Path) -> None:
    description = robot(
        tmp_path,
        f'<material name="red"><color rgba="1 0 0 0.5"/></material><link name="a">{BALL}'
        '<visual><geometry><box size="2 4 6"/></geometry><material name="red"/></visual>'
        '<collision><origin xyz="0 0 1"/><geometry><cylinder radius="0.3" length="2"/></geometry>'
        '</collision></link><gazebo reference="a"><mu1>0.25</mu1></gazebo>',
    )
    model = description.spec.compile()
    visual, collision = model.geom("a:visual0"), model.geom("a:collision0")
    np.testing.assert_array_equal(visual.size, [1, 2, 3])
    np.testing.assert_allclose(visual.rgba, [1, 0, 0, 0.5])
    assert (visual.group[0], visual.contype[0], visual.conaffinity[0]) == (2, 0, 0)
    assert (collision.group[0], collision.contype[0], collision.friction[0]) == (3, 1, 0.25)
    np.testing.assert_array_equal(collision.size[:2], [0.3, 1])
    np.testing.assert_array_equal(collision.pos, [0, 0, 1])
    assert model.body("a").mass[0] == 1


def test_the_shapes_that_drake_adds_to_urdf_are_read(tmp_path: Path) -> None:
    inside = "".join(
        f"<collision><geometry>{shape}</geometry></collision>"
        for shape in ('<drake:ellipsoid a="0.1" b="0.2" c="0.3"/>', '<drake:capsule radius="0.1" length="0.4"/>')
    )
    inertial = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    model = robot(tmp_path, f'<link name="base">{inertial}{inside}</link>').spec.compile()
    assert [int(kind) for kind in model.geom_type] == [mujoco.mjtGeom.mjGEOM_ELLIPSOID, mujoco.mjtGeom.mjGEOM_CAPSULE]
    np.testing.assert_allclose(model.geom_size, [[0.1, 0.2, 0.3], [0.1, 0.2, 0.0]])


def test_a_joint_to_the_world_holds_the_robot_where_no_link_of_that_name_is_declared(tmp_path: Path) -> None:
    """As Drake writes it."""
    held = robot(
        tmp_path,
        f'<link name="a">{BALL}</link><link name="b">{BALL}</link><joint name="weld" type="fixed"><parent link="world"/>'
        '<child link="a"/><origin xyz="0 0 1"/></joint>'
        '<joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint>',
    )
    assert (held.root, held.held_by, held.floating) == ("a", "joint 'weld' holds it in the world", False)
    assert tuple(held.spec.body("a").pos) == (0, 0, 1)
    free = robot(
        tmp_path, f'<link name="a">{BALL}</link><joint name="f" type="floating"><parent link="world"/><child link="a"/></joint>'
    )
    assert (free.root, free.held_by, free.floating) == ("a", None, True)
    assert free.spec.compile().nv == 6


def test_blank_lines_before_the_declaration_and_zeros_behind_the_end_are_passed_over(tmp_path: Path) -> None:
    file = tmp_path / "x.urdf"
    file.write_bytes(f'\n\n<?xml version="1.0"?>\n<robot name="r"><link name="a">{BALL}<odd/></link></robot>\0\n'.encode())
    (note,) = read_description(file).notes
    assert note.line == 4  # as an editor counts


def test_what_is_not_used_is_listed_with_its_line(tmp_path: Path) -> None:
    description = robot(
        tmp_path,
        f'<link name="a">{BALL}<visal/></link>\n<transmission name="t1"/>\n<lnk name="x"/>\n'
        '<gazebo reference="A"><plugin name="p" filename="libx.so"/></gazebo>\n<ros2_control name="c"/>',
    )
    listed = [(note.line, note.what) for note in description.notes]
    assert (2, "<visal> of <link> 'a' is not known, did you mean 'visual'?") in listed
    assert (3, "<transmission> 't1' is not used: it names no joint") in listed
    assert (4, "<lnk> 'x' of <robot> 'r' is not known, did you mean 'link'?") in listed
    assert (5, "plugin 'libx.so' is not used: there is no such law here ('p')") in listed
    assert any(line == 5 and "<gazebo> refers to 'A'" in what for line, what in listed)
    assert (6, "<ros2_control> 'c' is not used: it names no joint") in listed


def test_float_base_frees_the_root_and_leaves_the_original_alone(tmp_path: Path) -> None:
    description = robot(tmp_path, f'<link name="a">{BALL}</link>')
    free = float_base(description)
    assert (description.spec.compile().nv, free.spec.compile().nv) == (0, 6)
    assert free.spec.compile().joint("a_free").type[0] == mujoco.mjtJoint.mjJNT_FREE
    assert free.floating
    assert not description.floating
    assert float_base(free) is free


def test_a_root_without_mass_cannot_float(tmp_path: Path) -> None:
    description = robot(
        tmp_path,
        f'<link name="a"/><link name="b">{BALL}</link>'
        '<joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint>',
    )
    with pytest.raises(InputError, match="link 'a' cannot float: neither it nor a link welded to it has mass"):
        float_base(description)


def test_a_link_named_world_is_the_world_and_a_floating_joint_frees_its_child(tmp_path: Path) -> None:
    description = robot(
        tmp_path,
        f'<link name="world"/><link name="b">{BALL}</link><joint name="j" type="floating">'
        '<parent link="world"/><child link="b"/><origin xyz="0 0 3"/></joint>',
    )
    model = description.spec.compile()
    assert description.links["world"].body != "world"
    assert description.joints["j"].engine_joints == ("j",)
    assert model.nv == 6
    np.testing.assert_array_equal(model.qpos0[:3], [0, 0, 3])


@pytest.mark.parametrize(("kind", "freedoms"), [("planar", 3), ("floating", 6), ("spherical", 3)])
def test_joints_of_several_freedoms_between_moving_links(tmp_path: Path, kind: str, freedoms: int) -> None:
    description = robot(
        tmp_path,
        f'<link name="a">{BALL}</link><link name="b">{BALL}</link><link name="c">{BALL}</link>'
        '<joint name="i" type="continuous"><parent link="a"/><child link="b"/></joint>'
        f'<joint name="j" type="{kind}"><parent link="b"/><child link="c"/><axis xyz="0 0 1"/></joint>',
    )
    model = description.spec.compile()
    assert model.nv == 1 + freedoms
    assert {model.joint(name).bodyid[0] for name in description.joints["j"].engine_joints} == {model.body("c").id}


def test_an_unphysical_inertia_on_a_welded_link_is_carried_by_its_neighbour_and_noted(tmp_path: Path) -> None:
    flat = '<inertial><mass value="0.1"/><inertia ixx="0.001" iyy="0.001" izz="0.009"/></inertial>'
    description = robot(
        tmp_path,
        f'<link name="w"/><link name="a">{BALL}</link><link name="b">{flat}</link>'
        '<joint name="i" type="continuous"><parent link="w"/><child link="a"/><axis xyz="1 0 0"/></joint>'
        '<joint name="j" type="fixed"><parent link="a"/><child link="b"/>'
        '<origin xyz="0 0.3 0" rpy="0 1.5707963267948966 0"/></joint>',
    )
    model = description.spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    full = np.zeros((1, 1))
    mujoco.mj_fullM(model, data, full)
    assert full[0, 0] == pytest.approx(0.01 + 0.009 + 0.1 * 0.3**2, rel=1e-12)  # the plate's z axis turned onto x
    assert model.body("b").mass[0] == 0.1
    assert "link 'b' has an inertia that no body can have" in notes(description)


def test_the_crosspiece_of_a_universal_joint_may_be_massless(tmp_path: Path) -> None:
    description = robot(
        tmp_path,
        f'<link name="a"/><link name="cross"/><link name="b">{BALL}</link>'
        '<joint name="i" type="continuous"><parent link="a"/><child link="cross"/><axis xyz="1 0 0"/></joint>'
        '<joint name="j" type="continuous"><parent link="cross"/><child link="b"/><axis xyz="0 1 0"/></joint>',
    )
    model = description.spec.compile()
    assert model.body_mass.sum() == pytest.approx(1, abs=1e-9)
    assert "link 'cross' moves but has no mass" in notes(description)
