"""The values that parameters have in a run of a scenario, where nobody varies them."""

from __future__ import annotations

from collections.abc import Iterable

from didymos.describe.path_patterns import tied_paths
from didymos.describe.twin import Twin
from didymos.describe.world import World

__all__ = ["nominal_values"]


def nominal_values(twin: Twin | World, paths: Iterable[str], scenario: str | None) -> dict[str, float]:
    """Values by path, as the scenario and its program have them; of a pattern, that of the first parameter that it matches."""
    return {path: _nominal(twin, (tied_paths(path, twin.parameters) or (path,))[0], scenario) for path in paths}


def _nominal(twin: Twin | World, path: str, scenario: str | None) -> float:
    if isinstance(twin, World):
        name, path = twin.split(path)
        own, scenario = twin.in_scenario(name, scenario)
        return own.for_scenario(scenario).get(path)
    return twin.for_scenario(scenario).get(path)
