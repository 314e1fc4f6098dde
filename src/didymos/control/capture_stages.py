"""The stages of a capture: waiting, unfold, approach, contact, soft grip, hard grip, hold, retreat, done; and abort.

| stage     | goes on when                                            | gives up when                             |
|-----------|---------------------------------------------------------|-------------------------------------------|
| waiting   | every pose has come                                     | -                                         |
| unfold    | its path is over                                        | target out of reach                       |
| approach  | the path is over and the end effector has settled       | not settled in time; target out of reach  |
| contact   | the force was there for the dwell time without a break  | not there in time                         |
| soft grip | the gripper reports the soft stage                      | not reported in time                      |
| hard grip | the gripper reports the hard stage                      | not reported in time                      |
| hold      | the time of holding is over, a retreat is asked for     | -                                         |
| retreat   | its path is over                                        | -                                         |
| done      | -                                                       | -                                         |

From every stage before `done`: a tripped drive, a saturated wheel, motion capture lost, the arm at its singularity or a
joint at the end of its travel, the operator. `aborted` is for good: base and joints are braked, the gripper opens unless the
target is safely held.
"""

from __future__ import annotations

from typing import Any

from didymos.compiled import kernel

__all__ = [
    "ABORTED", "APPROACH", "CONTACT", "DONE", "HARD_GRIP", "HOLD", "REASONS", "RETREAT", "SOFT_GRIP", "STAGES", "UNFOLD",
    "WAITING", "next_stage",
]  # fmt: skip

STAGES = ("waiting", "unfold", "approach", "contact", "soft grip", "hard grip", "hold", "retreat", "done", "aborted")
WAITING, UNFOLD, APPROACH, CONTACT, SOFT_GRIP, HARD_GRIP, HOLD, RETREAT, DONE, ABORTED = range(len(STAGES))

REASONS = (
    "", "the operator", "a drive tripped", "the wheel is saturated", "motion capture is lost", "the target is out of reach",
    "the arm is at its singularity", "the approach did not settle", "no contact", "soft grip not reported",
    "hard grip not reported", "a joint is at the end of its travel",
)  # fmt: skip
FINE, OPERATOR, DRIVE, WHEEL, MOCAP, REACH, SINGULAR, NOT_SETTLED, NO_CONTACT, NO_SOFT, NO_HARD, TRAVEL = range(len(REASONS))


@kernel
def next_stage(
    stage: int, since: float, fault: int, settled: bool, touching: float, gripped: float, gains: Any
) -> tuple[int, int]:
    """The next stage and the reason to give up, or 0.

    `since` [s] in this stage; `fault` a reason found by the watch or 0; `touching` [s] without a break; `gripped` the stage that
    the gripper reports; `gains` those of `Capture`.
    """
    if stage >= DONE:
        return stage, 0
    if fault != 0:
        return ABORTED, fault
    if stage == UNFOLD and since >= gains.unfold_seconds:
        return APPROACH, 0
    if stage == APPROACH and since >= gains.path_seconds:
        if settled:
            return CONTACT, 0
        if since > gains.path_seconds + gains.patience:
            return ABORTED, NOT_SETTLED
    elif stage == CONTACT:
        if touching >= gains.contact_dwell:
            return SOFT_GRIP, 0
        if since > gains.contact_dwell + gains.patience and touching == 0.0:
            return ABORTED, NO_CONTACT
    elif stage == SOFT_GRIP:
        if gripped >= 1.0:
            return HARD_GRIP, 0
        if since > gains.patience:
            return ABORTED, NO_SOFT
    elif stage == HARD_GRIP:
        if gripped >= 2.0:
            return HOLD, 0
        if since > gains.patience:
            return ABORTED, NO_HARD
    elif stage == HOLD and gains.retreat_seconds > 0.0 and since >= gains.hold_seconds:
        return RETREAT, 0
    elif stage == RETREAT and since >= gains.retreat_seconds:
        return DONE, 0
    return stage, 0
