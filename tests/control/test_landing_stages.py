"""The stages of a landing: what leads on, what gives up, and what neither does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from didymos.control import landing_stages as st
from didymos.control.multirotor_landing import _WATCH, MultirotorLanding


def _next(
    stage: int, *, since: float = 0.0, seen: bool = True, operator: bool = False, land: bool = True, **watched: float
) -> Any:
    watch = np.zeros(1, dtype=_WATCH)[0]
    watch["height"] = 1.0
    for name, value in watched.items():
        watch[name] = value
    gains = np.array(MultirotorLanding("sight", sensor="state").gains).view(MultirotorLanding.gain_layout)[0]
    return st.next_stage(stage, since, seen, operator, land, watch, gains)


@pytest.mark.parametrize(
    ("stage", "situation", "after"),
    [
        (st.WAITING, {"seen": False}, st.WAITING),
        (st.WAITING, {}, st.APPROACH),
        (st.APPROACH, {"settled": 0.9}, st.APPROACH),
        (st.APPROACH, {"settled": 1.1}, st.FOLLOW),
        (st.FOLLOW, {"land": False}, st.FOLLOW),
        (st.FOLLOW, {}, st.DESCEND),
        (st.DESCEND, {"height": 0.31}, st.DESCEND),
        (st.DESCEND, {"height": 0.29}, st.TOUCH_DOWN),
        (st.DESCEND, {"height": 0.29, "outside": 0.1}, st.DESCEND),
        (st.TOUCH_DOWN, {"touching": 0.1}, st.TOUCH_DOWN),
        (st.TOUCH_DOWN, {"touching": 0.1, "seen": False}, st.TOUCH_DOWN),
        (st.TOUCH_DOWN, {"touching": 0.3}, st.OFF),
        (st.TOUCH_DOWN, {"since": 5.9}, st.TOUCH_DOWN),
        (st.OFF, {"operator": True, "seen": False}, st.OFF),
        (st.ABORTED, {"settled": 9.0, "touching": 9.0}, st.ABORTED),
    ],
)
def test_a_stage_goes_on_when_its_end_is_reached(stage: int, situation: dict[str, Any], after: int) -> None:
    assert _next(stage, **situation) == (after, 0)


@pytest.mark.parametrize(
    ("stage", "situation", "reason"),
    [
        *((stage, {"operator": True}, "the operator") for stage in range(st.WAITING, st.OFF)),
        *((stage, {"seen": False}, "the deck is lost") for stage in (st.APPROACH, st.FOLLOW, st.DESCEND)),
        (st.DESCEND, {"outside": 5.1}, "not over the deck"),
        (st.TOUCH_DOWN, {"since": 6.1}, "nothing was touched"),  # 0.3 m at 0.3 m/s, and 5 s of patience
    ],
)
def test_it_gives_up_for_a_reason(stage: int, situation: dict[str, Any], reason: str) -> None:
    assert _next(stage, **situation) == (st.ABORTED, st.REASONS.index(reason))
