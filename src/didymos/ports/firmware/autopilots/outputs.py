"""Which numbered output of an autopilot drives which input of the twin, and how far.

An output is a number in [-1, 1] (a servo, 0 in the middle) or in [0, 1] (a motor); the range of the input says which it is:

    low < 0 < high    u = high f, f >= 0;   u = -low f, f < 0         f in [-1, 1]
    else              u = low + (high - low) f                         f in [0, 1]

On a wire of servos it is a pulse [us], 1000 + 1000 f of a motor, 1500 + 500 f of a servo.
A leading minus turns an output round (f -> -f, or 1 - f); several inputs may hang on one output, as two engines on one throttle.
What a twin does not name is found: an aircraft on its wing has the roll, pitch, thrust and yaw of its allocation at 1 to 4
(right, up, right are positive, in ArduPilot, in PX4 and here); rotors that sit like one of these frames have its numbers,
clockwise from the nose [deg]:

    frame      1        2         3        4        5        6
    quad +     90 ccw   -90 ccw   0 cw     180 cw
    quad X     45 ccw   -135 ccw  -45 cw   135 cw
    hexa +     0 cw     180 ccw   -120 cw  60 ccw   -60 ccw  120 cw
    hexa X     90 cw    -90 ccw   -30 cw   150 ccw  30 ccw   -150 cw

They are the same in both (ArduPilot: AP_MotorsMatrix.cpp; PX4: its Airframes Reference). Rotors that all turn the other way are
found as well: ArduPilot has that of quad X as its frame type H, PX4 wants the sign of each CA_ROTORn_KM.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from didymos.control.controller import Robot
from didymos.control.rotor_place import Rotor
from didymos.errors import InputError, nearest

if TYPE_CHECKING:
    from didymos.describe.twin import Twin

__all__ = ["MOST_OUTPUTS", "Drive", "Frame", "Named", "find_frame", "find_outputs", "is_multirotor", "named_outputs"]

MOST_OUTPUTS = 32
_LOW, _MIDDLE, _SPAN = 1000.0, 1500.0, 1000.0  # [us] of a pulse
_NEAR = 10.0  # [deg] a rotor may be from its place in a frame
_UPWARD = 0.9  # least upward part of a lifting rotor's axis
_CW, _CCW = -1.0, 1.0
_FRAMES: dict[str, tuple[tuple[float, float], ...]] = {
    "quad_plus": ((90, _CCW), (-90, _CCW), (0, _CW), (180, _CW)),
    "quad_x": ((45, _CCW), (-135, _CCW), (-45, _CW), (135, _CW)),
    "hexa_plus": ((0, _CW), (180, _CCW), (-120, _CW), (60, _CCW), (-60, _CCW), (120, _CW)),
    "hexa_x": ((90, _CW), (-90, _CCW), (-30, _CW), (150, _CCW), (30, _CCW), (-150, _CW)),
}
_ARDUPILOT = {"quad_plus": (1, 0), "quad_x": (1, 1), "hexa_plus": (2, 0), "hexa_x": (2, 1)}
_REVERSED = {"quad_x": (1, 3)}
Named = Sequence[str | Sequence[str] | None]
"""What outputs 1, 2, ... drive: an input, several of them, or nothing."""
PLANE = ("roll", "pitch", "thrust", "yaw")
"""What outputs 1 to 4 of an aircraft on its wing do."""
_ASK = "name what outputs 1, 2, ... drive"


@dataclass(frozen=True)
class Frame:
    """A frame of rotors that both autopilots know, and its inputs in the order of their numbers."""

    name: str
    reversed: bool
    inputs: tuple[str, ...]

    @property
    def ardupilot(self) -> tuple[int, int] | None:
        """ArduPilot's FRAME_CLASS and FRAME_TYPE, None where it has none for rotors that turn like these."""
        return (_REVERSED if self.reversed else _ARDUPILOT).get(self.name)


@dataclass(frozen=True)
class Drive:
    """One input and the output that drives it."""

    output: int  # from 1
    input: str
    low: float
    high: float
    reversed: bool = False

    @property
    def centred(self) -> bool:
        """Whether its output is a servo's, with zero in the middle."""
        return self.low < 0.0 < self.high

    def value(self, part: float) -> float:
        """The input at a part in [-1, 1], or in [0, 1] where it is not centred; beyond, at its end."""
        if self.centred:
            part = min(max(-part if self.reversed else part, -1.0), 1.0)
            return self.high * part if part >= 0.0 else -self.low * part
        part = min(max(part, 0.0), 1.0)
        return self.low + (self.high - self.low) * (1.0 - part if self.reversed else part)

    def part(self, value: float) -> float:
        """The part at which the input has a value, the other way round."""
        if self.centred:
            found = value / self.high if value >= 0.0 else -value / self.low
            return min(max(-found if self.reversed else found, -1.0), 1.0)
        found = min(max((value - self.low) / (self.high - self.low), 0.0), 1.0)
        return 1.0 - found if self.reversed else found

    def of_pulse(self, pulse: float) -> float:
        """The input at a pulse [us]; 0 is no pulse."""
        if pulse == 0:
            return self.rest
        return self.value((pulse - _MIDDLE) / (0.5 * _SPAN) if self.centred else (pulse - _LOW) / _SPAN)

    def pulse(self, value: float) -> int:
        """The pulse [us] at which the input has a value."""
        part = self.part(value)
        return round(_MIDDLE + 0.5 * _SPAN * part if self.centred else _LOW + _SPAN * part)

    @property
    def rest(self) -> float:
        """The input while nothing comes: a surface in the middle, a motor that stands."""
        return 0.0 if self.low <= 0.0 <= self.high else self.low


