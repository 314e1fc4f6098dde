"""How a run went, for people and for programs."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from didymos.cli.text import number, print_table, vector
from didymos.cli.verdicts import as_facts, print_skipped, print_verdicts, skipped_facts
from didymos.portable import mode

if TYPE_CHECKING:
    from didymos import Log
    from didymos.engine.simulation import Simulation
    from didymos.engine.verdict import Verdict

__all__ = ["print_result", "print_warnings", "result_facts"]


def print_warnings(simulation: Simulation) -> None:
    """Say on stderr which joints hold parts back by their limits, gains too stiff, options not used, the engine's complaints."""
    from didymos.describe.limit_notes import limit_notes
    from didymos.engine.engine_warnings import warnings_of

    limits = [note for robot in simulation.robots.values() for note in limit_notes(robot.twin)]
    for note in (*limits, *simulation.gain_notes, *simulation.options_left_out):
        print(f"didymos: {note}", file=sys.stderr)
    for warning in warnings_of(simulation.data):
        print(f"didymos: the engine warns: {warning}", file=sys.stderr)


def result_facts(simulation: Simulation, log: Log, verdicts: tuple[Verdict, ...], real_time: bool) -> dict[str, Any]:
    """As `--json` prints them."""
    return {
        "real_time_factor": simulation.real_time_factor,
        "log_sha256": log.sha256,
        "log_sha256_mode": mode(),
        "expectations": as_facts(verdicts),
        "skipped": skipped_facts(simulation.skipped),
        "events": [{"time": time, "what": what, "is": word} for time, what, word in _events(simulation, log)],
        "position": _position(simulation),
        **({"positions": _positions(simulation)} if len(simulation.robots) > 1 else {}),
        "overruns": simulation.overruns if real_time else None,
    }


def print_result(
    simulation: Simulation, log: Log, verdicts: tuple[Verdict, ...], real_time: bool, files: Mapping[str, object]
) -> None:
    """As tables."""
    rows = [("simulated", number(simulation.time, "s")), ("real-time factor", f"{simulation.real_time_factor:.3g}")]
    position = _position(simulation)
    if len(simulation.robots) > 1:
        rows += [(f"final position of {name}", vector(place) + " m") for name, place in _positions(simulation).items()]
    elif position is not None:
        rows.append(("final position", vector(position) + " m"))
    if real_time:
        rows.append(("overruns", str(simulation.overruns)))
    rows += [(name, str(file)) for name, file in files.items() if file is not None]
    print_table(rows)
    print_table([(number(time, "s"), what, word) for time, what, word in _events(simulation, log)])
    print_verdicts(verdicts)
    print_skipped(simulation.skipped)


def _events(simulation: Simulation, log: Log) -> list[tuple[float, str, str]]:
    """None where the log went to the disk alone."""
    return simulation.events(log) if log.keeps_rows else []


def _positions(simulation: Simulation) -> dict[str, list[float]]:
    """Where the root link of each robot of a world is [m], shape [3]."""
    model = simulation.model
    return {name: simulation.data.xpos[robot.links.root_body(model)].tolist() for name, robot in simulation.robots.items()}


def _position(simulation: Simulation) -> list[float] | None:
    """Where the first free body is [m], shape [3]; none where every body is tied to the world."""
    free = simulation.model.jnt_type == 0  # mjJNT_FREE
    return [float(x) for x in simulation.data.xpos[simulation.model.jnt_bodyid[free][0]]] if free.any() else None
