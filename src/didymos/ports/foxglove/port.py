"""The port foxglove: a run that viewers watch, tune and command over a websocket, in real time.

Two threads of ours: the run, which never waits for the wire, and one that sends; the library has its own for the sockets. What
viewers ask for counts between two slices of ticks and is kept in the recording as an intervention, so that the run can be
repeated; that of a run which nobody touched is the same to the byte as without viewers.
"""

from __future__ import annotations

import time as wall
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from didymos.engine.judge import Judge
from didymos.engine.run import Run
from didymos.errors import InputError, RunError
from didymos.ports.foxglove.live import LiveRun
from didymos.ports.serve_options import ServeOptions

try:
    from didymos.ports.foxglove.commands import Commands
    from didymos.ports.foxglove.layout import save_layout
    from didymos.ports.foxglove.server import PORT, Server
except ImportError as error:
    if (error.name or "").partition(".")[0] != "foxglove":
        raise
    raise InputError("Foxglove needs foxglove-sdk; this installs it: pip install 'didymos[foxglove]'") from None

if TYPE_CHECKING:
    from didymos.control.pilot import Looks
    from didymos.engine.intervention import Intervention
    from didymos.engine.simulation import Simulation
    from didymos.record.log import Log
    from didymos.record.recorder import RecordTo

__all__ = ["PORT", "run_watched", "serve"]


def serve(simulation: Simulation, options: ServeOptions) -> dict[str, Any]:
    """Serve until the time is over or `options.stop` is set; the facts about it."""
    judges: list[Judge] = []

    def begin(what: Simulation) -> Run:
        run = Run(what, options.record, keep=False)
        judges[:] = [Judge(what, run.log)]  # of the run that is on: one that began anew is judged anew
        return run

    live = LiveRun(simulation, begin, options, goes_back=options.record is None)
    facts = _serve(live, options)
    return {**facts, "verdicts": judges[0].verdicts()}


def run_watched(
    simulation: Simulation,
    seconds: float,
    listen: int = PORT,
    *,
    fast: bool = False,
    record: RecordTo | None = None,
    progress: Callable[[float], None] | None = None,
    keep: bool = True,
    interventions: Sequence[Intervention] = (),
    pilot: Looks | None = None,
    layout: Path | None = None,
    say: Callable[[str], None] = print,
) -> Log:
    """What `Simulation.run` does, before the eyes of viewers, in real time unless `fast`.

    They may command it, pause it, let it step; not take it back, since there is one log of it.

    A run that fails raises a `RunError` whose `log` is what was recorded until then.
    """

    def begin(what: Simulation) -> Run:
        return Run(what, record, keep=keep, interventions=interventions, pilot=pilot)

    options = ServeOptions(seconds=seconds, listen=listen, layout=layout, say=say)
    live = LiveRun(simulation, begin, options, fast=fast, goes_back=False)
    first, began = simulation.tick, wall.perf_counter()
    try:
        _serve(live, options, progress)
    except (RunError, KeyboardInterrupt) as error:
        error.log = live.run.log  # type: ignore[union-attr]
        raise
    finally:
        passed = (simulation.tick - first) * simulation.period
        simulation.real_time_factor = passed / max(wall.perf_counter() - began, 1e-9)
    return live.run.log


def _serve(live: LiveRun, options: ServeOptions, progress: Callable[[float], None] | None = None) -> dict[str, Any]:
    """Let a run pass with viewers; the facts about them."""
    simulation = live.simulation
    try:
        if options.layout is not None:
            save_layout(simulation, Commands(live).topics, options.layout)
        server = Server(live, PORT if options.listen is None else options.listen, network=options.network, say=options.say)
    except BaseException:
        live.close()
        raise

    def tend() -> None:
        if not server.sender.alive:
            raise RunError("the connection to viewers broke down", time=simulation.time)
        server.tend()
        if progress is not None:
            progress(simulation.time)

    pace = "step by step" if options.step_locked else "in real time" if not live.fast else "as fast as it goes"
    options.say(f"{simulation.twin.name} runs {pace} at {server.url}, for Foxglove and Lichtblick")
    try:
        live.pass_time(tend)
    finally:
        try:
            live.close()
        finally:
            server.close()
    return {
        "url": server.url,
        "sent": server.sender.sent,
        "lost": server.sender.lost,
        "received": server.received,
        "refused": server.refused,
    }
