"""Noise of measured starts makes a pendulum look damped: a narrow interval that misses is told, one that holds is not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from didymos import Twin
from didymos.fitting import Channel, Column, Fit, FittedParameter, Recording, fit
from didymos.fitting.start_check import start_doubts

PENDULUM = """<mujoco><worldbody><body name="arm"><joint name="hinge" axis="0 1 0" damping="0.2"/>
  <inertial pos="0 0 -0.3" mass="1" diaginertia=".01 .01 .001"/></body></worldbody>
  <actuator><motor name="motor" joint="hinge"/></actuator></mujoco>"""
PATH, TRUTH = "joints.hinge.damping", 0.2
SWAY = {"target": "inputs.motor", "kind": "sine", "amplitude": 0.5, "frequency": 0.6}


def swayed(noise: float, start: str) -> Fit:
    """Angles alone, so that the velocity of a start is a slope of noisy ones: 0.3 rad/s of noise with 0.01 rad."""
    twin = Twin.from_urdf(
        PENDULUM, world={"step": 0.002}, record={"rate": 100}, scenarios={"sway": {"seconds": 30.0, "stimuli": [SWAY]}}
    )
    true = twin.simulate(scenario="sway").run()["joints.hinge.position"]
    values = true.values + noise * np.random.default_rng(0).standard_normal(len(true.time))
    channel = Channel(Column("hinge", "joints.hinge.position"), true.time, values)
    twin.set(PATH, 0.3)
    return fit(twin, [Recording(Path("sway.csv"), "sway", (channel,))], {PATH: (0.0, 1.0)}, window=0.3, start=start)


def inside(found: Fit) -> bool:
    (damping,) = found.parameters
    assert damping.interval is not None
    return damping.interval[0] <= TRUTH <= damping.interval[1]


def test_an_interval_that_noisy_starts_made_wrong_is_told_first() -> None:
    found = swayed(0.01, "measured")
    assert not inside(found)
    assert found.warnings[0].startswith(f"{PATH} hangs on the noise of measured starts: with estimated ones it is 0.2")
    assert inside(swayed(0.01, "estimated"))


def test_an_interval_that_holds_is_not_doubted() -> None:
    found = swayed(5e-4, "measured")
    assert inside(found)
    assert not any("measured starts" in text for text in found.warnings)


@pytest.mark.parametrize(
    ("value", "half", "doubted"), [(1.0, 1.0, 0), (1.5, 1.0, 0), (1.9, 0.1, 0), (2.1, 0.1, 1), (2.6, 1.0, 1)]
)
def test_what_starts_say_otherwise_is_doubted_by_its_chance(value: float, half: float, doubted: int) -> None:
    ours, theirs = (
        FittedParameter("a", "kg", 0.0, at, (at - width, at + width), (-9.0, 9.0), {})
        for at, width in ((1.0, 1.0), (value, half))
    )
    assert len(start_doubts([ours], [theirs])) == doubted
