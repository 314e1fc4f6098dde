"""Hold an allocation against what its inputs do: which axis does nothing, the opposite, or mainly another thing.

With B the effectiveness (`effectiveness.py`) and w_a the weights of an axis, B w_a is what the axis does. Refused is

    opposite     the own effect of an axis is negative
    another      its largest moment is another axis's; of thrust, that nothing of it is left where it should push
    against      one input works against its axis, by a tenth of what the strongest does for it

with the input to look at first: the one whose share is most wrong. Moments are compared with moments [N m]: an aileron with its
adverse yaw, a rudder that rolls a little, pass. An axis that does nothing at all is a note: it may be meant so, or have failed.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from didymos.control.allocation import Allocation
from didymos.engine.effectiveness import Effectiveness
from didymos.errors import InputError

__all__ = ["idle_axes", "wrong_axis"]

_TURNS = ("roll", "pitch", "yaw")
_WORDS = {"roll": "right wing down", "pitch": "nose up", "yaw": "nose right", "forward": "forward", "up": "up"}
_AGAINST = 0.1  # of the strongest share
_NOTHING = 1e-6  # of the largest effect of any axis, below which an effect is rounding


def _own(axis: str, *, hover: bool) -> str:
    """The effect that an axis is asked for."""
    return axis if axis in _TURNS else "up" if hover else "forward"


def _axes(allocation: Allocation) -> Iterator[str]:
    return (axis for axis in (*_TURNS, "thrust") if allocation.has(axis))


def _size(allocation: Allocation, effects: Effectiveness, rows: tuple[str, ...]) -> float:
    """The largest that any input does for any axis, in some effects."""
    shares = [np.abs(effects.of(row) * allocation.weights[axis]).max() for axis in _axes(allocation) for row in rows]
    return float(max(shares, default=0.0))


def idle_axes(allocation: Allocation, effects: Effectiveness, *, hover: bool) -> tuple[str, ...]:
    """The axes whose inputs move nothing at all."""
    turns, pushes = _size(allocation, effects, _TURNS), _size(allocation, effects, ("forward", "up"))
    found = []
    for axis in _axes(allocation):
        weights = allocation.weights[axis]
        turn = max(float(np.abs(effects.of(row) * weights).max()) for row in _TURNS)
        push = max(float(np.abs(effects.of(row) * weights).max()) for row in ("forward", "up"))
        if turn <= _NOTHING * turns and push <= _NOTHING * pushes:
            found.append(axis)
    return tuple(found)


def wrong_axis(allocation: Allocation, effects: Effectiveness, path: str, *, hover: bool) -> InputError | None:
    """The first axis that does the opposite, or mainly another thing, or that an input works against; None where all is well."""
    idle = idle_axes(allocation, effects, hover=hover)
    for axis in _axes(allocation):
        if axis in idle:
            continue
        own, weights = _own(axis, hover=hover), allocation.weights[axis]
        shares = effects.of(own) * weights
        done, strongest = float(shares.sum()), float(np.abs(shares).max())
        rows = _TURNS if axis in _TURNS else ("forward", "up")
        others = {row: float((effects.of(row) * weights).sum()) for row in rows if row != own}
        worst = int(np.argmin(shares))
        look = allocation.inputs[worst]
        where, way = f"{path}.{axis}", _WORDS[own]
        small = _NOTHING * max(_size(allocation, effects, rows), 1e-300)
        if done < -max(small, 0.5 * strongest * _AGAINST):
            return InputError(f"{axis} does the opposite of {way}; look at {look} first", path=where)
        main = max(others, key=lambda row: abs(others[row]))
        if axis in _TURNS and abs(others[main]) > done:
            what = f"{axis} mainly does {main} ({others[main]:+.3g} N m, where {axis} gets {done:+.3g})"
            return InputError(f"{what}; look at {_misplaced(allocation, effects, axis, own)} first", path=where)
        if axis == "thrust" and done <= small:
            return InputError(f"thrust does not push {way}; look at {look} first", path=where)
        if shares[worst] < -_AGAINST * strongest:
            return InputError(f"{look} works against {axis}: its weight has the wrong sign, or it sits elsewhere", path=where)
    return None


def _misplaced(allocation: Allocation, effects: Effectiveness, axis: str, own: str) -> str:
    """The input that does least for an axis, or most against it, of those that have a weight there."""
    weights = allocation.weights[axis]
    shares = np.where(weights != 0.0, effects.of(own) * weights, np.inf)
    return allocation.inputs[int(np.argmin(shares))]
