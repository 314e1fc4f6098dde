"""`didymos compare RECORDING RUN`: a recording of the bench, with columns and jitter of its own, beside a run of the twin."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

import didymos
from didymos.cli.main import main

TURN = 2.0 * math.pi / 9.97  # [rad] at the output per motor revolution
ERROR = 0.003  # [rad]
SCENARIOS = {"triangle": (800, 4.037), "trapezoid": (1000, 5.014), "step": (400, 2.016)}  # samples, seconds of the real runs


def record(scenario: str, file: Path) -> None:
    """What the bench would have written: the twin's motion, sampled at times with jitter, a constant error added."""
    log = didymos.load("power_unit").simulate(scenario=scenario).run()
    count, seconds = SCENARIOS[scenario]
    steps = np.random.default_rng(4).exponential(0.0003, count) + 0.005
    time = np.cumsum(steps) * seconds / steps.sum() - 0.005
    time[0] = 5e-6

    def sampled(name: str) -> np.ndarray:
        signal = log[f"parts.drive.{name}"]
        return np.asarray(np.interp(time, signal.time, signal.values))

    position, velocity = sampled("position") + ERROR / TURN, sampled("velocity")
    columns = {
        "t_s": time, "motor_pos_rev": position, "motor_vel_rev_s": velocity, "motor_torque_Nm": sampled("torque"),
        "out_pos_rad": position * TURN, "out_vel_rad_s": velocity * TURN,
    }  # fmt: skip
    np.savetxt(file, np.column_stack([*columns.values()]), delimiter=",", header=",".join(columns), comments="", fmt="%.9f")


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_columns_are_known_and_stamps_are_the_recordings_own(
    scenario: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recorded, run = tmp_path / f"{scenario}.csv", tmp_path / f"{scenario}.mcap"
    record(scenario, recorded)
    assert main(["run", "power_unit", "--scenario", scenario, "--record", str(run), "--quiet"]) == 0
    assert main(["compare", str(recorded), str(run), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["signals"]
    assert set(found) == {"motor_pos_rev", "motor_vel_rev_s", "motor_torque_Nm", "out_pos_rad", "out_vel_rad_s"}
    assert {item["samples"] for item in found.values()} == {SCENARIOS[scenario][0]}  # all of them, to the last
    assert found["out_pos_rad"]["rmse"] == pytest.approx(ERROR, abs=1e-6)
    assert found["out_vel_rad_s"]["rmse"] < 1e-6  # the interpolation is the twin's own


@pytest.mark.parametrize(
    ("scenario", "knots"),
    [
        ("sine", [(0, 0), (1, 1), (2, 0), (3, -1), (4, 0)]),
        ("triangle", [(0, 0), (0.5, 0.5), (1, 1), (2, 0), (3, -1), (3.5, -0.5), (4, 0)]),
        ("trapezoid", [(0, 0), (0.5, 0.5), (1, 1), (1.5, 1), (2.5, 0), (3.5, -1), (4, -1), (5, 0)]),
        ("step", [(0, 0.25), (0.995, 0.25), (1, -0.25), (2, -0.25)]),
    ],
)
def test_what_is_commanded_is_what_the_bench_commanded(scenario: str, knots: list[tuple[float, float]]) -> None:
    commanded = didymos.load("power_unit").simulate(scenario=scenario).run()["setpoints.position"]
    for time, value in knots:
        assert commanded.values[round(time * 200)] == pytest.approx(value, abs=1e-12)
