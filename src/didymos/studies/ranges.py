"""What is varied: ranges by path that a twin can take, and the values that it has where nobody varies them."""

from __future__ import annotations

from collections.abc import Mapping

from didymos.describe.path_patterns import tied_paths
from didymos.describe.twin import Twin
from didymos.describe.world import World
from didymos.errors import InputError

__all__ = ["check_ranges", "nominal_values"]


def check_ranges(twin: Twin | World, ranges: Mapping[str, tuple[float, float]], scenario: str | None) -> None:
    """Refuse ranges whose ends do not fit, and parameters that the scenario moves itself."""
    for path, (low, high) in ranges.items():
        if not low <= high:
            raise InputError(f"found a range from {low:g} to {high:g}, expected the smaller number first", path=path)
        for end in (low, high):
            twin.copy().set(path, end)
        stimuli = tuple(twin.scenarios[scenario].stimuli) if scenario is not None and scenario in twin.scenarios else ()
        if {stimulus.target for stimulus in stimuli} & set(tied_paths(path, twin.parameters)):
            raise InputError(f"a stimulus of the scenario {scenario!r} moves this parameter itself", path=path)


def nominal_values(twin: Twin | World, paths: Mapping[str, object], scenario: str | None) -> dict[str, float]:
    """The values that parameters have in a run of a scenario that nobody varies; of a pattern, that of the first it matches."""
    return {path: _nominal(twin, (tied_paths(path, twin.parameters) or (path,))[0], scenario) for path in paths}


def _nominal(twin: Twin | World, path: str, scenario: str | None) -> float:
    if isinstance(twin, World):
        name, path = twin.split(path)
        own, scenario = twin.in_scenario(name, scenario)
        return own.for_scenario(scenario).get(path)
    return twin.for_scenario(scenario).get(path)
