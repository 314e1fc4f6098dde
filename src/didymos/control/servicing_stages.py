"""The stages of a capture in orbit: waiting, observe, approach, hold, track, close, grasp, damp, settle, done; retreat and abort.

| stage    | goes on when                                            | gives up when                                        |
|----------|---------------------------------------------------------|------------------------------------------------------|
| waiting  | the client was seen                                     | never seen                                           |
| observe  | its motion was watched for long enough                  | it spins too fast; no way to it                      |
| approach | the base has arrived                                    | -                                                    |
| hold     | the handle is about to come by                          | (it will not: observe again)                         |
| track    | the tool has stayed before the handle                   | (it did not in time: retreat)                        |
| close    | the tool is at the handle                               | (it was not in time: retreat)                        |
| grasp    | the gripper reports that it is closed hard              | (it did not in time: retreat)                        |
| retreat  | the arm is back: observe again                          | too many attempts                                    |
| damp     | the client has come to rest against the base            | not in time                                          |
| settle   | the base has turned back, and rests                     | not in time                                          |
| done     | -                                                       | -                                                    |

From every stage before `done`: the operator, tanks empty, a wheel that takes no more; before the grasp: time, the client lost
from sight; after it: the client slipped away. `aborted` is for good: the arm is braked and the base moves away, unless the
client is held.
"""

from __future__ import annotations

from typing import Any

from didymos.compiled import kernel

__all__ = [
    "ABORTED", "APPROACH", "CLOSE", "DAMP", "DONE", "FINE", "GAS", "GRASP", "HOLD", "LOST", "OBSERVE", "OPERATOR", "REACH",
    "REASONS", "RETREAT", "SETTLE", "SLIPPED", "SPIN", "STAGES", "TIME", "TRACK", "WAITING", "WHEEL", "next_stage",
]  # fmt: skip

STAGES = (
    "waiting", "observe", "approach", "hold", "track", "close", "grasp", "damp", "settle", "done", "retreat", "aborted",
)  # fmt: skip
WAITING, OBSERVE, APPROACH, HOLD, TRACK, CLOSE, GRASP, DAMP, SETTLE, DONE, RETREAT, ABORTED = range(len(STAGES))

REASONS = (
    "", "the operator", "the client is lost from sight", "the client spins too fast", "the handle is out of reach",
    "no gas is left", "out of time", "a wheel is saturated", "too many attempts", "base and client did not come to rest",
    "the client slipped away",
)  # fmt: skip
FINE, OPERATOR, LOST, SPIN, REACH, GAS, TIME, WHEEL, ATTEMPTS, UNSETTLED, SLIPPED = range(len(REASONS))


@kernel
def next_stage(
    stage: int, time: float, since: float, fault: int, seen: bool, planned: bool, there: bool, memory: Any, measured: Any,
    gains: Any,
) -> tuple[int, int]:
    """The next stage and the reason to give up, or 0.

    `time` [s], of which `since` in this stage; `fault` a reason found by the watch or 0; `planned` whether there is a plan that
    holds; `there` whether what this stage moves is where it shall be.
    """
    if stage == ABORTED or (stage == DONE and fault != SLIPPED):
        return stage, FINE
    if fault != FINE:
        return ABORTED, fault
    if stage == WAITING:
        if seen:
            return OBSERVE, FINE
        return (ABORTED, LOST) if since > gains.watch_patience else (stage, FINE)
    if stage == OBSERVE:
        if time - memory.client.begun < gains.observe_seconds:
            return stage, FINE
        if memory.attempts >= gains.attempts:
            return ABORTED, ATTEMPTS
        return (APPROACH, FINE) if planned else (ABORTED, REACH)
    if stage == APPROACH:
        arrived = since >= memory.path.around + memory.path.inward
        return (HOLD, FINE) if arrived else (stage, FINE)
    if stage == HOLD:
        if time < memory.plan.time - gains.track_lead:
            return stage, FINE
        return (TRACK, FINE) if planned else (OBSERVE, FINE)
    if stage == TRACK:
        if since >= gains.track_seconds and there:
            return CLOSE, FINE
        return (RETREAT, FINE) if since > gains.track_seconds + gains.track_patience else (stage, FINE)
    if stage == CLOSE:
        if since >= gains.close_seconds and there:
            return GRASP, FINE
        return (RETREAT, FINE) if since > gains.close_seconds + gains.track_patience else (stage, FINE)
    if stage == GRASP:
        if measured.gripper_stage >= 2.0:
            return DAMP, FINE
        return (RETREAT, FINE) if since > gains.grasp_patience else (stage, FINE)
    if stage == RETREAT:
        return (OBSERVE, FINE) if since >= gains.retreat_seconds else (stage, FINE)
    if stage == DAMP:
        if since >= 4.0 * gains.damp_time and there:
            return SETTLE, FINE
        return (ABORTED, UNSETTLED) if since > 4.0 * gains.damp_time + gains.watch_patience else (stage, FINE)
    if since >= memory.path.around and there:
        return DONE, FINE
    return (ABORTED, UNSETTLED) if since > memory.path.around + gains.watch_patience else (stage, FINE)
