"""What a part is: a force law and the numbers that it declares.

A law is a compiled function, called by the engine in every stage of a step. It reads its own parameters, the motion of the
frame it sits in and the air there, its inputs, its memory and its continuous states; it writes the force and torque on its
link, the torque on its joint, the rates of its states and its readouts. All vectors are in the frame of the part (the link's,
unless the twin places it elsewhere), forward-left-up; force and torque act at that frame's origin.

    class Parachute(Part):
        area = parameter(unit="m^2", low=0)
        opening_time = parameter(0.5, unit="s", above=0)
        released = input(range=(0, 1))
        opened = state()
        drag = output(unit="N")

        @law
        def act(part, here, inputs, memory, state, rate, wrench, output):
            rate.opened = (inputs.released - state.opened) / part.opening_time
            ...

The eight arguments are records (see `MOTION`, `WRENCH` for `here` and `wrench`), read and written by name. A law is called
several times a step, at states that may never come to be, so it may not change its memory: what happens once per tick (a valve
that latches, a servo that moves) belongs into

        @tick
        def step(part, clock, inputs, memory, output): ...

with `clock.time` [s] and `clock.period` [s]. `wrench` is zero and `rate` holds anything when a law is called.

A part whose `input_from` names another one (which stands before it in the file) finds that part's outputs among its inputs,
where it declares `needs`; without one they are zero, or a mistake where it declares them `required`. One whose `belt` runs over
a second joint turns q + q_belt, and its torque acts on both joints, as virtual work says: a knee that is driven from the hip's
axis. Inertia, dry friction and damping that a part lends to its joint are the engine's own (`on_joint`): it solves them
implicitly, with true standstill, which no force law can. A law that holds with some integrators only names them
(`integrators`); one that acts for a time, not at an instant, finds the step that it acts in as `here.step_time`, `here.step`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, ClassVar, Literal

import numpy as np
from numba import types
from pydantic import Field, create_model, model_validator

from didymos.compiled import CFunction
from didymos.contract import Declaration, declared, layout_of, record_type
from didymos.parts.actuation import JointActuation
from didymos.parts.jet_source import JetSource
from didymos.spec import Spec, number

__all__ = ["CLOCK", "MOTION", "WRENCH", "JointDemand", "JointLoad", "Motion", "Part", "PartSpec", "law", "tick"]

MOTION = np.dtype(
    [
        ("time", np.float64),  # [s]
        ("step", np.float64),  # [s] length of the physics step
        ("step_time", np.float64),  # [s] when it began: the same in all stages of RK4
        ("implicit", np.float64),  # 1 where the engine solves the damping of joints implicitly
        ("position_world", np.float64, 3),  # [m]
        ("height", np.float64),  # [m] above the ground (`world.ground.height`; without a ground, above z = 0)
        ("clearance", np.float64),  # [m] straight down to whatever stands there, infinite above nothing; see `Part.looks_below`
        ("rotation", np.float64, 9),  # part frame to world, row-major
        ("velocity", np.float64, 3),  # [m/s] of the frame's origin, in the part's frame
        ("rate", np.float64, 3),  # [rad/s] in the part's frame
        ("air_velocity", np.float64, 3),  # [m/s] of the part relative to the air, in the part's frame
        ("air_rate", np.float64, 3),  # [rad/s] relative to the air, whose rotational gusts turn it, in the part's frame
        ("density", np.float64),  # [kg/m^3]
        ("temperature", np.float64),  # [K]
        ("joint_position", np.float64),  # [rad or m], zero without a joint; of a belt, the sum of both
        ("joint_velocity", np.float64),  # [rad/s or m/s]
    ]
)
"""Memory layout of what a law is told about its frame, its joint and the air."""

WRENCH = np.dtype(
    [("force", np.float64, 3), ("torque", np.float64, 3), ("joint_torque", np.float64), ("joint_passive", np.float64)]
)
"""Memory layout of what a law answers: [N], [N m] in the part's frame, [N m or N] along the joint.

