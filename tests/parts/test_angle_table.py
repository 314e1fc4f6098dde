"""Tables over the angle of a motor, beside scipy's splines, and what a drive makes of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from laws import Law
from pydantic import ValidationError
from scipy.interpolate import BSpline

from didymos.parts.angle_table import AngleTableSpec, from_table
from didymos.parts.drive import Drive

TURN, RATIO = 2.0 * math.pi, 9.0
FIRST, SPACING = -0.4, 0.05
WEIGHTS = tuple(np.random.default_rng(1).normal(0.0, 0.01, 17))
TABLE = {"first": FIRST, "spacing": SPACING, "values": WEIGHTS}
DRIVE = {"joint": "j", "ratio": RATIO, "kp": 0.0, "peak_torque": 1.0, "coulomb": 0.07, "stribeck": 0.02, "stribeck_speed": 0.1}
PLACES = np.linspace(-0.6, 0.6, 193)  # [rev], some of them beyond both ends


def record_of(**keys: Any) -> Any:
    return np.array([AngleTableSpec(**keys).record()]).view(np.recarray)[0]


def by_scipy(places: np.ndarray) -> np.ndarray:
    """The same sum of splines; a B-spline over five knots has its middle at the third."""
    total = np.zeros(len(places))
    for j, weight in enumerate(WEIGHTS):
        knots = FIRST + SPACING * (j + np.arange(-2, 3))
        total += weight * np.nan_to_num(BSpline.basis_element(knots, extrapolate=False)(places))
    return total


def test_a_table_is_the_sum_of_its_splines() -> None:
    table = record_of(**TABLE)
    said = [from_table(table, x) for x in PLACES]
    assert said == pytest.approx(by_scipy(PLACES), abs=1e-15)


def test_beyond_two_knots_from_its_ends_it_is_zero() -> None:
    table = record_of(**TABLE)
    last = FIRST + SPACING * (len(WEIGHTS) - 1)
    for beyond in (2.01 * SPACING, 1.0, 50.0, 1e9):
        assert from_table(table, FIRST - beyond) == 0.0
        assert from_table(table, last + beyond) == 0.0


def test_equal_weights_are_that_value_between_the_ends() -> None:
    table = record_of(first=0.0, spacing=0.1, values=[0.3] * 8)
    assert [from_table(table, x) for x in np.linspace(0.1, 0.6, 50)] == pytest.approx([0.3] * 50, rel=1e-14)


@pytest.mark.parametrize("keys", [{"spacing": 0.0}, {"values": []}, {"values": [0.1] * 129}, {"first": "a"}])
def test_a_table_that_is_none_is_refused(keys: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        AngleTableSpec(**TABLE | keys)


@pytest.mark.parametrize("way", [-1.0, 1.0])
def test_a_ripple_table_pushes_the_same_way_in_both_directions(way: float) -> None:
    with_table, without = Law(Drive, ripple_table=TABLE, ripple_angle=0.13, **DRIVE), Law(Drive, **DRIVE)
    for x, expected in zip(PLACES, by_scipy(PLACES + 0.13), strict=True):
        here = {"joint_position": TURN * x / RATIO, "joint_velocity": way * 2.0}
        added = with_table(**here).joint_torque - without(**here).joint_torque
        assert added == pytest.approx(RATIO * expected, abs=1e-12)


@pytest.mark.parametrize("way", [-1.0, 1.0])
def test_friction_over_the_angle_turns_round_with_the_motion_and_leaves_breakaway_alone(way: float) -> None:
    """Moving friction is F_C + f: the law gives back F_S - f of what the engine holds, none of it at standstill."""
    law = Law(Drive, coulomb_table=TABLE, ripple_angle=-0.07, **DRIVE)
    for x, more in zip(PLACES, by_scipy(PLACES - 0.07), strict=True):
        fast = law(joint_position=TURN * x / RATIO, joint_velocity=way * TURN / RATIO)  # ten times v_S
        assert fast.joint_torque == pytest.approx(way * RATIO * (0.02 - more), abs=1e-12)
        assert law(joint_position=TURN * x / RATIO, joint_velocity=0.0).joint_torque == 0.0


def test_without_ripple_the_tables_are_off_as_well() -> None:
    off, without = Law(Drive, ripple=0.0, ripple_table=TABLE, coulomb_table=TABLE, **DRIVE), Law(Drive, **DRIVE)
    for x in PLACES:
        here = {"joint_position": TURN * x / RATIO, "joint_velocity": 1.0}
        assert off(**here).joint_torque == without(**here).joint_torque
