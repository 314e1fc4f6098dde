"""Gains that nobody gives: planes and multirotors that were stripped of all gains fly, of any size; given gains stay."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import didymos
from didymos.control.fixed_wing_gains import closed_loop, fixed_wing_gains
from didymos.control.multirotor_gains import attitude_gains
from didymos.engine import gain_design
from didymos.engine.gain_design import designed_gains, flight_model
from didymos.twin import Twin, load

FLYING = (
    "skywalker_2013", "plane_1wing", "plane_1wing_sensors", "plane_3wing_2motor", "quadcopter", "hexacopter", "daedalus",
    "crazyflie",
)  # fmt: skip


def stripped(name: str, **sections: Any) -> Twin:
    """A bundled twin without any gain, in its own program and in those of its scenarios."""
    twin = load(name)
    control, scenarios = twin.plain_section("control"), twin.plain_section("scenarios")
    for owner in (control, *scenarios.values(), *(x["control"] for x in scenarios.values() if "control" in x)):
        owner.pop("gains", None)
    return twin.with_sections({"control": control, "scenarios": scenarios, **sections})


@pytest.mark.parametrize(
    ("name", "scenario"),
    [
        ("skywalker_2013", "cruise"), ("plane_1wing", "cruise"), ("plane_3wing_2motor", "cruise"), ("quadcopter", "hover"),
        ("quadcopter", "gusts"), ("hexacopter", "hover"), ("daedalus", "hover"),
    ],
)  # fmt: skip
def test_a_twin_without_gains_does_what_its_scenario_expects(name: str, scenario: str) -> None:
    simulation = stripped(name).simulate(scenario=scenario, seed=3)
    verdicts = simulation.judge(simulation.run())
    assert verdicts
    assert all(item.ok for item in verdicts), verdicts
    assert simulation.gain_notes == ()


@pytest.mark.parametrize("name", FLYING)
def test_bundled_twins_give_all_gains_themselves(name: str) -> None:
    """So nothing is designed for them, and they keep their bits."""
    twin = load(name)
    assert twin.program is not None
    assert twin.program.designs
    for scenario in (None, *twin.scenarios):
        assert twin.for_scenario(scenario).gains_to_design == (), scenario


def test_what_is_given_stays_and_the_rest_is_found() -> None:
    twin = stripped("plane_1wing")
    control = twin.plain_section("control")
    control["gains"] = {"roll": {"kp": 1.25}}
    twin = twin.with_sections({"control": control})
    twin.set("control.gains.yaw.kp", 0.07)
    gains = twin.simulate().twin.parameters
    assert gains["control.gains.roll.kp"].value == 1.25
    assert gains["control.gains.yaw.kp"].value == 0.07
    found = designed_gains(twin)
    assert {"roll.kp", "yaw.kp"}.isdisjoint(found)
    for path, value in found.items():
        assert gains[f"control.gains.{path}"].value == value
    assert found["trim.throttle"] == pytest.approx(0.5485, abs=1e-3)


def test_the_model_that_backstepping_needs_is_the_one_that_its_twin_states() -> None:
    stated = load("daedalus").parameters
    for path, value in designed_gains(stripped("daedalus")).items():
        if path.startswith("model."):
            assert value == pytest.approx(stated[f"control.gains.{path}"].value, rel=1e-3), path


def test_what_a_run_sets_changes_the_plant_and_not_the_gains() -> None:
    twin = stripped("quadcopter")
    light = designed_gains(twin)
    twin.set("links.body_FLU.mass", 1.0)
    assert designed_gains(twin) == light


def test_a_model_is_made_once_and_the_same_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    first = flight_model(stripped("skywalker_2013"), "flight")
    twin = stripped("skywalker_2013")
    again = flight_model(twin, "flight")
    assert np.array_equal(first.a, again.a)
    assert np.array_equal(first.b, again.b)
    assert flight_model(twin, "flight") is again
    monkeypatch.setattr(gain_design, "_make", lambda *_: pytest.fail("a model was made though all gains are given"))
    load("skywalker_2013").simulate()


def test_poles_of_roll_lie_where_the_design_puts_them() -> None:
    """b / (s^2 (T s + 1)) under kp + kd s: -z w +- i w sqrt(1 - z^2) and -(1/T - 2 z w), z = 0.6, w = 0.5 / T."""
    model = flight_model(stripped("daedalus"), "hover")
    gains, b, late = attitude_gains(model), model.of("p", "roll"), model.delay("roll")
    assert late == pytest.approx(0.06 + 2 * 0.002)  # the rotors of the twin file, a reading and a call of 2 ms
    poles = np.roots([late, 1.0, b * gains["roll.kd"], b * gains["roll.kp"]])
    w = 0.5 / late
    expected = [complex(-0.6 * w, 0.8 * w), complex(-0.6 * w, -0.8 * w), complex(-(1.0 / late - 1.2 * w), 0.0)]
    for value in expected:
        assert np.abs(poles - value).min() < 1e-6 * w


@pytest.mark.parametrize("name", ["skywalker_2013", "plane_1wing", "plane_3wing_2motor"])
def test_all_poles_of_plane_and_autopilot_are_damped(name: str) -> None:
    model = flight_model(stripped(name), "flight")
    values = np.linalg.eigvals(closed_loop(model, fixed_wing_gains(model)))
    assert values.real.max() < 0.0
    swings = values[np.abs(values.imag) > 0.3]
    assert (-swings.real / np.abs(swings)).min() > 0.3


def test_gains_that_cannot_be_found_are_said(capsys: pytest.CaptureFixture[str]) -> None:
    """A quadcopter under twenty times its gravity does not hover: the program's own gains are taken, with a note."""
    world = load("quadcopter").plain_section("world")
    simulation = stripped("quadcopter", world={**world, "gravity": 200.0}).simulate()
    (note,) = simulation.gain_notes
    assert "cannot hover" in note.what
    assert simulation.twin.parameters["control.gains.roll.kp"].value == 0.0


