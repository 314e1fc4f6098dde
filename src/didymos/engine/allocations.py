"""The allocations of a twin: as its file states them, held against the engine's own forces, or derived where it does not.

    hover     stated by `allocation.hover`, or by `allocation` where all inputs under its thrust are rotors that lift, and none
              tilts; derived from where the rotors sit (`mixer.py`), of fewer than four and the joints that tilt them from what
              they do. Where all rotors push along the nose it is a tail-sitter, which hovers with its nose up: thrust is
              forward then too, and roll, pitch and yaw are about the body's axes
    flight    stated by `allocation`; derived from what the inputs do in flight (`effectiveness.py`)

Derived flight weights are the pseudo-inverse of the moments of the inputs that move both ways (surfaces), each over its range,
the largest weight of an axis 1; engines push with the weight 1 each, and turn it where no surface can. Of rotors alone the
weights are held against where these sit, as `mixer.py` says; anything else against the engine: `allocation_check.py`.

The condition: airspeed and nose of `start` where it flies there, else the speed at which it flies level at 0.1 rad of nose;
`offset` of all inputs; 0.8 of the thrust; `tilt` 1 in flight, 0 in hover.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.control.actuator import Actuator
from didymos.control.allocation import FLIGHT_PRIORITY, HOVER_PRIORITY, Allocation, Allocations
from didymos.control.allocation_spec import AllocationSetSpec, axis_order, stated_allocation
from didymos.control.mixer import mixer, nose_up_mixer, rotor_allocation, stated_matrix
from didymos.control.rotor_place import Rotor
from didymos.describe.description import Note
from didymos.describe.names import part_inputs
from didymos.describe.twin import Twin
from didymos.engine.allocation_check import idle_axes, wrong_axis
from didymos.engine.assemble import Assembly
from didymos.engine.build_context import input_ranges
from didymos.engine.effectiveness import EFFECTS, Condition, Effectiveness, HeldRobot, effectiveness
from didymos.errors import InputError

if TYPE_CHECKING:
    from didymos.engine.build import Built

__all__ = ["AllocationFinder", "allocation_notes", "allocations_of"]

_UP = 0.5  # upward part of a rotor's axis, above which it lifts
_FLIES = 3.0  # [m/s], a start that is faster is in flight
_TRIAL, _NOSE = 15.0, 0.1  # [m/s], [rad], from which the speed of level flight is found
_THRUST = 0.8  # of the most: beyond where a propeller in fast air only brakes
_WEAK = 0.02  # of the largest weight of an axis: what is derived below this is left out
_USELESS = 1e-3  # of the strongest input's moment, over its range, below which another one turns nothing
_LEAST_ROTORS = 4  # that hover without joints that tilt them
_BOUNDED = 100.0  # an input of a wider range has no full deflection
_COMMANDS = ("thrust", "roll", "pitch", "yaw")


class AllocationFinder:
    """Finds the allocations of a robot in a model, and what is to be said about them."""

    def __init__(self, twin: Twin, assembly: Assembly, rotors: Sequence[Rotor], actuators: Sequence[Actuator]) -> None:
        self._twin, self._assembly, self._rotors, self._actuators = twin, assembly, tuple(rotors), tuple(actuators)
        self._spec = twin.file.allocation

    def find(self, name: str) -> Allocation:
        """The allocation `flight` or `hover`; one that cannot be had, or that contradicts the robot, is an `InputError`."""
        allocation, stated = self._hover() if name == "hover" else self._flight()
        if stated and self._floats:
            path = "allocation.hover" if name == "hover" and self._spec.hover.is_stated else "allocation"
            wrong = wrong_axis(allocation, self._effects(allocation, name), path, hover=self._pushes_up(name))
            if wrong is not None:
                raise wrong
        return allocation

    def usual(self) -> Allocation:
        """How it flies; how it hovers where that is what it states, or where it states nothing and has rotors that lift."""
        lifting = [rotor for rotor in self._rotors if rotor.axis[2] > _UP]
        hovers = self._flight_spec is None and (self._hover_spec is not None or len(lifting) >= _LEAST_ROTORS)
        return self.find("hover" if hovers else "flight")

    def idle(self) -> dict[str, tuple[str, ...]]:
        """The axes of stated allocations that do nothing, by set."""
        found: dict[str, tuple[str, ...]] = {}
        for name, spec in (("flight", self._flight_spec), ("hover", self._hover_spec)):
            allocation = None if spec is None else self.find(name)
            if allocation is not None and self._floats:
                found[name] = idle_axes(allocation, self._effects(allocation, name), hover=self._pushes_up(name))
        return {name: axes for name, axes in found.items() if axes}

    @property
    def _floats(self) -> bool:
        model, root = self._assembly.model, self._assembly.links.root_body(self._assembly.model)
        joint = int(model.body_jntadr[root])
        return joint >= 0 and int(model.jnt_type[joint]) == mujoco.mjtJoint.mjJNT_FREE

    @cached_property
    def _held(self) -> HeldRobot:
        return HeldRobot(self._twin, self._assembly, self._actuators)

    @cached_property
    def ranges(self) -> dict[str, tuple[float, float]]:
        """Limits of each input: its own range, of a joint's position that of the joint."""
        found = input_ranges(self._twin, self._assembly)
        for name, part, index in part_inputs(self._twin):
            spec = self._twin.file.parts[part]
            item = spec.contract.inputs[index]
            if spec.joint is not None and item.name == "position" and item.unit == "rad":
                joint = self._twin.description.joints[spec.joint]
                low, high = found[name]
                low = low if joint.lower is None else max(low, joint.lower)
                found[name] = low, high if joint.upper is None else min(high, joint.upper)
        return found

    @property
    def _lifting(self) -> list[Rotor]:
        """Rotors that lift; all where none does."""
        return [rotor for rotor in self._rotors if rotor.axis[2] > _UP] or list(self._rotors)

    def _pushes_up(self, name: str) -> bool:
        """Whether thrust of an allocation is along the body's upward axis."""
        return name == "hover" and not self._sits_on_tail

    @property
    def _sits_on_tail(self) -> bool:
        """Whether it hovers with its nose up: no rotor lifts, all push forward."""
        return bool(self._rotors) and all(rotor.axis[0] > _UP for rotor in self._rotors)

    @property
    def _hover_spec(self) -> AllocationSetSpec | None:
        if self._spec.hover.is_stated:
            return self._spec.hover
        return self._spec if self._spec.layout is not None or self._lifts(self._spec) else None

    @property
    def _flight_spec(self) -> AllocationSetSpec | None:
        stated = self._spec.is_stated and (self._spec.hover.is_stated or self._hover_spec is None)
        return self._spec if stated else None

    def _lifts(self, spec: AllocationSetSpec) -> bool:
        """Whether all inputs under thrust are rotors that lift, and stay so: none of them tilts."""
        up = {rotor.input for rotor in self._rotors if rotor.axis[2] > _UP}
        thrust = spec.weights().get("thrust", {})
        return bool(thrust) and set(thrust) <= up and "tilt" not in spec.weights()

    def _hover(self) -> tuple[Allocation, bool]:
        """How it hovers, and whether that is to be held against the engine."""
        spec, lifting = self._hover_spec, self._lifting
        if spec is None and 0 < len(lifting) < _LEAST_ROTORS and self._floats and not self._sits_on_tail:
            return self._derived_hover(lifting), False
        if spec is None or spec.layout is not None:
            priority = axis_order(() if spec is None else spec.priority, HOVER_PRIORITY)
            layout = None if spec is None else spec.layout
            matrix = nose_up_mixer(lifting, layout) if self._sits_on_tail else mixer(lifting, layout)
            return rotor_allocation(lifting, matrix, priority), False
        order = [*dict.fromkeys([*(rotor.input for rotor in self._rotors), *self.ranges])]
        allocation = stated_allocation(spec, self.ranges, order, hover=True)
        alone = set(allocation.inputs) == {rotor.input for rotor in lifting} and set(allocation.weights) == set(_COMMANDS)
        if alone and not self._sits_on_tail:
            mixer(lifting, stated_matrix(lifting, allocation))
            return allocation, False
        return allocation, True

    def _derived_hover(self, lifting: Sequence[Rotor]) -> Allocation:
        """Weights of few rotors and of the joints that tilt them, from what they do where it stands in the air."""
        engines = [rotor.input for rotor in lifting]
        names = [*engines, *(name for name in self._held.positions if np.ptp(self.ranges[name]) <= _BOUNDED)]
        condition = self._at(dict.fromkeys(engines, _THRUST), hover=True)
        effects = effectiveness(self._held, condition, self.ranges, names)
        low, high = np.array([self.ranges[name] for name in names]).reshape(-1, 2).T
        span = np.where(low < 0.0, 0.5 * (high - low), high - low)
        rows = _rows(np.array([effects.of(row) * span for row in ("up", "roll", "pitch", "yaw")])) / max(len(engines), 1)
        if np.linalg.matrix_rank(rows, tol=_WEAK) < len(_COMMANDS):
            what = f"found {len(engines)} rotors that lift, which cannot command thrust, roll, pitch and yaw independently"
            raise InputError(f"{what}, not with the joints that tilt them either", path="parts")
        inverse = np.linalg.pinv(rows)
        inverse[np.abs(inverse) < _WEAK * np.abs(inverse).max(axis=0)] = 0.0
        weights = {axis: inverse[:, column] * span for column, axis in enumerate(_COMMANDS)}
        return Allocation(tuple(names), weights, low, high, np.zeros(len(names)), HOVER_PRIORITY)

    def _flight(self) -> tuple[Allocation, bool]:
        """How it flies, and whether that is to be held against the engine."""
        spec = self._flight_spec
        if spec is not None:
            return stated_allocation(spec, self.ranges, tuple(self.ranges), hover=False), True
        if self._spec.is_stated:
            raise InputError("says how the robot hovers, on rotors that lift, and not how it flies", path="allocation")
        if not self._floats:
            raise InputError("this robot does not float: say here which inputs roll, pitch, yaw and push it", path="allocation")
        return self._derived(), False

    def _effects(self, allocation: Allocation, name: str) -> Effectiveness:
        """What the inputs of an allocation do where it is used."""
        tilt = 0.0 if name == "hover" else 1.0
        inputs = allocation.share({"thrust": _THRUST, "tilt": tilt})
        condition = self._at(inputs, hover=name == "hover")
        return effectiveness(self._held, condition, self.ranges, allocation.inputs)

    def _at(self, inputs: Mapping[str, float], *, hover: bool) -> Condition:
        start = self._twin.file.start
        velocity = (start.velocity.x, start.velocity.y, start.velocity.z)
        if hover:
            return Condition((0.0, 0.0, 0.0), 0.0, inputs)
        if math.hypot(*velocity) > _FLIES:
            return Condition(velocity, -start.orientation.y, inputs)
        return Condition(_body(self._level_speed(inputs), _NOSE), _NOSE, inputs)

    def _level_speed(self, inputs: Mapping[str, float]) -> float:
        """[m/s] at which the wing bears the weight at 0.1 rad of nose; that of the trial where it does not lift."""
        self._held.put(Condition(_body(_TRIAL, _NOSE), _NOSE, inputs))
        up = float(self._held.effects()[EFFECTS.index("up")])
        return _TRIAL * math.sqrt(self._held.weight / up) if up > 0.0 else _TRIAL

    def _derived(self) -> Allocation:
        """Weights from what the inputs do in flight."""
        names = [name for name, (low, high) in self.ranges.items() if high - low <= _BOUNDED]
        engines = [rotor.input for rotor in self._rotors if rotor.input in names]
        condition = self._at(dict.fromkeys(engines, _THRUST), hover=False)
        effects = effectiveness(self._held, condition, self.ranges, names)
        span = np.array([0.5 * (self.ranges[name][1] - self.ranges[name][0]) for name in names])
        turns = np.array([effects.of(axis) * span for axis in ("roll", "pitch", "yaw")])
        strong = np.abs(turns).max(axis=0, initial=0.0)
        useful = strong > _USELESS * max(float(strong.max(initial=0.0)), 1e-300)
        both = np.array([low < 0.0 < high for low, high in (self.ranges[name] for name in names)], dtype=bool)
        push = np.array([name in engines and effects.of("forward")[i] > 0.0 for i, name in enumerate(names)], dtype=bool)
        used = both & useful
        if np.linalg.matrix_rank(_rows(turns[:, used]), tol=_WEAK) < 3:
            used = (both | push) & useful
        rows = _rows(turns[:, used])
        if np.linalg.matrix_rank(rows, tol=_WEAK) < 3 and not used.any():
            raise InputError("no input turns this robot in flight: say here which roll, pitch and yaw it", path="allocation")
        inverse = np.linalg.pinv(rows, rcond=_WEAK)
        weights = {}
        for column, axis in enumerate(("roll", "pitch", "yaw")):
            found = np.zeros(len(names))
            found[used] = inverse[:, column]
            found[np.abs(found) < _WEAK * np.abs(found).max(initial=0.0)] = 0.0
            if found.any():
                weights[axis] = found / np.abs(found).max() * span
        weights["thrust"] = push * 1.0
        kept = [i for i in range(len(names)) if any(each[i] != 0.0 for each in weights.values())]
        limits = np.array([self.ranges[names[i]] for i in kept]).reshape(-1, 2)
        shares = {axis: each[kept] for axis, each in weights.items()}
        inputs = tuple(names[i] for i in kept)
        return Allocation(inputs, shares, limits[:, 0], limits[:, 1], np.zeros(len(kept)), FLIGHT_PRIORITY)


