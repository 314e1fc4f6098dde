"""Propellers from files in the formats of UIUC and APC: what the files say, what lies beyond, and that no energy is made."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tables import TableBench

from didymos.errors import InputError
from didymos.parts.propeller import Propeller

MOTOR: dict[str, Any] = {
    "direction": 1.0, "inertia": 1e-4, "motor_resistance": 0.05, "speed_constant": 15.0, "supply": 12.0, "p_factor": 0.0,
}  # fmt: skip
# Three propellers of one's own: diameter [m], pitch by diameter, C_T at rest, C_P at rest; written as each source writes its own.
OWN = {"slow": (0.203, 0.475, 0.13, 0.055), "sport": (0.254, 0.7, 0.105, 0.052), "thin": (0.229, 0.6, 0.1, 0.042)}


def made(name: str, count: int = 14) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """J, C_T and C_P of one, as printed: to a little beyond zero thrust, below an efficiency of 0.8."""
    _, pitch, thrust, power = OWN[name]
    advance = np.round(np.linspace(0.0, 1.1 * pitch, count), 4)
    x = advance / pitch
    at = np.round(thrust * (1.0 - x) * (1.0 + 0.3 * x), 4)
    return advance, at, np.round(np.maximum(power * (1.0 - 0.55 * x**2), at * advance / 0.8 + 0.002), 4)


def write_uiuc(file: Path, name: str) -> None:
    rows = [f"{j:.4f}  {ct:.4f}  {cp:.4f}  {j * ct / cp:.4f}" for j, ct, cp in zip(*made(name), strict=True)]
    file.write_text("J           CT          CP          eta\n" + "\n".join(rows) + "\n")


def write_apc(file: Path, name: str, speeds: tuple[int, ...] = (3000, 6000)) -> None:
    """Blocks for speeds of rotation, thrust a little more at the faster ones; the last row of each breaks off."""
    text = [f"         {name}", "         DEFINITIONS:", "         J=V/nD (advance ratio)", ""]
    for i, rpm in enumerate(speeds):
        text += [f"         PROP RPM = {rpm:10d}", "", "         V          J           Pe         Ct          Cp          PWR",
                 "       (mph)     (Adv_Ratio)     -          -           -          (Hp)"]  # fmt: skip
        for j, ct, cp in zip(*made(name), strict=True):
            numbers = j, j * ct / cp, ct * (1 + 0.05 * i), cp
            text.append(f"  {j * 10:10.2f}  " + "  ".join(f"{number:10.4f}" for number in numbers) + f"  {0.01:10.3f}")
        text += ["       99.00      0.9999", "", ""]
    file.write_text("\n".join(text))


def bench(tmp_path: Path, name: str, form: str, **keys: Any) -> TableBench:
    file = tmp_path / f"{name}.{'dat' if form == 'apc' else 'txt'}"
    (write_apc if form == "apc" else write_uiuc)(file, name)
    return TableBench(tmp_path, Propeller, diameter=OWN[name][0], table={"file": file.name, "format": form}, **(MOTOR | keys))


CASES = [("slow", "uiuc"), ("sport", "uiuc"), ("thin", "apc"), ("sport", "apc")]


@pytest.mark.parametrize(("name", "form"), CASES)
def test_thrust_and_power_are_those_of_the_file(tmp_path: Path, name: str, form: str) -> None:
    diameter, turns, density = OWN[name][0], 50.0, 1.1  # 3000 rpm, a speed of the file
    propeller = bench(tmp_path, name, form)
    for j, ct, cp in zip(*made(name), strict=True):
        answer = propeller((j * turns * diameter, 0.0, 0.0), state={"speed": 2.0 * math.pi * turns}, density=density)
        thrust, power = answer.readouts["thrust"], answer.readouts["torque"] * 2.0 * math.pi * turns
        assert thrust == pytest.approx(ct * density * turns**2 * diameter**4, rel=1e-9, abs=1e-9)
        assert power == pytest.approx(cp * density * turns**3 * diameter**5, rel=1e-9)
        assert answer.readouts["advance"] == pytest.approx(j, abs=1e-9)
        np.testing.assert_allclose(answer.torque, [-answer.readouts["torque"], 0.0, 0.0], atol=1e-12)


def test_between_two_speeds_of_rotation_thrust_is_between_theirs(tmp_path: Path) -> None:
    propeller, diameter = bench(tmp_path, "thin", "apc"), OWN["thin"][0]
    for rpm, more in ((3000.0, 0.0), (4500.0, 0.025), (6000.0, 0.05), (9000.0, 0.05)):
        answer = propeller((0.0, 0.0, 0.0), state={"speed": rpm * math.pi / 30.0})
        assert answer.readouts["thrust"] == pytest.approx(0.1 * (1.0 + more) * 1.225 * (rpm / 60.0) ** 2 * diameter**4, rel=1e-9)


@pytest.mark.parametrize(("name", "form"), CASES)
def test_no_energy_is_made_in_any_quadrant(tmp_path: Path, name: str, form: str) -> None:
    """Thrust power never exceeds shaft power, wherever the flow comes from and however it turns; nor does the force across."""
    propeller, random = bench(tmp_path, name, form, p_factor=1.0), np.random.default_rng(11)
    worst = -1.0
    for _ in range(3000):
        velocity = random.standard_normal(3) * 10.0 ** random.uniform(-2.0, 2.0) * random.choice([0.0, 1.0], 3, p=[0.2, 0.8])
        speed = random.standard_normal() * 10.0 ** random.uniform(-1.0, 3.0)
        answer = propeller(velocity, state={"speed": speed})
        shaft = answer.readouts["torque"] * speed
        size = abs(answer.force[0] * velocity[0]) + abs(shaft) + 1e-12
        worst = max(worst, (float(answer.force @ velocity) - shaft) / size)
    assert worst < 1e-9


@pytest.mark.parametrize(("name", "form"), CASES)
def test_a_propeller_in_a_dive_brakes_and_is_driven(tmp_path: Path, name: str, form: str) -> None:
    """Far beyond zero thrust: drag, and the air spins the shaft up from rest; from behind it pushes ahead."""
    propeller = bench(tmp_path, name, form)
    for speed in (0.0, 20.0, 60.0):
        answer = propeller((30.0, 0.0, 0.0), state={"speed": speed})
        assert answer.force[0] < 0.0
        assert answer.readouts["torque"] < 0.0
        assert answer.rate["speed"] > 0.0
    stopped = propeller((30.0, 0.0, 0.0))
    area = 0.25 * math.pi * OWN[name][0] ** 2
    assert stopped.force[0] == pytest.approx(-0.8 * 0.08 * 0.5 * 1.225 * 900.0 * area, rel=1e-9)  # 0.8 sigma q A
    assert propeller((-30.0, 0.0, 0.0)).force[0] == pytest.approx(-stopped.force[0], rel=1e-9)


def test_thrust_and_torque_are_continuous_all_around(tmp_path: Path) -> None:
    propeller, diameter = bench(tmp_path, "sport", "uiuc"), OWN["sport"][0]
    answers = []
    for phi in np.linspace(-math.pi, math.pi, 4001):
        velocity, tip = 20.0 * math.sin(phi), 20.0 * math.cos(phi)
        answer = propeller((velocity, 0.0, 0.0), state={"speed": 2.0 * math.pi * tip / (0.7 * math.pi * diameter)})
        answers.append([answer.readouts["thrust"], answer.readouts["torque"] / diameter])
    scale = 0.5 * 1.225 * 400.0 * 0.25 * math.pi * diameter**2
    assert np.abs(np.diff(answers, axis=0)).max() < 2e-3 * scale  # in 1.6 mrad
    np.testing.assert_allclose(answers[0], answers[-1], atol=1e-9 * scale)


def test_the_p_factor_is_the_first_harmonic_of_the_blades_loads(tmp_path: Path) -> None:
    """Against an average over a turn of blades at 0.7 R that each see their own speed of rotation, taken from the same file."""
    propeller, diameter, turns = bench(tmp_path, "sport", "uiuc", p_factor=1.0), OWN["sport"][0], 80.0
    straight = bench(tmp_path, "sport", "uiuc")
    radius, along = 0.35 * diameter, 0.3 * turns * diameter
    across = np.array([0.0, 0.6, -0.8]) * 1e-3 * 2.0 * math.pi * turns * radius
    force, moment = np.zeros(3), np.zeros(3)
    for angle in np.linspace(0.0, 2.0 * math.pi, 360, endpoint=False):
        arm = radius * np.array([0.0, math.cos(angle), math.sin(angle)])
        way = np.cross([1.0, 0.0, 0.0], arm / radius)
        met = 2.0 * math.pi * turns + float(across @ way) / radius  # speed of rotation that the blade feels
        one = straight((along, 0.0, 0.0), state={"speed": met}).readouts
        load = np.array([one["thrust"], 0.0, 0.0]) - one["torque"] / radius * way
        force, moment = force + load / 360.0, moment + np.cross(arm, load) / 360.0
    answer = propeller((along, across[1], across[2]), state={"speed": 2.0 * math.pi * turns})
    np.testing.assert_allclose(answer.force[1:], force[1:], rtol=2e-3)
    np.testing.assert_allclose(answer.torque[1:], moment[1:], rtol=2e-3)
    climbing = propeller((along, 0.0, -2.0), state={"speed": 2.0 * math.pi * turns})
    assert climbing.torque[2] > 0.0  # turning right, nose up in the flow: to the left


def test_the_motor_turns_it_where_their_torques_meet(tmp_path: Path) -> None:
    propeller = bench(tmp_path, "sport", "uiuc", idle_current=0.5)
    constant = 1.0 / (2.0 * math.pi * 15.0)
    for speed in (200.0, 500.0):
        answer = propeller((5.0, 0.0, 0.0), inputs={"throttle": 0.6}, state={"speed": speed})
        current = max((0.6 * 12.0 - constant * speed) / 0.05, 0.0)
        assert answer.readouts["current"] == pytest.approx(current, rel=1e-12)
        assert answer.readouts["supply_current"] == pytest.approx(0.6 * current, rel=1e-12)
        assert answer.rate["speed"] == pytest.approx((constant * (current - 0.5) - answer.readouts["torque"]) / 1e-4, rel=1e-9)


def test_a_reversible_one_turns_backward(tmp_path: Path) -> None:
    there, not_there = (bench(tmp_path, "sport", "uiuc", reversible=on) for on in (1.0, 0.0))
    assert there((0.0, 0.0, 0.0), inputs={"throttle": -0.5}).rate["speed"] < 0.0
    assert not_there((0.0, 0.0, 0.0), inputs={"throttle": -0.5}).rate["speed"] == 0.0
    assert there((0.0, 0.0, 0.0), state={"speed": -300.0}).force[0] < 0.0


DAMAGED = {
    "static.txt": ("RPM  CT  CP\n1000 0.1 0.05\n", "is a static file, over RPM"),
    "word.txt": ("J CT CP eta\n0.0 0.1 0.05 0\n0.1 x 0.05 0.2\n", r"word\.txt:3: found 'x', expected a number"),
    "short.txt": ("J CT CP eta\n0.0 0.1 0.05 0\n0.1 0.1\n", r"short\.txt:3: found 2 numbers, expected J, CT, CP"),
    "free.txt": ("J CT CP eta\n0.0 0.1 0.05 0\n0.9 0.1 0.05 1.8\n", r"free\.txt:3: has C_T J = 0\.09 above C_P = 0\.05"),
    "none.dat": ("hello\n", r"none\.dat: has no line 'PROP RPM = \.\.\.'"),
    "one.txt": ("J CT CP eta\n0.0 0.1 0.05 0\n", "found 1 rows, expected two or more"),
    "hole.csv": ("J, rpm, CT, CP\n0, 3000, 0.1, 0.05\n0.3, 3000, 0.05, 0.04\n0, 6000, 0.1, 0.05\n", "no row for J = 0.3"),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_file_of_a_propeller_is_one_sentence(tmp_path: Path, name: str) -> None:
    text, expected = DAMAGED[name]
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=expected):
        TableBench(tmp_path, Propeller, diameter=0.2, table={"file": name}, **MOTOR)


def test_uiuc_files_of_two_speeds_are_one_propeller(tmp_path: Path) -> None:
    for rpm, thrust in ((3000, 0.10), (6000, 0.12)):
        (tmp_path / f"own_8x4_kt1234_{rpm}.txt").write_text(f"J CT CP eta\n0.0 {thrust} 0.05 0\n0.4 0.05 0.04 0.5\n")
    files = ["own_8x4_kt1234_3000.txt", "own_8x4_kt1234_6000.txt"]
    propeller = TableBench(tmp_path, Propeller, diameter=0.2, table={"file": files}, **MOTOR)
    answer = propeller((0.0, 0.0, 0.0), state={"speed": 4500.0 * math.pi / 30.0})
    assert answer.readouts["thrust"] == pytest.approx(0.11 * 1.225 * 75.0**2 * 0.2**4, rel=1e-9)
