"""`didymos serve`: be the robot on the wire."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from threading import Event
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
    Layout,
    Portable,
    RecordEvery,
    Scenarios,
    Sets,
    TwinName,
    Values,
    Variant,
    chosen_values,
    load_model,
    rotated,
)
from didymos.cli.signals import stopped_by_signals
from didymos.cli.text import number, print_json, print_table
from didymos.cli.values import bus_numbers, pairs, udp_ports
from didymos.cli.verdicts import as_facts, print_skipped, print_verdicts, skipped_facts, status
from didymos.errors import InputError, RunError

if TYPE_CHECKING:
    from didymos.describe.twin import Twin as DescribedTwin
    from didymos.engine.simulation import Simulation
    from didymos.engine.verdict import Verdict
    from didymos.ports import Port
    from didymos.ports.serve_options import ServeOptions
    from didymos.record.rotation import RotatedFile
    from didymos.twin import Twin
    from didymos.world import World

__all__ = ["serve"]


@dataclass(frozen=True, kw_only=True)
class Served:
    """What is served, how, and what is kept of it."""

    twin: TwinName
    port: Annotated[
        str,
        typer.Option(
            metavar="KIND",
            help="What to speak: crtp, foxglove, mavlink, moteus, ros2 or a package's own; also MODULE:NAME.",
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
    listen: Annotated[
        int | None, typer.Option(metavar="N", min=0, max=65535, help="TCP port of viewers; 8765 by default, 0 takes a free one.")
    ] = None
    layout: Layout = None
    ids: BusNumbers = None
    links: Annotated[
        list[str] | None,
        typer.Option("--link", metavar="PATH", help="Name that leads to the terminal while it is there; in a world ROBOT=PATH."),
    ] = None
    tap: Annotated[
        Path | None,
        typer.Option(metavar="PATH", help="Of a moteus bus: name of a second terminal that hears all of it, for a shadow."),
    ] = None
    udp: Annotated[
        list[str] | None,
        typer.Option("--udp", metavar="PORT", help="Own UDP port, 0: any that is free; of Crazyflies in a world ROBOT=PORT."),
    ] = None
    send_to: Annotated[
        list[int] | None,
        typer.Option(
            "--send-to", metavar="PORT", min=0, max=65535,
            help="UDP port that a MAVLink vehicle sends to unasked; 14550 and 14540 by default, 0: to none.",
        ),
    ] = None  # fmt: skip
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
    is on the other side. The robots of a world are served side by side, each under its name.
    """
    from didymos.ports import find_port

    port, speak = find_port(options.port)
    options.check()
    simulation = _simulation(options, port)
    try:
        stop = Event()
        with stopped_by_signals(stop.set):
            facts = speak(simulation, _serve_options(options, "" not in simulation.robots, stop))
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


def _simulation(options: Served, port: Port) -> Simulation:
    """The twin or the world, driven by its own programs, by those that were named, or by the one that the port needs."""
    from didymos.control import PROGRAMS
    from didymos.engine.every_input import record_every_input
    from didymos.world import World, find_world

    if options.control is not None and port.control is not None and find_world(options.twin) is None:
        raise InputError(f"cannot go with --port {options.port}: whoever is on the wire drives", option="control")
    chosen = chosen_values(options.values, options.sets)
    model = load_model(
        options.twin, options.variant, chosen, options.control, read=options.read, scenarios=options.scenarios,
        quiet=options.as_json,
    )  # fmt: skip
    if port.flies_by is not None and options.control is None:
        _fly_by(model, port.flies_by)
    if port.tells_inputs:
        record_every_input(model)
    program = None if port.control is None else PROGRAMS[port.control]
    if not isinstance(model, World):
        return model.simulate(seed=options.seed, scenario=options.scenario, control=None if program is None else program())
    spoken = _spoken_for(model, port, options)
    programs = {} if program is None else {name: program() for name in spoken}
    return model.simulate(seed=options.seed, scenario=options.scenario, control=programs)


def _fly_by(model: Twin | World, program: str) -> None:
    """Put a program in the place of those of robots that have gains for it and fly by another."""
    from didymos.describe.kindred_program import take_kindred_program
    from didymos.world import World

    if not isinstance(model, World):
        take_kindred_program(model, program)
        return

    def change(twin: DescribedTwin) -> None:
        take_kindred_program(twin, program)

    for name in model.robots:
        model.change(name, change)


def _spoken_for(world: World, port: Port, options: Served) -> list[str]:
    """The robots of a world that whoever is on the wire drives."""
    if not port.worlds:
        raise InputError(f"{options.port} speaks for one robot; {world.name} is a world of robots", option="port")
    kinds = {name: [part.kind for part in robot.twin.file.parts.values()] for name, robot in world.robots.items()}
    spoken = [name for name, own in kinds.items() if port.part is None or port.part in own]
    named = [item.partition("=")[0] for item in (options.control or "").split(",")]
    for name in spoken if port.control is not None else ():
        if name in named:
            what = f"cannot go with --port {options.port} for {name}: whoever is on the wire drives it"
            raise InputError(what, option="control")
    return spoken


def _serve_options(options: Served, world: bool, stop: Event) -> ServeOptions:
    from didymos.ports.serve_options import ServeOptions

    links = options.links or []
    if not world and len(links) > 1:
        raise InputError("found several, expected one: a twin alone has one terminal", option="links")
    return ServeOptions(
        options.seconds,
        options.step_locked,
        options.record_to(),
        options.network,
        options.domain,
        bus_numbers(options.ids or ()),
        None if world or not links else Path(links[0]),
        _say,
        stop,
        {robot: Path(path) for robot, path in pairs(links, "--link").items()} if world else {},
        udp=udp_ports(options.udp or (), world),
        listen=options.listen,
        layout=options.layout,
        targets=None if options.send_to is None else tuple(port for port in options.send_to if port),
        details=options.as_json,
        tap=options.tap,
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
