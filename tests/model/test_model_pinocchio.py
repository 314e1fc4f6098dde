"""`robot.model` against pinocchio at 100 random states of each robot; `pinocchio_model.py` says how they are compared."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import xacro
from described import described, urdf_tree
from pinocchio_model import deviations

import didymos
from didymos.describe.float_base import float_base
from didymos.describe.formats.importer import read_description
from didymos.describe.robot_model import robot_model
from didymos.model import RobotModel

sys.path.append(str(Path(__file__).parents[1] / "describe"))
from test_public_descriptions import without_shapes

STATES = 100
WITHIN = 1e-9
PUBLIC = {
    "panda_description/urdf/panda.urdf": False,
    "ur_description/urdf/ur5_robot.urdf": False,
    "anymal_b_simple_description/robots/anymal.urdf": True,
    "talos_data/robots/talos_reduced.urdf": True,
}


def assert_agrees(path: Path, ours: RobotModel, *, floating: bool) -> None:
    assert ours.floating == floating
    worst = deviations(path, ours, STATES)
    assert len(worst) == 9
    assert max(worst.values()) < WITHIN, worst


@pytest.mark.parametrize("floating", [False, True], ids=["held", "floating"])
@pytest.mark.parametrize("seed", [1, 2])
def test_trees_of_all_joints_of_urdf(seed: int, floating: bool, tmp_path: Path) -> None:
    ours = robot_model(described(urdf_tree(seed, 12), tmp_path, floating=floating))
    assert_agrees(tmp_path / "robot.urdf", ours, floating=floating)


@pytest.mark.parametrize(("file", "floating"), PUBLIC.items(), ids=[Path(file).stem for file in PUBLIC])
def test_public_robots(file: str, floating: bool, tmp_path: Path) -> None:
    path = without_shapes(file, tmp_path)
    description = read_description(path)
    assert_agrees(path, robot_model(float_base(description) if floating else description), floating=floating)


def test_meldog(tmp_path: Path) -> None:
    twin, path = didymos.load("meldog"), tmp_path / "meldog.urdf"
    path.write_text(xacro.process_file(str(twin.description.source)).toxml(), encoding="utf-8")
    assert_agrees(path, twin.model, floating=True)
