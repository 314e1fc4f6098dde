"""Desaturation of the mixer: what gives way, and in which order, against a linear programme that shares no code with it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from didymos.control import Rotor
from didymos.control.allocate import allocate
from didymos.control.allocation import Command
from didymos.control.mixer import effect_matrix, mixer, mixer_without, rotor_allocation, thrust_mixer

QUAD, HEXA = [-45, -135, 135, 45], [0, -60, -120, 180, 120, 60]
ODD = [10, 80, 170, 200, 260, 290, 330, 350]
COMMAND = st.tuples(st.floats(0.0, 1.0), *[st.floats(-1.0, 1.0)] * 3)
SOLVER = 1e-6  # HiGHS holds its constraints to 1e-7


def _ring(angles: list[float]) -> list[Rotor]:
    """Rotors at angles [deg] from the nose, turning by turns."""
    return [
        Rotor(f"m{i}", (0.3 * math.cos(math.radians(a)), 0.3 * math.sin(math.radians(a)), 0.0), (0.0, 0.0, 1.0), (-1.0) ** i)
        for i, a in enumerate(angles)
    ]


def _lost() -> Any:
    found = mixer_without(_ring(HEXA), 1)
    assert found is not None
    return found


MIXERS = {"quad": mixer(_ring(QUAD)), "hexa": mixer(_ring(HEXA)), "odd": mixer(_ring(ODD)), "lost": _lost()}


def _mixed(matrix: Any, command: Any, low: float = 0.0, high: float = 1.0) -> Any:
    """Inputs for thrust, roll, pitch (nose down) and yaw (nose left), as the matrix counts."""
    outputs = np.full(len(matrix), np.nan)
    thrust, roll, pitch, yaw = map(float, command)
    table = rotor_allocation(_ring([0.0] * len(matrix)), np.asarray(matrix), low=low, high=high).record()
    asked = Command(roll=roll, pitch=-pitch, yaw=-yaw, thrust=thrust, flaps=0.0, tilt=0.0, brake=0.0)
    allocate(table.view(np.recarray)[()], asked, outputs)
    return outputs


def _reference(matrix: Any, command: Any, low: float, high: float) -> tuple[float, float, float]:
    """Part of tilt, thrust, part of yaw: three linear programmes, one after the other, over inputs that a rotor can have."""
    thrust, roll, pitch, yaw = command
    a, c, d = matrix[:, 0], matrix[:, 1] * roll + matrix[:, 2] * pitch, matrix[:, 3] * yaw
    used = np.abs(matrix).any(axis=1)
    a, c, d = a[used], c[used], d[used]
    both = np.column_stack([c, a])
    sides = np.concatenate([np.full(len(a), high), np.full(len(a), -low)])
    tilt = linprog([-1, 0], np.vstack([both, -both]), sides, bounds=[(0, 1), (None, None)]).x[0]
    # thrust x and its distance e from the one asked for: least e
    zero = np.zeros(len(a))
    rows = np.vstack([np.column_stack([a, zero]), np.column_stack([-a, zero]), [[1, -1], [-1, -1]]])
    rest = np.concatenate([sides - np.concatenate([c, -c]) * tilt + 1e-9, [thrust, -thrust]])
    best = linprog([0, 1], rows, rest, bounds=[(None, None), (0, None)]).x[0]
    room = np.maximum(sides - np.concatenate([c * tilt + a * best, -c * tilt - a * best]), 0.0) + 2e-9  # a solver's slack is none
    part = linprog([-1], np.concatenate([d, -d])[:, None], room, bounds=[(0, 1)]).x[0]
    return float(tilt), float(best), float(part)


@example(name="hexa", command=(0.0, 0.0, -5.960464477539063e-08, -0.5))  # less than a solver keeps its limits by
@settings(max_examples=300, deadline=None)
@given(name=st.sampled_from(sorted(MIXERS)), command=COMMAND)
def test_what_gives_way_is_what_a_linear_programme_gives_up(name: str, command: Any) -> None:
    matrix = MIXERS[name]
    found = _mixed(matrix, command)
    assert ((found >= 0.0) & (found <= 1.0)).all()
    thrust, roll, pitch, yaw = command
    tilt, best, part = _reference(matrix, command, 0.0, 1.0)
    expected = matrix @ [best, tilt * roll, tilt * pitch, part * yaw]
    # a solver's slack in thrust or tilt is divided by a small yaw, so compare without yaw first
    slack = SOLVER * (1.0 + np.abs(matrix).max())
    bare = _mixed(matrix, (thrust, roll, pitch, 0.0))
    np.testing.assert_allclose(bare, matrix @ [best, tilt * roll, tilt * pitch, 0.0], atol=slack)
    np.testing.assert_allclose(found, expected, atol=10 * slack)


@given(name=st.sampled_from(sorted(MIXERS)), command=COMMAND)
def test_what_fits_is_mixed_plainly_to_the_bit(name: str, command: Any) -> None:
    matrix = MIXERS[name]
    thrust, roll, pitch, yaw = command
    plain = np.array([row[0] * thrust + row[1] * roll + row[2] * pitch + row[3] * yaw for row in matrix])
    if ((plain >= 0.0) & (plain <= 1.0)).all():
        assert (_mixed(matrix, command) == plain).all()


@given(command=COMMAND)
def test_the_moment_of_tilt_is_exact_wherever_some_thrust_allows_it(command: Any) -> None:
    """Of a quad in X with unit columns: roll and pitch fit where |roll| + |pitch| <= 1/2, whatever thrust and yaw are asked."""
    thrust, roll, pitch, yaw = command
    size = abs(roll) + abs(pitch)
    shrink = 1.0 if size <= 0.5 else 0.5 / size
    done = effect_matrix(_ring(QUAD)) @ _mixed(MIXERS["quad"], (thrust, shrink * roll, shrink * pitch, yaw))
    np.testing.assert_allclose(done[1:3], [shrink * roll, shrink * pitch], atol=1e-12)
    beyond = effect_matrix(_ring(QUAD)) @ _mixed(MIXERS["quad"], command)
    np.testing.assert_allclose(beyond[1:3], [shrink * roll, shrink * pitch], atol=1e-12)  # the largest in its direction


def test_yaw_gives_way_before_thrust_and_thrust_before_tilt() -> None:
    """Quad in X, columns of ones. Thrust 0.9 and tilt 0.1 fill the room: yaw gets none. With tilt 0.3 thrust falls to 0.7."""
    effects = effect_matrix(_ring(QUAD))
    np.testing.assert_allclose(effects @ _mixed(MIXERS["quad"], (0.9, 0.1, 0.0, 0.3)), [0.9, 0.1, 0.0, 0.0], atol=1e-13)
    np.testing.assert_allclose(effects @ _mixed(MIXERS["quad"], (0.9, 0.3, 0.0, 0.3)), [0.7, 0.3, 0.0, 0.0], atol=1e-13)
    np.testing.assert_allclose(effects @ _mixed(MIXERS["quad"], (0.1, -0.3, 0.0, 0.0)), [0.3, -0.3, 0.0, 0.0], atol=1e-13)
    np.testing.assert_allclose(effects @ _mixed(MIXERS["quad"], (0.8, 0.0, 0.1, 0.3)), [0.8, 0.0, 0.1, 0.1], atol=1e-13)
    np.testing.assert_allclose(effects @ _mixed(MIXERS["quad"], (0.8, 0.0, 0.1, -0.3)), [0.8, 0.0, 0.1, -0.1], atol=1e-13)


def test_a_lost_rotor_stays_off_and_the_others_keep_the_tilt() -> None:
    matrix, effects = MIXERS["lost"], effect_matrix(_ring(HEXA))
    found = _mixed(matrix, (0.95, 0.15, -0.05, 0.5))
    dead = ~np.abs(matrix).any(axis=1)
    assert dead.sum() == 2
    assert (found[dead] == 0.0).all()
    np.testing.assert_allclose((effects @ found)[1:3], [0.15, -0.05], atol=1e-12)


def test_bounds_in_newtons_hold_a_rotor_that_idles() -> None:
    """Thrusts of 0.5 to 6 N each: 2 N of thrust and 0.6 N m of roll; the lowest rotors idle, the thrust rises to make room."""
    rotors = _ring(QUAD)
    found = _mixed(thrust_mixer(rotors), (2.5, 0.6, 0.0, 0.0), 0.5, 6.0)
    assert found.min() == pytest.approx(0.5, abs=1e-12)
    arm = 0.3 / math.sqrt(2.0)
    assert arm * (found[2] + found[3] - found[0] - found[1]) == pytest.approx(0.6, abs=1e-12)
    assert found.sum() == pytest.approx(4 * 0.5 + 0.6 / arm, abs=1e-12)


def test_a_command_that_is_no_number_is_not_hidden() -> None:
    assert np.isnan(_mixed(MIXERS["quad"], (0.5, math.nan, 0.0, 0.0))).any()
