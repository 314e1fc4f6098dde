"""`didymos serve`: be the robot on the wire."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Any

import typer

from didymos.cli.command import command
from didymos.cli.completion import complete_kinds, complete_scenarios
from didymos.cli.description_options import Reading
from didymos.cli.options import (
    AsJson,
    BusNumbers,
    Control,
    Keep,
    Portable,
    RecordEvery,
    Scenarios,
    Sets,
    TwinName,
    Values,
    Variant,
    chosen_values,
    load_twin,
    rotated,
)
from didymos.cli.signals import endings
from didymos.cli.text import number, print_json, print_table
from didymos.cli.values import bus_numbers
from didymos.cli.verdicts import as_facts, print_skipped, print_verdicts, skipped_facts, status
from didymos.errors import InputError, RunError

if TYPE_CHECKING:
    from didymos.engine.simulation import Simulation
    from didymos.engine.verdict import Verdict
    from didymos.ports.serve_options import ServeOptions
    from didymos.record.rotation import RotatedFile

__all__ = ["serve"]


@dataclass(frozen=True, kw_only=True)
class Served:
    """What is served, how, and what is kept of it."""

    twin: TwinName
    port: Annotated[
        str,
        typer.Option(
            metavar="KIND",
            help="What to speak: moteus, ros2 or a package's own; also MODULE:NAME.",
            autocompletion=complete_kinds("port"),
        ),
    ]
    scenario: Annotated[
        str | None, typer.Option(metavar="NAME", help="Start and stimuli; none by default.", autocompletion=complete_scenarios)
    ] = None
    scenarios: Scenarios = None
    seconds: Annotated[float | None, typer.Option(metavar="S", help="End after so long; without, at Ctrl-C.")] = None
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Of all noise.")] = 0
    portable: Portable = False
    variant: Variant = None
    sets: Sets = None
    values: Values = None
    control: Control = None
    read: Reading
    step_locked: Annotated[
        bool, typer.Option("--step-locked/--real-time", help="Time passes on command, or with the wall clock.")
    ] = False
    record: Annotated[Path | None, typer.Option(metavar="FILE.mcap", help="Keep the log.")] = None
    record_every: RecordEvery = None
    keep: Keep = None
    domain: Annotated[int | None, typer.Option(metavar="N", help="ROS 2 domain; ROS_DOMAIN_ID by default.")] = None
    network: Annotated[
        bool, typer.Option("--network", help="Reachable from other machines, not only from this one.")
    ] = False
    ids: BusNumbers = None
    link: Annotated[Path | None, typer.Option(metavar="PATH", help="Name that leads to the terminal while it is there.")] = None
    as_json: AsJson = False

    def check(self) -> None:
        """Refuse a length or a file that cannot be."""
        if self.seconds is not None and not 0 < self.seconds < float("inf"):
            raise InputError(f"found {self.seconds:g}, expected a positive number of seconds", option="seconds")
        if self.record is not None:
            if self.record.suffix.lower() != ".mcap":
                raise InputError(f"found {str(self.record)!r}, expected a file that ends in .mcap", option="record")
            self.record.parent.mkdir(parents=True, exist_ok=True)
        self.record_to()

    def record_to(self) -> Path | RotatedFile | None:
        """Where the log goes: a file, a row of them, or nowhere."""
        return rotated(self.record, self.record_every, self.keep) or self.record


@command
def serve(options: Served) -> int:
    """Be the robot on the wire, until Ctrl-C.

    Exit status 1 if the time of its scenario is over and expectations were missed. `--control idle` leaves the driving to whoever
    is on the other side.
    """
    from didymos.ports import find_port

    port, speak = find_port(options.port)
    options.check()
    simulation = _simulation(options, port.control)
    try:
        with _stop_at_signals() as stop:
            facts = speak(simulation, _serve_options(options, stop))
    except RunError:
        if options.record is not None:
            _say(f"what happened until then is in {options.record_to()}")
        raise
    verdicts: tuple[Verdict, ...] = facts.pop("verdicts", ())
    result = {"twin": simulation.twin.name, "port": options.port, "seconds": simulation.time, "overruns": simulation.overruns}
    if options.as_json:
        facts |= {"expectations": as_facts(verdicts), "skipped": skipped_facts(simulation.skipped)}
    _print({**result, **facts}, options)
    if not options.as_json:
        print_verdicts(verdicts)
        print_skipped(simulation.skipped)
    return status(verdicts)


def _simulation(options: Served, program: str | None) -> Simulation:
    """The twin, driven by its own program, by the one that was named, or by the one that the port needs."""
    from didymos.control import PROGRAMS

    if program is not None and options.control is not None:
        raise InputError(f"cannot go with --port {options.port}: whoever is on the wire drives", option="control")
    chosen = chosen_values(options.values, options.sets)
    twin = load_twin(
        options.twin, options.variant, chosen, options.control, read=options.read, scenarios=options.scenarios,
        quiet=options.as_json,
    )  # fmt: skip
    control = None if program is None else PROGRAMS[program]()
    return twin.simulate(seed=options.seed, scenario=options.scenario, control=control)


def _serve_options(options: Served, stop: Event) -> ServeOptions:
    from didymos.ports.serve_options import ServeOptions

    return ServeOptions(
        options.seconds,
        options.step_locked,
        options.record_to(),
        options.network,
        options.domain,
        bus_numbers(options.ids or ()),
        options.link,
        _say,
        stop,
    )


def _print(result: dict[str, Any], options: Served) -> None:
    if options.as_json:
        rows = rotated(options.record, options.record_every, options.keep)
        print_json({**result, "record": options.record, **({} if rows is None else {"records": rows.files})})
        return
    table = [(name, number(value) if isinstance(value, float) else str(value)) for name, value in result.items()]
    print_table([*table, ("record", str(options.record_to()))] if options.record is not None else table)


def _say(line: str) -> None:
    print(f"didymos: {line}", file=sys.stderr, flush=True)


@contextmanager
def _stop_at_signals() -> Iterator[Event]:
    """Set at the first Ctrl-C, TERM or closed terminal, so that no tick is cut in two; a second one interrupts as usual."""
    stop = Event()

    def handle(which: int, _frame: FrameType | None) -> None:
        stop.set()
        signal.signal(which, signal.default_int_handler)

    before = {which: signal.signal(which, handle) for which in (signal.SIGINT, *endings())}
    try:
        yield stop
    finally:
        for which, handler in before.items():
            signal.signal(which, handler)
