"""What an exported page tells of a log in words: whose it is, what was set, what happened when, and the verdicts."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

from didymos.engine.intervention import INTERVENTIONS, Intervention
from didymos.engine.simulation import Simulation
from didymos.engine.verdict import Verdict
from didymos.errors import DidymosError
from didymos.record.log import Log
from didymos.web.export.twin_of_log import set_before
from didymos.web.hand_marks import HandMarks

__all__ = ["events", "facts", "verdicts"]

_LONGEST = 200  # characters of a text of a log
_MOST = 2000  # events on a page


def facts(log: Log) -> list[list[str]]:
    """Pairs of a word and a text: twin, variant, scenario, seed, values set."""
    words = {"twin": "twin", "variant": "variant", "scenario": "scenario", "seed": "seed", "version": "didymos"}
    found = [[word, log.metadata[key][:_LONGEST]] for key, word in words.items() if log.metadata.get(key)]
    return found + [["set", f"{path} = {value:g}"] for path, value in set_before(log).items()]


def end_of(log: Log) -> float:
    """When the last row of a log is [s]."""
    return max((float(times[-1]) for i in range(len(log.layouts)) if len(times := log.rows(i)[0])), default=0.0)


def verdicts(simulation: Simulation, log: Log) -> tuple[list[dict[str, Any]], list[str]]:
    """What the scenario expects and what was found, as plain data; and what hinders the judgement, in words."""
    if simulation.scenario is None:
        return [], []
    notes = []
    end = end_of(log)
    if end < simulation.seconds - max(2.0 * simulation.period, 0.05):
        notes.append(f"the log ends at {end:.4g} s, before its scenario does ({simulation.seconds:g} s)")
    try:
        found = simulation.judge(log)
    except DidymosError as error:
        return [], [*notes, f"the run cannot be judged: {error}"]
    return [_verdict(item) for item in found], notes


def _verdict(item: Verdict) -> dict[str, Any]:
    def number(value: float | None) -> float | None:
        return value if value is not None and math.isfinite(value) else None

    unit = "" if item.unit == "1" else item.unit
    about = {"value": number(item.value), "low": number(item.low), "high": number(item.high)}
    return {"name": item.name, "ok": item.ok, "unit": unit, **about}


def events(simulation: Simulation, log: Log) -> list[dict[str, Any]]:
    """When [s] what happened: what the program reported in words, what a person did, alarms of a shadow."""
    found = _of_program(simulation, log)
    marks = HandMarks()
    found += _texts(log, f"{INTERVENTIONS}.", lambda item: _intervention(item, simulation.period, marks))
    found += _texts(log, "alarms.", _alarm)
    if simulation.scenario is not None and simulation.seconds <= end_of(log):
        found.append({"t": simulation.seconds, "kind": "end", "text": f"end of {simulation.scenario}"})
    found.sort(key=lambda event: float(event["t"]))
    return found[:_MOST]


def _of_program(simulation: Simulation, log: Log) -> list[dict[str, Any]]:
    try:
        reported = simulation.events(log)
    except (DidymosError, ValueError, IndexError):  # another program wrote this log
        return []
    return [{"t": time, "kind": "event", "text": f"{name}: {label}"} for time, name, label in reported]


def _texts(log: Log, prefix: str, read: Callable[[Any], dict[str, Any] | None]) -> list[dict[str, Any]]:
    """Events out of texts of the log that begin so; what somebody else wrote there is left out."""
    found = []
    for key, text in log.metadata.items():
        if key.startswith(prefix):
            try:
                event = read(json.loads(text))
            except (DidymosError, ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
                continue
            if event is not None and math.isfinite(event["t"]):
                found.append(event)
    return found


def _intervention(fields: Any, period: float, marks: HandMarks) -> dict[str, Any] | None:
    item = Intervention.read(fields)
    text = marks.text(item, item.tick * period)
    return None if text is None else {"t": item.tick * period, "kind": "hand", "text": text[:_LONGEST]}


def _alarm(item: Any) -> dict[str, Any]:
    cause = item["causes"][0] if item.get("causes") else {}
    about = f"{cause.get('cause', 'no declared cause')} {cause.get('of', '')}".strip()
    return {"t": float(item["time"]), "kind": "alarm", "text": f"alarm: {about}"[:_LONGEST]}
