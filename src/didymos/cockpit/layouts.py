"""Layouts of plots under names: `layouts.json` in the folder of what Didymos remembers about its user, by twin.

A page offers those of other twins where all their signals are there.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from didymos.describe.trust import config_folder

__all__ = ["Layouts"]

MOST_LAYOUTS, MOST_PLOTS, MOST_SIGNALS = 40, 12, 16
LONGEST_NAME, LONGEST_SIGNAL = 60, 200  # characters
KINDS = ("plot", "table")


class Layouts:
    """All layouts that a user keeps. `version` is another number after each change."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file or config_folder() / "layouts.json"
        self.version = 0

    def offered(self, twin: str) -> list[dict[str, Any]]:
        """Name, twin and content of each, those of a twin first."""
        kept = self._read()
        return [
            {"name": name, "twin": owner, "own": owner == twin, "layout": layout}
            for owner in sorted(kept, key=lambda one: (one != twin, one))
            for name, layout in kept[owner].items()
        ]

    def save(self, twin: str, name: str, layout: Any) -> None:
        """Keep a layout of a twin, in the place of one of the same name; ValueError where it is none."""
        if not isinstance(name, str) or not 0 < len(name.strip()) <= LONGEST_NAME:
            raise ValueError("expected a name")
        kept = self._read()
        own = {key: value for key, value in kept.get(twin, {}).items() if key != name.strip()}
        kept[twin] = dict(list(own.items())[-MOST_LAYOUTS + 1 :]) | {name.strip(): checked(layout)}
        self._write(kept)

    def forget(self, twin: str, name: str) -> None:
        """Let go of a layout."""
        kept = self._read()
        if kept.get(twin, {}).pop(name, None) is not None:
            self._write(kept)

    def _read(self) -> dict[str, dict[str, Any]]:
        try:
            kept = json.loads(self._file.read_text(encoding="utf-8"))
            return {twin: {name: checked(layout) for name, layout in own.items()} for twin, own in kept.items()}
        except (OSError, ValueError, AttributeError, RecursionError):
            return {}

    def _write(self, kept: dict[str, dict[str, Any]]) -> None:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        fresh = self._file.with_name(f"{self._file.name}.{os.getpid()}")
        fresh.write_text(json.dumps(kept, indent=1, ensure_ascii=False), encoding="utf-8")
        fresh.replace(self._file)
        self.version += 1


def checked(layout: Any) -> dict[str, Any]:
    """A layout with all that belongs to one and nothing else; ValueError where it is none."""
    if not isinstance(layout, dict) or not isinstance(layout.get("plots"), list) or len(layout["plots"]) > MOST_PLOTS:
        raise ValueError("expected a layout")
    window = layout.get("window", 10)
    if isinstance(window, bool) or not isinstance(window, int | float) or not 0.0 < window < 1e6:
        raise ValueError("expected seconds")
    return {"plots": [_plot(plot) for plot in layout["plots"]], "window": window, "statistics": layout.get("statistics") is True}


def _plot(plot: Any) -> dict[str, Any]:
    signals = plot.get("signals", []) if isinstance(plot, dict) else None
    if not isinstance(signals, list) or len(signals) > MOST_SIGNALS or not all(map(_is_signal, signals)):
        raise ValueError("expected signals")
    found: dict[str, Any] = {"signals": signals}
    if plot.get("x") is not None:
        if not _is_signal(plot["x"]):
            raise ValueError("expected a signal")
        found["x"] = plot["x"]
    if plot.get("kind") in KINDS:
        found["kind"] = plot["kind"]
    return found


def _is_signal(name: Any) -> bool:
    return isinstance(name, str) and 0 < len(name) <= LONGEST_SIGNAL
