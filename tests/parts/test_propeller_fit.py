"""`didymos fit-propeller`: the constants that made a table come back, whatever its units."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from didymos.cli.main import main
from didymos.describe.bench_table import read_bench_table
from didymos.errors import InputError
from didymos.parts.propeller_fit import fit_propeller

K_T, K_M = 1.7e-5, 2.6e-7
SPEED = np.linspace(200.0, 900.0, 8)


def test_constants_come_back_from_rpm_gram_and_torque(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    density = 1.16
    lines = ["Speed [rpm],Thrust [g],Torque [N m],note"]
    for w in SPEED.tolist():
        thrust, torque = K_T * density / 1.225 * w**2, K_M * density / 1.225 * w**2
        lines.append(f"{w * 30 / math.pi!r},{thrust / 9.80665e-3!r},{torque!r},ok")
    (tmp_path / "bench.csv").write_text("\n".join(lines))
    assert main(["fit-propeller", str(tmp_path / "bench.csv"), "--density", str(density), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["thrust_coefficient"]["value"] == pytest.approx(K_T, rel=1e-9)
    assert found["torque_coefficient"]["value"] == pytest.approx(K_M, rel=1e-9)
    assert found["rows"] == 8


def test_the_deviation_is_that_of_the_scatter() -> None:
    """Of 400 noisy tables, the constants scatter by what each of them claims."""
    random = np.random.default_rng(1)
    fits = [
        fit_propeller(SPEED, K_T * SPEED**2 + 0.1 * random.standard_normal(8), K_M * SPEED**3).thrust_coefficient
        for _ in range(400)
    ]
    claimed = np.sqrt(np.mean([fit.deviation**2 for fit in fits]))
    assert np.std([fit.value for fit in fits]) == pytest.approx(claimed, rel=0.15)  # 4 deviations: 4 / sqrt(800)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("speed,thrust\n100,1\n", "neither"),
        ("sped,thrust,power\n100,1,2\n", "no column 'speed'"),
        ("speed,thrust,power\n100,,2\n", "expected a number"),
        ("speed,thrust,power\n-5,1,2\n", "above zero"),
        ("speed [km/h],thrust,power\n5,1,2\n", "unit 'km/h'"),
        ("speed,thrust,power\n", "no rows"),
    ],
)
def test_a_table_that_cannot_be_fitted_is_refused(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "bench.csv").write_text(text)
    with pytest.raises(InputError, match=said):
        read_bench_table(tmp_path / "bench.csv")


@pytest.mark.filterwarnings("error")
def test_speeds_whose_cube_vanishes_have_an_error_without_end() -> None:
    speed, ones = np.array([1e-200, 100.0]), np.ones(2)
    assert fit_propeller(speed, ones, ones).torque_coefficient.worst == float("inf")
