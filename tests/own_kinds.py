"""A small twin whose parachute is a law of its own, and leaves a mark where it is imported."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

LAW = '''"""A parachute for tests."""
import pathlib

from didymos.contract import input, output, parameter, state
from didymos.parts.part import Part, law

pathlib.Path(__file__).with_name("ran").touch()


class Parachute(Part):
    """A canopy that opens over a time."""

    area = parameter(unit="m^2", low=0, high=100, doc="of the canopy")
    opening_time = parameter(0.5, unit="s", above=0)
    released = input(range=(0, 1))
    opened = state()
    drag = output(unit="N")

    @law
    def act(part, here, inputs, memory, state, rate, wrench, output):
        rate.opened = (inputs.released - state.opened) / part.opening_time
        output.drag = -0.5 * here.density * part.area * state.opened * abs(here.air_velocity[2]) * here.air_velocity[2]
        wrench.force[2] = output.drag
'''

PROGRAM = '''"""A program for tests."""
import pathlib

import didymos
from didymos.contract import report, setpoint

pathlib.Path(__file__).with_name("ran").touch()


class Release(didymos.Controller):
    """Releases the parachute below a height."""

    rate = 100
    below = didymos.Gain(50.0, low=0, high=1000, unit="m")
    height = setpoint(unit="m")
    open = report()

    def __init__(self, sensor: str = "state", late: float = 0.0) -> None:
        self.sensor, self.late = sensor, late

    def update(self, t, measured, setpoints):
        self.open = float(measured[self.sensor].position.z < self.below)
        return {"canopy": self.open}
'''

URDF = """<robot name="load"><link name="load"><inertial><mass value="80"/>
  <inertia ixx="8" iyy="8" izz="8" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>"""


def twin_folder(folder: Path, law: str = LAW, program: str | None = None, **keys: Any) -> Path:
    """A twin folder with a law and a program of its own; `keys` take the place of those of its file."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "load.urdf").write_text(URDF)
    (folder / "parachute.py").write_text(law)
    raw: dict[str, Any] = {
        "description": {"file": "load.urdf", "base": "floating"},
        "parts": {"canopy": {"kind": "parachute.py:Parachute", "link": "load", "area": 30.0}},
        "sensors": {"state": {"kind": "odometry", "link": "load", "rate": 100}},
        "scenarios": {"fall": {"seconds": 2, "stimuli": [{"target": "inputs.canopy", "kind": "step", "at": 1, "to": 1}]}},
    }
    if program is not None:
        (folder / "release.py").write_text(program)
        raw["control"] = {"program": "release.py:Release", "rate": 100}
    (folder / "twin.yaml").write_text(json.dumps(raw | keys))  # JSON is YAML
    return folder


def has_run(folder: Path) -> bool:
    """Whether code of the folder was imported."""
    return (folder / "ran").exists()
