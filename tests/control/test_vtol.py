"""VTOL: its frames and stages piece by piece, the wing's share against the engine's trim, and flights of three airframes."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import didymos
from didymos.control import Rotor
from didymos.control import vtol_stages as st
from didymos.control.hover_frame import attitude_error, from_angles, hover_attitude, to_body, to_hover, upright
from didymos.control.mixer import nose_up_mixer
from didymos.control.vtol import Vtol
from didymos.control.vtol_wing import carried, level_nose
from didymos.engine.trim import find_trim
from didymos.errors import InputError
from didymos.record.log import Log
from didymos.rotations import quaternion_to_matrix, rpy_to_matrix

AIRCRAFT = Path(__file__).parent / "airframes"
ROUNDING = 1e-12  # of a dozen products of numbers below 2
WAIT, FLY = 0, 1  # modes


@cache
def gains_of(name: str) -> Any:
    """The gains of a twin's program as compiled code reads them."""
    file = didymos.load(name).file
    assert file.control is not None
    program = Vtol(sensor="state")
    for path, value in _flat(file.control.gains).items():
        program.set_gain(path, value)
    return np.array(program.gains).view(Vtol.gain_layout)[0]


def _flat(gains: Any, before: str = "") -> dict[str, float]:
    found: dict[str, float] = {}
    for key, value in gains.items():
        path = f"{before}{key}"
        found |= _flat(value, f"{path}.") if hasattr(value, "items") else {path: float(value)}
    return found


@pytest.mark.parametrize("nose", [0.0, 0.3, math.pi / 2])
def test_the_hover_frame_is_the_body_with_its_nose_turned_down(nose: float) -> None:
    angles = np.array([0.4, -0.7, 2.1])
    body = from_angles(*angles)
    np.testing.assert_allclose(quaternion_to_matrix(np.array(body)), rpy_to_matrix(angles), atol=ROUNDING)
    hover = quaternion_to_matrix(np.array(hover_attitude(np.array(body), nose)))
    mount = rpy_to_matrix(np.array([0.0, -nose, 0.0]))  # of the body in the hover frame
    np.testing.assert_allclose(hover @ mount, rpy_to_matrix(angles), atol=ROUNDING)
    vector = np.array([1.0, -2.0, 0.5])
    x, y, z = to_hover(1.0, -2.0, 0.5, nose)
    np.testing.assert_allclose(np.array([x, y, z]), mount @ vector, atol=ROUNDING)
    np.testing.assert_allclose(np.array(to_body(x, y, z, nose)), vector, atol=ROUNDING)
    assert upright(hover_attitude(np.array(body), nose)) == pytest.approx(hover[2, 2], abs=ROUNDING)


def test_a_tail_sitter_on_its_tail_hovers_level() -> None:
    standing = from_angles(0.0, -math.pi / 2, 0.7)  # nose up, the belly toward the heading
    level = hover_attitude(np.array(standing), math.pi / 2)
    np.testing.assert_allclose(level, from_angles(0.0, 0.0, 0.7), atol=ROUNDING)


@pytest.mark.parametrize("angle", [0.1, 1.5, 3.0])
def test_what_is_left_to_turn_is_about_the_own_axes(angle: float) -> None:
    """A turn by an angle about an own axis leaves 2 sin(angle / 2) about that axis, whichever sign the quaternion has."""
    before = from_angles(0.3, -1.5, -2.0)
    for axis, turn in enumerate(((angle, 0.0, 0.0), (0.0, angle, 0.0), (0.0, 0.0, angle))):
        q, t = np.array(before), np.array(from_angles(*turn))
        w, v = q[0] * t[0] - q[1:] @ t[1:], q[0] * t[1:] + t[0] * q[1:] + np.cross(q[1:], t[1:])
        for sign in (1.0, -1.0):
            left = attitude_error(before, tuple(sign * np.array([w, *v])))
            expected = np.zeros(3)
            expected[axis] = 2.0 * math.sin(0.5 * angle)
            np.testing.assert_allclose(left, expected, atol=ROUNDING)


