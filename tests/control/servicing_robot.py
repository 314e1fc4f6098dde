"""The free-flyer of the world `servicing` without a simulation: its settings and records for tests of its program."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

import didymos
from didymos.control.idle import Idle
from didymos.control.servicing import Servicing
from didymos.control.servicing_options import fill_settings

FOLDER = Path(didymos.__file__).parent / "worlds" / "servicing"
OPTIONS: dict[str, Any] = {
    "arm": [f"joint{i}" for i in range(1, 8)],
    "wheels": ["wheel_x", "wheel_y", "wheel_z"],
    "thrusters": {
        "names": [f"thruster_{name}" for name in ("x_left", "x_right", "y_top", "y_bottom", "z_front", "z_back")],
        "thrust": 4.5, "period": 0.2, "minimum_impulse_bit": 0.09,
    },
    "client": {
        "mass": 80.0, "inertia": [80 * 0.74 / 12, 80 * 1.06 / 12, 80 * 1.30 / 12], "grasp_position": [0.58, 0.05, -0.04],
        "grasp_orientation": [0.0, 0.0, math.pi],
    },
    "ready": [0.0, -1.171, 0.0, 2.342, 0.0, -1.171, 0.0],
    "capture": [0.0, -0.8, 0.0, 1.6, 0.0, -0.8, 0.0],
}  # fmt: skip


def blank(layout: np.dtype[Any]) -> Any:
    """A record of zeros, as compiled code takes it."""
    return np.zeros((), dtype=layout)[()]


def gains(**changed: float) -> Any:
    """The gains as they are, but for those that are changed."""
    record = blank(Servicing.gain_layout)
    for gain in Servicing.gain_table:
        record[gain.name] = changed.pop(gain.name, gain.value)
    assert not changed
    return record


def chaser() -> Any:
    """A simulation of the free-flyer alone, without a program."""
    return didymos.load(FOLDER / "chaser").simulate(control=Idle())


def settings(robot: Any) -> Any:
    """The program's settings on it."""
    program = Servicing(**OPTIONS)
    fill_settings(program.settings, program.options, robot)
    return program.settings[()]
