"""Whether the base of a robot keeps REP 103, x forward, y left, z up, as far as its files show it.

ROS 2 steers and locates a robot by the axes of its base: a `cmd_vel` with linear.x drives it forward. Nothing in a description
says which way is forward, but much of it shows:

| what is looked at | what it shows |
|---|---|
| the option `forward` of the program | forward |
| wheels that are not steered, with axles that are parallel (`control/wheel_finder.py`) | the line along which it rolls |
| names of links: front and rear, left and right (`named_sides.py`) | forward, left |
| knees and hips of the legs that the program `legged` moves | the line along which it walks |
| airfoils: x of their frames; motors beside airfoils: their thrust | forward |
| three and more rotors without airfoils: their thrust | up |
| the attitude at the start, under gravity, where another axis than z points up | up |

Only what contradicts REP 103 by more than 45 deg is reported, with what shows it; where nothing shows anything, nothing is said.
A robot that is held in the world is an arm, whose base has no forward.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from didymos.control.leg_finder import find_legs
from didymos.control.wheel_finder import find_wheels
from didymos.describe.description import Note
from didymos.describe.named_sides import named_sides
from didymos.errors import InputError
from didymos.rotations import rpy_to_matrix

if TYPE_CHECKING:
    from didymos.describe.twin import Twin

__all__ = ["base_axes_notes"]

Array = NDArray[np.float64]

_HALF = math.cos(math.radians(45.0))
_AXES = {"front": 0, "left": 1, "up": 2}
_UPRIGHT = math.cos(math.radians(15.0))  # within which an axis of the base points up
_MOTORS = ("rotor", "generic_engine", "electric_engine")  # their thrust is along x of their frames
_FEWEST_ROTORS = 3


def base_axes_notes(twin: Twin) -> tuple[Note, ...]:
    """A note where the base is not REP 103, with all that shows it; none where it is, or where nothing tells."""
    if not twin.description.floating:
        return ()
    shown = list(dict.fromkeys(_contradictions(twin)))
    if not shown:
        return ()
    what = f"the base {twin.description.root!r} does not keep REP 103 (x forward, y left, z up): {'; '.join(shown)}"
    return (Note(str(twin.source), twin.mistake("", "description").line, what),)


def _contradictions(twin: Twin) -> Iterator[str]:
    yield from _program(twin)
    yield from _start(twin)
    try:
        model = twin.model
    except InputError:  # said elsewhere
        return
    state = model.at(model.reference)
    origin, turn = state.position(model.root), state.rotation(model.root)
    driven = {part.joint for part in twin.file.parts.values() if part.joint is not None}
    wheels = find_wheels(model, driven or None)
    if wheels is not None and wheels.kind != "omni":
        rolling = [wheel.forward for wheel in wheels.wheels if wheel.steering is None]
        if rolling and not any(abs(float(f @ rolling[0])) < _HALF for f in rolling) and abs(float(rolling[0][0])) < _HALF:
            yield f"its wheels roll along {_axis(np.abs(rolling[0]))} ({wheels.wheels[0].joint!r})"
    program = twin.file.control.program if twin.file.control is not None else None
    if program == "legged":
        yield from _knees(twin)
    places = {link: turn.T @ (state.position(link) - origin) for link in model.links}
    for side in named_sides(places):
        if side.direction[_AXES[side.side]] < _HALF:
            first, second = side.pair
            yield f"by their names its {side.side} is towards {_axis(side.direction)} ({first!r}, {second!r})"
    yield from _thrust_and_lift(twin, {name: turn.T @ state.rotation(name) for name in _frames_of_parts(twin)})


def _program(twin: Twin) -> Iterator[str]:
    options = twin.file.control.options if twin.file.control is not None else {}
    forward = options.get("forward", "x")
    if forward in ("y", "z", "-x", "-y", "-z"):
        yield f"control.options.forward is {forward}"


def _start(twin: Twin) -> Iterator[str]:
    """Under gravity, the axis of the base that points up at the start, where that is another one than z."""
    start = twin.file.start
    if twin.file.world.gravity > 0.0 and "orientation" in start.model_fields_set:
        up = rpy_to_matrix(np.array([float(angle) for angle in start.orientation]))[2]
        if np.abs(up).max() > _UPRIGHT and up[2] < _HALF:
            yield f"{_axis(up)} points up at the start (start.orientation)"


def _knees(twin: Twin) -> Iterator[str]:
    """Legs swing and bend fore and aft about more axes than they spread about."""
    legs = [leg for leg in find_legs(twin.model) if not leg.sprawls]
    axes = [axis for leg in legs for axis in leg.chain.axis]
    along_y, along_x = (sum(abs(float(axis[i])) > _HALF for axis in axes) for i in (1, 0))
    if legs and along_x > along_y:
        yield f"its legs bend about x, so that it walks along y ({legs[0].joints[-1]!r})"


def _frames_of_parts(twin: Twin) -> list[str]:
    links = {part.link for part in twin.file.parts.values() if part.kind in (*_MOTORS, "airfoil")}
    known = (*twin.model.links, *twin.description.frames)
    return [link for link in links if link in known]


def _thrust_and_lift(twin: Twin, turns: dict[str, Array]) -> Iterator[str]:
    """Planes: wings and propellers look forward. Rotors alone carry the robot: their thrust is up."""
    parts = {name: part for name, part in twin.file.parts.items() if part.link in turns}
    wings = {name: turns[part.link][:, 0] for name, part in parts.items() if part.kind == "airfoil"}
    thrusts = {name: turns[part.link][:, 0] for name, part in parts.items() if part.kind in _MOTORS}
    if wings:
        ahead = np.sum(list(wings.values()), axis=0)
        if ahead[0] < _HALF * np.linalg.norm(ahead):
            yield f"its airfoils fly towards {_axis(ahead)} ({next(iter(wings))!r})"
    elif len(thrusts) >= _FEWEST_ROTORS:
        lift = np.sum(list(thrusts.values()), axis=0)
        if np.linalg.norm(lift) > _HALF * len(thrusts) and lift[2] < _HALF * np.linalg.norm(lift):
            yield f"its rotors lift it towards {_axis(lift)} ({next(iter(thrusts))!r})"


def _axis(direction: Array) -> str:
    """The axis that a direction is nearest to, such as -y."""
    nearest = int(np.argmax(np.abs(direction)))
    return f"{'-' if direction[nearest] < 0.0 else ''}{'xyz'[nearest]}"
