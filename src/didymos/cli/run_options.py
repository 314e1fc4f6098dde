"""The options of `didymos run`, in groups, and which of them cannot go together."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from didymos.cli.completion import complete_robots
from didymos.cli.description_options import Reading
from didymos.cli.flags import flag
from didymos.cli.log_files import LogFiles
from didymos.cli.options import (
    AsJson,
    BusNumbers,
    Control,
    Layout,
    Portable,
    Quiet,
    Scenario,
    Scenarios,
    Seed,
    Sets,
    TwinName,
    Values,
    Variant,
)
from didymos.errors import InputError

__all__ = ["ByHand", "OnRobot", "RunOptions", "Watched", "WhatRuns"]

LONGEST = 1e6  # [s], as for a scenario


@dataclass(frozen=True, kw_only=True)
class WhatRuns:
    """The twin, its numbers and its program; the scenario, its length and its seed."""

    twin: TwinName
    variant: Variant = None
    scenario: Scenario = None
    scenarios: Scenarios = None
    seconds: Annotated[float | None, typer.Option(metavar="S", help="Length; the scenario's by default.")] = None
    seed: Seed = None
    portable: Portable = False
    sets: Sets = None
    values: Values = None
    control: Control = None
    firmware: Annotated[
        str | None,
        typer.Option(
            metavar="WHAT",
            help="Fly by firmware: betaflight, ardupilot:COMMAND, px4:COMMAND, FILE.py:NAME, FILE.so, peer:COMMAND, listen:WHERE",
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class ByHand:
    """What people do to the run: earlier, to be repeated, or now."""

    interventions: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Repeat what was done by hand: .yaml, or the .mcap itself.")
    ] = None
    gamepad: Annotated[
        str | None,
        typer.Option(metavar="[DEVICE]", help="Fly it by hand, in real time; a device, a pipe, a file of events."),
    ] = None
    pad_map: Annotated[
        Path | None, typer.Option(metavar="FILE.yaml", help="Which axes and buttons of the pad feed which channels.")
    ] = None


@dataclass(frozen=True, kw_only=True)
class OnRobot:
    """A real robot in the place of the simulated one."""

    robot: Annotated[
        str | None,
        typer.Option(
            metavar="KIND:ADDRESS",
            help="Drive a real robot instead of simulating: moteus:PATH.",
            autocompletion=complete_robots,
        ),
    ] = None
    ids: BusNumbers = None
    zero: Annotated[bool, typer.Option("--zero", help="Where the robot stands is where the scenario begins.")] = False


@dataclass(frozen=True, kw_only=True)
class Watched:
    """Viewers of the run while it goes on."""

    view: Annotated[bool, typer.Option("--view", help="Watch it in the browser: didymos cockpit TWIN --play.")] = False
    foxglove: Annotated[
        int | None,
        typer.Option(
            metavar="[PORT]",
            min=0,
            max=65535,
            help="Watch it live in Foxglove, at ws://127.0.0.1:8765 or another port, in real time; 0 takes a free one.",
        ),
    ] = None
    layout: Layout = None
    fast: Annotated[bool, typer.Option("--fast", help="With --foxglove: as fast as it goes, not in real time.")] = False


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """All of them, in the order in which the help lists them."""

    what: WhatRuns
    read: Reading
    by_hand: ByHand
    files: LogFiles
    real_time: Annotated[
        bool, typer.Option("--real-time", help="Not faster than the wall clock; counts overruns.")
    ] = False
    on: OnRobot
    watched: Watched
    as_json: AsJson = False
    quiet: Quiet = False

    @property
    def silent(self) -> bool:
        """Whether nothing is told on the way."""
        return self.quiet or self.as_json

    def check_seconds(self) -> None:
        """Refuse a length that no run has."""
        seconds = self.what.seconds
        if seconds is not None and not 0 < seconds <= LONGEST:
            raise InputError(f"found {seconds:g}, expected a number of seconds from 0 to {LONGEST:g}", option="seconds")

    def check_watched(self) -> None:
        """Refuse a pace that nobody watches."""
        if self.watched.foxglove is None and (self.watched.fast or self.watched.layout is not None):
            raise InputError("goes with --foxglove only", option="fast" if self.watched.fast else "layout")
        if self.watched.fast and self.real_time:
            raise InputError("cannot go with --real-time", option="fast")

    def check_view(self) -> None:
        """Refuse what the browser's page has no use for."""
        why = "the page records, and runs until it is ended"
        what, by_hand = self.what, self.by_hand
        _refuse_with("view", why, seconds=what.seconds, robot=self.on.robot, gamepad=by_hand.gamepad, firmware=what.firmware,
                     foxglove=self.watched.foxglove, **self.files.chosen, interventions=by_hand.interventions)  # fmt: skip

    def check_robot(self, chosen: dict[str, float]) -> None:
        """Refuse what only a simulation can do; `chosen` are numbers by parameter path."""
        files, by_hand = self.files, self.by_hand
        _refuse_with("robot", "it is for a simulation", picture=files.picture, clip=files.clip,
                     interventions=by_hand.interventions, gamepad=by_hand.gamepad, firmware=self.what.firmware,
                     foxglove=self.watched.foxglove)  # fmt: skip
        physical = next((path for path in chosen if not path.startswith("control.")), None)
        _refuse_with("robot", "a real robot has its own numbers", set=physical)


def _refuse_with(option: str, why: str, **others: object) -> None:
    given = [name for name, value in others.items() if value is not None]
    if given:
        raise InputError(f"cannot go with {flag(option)}; {why}", option=given[0])
