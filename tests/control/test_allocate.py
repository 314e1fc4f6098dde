"""Allocation by weights: inputs under several axes are mixed, and what does not fit gives way in the stated order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from didymos.control.allocate import allocate
from didymos.control.allocation import AXES, Allocation, Command
from didymos.control.allocation_spec import AllocationSetSpec, axis_order, stated_allocation

RANGES = {"left": (-1.0, 1.0), "right": (-1.0, 1.0), "one": (0.0, 1.0), "two": (0.0, 1.0)}
ELEVONS: dict[str, Any] = {
    "roll": {"left": -0.8, "right": 0.8}, "pitch": {"left": 0.7, "right": 0.7}, "flaps": {"left": -0.3, "right": -0.3},
    "yaw": {"one": 0.4, "two": -0.4}, "thrust": ["one", "two"], "offset": {"left": 0.1, "right": -0.05},
}  # fmt: skip
ORDERS = {
    "usual": [], "pitch first": ["pitch", "roll", "thrust"], "together": [["roll", "pitch"], "thrust", "yaw"],
    "yaw before thrust": ["yaw", "thrust"], "thrust first": ["thrust", "flaps", "roll"],
}  # fmt: skip


def _allocation(priority: Any = (), **more: Any) -> Allocation:
    spec = AllocationSetSpec.model_validate({**ELEVONS, "priority": priority, **more})
    return stated_allocation(spec, RANGES, tuple(RANGES), hover=False)


def _given(allocation: Allocation, **command: float) -> Any:
    outputs = np.full(len(allocation.inputs), np.nan)
    table = allocation.record().view(np.recarray)[()]
    allocate(table, Command(**{axis: float(command.get(axis, 0.0)) for axis in AXES}), outputs)
    return outputs


def test_an_input_under_two_axes_is_mixed_from_both() -> None:
    found = _given(_allocation(), roll=0.5, pitch=0.25, thrust=0.5, yaw=0.1)
    np.testing.assert_allclose(found, [0.1 - 0.4 + 0.175, -0.05 + 0.4 + 0.175, 0.54, 0.46], rtol=1e-15)


def test_rows_and_axes_say_the_same() -> None:
    rows = {"left": {"roll": -0.8, "pitch": 0.7}, "right": {"roll": 0.8, "pitch": 0.7}}
    spec = AllocationSetSpec.model_validate({"inputs": {**rows, "one": {"thrust": 1}, "two": {"thrust": 1}}})
    by_rows = stated_allocation(spec, RANGES, tuple(RANGES), hover=False)
    for axis in ("roll", "pitch", "thrust"):
        np.testing.assert_array_equal(by_rows.weights[axis], _allocation().weights[axis])


def test_limits_narrow_the_range_of_an_input() -> None:
    found = _given(_allocation(limits={"left": [-0.2, 9.0]}), roll=1.0)
    assert found[0] == pytest.approx(-0.2)
    assert _given(_allocation(limits={"left": [-0.2, 9.0]}), pitch=2.0)[0] == pytest.approx(1.0)


def test_an_order_is_filled_up_with_the_axes_it_does_not_name() -> None:
    usual = (("tilt",), ("roll", "pitch"), ("thrust",))
    assert axis_order((("pitch",),), usual) == (("pitch",), ("tilt",), ("roll",), ("thrust",))


def test_a_record_among_more_inputs_leaves_the_others_at_zero() -> None:
    """As a program with two allocations lays both over one list of inputs."""
    spec = AllocationSetSpec.model_validate({"roll": {"right": 1.0}})
    one = stated_allocation(spec, RANGES, tuple(RANGES), hover=False)
    outputs = np.full(4, np.nan)
    allocate(one.record(tuple(RANGES)).view(np.recarray)[()], Command(0.5, 0.0, 0.0, 0.9, 0.0, 0.0, 0.0), outputs)
    np.testing.assert_array_equal(outputs, [0.0, 0.5, 0.0, 0.0])


def _reference(allocation: Allocation, command: dict[str, float]) -> Any:
    """Group after group by linear programmes: of a group its largest part, with any thrust until that is settled."""
    nothing = np.zeros(len(allocation.inputs))
    lift = allocation.weights.get("thrust", nothing)
    granted, settled = allocation.offset.copy(), False
    for group in allocation.priority:
        if "thrust" in group:
            # nearest thrust: t and its distance e
            rows = np.vstack([np.column_stack([lift, nothing]), np.column_stack([-lift, nothing]), [[1, -1], [-1, -1]]])
            most = np.concatenate([allocation.high - granted, granted - allocation.low]) + 1e-9
            best = linprog([0, 1], rows, [*most, command["thrust"], -command["thrust"]], bounds=[(None, None), (0, None)]).x[0]
            granted, settled = granted + lift * best, True
            continue
        asked = sum((allocation.weights.get(axis, nothing) * command[axis] for axis in group), nothing)
        both = np.column_stack([asked, nothing if settled else lift])
        room = np.concatenate([allocation.high - granted, granted - allocation.low])
        room = np.maximum(room, 0.0) + 1e-9 if settled else room + 1e-9
        part = linprog([-1, 0], np.vstack([both, -both]), room, bounds=[(0, 1), (None, None)]).x[0]
        granted = granted + part * asked
    return granted


@settings(max_examples=60, deadline=None)
@given(
    order=st.sampled_from(sorted(ORDERS)),
    shares=st.tuples(*[st.integers(-30, 30)] * 3, st.integers(0, 20), st.integers(0, 30)),
)
def test_what_gives_way_is_what_linear_programmes_give_up(order: str, shares: tuple[int, ...]) -> None:
    """Shares in steps of 1/20, so that no command is smaller than a solver's slack."""
    allocation = _allocation(ORDERS[order])
    command = dict.fromkeys(AXES, 0.0)
    command |= dict(zip(("roll", "pitch", "yaw", "thrust", "flaps"), (share / 20 for share in shares), strict=True))
    found = _given(allocation, **command)
    assert ((found >= allocation.low) & (found <= allocation.high)).all()
    np.testing.assert_allclose(found, _reference(allocation, command), atol=1e-6)
