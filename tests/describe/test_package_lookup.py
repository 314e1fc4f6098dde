"""Where packages and models are found, and what a merged SDF model becomes."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest
import xacro

from didymos.cli.main import main
from didymos.describe.bundled import ROBOTS
from didymos.describe.formats.importer import read_description
from didymos.describe.formats.packages import Packages
from didymos.describe.formats.xacro_file import expand_xacro

BALL = '<inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
PART = f'<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><link name="part">{BALL}</link></robot>'
ROBOT = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:include filename="$(find parts)/part.xacro"/></robot>'
BASE = """<sdf version="1.9"><model name="x500_base"><pose>0 0 1 0 0 0</pose><static>false</static>
<link name="base"><pose>0 0 0.5 0 0 0</pose></link><link name="rotor"><pose relative_to="base">1 0 0 0 0 0</pose></link>
<frame name="mount"><pose>2 0 0 0 0 0</pose></frame>
<joint name="j" type="revolute"><parent>base</parent><child>rotor</child>
<axis><xyz expressed_in="__model__">0 0 1</xyz></axis></joint>
</model></sdf>"""


def package(folder: Path, name: str) -> Path:
    folder.mkdir(parents=True)
    (folder / "package.xml").write_text(f"<package><name>{name}</name></package>")
    return folder


def test_a_package_of_the_workspace_is_found_by_its_own_name(tmp_path: Path) -> None:
    mine = package(tmp_path / "ws" / "src" / "mine", "mine")
    other = package(tmp_path / "ws" / "src" / "repository" / "called_otherwise", "parts")
    (other / "part.xacro").write_text(PART)
    (mine / "x.urdf.xacro").write_text(ROBOT)
    assert read_description(mine / "x.urdf.xacro").links["part"].mass == 2


def test_new_and_check_take_packages_and_arguments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIDYMOS_CONFIG", str(tmp_path / "config"))
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "part.xacro").write_text(PART.replace('"2"', '"$(arg m)"'))
    source = tmp_path / "x" / "x.urdf.xacro"
    source.parent.mkdir()
    source.write_text(ROBOT.replace("<xacro:include", '<xacro:arg name="m" default="2"/><xacro:include'))
    flags = ["--package", f"parts={tmp_path / 'elsewhere'}", "--arg", "m=3"]
    assert main(["check", str(source)]) == 2
    assert main(["check", str(source), *flags]) == 0
    assert main(["new", "made", "--from", str(source), "--into", str(tmp_path), *flags]) == 0
    assert main(["check", str(tmp_path / "made")]) == 0
    assert "parts" in (tmp_path / "made" / "twin.yaml").read_text()


@pytest.mark.parametrize("uri", ["model://x500_base", "x500_base"])
@pytest.mark.parametrize("by", ["neighbour", "GZ_SIM_RESOURCE_PATH", "GAZEBO_MODEL_PATH"])
def test_a_merged_model_stands_where_sdformat_puts_it(
    uri: str, by: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    models = tmp_path / "models" if by == "neighbour" else tmp_path / "far" / "away"
    (models / "x500_base").mkdir(parents=True)
    (models / "x500_base" / "model.sdf").write_text(BASE)
    if by != "neighbour":
        monkeypatch.setenv(by, str(models))
    file = tmp_path / "models" / "x500" / "model.sdf"
    file.parent.mkdir(parents=True)
    posed = "<pose>0 0 3 0 0 0</pose>"
    for inside, height in (("", 1.5), (posed, 3.5), (f"{posed}<placement_frame>mount</placement_frame>", 3.5)):
        include = f'<include merge="true"><uri>{uri}</uri>{inside}</include>'
        file.write_text(f'<sdf version="1.9"><model name="x500">{include}</model></sdf>')
        description = read_description(file)
        assert set(description.links) == {"base", "rotor"}
        model = description.spec.compile()
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        shift = -2.0 if "mount" in inside else 0.0
        np.testing.assert_allclose(data.body("base").xpos, [shift, 0, height], atol=1e-12)
        np.testing.assert_allclose(data.body("rotor").xpos, [shift + 1, 0, height], atol=1e-12)
        assert "_merged__x500_base__model__" in description.frames


@pytest.mark.parametrize("file", sorted(str(file.relative_to(ROBOTS)) for file in ROBOTS.glob("*/model.*.xacro")))
def test_a_file_expands_to_what_xacro_itself_makes_of_it(file: str) -> None:
    text = expand_xacro(ROBOTS / file, {}, Packages(ROBOTS / file, {})).text
    assert text == xacro.process_file(str((ROBOTS / file).resolve())).toxml()
