"""A fit with somebody else's program: columns that only the file's program tells are left out, and that is said."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import didymos
from didymos.errors import InputError
from didymos.fitting import Column, fit, read_recording

ARM = """<mujoco><option gravity="0 0 0"/><worldbody><body name="arm"><joint name="hinge" axis="0 1 0" damping="0.5"/>
  <geom size=".1" mass="1" pos=".3 0 0"/></body></worldbody><actuator><motor name="motor" joint="hinge"/></actuator></mujoco>"""
PROGRAMS = """
from didymos import Controller
from didymos.contract import report

class Tells(Controller):
    told = report()

    def update(self, t, measured, setpoints):
        self.told = 1.0
        return {"motor": 1.0}

class Silent(Controller):
    def update(self, t, measured, setpoints):
        return {"motor": 1.0}
"""


def test_columns_that_only_the_files_program_tells_are_skipped(tmp_path: Path) -> None:
    content = {
        "description": {"file": "arm.xml"}, "control": {"program": "mine.py:Tells"}, "scenarios": {"push": {"seconds": 1}},
    }  # fmt: skip
    twin = didymos.Twin.from_dict(content, {"arm.xml": ARM, "mine.py": PROGRAMS})
    (tmp_path / "mine.py").write_text(PROGRAMS)
    twin.replace_program("mine.py:Silent", tmp_path)
    log = twin.simulate(scenario="push").run()
    angle = log["joints.hinge.position"]
    rows = np.column_stack([angle.time, angle.values, np.ones(len(angle.time))])
    file = tmp_path / "push.csv"
    np.savetxt(file, rows, delimiter=",", header="time [s],angle [rad],told", comments="")
    columns = {"angle": Column("angle", "joints.hinge.position"), "told": Column("told", "control.told")}
    twin.set("joints.hinge.damping", 0.3)
    recordings = [read_recording(twin, file, columns)]
    found = fit(twin, recordings, {"joints.hinge.damping": (0.1, 1.0)}, threads=1)
    assert "told is skipped: the program that runs does not tell control.told" in found.warnings
    assert found.values()["joints.hinge.damping"] == pytest.approx(0.5, rel=1e-6)
    alone = [read_recording(twin, file, {"told": columns["told"]})]
    with pytest.raises(InputError, match="nothing to fit"):
        fit(twin, alone, {"joints.hinge.damping": (0.1, 1.0)}, threads=1)
