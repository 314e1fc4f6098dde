"""Descriptions with the mistakes that people make: sixty files, each broken in another way, and what has to be said of it.

`Broken(name, content, said, line, beside)`: the file, what is in it, a part of the sentence, the line that the sentence names
(0: none), and files beside it. One that can be read all the same, and is only warned about, has `runs=True`.
"""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["BROKEN", "Broken"]


@dataclass(frozen=True)
class Broken:
    """A broken description and what is said of it."""

    name: str
    content: str | bytes
    said: str
    line: int = 0
    beside: Mapping[str, str | bytes] = field(default_factory=dict)
    runs: bool = False

    @property
    def data(self) -> bytes:
        """The bytes of the file."""
        return self.content.encode() if isinstance(self.content, str) else self.content


_MASS = '<inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01"/></inertial>'
_BALL = '<collision><geometry><sphere radius="0.1"/></geometry></collision>'
_BASE, _ARM = f'<link name="base">{_MASS}{_BALL}</link>', f'<link name="arm">{_MASS}</link>'
_ENDS = '<parent link="base"/><child link="arm"/>'
_LIMIT = '<limit lower="-1" upper="1" effort="5" velocity="2"/>'
_LFS = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'4d7a2146' * 8}\nsize 12345\n"
_HTML = "<!DOCTYPE html>\n<html><head><title>Page not found</title></head><body>404</body></html>\n"
_CORNERS = ("0 0 0", "1 0 0", "0 1 0", "0 0 1")
_CUBE = "solid x\n" + "".join(
    f"facet normal 0 0 1\nouter loop\nvertex {_CORNERS[a]}\nvertex {_CORNERS[b]}\nvertex {_CORNERS[c]}\nendloop\nendfacet\n"
    for a, b, c in ((0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2))
) + "endsolid x\n"  # fmt: skip


def _urdf(*lines: str) -> str:
    return "\n".join(['<robot name="r">', *lines, "</robot>"])


def _joint(inside: str = _LIMIT, kind: str = "revolute", ends: str = _ENDS, arm: str = _ARM) -> str:
    """Base in line 2, arm in 3, joint in 4, what is in it from 5 on."""
    return _urdf(_BASE, arm, f'<joint name="elbow" type="{kind}">', f"{ends}{inside}", "</joint>")


def _inertial(mass: str = "1", xx: str = "1") -> str:
    return _urdf(
        '<link name="base"><inertial>', f'<mass value="{mass}"/>', f'<inertia ixx="{xx}" iyy="1" izz="1"/></inertial></link>'
    )


def _mesh(file: str) -> str:
    return _urdf(
        f'<link name="base">{_MASS}<collision><geometry>', f'<mesh filename="{file}"/>', "</geometry></collision></link>"
    )


def _xacro(*lines: str) -> str:
    return "\n".join(['<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">', *lines, "</robot>"])


def _sdf(*lines: str, version: str = "1.9") -> str:
    return "\n".join([f'<sdf version="{version}"><model name="m">', *lines, "</model></sdf>"])


_SDF_LINK = '<link name="{}"><inertial><mass>1</mass></inertial></link>'


def _mjcf(*lines: str, body: str = '<body name="b"><freejoint/><geom size="0.1"/></body>') -> str:
    return "\n".join(["<mujoco>", *lines, f"<worldbody>{body}</worldbody>", "</mujoco>"])


