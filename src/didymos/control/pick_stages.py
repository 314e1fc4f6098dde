"""The stages of picking an object: wait, approach, descend, close, lift, hold; lower and release to set it down again.

| stage    | the tool goes                             | the fingers | goes on to                                              |
|----------|-------------------------------------------|-------------|---------------------------------------------------------|
| wait     | stays                                     | open        | approach: the object is seen, in reach, and stands      |
| approach | above the object, by `clearance`          | open        | descend: it has arrived                                 |
| descend  | down to the object at `descend.speed`     | open        | close: it has arrived                                   |
| close    | stays                                     | close       | lift: all press with the grip for `close.time`          |
| lift     | up by `lift.height` at `lift.speed`       | hold        | hold: it has arrived                                    |
| hold     | stays                                     | hold        | lower: nobody asks for the object any more              |
| lower    | back to where it took the object          | hold        | release: it has arrived                                 |
| release  | up by `clearance`, once they are open     | open        | wait: it has arrived                                    |

Fingers that closed on nothing or lost what they held, and a tool or fingers that do not arrive within `patience.stage`, are a
miss: release, then wait, and it tries again. From approach and descend it goes back to wait where the object moves on, leaves
the reach, or nobody asks for it.
"""

from __future__ import annotations

from didymos.compiled import kernel

__all__ = [
    "APPROACH", "CLOSE", "DESCEND", "HOLD", "LIFT", "LOWER", "RELEASE", "STAGES", "WAIT", "holds", "next_stage",
]  # fmt: skip

STAGES = ("wait", "approach", "descend", "close", "lift", "hold", "lower", "release")
WAIT, APPROACH, DESCEND, CLOSE, LIFT, HOLD, LOWER, RELEASE = range(len(STAGES))


@kernel
def holds(stage: int) -> bool:
    """Whether fingers hold, or are about to, in a stage."""
    return CLOSE <= stage <= LOWER


@kernel
def next_stage(
    stage: int, asked: bool, stands: bool, gone: bool, arrived: bool, pressing: bool, empty: bool, opened: bool, late: bool
) -> int:
    """The next stage.

    `asked` whether somebody wants the object; `stands` it has been in reach and at rest for long enough; `gone` it is not even
    nearly so; `arrived` the tool is at the end of its way; `pressing` all fingers have pressed for long enough; `empty` one of
    them is closed; `opened` all are open; `late` the stage takes too long.
    """
    if holds(stage) and empty:
        return RELEASE
    if late and stage in (APPROACH, RELEASE):
        return WAIT
    if late and stage in (DESCEND, CLOSE):
        return RELEASE
    if stage == WAIT and asked and stands:
        return APPROACH
    if stage in (APPROACH, DESCEND):
        if gone or not asked:
            return RELEASE if stage == DESCEND else WAIT
        if arrived:
            return stage + 1
    if stage == CLOSE and pressing:
        return LIFT
    if stage in (LIFT, HOLD) and not asked:
        return LOWER
    if stage in (LIFT, LOWER) and arrived:
        return stage + 1
    if stage == RELEASE and opened and arrived:
        return WAIT
    return stage
