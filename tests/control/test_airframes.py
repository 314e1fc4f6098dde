"""Airframes by data alone: each flies its scenario by a bundled program; one with a wrong sign in its allocation is refused."""

from __future__ import annotations

import math
import shutil
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

import didymos
from didymos.cli.main import main
from didymos.control import Allocation

HERE = Path(__file__).parent / "airframes"
SCENARIOS = {"v_tail": "turn", "elevon_wing": "turn", "twin_engine": "turn", "tricopter": "move"}


def _stated(raw: Any, axis: str, name: str) -> tuple[Any, str]:
    """Where the weight of an input under an axis stands, by either way to write it."""
    if name in raw["allocation"].get("inputs", {}):
        return raw["allocation"]["inputs"][name], axis
    return raw["allocation"][axis], name


def _changed(folder: Path, name: str, change: Any) -> Path:
    """A copy of an airframe whose plain data was changed."""
    shutil.copytree(HERE / name, folder / name)
    yaml = YAML(typ="safe")
    raw = yaml.load(folder / name / "twin.yaml")
    change(raw)
    with (folder / name / "twin.yaml").open("w") as file:
        yaml.dump(raw, file)
    return folder / name


@pytest.mark.parametrize("name", sorted(SCENARIOS))
def test_an_airframe_of_data_alone_flies(name: str) -> None:
    simulation = didymos.load(HERE / name).simulate(scenario=SCENARIOS[name])
    log = simulation.run()
    verdicts = simulation.judge(log)
    assert verdicts
    assert [verdict for verdict in verdicts if not verdict.ok] == []


