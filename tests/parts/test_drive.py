"""The drive against closed forms: each effect alone, in the units of the real controller (motor revolutions)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
from laws import Law

import didymos
from didymos.describe.twin import Twin
from didymos.errors import InputError
from didymos.parts.drive import COMMAND, POSITION, STOPPED, TIMED_OUT, ZERO_VELOCITY, Drive

TURN = 2.0 * math.pi
RATIO, INERTIA, LINK = 5.0, 3e-4, 1e-4  # gear, rotor and output [kg m^2]
MODEL = """<mujoco><worldbody><body name="arm"><joint name="shaft" axis="0 0 1"/>
  <inertial pos="0 0 0" mass="0.1" diaginertia="1e-4 1e-4 1e-4"/></body></worldbody></mujoco>"""
AT_MOTOR = INERTIA + LINK / RATIO**2  # inertia that the motor feels

Bench = Callable[..., didymos.Log]


class Sender(didymos.Controller):
    """Sends what a test wants at 1 kHz: fixed inputs until a time, then other ones, or silence."""

    rate = 1000.0

    def __init__(self, first: Mapping[str, float], then: Mapping[str, float] | None = None, at: float = math.inf) -> None:
        self.first, self.then, self.at, self.beat = first, then, at, 0.0

    def update(self, t: float, measured: Any, setpoints: Any) -> Mapping[str, float]:
        chosen = self.first if t < self.at - 1e-9 else self.then
        if chosen is None:
            return {}
        self.beat += 1.0
        filled = {"mode": POSITION, "kp_scale": 1.0, "kd_scale": 1.0, "position": 0.0, "feedforward": 0.0} | dict(chosen)
        return {f"drive.{name}": value for name, value in filled.items()} | {"drive.beat": self.beat}


@pytest.fixture(scope="module")
def make_bench(make_twin: Callable[..., Twin]) -> Callable[..., Twin]:
    """make_bench(**numbers): a twin of one drive with these numbers."""

    def make(step: float = 1e-3, integrator: str = "implicitfast", **numbers: float) -> Twin:
        drive = {"kind": "drive", "link": "arm", "joint": "shaft", "ratio": RATIO, "kp": 0.0, "peak_torque": 100.0}
        return make_twin(
            MODEL,
            world={"step": step, "integrator": integrator},
            record={"rate": 1000},
            parts={"drive": drive | {"rotor_inertia": INERTIA} | numbers},
        )

    return make


@pytest.fixture(scope="module")
def run(make_bench: Callable[..., Twin]) -> Bench:
    """run(seconds, sender, **numbers): the log of one run."""

    def start(seconds: float, sender: Sender, **numbers: Any) -> didymos.Log:
        return make_bench(**numbers).simulate(control=sender).run(seconds)

    return start


def values(log: didymos.Log, name: str) -> np.ndarray:
    return log[f"parts.drive.{name}"].values


def test_a_stiff_drive_swings_with_the_period_of_rotor_and_load(run: Bench) -> None:
    kp = 1.7
    omega = math.sqrt(kp / TURN / AT_MOTOR)
    log = run(0.4, Sender({"position": 0.1}), kp=kp, step=1e-4)
    time = log["parts.drive.position"].time
    expected = 0.1 * (1.0 - np.cos(omega * time))
    # semi-implicit Euler shifts the phase by omega h / 2 and changes the period by (omega h)^2 / 24
    assert np.abs(values(log, "position") - expected).max() < 0.2 * omega * 1e-4


def test_gains_are_per_motor_revolution_and_scales_multiply_them(run: Bench) -> None:
    log = run(0.01, Sender({"position": 0.25, "kp_scale": 0.5, "feedforward": 0.3}), kp=1.7, coulomb=50.0)
    assert values(log, "torque")[5:] == pytest.approx(1.7 * 0.5 * 0.25 + 0.3, abs=1e-6)


def test_a_shaft_below_its_breakaway_torque_stands_still(run: Bench) -> None:
    held = run(1.0, Sender({"feedforward": 0.079}), coulomb=0.06, stribeck=0.02, stribeck_speed=0.2)
    freed = run(0.2, Sender({"feedforward": 0.081}), coulomb=0.06, stribeck=0.02, stribeck_speed=0.2)
    assert np.abs(values(held, "position")).max() < 1e-4
    assert values(freed, "position")[-1] > 0.03


def test_friction_follows_coulomb_stribeck_and_viscous_part(run: Bench) -> None:
    coulomb, stribeck, speed, viscous = 0.05, 0.02, 0.4, 0.03
    for v in (0.8, 2.0):
        friction = coulomb + stribeck * math.exp(-((v / speed) ** 2)) + viscous * v
        kick = Sender({"feedforward": 0.3}, {"feedforward": friction}, at=0.02)
        log = run(3.0, kick, coulomb=coulomb, stribeck=stribeck, stribeck_speed=speed, viscous=viscous)
        assert values(log, "velocity")[-1] == pytest.approx(v, rel=2e-3)


def test_the_rotor_is_felt_at_the_output_by_the_square_of_the_ratio(run: Bench) -> None:
    log = run(0.1, Sender({"feedforward": 0.01}))
    acceleration = 0.01 / AT_MOTOR / TURN  # [rev/s^2]
    assert values(log, "velocity")[-1] == pytest.approx(acceleration * log["parts.drive.velocity"].time[-1], rel=1e-6)


def test_torque_is_limited_and_falls_with_speed(run: Bench) -> None:
    log = run(2.0, Sender({"feedforward": 9.0}), peak_torque=2.0, top_speed=30.0, knee_speed=20.0)
    torque, speed = values(log, "torque"), values(log, "velocity")
    expected = 2.0 * np.clip((30.0 - speed) / 10.0, 0.0, 1.0)
    assert torque == pytest.approx(expected, abs=1e-9)
    assert speed.max() < 30.0
    assert speed[-1] == pytest.approx(30.0, abs=0.01)


def test_braking_is_not_limited_by_speed(run: Bench) -> None:
    log = run(0.5, Sender({"feedforward": 1.0}, {"feedforward": -9.0}, at=0.1), peak_torque=2.0, top_speed=30.0, knee_speed=20.0)
    assert values(log, "torque")[101] == -2.0


def test_a_command_acts_after_the_delay_of_the_bus(run: Bench) -> None:
    log = run(0.03, Sender({"position": 0.25}), kp=1.0, coulomb=50.0, delay=0.0073)
    torque, time = values(log, "torque"), log["parts.drive.torque"].time
    assert np.all(torque[time < 0.0073] == 0.0)
    assert torque[time > 0.0073] == pytest.approx(0.25, abs=1e-6)


@pytest.mark.parametrize("delay", [0.0145, 0.03])
def test_a_delay_of_many_ticks_is_a_delay_and_no_death(run: Bench, delay: float) -> None:
    """At 2 kHz 60 commands are on their way; room for 32 once left the drive without any."""
    sender = Sender({"position": 0.25})
    sender.rate = 2000.0
    log = run(0.06, sender, kp=1.0, coulomb=50.0, delay=delay, step=5e-4)
    torque, time = values(log, "torque"), log["parts.drive.torque"].time
    assert np.all(torque[time < delay - 1e-6] == 0.0)
    assert torque[time > delay + 1e-3] == pytest.approx(0.25, abs=1e-6)


def test_a_delay_without_room_for_its_commands_is_refused_before_and_during_a_run(make_bench: Callable[..., Twin]) -> None:
    sender = Sender({"position": 0.25})
    sender.rate = 5000.0
    sentence = r"found delay 0\.03, expected at most 0\.0122 s: 61 commands at one a tick of 0\.0002 s"
    with pytest.raises(InputError, match=sentence):
        make_bench(kp=1.0, delay=0.03, step=2e-4).simulate(control=sender)
    simulation = make_bench(kp=1.0, delay=0.0122, step=2e-4).simulate(control=sender)
    with pytest.raises(InputError, match=sentence):
        simulation.set("parts.drive.delay", 0.03)
    assert simulation.twin.get("parts.drive.delay") == 0.0122
    simulation.set("parts.drive.delay", 0.01)


def test_a_new_set_point_takes_over_within_a_millisecond(run: Bench) -> None:
    log = run(0.03, Sender({"position": 0.0}, {"position": 0.2}, at=0.01), kp=1.0, coulomb=50.0, delay=0.0005)
    torque, time = values(log, "torque"), log["parts.drive.torque"].time
    assert torque[np.searchsorted(time, 0.011 - 1e-9)] == pytest.approx(0.1, abs=1e-6)  # half of it, half a millisecond later
    assert torque[np.searchsorted(time, 0.012 - 1e-9)] == pytest.approx(0.2, abs=1e-6)


def test_a_commanded_velocity_moves_the_set_point_on(run: Bench) -> None:
    log = run(0.5, Sender({"position": 0.0, "velocity": 2.0}, None, at=0.0015), kp=1.0, coulomb=50.0)
    last = 0.001  # [s] when the last command was sent
    assert values(log, "torque")[-1] == pytest.approx(2.0 * (log["parts.drive.torque"].time[-1] - last), rel=1e-4)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_the_integral_stops_at_both_limits(run: Bench, side: float) -> None:
    log = run(1.0, Sender({"position": 0.5 * side}), kp=1.0, ki=2.0, integral_limit=0.3, coulomb=50.0)
    torque, time = values(log, "torque"), log["parts.drive.torque"].time
    expected = side * (0.5 + np.minimum(2.0 * 0.5 * time, 0.3))
    assert torque[1:] == pytest.approx(expected[1:], abs=2e-3)


def test_a_drive_without_commands_damps_and_says_so(run: Bench) -> None:
    log = run(0.5, Sender({"position": 5.0}, None, at=0.1), kp=1.0, kd=0.01, watchdog=0.05)
    mode, time = values(log, "mode"), log["parts.drive.mode"].time
    assert np.all(mode[(time > 0.002) & (time < 0.149)] == POSITION)
    assert np.all(mode[time > 0.151] == TIMED_OUT)
    late = time > 0.151
    assert values(log, "torque")[late] == pytest.approx(-0.01 * values(log, "velocity")[late], rel=1e-9)


def test_stop_lets_go_and_zero_velocity_damps(run: Bench) -> None:
    rolling = {"feedforward": 0.2}
    stopped = run(0.2, Sender(rolling, {"mode": STOPPED}, at=0.05), kd=0.02)
    damped = run(0.2, Sender(rolling, {"mode": ZERO_VELOCITY}, at=0.05), kd=0.02)
    assert np.all(values(stopped, "torque")[60:] == 0.0)
    assert values(stopped, "velocity")[60] == pytest.approx(values(stopped, "velocity")[-1], rel=1e-9)
    decay = (1.0 - 0.02 / TURN / AT_MOTOR * 1e-3) ** 100  # exp(-t k_d / J) as the integrator sees it, step by step
    assert values(damped, "velocity")[160] / values(damped, "velocity")[60] == pytest.approx(decay, rel=1e-6)


def test_a_motor_under_load_heats_up_and_gives_its_continuous_torque_when_hot(run: Bench) -> None:
    log = run(1.0, Sender({"feedforward": 2.0}), peak_torque=2.0, continuous_torque=1.0, thermal_time=0.5, coulomb=50.0)
    time, heat, torque = log["parts.drive.heat"].time, values(log, "heat"), values(log, "torque")
    hot = -0.5 * math.log(1.0 - 1.0 / 4.0)  # when 4 (1 - exp(-t / T)) = 1
    folding = -0.5 * math.log(1.0 - 0.9 / 4.0)  # from a heat of 0.9 on
    warm = (time > 0.001) & (time < folding - 0.002)
    assert heat[warm] == pytest.approx(4.0 * (1.0 - np.exp(-time[warm] / 0.5)), abs=0.02)
    assert np.all(torque[warm] == 2.0)
    settled = time > hot + 0.2
    assert torque[settled] == pytest.approx(1.0, abs=0.01)
    assert heat.max() <= 1.0


def test_torque_folds_back_without_a_jump_as_the_motor_gets_hot() -> None:
    law = Law(
        Drive, joint="j", ratio=9.0, kp=0.0, peak_torque=6.0, continuous_torque=2.0, thermal_time=30.0, fold_back=0.25
    )  # fmt: skip
    commands = np.zeros(64, COMMAND)
    commands[0]["feedforward"], commands[0]["mode"] = 9.0, POSITION
    for heat, expected in ((0.0, 6.0), (0.75, 6.0), (0.875, 4.0), (1.0, 2.0), (1.0 + 1e-9, 2.0), (4.0, 2.0)):
        found = law(memory={"heat": heat, "sent": 1.0, "commands": commands}).readouts["torque"]
        assert found == pytest.approx(expected, rel=1e-8)


def test_a_springy_gear_without_play_damps_both_ways() -> None:
    """k x + d dx/dt, also where the damper pulls against the spring; it once pushed only."""
    rng = np.random.default_rng(2)
    law = Law(
        Drive, joint="j", ratio=RATIO, kp=0.0, peak_torque=1.0, rotor_inertia=INERTIA, gear_stiffness=20.0, gear_damping=0.5
    )
    for twist, joint, rotor in rng.normal(size=(1000, 3)) * (0.05, 3.0, 15.0):
        found = law(state={"twist": twist, "rotor": rotor}, joint_velocity=joint)
        through = 20.0 * twist + 0.5 * (rotor / RATIO - joint)
        assert found.joint_torque == pytest.approx(through, rel=1e-12, abs=1e-12)
        assert found.rate["rotor"] == pytest.approx(-through / RATIO / INERTIA, rel=1e-12, abs=1e-9)


def test_flanks_with_play_push_and_do_not_pull_and_meet_without_a_jump() -> None:
    """10,000 states: of the sign of the stretch, nothing in the play, and 1e-9 rad further no more than a slope's worth more."""
    stiffness, damping, play = 20.0, 0.5, 0.02
    law = Law(
        Drive, joint="j", ratio=RATIO, kp=0.0, peak_torque=1.0, rotor_inertia=INERTIA, gear_stiffness=stiffness,
        gear_damping=damping, backlash=play,
    )  # fmt: skip
    rng = np.random.default_rng(3)
    for twist, speed in zip(rng.uniform(-0.03, 0.03, 10_000), rng.normal(size=10_000) * 5.0, strict=True):
        one, next_to_it, mirrored = (
            law(state={"twist": angle, "rotor": rotor}).joint_torque
            for angle, rotor in ((twist, speed), (twist + 1e-9, speed), (-twist, -speed))
        )
        assert mirrored == -one
        stretch = twist - min(max(twist, -0.5 * play), 0.5 * play)
        assert one * stretch >= 0.0
        assert one == 0.0 or stretch != 0.0
        slope = stiffness + damping * abs(speed) / RATIO / (0.1 * play)
        assert abs(next_to_it - one) <= 1.001e-9 * slope


