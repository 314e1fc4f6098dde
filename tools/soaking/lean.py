"""A lean twin, whose week takes minutes: one arm, one drive, a physics step of 0.1 s, a row of the log every 10 s."""

from __future__ import annotations

import json
from pathlib import Path

__all__ = ["PERIOD", "make_lean_twin"]

PERIOD = 10.0
"""[s] of a tick, and between two rows."""

_MODEL = """<mujoco><worldbody><body name="arm"><joint name="hinge" axis="0 0 1" damping="0.5"/>
  <geom type="capsule" fromto="0 0 0 1 0 0" size=".05" mass="3"/></body></worldbody></mujoco>"""
_DRIVE = {
    "kind": "drive", "link": "arm", "joint": "hinge", "ratio": 1.0, "kp": 0.1, "kd": 0.05, "peak_torque": 1.0, "watchdog": 0.0,
    "rotor_inertia": 0.1,
}  # fmt: skip


def make_lean_twin(folder: Path) -> Path:
    """Write it into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.xml").write_text(_MODEL)
    twin = {
        "title": "Lean",
        "description": {"file": "model.xml"},
        "world": {"step": 0.1, "integrator": "implicitfast"},
        "parts": {"drive": _DRIVE},
        "control": {"program": "idle", "rate": 1.0 / PERIOD},
        "record": {"rate": 1.0 / PERIOD, "tf_rate": 1.0 / PERIOD},
    }
    (folder / "twin.yaml").write_text(json.dumps(twin))  # JSON is YAML
    return folder