def test_the_wing_carries_what_the_engine_says() -> None:
    """The nose of level flight at other airspeeds, from that at one; the elevator's own lift, which the rule leaves out, is
    C_Ldy / C_La times what the elevator moves in between: 0.13 / 5.61 of at most 0.3 rad, 0.007 rad."""
    twin, gains = didymos.load("vtol"), gains_of("vtol")
    for airspeed in (19.0, 26.0):
        trim = find_trim(twin, airspeed=airspeed, height=40.0)
        assert level_nose(gains, airspeed, 1.0, 1.0) == pytest.approx(trim.nose, abs=0.007)
    at_trim = find_trim(twin, airspeed=float(gains["trim_airspeed"]), height=40.0)
    assert gains["trim_nose"] == pytest.approx(at_trim.nose, abs=1e-3)
    assert gains["trim_throttle"] == pytest.approx(at_trim.throttle, abs=0.01)


def test_nose_and_share_are_each_others_inverse() -> None:
    gains = gains_of("vtol")
    for airspeed, share in ((12.0, 0.3), (18.0, 0.75), (23.0, 1.0)):
        assert carried(gains, airspeed, level_nose(gains, airspeed, share, 1.0)) == pytest.approx(share, abs=ROUNDING)
    assert carried(gains, 0.0, 0.1) == 0.0
    assert level_nose(gains, 1.0, 1.0, 0.2) == 0.2


def _next(stage: int, *, since: float = 1.0, mode: int = st.MISSION, land: bool = False, **watched: float) -> tuple[int, int]:
    watch = np.zeros(1, dtype=st.WATCH)[0]
    watch["airspeed"], watch["left"] = 15.0, math.inf
    for name, value in watched.items():
        watch[name] = value
    found: tuple[int, int] = st.next_stage(stage, since, mode, land, watch, gains_of("vtol"))
    return found


@pytest.mark.parametrize(
    ("stage", "situation", "after", "reason"),
    [
        (st.LANDED, {"landed": 1.0}, st.LANDED, st.NONE),
        (st.LANDED, {}, st.TAKE_OFF, st.NONE),
        (st.TAKE_OFF, {"climb": 1.1}, st.TAKE_OFF, st.NONE),
        (st.TAKE_OFF, {"climb": -0.9}, st.HOVER, st.NONE),
        (st.HOVER, {"mode": WAIT}, st.HOVER, st.NONE),
        (st.HOVER, {"mode": FLY}, st.OUT, st.NONE),
        (st.HOVER, {"turn": -0.3}, st.HOVER, st.NONE),
        (st.HOVER, {"climb": 1.6}, st.HOVER, st.NONE),
        (st.HOVER, {"grounded": 1.0}, st.HOVER, st.NONE),
        (st.HOVER, {"grounded": 1.0, "settled": 2.1}, st.LAND, st.NONE),
        (st.HOVER, {"grounded": 1.0, "settled": 2.1, "mode": FLY}, st.HOVER, st.NONE),
        (st.HOVER, {"land": True}, st.LAND, st.NONE),
        (st.OUT, {"airspeed": 19.4}, st.OUT, st.NONE),
        (st.OUT, {"airspeed": 19.6}, st.WING, st.NONE),
        (st.OUT, {"since": 20.1}, st.BACK, st.NO_TRANSITION),
        (st.OUT, {"low": 1.1}, st.BACK, st.HEIGHT_LOST),
        (st.OUT, {"mode": WAIT}, st.BACK, st.ASKED),
        (st.WING, {"airspeed": 5.0}, st.WING, st.NONE),
        (st.WING, {"slow": 1.1}, st.BACK, st.TOO_SLOW),
        (st.WING, {"upset": 1.1}, st.BACK, st.UPSET),
        (st.WING, {"low": 0.9}, st.WING, st.NONE),
        (st.WING, {"left": 250.0, "speed": 22.0}, st.WING, st.NONE),  # 10 + 22^2 / 2.2 m
        (st.WING, {"left": 210.0, "speed": 22.0}, st.BACK, st.ARRIVED),
        (st.WING, {"left": 210.0, "speed": 22.0, "mode": FLY}, st.WING, st.NONE),
        (st.BACK, {"speed": 4.1}, st.BACK, st.NONE),
        (st.BACK, {"speed": 3.9, "tilt": 0.5}, st.BACK, st.NONE),
        (st.BACK, {"speed": 3.9}, st.HOVER, st.NONE),
        (st.LAND, {}, st.LAND, st.NONE),
        (st.LAND, {"mode": WAIT}, st.HOVER, st.NONE),
        (st.LAND, {"landed": 1.0}, st.LANDED, st.NONE),
    ],
)
def test_one_stage_follows_the_other(stage: int, situation: dict[str, Any], after: int, reason: int) -> None:
    assert _next(stage, **situation) == (after, reason)


