"""Modes of a drive beside position control: closed forms, and a motor whose three phases are computed one by one."""

from __future__ import annotations

import math

import numpy as np
import pytest
from laws import Law

from didymos.parts.drive import COMMAND, Drive
from didymos.parts.drive_modes import (
    BRAKE,
    CURRENT,
    INDUCTANCE,
    POSITION,
    PWM,
    STAY_WITHIN,
    TIMED_OUT,
    VOLTAGE,
    VOLTAGE_DQ,
    VOLTAGE_FOC,
)  # fmt: skip

K, R, L, P, TURN = 0.0919, 0.093, 60e-6, 20.0, 2.0 * math.pi
MOTOR = {"torque_constant": K, "phase_resistance": R, "phase_inductance": L, "pole_pairs": P, "voltage": 24.0}
SAID = {"kp_scale": 1.0, "kd_scale": 1.0, "watchdog": -1.0}


def torque(mode: float, turns: float = 0.0, speed: float = 0.0, time: float = 0.02, **given: float) -> tuple[float, float]:
    """Torque [N m] and mode of a drive whose motor stands at `turns` [rev] and moves at `speed` [rev/s]."""
    command = set(COMMAND.names or ())
    parameters = MOTOR | {name: value for name, value in given.items() if name not in command}
    said = SAID | {"mode": mode} | {name: value for name, value in given.items() if name in command}
    law = Law(Drive, joint="shaft", ratio=1.0, kp=2.0, kd=0.3, **{"peak_torque": 500.0} | parameters)
    commands = np.zeros(law.part.memory_layout["commands"].shape, COMMAND)
    for name, value in said.items():
        commands[name][0] = value
    found = law(memory={"sent": 1.0, "commands": commands}, joint_position=TURN * turns, joint_velocity=TURN * speed, time=time)
    return found.readouts["torque"], found.readouts["mode"]


def phases(voltages: tuple[float, float, float], theta: float, omega: float, pairs: float = P) -> float:
    """Torque [N m] of a star of three windings in steady state, from the power that their back-EMF takes: complex amplitudes.

    Voltages turn with the rotor; a winding has R and L, and the back-EMF of a magnet that passes it, -K / 1.5 omega sin(theta).
    """
    w, shift = pairs * omega, np.array([0.0, -1.0, 1.0]) * TURN / 3.0
    applied = np.array(voltages, dtype=complex) - np.mean(voltages)
    emf = K / 1.5 * omega * np.exp(1j * (theta + math.pi / 2.0 + shift))
    currents = (applied - emf) / (R + 1j * w * L)
    return float(0.5 * np.real(emf @ currents.conj()) / omega)


@pytest.mark.parametrize("speed", [-12.0, 0.3, 25.0])
def test_shorted_phases_brake_as_three_windings_do(speed: float) -> None:
    omega = TURN * speed
    given, mode = torque(BRAKE, speed=speed)
    assert mode == BRAKE
    assert given == pytest.approx(-K * K / 1.5 * omega * R / (R * R + (P * omega * L) ** 2), rel=1e-12)
    assert given == pytest.approx(phases((0.0, 0.0, 0.0), 0.3, omega), rel=1e-12)


def test_without_inductance_the_brake_is_a_damper_and_without_resistance_nothing() -> None:
    assert torque(BRAKE, speed=5.0, phase_inductance=0.0)[0] == pytest.approx(-K * K / (1.5 * R) * TURN * 5.0, rel=1e-12)
    assert torque(BRAKE, speed=5.0, phase_resistance=0.0)[0] == 0.0


def test_no_limit_of_the_controller_holds_back_a_brake_but_a_current() -> None:
    assert torque(BRAKE, speed=3.0, peak_torque=0.01) == torque(BRAKE, speed=3.0)
    assert torque(CURRENT, velocity=12.0, peak_torque=0.01)[0] == 0.01


@pytest.mark.parametrize(("turns", "speed"), [(0.013, 4.0), (-0.4, -17.0)])
def test_voltages_at_d_and_q_turn_with_the_rotor(turns: float, speed: float) -> None:
    """v_d + i v_q in the rotor's frame are phase amplitudes (v_d + i v_q) exp(i theta) of the three windings."""
    d, q, theta = 0.6, -1.1, P * TURN * turns
    turned = (d + 1j * q) * np.exp(1j * (theta + np.array([0.0, -1.0, 1.0]) * TURN / 3.0))
    assert torque(VOLTAGE_DQ, turns, speed, position=d, velocity=q)[0] == pytest.approx(
        phases(tuple(turned), theta, TURN * speed), rel=1e-9
    )