URDF = """<robot name="plane"><link name="base_link"><inertial><origin xyz="0 0 0"/><mass value="{mass}"/>
<inertia ixx="{ixx}" iyy="{iyy}" izz="{izz}" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>"""
TWIN = """title: A plane of nobody's, scaled by {s}
description: {{file: plane.urdf, base: floating}}
world: {{step: 0.0025, integrator: rk4}}
parts:
  wing:
    {{kind: airfoil, link: base_link, area: {area}, span: {span}, chord: {chord}, limit_x: 0.4, limit_y: 0.4, limit_z: 0.4,
     rate_limit: {rate}, lift_0: 0.3, lift_alpha: 5.0, lift_q: 4.0, drag_0: 0.04, stall_angle: 0.3, side_beta: -0.4,
     roll_beta: -0.05, roll_p: -0.45, roll_r: 0.1, roll_x: 0.15, pitch_0: 0.02, pitch_alpha: -0.6, pitch_q: -12,
     pitch_y: 0.8, yaw_beta: 0.08, yaw_p: -0.03, yaw_r: -0.12, yaw_z: 0.08}}
  engine: {{kind: generic_engine, link: base_link, direction: 1, disc_area: {disc}, efficiency: 1.0, exit_speed: {exit}}}
sensors:
  state: {{kind: odometry, link: base_link, rate: 100}}
  pitot: {{kind: airspeed, link: base_link, rate: 100}}
allocation: {{roll: wing.x, pitch: wing.y, yaw: wing.z, thrust: engine}}
control:
  program: fixed_wing
  rate: 100
  options:
    sensor: state
    airspeed: pitot
record: {{air: true}}
start: {{position: [0, 0, 100], velocity: [{speed}, 0, 0]}}
"""


def _plane(folder: Path, s: float) -> tuple[Twin, float]:
    """A plane of 2 kg and 1.6 m, scaled geometrically by s: areas s^2, mass s^3, inertia s^5, speeds sqrt(s) (Froude)."""
    speed = 16.0 * math.sqrt(s)
    folder.mkdir()
    inertia = {"ixx": 0.11 * s**5, "iyy": 0.13 * s**5, "izz": 0.22 * s**5}
    (folder / "plane.urdf").write_text(URDF.format(mass=2.0 * s**3, **inertia))
    text = TWIN.format(
        s=s, area=0.35 * s**2, span=1.6 * s, chord=0.22 * s, rate=5.0 / math.sqrt(s), disc=0.02 * s**2,
        exit=40.0 * math.sqrt(s), speed=speed,
    )  # fmt: skip
    (folder / "twin.yaml").write_text(text)
    return didymos.load(folder), speed


@pytest.mark.parametrize("s", [0.5, 1.0, 2.0])
def test_a_strangers_plane_of_any_size_flies_by_the_name_of_the_program(tmp_path: Path, s: float) -> None:
    """Height and airspeed are held, and a turn by 60 deg and a climb by 10 s m are flown, in times that grow with V / g."""
    twin, speed = _plane(tmp_path / "plane", s)
    unit = speed / 9.81
    turn = {"target": "setpoints.heading", "kind": "step", "at": 10 * unit, "to": 1.0}
    climb = {"target": "setpoints.z", "kind": "step", "at": 10 * unit, "from": 100.0, "to": 100.0 + 10.0 * s}
    setpoints = {"airspeed": speed, "heading": 0.0}
    twin.add_scenarios({"manoeuvre": {"seconds": 40 * unit, "setpoints": setpoints, "stimuli": [turn, climb]}})
    log = twin.simulate(scenario="manoeuvre").run()
    height, air, yaw = log["truth.position.z"], log["air.speed"], log["truth.yaw"]
    before = (height.time > 5 * unit) & (height.time < 10 * unit)
    after = height.time > 36 * unit
    assert np.abs(height.values[before] - 100.0).max() < 0.5 * s
    assert np.abs(height.values[after] - 100.0 - 10.0 * s).max() < 1.0 * s
    assert np.abs(air.values[(air.time > 5 * unit) & (air.time < 10 * unit)] - speed).max() < 0.02 * speed
    assert np.abs(air.values[air.time > 36 * unit] - speed).max() < 0.03 * speed
    assert np.abs(yaw.values[yaw.time > 36 * unit] - 1.0).max() < 0.03
    assert np.abs(log["truth.roll"].values).max() < 0.6
