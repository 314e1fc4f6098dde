"""Robots on the page: a twin alone is one without a name; in a world the name of a robot stands in front of what is its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import mujoco
import numpy as np
import viser
from numpy.typing import NDArray

from didymos.describe.parameters import Parameter
from didymos.describe.twin import Twin
from didymos.describe.world import World
from didymos.engine.robot_run import RobotRun
from didymos.engine.simulation import Simulation
from didymos.web.shapes import Extent, extent_of

__all__ = ["WORLD", "Figure", "RobotMenu", "RunParameters", "bodies_of", "figures_of", "named", "own_bodies", "twins_of"]

WORLD = "world"
"""Where parameters and signals are listed that belong to no robot."""

GRAVITY = 9.81  # [m/s^2], for a weight to measure arrows by


def named(robot: str, name: str) -> str:
    """What is called `name` on a robot, as the run knows it."""
    return f"{robot}.{name}" if robot else name


def twins_of(what: Twin | World) -> dict[str, Twin]:
    """The twins of all robots by name."""
    return {name: robot.twin for name, robot in what.robots.items()} if isinstance(what, World) else {"": what}


class RobotMenu:
    """A menu of robots; a twin alone has none, and is chosen. `react` is called when another one is."""

    def __init__(
        self,
        gui: viser.GuiApi,
        robots: Sequence[str],
        react: Callable[[], None],
        *,
        label: str = "Robot",
        first: str | None = None,
    ) -> None:
        self._menu: Any = None
        self._only = robots[0]
        if len(robots) > 1 or self._only:
            self._menu = gui.add_dropdown(label, tuple(robots), initial_value=robots[0] if first is None else first)
            self._menu.on_update(lambda _: react())

    @property
    def value(self) -> str:
        """The robot that is chosen."""
        return self._only if self._menu is None else str(self._menu.value)


@dataclass(frozen=True)
class Figure:
    """How large and how heavy a robot is: its extent where a run begins, its weight [N], and a point above it.

    The point is in the frame of the root link's body [m], shape [3]: a name can stand there.
    """

    extent: Extent
    weight: float
    above: NDArray[np.float64]


def bodies_of(robot: RobotRun, simulation: Simulation) -> list[int]:
    """The bodies of the model that are a robot's own, those of its boxes included."""
    model, prefix = simulation.model, robot.twin.description.prefix
    return [body for body in range(1, model.nbody) if model.body(body).name.startswith(prefix)]


def own_bodies(robot: RobotRun, simulation: Simulation) -> list[int]:
    """The bodies of the model that are a robot's own, without boxes and objects."""
    model = simulation.model
    return [body for body in bodies_of(robot, simulation) if not model.body(body).name.rpartition("/")[2].startswith("didymos:")]


def figures_of(simulation: Simulation) -> dict[str, Figure]:
    """The figure of each robot by name, as it begins; a twin alone is all that moves."""
    shown, model, qpos = simulation.shown.model, simulation.model, simulation.data.qpos
    if set(simulation.robots) == {""}:
        return {"": Figure(extent_of(shown, qpos), float(np.sum(model.body_mass)) * GRAVITY, np.zeros(3))}
    figures, data = {}, mujoco.MjData(model)
    data.qpos[:] = qpos
    mujoco.mj_kinematics(model, data)
    for name, robot in simulation.robots.items():
        bodies = bodies_of(robot, simulation)
        extent, root = extent_of(shown, qpos, bodies), robot.links.root_body(model)
        top = extent.middle + np.array([0.0, 0.0, 0.7 * extent.size])
        above = data.xmat[root].reshape(3, 3).T @ (top - data.xpos[root])
        figures[name] = Figure(extent, float(np.sum(model.body_mass[bodies])) * GRAVITY, above)
    return figures


class RunParameters:
    """The parameters of a run by path, as they are before anybody tunes them; those of the world first."""

    def __init__(self, simulation: Simulation) -> None:
        self.robots: Mapping[str, Twin] = {name: robot.twin.copy() for name, robot in simulation.robots.items()}

    @cached_property
    def parameters(self) -> dict[str, Parameter]:
        """All of them by path, those of the world first."""
        if set(self.robots) == {""}:
            return self.robots[""].parameters
        world: dict[str, Parameter] = {}
        found: dict[str, Parameter] = {}
        for name, twin in self.robots.items():
            for path, item in twin.parameters.items():
                if path.startswith(f"{WORLD}."):
                    world.setdefault(path, item)
                else:
                    found[named(name, path)] = replace(item, path=named(name, path))
        return world | found

    @cached_property
    def live(self) -> dict[str, dict[str, Parameter]]:
        """Those that can change during a run, by whose they are: WORLD, then robots; of a twin alone all in one place."""
        found: dict[str, dict[str, Parameter]] = {"": {}} if "" in self.robots else {WORLD: {}}
        for path, item in self.parameters.items():
            if item.live:
                found.setdefault("" if "" in self.robots else path.partition(".")[0], {})[path] = item
        return found

    def get(self, path: str) -> float:
        """The value of a parameter."""
        robot, own = self._split(path)
        return self.robots[robot].get(own)

    def _split(self, path: str) -> tuple[str, str]:
        if "" in self.robots:
            return "", path
        if path.startswith(f"{WORLD}."):
            return next(iter(self.robots)), path
        robot, _, own = path.partition(".")
        return robot, own
