"""The noise that samples show, and twins that do not explain a recording down to it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from didymos import Twin
from didymos.fitting import Channel, Column, Recording, fit
from didymos.fitting.evaluation import Evaluation
from didymos.fitting.misfit import misfits
from didymos.fitting.noise import sample_noise

TIME = np.linspace(0.0, 4.0, 2001)


@pytest.mark.parametrize("signal", [np.zeros_like(TIME), TIME**2, np.sin(8.0 * TIME), np.exp(-TIME) * np.cos(15.0 * TIME)])
@pytest.mark.parametrize("size", [1e-3, 0.05])
def test_the_noise_of_a_smooth_signal_is_seen_in_its_samples(signal: np.ndarray, size: float) -> None:
    rng = np.random.default_rng(4)
    found = sample_noise(signal + size * rng.standard_normal(len(TIME)))
    # sd of the median of n absolute values: 1.17 / sqrt(n) each, neighbours correlated and the least of six orders: within 10 %
    assert found == pytest.approx(size, rel=0.1)


def test_spikes_do_not_pass_for_noise_and_few_samples_say_nothing() -> None:
    values = np.sin(TIME) + 1e-3 * np.random.default_rng(1).standard_normal(len(TIME))
    values[::100] += 3.0
    assert sample_noise(values) == pytest.approx(1e-3, rel=0.3)  # a twentieth of all differences know a spike
    assert sample_noise(values[:10]) is None


PENDULUM = """<mujoco><worldbody><body name="arm"><joint name="hinge" axis="0 1 0" damping="{damping}"/>
  <geom type="capsule" fromto="0 0 0 0 0 -.5" size=".02" mass="1"/>
  <body name="tip" pos="0 0 -.5"><joint name="elbow" axis="0 1 0" damping="{damping}"/>
  <inertial pos="0 0 -.2" mass="{mass}" diaginertia=".013 .013 .0002"/></body></body></worldbody></mujoco>"""


def swing(mass: float, damping: float, start: float, seconds: float) -> tuple[Twin, Recording]:
    """A double pendulum that is let go, recorded by encoders with noise, and its twin with a lighter tip."""
    content = {"world": {"step": 0.002}, "start": {"joints": {"hinge": start, "elbow": 0.5 * start}}, "record": {"rate": 100}}
    truth = Twin.from_urdf(PENDULUM.format(mass=mass, damping=damping), **content)
    log = truth.simulate().run(seconds + 0.1)
    time, rng = np.arange(0.0, seconds, 0.01), np.random.default_rng(2)
    channels = []
    for name in ("hinge", "elbow"):
        true = log[f"joints.{name}.position"]
        values = np.interp(time, true.time, true.values) + 1e-3 * rng.standard_normal(len(time))
        channels.append(Channel(Column(name, f"joints.{name}.position"), time, values))
    twin = Twin.from_urdf(PENDULUM.format(mass=0.7, damping=damping), **content)
    return twin, Recording(Path("swing.csv"), None, tuple(channels))


BOUNDS = {"links.tip.mass": (0.3, 3.0)}


def test_a_twin_that_is_right_is_not_accused() -> None:
    twin, recording = swing(0.95, 0.05, 0.3, 3.0)
    found = fit(twin, [recording], BOUNDS)
    assert found.misfits == ()
    (mass,) = found.parameters
    assert mass.interval is not None
    assert mass.interval[0] < 0.95 < mass.interval[1]


def test_a_tumbling_arm_is_found_or_refuted_but_never_narrow_and_wrong() -> None:
    twin, recording = swing(0.95, 0.0, 2.8, 10.0)
    found = fit(twin, [recording], BOUNDS)
    (mass,) = found.parameters
    if abs(mass.after - 0.95) > 0.01:
        assert mass.interval is None
        assert found.misfits[0].refuted
        assert found.warnings[0].startswith("the twin does not explain swing.csv: joints.")
    else:
        assert mass.interval is not None
        assert mass.interval[0] < 0.95 < mass.interval[1]


def judged(motion: np.ndarray, errors: np.ndarray, name: str) -> Evaluation:
    channel = Channel(Column(name, name), TIME, motion + errors)
    recording = Recording(Path("flight.csv"), None, (channel,))
    return Evaluation(recording, False, channel, TIME, channel.rows, channel.rows, motion[:, None])


def test_a_channel_that_hardly_moves_refutes_no_twin_that_explains_the_others() -> None:
    rng = np.random.default_rng(3)
    wave, hold = 2.0 * np.sin(3.0 * TIME), 0.02 * np.sin(TIME)
    drift = [0.01 * np.sin(2.0 * TIME + phase) + 1e-3 * rng.standard_normal(len(TIME)) for phase in (0.0, 1.0)]
    found = misfits([judged(wave, drift[0], "x"), judged(hold, drift[1], "height")], whole=True)
    assert {item.signal for item in found} == {"x", "height"}  # both are told
    assert not any(item.refuted for item in found)
    wrong = misfits([judged(wave, 100.0 * drift[0], "x"), judged(hold, drift[1], "height")], whole=True)
    assert {item.signal for item in wrong if item.refuted} == {"x", "height"}


def test_what_is_missing_in_a_twin_is_told_with_its_place() -> None:
    twin, recording = swing(0.95, 0.05, 0.3, 3.0)
    hinge = recording.channels[0]
    bump = 0.02 * np.exp(-(((hinge.time - 2.0) / 0.05) ** 2))
    pushed = Recording(recording.file, None, (Channel(hinge.column, hinge.time, hinge.values + bump), recording.channels[1]))
    found = fit(twin, [pushed], BOUNDS)
    worst = found.misfits[0]
    assert worst.signal == "joints.hinge.position"
    assert not worst.refuted
    assert worst.begin < 2.0 < worst.end
    assert found.parameters[0].interval is not None


SLIDER = """<mujoco><worldbody><body name="base"><joint name="rail" type="slide" axis="1 0 0" damping="3"/>
  <geom type="box" size=".1 .1 .1" mass="2"/>
  <body name="load" pos="0 0 .2"><geom type="box" size=".1 .1 .1" mass="1"/></body></body></worldbody></mujoco>"""


def test_masses_that_ride_together_are_known_only_by_their_sum() -> None:
    content = {"start": {"joint_velocities": {"rail": 2.0}}, "record": {"rate": 100}, "world": {"gravity": 0}}
    twin = Twin.from_urdf(SLIDER, **content)
    time = np.arange(0.0, 2.0, 0.01)
    values = 2.0 * np.exp(-3.0 * time / 3.6) + 1e-3 * np.random.default_rng(0).standard_normal(len(time))  # 3.6 kg in all
    recording = Recording(Path("glide.csv"), None, (Channel(Column("v", "joints.rail.velocity"), time, values),))
    found = fit(twin, [recording], {"links.base.mass": (0.5, 6.0), "links.load.mass": (0.2, 6.0)})
    assert sum(found.values().values()) == pytest.approx(3.6, rel=0.01)
    (direction,) = found.directions
    assert set(direction.names) == {"links.base.mass", "links.load.mass"}
    assert "known only together: only their sum is, 3.5" in direction.text or "only their sum is, 3.6" in direction.text
    assert all(item.interval is None or item.interval[1] - item.interval[0] > 1.0 for item in found.parameters)