def test_the_measured_velocity_lags_by_its_filter(run: Bench) -> None:
    log = run(0.3, Sender({"feedforward": 0.01}), velocity_filter=0.004)
    acceleration = 0.01 / AT_MOTOR / TURN
    true = acceleration * log["parts.drive.velocity"].time[-1]
    assert true - values(log, "velocity")[-1] == pytest.approx(acceleration * 0.004, rel=0.01)


def test_ripple_moves_the_place_of_rest(run: Bench) -> None:
    log = run(2.0, Sender({"position": 0.3}), kp=1.0, kd=0.05, ripple1_order=2.0, ripple1_sine=0.05, ripple1_cosine=-0.02)
    x = values(log, "position")[-1]
    angle = TURN * x
    assert 1.0 * (0.3 - x) + 0.05 * math.sin(2 * angle) - 0.02 * math.cos(2 * angle) == pytest.approx(0.0, abs=1e-6)


def test_one_angle_moves_all_waves_of_the_ripple_together() -> None:
    """At th with an angle of th_0 it is what it was at th + th_0, for each of six waves whose orders are not whole."""
    waves = {f"ripple{i}_order": order for i, order in enumerate((4.1114, 12.9833, 11.9833, 25.9667, 3.4781, 8.8719), 1)}
    waves |= {f"ripple{i}_sine": 0.001 * i for i in range(1, 7)} | {f"ripple{i}_cosine": -0.002 * i for i in range(1, 7)}
    drive = {"joint": "j", "ratio": RATIO, "kp": 0.0, "peak_torque": 1.0} | waves
    there, here = Law(Drive, **drive), Law(Drive, ripple_angle=7.3, **drive)
    for turns in (-0.9, 0.0, 0.31, 2.5):
        angle = TURN * (turns + 7.3)
        expected = sum(
            waves[f"ripple{i}_sine"] * math.sin(waves[f"ripple{i}_order"] * angle)
            + waves[f"ripple{i}_cosine"] * math.cos(waves[f"ripple{i}_order"] * angle)
            for i in range(1, 7)
        )
        shifted = here(joint_position=TURN * turns / RATIO).joint_torque
        assert shifted == pytest.approx(RATIO * expected, rel=1e-9, abs=1e-12)
        assert shifted == pytest.approx(there(joint_position=angle / RATIO).joint_torque, rel=1e-9, abs=1e-12)


