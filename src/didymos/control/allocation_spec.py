"""The section `allocation` of a twin file, and the `Allocation` that it states.

    allocation:
      roll:   {left.y: -0.5, right.y: 0.5}     # weights by input; a name, or a list of names, has the weight 1
      pitch:  {left.y: 0.5, right.y: 0.5}
      thrust: motor
      offset: {left.y: 0.1}                    # where all axes are asked for nothing
      limits: {left.y: [-0.8, 0.8]}            # narrower than the input's own range
      priority: [[roll, pitch], thrust]        # who gives way last, first; axes in one list shrink together
      hover: {...}                             # the same keys, for programs that hover

or, the same by rows, `inputs: {left.y: {roll: -0.5, pitch: 0.5}}`. Rotors that lift may be given by the name of their `layout`
instead, which is held against where they sit.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, PlainValidator, model_validator

from didymos.control.allocation import AXES, FLIGHT_PRIORITY, HOVER_PRIORITY, Allocation
from didymos.errors import nearest
from didymos.spec import Spec

__all__ = ["AllocationSetSpec", "AllocationSpec", "axis_order", "stated_allocation"]

Axis = Literal["roll", "pitch", "yaw", "thrust", "flaps", "tilt", "brake"]
Number = Annotated[float, Field(strict=True)]


def _weights(raw: Any) -> dict[str, float]:
    """Weights by input: of a mapping as given, of a name or a list of names 1 each."""
    if isinstance(raw, str):
        return {raw: 1.0}
    if isinstance(raw, list | tuple):
        if not all(isinstance(name, str) for name in raw):
            raise ValueError("expected names of inputs in this list")
        if len(set(raw)) < len(raw):
            raise ValueError("an input is named twice in this list; {NAME: 2} is a weight of 2")
        return dict.fromkeys(raw, 1.0)
    if not isinstance(raw, dict):
        raise ValueError(f"found {raw!r}, expected the name of an input, a list of names, or weights by name")
    for name, value in raw.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise ValueError(f"found {value!r} for {name!r}, expected a finite number, the weight of an input")
    return {str(name): float(value) for name, value in raw.items()}


def _order(raw: Any) -> tuple[tuple[str, ...], ...]:
    """Groups of axes, each written as its name or as a list."""
    if not isinstance(raw, list | tuple):
        raise ValueError(f"found {raw!r}, expected a list of axes")
    groups = tuple((item,) if isinstance(item, str) else tuple(item) if isinstance(item, list | tuple) else () for item in raw)
    named = [axis for group in groups for axis in group]
    for axis in named:
        if axis not in AXES:
            raise ValueError(f"found {axis!r}, expected one of {', '.join(AXES)}{nearest(str(axis), AXES)}")
    if not all(groups) or len(set(named)) < len(named):
        raise ValueError("expected names of axes, each at most once, or lists of them")
    if any("thrust" in group and len(group) > 1 for group in groups):
        raise ValueError("thrust stands alone: it is the axis that makes room for those before it")
    return groups


Weights = Annotated[dict[str, float], PlainValidator(_weights)]


def _axis(doc: str) -> Any:
    return Field(default={}, description=doc)


class AllocationSetSpec(Spec):
    """Weights of inputs by axis or by input, offsets, limits and who gives way."""

    roll: Weights = _axis("right wing down: inputs by name, each with its weight; a name or a list of names weighs 1")
    pitch: Weights = _axis("nose up")
    yaw: Weights = _axis("nose right")
    thrust: Weights = _axis("forward; up where it hovers")
    flaps: Weights = _axis("0 in, 1 out")
    tilt: Weights = _axis("0 rotors up, 1 rotors forward")
    brake: Weights = _axis("0 free, 1 full")
    inputs: dict[str, dict[Axis, Number]] = Field(default={}, description="the same by rows: weights by axis, of each input")
    layout: str | None = Field(
        default=None, description="of rotors that lift, in their place: quad_x, quad_plus, hexa_x, hexa_plus; see mixer.py"
    )
    offset: dict[str, Number] = Field(default={}, description="inputs where all axes are asked for nothing")
    limits: dict[str, tuple[Number, Number]] = Field(default={}, description="[low, high] of an input, within its own range")
    priority: Annotated[tuple[tuple[str, ...], ...], PlainValidator(_order)] = Field(
        default=(), description="axes, who gives way last first; those in one list shrink together"
    )

    @model_validator(mode="before")
    @classmethod
    def _throttle_is_thrust(cls, raw: Any) -> Any:
        if isinstance(raw, dict) and "throttle" in raw:
            raise ValueError("the axis of engines is called 'thrust' here, not 'throttle'")
        return raw

    @model_validator(mode="after")
    def _each_once(self) -> AllocationSetSpec:
        for name, row in self.inputs.items():
            for axis in row:
                if name in getattr(self, axis):
                    raise ValueError(f"the weight of {name!r} under {axis} is stated twice: under {axis} and under inputs.{name}")
        for name, (low, high) in self.limits.items():
            if not low < high:
                raise ValueError(f"found limits {low:g} and {high:g} of {name!r}, expected the lower one first")
        if self.layout is not None and self.weights():
            raise ValueError("a layout takes the place of weights: expected one of them")
        return self

    def weights(self) -> dict[str, dict[str, float]]:
        """Weights by axis and input, of both ways to write them."""
        found = {axis: dict(getattr(self, axis)) for axis in AXES}
        for name, row in self.inputs.items():
            for axis, value in row.items():
                found[axis][name] = value
        return {axis: each for axis, each in found.items() if each}

    @property
    def is_stated(self) -> bool:
        """Whether it says what any input does."""
        return self.layout is not None or bool(self.weights())

    def places(self) -> dict[tuple[str, ...], str]:
        """Every input that is named, by where it is."""
        named: dict[tuple[str, ...], str] = {(axis, name): name for axis in AXES for name in getattr(self, axis)}
        for key in ("inputs", "offset", "limits"):
            named |= {(key, name): name for name in getattr(self, key)}
        return named


class AllocationSpec(AllocationSetSpec):
    """Which inputs roll, pitch, yaw and push the robot, for all its programs; see flight.md."""

    hover: AllocationSetSpec = Field(
        default=AllocationSetSpec(), description="the same for programs that hover; by default from where the rotors sit"
    )


def axis_order(stated: Sequence[tuple[str, ...]], usual: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
    """A stated order, and after it the axes that it does not name as they usually stand."""
    named = {axis for group in stated for axis in group}
    rest = (tuple(axis for axis in group if axis not in named) for group in usual)
    return (*stated, *(group for group in rest if group))


def stated_allocation(
    spec: AllocationSetSpec, ranges: Mapping[str, tuple[float, float]], order: Sequence[str], *, hover: bool
) -> Allocation:
    """What a section of a twin file states, of inputs with known ranges; `order` says in which they come."""
    weights = spec.weights()
    used = {name for each in weights.values() for name in each} | set(spec.offset)
    inputs = tuple(name for name in order if name in used)
    limits = {name: (max(spec.limits[name][0], low), min(spec.limits[name][1], high)) if name in spec.limits else (low, high)
              for name, (low, high) in ranges.items()}  # fmt: skip
    return Allocation(
        inputs,
        {axis: np.array([each.get(name, 0.0) for name in inputs]) for axis, each in weights.items()},
        np.array([limits[name][0] for name in inputs]),
        np.array([limits[name][1] for name in inputs]),
        np.array([spec.offset.get(name, 0.0) for name in inputs]),
        axis_order(spec.priority, HOVER_PRIORITY if hover else FLIGHT_PRIORITY),
    )
