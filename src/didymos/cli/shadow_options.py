"""The options of `didymos shadow`, in groups, and which of them cannot go together."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from didymos.cli.completion import complete_scenarios, complete_sources
from didymos.cli.description_options import Reading
from didymos.cli.options import (
    BusNumbers,
    Keep,
    Quiet,
    RecordEvery,
    Scenarios,
    Sets,
    TwinName,
    Values,
    Variant,
    rotated,
)
from didymos.cli.shadow_cockpit import Watched
from didymos.errors import InputError

if TYPE_CHECKING:
    from didymos.record.rotation import RotatedFile

__all__ = ["ShadowOptions"]


@dataclass(frozen=True, kw_only=True)
class Beside:
    """The twin, its numbers, and the robot that it runs beside."""

    twin: TwinName
    robot: Annotated[
        str | None,
        typer.Option(
            metavar="KIND:ADDRESS",
            help="The robot: ros2:DOMAIN, moteus:PATH, mavlink:PORT, socket:ADDRESS, or a recording, log:FILE.",
            autocompletion=complete_sources,
        ),
    ] = None
    variant: Variant = None
    scenario: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Whose world and start hold, and what --drive does; none by default.",
            autocompletion=complete_scenarios,
        ),
    ] = None  # fmt: skip
    scenarios: Scenarios = None
    sets: Sets = None
    values: Values = None
    signal: Annotated[list[str] | None, typer.Option(metavar="PATTERN", help="Listen to these signals only; repeatable.")] = None
    topic: Annotated[
        list[str] | None,
        typer.Option(metavar="STREAM=/TOPIC", help="Of ros2: where the robot speaks, if not where its twin does; repeatable."),
    ] = None
    network: Annotated[bool, typer.Option("--network", help="Hear other machines, not only this one.")] = False
    seconds: Annotated[float | None, typer.Option(metavar="S", help="End after so long; without, at Ctrl-C.")] = None
    pace: Annotated[
        float | None, typer.Option(metavar="X", help="Of log: so many times real time; as fast as it goes by default.")
    ] = None


@dataclass(frozen=True, kw_only=True)
class Noticing:
    """When something is wrong, and who is told."""

    alarms_per_hour: Annotated[
        float, typer.Option(metavar="N", help="False alarms that a healthy robot may cause.")
    ] = 0.1
    calibrate: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE", help="Learn noise and model error from a healthy recording, as log: reads it; repeatable."),
    ] = None
    save_calibration: Annotated[Path | None, typer.Option(metavar="FILE.yaml", help="Keep what --calibrate found.")] = None
    calibration: Annotated[Path | None, typer.Option(metavar="FILE.yaml", help="Use what was found before.")] = None
    on_alarm: Annotated[
        str | None,
        typer.Option(
            metavar="COMMAND",
            help="Run this for each alarm, without a shell; fills in {cause}, {of}, {size}, {time}, {text}, JSON is on stdin.",
        ),
    ] = None
    diagnostics: Annotated[
        bool | None,
        typer.Option("--diagnostics/--no-diagnostics", help="Tell ROS 2 nodes on /diagnostics; on by default beside ros2."),
    ] = None
    domain: Annotated[
        int | None, typer.Option(metavar="N", min=0, help="ROS 2 domain of --diagnostics; that of the robot, or ROS_DOMAIN_ID.")
    ] = None


@dataclass(frozen=True, kw_only=True)
class Learning:
    """What is estimated meanwhile."""

    learn: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATH",
            help="Estimate a parameter (or a cause, 'friction of JOINT') anew over a sliding window, beside it; repeatable.",
        ),
    ] = None
    adapt: Annotated[
        list[str] | None,
        typer.Option(metavar="PATH", help="The same, and let the twin take it over where it is off; repeatable."),
    ] = None
    window: Annotated[float, typer.Option(metavar="S", help="How much of the past is learned from.")] = 10.0
    save: Annotated[Path | None, typer.Option(metavar="FILE.yaml", help="Keep what was learned, for run --with.")] = None

    @property
    def paths(self) -> list[str]:
        """All that is estimated."""
        return [*(self.learn or ()), *(path for path in self.adapt or () if path not in (self.learn or ()))]

    def check(self) -> None:
        """Refuse what cannot be."""
        if self.save is not None:
            if not self.paths:
                raise InputError("goes with --learn or --adapt only", option="save")
            if self.save.suffix.lower() not in (".yaml", ".yml"):
                raise InputError(f"found {str(self.save)!r}, expected a file that ends in .yaml", option="save")


@dataclass(frozen=True, kw_only=True)
class Kept:
    """What is kept."""

    record: Annotated[Path | None, typer.Option(metavar="FILE.mcap", help="Keep a log of both sides.")] = None
    record_every: RecordEvery = None
    keep: Keep = None

    def record_to(self) -> Path | RotatedFile | None:
        """Where the log goes: a file, a row of them, or nowhere."""
        return rotated(self.record, self.record_every, self.keep) or self.record


@dataclass(frozen=True, kw_only=True)
class Moving:
    """The explicit other way: the twin's program drives the robot."""

    drive: Annotated[
        bool, typer.Option("--drive", help="Let the twin's program drive the robot meanwhile; without, nothing is commanded.")
    ] = False
    ids: BusNumbers = None
    zero: Annotated[bool, typer.Option("--zero", help="With --drive: where it stands is where the scenario begins.")] = False


@dataclass(frozen=True, kw_only=True)
class ShadowOptions:
    """All of them, in the order in which the help lists them."""

    beside: Beside
    read: Reading
    noticing: Noticing
    learning: Learning
    kept: Kept
    moving: Moving
    watched: Watched
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object per line: alarms, notices, a summary at the end.")
    ] = False
    quiet: Quiet = False

    def check(self) -> None:
        """Refuse what cannot be."""
        beside, noticing = self.beside, self.noticing
        if beside.robot is None and not noticing.calibrate:
            raise InputError("expected KIND:ADDRESS of the robot, such as ros2:0 or log:FILE", option="robot")
        if beside.seconds is not None and not 0 < beside.seconds < float("inf"):
            raise InputError(f"found {beside.seconds:g}, expected a positive number of seconds", option="seconds")
        if not 0 < noticing.alarms_per_hour < float("inf"):
            what = f"found {noticing.alarms_per_hour:g}, expected how many false alarms an hour may have: above 0"
            raise InputError(what, option="alarms_per_hour")
        self.learning.check()
        if noticing.calibration is not None and noticing.calibrate:
            raise InputError("cannot go with --calibrate: both say what is healthy", option="calibration")
        if noticing.save_calibration is not None and not noticing.calibrate:
            raise InputError("goes with --calibrate only", option="save_calibration")
        if beside.robot is None and noticing.save_calibration is None:
            raise InputError("goes with --robot, or with --save-calibration to keep what is found", option="calibrate")
        self._check_files()
        if self.moving.zero and not self.moving.drive:
            raise InputError("goes with --drive only", option="zero")
        if self.moving.drive and beside.robot is None:
            raise InputError("goes with --robot only", option="drive")

    def _check_files(self) -> None:
        record = self.kept.record
        if record is not None:
            if record.suffix.lower() != ".mcap":
                raise InputError(f"found {str(record)!r}, expected a file that ends in .mcap", option="record")
            if self.beside.robot is None:
                raise InputError("goes with --robot only", option="record")
            record.parent.mkdir(parents=True, exist_ok=True)
        self.kept.record_to()