def test_a_voltage_at_an_angle_pulls_the_rotor_there() -> None:
    """At rest tau = K V / R sin(theta - p th); it turns on at its rate from when the command arrives."""
    volts, theta, rate, turns = 0.4, 1.1, 30.0, 0.004
    given = torque(VOLTAGE_FOC, turns, 0.0, position=theta, velocity=rate, feedforward=volts)[0]
    assert given == pytest.approx(K * volts / R * math.sin(theta + rate * 0.02 - P * TURN * turns), rel=1e-12)
    assert torque(VOLTAGE_FOC, theta / (P * TURN), 0.0, position=theta, feedforward=volts)[0] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("mode", [VOLTAGE, PWM])
def test_three_phases_are_the_same_voltage(mode: float) -> None:
    volts, theta = 0.5, 0.7
    common = 9.0  # what all phases have in common does nothing
    a, b, c = (volts * math.cos(theta + shift * TURN / 3.0) + common for shift in (0.0, -1.0, 1.0))
    foc = torque(VOLTAGE_FOC, 0.002, 0.0, position=theta, feedforward=volts)[0]
    assert torque(mode, 0.002, 0.0, position=a, velocity=b, feedforward=c)[0] == pytest.approx(foc, rel=1e-9)


def test_the_supply_limits_a_voltage() -> None:
    """(1/2 - 0.036) 2 / sqrt(3) of 24 V: a bridge that lets its low sides conduct 0.6 us of each half of 1 / 30 kHz."""
    most = (0.5 - 0.6e-6 * 60000.0) * 2.0 / math.sqrt(3.0) * 24.0
    for mode, said in ((VOLTAGE_DQ, {"velocity": 1e3}), (VOLTAGE_FOC, {"position": math.pi / 2.0, "feedforward": 1e3})):
        assert torque(mode, **said)[0] == pytest.approx(K * most / R, rel=1e-12)


def test_a_current_is_a_torque_within_its_limit() -> None:
    assert torque(CURRENT, position=3.0, velocity=-12.5)[0] == pytest.approx(-K * 12.5, rel=1e-15)
    assert torque(CURRENT, velocity=40.0, current_limit=20.0)[0] == pytest.approx(K * 20.0, rel=1e-15)


def test_within_its_bounds_a_drive_is_free_and_outside_it_is_held_at_the_bound() -> None:
    bounds = {"position": -0.2, "velocity": 0.5}
    assert torque(STAY_WITHIN, 0.1, 3.0, **bounds) == (0.0, STAY_WITHIN)
    assert torque(STAY_WITHIN, 0.1, 3.0, feedforward=0.07, **bounds)[0] == 0.07
    assert torque(STAY_WITHIN, 0.9, 3.0, **bounds)[0] == pytest.approx(2.0 * (0.5 - 0.9) - 0.3 * 3.0, rel=1e-12)
    below = torque(STAY_WITHIN, -0.9, 3.0, kp_scale=0.5, kd_scale=0.1, feedforward=0.07, **bounds)[0]
    assert below == pytest.approx(0.5 * 2.0 * (-0.2 + 0.9) - 0.1 * 0.3 * 3.0 + 0.07, rel=1e-12)
    assert torque(STAY_WITHIN, 0.9, 0.0, time=0.2, **bounds | {"watchdog": 0.1})[1] == TIMED_OUT


@pytest.mark.parametrize(
    ("after", "given"),
    [(0.0, 0.0), (10.0, 2.0 * (0.25 + 0.1 * 1.5 - 0.1) - 0.3 * 0.7), (12.0, -0.3 * 0.7), (15.0, -K * K / (1.5 * R) * TURN * 0.7)],
)
def test_what_a_drive_does_without_commands_is_chosen(after: float, given: float) -> None:
    said = {"position": 0.25, "velocity": 1.5, "watchdog": 0.1, "timeout_mode": after, "phase_inductance": 0.0}
    assert torque(POSITION, 0.1, 0.7, time=0.5, **said) == (pytest.approx(given, rel=1e-12), TIMED_OUT)


def test_a_measurement_of_the_inductance_moves_nothing() -> None:
    assert torque(INDUCTANCE, 0.1, 0.0, position=2.0) == (0.0, INDUCTANCE)
