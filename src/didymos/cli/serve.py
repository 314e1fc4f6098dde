"""`didymos serve`: be the robot on the wire."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from types import FrameType
from typing import Annotated

import typer

from didymos.cli.completion import complete_kinds, complete_scenarios
from didymos.cli.options import AsJson, BusNumbers, Sets, TwinName, Values, Variant, chosen_values, load_twin
from didymos.cli.text import number, print_json, print_table
from didymos.cli.values import bus_numbers
from didymos.errors import InputError, RunError

__all__ = ["serve"]


def serve(
    twin: TwinName,
    port: Annotated[
        str,
        typer.Option(
            metavar="KIND",
            help="What to speak: moteus, ros2 or a package's own; also MODULE:NAME.",
            autocompletion=complete_kinds("port"),
        ),
    ],
    scenario: Annotated[
        str | None, typer.Option(metavar="NAME", help="Start and stimuli; none by default.", autocompletion=complete_scenarios)
    ] = None,
    seconds: Annotated[float | None, typer.Option(metavar="S", help="End after so long; without, at Ctrl-C.")] = None,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Of all noise.")] = 0,
    variant: Variant = None,
    sets: Sets = None,
    values: Values = None,
    step_locked: Annotated[
        bool, typer.Option("--step-locked/--real-time", help="Time passes on command, or with the wall clock.")
    ] = False,
    record: Annotated[Path | None, typer.Option(metavar="FILE.mcap", help="Keep the log.")] = None,
    domain: Annotated[int | None, typer.Option(metavar="N", help="ROS 2 domain; ROS_DOMAIN_ID by default.")] = None,
    network: Annotated[
        bool, typer.Option("--network", help="Reachable from other machines, not only from this one.")
    ] = False,
    ids: BusNumbers = None,
    link: Annotated[Path | None, typer.Option(metavar="PATH", help="Name that leads to the terminal while it is there.")] = None,
    as_json: AsJson = False,
) -> int:
    """Be the robot on the wire, until Ctrl-C."""
    from didymos.control import PROGRAMS
    from didymos.ports import find_port
    from didymos.ports.serve_options import ServeOptions

    about, speak = find_port(port)
    if seconds is not None and not 0 < seconds < float("inf"):
        raise InputError(f"found {seconds:g}, expected a positive number of seconds", path="--seconds")
    if record is not None:
        if record.suffix.lower() != ".mcap":
            raise InputError(f"found {str(record)!r}, expected a file that ends in .mcap", path="--record")
        record.parent.mkdir(parents=True, exist_ok=True)
    loaded = load_twin(twin, variant, chosen_values(values, sets), quiet=as_json)
    control = None if about.control is None else PROGRAMS[about.control]()
    simulation = loaded.simulate(seed=seed, scenario=scenario, control=control)
    numbers = bus_numbers(ids or ())
    try:
        with _stop_at_signals() as stop:
            facts = speak(simulation, ServeOptions(seconds, step_locked, record, network, domain, numbers, link, _say, stop))
    except RunError:
        if record is not None:
            _say(f"what happened until then is in {record}")
        raise
    result = {"twin": loaded.name, "port": port, "seconds": simulation.time, "overruns": simulation.overruns, **facts}
    if as_json:
        print_json({**result, "record": record})
    else:
        rows = [(name, number(value) if isinstance(value, float) else str(value)) for name, value in result.items()]
        print_table([*rows, ("record", str(record))] if record is not None else rows)
    return 0


def _say(line: str) -> None:
    print(f"didymos: {line}", file=sys.stderr, flush=True)


@contextmanager
def _stop_at_signals() -> Iterator[Event]:
    """Set at the first Ctrl-C or TERM, so that a tick is never cut in two; a second one interrupts as usual."""
    stop = Event()

    def handle(which: int, _frame: FrameType | None) -> None:
        stop.set()
        signal.signal(which, signal.default_int_handler)

    before = {which: signal.signal(which, handle) for which in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for which, handler in before.items():
            signal.signal(which, handler)
