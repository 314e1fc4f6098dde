"""Where things begin can be fitted and swept: the throw of a ball from where it flew, the speed of a joint."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from didymos.engine.batch import run_many
from didymos.fitting import fit, read_recording

POST = """<mujoco><worldbody><body name="post"><joint name="turn" axis="0 0 1"/><geom type="sphere" size=".01" mass="1"/>
  </body></worldbody></mujoco>"""
BALL = {"shape": "sphere", "size": [0.1] * 3, "mass": 0.2, "position": [0, 0, 5]}
G = 9.80665


def _twin(make_twin: Any) -> Any:
    columns = {name: {"signal": f"objects.ball.position.{name}"} for name in "xz"}
    world = {"integrator": "rk4", "objects": {"ball": BALL}}
    return make_twin(POST, world=world, recordings={"columns": columns}, scenarios={"throw": {"seconds": 0.5}})


def test_a_throw_is_found_from_its_path(make_twin: Any, tmp_path: Path) -> None:
    twin = _twin(make_twin)
    t = np.linspace(0.0, 0.5, 51)
    rows = np.column_stack([t, 0.2 + 3.0 * t, 5.0 + 2.5 * t - 0.5 * G * t**2])
    np.savetxt(tmp_path / "throw.csv", rows, delimiter=",", header="time,x,z", comments="")
    free = {f"start.objects.ball.{path}": (-5.0, 5.0) for path in ("velocity.x", "velocity.z", "position.x")}
    found = fit(twin, [read_recording(twin, tmp_path / "throw.csv")], free)
    expected = {"velocity.x": 3.0, "velocity.z": 2.5, "position.x": 0.2}
    for path, value in expected.items():
        assert found.values()[f"start.objects.ball.{path}"] == pytest.approx(value, abs=1e-6)


def test_many_runs_begin_each_where_it_is_told(make_twin: Any) -> None:
    speeds = [1.0, 2.0, 3.0]
    values = [{"start.objects.ball.velocity.x": speed, "start.joint_velocities.turn": speed} for speed in speeds]
    outcomes = run_many(_twin(make_twin), seeds=[0, 0, 0], values=values, scenario="throw")
    for speed, outcome in zip(speeds, outcomes, strict=True):
        log = outcome.log
        t = log["objects.ball.position.x"].time
        np.testing.assert_allclose(log["objects.ball.position.x"].values, speed * t, atol=1e-12)
        np.testing.assert_allclose(log["joints.turn.position"].values, speed * t, atol=1e-12)
