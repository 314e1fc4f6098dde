"""The arm of the world `mobile_arm` alone: as long and as strong as its sources say; it stands, moves, and closes its fingers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import didymos

FOLDER = Path(didymos.__file__).parent / "worlds" / "mobile_arm" / "arm"
JOINTS = [f"joint_{i}" for i in range(1, 8)]


@pytest.fixture(scope="module")
def arm() -> Any:
    return didymos.load(FOLDER)


def test_stretched_upward_its_tool_is_as_high_as_its_segments_are_long(arm: Any) -> None:
    """Column, the seven lengths of the LWR 4+, and the hand up to the middle of the pads."""
    lengths = (0.3, 0.11, 0.2005, 0.2, 0.2, 0.2, 0.19, 0.078, 0.1535)
    assert arm.model.at(arm.model.reference).position("tool0") == pytest.approx([0, 0, sum(lengths)], abs=1e-12)


def test_it_weighs_what_its_sources_say(arm: Any) -> None:
    assert arm.summary().mass == pytest.approx(8 + 2 + 5 * 2.35 + 1.1 + 0.25 + 1.2 + 2 * 0.2)


def test_limits_are_those_of_the_lwr(arm: Any) -> None:
    joints = [arm.model.joint(name) for name in JOINTS]
    assert np.degrees([joint.upper for joint in joints]) == pytest.approx([170, 120, 170, 120, 170, 120, 170])
    assert [joint.lower for joint in joints] == [-joint.upper for joint in joints]
    assert [joint.effort for joint in joints] == [176, 176, 100, 100, 100, 38, 38]
    assert np.degrees([joint.velocity for joint in joints]) == pytest.approx([110, 110, 128, 128, 204, 184, 184])


def test_a_fingers_position_is_half_of_the_gap_between_the_pads(arm: Any) -> None:
    model = arm.model
    q = np.array(model.reference)
    for name in ("finger_left_joint", "finger_right_joint"):
        q[model.position_index(name)] = 0.02
    state = model.at(q)
    inner = []
    for side, link in ((-1, "finger_left"), (1, "finger_right")):
        (shape,) = (shape for shape in model.shapes if shape.link == link)
        point = state.position(link) + state.rotation(link) @ shape.support(np.array([0.0, side, 0.0]))
        inner.append(point[1])
    assert inner == pytest.approx([0.02, -0.02], abs=1e-12)
    assert state.position("tool0")[1] == 0.0


def test_it_holds_its_posture_with_the_hand_pointing_downward(arm: Any) -> None:
    simulation = arm.simulate(scenario="ready", seed=1)
    log = simulation.run()
    assert all(verdict.ok for verdict in simulation.judge(log))
    down = arm.model.at(np.array([log[f"joints.{name}.position"].values[-1] for name in arm.model.joints])).rotation("tool0")
    assert down[:, 2] == pytest.approx([0, 0, -1], abs=5e-3)


def test_it_goes_to_another_posture_within_its_limits(arm: Any) -> None:
    wish = dict(zip((*JOINTS, "finger_left_joint"), (1.0, 0.5, 0.3, -1.2, -0.4, 1.4, 1.0, 0.01), strict=True))
    twin = arm.copy()
    twin.add_scenarios({"turn": {"seconds": 5, "setpoints": wish}})
    log = twin.simulate(scenario="turn", seed=1).run()
    for name, value in wish.items():
        assert log[f"joints.{name}.position"].values[-1] == pytest.approx(value, abs=2e-3)
    for name in JOINTS:
        assert np.abs(log[f"joints.{name}.velocity"].values).max() < arm.model.joint(name).velocity * 1.01