def find_outputs(robot: Robot, named: Named, where: str) -> tuple[Drive, ...]:
    """What each output drives: as named, or as found from where the rotors sit or from the robot's allocation.

    `where` is the path of the option. What cannot be found, or does not fit, is an `InputError`.
    """

    def mistake(text: str) -> InputError:
        return InputError(text, path=where)

    if named:
        if isinstance(named, str) or len(named) > MOST_OUTPUTS:
            raise mistake(f"expected a list of what outputs 1, 2, ... drive, at most {MOST_OUTPUTS}")
        numbered = {number: _names(value) for number, value in enumerate(named, 1) if value}
    elif is_multirotor(robot):
        numbered = {number: (name,) for number, name in enumerate(find_frame(robot.rotors, mistake).inputs, 1)}
    else:
        numbered = _of_axes(robot, mistake)
    drives: list[Drive] = []
    for number, names in sorted(numbered.items()):
        for name in names:
            drives.append(_drive(robot, number, name, mistake))
    twice = [drive.input for i, drive in enumerate(drives) if drive.input in {other.input for other in drives[:i]}]
    if twice:
        raise mistake(f"{twice[0]!r} is driven by two outputs, expected one")
    return tuple(drives)


def named_outputs(twin: Twin, kinds: Sequence[str] = ("px4", "ardupilot")) -> Named:
    """What a twin file names for the first of some autopilots that it names outputs of; nothing where it does not."""
    about = [getattr(twin.file.firmware, kind) for kind in kinds]
    return next((named for spec in about if spec is not None and (named := spec.options.get("outputs"))), ())


def is_multirotor(robot: Robot) -> bool:
    """Whether all rotors that a robot has lift it."""
    return bool(robot.rotors) and all(rotor.axis[2] > _UPWARD for rotor in robot.rotors)


def _of_axes(robot: Robot, mistake: Callable[[str], InputError]) -> dict[int, tuple[str, ...]]:
    """The outputs of an aircraft on its wing, by its allocation; an input of two axes is for its user to name."""
    if any(rotor.axis[2] > _UPWARD for rotor in robot.rotors):
        raise mistake(f"some of the rotors lift and some push; {_ASK}")
    try:
        allocation = robot.allocation.flight
    except InputError as error:
        raise mistake(f"{error.message}; {_ASK}") from None
    numbered = {}
    for number, axis in enumerate(PLANE, 1):
        weights = dict(zip(allocation.inputs, allocation.weights.get(axis, ()), strict=False))
        numbered[number] = tuple(f"{'-' * int(weights[name] < 0.0)}{name}" for name in allocation.of(axis))
    under = [name.removeprefix("-") for names in numbered.values() for name in names]
    mixed = [name for name in under if under.count(name) > 1]
    if mixed:
        raise mistake(f"{mixed[0]!r} stands under two axes of the allocation, which the autopilot mixes by itself; {_ASK}")
    return numbered


def _names(value: str | Sequence[str]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(str(item) for item in value)


def _drive(robot: Robot, number: int, name: str, mistake: Callable[[str], InputError]) -> Drive:
    plain = name.removeprefix("-")
    if plain not in robot.inputs:
        raise mistake(f"there is no input {plain!r}{nearest(plain, robot.inputs)} for output {number}")
    low, high = robot.input_ranges.get(plain, (-math.inf, math.inf))
    if not (math.isfinite(low) and math.isfinite(high)):
        raise mistake(f"the input {plain!r} has no limits, so no output can be scaled to it")
    return Drive(number, plain, low, high, reversed=name.startswith("-"))


def find_frame(rotors: Sequence[Rotor], mistake: Callable[[str], InputError]) -> Frame:
    """The frame that rotors make which all lift; where they make none that both autopilots know, a sentence says so."""
    lifting = list(rotors)
    middle = [sum(rotor.position[axis] for rotor in lifting) / len(lifting) for axis in (0, 1)]
    angles = [-math.degrees(math.atan2(rotor.position[1] - middle[1], rotor.position[0] - middle[0])) for rotor in lifting]
    for name, places in _FRAMES.items():
        order = [_at(place, angles) for place, _ in places] if len(places) == len(lifting) else [None]
        if None in order:
            continue
        found = [lifting[index] for index in order if index is not None]
        turns = [rotor.direction * direction for rotor, (_, direction) in zip(found, places, strict=True)]
        if len(set(turns)) == 1:
            return Frame(name, turns[0] < 0.0, tuple(rotor.input for rotor in found))
        raise mistake(f"the rotors sit like {name.replace('_', ' ')} but do not turn like it; {_ASK}")
    seen = ", ".join(f"{angle:.0f}" for angle in sorted(angles))
    raise mistake(f"{len(lifting)} rotors at {seen} deg from the nose make none of {', '.join(_FRAMES)}; {_ASK}")


def _at(place: float, angles: Sequence[float]) -> int | None:
    for index, angle in enumerate(angles):
        if abs((angle - place + 180.0) % 360.0 - 180.0) <= _NEAR:
            return index
    return None
