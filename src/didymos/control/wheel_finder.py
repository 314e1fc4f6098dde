"""Find the wheels of a robot from its model: which hinges are wheels, what steers them, which are casters, which have rollers.

1. A wheel is a hinge with a level axle and a range over two turns, which carries shapes that are round about it, its rollers
   included: at least three hinges without end around the axle, all as far from it, with round shapes or none.
2. It stands on the ground: the rim reaches down to the lowest rim within 0.35 of its radius, and nothing else of the robot but
   rollers and casters reaches lower than that.
3. An upright hinge above it steers it, where a drive turns it. Where that is not known: unless the name says caster, or the wheel
   trails behind it and it turns without end. A wheel under an upright hinge that nothing drives is a caster.
4. What the rollers do: their axis at the bottom, in the frame of the wheel. Without rollers in the description, names that say
   mecanum, swedish or omni; or axles that are not parallel, on which tyres could not roll: then the wheels are omni wheels.
   Mecanum wheels without rollers are taken to be mounted as usual: the lines of grip on the ground form a diamond.
5. The kind: rollers make `mecanum` or `omni`; steered wheels beside others `ackermann`, alone `swerve`; all else is
   `differential`, also with four or more wheels (skid steering).
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from didymos.control.wheel_shape import Outline, round_outline
from didymos.control.wheel_tree import Hinge, read_hinges, rides_on_base
from didymos.control.wheels import Kind, Steering, Wheel, Wheels
from didymos.model.robot_model import RobotModel

__all__ = ["find_wheels"]

Array = NDArray[np.float64]

_LEVEL = 0.3  # largest |z| of an axle: 17 deg of camber
_UPRIGHT = 0.8  # least |z| of a steering axis: 37 deg of rake
_TWO_TURNS = 4.0 * math.pi + 1e-6
_FEWEST_ROLLERS = 3
_STANDS = 0.35  # of the radius
_NEAR = 0.01  # [m], of a caster's shape to the ground
_BOUNDLESS = ("plane", "hfield", "sdf")
_TRAILS = 0.2  # of the radius
_WIDEST = 3.0  # half width over radius
_PARALLEL = math.cos(math.radians(20.0))
_OMNI = math.radians(20.0)  # a roller within this of the rolling direction is that of an omni wheel
_NO_GRIP = math.radians(75.0)
_CASTER = re.compile(r"cast[eo]r|swivel|idler|ball", re.IGNORECASE)
_MECANUM = re.compile(r"mec+an+um|swedish", re.IGNORECASE)
_OMNI_NAME = re.compile(r"omni", re.IGNORECASE)
_DIAMOND = 0.25 * math.pi


def find_wheels(
    model: RobotModel, driven: Collection[str] | None = None, *, kind: Kind | None = None, only: Collection[str] | None = None
) -> Wheels | None:
    """The wheels of a robot, or None where it has not two that stand on the ground.

    `driven` are the joints that a drive turns, where that is known: else all wheels that are no casters are taken to be driven.
    `kind` is what the user says; `only` are the joints that may be wheels, where not all.
    """
    hinges, others = read_hinges(model)
    standing = _on_the_ground(_round_hinges(hinges), hinges, others)
    wheels, casters = list[Wheel](), list[Wheel]()
    for hinge, outline in standing.items():
        if only is None or hinge.joint in only:
            wheel, is_caster = _wheel(hinge, outline, driven)
            (casters if is_caster else wheels).append(wheel)
    turning = [wheel for wheel in wheels if wheel.driven]
    if not turning or len(wheels) < 2 or (len(turning) < 2 and all(wheel.steering is None for wheel in wheels)):
        return None
    wheels = _with_rollers(wheels, list(model.links), kind)
    ground = min(_bottom(hinge, outline) for hinge, outline in standing.items())
    return Wheels(
        kind or _kind(wheels),
        tuple(sorted(wheels, key=_order)),
        tuple(sorted(casters, key=_order)),
        dict(_balls(model, ground, {wheel.link for wheel in (*wheels, *casters)})),
        model.root,
    )


def _balls(model: RobotModel, ground: float, wheels: Collection[str]) -> Iterator[tuple[str, float]]:
    """Casters that slide: fixed links that touch the ground as one sphere, or by their name in any shape.

    With the radius [m] of the sphere that stands for another shape at the link's origin; 0 where it has its own.
    """
    state = model.at(model.reference)
    origin, up = state.position(model.root), state.rotation(model.root)[:, 2]
    for link in dict.fromkeys(shape.link for shape in model.shapes):
        shapes = [shape for shape in model.shapes if shape.link == link]
        if link in wheels or not rides_on_base(model, link) or any(shape.kind in _BOUNDLESS for shape in shapes):
            continue
        downward = state.rotation(link).T @ -up
        center = float((state.position(link) - origin) @ up)
        height = center - max(float(shape.support(downward) @ downward) for shape in shapes) - ground
        own = len(shapes) == 1 and shapes[0].kind in ("sphere", "cylinder", "capsule", "ellipsoid")
        if own and (shapes[0].kind == "sphere" or _CASTER.search(link)):
            if abs(height) < _STANDS * float(np.max(shapes[0].size)):
                yield link, 0.0
        elif _CASTER.search(link) and abs(height) < _NEAR and center - ground > 1e-3:
            yield link, center - ground


def _order(wheel: Wheel) -> tuple[float, float]:
    """From the front to the rear, left before right."""
    return -round(float(wheel.position[0]), 3), -round(float(wheel.position[1]), 3)


def _rollers(hinge: Hinge) -> list[Hinge]:
    """Hinges around an axle that carry rollers, or nothing but could."""
    found = []
    for below in hinge.below:
        endless = below.turns and below.upper - below.lower > _TWO_TURNS
        if endless and (not len(below.points) or round_outline(below.points, below.position, below.axis)):
            found.append(below)
    distances = [_distance(_middle(roller), hinge) for roller in found]
    even = len(found) >= _FEWEST_ROLLERS and min(distances) > max(0.8 * max(distances), 1e-3)
    return found if even else []


def _middle(roller: Hinge) -> Array:
    return np.asarray(roller.points.mean(axis=0) if len(roller.points) else roller.position, dtype=np.float64)


def _distance(point: Array, hinge: Hinge) -> float:
    offset = point - hinge.position
    return float(np.linalg.norm(offset - (offset @ hinge.axis) * hinge.axis))


def _round_hinges(hinges: Collection[Hinge]) -> dict[Hinge, Outline]:
    """Hinges that may be wheels, and what they look like; not those below another that may."""
    found: dict[Hinge, Outline] = {}
    for hinge in hinges:
        if not hinge.turns or abs(hinge.axis[2]) > _LEVEL or hinge.upper - hinge.lower <= _TWO_TURNS:
            continue
        rollers = _rollers(hinge)
        points = np.vstack([hinge.points, *(roller.points for roller in rollers)])
        outline = round_outline(points, hinge.position, hinge.axis)
        if outline is not None and outline.half_width <= _WIDEST * outline.radius:
            found[hinge] = outline
    carried = {below for hinge in found for below in hinges if hinge in below.above}
    return {hinge: outline for hinge, outline in found.items() if hinge not in carried}


def _bottom(hinge: Hinge, outline: Outline) -> float:
    middle = hinge.position + outline.middle * hinge.axis
    return float(middle[2] - outline.radius * math.sqrt(1.0 - hinge.axis[2] ** 2))


def _on_the_ground(found: dict[Hinge, Outline], hinges: Collection[Hinge], others: Array) -> dict[Hinge, Outline]:
    """Those of the round ones that stand on the ground."""
    if not found:
        return {}
    bottoms = {hinge: _bottom(hinge, outline) for hinge, outline in found.items()}
    lowest = min(bottoms.values())
    standing = {h: o for h, o in found.items() if bottoms[h] - lowest <= _STANDS * o.radius}
    largest = max(outline.radius for outline in standing.values())
    wheels = {below for hinge in found for below in (hinge, *hinge.below)}
    rest = [others, *(hinge.points for hinge in hinges if hinge not in wheels)]
    low = min((float(points[:, 2].min()) for points in rest if len(points)), default=math.inf)
    return standing if low > lowest - _STANDS * largest else {}


def _wheel(hinge: Hinge, outline: Outline, driven: Collection[str] | None) -> tuple[Wheel, bool]:
    """The wheel of a hinge, and whether it is a caster."""
    position = hinge.position + outline.middle * hinge.axis
    turns = hinge.joint in driven if driven is not None else not _CASTER.search(f"{hinge.joint} {hinge.link}")
    wheel = Wheel(hinge.joint, hinge.link, outline.radius, outline.half_width, position, hinge.axis, driven=turns)
    rollers = _rollers(hinge)
    if rollers:
        angle = _roller_angle(hinge, rollers)
        wheel = replace(wheel, roller=angle, has_rollers=any(len(roller.points) for roller in rollers))
    upright = next((above for above in hinge.above if above.turns and abs(above.axis[2]) > _UPRIGHT), None)
    if upright is None:
        return wheel, False
    offset = (position - upright.position)[:2]
    trails = float(np.linalg.norm(offset @ wheel.forward[:2])) > _TRAILS * outline.radius
    endless = upright.upper - upright.lower > _TWO_TURNS
    named = bool(_CASTER.search(f"{upright.joint} {upright.link} {hinge.joint} {hinge.link}"))
    steers = upright.joint in driven if driven is not None else not (named or (trails and endless))
    sign = math.copysign(1.0, upright.axis[2])
    steering = Steering(upright.joint, upright.position, sign, upright.lower, upright.upper)
    return replace(wheel, steering=steering, driven=wheel.driven and steers), not steers


def _roller_angle(hinge: Hinge, rollers: list[Hinge]) -> float:
    """Angle [rad] of a roller's axis at the bottom from the rolling direction, counter-clockwise; mean of the lines."""
    total = 0j
    for roller in rollers:
        offset = _middle(roller) - hinge.position
        outward = offset - (offset @ hinge.axis) * hinge.axis
        outward /= np.linalg.norm(outward)
        angle = math.atan2(float(roller.axis @ hinge.axis), float(roller.axis @ np.cross(outward, hinge.axis)))
        total += complex(math.cos(2.0 * angle), math.sin(2.0 * angle))
    return 0.5 * math.atan2(total.imag, total.real)