def test_a_stopped_drive_gives_torque_once_it_is_enabled(run: Bench) -> None:
    log = run(0.05, Sender({"position": 0.25}), kp=1.0, coulomb=50.0, delay=0.002, enable_time=0.01)
    torque, mode, time = values(log, "torque"), values(log, "mode"), log["parts.drive.torque"].time
    assert np.all(torque[time < 0.0119] == 0.0)
    assert np.all(mode[time < 0.0119] == STOPPED)
    assert torque[time > 0.0121] == pytest.approx(0.25, abs=1e-6)


def test_a_drive_that_was_stopped_is_enabled_anew(run: Bench) -> None:
    class Twice(Sender):
        def update(self, t: float, measured: Any, setpoints: Any) -> Mapping[str, float]:
            self.first = {"position": 0.25, "mode": STOPPED if 0.0195 < t < 0.0295 else POSITION}
            return super().update(t, measured, setpoints)

    log = run(0.06, Twice({}), kp=1.0, coulomb=50.0, enable_time=0.01)
    torque, time = values(log, "torque"), log["parts.drive.torque"].time
    on = ((time > 0.0121) & (time < 0.0199)) | (time > 0.0421)
    off = (time < 0.0099) | ((time > 0.0221) & (time < 0.0399))
    assert torque[on] == pytest.approx(0.25, abs=1e-6)
    assert np.all(torque[off] == 0.0)


