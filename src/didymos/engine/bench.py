"""How fast a twin runs, beside the bare engine on the same compiled model.

Both are measured in turns within one run, from the same state, so that a noisy machine disturbs both alike; the ratio is
the median over the turns. The bare engine steps the model with the twin's last forces held (so that it stays where the
twin is: in the air, or in contact), without parts, control, sensors' errors or record. The whole twin does everything,
recording to a file included. Cameras are off. A scan is that of all lidars at the state in which the warm-up ends.
"""

from __future__ import annotations

import resource
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from didymos.compiled import kernel
from didymos.describe.names import cameras
from didymos.describe.twin import Twin
from didymos.engine import block as b
from didymos.engine.lidar import scan
from didymos.engine.memory import engine_function
from didymos.engine.simulation import Simulation

__all__ = ["BenchRow", "measure", "peak_memory"]

_TURNS = 12
_WARM_UP = 1.0  # [s] of the twin's clock
_TURN = 0.2  # [s] of the wall's, about, for each side of a turn
_SCANS = 50  # of each lidar between two looks at the clock
_BARE_RUN = 200  # steps before the bare engine is put back to the twin's state

_mj_step = engine_function("mj_step")


@dataclass(frozen=True)
class BenchRow:
    """Speed of a twin: physics steps per second of the wall clock, their ratio, the twin's real-time factor, a lidar's scan."""

    twin: str
    variant: str | None
    scenario: str | None
    engine_steps_per_s: float
    twin_steps_per_s: float
    ratio: float
    real_time_factor: float
    peak_memory_mb: float
    scan_ms: float | None


@kernel
def _step(model: int, data: int, count: int) -> None:
    for _ in range(count):
        _mj_step(model, data)


def _bare_seconds(model: mujoco.MjModel, data: mujoco.MjData, state: np.ndarray, count: int) -> float:
    """Wall time of `count` steps of the bare engine."""
    spent = 0.0
    for _ in range(max(1, count // _BARE_RUN)):
        mujoco.mj_setState(model, data, state, int(mujoco.mjtState.mjSTATE_INTEGRATION))
        began = time.perf_counter()
        _step(model._address, data._address, _BARE_RUN)
        spent += time.perf_counter() - began
    return spent


@kernel
def _scan(wiring: Any, count: int) -> None:
    for _ in range(count):
        scan(wiring, 0, True)


def _scan_milliseconds(simulation: Simulation) -> float | None:
    """Wall time of one scan of all lidars, the median of some; None where there are none."""
    if not len(simulation.wiring.lidars):
        return None
    _scan(simulation.wiring, 1)
    times = []
    for _ in range(_TURNS):
        began = time.perf_counter()
        _scan(simulation.wiring, _SCANS)
        times.append(1e3 * (time.perf_counter() - began) / _SCANS)
    return statistics.median(times)


def peak_memory() -> float:
    """The most memory [MB] that this process has held; not what its parent held when it started it, as `ru_maxrss` is."""
    status = Path("/proc/self/status")
    if status.is_file():
        (line,) = (line for line in status.read_text(encoding="ascii", errors="replace").splitlines() if line.startswith("VmHWM"))
        return float(line.split()[1]) / 1024.0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0


def _without_cameras(twin: Twin, scenario: str | None) -> Twin:
    """The twin with its cameras off, also where the scenario would switch them on."""
    found = twin.copy()
    switches = {f"sensors.{name}.enabled": 0.0 for name in cameras(twin)}
    found.set_all(switches)
    if scenario is not None and scenario in found.scenarios:
        about = found.scenarios[scenario]
        about = about.model_copy(update={"set": {path: value for path, value in about.set.items() if path not in switches}})
        found.file = found.file.model_copy(update={"scenarios": {**found.scenarios, scenario: about}})
    return found


def measure(twin: Twin, *, scenario: str | None = None, progress: Callable[[float], None] | None = None) -> BenchRow:
    """Measure a twin in a scenario, its first one by default; `progress` is told the part done, 0 to 1."""
    scenario = scenario or next(iter(twin.scenarios), None)
    simulation = Simulation(_without_cameras(twin, scenario), scenario=scenario)
    bare_model = simulation.model.__copy__()
    bare_model.numeric_data[bare_model.numeric_adr[bare_model.nnumeric - 1] + b.MAGIC] = 0.0
    bare_data = mujoco.MjData(bare_model)
    step = twin.file.world.step
    _step(bare_model._address, bare_data._address, 1)
    bare_rates, twin_rates = [], []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(2):  # the first loads libraries, which would make the turns too short to measure
            simulation.run(_WARM_UP, record=Path(folder) / "warm.mcap", keep=False)
        started = simulation.save()
        scan_ms = _scan_milliseconds(simulation)
        count = _BARE_RUN * max(1, round(_TURN * simulation.real_time_factor / step / _BARE_RUN))
        for turn in range(_TURNS):
            simulation.restore(started)
            bare_rates.append(count / _bare_seconds(bare_model, bare_data, started.vector, count))
            simulation.run(count * step, record=Path(folder) / "bench.mcap", keep=False)
            twin_rates.append(simulation.real_time_factor / step)
            if progress is not None:
                progress((turn + 1) / _TURNS)
    ratios = [mine / bare for mine, bare in zip(twin_rates, bare_rates, strict=True)]
    return BenchRow(
        twin=twin.name,
        variant=twin.variant,
        scenario=scenario,
        engine_steps_per_s=statistics.median(bare_rates),
        twin_steps_per_s=statistics.median(twin_rates),
        ratio=statistics.median(ratios),
        real_time_factor=statistics.median(twin_rates) * step,
        peak_memory_mb=peak_memory(),
        scan_ms=scan_ms,
    )