def _with_rollers(wheels: list[Wheel], names: list[str], kind: Kind | None) -> list[Wheel]:
    """The wheels with the angle of their rollers, where the description does not have them but says so, or the kind does."""
    if any(wheel.roller is not None for wheel in wheels):
        return [w if w.roller is not None and abs(w.roller) < _NO_GRIP else replace(w, roller=None) for w in wheels]
    free = [wheel for wheel in wheels if wheel.driven and wheel.steering is None]
    if len(free) < 3 or kind not in (None, "mecanum", "omni"):
        return wheels
    crossed = any(abs(wheel.forward @ free[0].forward) < _PARALLEL for wheel in free)
    text = " ".join([*names, *(f"{wheel.joint} {wheel.link}" for wheel in free)])
    if kind == "omni" or (kind is None and (crossed or (_OMNI_NAME.search(text) and not _MECANUM.search(text)))):
        return [replace(w, roller=0.0) if w in free else w for w in wheels] if crossed else wheels
    if kind == "mecanum" or _MECANUM.search(text):
        return _as_diamond(wheels, free)
    return wheels


def _as_diamond(wheels: list[Wheel], free: list[Wheel]) -> list[Wheel]:
    """Mecanum wheels with lines of grip on the ground that form a diamond about their middle."""
    middle = np.mean([wheel.position for wheel in free], axis=0)
    made = []
    for wheel in wheels:
        if any(wheel is item for item in free):
            f, offset = wheel.forward, wheel.position - middle
            ahead, left = float(offset @ f), float(offset[1] * f[0] - offset[0] * f[1])
            wheel = replace(wheel, roller=-math.copysign(_DIAMOND, ahead * left))
        made.append(wheel)
    return made


def _kind(wheels: list[Wheel]) -> Kind:
    rolling = [wheel.roller for wheel in wheels if wheel.roller is not None]
    if rolling:
        return "omni" if max(abs(angle) for angle in rolling) < _OMNI else "mecanum"
    steered = [wheel for wheel in wheels if wheel.steering is not None]
    if steered:
        return "ackermann" if len(steered) < len(wheels) else "swerve"
    return "differential"
