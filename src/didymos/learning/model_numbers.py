"""Drawn parameters that are numbers of the engine's model, so that compiled code can set them when an episode begins.

Dry friction and damping of a joint, lent by a drive or its own, and the friction of floors are numbers of the model that grow in
a straight line with the parameter, y = y_0 + k x. Where they lie, y_0 and k are found once, by asking the twin at both ends of
what is drawn; a third value between must lie on the line, else the parameter is left to Python. So are those that move an
inertia, after which the engine has to derive its constants anew, and those that share a number of the model with another draw.
A number set so is that which Python sets, to rounding.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.describe.check_values import check_tick
from didymos.describe.names import joint_of
from didymos.describe.twin import Twin
from didymos.engine.joint_values import joint_dof, joint_load, loaded_joints
from didymos.engine.layout import MODEL
from didymos.engine.robot_run import RobotRun
from didymos.engine.scenery import floors
from didymos.errors import InputError
from didymos.learning.drawn_values import Drawn
from didymos.learning.draws import EFFECT, Kind

__all__ = ["effect_rows", "set_in_model"]

_JOINT = ("damping", "friction")  # quantities of a joint that can be drawn beside those of parts
_STRAIGHT, _BETWEEN = 1e-12, 0.375  # by how much a number may be beside its line; where on the way it is looked at
Place = tuple[str, int]  # an array of the model, and where in it
Line = tuple[float, float]  # y_0 and k
Lines = Mapping[Place, Line]


def set_in_model(robots: Sequence[RobotRun], drawn: Sequence[Drawn]) -> tuple[list[Drawn], dict[int, Lines]]:
    """The draws, those of them that compiled code can set as such; by number of the draw, what of the model follows it."""
    if len(robots) != 1 or robots[0].name:
        return list(drawn), {}  # of a world of several robots Python sets them
    robot, found = robots[0], dict[int, dict[Place, Line | None] | None]()
    for number, item in enumerate(drawn):
        if item.kind == Kind.PYTHON:
            found[number] = _lines(robot, item)
    shared = Counter(place for lines in found.values() for place in lines or ())
    made, lines_of = list(drawn), dict[int, Lines]()
    for number, lines in found.items():
        straight = lines is not None and all(line is not None and shared[place] == 1 for place, line in lines.items())
        if lines is not None and straight:
            numbers = robot.built.assembly.numbers
            path = drawn[number].path
            kind, index = (Kind.NUMBER, int(numbers[path])) if path in numbers else (Kind.ELSEWHERE, 0)
            made[number] = replace(drawn[number], kind=kind, index=index)
            lines_of[number] = {place: line for place, line in lines.items() if line is not None}
    return made, lines_of


def effect_rows(lines: Mapping[int, Lines]) -> NDArray[Any]:
    """As rows of EFFECT."""
    every = [(number, place, line) for number, by_place in lines.items() for place, line in by_place.items()]
    rows = [(number, MODEL[field], index, *line) for number, (field, index), line in every]
    return np.array(rows, dtype=EFFECT)


def _lines(robot: RobotRun, item: Drawn) -> dict[Place, Line | None] | None:
    """Numbers of the model that a draw moves, each with its line, or None where it has none; None where more is moved."""
    (low, high), path = item.ends, item.path
    if not (_may_be_compiled(robot.built.twin, path) and low < high):
        return None
    between = low + _BETWEEN * (high - low)
    try:
        own, first, last, middle = (_numbers(robot, path, value) for value in (item.value, low, high, between))
    except InputError:
        return None  # a value that does not fit is Python's to refuse
    found: dict[Place, Line | None] = {}
    for place, y in first.items():
        if own[place] == y == last[place] == middle[place]:
            continue
        factor = (last[place] - y) / (high - low)
        rest = y - factor * low
        straight = abs(rest + factor * between - middle[place]) <= _STRAIGHT * max(abs(y), abs(last[place]))
        found[place] = (rest, factor) if straight and _stands_alone(robot, place) else None
    return found


def _may_be_compiled(twin: Twin, path: str) -> bool:
    kind, rest = path.split(".", 1)
    if kind == "parts":
        part = twin.file.parts[rest.split(".")[0]]
        return part.joint is not None and part.belt is None
    if kind == "joints":
        return path.rsplit(".", 1)[1] in _JOINT
    return not twin.file.contacts and path in {"world.friction_scale", *(one for one, _ in floors(twin).values())}


def _numbers(robot: RobotRun, path: str, value: float) -> dict[Place, float]:
    """The numbers of the model as they are with another value."""
    tried, model = robot.built.twin.copy(), robot.built.assembly.model
    tried.set(path, value)
    if path.startswith("parts."):
        check_tick(tried, path.split(".")[1], float(robot.built.context.timing.period))
    loaded, found = loaded_joints(tried), {}
    for name in {*loaded, *([joint_of(path)] if path.startswith("joints.") else [])}:
        dof, whole = joint_dof(model, tried, name), joint_load(tried, name, loaded)
        found["dof_frictionloss", dof], found["dof_damping", dof] = whole.friction, whole.damping
        found["dof_armature", dof] = whole.armature
    return found | {("geom_friction", 3 * int(model.geom(shape).id)): friction for shape, (_, friction) in floors(tried).items()}


def _stands_alone(robot: RobotRun, place: Place) -> bool:
    """Whether nothing else of the model hangs on a number: constants hang on an armature, how dry friction is solved on whether
    there is any."""
    field, index = place
    if field == "dof_frictionloss":
        return bool(robot.built.assembly.model.dof_frictionloss[index] > 0.0)
    return field != "dof_armature"
