"""The stages of a landing on a deck that may move: waiting, approach, follow, descend, touch down, off; and aborted.

| stage      | what it does                                     | goes on when                             | gives up when    |
|------------|--------------------------------------------------|------------------------------------------|------------------|
| waiting    | holds its place                                  | the deck is seen                         | -                |
| approach   | flies to `approach.height` above the deck        | over the deck, as fast, `settle.seconds` | deck lost        |
| follow     | stays there                                      | `land` is asked for                      | deck lost        |
| descend    | sinks at `descent.speed` inside the cone         | `touch.height` above where it will stand | deck lost, aside |
| touch down | sinks at `touch.speed`, whatever it sees         | it stands, `touch.seconds`               | nothing touched  |
| off        | rotors off, for good                             | -                                        | -                |
| aborted    | climbs to `approach.height` above the deck       | -                                        | -                |

From every stage before `off` the operator may abort it; that is for good. A robot that has lost the deck holds its place.
Over the deck means within `approach.radius` of the place on it, level; the cone widens by `descent.cone` per metre above the
height at which the touch-down begins. Outside of it the robot does not sink; for `patience` seconds without a break it gives up.
"""

from __future__ import annotations

from typing import Any

from didymos.compiled import kernel

__all__ = [
    "ABORTED", "APPROACH", "DESCEND", "FOLLOW", "OFF", "REASONS", "STAGES", "TOUCH_DOWN", "WAITING", "next_stage",
]  # fmt: skip

STAGES = ("waiting", "approach", "follow", "descend", "touch down", "off", "aborted")
WAITING, APPROACH, FOLLOW, DESCEND, TOUCH_DOWN, OFF, ABORTED = range(len(STAGES))

REASONS = ("", "the operator", "the deck is lost", "not over the deck", "nothing was touched")
FINE, OPERATOR, DECK_LOST, NOT_OVER, NOT_TOUCHED = range(len(REASONS))


@kernel
def next_stage(stage: int, since: float, seen: bool, operator: bool, land: bool, watch: Any, gains: Any) -> tuple[int, int]:
    """The next stage and the reason to give up, or 0.

    `since` [s] in this stage; `watch` has `height` [m] above where it will stand, `settled`, `outside` and `touching` [s] without
    a break; `gains` those of `MultirotorLanding`.
    """
    if stage in (OFF, ABORTED):
        return stage, FINE
    if operator:
        return ABORTED, OPERATOR
    if stage == WAITING:
        return (APPROACH if seen else WAITING), FINE
    if stage == TOUCH_DOWN:
        if watch.touching >= gains.touch_seconds:
            return OFF, FINE
        late = since > gains.touch_height / max(gains.touch_speed, 1e-3) + gains.patience
        return (ABORTED, NOT_TOUCHED) if late else (TOUCH_DOWN, FINE)
    if not seen:
        return ABORTED, DECK_LOST
    if stage == APPROACH:
        return (FOLLOW if watch.settled >= gains.settle_seconds else APPROACH), FINE
    if stage == FOLLOW:
        return (DESCEND if land else FOLLOW), FINE
    if watch.outside > gains.patience:
        return ABORTED, NOT_OVER
    return (TOUCH_DOWN if watch.height <= gains.touch_height and watch.outside == 0.0 else DESCEND), FINE
