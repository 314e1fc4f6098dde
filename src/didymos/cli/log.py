"""`didymos log`: what a log holds, and what is wrong with it."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from didymos.cli.completion import complete_signals
from didymos.cli.logs import LOSSES, of_robot
from didymos.cli.options import AsJson, RobotName
from didymos.cli.text import number, print_json, print_table
from didymos.errors import InputError

if TYPE_CHECKING:
    from didymos import Log
    from didymos.record.survey import StreamSurvey, Survey

__all__ = ["log"]

_FOUND = {"damage", "time_order"}  # are findings
_MOST_ROWS = 40  # signals that are listed without being asked for
_WIDE = 100  # letters of a line where the terminal does not say it


def log(
    files: Annotated[list[Path], typer.Argument(metavar="LOG...", help="Logs of any kind: see docs/log.md.")],
    signal: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATTERN", help="Only these signals, each with its numbers; repeatable.", autocompletion=complete_signals
        ),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Every signal with its numbers.")] = False,
    robot: RobotName = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE.png", help="Draw the main signals, bad stretches shaded; of one LOG.")
    ] = None,
    as_json: AsJson = False,
) -> int:
    """What a log holds, and what is wrong with it: gaps, jumps of its clock, spikes, samples that nobody measured.

    Reads .mcap, .csv, ULog, bags of ROS 1 and ROS 2, Betaflight's blackbox and a Crazyflie's card.
    """
    import didymos
    from didymos.record.formats import format_of
    from didymos.record.health import repeated_files
    from didymos.record.survey import survey

    if plot is not None and len(files) > 1:
        raise InputError(f"draws one log, found {len(files)}", option="plot")
    loaded, facts = {}, []
    for file in files:
        kind = format_of(file).name
        read = didymos.Log.load(file)
        if robot is not None:
            read = of_robot(read, robot)
        chosen = {found.name for pattern in signal for found in read.select(pattern)} & set(read.signals) if signal else None
        looked_at = survey(read, chosen)
        loaded[str(file)] = read
        facts.append(_facts(file, kind, read, looked_at))
        if not as_json:
            _print(file, kind, read, looked_at, bool(signal) or everything)
    same = repeated_files(loaded)
    if plot is not None:
        from didymos.record.log_picture import plot_survey

        plot.parent.mkdir(parents=True, exist_ok=True)
        plot_survey(read, looked_at.masks, plot)
    if as_json:
        print_json({"files": facts, "same": [finding.text for finding in same], "plot": plot})
        return 0
    for finding in same:
        print(finding.text)
    if plot is not None:
        print(f"picture: {plot}")
    return 0


def _facts(file: Path, kind: str, read: Log, looked_at: Survey) -> dict[str, Any]:
    return {
        "file": file,
        "format": kind,
        "first": looked_at.first,
        "last": looked_at.last,
        "seconds": looked_at.last - looked_at.first,
        "metadata": read.metadata,
        "findings": [asdict(finding) for finding in looked_at.findings],
        "streams": [asdict(stream) for stream in looked_at.streams],
        "signals": {name: asdict(found) for name, found in looked_at.signals.items()},
    }


def _print(file: Path, kind: str, read: Log, looked_at: Survey, listed: bool) -> None:
    first, last = looked_at.first, looked_at.last
    named = [stream for stream in looked_at.streams if stream.name]
    what = f"{len(looked_at.streams)} streams, " if named else ""
    print(f"{file}: {kind}, {number(last - first)} s, {what}{len(looked_at.signals)} signals")
    for key, meaning in LOSSES.items():
        if key in read.metadata and key not in _FOUND:
            print(f"  {meaning}: {read.metadata[key]}")
    _print_findings(looked_at)
    if named and not listed and len(read.robots) > 1:
        _print_robots(read, looked_at)
    elif named and not listed:
        _print_streams(looked_at.streams, looked_at)
    if listed or not named or len(looked_at.signals) <= _MOST_ROWS:
        _print_signals(looked_at, listed)
    elif looked_at.signals:
        one = "--robot NAME shows one robot, " if len(read.robots) > 1 else ""
        print(f"  {one}--all lists {len(looked_at.signals)} signals, --signal PATTERN some of them")


def _print_streams(streams: Sequence[StreamSurvey], looked_at: Survey, robot: str = "") -> None:
    """A line for each stream, by the names that a robot's own log has."""
    rows = [
        (
            x.name.removeprefix(f"{robot}.") or "(no name)", str(len(x.signals)), str(x.samples), _rate(x.rate), number(x.first),
            number(x.last), str(x.gaps), str(_bad(x, looked_at)),
        )
        for x in streams
    ]  # fmt: skip
    print_table(rows, ("stream", "signals", "samples", "rate", "from [s]", "to [s]", "gaps", "bad"))


