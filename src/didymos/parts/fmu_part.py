"""FMU: an actuator, or anything else that pushes, by somebody else: co-simulated beside the engine.

    F(t) = y_k,      t_k <= t < t_k + H,        y_k: outputs of the FMU at its communication point t_k, H: its step

At a communication point both sides exchange what they have, then both go on for H (as parallel co-simulation does): the engine
with the FMU's outputs held, the FMU with the motion and the inputs of the instant from which it goes on held. So nothing is told
later than H; a stiff coupling (a spring against a small mass) needs an H well below its own period, as with any held force.

Which of its inputs reads what of the motion (`reads`), and which of its outputs act (`acts`), the record says; its further inputs
are inputs of the part, its outputs are recorded, its parameters are parameters. A kind is made for each FMU from its model
description (`fmu_kind`); its law only holds what the FMU said (`engine/fmu_parts.py` steps it).

    source              what it is                                            frame
    joint.position      [rad or m], joint.velocity [rad/s or m/s]             of the part's joint
    position.x          [m] of the link's origin                              world
    velocity.x, rate.x  [m/s], [rad/s] of the link                            link
    air_velocity.x      [m/s] of the link relative to the air                 link
    density, height     [kg/m^3] of the air, [m] above the ground
    time                [s] the twin's clock

    target              joint.effort [N m or N], force.x [N] and torque.x [N m] at the link's origin, in its frame
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, ClassVar

from didymos.contract import input as part_input
from didymos.contract import memory, option, output, parameter
from didymos.errors import InputError, nearest
from didymos.fmu.description import FmuDescription, FmuVariable
from didymos.parts.part import Part, PartSpec, law, tick

__all__ = ["SOURCES", "TARGETS", "FmuPart", "fmu_part", "plain_names"]

SOURCES = (
    "joint.position", "joint.velocity", *(f"position.{axis}" for axis in "xyz"), *(f"velocity.{axis}" for axis in "xyz"),
    *(f"rate.{axis}" for axis in "xyz"), *(f"air_velocity.{axis}" for axis in "xyz"), "density", "height", "time",
)  # fmt: skip
"""What an input of an FMU can read, in the order of `FmuPart.memory.seen`."""

TARGETS = (*(f"force.{axis}" for axis in "xyz"), *(f"torque.{axis}" for axis in "xyz"), "joint.effort")
"""What an output of an FMU can act as, in the order of `FmuPart.memory.held`."""


class FmuPart(Part):
    """An FMU: what it last said acts until its next communication point."""

    kind = "fmu"
    fmu: ClassVar[FmuDescription]
    runs: ClassVar[bool] = True  # not where the FMU may only be looked at
    own_inputs: ClassVar[tuple[FmuVariable, ...]] = ()  # in the order of `inputs`
    own_outputs: ClassVar[tuple[FmuVariable, ...]] = ()  # in the order of `outputs`
    own_parameters: ClassVar[Mapping[str, FmuVariable]] = {}  # by the name that the twin file has

    reads = option(dict[str, str | float], {}, doc="input of the FMU: what it reads of the motion, or a number")
    acts = option(dict[str, str], {}, doc="joint.effort, force.x, torque.x, ...: the output of the FMU that is it")
    step = option(float | None, None, doc="communication step [s], whole ticks; one tick by default")
    instant = memory(unit="s", doc="of the tick")
    seen = memory(count=len(SOURCES), doc="the motion at the instant, in the order of `SOURCES`")
    held = memory(count=len(TARGETS), doc="what acts, in the order of `TARGETS`")

    @tick
    def begin(part, clock, inputs, memory, output):  # type: ignore[no-untyped-def]
        """Remember the instant at which the tick begins."""
        memory.instant = clock.time

    @law
    def hold(part, here, inputs, memory, state, rate, wrench, output):  # type: ignore[no-untyped-def]
        """Act as held; look at the motion in the evaluation at the beginning of a tick, not in those of its stages."""
        if abs(here.time - memory.instant) < 0.25 * here.step:
            seen = memory.seen
            seen[0] = here.joint_position
            seen[1] = here.joint_velocity
            for i in range(3):
                seen[2 + i] = here.position_world[i]
                seen[5 + i] = here.velocity[i]
                seen[8 + i] = here.rate[i]
                seen[11 + i] = here.air_velocity[i]
            seen[14] = here.density
            seen[15] = here.height
            seen[16] = memory.instant
        for i in range(3):
            wrench.force[i] = memory.held[i]
            wrench.torque[i] = memory.held[3 + i]
        wrench.joint_torque = memory.held[6]

    @classmethod
    def for_record(cls, raw: Mapping[str, Any]) -> type[Part]:
        """The kind for one record of a twin file: inputs that read the motion are none of the part's."""
        reads = raw.get("reads")
        return _made(cls.fmu, cls.runs, frozenset(reads) if isinstance(reads, dict) else frozenset(), cls.kind)

    @classmethod
    def check(cls, spec: Any) -> None:
        """Whether the names of the record are there."""
        if not hasattr(cls, "fmu"):
            return
        try:
            for name, source in spec.reads.items():
                cls.fmu.variable(name, "input")
                if isinstance(source, str) and source not in SOURCES:
                    raise ValueError(f"reads.{name}: found {source!r}{nearest(source, SOURCES)}, expected a number or one of "
                                     + ", ".join(SOURCES))
            for target, name in spec.acts.items():
                if target not in TARGETS:
                    raise ValueError(f"acts: found {target!r}{nearest(target, TARGETS)}, expected one of {', '.join(TARGETS)}")
                cls.fmu.variable(name, "output")
        except InputError as error:
            raise ValueError(error.message) from None
        used = [*spec.acts, *(source for source in spec.reads.values() if isinstance(source, str))]
        if spec.joint is None and any(word.startswith("joint.") for word in used):
            raise ValueError("the key 'joint' is missing: the FMU reads a joint, or acts on one")
        if spec.step is not None and not spec.step > 0.0:
            raise ValueError(f"step: found {spec.step:g}, expected a time above 0 s")

    @classmethod
    def check_tick(cls, spec: Any, period: float) -> None:
        """Whether the communication step is a whole number of ticks."""
        ticks = 1.0 if spec.step is None else spec.step / period
        if ticks < 0.5 or abs(ticks - round(ticks)) > 1e-6 * ticks:
            raise ValueError(f"step: found {spec.step:g} s, expected a whole number of ticks of {period:g} s")


