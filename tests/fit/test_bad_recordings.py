"""Bad input to `didymos fit` on the command line: exit status 2 and one sentence that names what and where."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import didymos
from didymos.cli.main import main

RATIO = 9.97
COULOMB = didymos.load("power_unit").get("parts.drive.coulomb")
Columns = dict[str, np.ndarray]


@pytest.fixture(scope="module")
def sine() -> Columns:
    """The columns of the bench's recording, as the twin would have made them."""
    log = didymos.load("power_unit").simulate(scenario="sine").run(1.5)
    signals = {name: log[f"parts.drive.{name}"] for name in ("position", "velocity", "torque")}
    turn = 2.0 * math.pi / RATIO
    position, velocity, torque = (signal.values for signal in signals.values())
    return {
        "t_s": signals["position"].time, "motor_pos_rev": position, "motor_vel_rev_s": velocity, "motor_torque_Nm": torque,
        "out_pos_rad": turn * position, "out_vel_rad_s": turn * velocity,
    }  # fmt: skip


def scaled(name: str, factor: float) -> Callable[[Columns], Columns]:
    return lambda columns: columns | {name: factor * columns[name]}


def put(name: str, row: int, value: float) -> Callable[[Columns], Columns]:
    def change(columns: Columns) -> Columns:
        values = columns[name].copy()
        values[row] = value
        return columns | {name: values}

    return change


def gap(columns: Columns) -> Columns:
    return {name: np.delete(values, slice(100, 140)) for name, values in columns.items()}


BAD: dict[str, tuple[Callable[[Columns], Columns], tuple[str, ...], str]] = {
    "motor for output": (scaled("out_pos_rad", RATIO), (), "is 9.97 times what the twin does, which is the ratio 9.97 of drive"),
    "revolutions for rad": (scaled("out_vel_rad_s", 0.5 / math.pi), (), "which is one over 2 pi (rad for revolutions)"),
    "degrees": (scaled("out_pos_rad", 180.0 / math.pi), (), "which is 180/pi (degrees for rad)"),
    "bounds": (dict, ("--parameters", "parts.drive.coulomb=0.1:0.2"), f"the bounds 0.1:0.2 exclude the start, {COULOMB:g} N m"),
    "upside down": (dict, ("--parameters", "parts.drive.coulomb=0.2:0.01"), "expected"),
    "column": (dict, ("--column", "out_pos=parts.drive.output_position"), "no column 'out_pos', did you mean 'out_pos_rad'"),
    "signal": (dict, ("--column", "out_pos_rad=parts.drive.output_positon"), "did you mean 'parts.drive.output_position'"),
    "parameter": (dict, ("--parameters", "parts.drive.colomb=0:1"), "did you mean 'parts.drive.coulomb'"),
    "two words": (
        dict, ("--parameters", "parts.drive.coulomb", "parts.drive.viscous"),
        "found parts.drive.viscous among the recordings; several parameters are one word, with commas",
    ),
    "no effect": (dict, ("--parameters", "parts.drive.peak_torque=3:5"), "parts.drive.peak_torque: has no effect on these"),
    "fixed": (dict, ("--parameters", "parts.drive.ratio=9:11"), "is fixed for a run and cannot be fitted"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_with_one_sentence(
    case: str, sine: Columns, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change, options, said = BAD[case]
    columns, file = change(dict(sine)), tmp_path / "sine.csv"
    np.savetxt(file, np.column_stack([*columns.values()]), delimiter=",", header=",".join(columns), comments="", fmt="%.9g")
    assert main(["fit", "power_unit", str(file), "--quiet", *options]) == 2
    err = capsys.readouterr().err
    assert said in err
    assert len(err.strip().splitlines()) == 1, err
    assert "Traceback" not in err


TOLD: dict[str, tuple[Callable[[Columns], Columns], str]] = {
    "backwards": (put("t_s", 80, 0.2), "sine.csv: 1 rows left out whose stamps are out of order"),
    "gap": (gap, "out_pos_rad: a gap of 0.205 s at t = 0.495 s, where samples come every 0.005 s"),
    "nan": (put("out_vel_rad_s", 50, math.nan), "out_vel_rad_s: 1 samples are no numbers and are left out, the first at t = 0.2"),
    "infinite": (put("out_pos_rad", 50, math.inf), "out_pos_rad: 1 samples are no numbers and are left out"),
}


@pytest.mark.parametrize("case", TOLD)
def test_what_is_left_out_of_a_recording_is_told(
    case: str, sine: Columns, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change, said = TOLD[case]
    columns, file = change(dict(sine)), tmp_path / "sine.csv"
    np.savetxt(file, np.column_stack([*columns.values()]), delimiter=",", header=",".join(columns), comments="", fmt="%.9g")
    assert main(["fit", "power_unit", str(file), "--quiet", "--parameters", "parts.drive.coulomb=0.05:0.1"]) == 0
    assert said in capsys.readouterr().err


def test_a_column_that_is_only_judged_may_have_any_unit_and_so_may_all_by_order(sine: Columns, tmp_path: Path) -> None:
    for name, options in (("motor_pos_rev", ()), ("out_pos_rad", ("--units-as-given",))):
        columns, file = scaled(name, 2.0 * math.pi)(dict(sine)), tmp_path / "sine.csv"
        np.savetxt(file, np.column_stack([*columns.values()]), delimiter=",", header=",".join(columns), comments="", fmt="%.9g")
        assert main(["fit", "power_unit", str(file), "--quiet", "--parameters", "parts.drive.coulomb=0.05:0.1", *options]) == 0
