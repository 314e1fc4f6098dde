"""The stages of a flight from take-off to standstill, what leads from one to the next, and when a landing is given up.

| stage          | what it does                                          | goes on when                                          |
|----------------|-------------------------------------------------------|-------------------------------------------------------|
| hold           | modes hold, way-points and line                       | -                                                     |
| parked         | engine off, brakes on                                 | -                                                     |
| ground roll    | full power, steered on the centre line                | as fast as `takeoff.speed`                            |
| thrown         | engine off, wings level, in a hand                    | as fast as `launch.speed`                             |
| climb out      | climbs along the runway, wings about level at first   | at its height: the task is done                       |
| go to          | on the line to a place                                | there: done                                           |
| loiter         | on a circle                                           | after its time: done                                  |
| downwind, base | to the corner of the circuit, to the gate             | there; the base ends a turn's radius before the line  |
| approach       | on centre line and glide slope, `approach.speed`      | where the flare's sink is the slope's                 |
| flare          | sinks by its height over `flare.time`                 | on the ground for `touch.seconds`                     |
| roll out       | engine off, steered on the centre line, brakes        | slower than 0.3 m/s for a second                      |
| stopped        | engine off, brakes on                                 | -                                                     |
| go around      | climbs along the runway                               | at the height of the gate: downwind                   |

**Go around.** At `decision.height` above the ground an approach has to be stable: within `decision.aside` of the centre line, the
airspeed within `decision.speed` of the approach's, no more than half of the decision height from the slope; in the flare it must
touch within 15 s. `abort` asks for it before the ground is touched. A bounce above 1.5 m in the roll out is a flare again.
**Stall.** In flight (not in the flare), below `stall.speed` for 0.2 s: nose down, power, wings level, whatever the stage, until
it is a fifth faster; `recovering` is 1 meanwhile. A `stall.speed` of 0 switches it off.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from didymos.compiled import kernel

__all__ = [
    "APPROACH", "BASE", "CLIMB_OUT", "DOWNWIND", "FLARE", "GOES_TO", "GO_AROUND", "GROUND_ROLL", "HOLDS", "LOITERS", "PARKS",
    "REASONS", "ROLL_OUT", "STAGES", "STALLED", "STOPPED", "THROWN", "WATCH", "first_of_landing",
    "is_on_ground", "landing_stage", "watch",
]  # fmt: skip

STAGES = (
    "hold", "parked", "ground roll", "thrown", "climb out", "go to", "loiter", "downwind", "base", "approach", "flare",
    "roll out", "stopped", "go around",
)  # fmt: skip
(
    HOLDS, PARKS, GROUND_ROLL, THROWN, CLIMB_OUT, GOES_TO, LOITERS, DOWNWIND, BASE, APPROACH, FLARE, ROLL_OUT, STOPPED, GO_AROUND,
) = range(len(STAGES))  # fmt: skip

REASONS = ("", "the operator", "not on the centre line", "not at its speed", "not on the slope", "nothing was touched", "stalled")
FINE, OPERATOR, ASIDE, SPEED, SLOPE, UNTOUCHED, STALLED = range(len(REASONS))

_LONGEST_FLARE = 15.0  # [s]
_STILL, _STOPPED_AFTER = 0.3, 1.0  # [m/s], [s]
_BOUNCE = 1.5  # [m]

WATCH = np.dtype(
    [
        ("along", np.float64),  # [m] along the runway from the touch-down point
        ("aside", np.float64),  # [m] left of the centre line
        ("height", np.float64),  # [m] above where it stands
        ("speed", np.float64),  # [m/s] over ground
        ("touching", np.float64),  # [s] on the ground without a break
        ("still", np.float64),  # [s] slower than 0.3 m/s
        ("slow", np.float64),  # [s] slower through the air than `stall.speed`
        ("radius", np.float64),  # [m] of a turn at the limit of bank
    ]
)
"""Memory layout of what the stages are decided by."""


@kernel
def watch(dt: float, gains: Any, airspeed: float, state: Any) -> None:
    """Count for how long it has touched, stood, been too slow; `height` and `speed` are there already."""
    state.touching = state.touching + dt if state.height < gains.touch_height else 0.0
    state.still = state.still + dt if state.speed < _STILL else 0.0
    state.slow = state.slow + dt if airspeed < gains.stall_speed else 0.0


@kernel
def is_on_ground(stage: int) -> bool:
    """Whether it is on its wheels in a stage, or is being held."""
    return stage in (PARKS, GROUND_ROLL, THROWN, ROLL_OUT, STOPPED)


@kernel
def first_of_landing(gains: Any, state: Any) -> int:
    """The stage in which a landing begins, from where it is."""
    if state.height < 1.0 and state.speed < gains.takeoff_speed:
        return ROLL_OUT
    before = -gains.approach_length
    if state.along < -0.5 * gains.approach_length and abs(state.aside) < 2.0 * state.radius:
        return APPROACH
    return BASE if state.along < before else DOWNWIND


@kernel
def _stable(gains: Any, airspeed: float, slope_error: float, state: Any) -> int:
    """Why an approach is not stable, or 0."""
    if abs(state.aside) > gains.decision_aside:
        return ASIDE
    if abs(airspeed - gains.approach_speed) > gains.decision_speed:
        return SPEED
    return SLOPE if abs(slope_error) > 0.5 * gains.decision_height else FINE


@kernel
def landing_stage(
    stage: int, since: float, left: float, airspeed: float, slope_error: float, abort: bool, gains: Any, state: Any
) -> tuple[int, int]:
    """The next stage of a landing and the reason to go around, or 0.

    `since` [s] in this stage; `left` [m] of the leg; `slope_error` [m] above the glide slope; `state` is a `WATCH`.
    """
    if stage in (DOWNWIND, BASE, APPROACH, FLARE) and abort and state.touching == 0.0:
        return GO_AROUND, OPERATOR
    if stage == DOWNWIND:
        return (BASE if left < state.radius else DOWNWIND), FINE
    if stage == BASE:
        return (APPROACH if abs(state.aside) < state.radius or left < state.radius else BASE), FINE
    if stage == APPROACH:
        if state.height < gains.decision_height:
            reason = _stable(gains, airspeed, slope_error, state)
            if reason != FINE:
                return GO_AROUND, reason
        return (FLARE if state.height < gains.flare_height else APPROACH), FINE
    if stage == FLARE:
        if state.touching >= gains.touch_seconds:
            return ROLL_OUT, FINE
        return (GO_AROUND, UNTOUCHED) if since > _LONGEST_FLARE else (FLARE, FINE)
    if stage == ROLL_OUT:
        if state.height > _BOUNCE:
            return FLARE, FINE
        return (STOPPED if state.still > _STOPPED_AFTER else ROLL_OUT), FINE
    if stage == GO_AROUND:
        high = state.height > 0.9 * gains.approach_length * gains.approach_slope
        return (DOWNWIND if high else GO_AROUND), FINE
    return stage, FINE
