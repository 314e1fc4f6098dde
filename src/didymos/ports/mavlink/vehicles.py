"""Which vehicle a robot is: by the program that flies it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from didymos.control.controller import Controller
from didymos.control.fixed_wing import FixedWing
from didymos.control.multirotor_commander import MultirotorCommander
from didymos.ports.mavlink.flight import Flight
from didymos.ports.mavlink.multirotor_flight import MultirotorFlight
from didymos.ports.mavlink.plane_flight import PlaneFlight
from didymos.ports.mavlink.robots import MultirotorRobot, PlaneRobot

if TYPE_CHECKING:
    from didymos.engine.robot_run import RobotRun
    from didymos.engine.run import Run

__all__ = ["is_vehicle", "make_flight"]

_VEHICLES: dict[type[Controller], Callable[[Run, RobotRun], Flight]] = {
    MultirotorCommander: lambda run, robot: MultirotorFlight(MultirotorRobot(run, robot)),
    FixedWing: lambda run, robot: PlaneFlight(PlaneRobot(run, robot)),
}


def is_vehicle(robot: RobotRun) -> bool:
    """Whether a robot can be flown over MAVLink."""
    return isinstance(robot.program, tuple(_VEHICLES))


def make_flight(run: Run, robot: RobotRun) -> Flight:
    """The flight of a robot that is a vehicle."""
    return next(make for program, make in _VEHICLES.items() if isinstance(robot.program, program))(run, robot)
