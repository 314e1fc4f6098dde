"""Absurd numbers, however they come in: one sentence, or a run that stops and says so; never a defect."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import didymos
from didymos.cli.main import main
from didymos.control import Values
from didymos.errors import DidymosError
from didymos.twin import Twin

ABSURD = (1e32, 1e308, -1e308, 5e-324, -0.0, math.inf, -math.inf, math.nan)
PATHS = (
    "control.gains.roll.kp", "control.rate", "links.arm1.com.x", "links.body_FLU.mass", "links.body_FLU.inertia.xx",
    "joints.motor1_to_axle1.damping", "parts.motor1.efficiency", "world.gravity", "world.wind.speed", "sensors.imu.rate",
)  # fmt: skip


class Unbounded(didymos.Controller):
    """A program of one's own, whose gain may be anything."""

    rate = 100.0
    kp = didymos.Gain(0.1)

    def update(self, t: float, measured: Values, setpoints: Values) -> Mapping[str, float]:
        return dict.fromkeys(("motor1", "motor2", "motor3", "motor4"), self.kp * (1.0 + t))


@pytest.mark.parametrize("path", PATHS)
def test_a_number_that_is_set_before_or_during_a_run(quadcopter: Twin, path: str) -> None:
    simulation = quadcopter.simulate()
    if path not in simulation.twin.parameters:
        pytest.fail(f"{path} is no parameter")
    for value in ABSURD:
        for live in (True, False):
            target: Any = simulation if live else quadcopter.copy()
            with contextlib.suppress(DidymosError):
                target.set(path, value)
                (target if live else target.simulate()).run(0.02)
        if simulation.twin.get(path) != quadcopter.get(path):
            simulation.set(path, quadcopter.get(path))
        simulation.reset()
    simulation.run(0.02)


@pytest.mark.parametrize("value", [1e32, 1e308])
def test_an_unbounded_gain_of_a_program_of_ones_own(quadcopter: Twin, value: float) -> None:
    simulation = quadcopter.simulate(control=Unbounded())
    simulation.program.set_gain("kp", value)  # type: ignore[union-attr]
    said = "at t = 0"
    try:
        simulation.run(1.0)
    except didymos.RunError as error:
        said = str(error)
    assert said.startswith("at t = ")  # a run that is stopped says when


@pytest.mark.parametrize("value", ["1e32", "1e308", "inf", ".nan", "-0.0"])
def test_a_gain_from_a_file_or_from_the_command_line(value: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "values.yaml"
    file.write_text(f"control.gains.roll.kp: {value}\n")
    for options in (["--with", str(file)], ["--set", f"control.gains.roll.kp={value.strip('.')}"]):
        status = main(["run", "quadcopter", "--seconds", "0.02", "--quiet", *options])
        said = capsys.readouterr().err
        assert status in (0, 1, 2), said
        assert "internal error" not in said
        assert status == 2 or value == "-0.0"


@pytest.mark.parametrize("seconds", [0.0, -1.0, math.nan, math.inf])
def test_a_step_of_no_length(quadcopter: Twin, seconds: float) -> None:
    simulation: Any = quadcopter.simulate()
    with pytest.raises(didymos.InputError, match="expected a time above 0 s"):
        simulation.step(seconds=seconds)