def _rows(turns: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows over their largest number."""
    largest = np.abs(turns).max(axis=1, keepdims=True, initial=0.0)
    largest[largest == 0.0] = 1.0
    rows: NDArray[np.float64] = turns / largest
    return rows


def _body(speed: float, nose: float) -> tuple[float, float, float]:
    """Level flight in the body's frame, its nose up."""
    return speed * math.cos(nose), 0.0, -speed * math.sin(nose)


def allocations_of(
    twin: Twin, assembly: Assembly, rotors: Sequence[Rotor], actuators: Sequence[Actuator]
) -> Allocations:
    """The allocations of a robot in a model, each found when a program first asks for it."""
    return Allocations(AllocationFinder(twin, assembly, rotors, actuators).find)


def allocation_notes(built: Built) -> tuple[Note, ...]:
    """A note on each axis of a stated allocation that does nothing; one that contradicts the robot is an `InputError`."""
    found, twin = [], built.twin
    for name, axes in AllocationFinder(twin, built.assembly, built.robot.rotors, built.robot.actuators).idle().items():
        for axis in axes:
            more = ("hover",) if name == "hover" and twin.file.allocation.hover.is_stated else ()
            where = twin.mistake("", "allocation", *more, axis)
            what = f"allocation.{axis} does nothing in {name}: its inputs turn and push nothing"
            found.append(Note(str(where.file), where.line, what))
    return tuple(found)