_TAKEN = {*PartSpec.model_fields, "reads", "acts", "step", "file"}


def fmu_part(about: FmuDescription, *, runs: bool, kind: str) -> type[FmuPart]:
    """The kind of part that an FMU is; one that may not `run` stands still."""
    return _made(about, runs, frozenset(), kind)


_MADE: dict[Any, type[FmuPart]] = {}


def _made(about: FmuDescription, runs: bool, read: frozenset[str], kind: str) -> type[FmuPart]:
    key = about, runs, read, kind
    if key not in _MADE:
        while len(_MADE) >= 64:
            _MADE.pop(next(iter(_MADE)))
        _MADE[key] = _new(about, runs, read, kind)
    return _MADE[key]


def _new(about: FmuDescription, runs: bool, read: frozenset[str], kind: str) -> type[FmuPart]:
    inputs = tuple(item for item in about.of("input") if item.name not in read)
    outputs, parameters = about.of("output"), tuple(item for item in about.of("parameter") if item.start is not None)
    namespace: dict[str, Any] = {
        "__module__": __name__, "__qualname__": "FmuPart",  # all of them have one law
        "__doc__": f"The FMU {about.file.name}.", "kind": kind, "fmu": about, "runs": runs,
        "own_inputs": inputs, "own_outputs": outputs,
        "own_parameters": dict(zip(plain_names(parameters, _TAKEN), parameters, strict=True)),
    }  # fmt: skip
    for name, item in zip(plain_names(inputs), inputs, strict=True):
        low = -float("inf") if item.low is None else item.low
        high = float("inf") if item.high is None else item.high
        namespace[f"input_{name}"] = part_input(name, range=(low, high), unit=item.unit or "1", doc=item.doc)
    for name, item in zip(plain_names(outputs), outputs, strict=True):
        namespace[f"output_{name}"] = output(name, unit=item.unit or "1", doc=item.doc)
    for name, item in namespace["own_parameters"].items():
        namespace[f"parameter_{name}"] = parameter(
            item.start, unit=item.unit or "1", low=item.low, high=item.high, live=item.is_tunable, doc=item.doc, name=name
        )
    return type("FmuPart_" + re.sub(r"\W", "_", about.identifier), (FmuPart,), namespace)


def plain_names(items: Collection[FmuVariable], taken: Collection[str] = ()) -> list[str]:
    """A name for each variable that is a key of a twin file: `body.mass[1]` becomes `body_mass_1`."""
    return list(_plain(items, set(taken)))


def _plain(items: Collection[FmuVariable], taken: set[str]) -> Iterator[str]:
    for item in items:
        name = re.sub(r"\W+", "_", item.name, flags=re.ASCII).strip("_") or "x"
        name = f"x{name}" if name[0].isdigit() else name
        while name in taken:
            name += "_"
        taken.add(name)
        yield name
