"""What robots of one world cost: time, and memory. `python tools/world_cost.py [COUNT...] [--json]`

A world of N quadcopters, 6 m apart at a height of 10 m, in 8 m/s of wind: each has all its sensors, its estimator, its position
hold and turbulence of its own. Every run is recorded to a file.

    real-time factor   seconds of the world's clock per second of the wall, in a process held to one core
    us                 CPU time per robot and physics step: of the thread that steps, and of the whole process, which packs and
                       writes the record as well. The worlds are loaded side by side and stepped in turns, so that a busy machine
                       disturbs all alike; the ratios to one robot are medians over the turns
    memory             the most that a process of its own held, which ran one world and nothing else
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import didymos
from didymos.engine.bench import peak_memory
from didymos.engine.run import Run
from didymos.engine.world_simulation import WorldSimulation

TWIN, SCENARIO, HEIGHT, APART = "quadcopter", "gusts", 10.0, 6.0  # [m]
COUNTS = (1, 10, 30)
SECONDS = 10.0  # [s] of the world's clock in a process of its own
TURNS, TURN = 15, 4.0  # turns, and seconds of each world's clock in each


def write_world(folder: Path, count: int) -> Path:
    """A folder with a world of so many quadcopters."""
    folder.mkdir(parents=True, exist_ok=True)
    side = math.ceil(math.sqrt(count))
    places = {f"q{i + 1}": (APART * (i % side), APART * (i // side)) for i in range(count)}
    lines = [
        f"title: {count} quadcopters hold their places in gusts",
        "world:",
        "  wind: {speed: 8.0, direction: 0.6, reference_height: 10.0, exponent: 0.28}",
        "  gusts: {wind_6m: 15.4}",
        "robots:",
        *(f"  {name}: {{twin: {TWIN}, start: {{position: [{x}, {y}, {HEIGHT}]}}}}" for name, (x, y) in places.items()),
        "scenarios:",
        "  hold:",
        "    seconds: 60",
        "    robots:",
        *(
            f"      {name}: {{scenario: {SCENARIO}, start: {{position: [{x}, {y}, {HEIGHT}]}}}}"
            for name, (x, y) in places.items()
        ),
        "    setpoints:",
        *(f"      {name}.{axis}: {value}" for name, (x, y) in places.items() for axis, value in (("x", x), ("y", y))),
    ]
    (folder / "world.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def begin(folder: Path, count: int) -> WorldSimulation:
    """A world that has flown for a second: everything is compiled and loaded."""
    simulation = didymos.load_world(write_world(folder / f"world{count}", count)).simulate(scenario="hold")
    simulation.run(1.0, record=folder / "warm.mcap", keep=False)
    return simulation


def alone(folder: Path, count: int) -> dict[str, float]:
    """Real-time factor and memory [MB] of this process, which does nothing else; on one core where the system can say so."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    simulation = begin(folder, count)
    began, cpu = time.perf_counter(), time.process_time()
    simulation.run(SECONDS, record=folder / "alone.mcap", keep=False)
    spent, busy = time.perf_counter() - began, time.process_time() - cpu
    size = (folder / "alone.mcap").stat().st_size / SECONDS / 1e6
    return {"real_time_factor": SECONDS / spent, "cpu_real_time_factor": SECONDS / busy, "memory": peak_memory(), "record": size}


def turn(simulation: WorldSimulation, count: int, file: Path) -> tuple[float, float]:
    """CPU time [us] per robot and step of a recorded run: of the thread that steps, and of the process."""
    ticks = round(TURN / simulation.period)
    steps = ticks * simulation.robots["q1"].context.timing.substeps * count
    run = Run(simulation, file, keep=False)
    thread, process = time.thread_time(), time.process_time()
    run.advance(ticks)
    spent = time.thread_time() - thread
    run.close()
    return 1e6 * spent / steps, 1e6 * (time.process_time() - process) / steps


def in_turns(folder: Path, counts: list[int]) -> dict[int, dict[str, float]]:
    """CPU times of all worlds, and their ratios to the first."""
    simulations = {count: begin(folder, count) for count in counts}
    starts = {count: simulation.save() for count, simulation in simulations.items()}
    found: dict[int, list[tuple[float, float]]] = {count: [] for count in counts}
    for _ in range(TURNS):
        for count, simulation in simulations.items():
            simulation.restore(starts[count])
            found[count].append(turn(simulation, count, folder / "turn.mcap"))
    result = {}
    for count, rows in found.items():
        (step, whole), first = zip(*rows, strict=True), found[counts[0]]
        result[count] = {
            "step_us": statistics.median(step),
            "process_us": statistics.median(whole),
            "step_ratio": statistics.median(a[0] / b[0] for a, b in zip(rows, first, strict=True)),
            "process_ratio": statistics.median(a[1] / b[1] for a, b in zip(rows, first, strict=True)),
        }
    return result


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("counts", type=int, nargs="*", default=COUNTS, metavar="COUNT", help="numbers of robots")
    parser.add_argument("--alone", action="store_true", help="one world in this process, as JSON")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if arguments.alone:
            print(json.dumps(alone(folder, arguments.counts[0])))
            return
        rows = {}
        for count in arguments.counts:
            command = [sys.executable, __file__, str(count), "--alone"]
            rows[count] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        for count, found in in_turns(folder, list(arguments.counts)).items():
            rows[count] |= found
    if arguments.json:
        print(json.dumps(rows))
        return
    columns = {
        "real-time factor, one core": ("real_time_factor", ".1f"),
        "by its CPU time": ("cpu_real_time_factor", ".1f"),
        "us, stepping": ("step_us", ".1f"),
        "us, all": ("process_us", ".1f"),
        "stepping, to the first": ("step_ratio", ".2f"),
        "all, to the first": ("process_ratio", ".2f"),
        "memory [MB]": ("memory", ".0f"),
        "record [MB/s]": ("record", ".2f"),
    }
    print(f"| robots | {' | '.join(columns)} |")
    print(f"|---{'|---' * len(columns)}|")
    for count, x in rows.items():
        print(f"| {count} | {' | '.join(format(x[key], style) for key, style in columns.values())} |")


if __name__ == "__main__":
    main()
