"""Numbers of scenarios by path: constant set-points and what stimuli have, for sweeps, searches and `set`.

    scenarios.climb.stimuli.0.to        of the first stimulus, counted from 0, by the key that the file has (`from` is `from`)
    scenarios.hover.setpoints.z

They are not among the twin's parameters: no run can change them once it has begun, and they are nothing of the robot.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from didymos.describe.parameter import Parameter
from didymos.describe.schema import ScenarioSpec
from didymos.spec import number_fields

__all__ = ["SCENARIOS", "scenario_parameters", "with_numbers"]

SCENARIOS = "scenarios."
"""What the paths of these numbers begin with."""


def scenario_parameters(scenarios: Mapping[str, ScenarioSpec]) -> dict[str, Parameter]:
    """All numbers of some scenarios, by path."""
    return {item.path: item for name, scenario in scenarios.items() for item in _numbers(name, scenario)}


def _numbers(name: str, scenario: ScenarioSpec) -> Iterator[Parameter]:
    for setpoint, value in scenario.setpoints.items():
        place: tuple[str, ...] = ("scenarios", name, "setpoints", setpoint)
        yield Parameter(".".join(place), float(value), "", place=place)
    for index, stimulus in enumerate(scenario.stimuli):
        for key, about in number_fields(type(stimulus)):
            if key in stimulus.model_fields_set:
                written = "from" if key == "before" else key
                path = f"scenarios.{name}.stimuli.{index}.{written}"
                value, place = float(getattr(stimulus, key)), ("scenarios", name, "stimuli", str(index), key)
                yield Parameter(path, value, about["unit"], about["low"], about["high"], doc=stimulus.target, place=place)


def with_numbers(plain: dict[str, Any], values: Mapping[str, float]) -> dict[str, Any]:
    """The plain data of a scenario with other numbers, by what follows the scenario's name in their paths."""
    for path, value in values.items():
        section, _, rest = path.partition(".")
        if section == "setpoints":
            plain["setpoints"][rest] = value
        else:
            index, _, key = rest.partition(".")
            plain["stimuli"][int(index)][key] = value
    return plain