def fly(name: str | Path, scenario: str, seed: int = 0) -> Log:
    simulation = didymos.load(name).simulate(seed=seed, scenario=scenario)
    log = simulation.run()
    assert not [verdict for verdict in simulation.judge(log) if not verdict.ok]
    return log


def test_a_mission_in_moderate_gusts_keeps_its_height_and_lands_where_it_began() -> None:
    """By the stages: within 5 m in all of both transitions, and every stage but the way out of trouble was flown in its order."""
    log = fly("vtol", "mission_gusts", seed=1)
    stage = log["control.stage"]
    moving = np.isin(stage.values, (st.OUT, st.BACK))
    height = np.interp(stage.time, log["truth.position.z"].time, log["truth.position.z"].values)
    assert np.abs(height - log["control.height_setpoint"].values)[moving].max() < 5.0
    order = [int(value) for value in stage.values[np.r_[True, np.diff(stage.values) != 0]]]
    expected = [st.TAKE_OFF, st.OUT, st.WING, st.BACK, st.HOVER, st.LAND, st.LANDED]
    assert [value for value in order if value != st.HOVER] == [value for value in expected if value != st.HOVER]
    assert (log["inputs.lift1"].values[(stage.values == st.WING) & (log["control.fade"].values == 1.0)] == 0.0).all()


def test_without_its_pusher_it_comes_down_on_its_rotors() -> None:
    fly("vtol", "pusher_failure")


@pytest.mark.parametrize("name", ["tail_sitter", "tilt_rotor"])
def test_the_same_program_flies_airframes_that_are_data_alone(name: str) -> None:
    log = fly(AIRCRAFT / name, "there_and_back")
    tilt = np.interp(log["control.fade"].time, log["truth.tilt"].time, log["truth.tilt"].values)
    if name == "tail_sitter":
        assert abs(tilt[log["control.stage"].values == st.HOVER][-1] - math.pi / 2) < 0.1
        assert tilt[log["control.fade"].values == 1.0].max() < 0.6


@pytest.mark.parametrize(("axis", "key"), [("pitch", "rotor1"), ("yaw", "rotor2"), ("roll", "rotor3")])
def test_a_tail_sitter_with_a_wrong_sign_is_refused(axis: str, key: str, tmp_path: Path) -> None:
    for file in (AIRCRAFT / "tail_sitter").iterdir():
        text = file.read_text(encoding="utf-8")
        if file.name == "twin.yaml":
            head, hover = text.split("  hover:", 1)
            before, rest = hover.split(f"    {axis}: ", 1)
            line, after = rest.split("\n", 1)
            wrong = line.replace(f"{key}: -", f"{key}: +", 1) if f"{key}: -" in line else line.replace(f"{key}: ", f"{key}: -", 1)
            assert wrong != line
            text = f"{head}  hover:{before}    {axis}: {wrong.replace('+', '')}\n{after}"
        (tmp_path / file.name).write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=axis):
        didymos.load(tmp_path).simulate(scenario="there_and_back")


def test_rotors_along_the_nose_turn_a_tail_sitter_about_its_own_axes() -> None:
    """Each column of the mixer against moments by r x F and the reaction of each rotor, in the body's frame (forward-left-up)."""
    places = ((0.1, 0.35, 0.15, 1.0), (0.1, -0.35, 0.15, -1.0), (0.1, -0.35, -0.15, 1.0), (0.1, 0.35, -0.15, -1.0))
    rotors = [Rotor(f"rotor{i}", (x, y, z), (1.0, 0.0, 0.0), turns) for i, (x, y, z, turns) in enumerate(places)]
    forward = np.array([1.0, 0.0, 0.0])
    moments = np.array([np.cross((0.0, y, z), forward) - 0.01 * turns * forward for _, y, z, turns in places]).T
    done = np.vstack([np.ones(4), moments]) @ nose_up_mixer(rotors)
    assert (np.diag(done) > 0.0).all()
    np.testing.assert_allclose(done - np.diag(np.diag(done)), 0.0, atol=ROUNDING)