`joint_passive` is what of the joint torque nobody drives (friction, ripple, the inertia of a rotor behind a spring): the joint's
limits do not bind it.
"""

CLOCK = np.dtype([("time", np.float64), ("period", np.float64), ("first", np.float64)])
"""Memory layout of the clock: time [s], time between two calls [s], 1 at the first call."""


class Motion(IntEnum):
    """How much of `MOTION` a law reads; the rest is not worked out for it and holds anything."""

    AIR = 0  # everything
    FRAME = 1  # everything but the air
    JOINT = 2  # the times, `implicit` and the joint; such a law answers with a joint torque only


@dataclass(frozen=True)
class JointLoad:
    """What a part lends to its joint: inertia [kg m^2], dry friction [N m], damping [N m s/rad]; of a slider [kg, N, N s/m]."""

    armature: float = 0.0
    friction: float = 0.0
    damping: float = 0.0


@dataclass(frozen=True)
class JointDemand:
    """The most that a part asks of its joint, and the parameters that say so; infinite where none does."""

    effort: float = math.inf  # [N m or N]
    effort_by: str = ""
    velocity: float = math.inf  # [rad/s or m/s]
    velocity_by: str = ""


class PartSpec(Spec):
    """What every part says: its kind, the link (or named frame) it acts on, the joint it turns, the part it listens to."""

    contract: ClassVar[type[Part]]

    kind: str
    link: str
    joint: str | None = None
    belt: str | None = Field(default=None, description="a joint that the part's belt runs over: it turns the sum of both angles")
    input_from: str | None = Field(default=None, description="an earlier part whose outputs this one needs")

    @model_validator(mode="after")
    def _consistent(self) -> PartSpec:
        required = [item.name for item in self.contract.needed if item.required]
        if required and self.input_from is None:
            raise ValueError(f"a part of kind {self.kind!r} needs the key 'input_from': the part with the output {required[0]!r}")
        self.contract.check(self)
        return self

    def record(self) -> Any:
        """The part's numbers as compiled code reads them, a numpy scalar of `Part.parameter_layout`."""
        contract = self.contract
        made = np.zeros((), dtype=contract.parameter_layout)
        for item in contract.parameters:
            if item.role == "parameter_array":
                made[item.name] = np.reshape([getattr(self, name) for name in item.columns], item.shape)
            else:
                made[item.name] = getattr(self, item.name)
        for item in contract.options:
            value = getattr(self, item.name)
            if item.role == "choice":
                made[item.name] = item.labels.index(value)
            elif item.layout is not None and value is not None:
                made[item.name] = value.record()
        return made[()]


_ARGUMENTS = {"law": "part, here, inputs, memory, state, rate, wrench, output", "tick": "part, clock, inputs, memory, output"}


class _Marked:
    """A function of a part's class that is to be compiled."""

    def __init__(self, function: Callable[..., Any], role: str) -> None:
        self.function, self.role = function, role
        count = function.__code__.co_argcount
        if count != len(_ARGUMENTS[role].split()):
            raise TypeError(f"{function.__qualname__} has {count} arguments, a {role} has these: ({_ARGUMENTS[role]})")


def law(function: Callable[..., Any]) -> Any:
    """The force law of a part: (part, here, inputs, memory, state, rate, wrench, output)."""
    return _Marked(function, "law")


def tick(function: Callable[..., Any]) -> Any:
    """What a part does once per tick: (part, clock, inputs, memory, output)."""
    return _Marked(function, "tick")


def _compiled(marked: _Marked, part: type[Part]) -> CFunction:
    """The C function of a law or a tick, with the layouts of its part."""
    inner: tuple[np.dtype[Any], ...]
    if marked.role == "law":
        inner = (MOTION, part.input_layout, part.memory_layout, part.state_layout, part.state_layout, WRENCH)
    else:
        inner = (CLOCK, part.input_layout, part.memory_layout)
    layouts = (part.parameter_layout, *inner, part.output_layout)
    return CFunction(types.void(*(record_type(layout) for layout in layouts)), marked.function)


