"""Multirotor position hold: position, velocity, tilt and height in nested loops.

    e = p* - p,  v_ff = 0                                   the loops are those of `multirotor_loops`

On the ground (`landed`) the integrals and all rotors are held at zero, so that a take-off begins level. Frames: world
east-north-up, body forward-left-up.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from didymos.contract import memory, report, setpoint
from didymos.control.compiled_controller import program
from didymos.control.landed import is_landed
from didymos.control.multirotor_loops import MultirotorLoops, fly, rest
from didymos.control.navigation import navigate

__all__ = ["MultirotorHold"]


class MultirotorHold(MultirotorLoops):
    """Holds a place, a height and a heading, from a pose sensor or from the estimator."""

    x = setpoint(unit="m")
    y = setpoint(unit="m")
    z = setpoint(unit="m")
    yaw = setpoint(unit="rad")
    landed = report(labels=("in flight", "landed"))
    low_thrust = memory(unit="s", doc="for how long the thrust has been too low to fly")
    falling = memory(unit="s", doc="for how long it has fallen or been carried, taken to be landed")

    @program
    def step(clock: Any, settings, gains, measured, setpoints, memory, inputs):  # type: ignore[no-untyped-def]
        navigate(clock, settings, gains, measured, memory)
        position = memory.navigation.estimate.position
        error = (setpoints.x - position[0], setpoints.y - position[1], setpoints.z - position[2])
        thrust = fly(clock.period, settings, gains, measured, error, (0.0, 0.0, 0.0), setpoints.yaw, memory, inputs)
        if is_landed(clock, settings.navigation, gains.height_hover, thrust, error[2], measured.navigation, memory):
            rest(memory, inputs)

    def __init__(
        self,
        sensor: str | None = None,
        estimator: Mapping[str, str | float] | None = None,
        rotor_speeds: str | None = None,
    ) -> None:
        self.fly_by("multirotor_hold", sensor, estimator, rotor_speeds)