def _bad(stream: StreamSurvey, looked_at: Survey) -> int:
    """Bad samples of the worst signal of a stream."""
    return max((looked_at.signals[name].bad for name in stream.signals), default=0)


def _print_robots(read: Log, looked_at: Survey) -> None:
    """A line for each robot of a world, then the streams of each kind of robot once."""
    from didymos.record.robots import robot_of

    known = set(read.robots)
    streams: dict[str, list[StreamSurvey]] = {robot: [] for robot in (*read.robots, "")}
    for x in looked_at.streams:
        streams[robot_of(x.signals[0] if x.signals else x.name, known)].append(x)
    rows = [
        (
            robot or "(world)", str(len(own)), str(sum(len(x.signals) for x in own)), str(sum(x.samples for x in own)),
            str(sum(x.gaps for x in own)), str(max((_bad(x, looked_at) for x in own), default=0)),
        )
        for robot, own in streams.items()
        if own
    ]  # fmt: skip
    print_table(rows, ("robot", "streams", "signals", "samples", "gaps", "bad"))
    alike: dict[object, list[str]] = {}
    for robot, own in streams.items():
        same = tuple((x.name.removeprefix(f"{robot}."), len(x.signals), _rate(x.rate)) for x in own)
        alike.setdefault(same, []).append(robot)
    for robots in alike.values():
        if streams[robots[0]]:
            others = f" ({_names(robots[1:])} alike)" if len(robots) > 1 else ""
            print(f"  of {robots[0] or 'the world'}{others}:")
            _print_streams(streams[robots[0]], looked_at, robots[0])


def _print_findings(looked_at: Survey) -> None:
    """What is wrong, the largest first, each kind with what it means."""
    from didymos.record.health import KINDS
    from didymos.record.survey import gathered

    found = gathered(looked_at.findings)
    if not found:
        print("  nothing wrong was found")
        return
    for one in found:
        if not any(one.signals):
            print(f"  {one.text}")
    placed = [one for one in found if any(one.signals)]
    rows = [(x.kind, number(x.time), number(round(x.seconds, 6)), str(x.count), _names(x.signals)) for x in placed]
    print_table(rows, ("wrong", "at [s]", "for [s]", "samples", "where"))
    for kind in dict.fromkeys(one.kind for one in placed):
        print(f"  {kind}: {KINDS[kind]}")


def _names(signals: Sequence[str]) -> str:
    """As many names as a line takes, and how many more there are."""
    wide = max(30, shutil.get_terminal_size((_WIDE, 24)).columns - 50)
    names = [name or "time" for name in signals]
    for count in range(len(names), 0, -1):
        text = " ".join(names[:count]) + (f" and {len(names) - count} more" if count < len(names) else "")
        if len(text) <= wide or count == 1:
            return text
    return ""


def _print_signals(looked_at: Survey, listed: bool) -> None:
    """Every signal; where nobody asked for them all, the first of them."""
    rows = [
        (x.name, x.unit or "-", str(x.samples), _rate(x.rate), number(x.low), number(x.high), str(x.gaps), str(x.bad))
        for x in looked_at.signals.values()
    ]
    headers = ("signal", "unit", "samples", "rate", "min", "max", "gaps", "bad")
    shown = rows if listed or len(rows) <= _MOST_ROWS else rows[:_MOST_ROWS]
    print_table(shown, headers)
    if len(shown) < len(rows):
        print(f"  and {len(rows) - len(shown)} more: --all lists them, --signal PATTERN some of them")


def _rate(rate: float | None) -> str:
    return "-" if rate is None else f"{rate:.4g} Hz"
