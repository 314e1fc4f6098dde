"""Broken descriptions: one sentence each, which names the culprit."""

from __future__ import annotations

from pathlib import Path

import pytest

from didymos.describe.formats.importer import read_description
from didymos.errors import InputError

BALL = '<inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01"/></inertial>'
TWO = f'<link name="base">{BALL}</link><link name="arm">{BALL}</link>'
ENDS = '<parent link="base"/><child link="arm"/>'


def urdf(inside: str) -> str:
    return f'<robot name="r">\n{inside}\n</robot>'


def inertial(mass: str = "1", xx: str = "1", yy: str = "1", zz: str = "1") -> str:
    return urdf(
        f'<link name="plate"><inertial><mass value="{mass}"/>\n'
        f'<inertia ixx="{xx}" iyy="{yy}" izz="{zz}"/></inertial></link>'
    )


def joint(inside: str, kind: str = "revolute", ends: str = ENDS) -> str:
    return urdf(f'{TWO}\n<joint name="hinge" type="{kind}">{ends}{inside}</joint>')


def shape(inside: str, tag: str = "collision") -> str:
    return urdf(f'<link name="base">{BALL}\n<{tag}><geometry>{inside}</geometry></{tag}></link>')


def sdf(inside: str, version: str = "1.9") -> str:
    return f'<sdf version="{version}"><model name="m">\n{inside}\n</model></sdf>'


SDF_LINK = '<link name="{0}"><inertial><mass>1</mass></inertial>{1}</link>'