@pytest.mark.parametrize(
    ("name", "axis", "flipped", "said"),
    [
        ("v_tail", "pitch", ["left_tail.y", "right_tail.y"], "pitch does the opposite of nose up; look at"),
        ("v_tail", "pitch", ["left_tail.y"], "pitch mainly does yaw"),
        ("v_tail", "yaw", ["left_tail.y", "right_tail.y"], "yaw does the opposite of nose right"),
        ("v_tail", "yaw", ["right_tail.y"], "yaw mainly does pitch"),
        ("elevon_wing", "roll", ["left.y", "right.y"], "roll does the opposite of right wing down"),
        ("elevon_wing", "roll", ["left.y"], "roll mainly does pitch"),
        ("elevon_wing", "pitch", ["right.y"], "pitch mainly does roll"),
        ("elevon_wing", "thrust", ["motor"], "thrust does the opposite of forward; look at motor first"),
        ("twin_engine", "yaw", ["left_motor", "right_motor"], "yaw does the opposite of nose right"),
        ("tricopter", "yaw", ["tail_tilt"], "yaw does the opposite of nose right; look at tail_tilt first"),
        ("tricopter", "roll", ["left", "right"], "roll does the opposite of right wing down"),
        ("tricopter", "pitch", ["tail"], "pitch does the opposite of nose up; look at tail first"),
        ("tricopter", "roll", ["right"], "roll mainly does pitch"),
        ("twin_engine", "yaw", ["right_motor"], "right_motor works against yaw"),
    ],
)
def test_a_wrong_sign_is_refused(
    name: str, axis: str, flipped: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def flip(raw: Any) -> None:
        for one in flipped:
            weights, key = _stated(raw, axis, one)
            weights[key] = -weights[key]

    folder = _changed(tmp_path, name, flip)
    for verb in (["check", str(folder)], ["run", str(folder), "--seconds", "0.01", "--quiet"]):
        assert main(verb) == 2
        said_of_it = capsys.readouterr().err
        assert f"allocation.{axis}: " in said_of_it
        assert said in said_of_it


def test_an_axis_that_does_nothing_is_a_note(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = _changed(tmp_path, "v_tail", lambda raw: raw["parts"]["wing"].update(limit_x=0.0))
    assert main(["check", str(folder)]) == 0
    assert "allocation.roll does nothing in flight" in "".join(capsys.readouterr())


def _weights(allocation: Allocation, axis: str) -> dict[str, float]:
    weights = zip(allocation.inputs, allocation.weights[axis].tolist(), strict=True)
    return {name: weight for name, weight in weights if weight != 0.0}


def test_an_axis_may_be_stated_by_a_scenario_and_a_variant(tmp_path: Path) -> None:
    def change(raw: Any) -> None:
        raw["variants"] = {"weak": {"allocation": {"pitch": {"left_tail.y": 0.3, "right_tail.y": 0.3}}}}
        raw["scenarios"]["free"] = {"allocation": {"pitch": ["left_tail.y", "right_tail.y"]}}

    folder = _changed(tmp_path, "v_tail", change)
    weak = didymos.load(folder, variant="weak").simulate().robot.allocation.flight
    assert _weights(weak, "pitch") == {"left_tail.y": 0.3, "right_tail.y": 0.3}
    assert _weights(weak, "roll") == {"wing.x": 1.0}
    free = didymos.load(folder).simulate(scenario="free").robot.allocation.flight
    assert set(free.inputs) == {"left_tail.y", "right_tail.y"}


def test_without_a_word_a_plane_flies_by_what_its_inputs_do(tmp_path: Path) -> None:
    """The V-tail's derived weights are its stated ones, each axis scaled to 1: its surfaces are alike and mirrored.

    Its tail yaws by a force F on each panel along its own z, (-sin, cos) of 0.7 rad, at (y, z) = (0.1, 0.05): it rolls by
    y F_z - z F_y as well. The ailerons take that back.
    """
    folder = _changed(tmp_path, "v_tail", lambda raw: raw.pop("allocation"))
    simulation = didymos.load(folder).simulate(scenario="turn")
    found = simulation.robot.allocation.flight
    assert _weights(found, "roll") == {"wing.x": 1.0}
    assert _weights(found, "pitch") == pytest.approx({"left_tail.y": 1.0, "right_tail.y": 1.0}, abs=1e-6)
    assert _weights(found, "thrust") == {"motor": 1.0}
    force = -2.0 * 0.4 * 0.04  # over the dynamic pressure, at full deflection
    rolls = 2.0 * force * (0.1 * math.cos(0.7) + 0.05 * math.sin(0.7))
    aileron = -rolls / (0.45 * 1.9 * 0.15 * 0.35)
    expected = {"wing.x": aileron, "left_tail.y": 1.0, "right_tail.y": -1.0}
    assert _weights(found, "yaw") == pytest.approx(expected, rel=0.05)  # the tail sees the air a little from the side
    assert all(verdict.ok for verdict in simulation.judge(simulation.run()))


def test_without_a_word_a_tricopter_hovers_by_what_its_rotors_and_its_tilt_do(tmp_path: Path) -> None:
    """Thrust turns all rotors alike; roll is the sides', pitch the tail's against both, yaw the tilt's (negative is right).

    With thrust goes a tilt that holds the torque of the odd rotor, Q / (0.4 F): 2e-6 (254 u)^2 over 0.4 of the tail's thrust.
    """
    folder = _changed(tmp_path, "tricopter", lambda raw: raw.pop("allocation"))
    simulation = didymos.load(folder).simulate(scenario="move")
    found = simulation.robot.allocation.hover
    assert found.inputs[:3] == ("left", "right", "tail")
    thrust = _weights(found, "thrust")
    assert [thrust[name] for name in ("left", "right", "tail")] == pytest.approx([1.0] * 3, rel=0.05)
    tilt = 2e-6 * 254.0**2 / (0.4 * 0.5 * 1.22 * 0.017 * 0.17 * 80.0**2)
    assert 0.5 * tilt < thrust["tail_tilt"] < 4.0 * tilt
    roll, pitch, yaw = (_weights(found, axis) for axis in ("roll", "pitch", "yaw"))
    assert roll["left"] > 0.0 > roll["right"]
    assert pitch["tail"] == pytest.approx(-2.0 * pitch["left"], rel=0.05)
    assert yaw["tail_tilt"] < 0.0
    log = simulation.run()
    assert abs(log["truth.position.x"].values[-1] - 2.0) < 0.1
    assert abs(log["truth.yaw"].values[-1] - 1.0) < 0.1  # the heading has no integral
