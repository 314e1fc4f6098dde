"""Stages of a flight that begins and ends in a hover, and when one follows the other.

| stage           | what it does                                       | goes on when                                            |
|-----------------|----------------------------------------------------|---------------------------------------------------------|
| landed          | rotors off                                         | a height 0.5 m and more above it is asked for           |
| take-off        | climbs where it stood, at `climb.speed`            | within 1 m of the height                                |
| hover           | flies to its place on rotors; turns to its course  | the wing is asked for, at its height, on its course     |
| transition out  | gathers airspeed, rotors carry the rest            | `transition.airspeed`: the wing carries it              |
| wing-borne      | way-points, line, heading, circles                 | hover is asked for; a mission has its way to slow left  |
| transition back | slows down, rotors carry the rest                  | `back.speed` over ground, rotors or body upright        |
| landing         | sinks at `descent.speed`, in the end `touch.speed` | it stands (`landed`)                                    |

It lands where `land` is 1, and at the end of a mission: within 1 m of it, slower than 0.5 m/s, for 2 s.

**The way out of trouble** leads to `transition back`, and is told as the reason:

    too slow        an airspeed below `chute.airspeed`, on the wing
    height lost     more than `chute.height` below the height that is asked for, in `transition out` and on the wing
    upset           the body tilted by more than `chute.tilt`, on the wing
    no transition   `transition.timeout` went by without the airspeed of the wing

the first three for longer than `chute.patience`. From then on it stays on its rotors: a mission lands where it has come to a
hover, and wing-borne flight is taken up again only after hover was asked for (mode 0).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from didymos.compiled import kernel

__all__ = [
    "ARRIVED", "BACK", "FORWARD", "HOVER", "LAND", "LANDED", "MISSION", "OUT", "REASONS", "STAGES", "TAKE_OFF", "WATCH", "WING",
    "is_trouble", "keeps_to_rotors", "next_stage",
]  # fmt: skip

STAGES = ("landed", "take-off", "hover", "transition out", "wing-borne", "transition back", "landing")
LANDED, TAKE_OFF, HOVER, OUT, WING, BACK, LAND = range(len(STAGES))
REASONS = ("none", "asked", "mission over", "too slow", "height lost", "upset", "no transition")
NONE, ASKED, ARRIVED, TOO_SLOW, HEIGHT_LOST, UPSET, NO_TRANSITION = range(len(REASONS))
FORWARD, MISSION = 1, 2
"""What the set-point `mode` asks for; 0 is hover."""

_AT_HEIGHT, _READY_HEIGHT, _READY_COURSE = 1.0, 1.5, 0.2  # [m], [m], [rad]
_SETTLED = 2.0  # [s]
_UPRIGHT = 0.2  # of the way from hover to forward

WATCH = np.dtype(
    [
        ("landed", np.float64),  # 1 where it stands
        ("climb", np.float64),  # [m] to the height that is asked for
        ("turn", np.float64),  # [rad] to the course of the transition, either way
        ("speed", np.float64),  # [m/s] over ground
        ("airspeed", np.float64),  # [m/s]
        ("tilt", np.float64),  # how far rotors or body have gone from hover to forward, 0 to 1
        ("left", np.float64),  # [m] of a mission's last line; infinity before it
        ("settled", np.float64),  # [s] at the place where it shall hover
        ("slow", np.float64),  # [s] with too little airspeed, the wing alone
        ("low", np.float64),  # [s] too low
        ("upset", np.float64),  # [s] tilted too far
        ("grounded", np.float64),  # 1 where wing-borne flight is not to be taken up (again)
    ]
)
"""What decides about the next stage."""


@kernel
def is_trouble(reason: int) -> bool:
    """Whether a reason is one of trouble."""
    return reason >= TOO_SLOW


@kernel
def keeps_to_rotors(reason: int) -> bool:
    """Whether wing-borne flight is not to be taken up again for a reason of a transition back."""
    return reason >= ARRIVED


@kernel
def _trouble(stage: int, since: float, watch: Any, gains: Any) -> int:
    """Why wing or transition are given up; 0 for no reason."""
    if watch.low > gains.chute_patience:
        return HEIGHT_LOST
    if stage == OUT:
        return NO_TRANSITION if since > gains.transition_timeout else NONE
    if watch.slow > gains.chute_patience:
        return TOO_SLOW
    return UPSET if watch.upset > gains.chute_patience else NONE


@kernel
def _on_rotors(stage: int, mode: int, land: bool, watch: Any) -> int:
    """The next stage of one that stands or hovers."""
    if watch.landed > 0.0:
        return LANDED
    if stage == LANDED:
        return TAKE_OFF
    if stage == LAND:
        return LAND if land or mode == MISSION else HOVER
    if land:
        return LAND
    if stage == TAKE_OFF:
        return HOVER if abs(watch.climb) < _AT_HEIGHT else TAKE_OFF
    if mode >= FORWARD and watch.grounded == 0.0:
        ready = abs(watch.climb) < _READY_HEIGHT and abs(watch.turn) < _READY_COURSE
        return OUT if ready else HOVER
    return LAND if mode == MISSION and watch.settled > _SETTLED else HOVER


@kernel
def next_stage(stage: int, since: float, mode: int, land: bool, watch: Any, gains: Any) -> tuple[int, int]:
    """The next stage, and the reason for a transition back, or 0; `since` [s] in this stage, `gains` those of `Vtol`."""
    if stage in (OUT, WING):
        reason = _trouble(stage, since, watch, gains)
        if reason == NONE and mode < FORWARD:
            reason = ASKED
        if reason == NONE and mode == MISSION:
            slowing = gains.back_margin + 0.5 * watch.speed * watch.speed / max(gains.back_deceleration, 0.1)
            reason = ARRIVED if watch.left < slowing else NONE
        if reason != NONE:
            return BACK, reason
        return (WING if stage == WING or watch.airspeed > gains.transition_airspeed else OUT), NONE
    if stage == BACK:
        return (HOVER if watch.speed < gains.back_speed and watch.tilt < _UPRIGHT else BACK), NONE
    return _on_rotors(stage, mode, land, watch), NONE