CASES = {
    "empty file": ("x.urdf", "", "is empty"),
    "not XML": ("x.urdf", "hello robot", "x.urdf:1: is not well-formed XML"),
    "unclosed tag": (
        "x.urdf",
        "<robot>\n<link name='a'>\n</robot>",
        "x.urdf:3: is not well-formed XML: mismatched tag",
    ),
    "unknown root": ("x.urdf", "<robt/>", "begins with <robt>, expected <robot> (URDF, xacro), <sdf> or <mujoco>"),
    "unknown encoding": ("x.urdf", '<?xml version="1.0" encoding="klingon"?><robot/>', "unknown encoding"),
    "entity bomb": ("x.urdf", '<!DOCTYPE r [<!ENTITY a "b">]><robot name="&a;"/>', "defines the entity 'a'"),
    "outside entity": ("x.urdf", '<!DOCTYPE r [<!ENTITY a SYSTEM "x">]><robot>&a;</robot>', "defines the entity 'a'"),
    "deep nesting": ("x.urdf", "<robot>" * 500 + "</robot>" * 500, "more than 200 levels deep"),
    "no links": ("x.urdf", "<robot/>", "<robot> has no <link>"),
    "negative mass": ("x.urdf", inertial(mass="-2"), ":2: link 'plate' has a mass of -2 kg"),
    "mass not a number": ("x.urdf", inertial(mass="nan"), "'value' of <mass> is 'nan', expected a finite number"),
    "mass infinite": ("x.urdf", inertial(mass="1e999"), "'value' of <mass> is '1e999'"),
    "decimal comma": ("x.urdf", inertial(mass="1,0"), "'value' of <mass> is '1,0', expected a finite number"),
    "no inertia": (
        "x.urdf",
        urdf('<link name="a"><inertial><mass value="1"/></inertial></link>'),
        "<inertial> has no <inertia>, which it needs",
    ),
    "negative moment": ("x.urdf", inertial(yy="-0.5"), ":3: link 'plate' has iyy = -0.5 kg m^2"),
    "triangle inequality": (
        "x.urdf",
        inertial(zz="2.5"),
        "link 'plate' has an inertia that no body can have: principal "
        "moments 1, 1, 2.5 kg m^2, expected the largest to be at most the sum of the others",
    ),
    "duplicate link": ("x.urdf", urdf(TWO + '\n<link name="arm"/>'), ":3: link 'arm' stands here a second time"),
    "duplicate joint": (
        "x.urdf",
        joint("").replace("</robot>", f'<joint name="hinge" type="fixed">{ENDS}</joint></robot>'),
        "joint 'hinge' stands here a second time, first in line 3",
    ),
    "nameless link": ("x.urdf", urdf("<link/>"), "<link> has no attribute 'name'"),
    "missing child": (
        "x.urdf",
        joint("", ends='<parent link="base"/><child link="armm"/>'),
        "joint 'hinge' has the child link 'armm', which does not exist, did you mean 'arm'?",
    ),
    "no parent": ("x.urdf", joint("", ends='<child link="arm"/>'), "<joint> 'hinge' has no <parent>, which it needs"),
    "two roots": ("x.urdf", urdf(TWO), "links 'base' and 'arm' are both the child of no joint"),
    "two parents": (
        "x.urdf",
        urdf(
            TWO + f'<link name="c"/><joint name="j" type="fixed">{ENDS}</joint><joint name="k" '
            'type="fixed"><parent link="c"/><child link="arm"/></joint>'
        ),
        "link 'arm' is the child of joint 'k' and of joint 'j'",
    ),
    "loop": (
        "x.urdf",
        urdf(
            TWO + f'<joint name="j" type="fixed">{ENDS}</joint><joint name="k" type="fixed">'
            '<parent link="arm"/><child link="base"/></joint>'
        ),
        "the joints form a loop",
    ),
    "loop beside a root": (
        "x.urdf",
        urdf(
            TWO + '<link name="c"/><joint name="j" type="fixed"><parent link="arm"/>'
            '<child link="c"/></joint><joint name="k" type="fixed"><parent link="c"/>'
            '<child link="arm"/></joint>'
        ),
        "link 'arm' hangs in a loop of joints",
    ),
    "self joint": (
        "x.urdf",
        joint("", ends='<parent link="arm"/><child link="arm"/>'),
        "joint 'hinge' joins link 'arm' to itself",
    ),
    "unknown joint type": (
        "x.urdf",
        joint("", kind="revolut"),
        ":3: joint 'hinge' has the type 'revolut', expected one of "
        "fixed, revolute, continuous, prismatic, floating, planar, spherical, did you mean 'revolute'?",
    ),
    "zero axis": ("x.urdf", joint('<axis xyz="0 0 0"/>'), "joint 'hinge' has the axis [0.0, 0.0, 0.0]"),
    "too few numbers": ("x.urdf", joint('<origin xyz="0 1"/>'), "'xyz' of <origin> has 2 numbers in '0 1', expected 3"),
    "bad quaternion": ("x.urdf", joint('<origin quat_xyzw="0 0 0 2"/>'), "has the length 2, expected 1"),
    "crossed limits": (
        "x.urdf",
        joint('<limit lower="1" upper="-1" effort="1" velocity="1"/>'),
        "joint 'hinge' has the limits 1 to -1",
    ),
    "negative damping": (
        "x.urdf",
        joint('<limit lower="-1" upper="1"/><dynamics damping="-1"/>'),
        "joint 'hinge' has a damping of -1",
    ),
    "massless mover": (
        "x.urdf",
        urdf(f'<link name="base">{BALL}</link><link name="arm"/><joint name="hinge" type="continuous">{ENDS}</joint>'),
        "link 'arm' is moved by joint 'hinge' but neither it nor any link that it carries has mass",
    ),
    "missing mesh": ("x.urdf", shape('<mesh filename="no/such.stl"/>', "collision"), "such.stl', which does not exist"),
    "missing package": (
        "x.urdf",
        shape('<mesh filename="package://nowhere/a.stl"/>'),
        "names the package 'nowhere', which was not found",
    ),
    "unknown scheme": ("x.urdf", shape('<mesh filename="http://host/a.stl"/>'), "has the scheme 'http'"),
    "negative radius": (
        "x.urdf",
        shape('<sphere radius="-1"/>'),
        "<sphere> of <link> 'base' has the half sizes [-1.0]",
    ),
    "zero scale": ("x.urdf", shape('<mesh filename="x.urdf" scale="1 0 1"/>'), "'scale' of <mesh> is [1.0, 0.0, 1.0]"),
    "mesh is no mesh": ("x.urdf", shape('<mesh filename="x.urdf"/>'), "x.urdf' is of an unknown kind, expected one of .stl"),
    "SDF version": ("x.sdf", sdf("", "2.0"), "<sdf> has the version '2.0', expected 1.4 to 1.11"),
    "SDF without model": ("x.sdf", '<sdf version="1.9"/>', "<sdf> has no <model>"),
    "SDF cyclic pose": (
        "x.sdf",
        sdf(SDF_LINK.format("a", '<pose relative_to="b"/>') + "\n" + SDF_LINK.format("b", '<pose relative_to="a"/>')),
        "is posed relative to itself",
    ),
    "SDF cyclic attachment": (
        "x.sdf",
        sdf(SDF_LINK.format("a", "") + '<frame name="f" attached_to="g"/><frame name="g" attached_to="f"/>'),
        "frame 'f' is attached to itself",
    ),
    "SDF unknown frame": (
        "x.sdf",
        sdf(SDF_LINK.format("arm", '<pose relative_to="amr"/>')),
        "<link> 'arm' refers to 'amr', which is no link, joint or frame of the file, did you mean 'arm'?",
    ),
    "SDF universal": (
        "x.sdf",
        sdf(
            SDF_LINK.format("a", "") + SDF_LINK.format("b", "") + '<joint name="u" '
            'type="universal"><parent>a</parent><child>b</child></joint>'
        ),
        "joint 'u' is a universal joint, which the engine has not",
    ),
    "SDF missing include": (
        "x.sdf",
        sdf(SDF_LINK.format("a", "") + "<include><uri>model://none</uri></include>"),
        "<include> of 'model://none' in <model> 'm' means no file that exists",
    ),
    "SDF including itself": (
        "x.sdf",
        sdf(SDF_LINK.format("a", "") + "<include><uri>x.sdf</uri></include>"),
        "<include> of 'x.sdf' leads back to",
    ),
    "xacro undefined property": ("x.xacro", urdf('<link name="${nope}"/>'), "name 'nope' is not defined"),
    "xacro missing include": (
        "x.xacro",
        '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:include filename="none.xacro"/></robot>',
        "none.xacro",
    ),
    "xacro missing argument": ("x.xacro", urdf('<link name="$(arg size)"/>'), "size"),
    "xacro recursion": (
        "x.xacro",
        '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:macro name="m"><xacro:m/>'
        "</xacro:macro><xacro:m/></robot>",
        "call each other without end",
    ),
    "xacro including itself": (
        "x.xacro",
        '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:include filename="x.xacro"/></robot>',
        "call each other without end",
    ),
    "xacro missing package": ("x.xacro", urdf('<link name="$(find nowhere)"/>'), "names the package 'nowhere'"),
    "MJCF unknown attribute": (
        "x.xml",
        '<mujoco>\n<worldbody>\n<body nme="a"/></worldbody></mujoco>',
        "x.xml:3: the engine refuses it: Schema violation: unrecognized attribute: 'nme'",
    ),
    "MJCF without body": ("x.xml", "<mujoco/>", "<mujoco> has no <body>"),
    "MJCF massless mover": (
        "x.xml",
        '<mujoco><worldbody>\n<body name="b"><joint/></body></worldbody></mujoco>',
        "x.xml:2: the engine refuses it: mass and inertia of moving bodies",
    ),
    "MJCF including itself": ("x.xml", '<mujoco><include file="x.xml"/></mujoco>', "which contains it"),
    "MJCF model of itself": (
        "x.xml",
        '<mujoco><asset><model name="m" file="x.xml"/></asset><worldbody><body name="q">'
        '<attach model="m" body="q" prefix="x"/></body></worldbody></mujoco>',
        "which contains it",
    ),
    "MJCF without end": (
        "x.xml",
        '<mujoco><worldbody><body><replicate count="1000000000"><geom size="1"/></replicate>'
        "</body></worldbody></mujoco>",
        "<replicate> makes 1000000000 or more elements",
    ),
    "MJCF infinite mass": (
        "x.xml",
        '<mujoco><worldbody><body name="b"><joint/><inertial pos="0 0 0" mass="inf" '
        'diaginertia="1 1 1"/></body></worldbody></mujoco>',
        "body 'b' has a mass",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_broken_description_is_refused_in_one_sentence(tmp_path: Path, case: str) -> None:
    name, text, fragment = CASES[case]
    file = tmp_path / name
    file.write_text(text)
    with pytest.raises(InputError) as caught:
        read_description(file)
    message = str(caught.value)
    assert fragment in message
    assert "\n" not in message
    assert message.startswith(str(file))
    assert not (Path.cwd() / "MUJOCO_LOG.TXT").exists()


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not a file"):
        read_description(tmp_path)
    with pytest.raises(InputError, match="cannot be read: No such file"):
        read_description(tmp_path / "none.urdf")


def test_arguments_need_a_xacro_file_that_knows_them(tmp_path: Path) -> None:
    plain = tmp_path / "x.urdf"
    plain.write_text(urdf(f'<link name="a">{BALL}</link>'))
    with pytest.raises(InputError, match="takes no arguments, but 'size' was given"):
        read_description(plain, arguments={"size": "1"})
    macro = tmp_path / "x.xacro"
    macro.write_text(
        '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:arg name="size" default="1"/>'
        f'<link name="a">{BALL}</link></robot>'
    )
    with pytest.raises(InputError, match="has no xacro argument 'siz', did you mean 'size'"):
        read_description(macro, arguments={"siz": "1"})


def test_a_file_that_takes_too_long_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("didymos.describe.formats.xacro_file._PATIENCE", 0.001)  # no process starts in that time
    file = tmp_path / "x.xacro"
    file.write_text(urdf('<link name="${1 + 1}"/>'))
    with pytest.raises(InputError, match=r"xacro did not end within 0.001 s"):
        read_description(file)


def test_an_inertial_without_a_mass_is_none_and_noted(tmp_path: Path) -> None:
    file = tmp_path / "x.urdf"
    file.write_text(urdf('<link name="a"><inertial/></link>'))
    description = read_description(file)
    assert description.links["a"].mass == 0.0
    assert ["has no <mass>" in note.what for note in description.notes] == [True]
