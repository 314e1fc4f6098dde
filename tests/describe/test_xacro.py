"""xacro: arguments, macros, conditions and includes of several files."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

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


LAMP = """<robot name="lamp" xmlns:xacro="http://www.ros.org/wiki/xacro">
  {more}<xacro:include filename="bulb.xacro"/>
  <xacro:property name="numbers" value="${{xacro.load_yaml('numbers.yaml')}}"/>
  <xacro:arg name="mass" default="1"/>
  <link name="lamp"><inertial><mass value="${{$(arg mass) + bulb + numbers['shade']}}"/>
    <inertia ixx="1" iyy="1" izz="1"/></inertial></link>
</robot>"""
BULB = '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:property name="bulb" value="{}"/></robot>'


class Lamp:
    """A description of three files, and how many processes its readings have cost."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, more: str = "") -> None:
        self.file, self.children, run = folder / "lamp.urdf.xacro", 0, subprocess.run
        self.file.write_text(LAMP.format(more=more))
        (folder / "bulb.xacro").write_text(BULB.format(0.25))
        (folder / "numbers.yaml").write_text("shade: 0.5\n")

        def counted(*words: Any, **options: Any) -> Any:
            self.children += 1
            return run(*words, **options)

        monkeypatch.setattr(subprocess, "run", counted)

    def mass(self, **arguments: str) -> float:
        return float(read_description(self.file, arguments=arguments).spec.body("lamp").mass)


def test_what_was_expanded_is_not_expanded_again_until_a_file_or_an_argument_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lamp = Lamp(tmp_path, monkeypatch)
    assert (lamp.mass(), lamp.mass(), lamp.children) == (1.75, 1.75, 1)
    assert (lamp.mass(mass="2"), lamp.mass(), lamp.children) == (2.75, 1.75, 2)
    for name, text, mass in (
        ("bulb.xacro", BULB.format(0.75), 2.25),  # as many bytes as before
        ("numbers.yaml", "shade: 0.25\n", 2.0),
        ("lamp.urdf.xacro", lamp.file.read_text().replace('default="1"', 'default="3"'), 4.0),
    ):
        before = lamp.children
        (tmp_path / name).write_text(text)
        assert (lamp.mass(), lamp.mass(), lamp.children) == (mass, mass, before + 1), name
    (tmp_path / "other.xacro").write_text(BULB.format(0.5))
    (tmp_path / "bulb.xacro").unlink()
    (tmp_path / "bulb.xacro").symlink_to("other.xacro")
    assert lamp.mass() == 3.75
    (tmp_path / "bulb.xacro").unlink()
    with pytest.raises(InputError, match=r"there is no file .*bulb\.xacro"):
        lamp.mass()


@pytest.mark.parametrize(
    "more", ['<xacro:include filename="sh*de.xacro"/>', '<xacro:include filename="shade.xacro" optional="true"/>']
)
def test_what_hangs_on_files_that_are_not_there_is_expanded_each_time(
    more: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lamp = Lamp(tmp_path, monkeypatch, more)
    assert lamp.mass() == 1.75
    (tmp_path / "shade.xacro").write_text(
        '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:arg name="mass" default="5"/></robot>'
    )
    assert lamp.mass() == 5.75
