"""The run behind an environment: a twin or a world in a task's scenario, cameras off, with the program that its actions need.

Actions on inputs take the place of a robot's program. Set-points are those of the program that the scenario or the twin names.
Targets of joints go through the drives by the program `joints`, without limits of velocity and acceleration of its own and
without what it knows of the robot's weight: a drive holds its joint by its own stiffness, as it does for a policy on the robot.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from didymos.describe.task_file import TaskSpec
from didymos.describe.twin import Twin
from didymos.describe.world import World
from didymos.engine.dark import without_cameras
from didymos.engine.robot_run import Entrant
from didymos.engine.simulation import Simulation
from didymos.engine.world_simulation import WorldSimulation

__all__ = ["Agents", "joint_program", "simulation_of_task"]

Agents = Mapping[str, TaskSpec]
"""Tasks by robot; one without a name is of all robots together."""

_FAST_ENOUGH = 500.0  # [Hz] of joint targets


def joint_program(twin: Twin, rate: float) -> Twin:
    """The twin with the program `joints`, as often as 500 times a second where that goes into the physics steps of an action."""
    step = twin.file.world.step
    per_action = max(1, round(1.0 / (rate * step)))
    divisors = [n for n in range(1, per_action + 1) if per_action % n == 0]
    steps = next((n for n in divisors if n * step * _FAST_ENOUGH > 1.0 - 1e-9), per_action)
    made = twin.copy()
    made.replace_program("joints", rate=1.0 / (steps * step), options={"direct": True, "compensate": []})
    return made


def _prepared(entrant: Entrant, agents: Agents) -> Entrant:
    """A robot as it takes part in its task."""
    twin = without_cameras(entrant.twin, entrant.scenario)
    for name, task in agents.items():
        before = f"{entrant.name}." if entrant.name and not name else ""
        if name in ("", entrant.name):
            own = {path.removeprefix(before): value for path, value in task.set.items() if path.startswith((before, "world."))}
            twin.set_all(own)
            if any(target.startswith(f"{before}joints.") for target in task.act):
                twin = joint_program(twin, task.rate)
    return replace(entrant, twin=twin)


class _OfTwin(Simulation):
    """A run of a twin for its task."""

    def __init__(self, twin: Twin, agents: Agents, scenario: str | None) -> None:
        self._agents = agents
        super().__init__(twin, scenario=scenario)

    def _entrants(self, twin: Twin) -> list[Entrant]:
        return [_prepared(entrant, self._agents) for entrant in super()._entrants(twin)]


class _OfWorld(WorldSimulation):
    """A run of a world for the tasks of its robots."""

    def __init__(self, world: World, agents: Agents, scenario: str | None) -> None:
        self._agents = agents
        super().__init__(world, scenario=scenario)

    def _entrants(self, twin: Twin) -> list[Entrant]:
        return [_prepared(entrant, self._agents) for entrant in super()._entrants(twin)]


def simulation_of_task(what: Twin | World, agents: Agents, scenario: str | None) -> Simulation:
    """A run for these tasks."""
    return _OfWorld(what, agents, scenario) if isinstance(what, World) else _OfTwin(what, agents, scenario)
