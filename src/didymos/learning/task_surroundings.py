"""Where a task's episodes take place, as values of the twin: for a run of its policy in what it was trained for."""

from __future__ import annotations

import math

from didymos.describe.path_patterns import spread
from didymos.describe.scenario_parameters import SCENARIOS, scenario_parameters
from didymos.describe.task_file import DrawSpec, TaskSpec
from didymos.describe.twin import Twin

__all__ = ["surroundings"]

_START = "start."
_DIGITS = 6  # of a middle: 0.1 is not 0.09999999999999998


def surroundings(twin: Twin, task: TaskSpec) -> dict[str, float]:
    """Values by path: what the task sets and asks for, and the middle of where its episodes begin, where the twin differs.

    Set-points are those of the scenario of a run that names none but the task's: one that it does not have is left out.
    """
    begins = {path.removeprefix(_START): item.value for path, item in twin.parameters.items() if path.startswith(_START)}
    given = spread({path.removeprefix(_START): spec for path, spec in task.start.items()}, begins)
    middles = {path: _middle(spec, begins[path]) for path, spec in given.items() if path in begins}
    scenario = task.scenario or next(iter(twin.scenarios), None)
    known = scenario_parameters({} if scenario is None else {scenario: twin.scenarios[scenario]})
    asked = {f"{SCENARIOS}{scenario}.setpoints.{name}": value for name, value in task.setpoints.items()}
    setpoints = {path: value for path, value in asked.items() if path in known and value != known[path].value}
    return dict(task.set) | setpoints | {_START + path: value for path, value in middles.items() if value != begins[path]}


def _middle(spec: DrawSpec, own: float) -> float:
    """The mean of what is drawn, or of its logarithm; the twin's own value counts where that is scaled."""
    first, second = spec.pair
    middle = first if spec.normal else math.sqrt(first * second) if spec.log_uniform else 0.5 * (first + second)
    return round(middle * own if spec.scale else middle, _DIGITS)
