"""The stages of a capture in orbit, one step at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from servicing_robot import blank, gains

from didymos.control import servicing_stages as st
from didymos.control.servicing import Servicing


def _step(stage: int, **given: Any) -> tuple[str, str]:
    """The next stage and reason, in words."""
    about: dict[str, Any] = {"time": 50.0, "since": 1000.0, "fault": 0, "seen": True, "planned": True, "there": True}
    about |= {"grip": 2.0, **given}
    memory, measured = blank(Servicing.memory_layout), blank(Servicing.measurement_layout)
    memory["plan"]["time"] = about.get("catch", 55.0)
    memory["attempts"], memory["path"]["around"] = about.get("attempts", 0.0), 30.0
    measured["gripper_stage"] = about["grip"]
    given = (about[name] for name in ("time", "since", "fault", "seen", "planned", "there"))
    found, reason = st.next_stage(stage, *given, memory, measured, gains())
    return st.STAGES[found], st.REASONS[reason]


@pytest.mark.parametrize(
    ("stage", "given", "then"),
    [
        (st.WAITING, {}, "observe"),
        (st.WAITING, {"seen": False, "since": 1.0}, "waiting"),
        (st.OBSERVE, {"time": 20.0}, "observe"),
        (st.OBSERVE, {}, "approach"),
        (st.APPROACH, {"since": 1.0}, "approach"),
        (st.APPROACH, {}, "hold"),
        (st.HOLD, {"catch": 90.0}, "hold"),
        (st.HOLD, {}, "track"),
        (st.HOLD, {"planned": False}, "observe"),
        (st.TRACK, {"since": 8.0}, "close"),
        (st.TRACK, {"since": 8.0, "there": False}, "track"),
        (st.TRACK, {"there": False}, "retreat"),
        (st.CLOSE, {"since": 4.0}, "grasp"),
        (st.CLOSE, {"there": False}, "retreat"),
        (st.GRASP, {"since": 2.0}, "damp"),
        (st.GRASP, {"since": 2.0, "grip": 1.0}, "grasp"),
        (st.GRASP, {"grip": 1.0}, "retreat"),
        (st.RETREAT, {"since": 1.0}, "retreat"),
        (st.RETREAT, {}, "observe"),
        (st.DAMP, {"there": False, "since": 30.0}, "damp"),
        (st.DAMP, {}, "settle"),
        (st.SETTLE, {"since": 20.0}, "settle"),
        (st.SETTLE, {"since": 31.0}, "done"),
        (st.DONE, {}, "done"),
        (st.DONE, {"fault": st.OPERATOR}, "done"),
        (st.ABORTED, {}, "aborted"),
    ],
)
def test_a_stage_leads_to_the_next_when_it_is_complete(stage: int, given: dict[str, Any], then: str) -> None:
    assert _step(stage, **given) == (then, "")


@pytest.mark.parametrize(
    ("stage", "given", "why"),
    [
        (st.WAITING, {"seen": False}, "the client is lost from sight"),
        (st.OBSERVE, {"planned": False}, "the handle is out of reach"),
        (st.OBSERVE, {"attempts": 3.0}, "too many attempts"),
        (st.SETTLE, {"there": False}, "base and client did not come to rest"),
        (st.DAMP, {"there": False}, "base and client did not come to rest"),
        (st.DONE, {"fault": st.SLIPPED}, "the client slipped away"),
        *((stage, {"fault": st.GAS}, "no gas is left") for stage in range(st.DONE)),
    ],
)
def test_it_gives_up_with_a_reason(stage: int, given: dict[str, Any], why: str) -> None:
    assert _step(stage, **given) == ("aborted", why)


def test_stages_and_reasons_have_a_word_each() -> None:
    assert st.STAGES[st.ABORTED] == "aborted"
    assert len(st.STAGES) - 1 == st.ABORTED
    assert len(set(st.REASONS)) == len(st.REASONS)
    assert np.all([word == word.lower() for word in st.STAGES])
