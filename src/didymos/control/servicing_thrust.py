"""Force and torque on a base, shared between reaction wheels and thrusters.

Wheels take what they can of a torque; what is left, and every force, is for the thrusters. Their duties follow from the wrench
of each open nozzle by the least squares of all that give the wrench. A valve opens once in a period: what was demanded since
the last time is added up, and leaves as one pulse when it is worth the smallest one; what is left over stays in the sum, so
that no impulse is lost.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.compiled import kernel
from didymos.control.angles import limit
from didymos.control.servicing_layout import WHEELS

__all__ = ["drive_wheels", "fired_force", "mixer_of", "pulse"]

_NEAR = 0.95  # of a wheel's largest speed: from there on it only slows down


def mixer_of(wrench: NDArray[np.float64]) -> NDArray[np.float64]:
    """Duties per wrench [n, 6] of nozzles with the wrenches [6, n]; an ArithmeticError where some wrench cannot be given."""
    if np.linalg.matrix_rank(wrench, tol=1e-9 * float(np.abs(wrench).max(initial=0.0)) + 1e-300) < 6:
        raise ArithmeticError("the thrusters do not push and turn the base along all axes")
    return np.asarray(np.linalg.pinv(wrench), dtype=np.float64)


@kernel
def drive_wheels(rotors: Any, speeds: Any, torque: Any, out: Any) -> None:
    """Torques on the base [3] that the wheels give into `out`; `torque` [3] along the base's axes becomes what is left of it.

    Of wheels whose axes are at right angles.
    """
    for i in range(WHEELS):
        axis, most = rotors[i].axis, rotors[i].torque
        asked = torque[0] * axis[0] + torque[1] * axis[1] + torque[2] * axis[2]
        given = limit(asked, -most, most)
        # the rotor gains what the base loses
        if speeds[i] * given < 0.0 and abs(speeds[i]) > _NEAR * rotors[i].speed:
            given = 0.0
        out[i] = given
        for k in range(3):
            torque[k] -= given * axis[k]


@kernel
def fired_force(thrusters: Any, duty: Any, out: Any) -> None:
    """Mean wrench [6] on the base, along its axes, of thrusters at their duties."""
    for a in range(6):
        out[a] = 0.0
        for i in range(int(thrusters.count)):
            out[a] += thrusters.wrench[a, i] * duty[i]


@kernel
def pulse(thrusters: Any, wrench: Any, time: float, period: float, memory: Any) -> None:
    """Add a demanded wrench [6] up, and at the beginning of a thruster period make duties of the sum, into `memory.duty`."""
    count = int(thrusters.count)
    for i in range(count):
        for a in range(6):
            memory.pulse_sum[i] += thrusters.mixer[i, a] * wrench[a] * period / thrusters.period
    number = math.floor(time / thrusters.period + 1e-6)
    if number == memory.pulse_number:
        return
    memory.pulse_number = number
    for i in range(count):
        duty = limit(memory.pulse_sum[i], -1.0, 1.0)
        if abs(duty) < thrusters.least:
            duty = 0.0
        memory.duty[i] = duty
        memory.pulse_sum[i] = limit(memory.pulse_sum[i] - duty, -1.0, 1.0)
