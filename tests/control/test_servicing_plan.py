"""Where the base goes and when: the handle comes to the tool, and the way keeps clear of the client."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from servicing_robot import OPTIONS, blank, chaser, gains, settings

from didymos.control import servicing_stages as st
from didymos.control.servicing import Servicing
from didymos.control.servicing_observe import handle_at
from didymos.control.servicing_path import H, base_attitude, base_place, moving, tool_pose, turning
from didymos.control.servicing_plan import begin_path, is_near, make_plan
from didymos.control.tumbling import shape_of
from didymos.rotations import quaternion_to_matrix, rotation_error


@pytest.fixture(scope="module")
def known() -> Any:
    return settings(chaser().robot)


def _memory(seed: int, rate: float = 0.06) -> Any:
    """A client 3.2 m ahead that tumbles, exactly known."""
    rng, memory = np.random.default_rng(seed), blank(Servicing.memory_layout)
    attitude, axis = rng.normal(size=4), rng.normal(size=3)
    client = memory["client"]
    client["position"], client["velocity"] = (3.2, 0.1, -0.2), 0.002 * rng.normal(size=3)
    client["orientation"], client["rate"] = attitude / np.linalg.norm(attitude), rate * axis / np.linalg.norm(axis)
    client["stamp"], client["shape"] = 30.0, shape_of(np.array(OPTIONS["client"]["inertia"]))
    return memory


HERE = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])


def _planned(known: Any, seed: int) -> Any:
    memory = _memory(seed)
    make_plan(known, gains(), memory, 30.0, HERE)
    assert memory["plan"]["found"] == 1.0
    memory["stage"] = st.APPROACH
    begin_path(known, gains(), memory, 30.0, HERE)
    return memory


@pytest.mark.parametrize("seed", range(6))
def test_at_the_planned_time_the_handle_stands_in_the_tool_of_the_capture_posture(known: Any, seed: int) -> None:
    memory = _planned(known, seed)
    time = float(memory["plan"]["time"])
    base, turned = np.array(base_place(known, memory, time)), quaternion_to_matrix(np.array(base_attitude(memory, time)))
    handle, held = handle_at(known["client"], memory["client"], time)
    np.testing.assert_allclose(base + turned @ known["capture_position"], handle, atol=1e-6)
    tool = turned @ quaternion_to_matrix(known["capture_orientation"])
    np.testing.assert_allclose(tool, quaternion_to_matrix(np.array(held)), atol=1e-6)
    q = np.concatenate([base, base_attitude(memory, time)])
    assert is_near(known, gains(), memory, q)
    assert not is_near(known, gains(), memory, q + np.array([0.3, 0, 0, 0, 0, 0, 0]))


@pytest.mark.parametrize("seed", range(6))
def test_there_is_time_for_the_way_and_the_way_keeps_its_distance_and_its_speed(known: Any, seed: int) -> None:
    memory, limits = _planned(known, seed), gains()
    path = memory["path"]
    arrival = 30.0 + path["around"] + path["inward"]
    assert memory["plan"]["time"] - limits["track_lead"] >= arrival
    last = np.linalg.norm(path["goal"])
    times = np.arange(30.0, arrival + 5.0, 0.5)
    for time in times:
        places = [np.array(base_place(known, memory, time + k * H)) for k in (-1, 0, 1)]
        center = memory["client"]["position"] + (time - 30.0) * memory["client"]["velocity"]
        far = np.linalg.norm(places[1] - center)
        assert far > last - 1e-9
        if time < 30.0 + path["around"]:
            assert far > 2.99
        velocity, _ = moving(*(tuple(place) for place in places))
        relative = np.array(velocity) - memory["client"]["velocity"]
        assert np.linalg.norm(relative) < 1.3 * limits["plan_speed"]  # two ways at right angles at once
        rate, _ = turning(*(base_attitude(memory, time + k * H) for k in (-1, 0, 1)))
        assert np.linalg.norm(rate) < 1.001 * limits["plan_rate"]
    np.testing.assert_allclose(base_place(known, memory, 30.0), HERE[:3], atol=1e-12)


def test_no_plan_is_found_where_the_horizon_is_too_short_for_any_way(known: Any) -> None:
    memory = _memory(1)
    make_plan(known, gains(plan_horizon=20.0), memory, 30.0, HERE)
    assert memory["plan"]["found"] == 0.0


def test_turning_costs_what_waiting_does(known: Any) -> None:
    """Dearer turns never lead to a larger turn, and for some clients to a smaller one."""
    fewer = 0
    for seed in range(10):
        angles = []
        for cost in (0.0, 500.0):
            memory = _memory(seed)
            make_plan(known, gains(plan_turn_cost=cost), memory, 30.0, HERE)
            angles.append(float(memory["plan"]["angle"]))
        assert angles[1] <= angles[0] + 1e-9
        fewer += angles[1] < angles[0] - 0.1
    assert fewer > 0


def test_the_tools_reference_begins_where_the_tool_is_and_ends_in_the_handle(known: Any) -> None:
    memory, limits = _planned(known, 2), gains()
    start, begin = memory["stage_start"], 100.0
    start["time"], memory["stage"] = begin, st.TRACK
    start["tool_offset"], start["tool_turn"] = (0.1, -0.2, 0.05), (0.3, 0.1, -0.2)
    handle, held = handle_at(known["client"], memory["client"], begin)
    ahead = quaternion_to_matrix(np.array(held))[:, 0]
    place, turned = tool_pose(known, limits, memory, begin)
    np.testing.assert_allclose(place, handle - limits["track_clearance"] * ahead + start["tool_offset"], atol=1e-12)
    angle = rotation_error(np.array([held]), np.array([turned]))
    assert np.linalg.norm(angle) == pytest.approx(np.linalg.norm(start["tool_turn"]), abs=1e-12)
    memory["stage"] = st.CLOSE
    end = begin + float(limits["close_seconds"])
    place, turned = tool_pose(known, limits, memory, end)
    np.testing.assert_allclose(place, handle_at(known["client"], memory["client"], end)[0], atol=1e-12)
