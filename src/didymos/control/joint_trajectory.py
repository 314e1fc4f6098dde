"""Joint trajectory: joints follow setpoints angles, by the position law of their drives and what is known of their load.

    drive <- x* = w + w' T,  v* = w',  feed-forward (I + J) w'' + n F tanh(w' / v_0) + G,   both scales 1

w the setpoints angle of a joint [rad] (`setpoints.NAME` of its drive), w' and w'' from its change between calls; T the delay of the
bus, so that a command holds when it arrives; I the inertia of the limb and J of the rotor at the joint, F the friction at the
motor, n the ratio, G what holds the limb. The drive closes the loop with its own kp, ki and kd. With a belt over the joint
before it (knee over hip) a drive turns the sum of both angles, and the torque of the one before is less by its own.
`control.error.NAME` is the angle setpoints at the call before less the angle measured.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numba import carray

from didymos.compiled import c_function
from didymos.control.controller import CompiledController, Robot
from didymos.control.program import PROGRAM_SIGNATURE
from didymos.errors import InputError
from didymos.parts.drive import COMMAND_INPUTS, POSITION

__all__ = ["JointTrajectory"]

_TURN = 2.0 * math.pi
_SLIDING = 0.05  # [rad/s] v_0, over which friction changes sign
_HEAD = 5  # settings: joints, ratio, friction, delay, inertia of a rotor; then inertia, torque that holds and belt of each


@c_function(PROGRAM_SIGNATURE)
def _program(clock, settings, gains, measured, setpoints, memory_at, inputs):  # type: ignore[no-untyped-def]
    dt, first = clock[1], clock[2] > 0.5
    count, ratio, friction, delay, rotor = int(settings[0]), settings[1], settings[2], settings[3], settings[4]
    m = carray(memory_at, 4 * count + 1)
    m[4 * count] += 1.0
    for i in range(count):
        if first:
            m[count + i] = setpoints[i]
        m[i] = m[count + i] - measured[i]
        rate = (setpoints[i] - m[count + i]) / dt
        push = (rate - m[2 * count + i]) / dt if m[4 * count] > 2.5 else 0.0
        m[count + i], m[2 * count + i], m[3 * count + i] = setpoints[i], rate, push
    for i in range(count):
        goal, rate, push = m[count + i], m[2 * count + i], m[3 * count + i]
        own, after = _HEAD + 3 * i, _HEAD + 3 * (i + 1)
        torque = settings[own] * push + settings[own + 1]
        if i + 1 < count and settings[after + 2] > 0.5:
            torque -= settings[after] * m[3 * count + i + 1] + settings[after + 1]
        if settings[own + 2] > 0.5:
            goal, rate, push = goal + m[count + i - 1], rate + m[2 * count + i - 1], push + m[3 * count + i - 1]
        torque += rotor * push + ratio * friction * math.tanh(rate / _SLIDING)
        inputs[7 * i] = (goal + delay * rate) * ratio / _TURN
        inputs[7 * i + 1] = rate * ratio / _TURN
        inputs[7 * i + 2] = torque / ratio
        inputs[7 * i + 3] = 1.0
        inputs[7 * i + 4] = 1.0
        inputs[7 * i + 5] = POSITION
        inputs[7 * i + 6] = m[4 * count]


class JointTrajectory(CompiledController):
    """Drives joints along setpoints angles; joint NAME_joint is turned by drive NAME."""

    program: ClassVar = _program

    def __init__(
        self,
        drives: Sequence[str],
        ratio: float,
        friction: float = 0.0,
        delay: float = 0.0,
        rotor: float = 0.0,
        inertia: Sequence[float] = (),
        hold: Sequence[float] = (),
        belts: Sequence[str] = (),
        encoders: str = "encoders",
    ) -> None:
        """`rotor` and `inertia` of the limbs [kg m^2] and the torque that holds them where they begin [N m], at the joint; the
        last two of all joints or of as many as repeat. `belts`: drives whose belt runs over the joint before."""
        self.drives, self.encoders = tuple(drives), encoders
        unknown = [name for name in belts if name not in self.drives[1:]]
        if unknown:
            raise InputError(f"found {unknown[0]!r}, expected a drive with another one before it", path="control.options.belts")
        rows = []
        for i, name in enumerate(self.drives):
            rows += [float(values[i % len(values)]) if values else 0.0 for values in (inertia, hold)] + [float(name in belts)]
        self.settings = np.array([float(len(self.drives)), float(ratio), float(friction), float(delay), float(rotor), *rows])
        self.setpoints = self.drives
        self.reports = tuple((f"error.{name}", "rad") for name in self.drives)
        self.memory_size = 4 * len(self.drives) + 1

    def start(self, robot: Robot) -> None:
        """Find the encoders and the drives."""
        self.reads = tuple(f"{self.encoders}.{name}_joint.position" for name in self.drives)
        self.writes = tuple(f"{drive}.{name}" for drive in self.drives for name in COMMAND_INPUTS)
        for name, known, what in ((self.reads, robot.measured, "reading"), (self.writes, robot.inputs, "input")):
            missing = [item for item in name if item not in known]
            if missing:
                raise InputError(f"joint_trajectory needs the {what} {missing[0]!r}, which there is not", path="control.options")
