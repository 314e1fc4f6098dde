"""`didymos trim`: one object with all numbers, tables, pictures, exit status."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from ruamel.yaml import YAML

from didymos.cli.main import main
from didymos.twin import load


def test_json_has_trims_matrices_and_modes_that_belong_together(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trim", "skywalker_2013", "--airspeed", "14:16:1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [item["airspeed"] for item in found["trims"]] == [14.0, 15.0, 16.0]
    assert found["missing"] == []
    assert found["envelope"] is None
    for item in found["trims"]:
        a, b = np.array(item["A"]), np.array(item["B"])
        assert a.shape == (len(item["states"]),) * 2 == (len(item["units"]),) * 2
        assert b.shape == (len(item["states"]), 4)
        assert item["commanded"] == ["roll", "pitch", "yaw", "thrust"]
        for mode in item["modes"]:
            value = complex(*mode["eigenvalue"])
            vector = np.array([complex(*entry) for entry in mode["eigenvector"]])
            assert np.abs(a @ vector - value * vector).max() < 1e-6 * max(1.0, abs(value))
            assert mode["frequency"] == pytest.approx(abs(value))
            half = mode["time_to_half"] if value.real < 0 else -mode["time_to_double"]
            assert np.exp(value.real * half) == pytest.approx(0.5)


def test_a_speed_without_flight_is_said_and_the_others_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trim", "skywalker_2013", "--airspeed", "4:16:12", "--reduced", "--json"]) == 1
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert found["missing"] == [4.0]
    assert [item["airspeed"] for item in found["trims"]] == [16.0]
    assert found["trims"][0]["states"] == ["u", "w", "q", "theta", "v", "p", "r", "phi"]
    assert err == "didymos: skywalker_2013 has no steady flight at 4 m/s\n"


def test_by_default_all_of_flight_is_shown_and_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trim", "plane_1wing", "--plot", str(tmp_path / "trim.png")]) == 0
    out = capsys.readouterr().out
    assert re.match(r"slowest 18\.\d+ m/s \(pitch\), fastest 40\.\d+ m/s \(thrust\)", out)
    for name in ("short period", "phugoid", "dutch roll", "roll", "spiral"):
        assert out.count(f" {name}  ") >= 11
    assert (tmp_path / "trim.png").stat().st_size > 10_000


def test_gains_are_a_block_for_the_twin_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trim", "plane_3wing_2motor", "--gains"]) == 0
    printed = YAML(typ="safe").load(capsys.readouterr().out)["control"]["gains"]
    assert main(["trim", "plane_3wing_2motor", "--gains", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["gains"]["pitch.kp"] == pytest.approx(printed["pitch"]["kp"], rel=1e-5)
    assert len(found["gains"]) == sum(len(group) for group in printed.values())
    assert found["given"]["roll.kp"] == 5.34
    assert main(["trim", "meldog", "--gains"]) == 2
    assert "its program legged has none" in capsys.readouterr().err


def test_show_tells_which_gains_come_from_the_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    twin = load("quadcopter")
    control = twin.plain_section("control")
    del control["gains"]["roll"]
    (tmp_path / "quad").mkdir()
    text = twin.source.read_text(encoding="utf-8")
    text = re.sub(r"    roll: \{kp: 0\.09, kd: 0\.02\}\n", "", text, count=1)
    text = text.replace("file: model.urdf.xacro", f"file: {twin.folder / 'model.urdf.xacro'}")
    (tmp_path / "quad" / "twin.yaml").write_text(text, encoding="utf-8")
    assert main(["trust", str(tmp_path / "quad")]) == 0
    capsys.readouterr()
    assert main(["show", str(tmp_path / "quad"), "control.gains.roll", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["designed"] == ["control.gains.roll.kp", "control.gains.roll.kd"]
    assert shown["parameters"]["control.gains.roll.kp"]["value"] > 0.05