class Part:
    """Base of every force law; see the module."""

    kind: ClassVar[str] = ""
    motion: ClassVar[Motion] = Motion.AIR
    needs_joint: ClassVar[bool] = False
    may_slide: ClassVar[bool] = False  # so may its joint: its units are then N for N m and m for rad
    integrators: ClassVar[tuple[str, ...]] = ()  # with which alone the law holds; empty for all
    collects: ClassVar[Mapping[str, str]] = {}  # array that it `needs`: an output of the parts whose `input_from` names it
    switch: ClassVar[str] = ""  # a parameter at whose 0 the part is off: its law is not called, its outputs are 0

    parameters: ClassVar[tuple[Declaration, ...]]
    options: ClassVar[tuple[Declaration, ...]]
    inputs: ClassVar[tuple[Declaration, ...]]
    needed: ClassVar[tuple[Declaration, ...]]
    memory: ClassVar[tuple[Declaration, ...]]
    states: ClassVar[tuple[Declaration, ...]]
    outputs: ClassVar[tuple[Declaration, ...]]
    parameter_layout: ClassVar[np.dtype[Any]]
    input_layout: ClassVar[np.dtype[Any]]
    memory_layout: ClassVar[np.dtype[Any]]
    state_layout: ClassVar[np.dtype[Any]]
    output_layout: ClassVar[np.dtype[Any]]
    spec: ClassVar[type[PartSpec]]
    law: ClassVar[CFunction]
    tick: ClassVar[CFunction | None] = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "kind" not in vars(cls):
            cls.kind = re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()
        cls.parameters = declared(cls, "parameter", "parameter_array")
        cls.options = declared(cls, "choice", "option")
        cls.inputs, cls.needed = declared(cls, "input"), declared(cls, "needs")
        cls.memory, cls.states, cls.outputs = declared(cls, "memory"), declared(cls, "state"), declared(cls, "output")
        in_record = [item for item in cls.options if item.role == "choice" or item.layout is not None]
        cls.parameter_layout = layout_of((*cls.parameters, *in_record))
        cls.input_layout = layout_of((*cls.inputs, *cls.needed))
        cls.memory_layout, cls.state_layout = layout_of(cls.memory), layout_of(cls.states)
        cls.output_layout = layout_of(cls.outputs)
        for marked in [value for value in vars(cls).values() if isinstance(value, _Marked)]:
            setattr(cls, marked.role, _compiled(marked, cls))
        cls.spec = _spec_of(cls)

    @classmethod
    def incomplete(cls) -> str:
        """What the class lacks before it can act, in a few words; empty where nothing is."""
        return "" if hasattr(cls, "law") else "has no force law: a function marked with @law"

    @classmethod
    def for_record(cls, raw: Mapping[str, Any]) -> type[Part]:
        """The kind for one record of a twin file: itself, unless the record decides which inputs there are."""
        return cls

    @classmethod
    def check(cls, spec: Any) -> None:
        """Whether the numbers of a part agree with each other; a ValueError says what does not."""

    @classmethod
    def check_tick(cls, spec: Any, period: float) -> None:
        """Whether the numbers of a part fit the time between two ticks [s]; a ValueError says what does not."""

    @classmethod
    def on_joint(cls, numbers: Any) -> JointLoad | None:
        """What a part lends to its joint, from its numbers by attribute; None where it lends nothing."""
        return None

    @classmethod
    def at_most(cls, numbers: Any) -> JointDemand | None:
        """The most that a part asks of its joint, from its numbers by attribute; None where they do not say."""
        return None

    @classmethod
    def actuation(cls, numbers: Any) -> JointActuation | None:
        """How a program commands the joint through a part, from its numbers by attribute; None where it cannot."""
        return None

    @classmethod
    def connections(cls, spec: Any) -> Mapping[str, tuple[str, ...]]:
        """Readouts of earlier parts, PART.NAME, that a part asks for beside `input_from`, by the array that it `needs` them as.

        They fill the array in this order; what is left of it is zero. The key of the twin file has the array's name and `_from`.
        """
        return {}

    @classmethod
    def looks_below(cls, spec: Any) -> bool:
        """Whether a part is told its `clearance`; for others that holds anything."""
        return False

    @classmethod
    def jet_source(cls, numbers: Any) -> JetSource | None:
        """The disc with which a part blows at what is below it, from its numbers by attribute; None for a part that does not."""
        return None

    @classmethod
    def idle_states(cls, spec: Any) -> int:
        """How many of the last states a part has no use for; the engine does not integrate those."""
        return 0

    @classmethod
    def used_states(cls, spec: Any) -> tuple[Declaration, ...]:
        """The continuous states that a part needs."""
        return cls.states[: len(cls.states) - cls.idle_states(spec)]


def _spec_of(part: type[Part]) -> type[PartSpec]:
    """The record of `twin.yaml` that a part declares."""
    fields: dict[str, Any] = {}
    for item in part.parameters:
        for name, unit in zip(item.columns or (item.name,), item.units or (item.unit,), strict=True):
            fields[name] = (
                float,
                number(item.default, unit=unit, low=item.low, high=item.high, above=item.above, live=item.live, doc=item.doc),
            )
    for item in part.options:
        kind = Literal[item.labels] if item.role == "choice" else item.kind
        fields[item.name] = (kind, Field(item.default, description=item.doc))
    made = create_model(f"{part.__name__}Spec", __base__=PartSpec, __doc__=part.__doc__, kind=(str, part.kind), **fields)
    made.contract = part
    return made