BROKEN: dict[str, Broken] = {
    # what is no description at all
    "an empty file": Broken("r.urdf", "", "is empty"),
    "blank lines only": Broken("r.urdf", "\n\n  \n", "is empty"),
    "a web page that says 404": Broken("r.urdf", _HTML, "is a web page"),
    "a pointer of git-lfs": Broken("r.urdf", _LFS, "is a pointer of git-lfs"),
    "a gzipped file": Broken("r.urdf", gzip.compress(_urdf(_BASE).encode()), "is compressed"),
    "a zip archive": Broken("r.sdf", b"PK\x03\x04" + bytes(60), "is an archive"),
    "a mesh in the place of a description": Broken("r.stl", _CUBE, "is a mesh"),
    "a picture": Broken("r.urdf", b"\x89PNG\r\n\x1a\n" + bytes(40), "no text at all"),
    "JSON": Broken("r.urdf", '{"links": []}', "is not well-formed XML: it begins with", 1),
    "YAML of a twin under another name": Broken("r.urdf", "title: x\n", "is not well-formed XML: it begins with", 1),
    "a launch file": Broken("r.xml", "<launch><node/></launch>", "begins with <launch>, expected <robot>", 1),
    "another XML": Broken("package.xml", '<package format="3"><name>r</name></package>', "begins with <package>", 1),
    "an SRDF": Broken("r.srdf", '<robot name="r"><group name="arm"/></robot>', "has no <link>", 1),
    # XML
    "an unclosed tag": Broken("r.urdf", _urdf(_BASE, '<link name="arm">'), "is not well-formed XML: mismatched tag", 4),
    "an attribute without quotes": Broken("r.urdf", _urdf("<link name=base/>"), "is not well-formed XML", 2),
    "an ampersand": Broken("r.urdf", _urdf('<link name="a & b"/>'), "is not well-formed XML", 2),
    "two hyphens in a comment": Broken("r.urdf", _urdf("<!-- old -- new -->", _BASE), "is not well-formed XML", 2),
    "the end is missing": Broken("r.urdf", _urdf(_BASE, _ARM)[:-20], "is not well-formed XML"),
    "Latin-1 that says it is UTF-8": Broken(
        "r.urdf", '<?xml version="1.0" encoding="utf-8"?>\n<robot name="caf\xe9"/>'.encode("latin-1"), "is not well-formed XML", 2
    ),
    # URDF: tags and attributes
    "a misspelt tag": Broken("r.urdf", _urdf('<lnk name="base"/>'), "did you mean <link>", 1),
    "a link without a name": Broken("r.urdf", _urdf(_BASE, f"<link>{_MASS}</link>"), "<link> has no attribute 'name'", 3),
    "a misspelt attribute": Broken(
        "r.urdf", _joint('<limit lowr="-1" upper="1" effort="5" velocity="2"/>'), "'lowr'", 5, runs=True
    ),
    "a misspelt type of joint": Broken("r.urdf", _joint(kind="revolut"), "did you mean 'revolute'?", 4),
    "a joint without a type": Broken("r.urdf", _joint().replace(' type="revolute"', ""), "has no attribute 'type'", 4),
    "a joint without a parent": Broken("r.urdf", _joint(ends='<child link="arm"/>'), "'elbow' has no <parent>", 4),
    "a child that does not exist": Broken(
        "r.urdf", _joint(ends='<parent link="base"/><child link="arms"/>'), "did you mean 'arm'?", 4
    ),
    "two roots": Broken("r.urdf", _urdf(_BASE, _ARM), "are both the child of no joint"),
    "a loop": Broken(
        "r.urdf",
        _joint().replace("</robot>", '<joint name="back" type="fixed"><parent link="arm"/><child link="base"/></joint></robot>'),
        "the joints form a loop",
    ),
    "two links of a name": Broken("r.urdf", _urdf(_BASE, _BASE), "'base' stands here a second time, first in line 2", 3),
    "limits the wrong way round": Broken(
        "r.urdf",
        _joint('<limit lower="1" upper="-1" effort="5" velocity="2"/>'),
        "limits 1 to -1, expected the lower one first",
        5,
    ),
    "limits in degrees": Broken(
        "r.urdf", _joint('<limit lower="-90" upper="90" effort="5" velocity="2"/>'), "degrees", 4, runs=True
    ),
    "an axis of nothing": Broken("r.urdf", _joint('<axis xyz="0 0 0"/>' + _LIMIT), "has the axis [0.0, 0.0, 0.0]"),
    "commas between numbers": Broken("r.urdf", _joint('<origin xyz="0, 0, 1"/>' + _LIMIT), "'xyz' of <origin> is '0,'", 5),
    "two numbers for three": Broken("r.urdf", _joint('<origin xyz="0 1"/>' + _LIMIT), "has 2 numbers in '0 1', expected 3", 5),
    # URDF: masses and sizes
    "a negative mass": Broken("r.urdf", _inertial(mass="-2"), "has a mass of -2 kg", 3),
    "a mass that is not a number": Broken("r.urdf", _inertial(mass="NaN"), "is 'NaN', expected a finite number", 3),
    "a mass with its unit": Broken("r.urdf", _inertial(mass="2 kg"), "'value' of <mass>", 3),
    "an inertia below zero": Broken("r.urdf", _inertial(xx="-1"), "ixx = -1 kg m^2", 4),
    "an inertia that no body has": Broken("r.urdf", _inertial(xx="5"), "has an inertia that no body can have"),
    "a moving link without mass": Broken(
        "r.urdf", _joint(arm='<link name="arm"/>'), "neither it nor any link that it carries has mass"
    ),
    "millimetres for metres": Broken(
        "r.urdf",
        _urdf(f'<link name="base">{_MASS}<collision><geometry>', '<box size="300 200 100"/>', "</geometry></collision></link>"),
        "millimetres",
        runs=True,
    ),
    "a mesh in millimetres": Broken(
        "r.urdf", _mesh("part.stl"), "millimetres", runs=True, beside={"part.stl": _CUBE.replace("1", "400")}
    ),
    # URDF: meshes
    "a mesh that is not there": Broken("r.urdf", _mesh("meshes/arm.stl"), "which does not exist", 3),
    "an unknown package": Broken("r.urdf", _mesh("package://arm_description/arm.stl"), "names the package 'arm_description'", 3),
    "a mesh on the web": Broken("r.urdf", _mesh("https://host/arm.stl"), "has the scheme 'https'", 3),
    "a mesh that is a pointer of git-lfs": Broken("r.urdf", _mesh("a.stl"), "is a pointer of git-lfs", beside={"a.stl": _LFS}),
    "a mesh that is a web page": Broken("r.urdf", _mesh("a.dae"), "is a web page", beside={"a.dae": _HTML}),
    "a mesh that breaks off": Broken(
        "r.urdf", _mesh("a.stl"), "breaks off", beside={"a.stl": bytes(80) + b"\x10\x00\x00\x00" + bytes(30)}
    ),
    "a mesh without triangles": Broken("r.urdf", _mesh("a.stl"), "has no triangles", beside={"a.stl": bytes(84)}),
    "a broken COLLADA file": Broken("r.urdf", _mesh("a.dae"), "a.dae", beside={"a.dae": "<COLLADA><library"}),
    "a mesh of a format that nobody reads": Broken("r.urdf", _mesh("a.step"), "a.step", beside={"a.step": "ISO-10303-21;"}),
    # xacro
    "an undefined property": Broken("r.xacro", _xacro('<link name="${nme}"/>'), "nme"),
    "an undefined macro": Broken("r.xacro", _xacro('<xacro:whel name="left"/>'), "whel"),
    "an argument that nobody gave": Broken("r.xacro", _xacro('<link name="$(arg side)"/>'), "side"),
    "a division by zero": Broken("r.xacro", _xacro(f'<link name="base">{_MASS.replace("0.01", "${1/0}")}</link>'), "zero"),
    "an include that is not there": Broken("r.xacro", _xacro('<xacro:include filename="wheel.xacro"/>'), "wheel.xacro"),
    "a macro with a parameter too few": Broken(
        "r.xacro",
        _xacro('<xacro:macro name="w" params="side"><link name="${side}"/></xacro:macro>', "<xacro:w/>"),
        "Undefined parameters [side] in the macro 'w'",
    ),
    "xacro without its namespace": Broken("r.xacro", _urdf('<xacro:property name="x" value="1"/>', _BASE), "xmlns:xacro"),
    # SDF
    "an unknown frame": Broken(
        "r.sdf", _sdf(_SDF_LINK.format("a"), '<frame name="f"><pose relative_to="q">0 0 0 0 0 0</pose></frame>'), "'q'", 3
    ),
    "a pose of five numbers": Broken("r.sdf", _sdf('<link name="a"><pose>0 0 0 0 0</pose></link>'), "expected 6", 2),
    "a version of the future": Broken("r.sdf", _sdf(_SDF_LINK.format("a"), version="2.0"), "has the version '2.0'", 1),
    "no model": Broken("r.sdf", '<sdf version="1.9"></sdf>', "has no <model>", 1),
    "a model that is not there": Broken(
        "r.sdf", '<sdf version="1.9"><world name="w">\n<include><uri>model://husky</uri></include></world></sdf>', "husky", 2
    ),
    "a joint to a link that is not there": Broken(
        "r.sdf", _sdf(_SDF_LINK.format("a"), '<joint name="j" type="fixed"><parent>a</parent><child>b</child></joint>'), "'b'", 3
    ),
    # MJCF
    "an unknown element": Broken("r.xml", _mjcf("<optoin/>"), "optoin", 2),
    "an unknown attribute": Broken("r.xml", _mjcf('<option timstep="1"/>'), "timstep", 2),
    "two bodies of a name": Broken(
        "r.xml", _mjcf(body='<body name="b"><geom size="1"/></body>\n<body name="b"><geom size="1"/></body>'), "repeated name 'b'"
    ),
    "a mesh of MJCF that is not there": Broken(
        "r.xml", _mjcf('<asset><mesh name="m" file="m.stl"/></asset>'), "which cannot be opened", 2
    ),
    "a class that nobody defined": Broken("r.xml", _mjcf(body='<body name="b"><geom class="c" size="1"/></body>'), "'c'", 2),
    "an include of MJCF that is not there": Broken("r.xml", _mjcf('<include file="parts.xml"/>'), "parts.xml", 2),
    "no body": Broken("r.xml", "<mujoco><worldbody/></mujoco>", "has no <body>", 1),
    "an actuator of a joint that is not there": Broken("r.xml", _mjcf('<actuator><motor joint="knee"/></actuator>'), "knee"),
    # what is odd and can be read
    "a byte order mark and Windows' ends of lines": Broken(
        "r.urdf", b"\xef\xbb\xbf" + _urdf(_BASE).replace("\n", "\r\n").encode(), "", runs=True
    ),
    "a description in UTF-16": Broken(
        "r.urdf", ('<?xml version="1.0" encoding="UTF-16"?>' + _urdf(_BASE)).encode("utf-16"), "", runs=True
    ),
}
"""By what is wrong."""
