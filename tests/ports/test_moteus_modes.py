"""Modes of a moteus through the wire, by the public client: brake, current, stay within, voltage, against closed forms."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from moteus_peer import moteus, served
from scipy.linalg import expm

from didymos import Log
from didymos.control.idle import Idle
from didymos.describe.twin import Twin
from didymos.engine.intervention import load_interventions

R, MODE = moteus.Register, moteus.Mode
TURN, PERIOD = 2.0 * math.pi, 0.005  # [rad], [s] of a step-locked query
K, OHM, PAIRS, RATIO, ROTOR, KP, KD = 0.1, 0.5, 7.0, 5.0, 3e-4, 2.0, 0.4
INERTIA = ROTOR + 0.04 / RATIO**2  # [kg m^2] at the motor: a wheel of 0.04 behind the gear
F32 = 2.0**-24  # what rounding to the wire's floats changes a number by, relative


@pytest.fixture(scope="module")
def wheel(make_twin: Any) -> Twin:
    """A drive without friction on a wheel: what happens is in its equations."""
    description = (
        '<mujoco><worldbody><body name="wheel"><joint name="axle" axis="0 0 1"/>'
        '<inertial pos="0 0 0" mass="1" diaginertia=".03 .03 .04"/></body></worldbody></mujoco>'
    )
    drive = {
        "kind": "drive", "link": "wheel", "joint": "axle", "ratio": RATIO, "kp": KP, "kd": KD, "peak_torque": 3.0,
        "rotor_inertia": ROTOR,
        "torque_constant": K, "phase_resistance": OHM, "pole_pairs": PAIRS, "current_limit": 20.0, "delay": 0.001,
        "watchdog": 0.1,
    }  # fmt: skip
    twin: Twin = make_twin(description, parts={"drive": drive}, world={"step": 0.001, "integrator": "rk4"})
    return twin


async def states(controller: Any, count: int) -> np.ndarray[Any, Any]:
    """Position, velocity and torque of so many queries, a period apart."""
    rows = []
    for _ in range(count):
        values = (await controller.query()).values
        rows.append([values[register] for register in (R.POSITION, R.VELOCITY, R.TORQUE)])
    return np.array(rows)


def repeat(twin: Twin, record: Path) -> bool:
    """Whether the recorded interventions give the same log without the wire."""
    done = load_interventions(record)
    again = twin.simulate(control=Idle()).run(done.seconds, interventions=done.interventions)
    return again.sha256 == Log.load(record).sha256


def test_a_current_is_a_torque_and_accelerates_the_wheel(wheel: Twin, tmp_path: Path) -> None:
    async def work(c: Any) -> tuple[Any, Any, Any]:
        await c.set_current(d_A=1.5, q_A=2.5)
        driven = await states(c, 40)
        told = (await c.custom_query({R.MODE: 0, R.Q_CURRENT: 3, R.D_CURRENT: 3})).values
        await c.set_current(d_A=0.0, q_A=-70.0)
        return driven, told, await states(c, 3)

    with served(wheel, tmp_path) as server:
        driven, told, beyond = server.run(work)
    assert (told[R.MODE], told[R.Q_CURRENT], told[R.D_CURRENT]) == (MODE.CURRENT, pytest.approx(2.5, rel=2 * F32), 1.5)
    assert driven[2:, 2] == pytest.approx(K * 2.5, rel=2 * F32)
    # v grows by K i_q t / J; every v is rounded to 24 bits, and so is their difference's share of the largest
    growth = K * 2.5 / INERTIA / TURN * PERIOD
    assert np.diff(driven[2:, 1]) == pytest.approx(growth, abs=2 * F32 * driven[-1, 1])
    assert beyond[-1, 2] == pytest.approx(-K * 20.0, rel=2 * F32)  # the limit of the controller
    assert repeat(wheel, server.record)


def test_a_brake_lets_a_wheel_run_down_by_its_back_emf(wheel: Twin, tmp_path: Path) -> None:
    async def work(c: Any) -> Any:
        await c.set_current(d_A=0.0, q_A=15.0)
        await states(c, 60)
        await c.set_brake()
        return await states(c, 120), (await c.query()).values[R.MODE]

    with served(wheel, tmp_path) as server:
        braked, mode = server.run(work)
    assert mode == MODE.BRAKE
    position, velocity, torque = braked[2:].T
    assert torque == pytest.approx(-K * K / (1.5 * OHM) * TURN * velocity, rel=3 * F32)
    # v = v0 exp(-t K^2 / (1.5 R J)); a step of rk4 is off by (h / tau)^5 / 120 = 3e-14 of it, the wire's two floats by 2 F32
    tau = 1.5 * OHM * INERTIA / (K * K)
    assert velocity[1:] / velocity[:-1] == pytest.approx(math.exp(-PERIOD / tau), rel=3 * F32)
    left = velocity[-1] * tau
    assert position[-1] + left == pytest.approx(position[0] + velocity[0] * tau, rel=1e-6)  # the way that is left, at any time
    assert velocity[-1] < 0.05 * velocity[0]
    assert repeat(wheel, server.record)


def test_outside_of_its_bounds_a_wheel_returns_and_within_it_is_free(wheel: Twin, tmp_path: Path) -> None:
    async def work(c: Any) -> tuple[Any, Any, Any, Any]:
        bounds = {"lower_bound": 0.2, "upper_bound": 0.4, "watchdog_timeout": math.nan}
        await c.set_stay_within(**bounds)
        returning = await states(c, 300)
        told = (await c.custom_query({R.MODE: 0, R.CONTROL_POSITION: 3})).values
        await c.set_stop()
        await c.set_output_exact(position=0.3)
        await c.set_stay_within(**bounds)
        free = await states(c, 20)
        await c.set_stay_within(feedforward_torque=0.02, **bounds)
        fed = await states(c, 20)
        return returning, told, free, fed

    with served(wheel, tmp_path) as server:
        returning, told, free, fed = server.run(work)
    assert (told[R.MODE], told[R.CONTROL_POSITION]) == (MODE.STAY_WITHIN, pytest.approx(0.2, rel=F32))
    # J 2 pi x'' = kp (b - x) - kd x': overdamped (kd > 2 sqrt(kp 2 pi J)), so x creeps to the bound and does not pass it
    mass, bound = TURN * INERTIA, float(np.float32(0.2))
    assert 2.0 * math.sqrt(KP * mass) < KD
    step = expm(np.array([[0.0, 1.0], [-KP / mass, -KD / mass]]) * PERIOD)
    off = returning[2:, :2] - [bound, 0.0]
    # a state is told in floats of 24 bits: x below 0.2 by 0.2 F32, v (2.6 rev/s at most) by 2.6 F32; v moves x by T v at most
    assert off[1:] == pytest.approx(off[:-1] @ step.T, abs=3.0 * 2.6 * F32)
    assert (off[:, 0] < 0.0).all()
    assert abs(off[-1, 0]) < 1e-4
    assert free[2:, 2].tolist() == [0.0] * 18
    assert free[2:, 1] == pytest.approx(free[2, 1], rel=2 * F32)  # what little speed it had it keeps
    assert fed[2:, 2] == pytest.approx(0.02, rel=2 * F32)
    assert repeat(wheel, server.record)


def test_stay_within_has_a_watchdog_and_bounds_of_its_own_controller(wheel: Twin, tmp_path: Path) -> None:
    async def work(c: Any) -> list[Any]:
        await c.set_stay_within(lower_bound=-1.0, upper_bound=1.0, watchdog_timeout=0.05)
        await states(c, 4)
        within = (await c.query()).values[R.MODE]
        await states(c, 12)
        late = (await c.query()).values[R.MODE]
        await c.set_stop()
        await moteus.Stream(c).command(b"conf set servopos.position_min 0.5")
        await c.set_stay_within(lower_bound=-1.0, upper_bound=1.0)
        return [within, late, (await c.query()).values[R.FAULT]]

    with served(wheel, tmp_path) as server:
        assert server.run(work) == [MODE.STAY_WITHIN, MODE.TIMEOUT, 39]


def test_a_voltage_at_an_angle_pulls_and_turns_the_wheel(wheel: Twin, tmp_path: Path) -> None:
    async def work(c: Any) -> tuple[Any, Any, Any]:
        await c.set_vfoc(theta=1.0, voltage=2.0)
        pulled = await states(c, 60)
        told = (await c.custom_query({R.MODE: 0, R.D_CURRENT: 3, R.Q_CURRENT: 3, R.POSITION: 3, R.VELOCITY: 3})).values
        await c.set_vfoc(theta=1.0, voltage=4.0, theta_rate=TURN)
        await states(c, 1500)
        return pulled, told, await states(c, 200)

    with served(wheel, tmp_path) as server:
        pulled, told, turned = server.run(work)
    position, velocity, torque = pulled[2:].T
    ahead = 1.0 - PAIRS * TURN * position
    # tau = K (V sin(theta - p th) - K omega / 1.5) / R; the angle is told to |x| F32 rev, K V / R = 0.4 N m per rad of it
    told_torque = K * (2.0 * np.sin(ahead) - K / 1.5 * TURN * velocity) / OHM
    off = F32 * (0.4 * PAIRS * TURN * np.abs(position).max() + K * K / 1.5 / OHM * TURN * np.abs(velocity).max() + 2.0)
    assert torque == pytest.approx(told_torque, abs=2.0 * off)
    angle = 1.0 - PAIRS * TURN * told[R.POSITION]
    assert told[R.MODE] == MODE.VOLTAGE_FOC
    assert told[R.D_CURRENT] == pytest.approx(2.0 * math.cos(angle) / OHM, abs=1e-4)
    # it is taken along: a turn of the field a second is 1 / p turn of the motor, once its swing has died out
    assert turned[:, 1].mean() == pytest.approx(1.0 / PAIRS, rel=1e-3)
    assert repeat(wheel, server.record)


def test_dq_voltages_phases_and_duty_cycles_come_by_the_console(wheel: Twin, tmp_path: Path) -> None:
    async def work(c: Any) -> list[tuple[Any, int]]:
        found = []
        for command in (b"d vdq 0.3 0.5", b"d v 0.4 0.1 -0.5", b"d raw 0.52 0.5 0.48", b"d dq 0 1.2", b"d brake"):
            await moteus.Stream(c).command(command)
            row = (await states(c, 3))[-1]
            found.append((row, (await c.query()).values[R.MODE]))
            await c.set_stop()
        return found

    def of_phases(a: float, b: float, c: float, turns: float) -> float:
        """v_q [V]: the phases' part across the magnets."""
        theta = PAIRS * TURN * turns
        return -2.0 / 3.0 * sum(v * math.sin(theta - shift * TURN / 3.0) for v, shift in ((a, 0.0), (b, 1.0), (c, -1.0)))

    with served(wheel, tmp_path) as server:
        found = server.run(work)
    assert [mode for _, mode in found] == [8, 6, 5, 9, 15]
    rows = [row for row, _ in found]
    q = [0.5, of_phases(0.4, 0.1, -0.5, rows[1][0]), of_phases(0.48, 0.0, -0.48, rows[2][0]), None, 0.0]
    for (_, velocity, torque), volts in zip(rows, q, strict=True):
        current = 1.2 if volts is None else (volts - K / 1.5 * TURN * velocity) / OHM
        # x and v are told in floats; K V p 2 pi / R = 10 N m/rev at most
        assert torque == pytest.approx(K * current, abs=20.0 * F32)
    assert repeat(wheel, server.record)