def test_a_springy_gear_winds_up_by_its_play_and_its_stiffness(run: Bench) -> None:
    log = run(
        0.5, Sender({"feedforward": 0.04}), kd=0.05, coulomb=1.0, gear_stiffness=20.0, gear_damping=0.05, backlash=0.02,
        step=1e-4, integrator="rk4",
    )  # fmt: skip
    twist = values(log, "output_position")[-1] - log["joints.shaft.position"].values[-1]
    assert twist == pytest.approx(0.01 + RATIO * 0.04 / 20.0, rel=1e-3)


def test_a_drive_changed_during_a_run_is_the_drive_that_began_so(make_bench: Callable[..., Twin]) -> None:
    values = {"parts.drive.rotor_inertia": 5e-4, "parts.drive.coulomb": 0.03, "parts.drive.viscous": 0.01}
    fresh, changed = make_bench(kp=1.0), make_bench(kp=1.0)
    fresh.set_all(values)
    early = fresh.simulate(control=Sender({"position": 0.2}))
    late = changed.simulate(control=Sender({"position": 0.2}))
    late.set_all(values)
    assert late.run(0.3).sha256 == early.run(0.3).sha256


@pytest.mark.parametrize(
    ("numbers", "sentence"),
    [
        ({"top_speed": 10.0, "knee_speed": 12.0}, "expected less than top_speed"),
        ({"backlash": 0.01}, "backlash needs the key 'gear_stiffness'"),
        ({"gear_stiffness": 100.0, "rotor_inertia": 0.0}, "needs the key 'rotor_inertia'"),
        ({"delay": 0.5}, "0.03"),
    ],
)
def test_numbers_that_contradict_each_other_are_refused(
    make_bench: Callable[..., Twin], numbers: dict[str, float], sentence: str
) -> None:
    with pytest.raises(InputError, match=sentence):
        make_bench(**numbers)
