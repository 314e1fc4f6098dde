"""A small drive to fit, and recordings of it with noise and jitter."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from didymos.describe.twin import Twin

MODEL = """<mujoco><worldbody><body name="arm"><joint name="shaft" axis="0 0 1"/>
  <inertial pos="0 0 0" mass="0.1" diaginertia="1e-4 1e-4 1e-4"/></body></worldbody></mujoco>"""
POSITION, VELOCITY = "parts.drive.output_position", "parts.drive.output_velocity"
NOISE = {"position": 0.002, "velocity": 0.03}  # [rad], [rad/s]

Record = Callable[..., Path]


@pytest.fixture(scope="session")
def bench(make_twin: Callable[..., Twin]) -> Twin:
    """A drive whose true values are those of its file; a test that changes it takes a copy."""
    return make_twin(
        MODEL,
        world={"step": 0.001},
        parts={
            "drive": {
                "kind": "drive", "link": "arm", "joint": "shaft", "ratio": 10.0, "kp": 1.7, "kd": 0.05, "peak_torque": 3.5,
                "rotor_inertia": 3e-4, "coulomb": 0.07, "delay": 0.004,
            }
        },
        control={"program": "position_command", "rate": 200},
        record={"rate": 200},
        scenarios={
            "sine": {
                "seconds": 1.0, "stimuli": [{"target": "setpoints.position", "kind": "sine", "amplitude": 1.0, "frequency": 1.0}],
            },
            "step": {"seconds": 1.0, "setpoints": {"position": 0.25}},
        },
        recordings={"columns": {"pos": {"signal": POSITION, "weight": 10.0}, "vel": {"signal": VELOCITY}}},
        fit={
            "parameters": {
                "parts.drive.coulomb": [0.0, 0.2], "parts.drive.rotor_inertia": [5e-5, 1e-3], "parts.drive.kd": [0.01, 0.2],
            },
        },
    )  # fmt: skip


@pytest.fixture
def record(bench: Twin, tmp_path: Path) -> Record:
    """record(seed, scenario, change): a CSV of what the true drive did, with noise, jitter and `change` made to its columns."""

    def write(
        seed: int = 0, scenario: str = "sine", change: Callable[[dict[str, np.ndarray]], None] | None = None, noise: float = 1.0
    ) -> Path:
        log = bench.simulate(scenario=scenario).run()
        rng = np.random.default_rng(seed)
        time = np.arange(0.0, 0.98, 0.005) + rng.uniform(0.0, 0.002, 196)
        columns = {"time": time}
        for name, signal, size in (("pos", POSITION, NOISE["position"]), ("vel", VELOCITY, NOISE["velocity"])):
            true = np.interp(time, log[signal].time, log[signal].values)
            columns[name] = true + noise * size * rng.standard_normal(len(time))
        if change is not None:
            change(columns)
        file = tmp_path / f"{scenario}.csv"
        rows = np.column_stack(list(columns.values()))
        np.savetxt(file, rows, delimiter=",", header=",".join(columns), comments="", fmt="%.12g")
        return file

    return write
