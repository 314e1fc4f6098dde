"""Inputs recorded in every tick: none of their changes is missed, and such a run is repeated as it was."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import didymos
from didymos import Log
from didymos.cli.main import main
from didymos.engine.every_input import record_every_input
from didymos.engine.run import Run


def test_a_run_with_every_input_has_them_at_the_rate_of_the_program_and_is_repeated_to_the_byte(tmp_path: Path) -> None:
    twin = didymos.load("quadcopter")
    record_every_input(twin)
    run = Run(twin.simulate(scenario="hover"), tmp_path / "run.mcap", keep=False)
    run.advance(101)
    run.intervene("steer", "inputs.motor1", 0.05)  # acts at a tick that the log's own rate of 100 Hz would not have
    run.advance(99)
    run.close()
    log = Log.load(tmp_path / "run.mcap")
    inputs = log["inputs.motor1"]
    np.testing.assert_allclose(inputs.time, np.arange(200) / 400, atol=1e-12)
    jumps = np.abs(np.diff(inputs.values))
    assert inputs.time[1 + int(np.argmax(jumps[50:])) + 50] == 101 / 400
    assert len(log["setpoints.z"].time) == 50
    again = tmp_path / "again.mcap"
    assert main(["run", "quadcopter", "--interventions", str(tmp_path / "run.mcap"), "--record", str(again), "--quiet"]) in (0, 1)
    assert Log.load(again).sha256 == log.sha256
    assert again.read_bytes() == (tmp_path / "run.mcap").read_bytes()