def test_a_motion_ends_at_its_stop_position(wheel: Twin, tmp_path: Path) -> None:
    async def work(c: Any) -> tuple[float, int]:
        for _ in range(300):
            await c.set_position(position=math.nan, velocity=-0.5, stop_position=0.25, query=True)
        stopped = (await c.custom_query({R.CONTROL_POSITION: 3, R.CONTROL_VELOCITY: 3})).values
        await c.set_stop()
        await c.set_position(position=math.nan, velocity=0.5, stop_position=0.25, velocity_limit=2.0)
        return stopped[R.CONTROL_POSITION], (await c.query()).values[R.FAULT]

    with served(wheel, tmp_path) as server:
        assert server.run(work) == (0.25, 45)


def test_a_measurement_of_the_inductance_gathers_its_slope(wheel: Twin, tmp_path: Path) -> None:
    async def work(c: Any) -> tuple[float, float, int]:
        stream = moteus.Stream(c)
        await stream.command(b"d ind 1.5 4 o0.5")
        await states(c, 21)
        mode = (await c.query()).values[R.MODE]
        first = (await stream.read_data("servo_stats")).meas_ind_integrator
        await states(c, 20)
        await c.set_stop()
        await states(c, 5)
        return first, (await stream.read_data("servo_stats")).meas_ind_integrator, mode

    twin = wheel.copy()
    twin.set("parts.drive.phase_inductance", 1e-4)
    with served(twin, tmp_path) as server:
        first, last, mode = server.run(work)
    assert mode == 14
    # V / L a second, from the command's arrival, a delay of 1 ms after it was sent, at most a period before the first query
    assert last - first == pytest.approx(1.5 / 1e-4 * 20 * PERIOD, rel=1e-6)  # ends with the mode, and stays
    assert first == pytest.approx(1.5 / 1e-4 * 21 * PERIOD, abs=1.5 / 1e-4 * (PERIOD + 0.001))
