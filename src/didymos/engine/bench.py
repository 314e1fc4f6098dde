"""How fast a twin, or a world of several, runs, beside the bare engine on the leanest model of the same motion (lean_bench.py).

Both are measured in turns within one run, from the same state, in CPU time of the thread that steps, so that a busy machine
disturbs both alike; the ratio is the median over the turns. The bare engine runs as its Python package leaves it, its stopwatches
included (stopwatch.py); `untimed_ratio` is against the engine without them. The whole twin does everything, recording to a file
included; what a second thread does beside it (packing the record) does not count. Cameras are off. A scan is that of all lidars
at the state in which the warm-up ends. `stages` say where the time of a step goes: to the lean engine, to what the twin adds
without a log, and to the log. A world of many robots is the same with more bodies: its steps are steps of all robots, and
`us_per_robot_step` is what can be held against that of a world of one.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from didymos.compiled import kernel
from didymos.describe.twin import Twin
from didymos.describe.world import World
from didymos.engine import stopwatch
from didymos.engine.dark import without_cameras
from didymos.engine.lean_bench import LeanEngine
from didymos.engine.lidar import scan
from didymos.engine.packed_context import CONTEXT, ROBOT_CONTEXT
from didymos.engine.robot_run import Entrant
from didymos.engine.run import Run
from didymos.engine.simulation import Simulation
from didymos.engine.world_simulation import WorldSimulation
from didymos.native import doubles, record_at, row_at

__all__ = ["BenchRow", "measure", "peak_memory"]

_TURNS = 12
_WARM_UP = 1.0  # [s] of the twin's clock
_TURN = 0.2  # [s] of CPU time, about, for each side of a turn
_SCANS = 50  # of each lidar between two looks at the clock


@dataclass(frozen=True)
class BenchRow:
    """Speed of a twin or world: physics steps per second of CPU time, their ratio, the real-time factor, a lidar's scan.

    `stages` [us of a physics step]: `physics` of the lean engine; `parts_sensors_control`, all that the twin adds to it without a
    log, less what the engine's stopwatches cost; `record`, what a recorded run adds to that.
    """

    twin: str
    variant: str | None
    scenario: str | None
    engine_steps_per_s: float
    twin_steps_per_s: float
    ratio: float
    untimed_ratio: float
    real_time_factor: float
    peak_memory_mb: float
    scan_ms: float | None
    stages: dict[str, float]
    robots: int
    us_per_robot_step: float  # CPU time [us] of the thread that steps, recording included


@kernel
def _scan(context: int, count: int) -> None:
    w = record_at(context, CONTEXT)
    for number in range(w.robots_count):
        c = row_at(w.robots, number, ROBOT_CONTEXT)
        fresh = doubles(c.sensors.fresh)
        for i in range(c.sensors.fresh_count):
            fresh[i] = 1.0
        for _ in range(count):
            scan(w.engine, c.lidars, c.sensors.fresh)


def _scan_milliseconds(simulation: Simulation) -> float | None:
    """CPU time of one scan of all lidars, the median of some; None where there are none."""
    if not any(len(robot.context.lidars.lidars) for robot in simulation.robots.values()):
        return None
    _scan(simulation.address, 1)
    times = []
    for _ in range(_TURNS):
        began = time.thread_time()
        _scan(simulation.address, _SCANS)
        times.append(1e3 * (time.thread_time() - began) / _SCANS)
    return statistics.median(times)


def peak_memory() -> float:
    """The most memory [MB] that this process has held; not what its parent held when it started it, as `ru_maxrss` is."""
    status = Path("/proc/self/status")
    if status.is_file():
        (line,) = (line for line in status.read_text(encoding="ascii", errors="replace").splitlines() if line.startswith("VmHWM"))
        return float(line.split()[1]) / 1024.0
    try:
        import resource
    except ImportError:  # not on Windows
        return float("nan")
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0


class _WithoutCameras(WorldSimulation):
    """A run of a world in which no camera takes pictures."""

    def _entrants(self, twin: Any) -> list[Entrant]:
        return [replace(own, twin=without_cameras(own.twin, own.scenario)) for own in super()._entrants(twin)]


def _simulation(what: Twin | World, scenario: str | None) -> Simulation:
    if isinstance(what, World):
        return _WithoutCameras(what, scenario=scenario)
    return Simulation(without_cameras(what, scenario), scenario=scenario)


def _recorded_seconds(simulation: Simulation, ticks: int, file: Path) -> float:
    """CPU time [s] of this thread for a recorded run of so many ticks."""
    run = Run(simulation, file, keep=False)
    began = time.thread_time()
    run.advance(ticks)
    spent = time.thread_time() - began
    run.close()
    return spent


def _bare_seconds(simulation: Simulation, ticks: int) -> float:
    """CPU time [s] of so many ticks without a log."""
    began = time.thread_time()
    simulation.advance(ticks)
    return time.thread_time() - began


def measure(
    twin: Twin | World, *, scenario: str | None = None, progress: Callable[[float], None] | None = None
) -> BenchRow:
    """Measure a twin or a world in a scenario, its first one by default; `progress` is told the part done, 0 to 1."""
    scenario = scenario or next(iter(twin.scenarios), None)
    simulation = _simulation(twin, scenario)
    first = next(iter(simulation.robots.values()))
    step, substeps = first.twin.file.world.step, first.context.timing.substeps
    lean_rates, untimed_rates, twin_rates, loop_rates = [], [], [], []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "bench.mcap"
        for _ in range(2):  # the first loads libraries, which would make the turns too short to measure
            simulation.run(_WARM_UP, record=file, keep=False)
        started = simulation.save()
        lean = LeanEngine(simulation)
        scan_ms = _scan_milliseconds(simulation)
        ticks = max(1, round(_TURN * simulation.real_time_factor / simulation.period))
        count = ticks * substeps
        for turn in range(_TURNS):
            lean_rates.append(count / lean.seconds(count))
            stopwatch.stop()
            untimed_rates.append(count / lean.seconds(count))
            stopwatch.start()
            simulation.restore(started)
            twin_rates.append(count / _recorded_seconds(simulation, ticks, file))
            simulation.restore(started)
            loop_rates.append(count / _bare_seconds(simulation, ticks))
            if progress is not None:
                progress((turn + 1) / _TURNS)
    ratio, untimed_ratio = (
        statistics.median(mine / bare for mine, bare in zip(twin_rates, bare_rates, strict=True))
        for bare_rates in (lean_rates, untimed_rates)
    )
    physics, loop, whole = (1e6 / statistics.median(rates) for rates in (lean_rates, loop_rates, twin_rates))
    return BenchRow(
        twin=twin.name,
        variant=twin.variant,
        scenario=scenario,
        engine_steps_per_s=statistics.median(lean_rates),
        twin_steps_per_s=statistics.median(twin_rates),
        ratio=ratio,
        untimed_ratio=untimed_ratio,
        real_time_factor=statistics.median(twin_rates) * step,
        peak_memory_mb=peak_memory(),
        scan_ms=scan_ms,
        stages={"physics": physics, "parts_sensors_control": loop - physics, "record": whole - loop},
        robots=len(simulation.robots),
        us_per_robot_step=whole / len(simulation.robots),
    )
