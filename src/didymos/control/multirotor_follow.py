"""Multirotor that keeps a place beside another robot: a formation, a chase, an escort.

    e    = d + Rz(psi_t) (x, y, z),    v_ff = v_t + w_t x Rz(psi_t) (x, y, 0)        d, v_t, psi_t, w_t as in `target`
    psi* = psi_t + yaw

and from there on the loops of `multirotor_loops`. The set-points are the place in the frame of the target's heading (forward,
left, up, from its origin), so that a formation turns with its leader. The target is known by a sensor of its relative pose, not
by where either robot believes to be: the wander of the satellites' position does not enter. While no target is seen, for
`target.patience` after the last reading and before the first, the robot holds the place and heading that it had.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from didymos.compiled import kernel
from didymos.contract import measurement, memory, report, setpoint
from didymos.control.angles import roll_pitch_yaw
from didymos.control.compiled_controller import program
from didymos.control.controller import Gain, Robot
from didymos.control.landed import is_landed
from didymos.control.multirotor_loops import MultirotorLoops, fly, rest
from didymos.control.navigation import navigate
from didymos.control.target import TARGET, TARGET_READING, place_at_target, target_reads, track_target

__all__ = ["LOST", "SEEN", "FollowingMultirotor", "MultirotorFollow", "watch_target", "way_back"]

LOST, SEEN = 0.0, 1.0


@kernel
def watch_target(clock: Any, settings: Any, gains: Any, measured: Any, memory: Any) -> None:
    """Track the target, and remember place and heading from where it was lost; after `navigate`."""
    estimate = memory.navigation.estimate
    track_target(clock, gains.target_lag, measured.target, estimate, memory.target)
    seen = SEEN if 0.0 <= memory.target.age <= gains.target_patience else LOST
    begins = clock.first > 0.0 or (settings.navigation.estimates > 0.0 and memory.navigation.aligned == 0.0)
    if begins or (seen == LOST and memory.target_seen == SEEN):
        for i in range(3):
            memory.hold_position[i] = estimate.position[i]
        memory.hold_heading = roll_pitch_yaw(estimate.orientation)[2]
    memory.target_seen = seen


@kernel
def way_back(memory: Any) -> tuple[float, float, float]:
    """The way [m] to where the target was lost, in the world's axes."""
    position, there = memory.navigation.estimate.position, memory.hold_position
    return there[0] - position[0], there[1] - position[1], there[2] - position[2]


class FollowingMultirotor(MultirotorLoops):
    """Base of programs that fly by a target: what they read and remember of it."""

    target_lag = Gain(0.5, low=0.01, high=20, unit="s", path="target.lag", doc="memory of the filter behind the readings")
    target_patience = Gain(1.0, low=0, high=60, unit="s", path="target.patience", doc="without readings before it is lost")
    target_reading = measurement("target", layout=TARGET_READING)
    target_seen = report("target.seen", labels=("lost", "seen"))
    target_known = memory("target", layout=TARGET)
    hold_position = memory(columns="xyz", unit="m", doc="where it was when the target was lost")
    hold_heading = memory(unit="rad")

    def follow(self, program: str, target: str) -> None:
        """Take over the name of the sensor of relative pose."""
        self.program_name, self.target_sensor = program, target

    def start(self, robot: Robot) -> None:
        """Find the readings of the target as well."""
        super().start(robot)
        self.reads = {**self.reads, **target_reads(robot, self.target_sensor, self.program_name)}


class MultirotorFollow(FollowingMultirotor):
    """Keeps a place beside another robot, known by a sensor of relative pose."""

    x = setpoint(unit="m", doc="forward of the target, along its heading")
    y = setpoint(unit="m", doc="left of the target")
    z = setpoint(unit="m", doc="above the target")
    yaw = setpoint(unit="rad", doc="left of the target's heading")
    landed = report(labels=("in flight", "landed"))
    error = report(columns="xyz", unit="m", doc="the way to its place, in the world's axes, as the program knows it")
    low_thrust = memory(unit="s", doc="for how long the thrust has been too low to fly")
    falling = memory(unit="s", doc="for how long it has fallen or been carried, taken to be landed")

    @program
    def step(clock: Any, settings, gains, measured, setpoints, memory, inputs):  # type: ignore[no-untyped-def]
        navigate(clock, settings, gains, measured, memory)
        watch_target(clock, settings, gains, measured, memory)
        error, ahead, heading = way_back(memory), (0.0, 0.0, 0.0), memory.hold_heading
        if memory.target_seen == SEEN:
            error, ahead = place_at_target(memory.target, setpoints.x, setpoints.y, setpoints.z)
            heading = memory.target.heading + setpoints.yaw
        for i in range(3):
            memory.error[i] = error[i]
        thrust = fly(clock.period, settings, gains, measured, error, ahead, heading, memory, inputs)
        if is_landed(clock, settings.navigation, gains.height_hover, thrust, error[2], measured.navigation, memory):
            rest(memory, inputs)

    def __init__(
        self,
        target: str,
        sensor: str | None = None,
        estimator: Mapping[str, str | float] | None = None,
        rotor_speeds: str | None = None,
    ) -> None:
        """`target`: name of the sensor of relative pose; the others as for `multirotor_hold`."""
        self.fly_by("multirotor_follow", sensor, estimator, rotor_speeds)
        self.follow("multirotor_follow", target)
