"""Runs in which no camera takes pictures: of a measurement of speed, of an environment that policies learn in."""

from __future__ import annotations

from didymos.describe.names import cameras
from didymos.describe.twin import Twin

__all__ = ["without_cameras"]


def without_cameras(twin: Twin, scenario: str | None) -> Twin:
    """The twin with its cameras off, also where the scenario would switch them on."""
    dark = twin.copy()
    switches = {f"sensors.{name}.enabled": 0.0 for name in cameras(twin)}
    dark.set_all(switches)
    if scenario is not None and scenario in dark.scenarios:
        about = dark.scenarios[scenario]
        about = about.model_copy(update={"set": {path: value for path, value in about.set.items() if path not in switches}})
        dark.file = dark.file.model_copy(update={"scenarios": {**dark.scenarios, scenario: about}})
    return dark
