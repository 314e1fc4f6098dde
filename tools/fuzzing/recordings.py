"""What else a person hands over beside a twin: recordings to fit to, interventions, values, pad maps and events, bench tables."""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np

import didymos
from didymos.control.pilot import CHANNELS
from didymos.describe.bench_table import read_bench_table
from didymos.describe.values_file import read_values
from didymos.engine.intervention import load_interventions
from didymos.fitting import Column, read_recording
from didymos.fitting.segments import whole
from didymos.fitting.unit_check import check_units
from didymos.parts.propeller_fit import fit_propeller
from didymos.ports.gamepad.events import AXIS, KEY, Event, encode
from didymos.ports.gamepad.gamepad import open_gamepad
from didymos.ports.gamepad.pad_map import load_pad_map
from fuzzing.logs import edit_table, recorded_mcap
from fuzzing.mcap_records import edit_mcap, split
from fuzzing.mutators import edit_bytes, edit_frame, edit_yaml
from fuzzing.target import Case, Target

__all__ = ["Recordings"]

_PAD = Path(didymos.__file__).parent / "ports" / "gamepad" / "pad.yaml"
_INTERVENTIONS = b"""twin: "quadcopter"
scenario: "hover"
seed: 0
seconds: 3.0
interventions:
  - {tick: 10, kind: steer, path: "setpoints.z", value: 1.5}
  - {tick: 20, kind: push, path: "body_FLU", value: [1.0, 0.0, 0.0]}
  - {tick: 30, kind: set, path: "links.body_FLU.mass", value: 0.7}
"""
_VALUES = b"links.body_FLU.mass: 0.7\nparts.motor1.time_constant: 0.05  # fitted\n"
_BENCH = b"rpm,thrust [g],power [W]\n2000,100,8\n3000,225,27\n4000,400,64\n5000,625,125\n"
_KINDS = (
    "table.csv", "table.csv", "table.mcap", "done.yaml", "done.mcap", "values.yaml", "pad.yaml", "pad.events", "bench.csv",
)  # fmt: skip


class Recordings(Target):
    """Files in the place of measured ones."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        times = 0.01 * np.arange(60)
        rows = [f"{t:.2f},{np.sin(t):.6f},{np.cos(t):.6f}" for t in times]
        table = ("time [s],angle [rad],speed [rad/s]\n" + "\n".join(rows) + "\n").encode()
        self._columns = {name: Column(name, f"joints.axle.{name}") for name in ("angle", "speed")}
        self._mcap = split(recorded_mcap(folder / "seed.mcap"))
        self._twin = didymos.load("power_unit", run_code=False)
        kinds = (Event(0.1 * i, (AXIS, KEY)[i % 2], (0, 0x120)[i % 2], i * 100) for i in range(30))
        self._events = b"".join(map(encode, kinds))
        self._texts = {"table.csv": table, "done.yaml": _INTERVENTIONS, "values.yaml": _VALUES, "bench.csv": _BENCH}
        self._texts["pad.yaml"] = _PAD.read_bytes()

    def case(self, dice: Random) -> Case:
        kind = dice.choice(_KINDS)
        if kind.endswith(".mcap"):
            return Case(kind, edit_mcap(self._mcap, dice))
        if kind == "pad.events":
            return Case(kind, edit_frame(self._events, dice))
        text = self._texts[kind]
        if kind.endswith(".csv"):
            return Case(kind, edit_table(text, dice))
        return Case(kind, (edit_yaml if dice.random() < 0.6 else edit_bytes)(text, dice))

    def attempt(self, case: Case) -> object:
        file = self.folder / case.kind
        file.write_bytes(case.data)
        if case.kind.startswith("table."):
            columns = self._columns if case.kind.endswith("csv") else {"odometry.position.x": Column("odometry.position.x", "x")}
            found = read_recording(self._twin, f"{file}={next(iter(self._twin.scenarios))}", columns)
            segment = whole(0, found)
            said = [1.5 * item.rows[part] for item, part in zip(found.channels, segment.samples, strict=True)]
            check_units(self._twin, [found], [segment], [said])
            return found
        if case.kind.startswith("done."):
            return load_interventions(file)
        if case.kind == "values.yaml":
            return read_values(file)
        if case.kind == "pad.yaml":
            return load_pad_map(file).channels([0.5] * 8, [1.0] * 12)
        if case.kind == "bench.csv":
            return fit_propeller(*read_bench_table(file), density=1.2)
        return self._fly(file)

    def _fly(self, file: Path) -> list[tuple[float | None, ...]]:
        pad = open_gamepad(str(file), load_pad_map())
        tables = [pad.read(0.5 * i) for i in range(8)]
        pad.close()
        assert all(len(table) == CHANNELS for table in tables)
        return tables
