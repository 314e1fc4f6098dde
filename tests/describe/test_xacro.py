"""xacro: arguments, macros, conditions and includes of several files."""

from __future__ import annotations

from pathlib import Path

import pytest

from didymos.describe.formats.importer import read_description
from didymos.errors import InputError

BALL = """<robot xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:macro name="ball" params="name mass radius:=0.1">
    <link name="${name}"><inertial><mass value="${mass}"/>
      <inertia ixx="${0.4 * mass * radius**2}" iyy="${0.4 * mass * radius**2}" izz="${0.4 * mass * radius**2}"/>
    </inertial></link>
  </xacro:macro>
</robot>"""
ROBOT = """<robot name="chain" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:include filename="$(find toys)/macros/ball.xacro"/>
  <xacro:arg name="mass" default="2.0"/>
  <xacro:arg name="tail" default="false"/>
  <xacro:ball name="head" mass="$(arg mass)"/>
  <xacro:if value="$(arg tail)">
    <xacro:ball name="tail" mass="0.5" radius="0.2"/>
    <joint name="neck" type="continuous"><parent link="head"/><child link="tail"/></joint>
  </xacro:if>
</robot>"""


@pytest.fixture
def robot(tmp_path: Path) -> Path:
    package = tmp_path / "src" / "toys_of_mine"
    (package / "macros").mkdir(parents=True)
    (package / "urdf").mkdir()
    (package / "package.xml").write_text("<package><name>toys</name></package>")
    (package / "macros" / "ball.xacro").write_text(BALL)
    (package / "urdf" / "chain.urdf.xacro").write_text(ROBOT)
    return package / "urdf" / "chain.urdf.xacro"


def test_macros_of_another_file_expand_with_the_default_arguments(robot: Path) -> None:
    description = read_description(robot)
    assert set(description.links) == {"head"}
    assert description.links["head"].mass == 2
    assert description.links["head"].inertia[0, 0] == pytest.approx(0.4 * 2 * 0.01, rel=1e-15)


def test_arguments_choose_what_is_built(robot: Path) -> None:
    description = read_description(robot, arguments={"tail": "true", "mass": "3"})
    assert {name: link.mass for name, link in description.links.items()} == {"head": 3, "tail": 0.5}
    assert description.links["tail"].inertia[1, 1] == pytest.approx(0.4 * 0.5 * 0.04, rel=1e-15)


def test_a_package_can_be_given_by_its_folder(robot: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "macros").mkdir(parents=True)
    (elsewhere / "macros" / "ball.xacro").write_text(BALL.replace("0.4 *", "0.8 *"))
    description = read_description(robot, packages={"toys": elsewhere})
    assert description.links["head"].inertia[0, 0] == pytest.approx(0.8 * 2 * 0.01, rel=1e-15)


def test_a_plain_urdf_that_xacro_wrote_keeps_its_lines(tmp_path: Path) -> None:
    file = tmp_path / "a.urdf"
    file.write_text('<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">\n<link name="a"/>\n<typo/></robot>')
    assert [note.line for note in read_description(file).notes] == [3]


def test_a_substitution_that_is_none_is_told_without_the_name_of_a_class(tmp_path: Path) -> None:
    file = tmp_path / "arm.urdf.xacro"
    file.write_text(
        '<robot name="a" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:property name="b" value="$(nonsense b)"/>'
        '<link name="${2 * b}"/></robot>'
    )
    with pytest.raises(InputError, match="Unknown substitution command") as refusal:
        read_description(file)
    assert "<class" not in str(refusal.value)
