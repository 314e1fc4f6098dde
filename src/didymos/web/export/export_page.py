"""Export logs as a page: the robots in 3-D, a timeline, plots and verdicts in one file, a second log as a ghost beside.

    logs -> twin -> run -> scene, joint tracks, signals, words -> page

What a page holds is bounded (`LARGEST`): a longer log is thinned, and the page says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from didymos.describe.twin import Twin
from didymos.describe.world import World
from didymos.engine.playback import Playback
from didymos.engine.simulation import Simulation
from didymos.errors import InputError
from didymos.record.log import Log
from didymos.record.setpoint_pairs import pairs
from didymos.web.export.blocks import Blocks
from didymos.web.export.first_plots import first_plots
from didymos.web.export.html_page import html_page
from didymos.web.export.joint_tracks import joint_tracks
from didymos.web.export.scene_data import scene_data
from didymos.web.export.signal_data import signal_data
from didymos.web.export.told import events, facts, verdicts
from didymos.web.export.twin_of_log import run_of, twin_of
from didymos.web.words_of_log import words_of_log

__all__ = ["ExportedPage", "export_page", "write_page"]

LARGEST = 14_500_000  # [B] of a page
LEAST = 1_000_000  # [B] for signals, however many the poses are
SCRIPTS = 900_000  # [B] of style, scripts and words, about
MOST_LOGS = 2


@dataclass(frozen=True)
class ExportedPage:
    """What was written: the file, its size [B], the time that it shows [s], and what it does not hold, in words."""

    file: Path
    size: int
    seconds: float
    notes: tuple[str, ...]


def export_page(logs: Sequence[str | Path | Log], path: str | Path, *, twin: Twin | World | None = None) -> ExportedPage:
    """Write one or two logs, of a twin, a world or a real robot, as a page that needs no server and no network.

    `twin` says whose logs they are; by default the first log itself does. The second log is shown as a ghost of the first. A
    log without a single pose or joint position of the twin is an `InputError`, and no file is written then.
    """
    named = [("", item) if isinstance(item, Log) else (Path(item).name, Log.load(item)) for item in logs]
    return write_page(named, path, twin if twin is not None or not named else twin_of(named[0][1]))


def write_page(logs: Sequence[tuple[str, Log]], path: str | Path, twin: Twin | World | None) -> ExportedPage:
    """The same of logs with their names, whose twin is known."""
    if not 1 <= len(logs) <= MOST_LOGS or twin is None:
        raise InputError(f"found {len(logs)} logs, expected one, or two of which the second is a ghost")
    blocks = Blocks()
    read = [words_of_log(twin, log, name) for name, log in logs]
    logs, unread = [(name, log) for (name, _), (log, _) in zip(logs, read, strict=True)], [notes for _, notes in read]
    runs = [run_of(twin, log) for _, log in logs]
    shown = runs[0][0]
    playbacks = [Playback(shown, log) for _, log in logs]
    tracks = [joint_tracks(shown.model, playback, blocks) for playback in playbacks]
    scene = scene_data(shown, blocks)
    room = max(LARGEST - SCRIPTS - len(blocks.text), LEAST) // len(logs)
    told: list[dict[str, Any]] = []
    for (name, log), (run, notes), hindered, playback, track in zip(logs, runs, unread, playbacks, tracks, strict=True):
        span = {"name": name, "begin": playback.begin, "end": playback.end, "tracks": track}
        told.append(span | _log_data(run, log, blocks, room, [*notes, *hindered]))
        run.close()
    scenarios = dict.fromkeys(log.metadata.get("scenario", "") for _, log in logs)
    title = " · ".join([twin.title or twin.name, *filter(None, scenarios)])
    about = {"title": title, "twin": twin.name, "scene": scene, "logs": told}
    content = html_page(title, about, blocks.text).encode("utf-8")
    file = Path(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
    return ExportedPage(file, len(content), max(item["end"] for item in told), tuple(x for item in told for x in item["notes"]))


def _log_data(run: Simulation, log: Log, blocks: Blocks, room: int, notes: list[str]) -> dict[str, Any]:
    """What a page holds of a log but the poses: its signals in at most `room` bytes, and the words of its run."""
    streams, left_out = signal_data(log, blocks, room)
    judged, hindered = verdicts(run, log)
    available = tuple(column["name"] for stream in streams for column in stream["columns"])
    beside = [pair for robot in log.robots or ("",) for pair in pairs(available, robot)]
    return {
        "facts": facts(log),
        "streams": streams,
        "events": events(run, log),
        "verdicts": judged,
        "pairs": [[about, setpoint] for setpoint, about in beside],
        "first": first_plots(run, log, available, beside),
        "notes": [*notes, *hindered, *left_out],
    }
