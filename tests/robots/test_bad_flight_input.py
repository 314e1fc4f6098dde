"""What is wrong with an aircraft is said in one sentence that names the path, with exit status 2."""

from __future__ import annotations

import math
import shutil
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

import didymos
from didymos.cli.main import main


def put(raw: Any, path: str, value: Any) -> None:
    *steps, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    for step in steps:
        raw = raw[step]
    raw[last] = value


def broken(folder: Path, twin: str, changes: dict[str, Any]) -> Path:
    """A copy of a bundled twin with some values replaced."""
    source = didymos.load(twin).folder
    shutil.copytree(source.parent / "shared", folder / "shared")
    shutil.copytree(source, folder / twin)
    yaml = YAML(typ="safe")
    raw = yaml.load(folder / twin / "twin.yaml")
    for path, value in changes.items():
        put(raw, path, value)
    with (folder / twin / "twin.yaml").open("w") as file:
        yaml.dump(raw, file)
    return folder / twin


OF = "control.options"
ROWS: list[tuple[str, dict[str, Any], str]] = [
    ("plane_1wing_sensors", {"parts.airfoil1.lift.coefficients.3": 0.1}, "parts.airfoil1.lift: the spline has a gap at -1.309"),
    ("plane_1wing_sensors", {"parts.airfoil1.lift.breaks.2": -2.0}, "parts.airfoil1.lift: breaks must ascend"),
    ("plane_1wing", {"parts.airfoil1.area": -0.3}, "parts.airfoil1.area: found -0.3, expected a number above 0"),
    ("plane_1wing", {"parts.airfoil1.link": "airfoil2"}, "there is no link or frame 'airfoil2', did you mean 'airfoil1'"),
    ("plane_3wing_2motor", {"parts.motor1.cells": 0}, "parts.motor1.cells: found 0, expected a number of at least 1"),
    ("plane_1wing", {f"{OF}.surfaces": {"roll": "airfoil1.x"}}, "section 'allocation' says which inputs roll, pitch, yaw"),
    ("quadcopter", {f"{OF}.mixer": "quad_x"}, "section 'allocation' has the layout of rotors"),
    ("plane_1wing", {"allocation": 5}, "allocation: found 5, expected a mapping"),
    ("plane_1wing", {"allocation.roll": 5}, "allocation.roll: found 5, expected the name of an input, a list of names"),
    ("plane_1wing", {"allocation.roll": [5]}, "allocation.roll: expected names of inputs"),
    ("plane_1wing", {"allocation.roll": ["airfoil1.x", "airfoil1.x"]}, "an input is named twice in this list"),
    ("plane_1wing", {"allocation.roll": {"airfoil1.x": math.nan}}, "allocation.roll: found nan for 'airfoil1.x'"),
    ("plane_1wing", {"allocation.roll": "airfoil1.w"}, "there is no input 'airfoil1.w'"),
    ("plane_1wing", {"allocation.throttle": "motor1"}, "allocation: the axis of engines is called 'thrust' here"),
    ("plane_1wing", {"allocation.hover": {"thrust": "motor2"}}, "hover.thrust.motor2: there is no input 'motor2'"),
    ("plane_1wing", {"allocation.priority": ["roll", "pich"]}, "allocation.priority: found 'pich', expected one of roll, pitch"),
    ("plane_1wing", {"allocation.priority": ["roll", "roll"]}, "expected names of axes, each at most once"),
    ("plane_1wing", {"allocation.inputs": {"airfoil1.x": {"roll": 1}}}, "the weight of 'airfoil1.x' under roll is stated twice"),
    ("plane_1wing", {"allocation.limits": {"airfoil1.x": [1, -1]}}, "expected the lower one first"),
    ("plane_1wing", {"allocation.layout": "quad_x"}, "a layout takes the place of weights"),
    ("plane_1wing", {"allocation.roll": {"airfoil1.x": -1}}, "allocation.roll: roll does the opposite"),
    ("plane_1wing", {"allocation.yaw": "airfoil1.x"}, "allocation.yaw: yaw mainly does roll"),
    ("plane_1wing", {f"{OF}.sensor": 5}, f"{OF}.sensor: found 5, expected a text"),
    ("plane_1wing", {f"{OF}.waypoints": 5}, f"{OF}.waypoints: found 5, expected a list"),
    ("plane_1wing", {f"{OF}.waypoints": [["a", 0, 0]]}, f"{OF}.waypoints.0.0: found 'a', expected a number"),
    ("plane_1wing", {f"{OF}.waypoints": [[0, 0, math.nan]]}, f"{OF}.waypoints.0.2: found nan, expected a finite number"),
    ("plane_1wing", {f"{OF}.waypoints": [[0, 0, 0], [1, 2]]}, f"{OF}.waypoints: expected way-points of three numbers"),
    ("hexacopter", {f"{OF}.estimator": "imu"}, f"{OF}.estimator: found 'imu', expected a mapping"),
    ("hexacopter", {f"{OF}.estimator.declination": "west"}, f"{OF}.estimator.declination: found 'west', expected a number"),
    ("hexacopter", {f"{OF}.estimator.imu": 3}, f"{OF}.estimator.imu: found 3, expected the name of a sensor"),
    ("hexacopter", {f"{OF}.rotor_speeds": "ecs"}, f"{OF}.rotor_speeds: no sensor reads 'ecs.motor1.speed'"),
    ("quadcopter", {f"{OF}.sensor": ["state"]}, f"{OF}.sensor: found a list, expected a text"),
    ("omni_base", {f"{OF}.radius": "0.1"}, f"{OF}.radius: found '0.1', expected a number"),
    ("power_unit", {f"{OF}.ratio": True}, f"{OF}.ratio: found true, expected a number"),
    ("quadcopter", {"pilot.steer.0.target": "setpoints.rol"}, "steer.0.target: there is no set-point or input 'setpoints.rol'"),
    ("quadcopter", {"pilot.drop": 20}, "pilot.drop: found 20, expected a number below 20"),
]  # fmt: skip


@pytest.mark.parametrize(("twin", "changes", "complaint"), ROWS, ids=[f"{row[0]}: {next(iter(row[1]))}" for row in ROWS])
def test_a_broken_aircraft_is_refused_by_name(
    twin: str, changes: dict[str, Any], complaint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = broken(tmp_path, twin, changes)
    for verb in (["check", str(folder)], ["run", str(folder), "--seconds", "0.1", "--quiet"]):
        assert main(verb) == 2
        assert complaint in capsys.readouterr().err
