"""Modes and missions of a plane: what the options say, what comes through the letter box, courses, runways."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from didymos import load
from didymos.control import flight_plan as plan
from didymos.control import flight_stages as st
from didymos.control.course import circle_course
from didymos.control.flight_plan import read_items, take_letter
from didymos.control.runway import in_runway, in_world, read_runway, slope_height
from didymos.engine.intervention import Intervention
from didymos.errors import InputError


def plain(function: Any) -> Any:
    return function.py_func


def test_items_are_read_by_the_words_of_the_modes() -> None:
    items = read_items([{"kind": "take-off", "z": 30}, {"kind": "go to", "x": 1, "y": 2.5, "z": 3}, {"kind": "land"}], "here")
    assert items["kind"].tolist() == [plan.TAKE_OFF, plan.GO_TO, plan.LAND]
    assert items[1].tolist()[1:] == (1.0, 2.5, 3.0, 0.0)


@pytest.mark.parametrize(
    ("item", "words"),
    [({"kind": "fly"}, "take-off"), ({"kind": "go to", "xx": 1}, "no such key"), ({"kind": "go to", "x": "1"}, "a number")],
)
def test_an_item_that_makes_no_sense_is_refused(item: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        read_items([item], "control.options.mission")


def test_a_mission_comes_through_the_letter_box_in_order() -> None:
    memory = SimpleNamespace(item_count=0.0, items=np.zeros(plan.MOST_ITEMS, dtype=plan.ITEM).view(np.recarray))

    def write(number: float, **place: float) -> None:
        given = {"kind": 5.0, "x": 0.0, "y": 0.0, "z": 0.0, "value": 0.0} | place
        take = SimpleNamespace(item=number, **{f"item_{key}": value for key, value in given.items()})
        plain(take_letter)(take, memory)

    write(2, x=9.0)  # before the first: nobody knows what lies between
    assert memory.item_count == 0
    write(1, x=10.0)
    write(2, x=20.0)
    write(0, x=99.0)
    assert memory.item_count == 2
    assert memory.items["x"][:3].tolist() == [10.0, 20.0, 0.0]
    write(1, x=11.0)  # a new mission
    assert memory.item_count == 1
    write(-1)
    assert memory.item_count == 0
    write(101.0)
    assert memory.item_count == 0


@pytest.mark.parametrize("heading", [0.0, 1.1, -2.7])
def test_places_of_a_runway_go_there_and_back(heading: float) -> None:
    runway = SimpleNamespace(x=3.0, y=-7.0, heading=heading)
    x, y = plain(in_world)(runway, -40.0, 5.0)
    assert plain(in_runway)(runway, x, y) == pytest.approx((-40.0, 5.0), abs=1e-12)
    ahead = plain(in_world)(runway, 1.0, 0.0)
    assert math.atan2(ahead[1] + 7.0, ahead[0] - 3.0) == pytest.approx(heading, abs=1e-12)


def test_the_slope_is_level_before_the_gate_and_falls_to_the_touch_down_point() -> None:
    gains = SimpleNamespace(approach_slope=0.07, approach_length=300.0)
    gate = 300.0 * math.tan(0.07)
    assert plain(slope_height)(gains, -500.0) == pytest.approx((gate, 0.0))
    assert plain(slope_height)(gains, -150.0) == pytest.approx((0.5 * gate, -math.tan(0.07)))
    assert plain(slope_height)(gains, 0.0)[0] == 0.0


def test_a_runway_that_makes_no_sense_is_refused() -> None:
    with pytest.raises(InputError, match="no such key"):
        read_runway({"headin": 1.0})
    assert read_runway(None)["known"] == 0.0


@pytest.mark.parametrize("radius", [50.0, -50.0])
def test_a_circle_is_flown_along_its_tangent_and_left_to_the_inside(radius: float) -> None:
    """On the circle the tangent; far outside toward the middle; left circles have the centre to the left."""
    side = math.copysign(1.0, radius)
    on = SimpleNamespace(position=(50.0, 0.0, 0.0), velocity=(0.0, 15.0 * side, 0.0))
    course, bank = plain(circle_course)(on, 0.0, 0.0, radius)
    assert course == pytest.approx(side * math.pi / 2)
    assert bank == pytest.approx(side * math.atan(15.0**2 / (9.80665 * 50.0)))
    far = SimpleNamespace(position=(1e6, 0.0, 0.0), velocity=(0.0, 15.0, 0.0))
    assert math.cos(plain(circle_course)(far, 0.0, 0.0, radius)[0]) == pytest.approx(-1.0, abs=1e-4)


def _record(**numbers: float) -> Any:
    return np.array([tuple(map(float, numbers.values()))], dtype=[(name, np.float64) for name in numbers]).view(np.recarray)[0]


GAINS = _record(
    decision_height=6.0, decision_aside=6.0, decision_speed=4.0, approach_speed=14.0, flare_height=2.0, touch_seconds=0.2,
    approach_length=400.0, approach_slope=0.07, takeoff_speed=10.0, touch_height=0.1, stall_speed=8.0,
)  # fmt: skip


def _state(**given: float) -> Any:
    level = {"along": -50.0, "aside": 0.0, "height": 5.0, "speed": 14.0, "touching": 0.0, "still": 0.0, "radius": 40.0}
    return _record(**level | given)


@pytest.mark.parametrize(
    ("stage", "given", "after"),
    [
        (st.APPROACH, {}, (st.APPROACH, 0)),
        (st.APPROACH, {"aside": 7.0, "height": 10.0}, (st.APPROACH, 0)),  # there is time
        (st.APPROACH, {"aside": -7.0}, (st.GO_AROUND, st.REASONS.index("not on the centre line"))),
        (st.APPROACH, {"airspeed": 19.0}, (st.GO_AROUND, st.REASONS.index("not at its speed"))),
        (st.APPROACH, {"slope_error": 3.5}, (st.GO_AROUND, st.REASONS.index("not on the slope"))),
        (st.APPROACH, {"abort": True, "height": 50.0}, (st.GO_AROUND, st.REASONS.index("the operator"))),
        (st.APPROACH, {"height": 1.9}, (st.FLARE, 0)),
        (st.FLARE, {"touching": 0.3, "height": 0.0}, (st.ROLL_OUT, 0)),
        (st.FLARE, {"since": 16.0}, (st.GO_AROUND, st.REASONS.index("nothing was touched"))),
        (st.FLARE, {"abort": True, "touching": 0.1}, (st.FLARE, 0)),  # it has touched
        (st.ROLL_OUT, {"height": 2.0}, (st.FLARE, 0)),
        (st.ROLL_OUT, {"height": 0.0, "still": 1.1}, (st.STOPPED, 0)),
        (st.GO_AROUND, {"height": 28.0}, (st.DOWNWIND, 0)),
        (st.DOWNWIND, {"left": 30.0}, (st.BASE, 0)),
        (st.BASE, {"aside": 100.0, "left": 100.0}, (st.BASE, 0)),
        (st.BASE, {"aside": 30.0}, (st.APPROACH, 0)),
        (st.STOPPED, {"abort": True}, (st.STOPPED, 0)),
    ],
)
def test_what_leads_from_stage_to_stage(stage: int, given: dict[str, Any], after: tuple[int, int]) -> None:
    told = {"since": 1.0, "left": 500.0, "airspeed": 14.0, "slope_error": 0.0, "abort": False}
    state = _state(**{key: value for key, value in given.items() if key not in told})
    told |= {key: value for key, value in given.items() if key in told}
    assert st.landing_stage(stage, *told.values(), GAINS, state) == after


def test_a_mission_of_interventions_is_flown_and_repeats_to_the_byte() -> None:
    """Two places handed over while it holds its heading; it reaches the first and turns to the second, twice to the same bits."""
    ends = []
    for _ in range(2):
        simulation = load("skywalker_2013").simulate(seed=2, scenario="cruise")
        place = {"item_kind": 5, "item_x": 120, "item_z": 50}
        letters = [(1, {**place, "item_y": 40}), (2, {**place, "item_y": 400})]
        simulation.step(seconds=0.5)
        for number, values in letters:
            for name, value in (values | {"item": number}).items():
                simulation.intervene(Intervention(simulation.tick, "steer", f"setpoints.{name}", (float(value),)))
            simulation.step(seconds=0.02)
        simulation.intervene(Intervention(simulation.tick, "steer", "setpoints.mode", (float(plan.MISSION),)))
        closest, items = math.inf, set()
        for _ in range(40):
            simulation.step(seconds=0.5)
            closest = min(closest, float(np.hypot(*(simulation.data.qpos[:2] - (120.0, 40.0)))))
            items.add(float(_memory(simulation)["item"]))
        assert closest < 15.0
        assert items == {1.0, 2.0}
        assert simulation.data.qvel[1] > 10.0  # on its way to the second
        ends.append(simulation.data.qpos.tobytes())
    assert ends[0] == ends[1]


def _memory(simulation: Any) -> Any:
    """What the program of a run remembers."""
    start, layout = simulation.built.assembly.state.starts["program"], type(simulation.program).memory_layout
    return simulation.data.plugin_state[start : start + layout.itemsize // 8].view(layout)[0]
