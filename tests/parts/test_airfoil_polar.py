"""`didymos polar`: a table by the name of an airfoil, that a part reads."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path

import pytest
from tables import TableBench

from didymos.cli.main import main


def test_a_polar_by_name_is_a_table_that_lifts_as_thin_airfoils_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A symmetric section lifts nothing at zero and about 2 pi per radian below stall (10 %: thickness and boundary layer)."""
    file = tmp_path / "foil.csv"
    words = ["--reynolds", "1e5", "--reynolds", "1e6", "--low", "-6", "--high", "6", "-o", str(file), "--json"]
    assert main(["polar", "naca0012", *words]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["rows"] == 26
    assert 0.5 < said["confidence"] <= 1.0
    bench = TableBench(tmp_path, tables=[{"file": "foil.csv"}], area=1.0, span=1.0, chord=0.5)
    pressure, alpha = 0.5 * 1.225 * 400.0, math.radians(4.0)  # a Reynolds number of 6.8e5
    level = bench((20.0, 0.0, 0.0)).force
    assert abs(level[2]) < 0.02 * pressure
    assert 0.004 < -level[0] / pressure < 0.02
    force = bench((20.0 * math.cos(alpha), 0.0, -20.0 * math.sin(alpha))).force
    lift = (force[2] * math.cos(alpha) + force[0] * math.sin(alpha)) / pressure
    assert lift == pytest.approx(2.0 * math.pi * alpha, rel=0.1)


def test_an_unknown_airfoil_and_a_missing_extra_are_one_sentence(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["polar", "nosuchfoil"]) == 2
    assert "no airfoil is called 'nosuchfoil'" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "neuralfoil", None)
    assert main(["polar", "naca0012"]) == 2
    assert "pip install 'didymos[aero]'" in capsys.readouterr().err
