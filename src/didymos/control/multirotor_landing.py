"""Multirotor that lands on a deck, at rest or moving: approach, match its speed, descend, touch down, rotors off.

    e    = d + Rz(psi_t) (x, y, gear.height + h*),     v_ff = v_t + w_t x Rz(psi_t) (x, y, 0) + (0, 0, dh*/dt)
    h*   = approach.height in `approach` and `follow`; then it falls, by descent.speed and at the end by touch.speed
    stands  where the thrust has fallen below touch.thrust of hovering while it sinks no more (relative to the deck, 0.1 m/s)

h is the height of the robot's origin above where it is when it stands on the deck, `gear.height` [m] above the origin of the
deck's frame. d, v_t, psi_t, w_t are those of `target`, from a sensor of the deck's pose relative to the robot; the loops are
those of `multirotor_loops`; `landing_stages` has the stages and when it gives up. On the deck h* falls on, so that the thrust
does; a gust that lifts the robot off again lets it sink again. The set-points x, y [m] are the place on the deck, in the frame
of its heading, `yaw` [rad] the heading from the deck's; it lands once `land` is 1, and gives up for good once `abort` is.

It begins in flight. It does not predict how a deck heaves, and needs one that is level within some degrees.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from didymos.compiled import kernel
from didymos.contract import memory, report, setpoint
from didymos.control import landing_stages as st
from didymos.control.compiled_controller import program
from didymos.control.controller import Gain
from didymos.control.multirotor_follow import SEEN, FollowingMultirotor, watch_target, way_back
from didymos.control.multirotor_loops import fly, rest
from didymos.control.navigation import navigate
from didymos.control.target import place_at_target

__all__ = ["MultirotorLanding"]

_SINKS = 0.1  # [m/s], relative to the deck
_LOWEST = -2.0  # [m]: h* falls no further

_WATCH = np.dtype(
    [
        ("height", np.float64),  # [m] above where it will stand
        ("settled", np.float64),  # [s] over the deck and as fast as it
        ("outside", np.float64),  # [s] outside of the cone
        ("touching", np.float64),  # [s] with little thrust, not sinking
    ]
)


@kernel
def _watch(dt: float, gains: Any, error: Any, ahead: Any, height: float, thrust: float, memory: Any) -> None:
    """Count for how long it is over the deck, outside of the cone, on the deck; `error`, `ahead` of the place at `height`."""
    watch, velocity = memory.watch, memory.navigation.estimate.velocity
    away = math.sqrt(error[0] ** 2 + error[1] ** 2)
    slip = math.sqrt((velocity[0] - ahead[0]) ** 2 + (velocity[1] - ahead[1]) ** 2)
    watch.height = height - error[2]
    near = away < gains.approach_radius and slip < gains.approach_speed and abs(error[2]) < gains.approach_radius
    watch.settled = watch.settled + dt if near else 0.0
    cone = gains.approach_radius + gains.descent_cone * max(watch.height - gains.touch_height, 0.0)
    watch.outside = watch.outside + dt if away > cone else 0.0
    stands = thrust < gains.touch_thrust * gains.height_hover and abs(velocity[2] - memory.target.velocity[2]) < _SINKS
    watch.touching = watch.touching + dt if stands and watch.height < gains.touch_height else 0.0


@kernel
def _sink(stage: int, dt: float, gains: Any, memory: Any) -> float:
    """Move the height h* that is asked for, and answer with its rate [m/s]."""
    rate = 0.0
    if stage == st.DESCEND and memory.watch.outside == 0.0:
        rate = -gains.descent_speed
    elif stage == st.TOUCH_DOWN:
        rate = -gains.touch_speed
    elif stage == st.ABORTED and memory.height_setpoint < gains.approach_height:
        rate = gains.descent_speed
    memory.height_setpoint = max(memory.height_setpoint + rate * dt, _LOWEST)
    return rate


class MultirotorLanding(FollowingMultirotor):
    """Lands on a deck that is known by a sensor of relative pose."""

    approach_height = Gain(2.0, low=0.1, high=100, unit="m", path="approach.height", doc="above where it will stand")
    approach_radius = Gain(0.25, low=0.01, high=10, unit="m", path="approach.radius", doc="in which it is over the deck")
    approach_speed = Gain(0.3, low=0.01, high=10, unit="m/s", path="approach.speed", doc="as fast as the deck, within this")
    settle_seconds = Gain(1.0, low=0, high=60, unit="s", path="settle.seconds", doc="over the deck before it follows")
    descent_speed = Gain(0.5, low=0.01, high=10, unit="m/s", path="descent.speed")
    descent_cone = Gain(0.25, low=0, high=10, unit="m/m", path="descent.cone", doc="how far aside per metre of height")
    touch_height = Gain(0.3, low=0.01, high=10, unit="m", path="touch.height", doc="from which on nothing is waited for")
    touch_speed = Gain(0.3, low=0.01, high=5, unit="m/s", path="touch.speed")
    touch_thrust = Gain(0.7, low=0, high=1, path="touch.thrust", doc="of hovering, below which it stands")
    touch_seconds = Gain(0.2, low=0, high=10, unit="s", path="touch.seconds")
    gear_height = Gain(0.0, low=-10, high=10, unit="m", path="gear.height", doc="of its origin above the deck's, when it stands")
    patience = Gain(5.0, low=0, high=600, unit="s", path="patience", doc="outside of the cone, or without touching")
    x = setpoint(unit="m", doc="place on the deck, along its heading")
    y = setpoint(unit="m", doc="place on the deck, to its left")
    yaw = setpoint(unit="rad", doc="left of the deck's heading")
    land = setpoint(doc="1: land; 0: follow above the deck")
    abort = setpoint(doc="1: give up, at once and for good")
    stage = report(labels=st.STAGES)
    reason = report(labels=st.REASONS)
    height = report(unit="m", doc="above where it will stand, as the program knows it")
    height_setpoint = report(unit="m", doc="h*, as the height is counted")
    error = report(columns="xyz", unit="m", doc="the way to its place, in the world's axes, as the program knows it")
    watch = memory(layout=_WATCH)
    stage_start = memory(unit="s")
    thrust = memory(doc="share of the last call")

    @program
    def step(clock: Any, settings, gains, measured, setpoints, memory, inputs):  # type: ignore[no-untyped-def]
        navigate(clock, settings, gains, measured, memory)
        watch_target(clock, settings, gains, measured, memory)
        if clock.first > 0.0:
            memory.height_setpoint = gains.approach_height
        seen, stage, dt = memory.target_seen == SEEN, int(memory.stage), clock.period
        if stage == st.OFF:
            rest(memory, inputs)
            return
        rate = _sink(stage, dt, gains, memory)
        above = memory.height_setpoint + gains.gear_height
        error, ahead = place_at_target(memory.target, setpoints.x, setpoints.y, above)
        ahead = (ahead[0], ahead[1], ahead[2] + rate)
        _watch(dt, gains, error, ahead, memory.height_setpoint, memory.thrust, memory)
        heading = memory.target.heading + setpoints.yaw
        if not seen and stage != st.TOUCH_DOWN:
            error, ahead, heading = way_back(memory), (0.0, 0.0, 0.0), memory.hold_heading
        memory.height = memory.watch.height
        for i in range(3):
            memory.error[i] = error[i]
        memory.thrust = fly(dt, settings, gains, measured, error, ahead, heading, memory, inputs)
        since, land = clock.time - memory.stage_start, setpoints.land > 0.5
        after, reason = st.next_stage(stage, since, seen, setpoints.abort > 0.5, land, memory.watch, gains)
        if after != stage:
            memory.stage, memory.stage_start = after, clock.time
            memory.watch.settled = memory.watch.outside = memory.watch.touching = 0.0
            if after == st.ABORTED:
                memory.reason, memory.height_setpoint = reason, max(memory.watch.height, 0.0)

    def __init__(
        self,
        target: str,
        sensor: str | None = None,
        estimator: Mapping[str, str | float] | None = None,
        rotor_speeds: str | None = None,
    ) -> None:
        """`target`: name of the sensor of the deck's relative pose; the others as for `multirotor_hold`."""
        self.fly_by("multirotor_landing", sensor, estimator, rotor_speeds)
        self.follow("multirotor_landing", target)
