"""What inputs do to the body, by differences of the engine's forces, against the closed forms of their parts."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import didymos
from didymos.engine.actuators import actuators_of
from didymos.engine.allocations import AllocationFinder
from didymos.engine.assemble import assemble
from didymos.engine.effectiveness import Condition, Effectiveness, HeldRobot, effectiveness
from didymos.engine.figures import rotors

AIRFRAMES = Path(__file__).parent.parent / "control" / "airframes"


def _effects(twin: didymos.Twin, condition: Condition, inputs: list[str]) -> Effectiveness:
    assembly = assemble(twin)
    actuators = actuators_of(twin, assembly.model, assembly.own_actuators)
    finder = AllocationFinder(twin, assembly, rotors(twin, assembly), actuators)
    return effectiveness(HeldRobot(twin, assembly, actuators), condition, finder.ranges, inputs)


def _density(twin: didymos.Twin) -> float:
    """At 50 m above the ground, in the standard atmosphere."""
    air = twin.file.world.air
    temperature = air.temperature - 0.0065 * 50.0
    pressure = air.pressure * (temperature / air.temperature) ** (9.80665 / (287.05287 * 0.0065))
    return float(pressure / (287.05287 * temperature))


def test_elevons_do_what_their_coefficients_say() -> None:
    """Flying wing at 18 m/s with its nose level: each elevon, half of S, lifts q S/2 C_Ldy limit at 0.9077 m from the middle."""
    twin = didymos.load("flying_wing")
    found = _effects(twin, Condition((18.0, 0.0, 0.0), 0.0, {}), ["left_elevon.y", "right_elevon.y"])
    force = 0.5 * _density(twin) * 18.0**2 * 0.375 * 0.5236
    np.testing.assert_allclose(found.of("up"), [-0.2781 * force] * 2, rtol=1e-4)
    np.testing.assert_allclose(found.of("pitch"), [0.2292 * 0.3571 * force] * 2, rtol=1e-4)
    np.testing.assert_allclose(found.of("roll"), np.array([-1.0, 1.0]) * 0.2781 * 0.9077 * force, rtol=1e-4)
    np.testing.assert_allclose(found.of("yaw"), 0.0, atol=1e-9 * force)
    # the roll of the published C_l,da: q S b C_l,da for opposite deflections of one radian each
    assert np.diff(found.of("roll"))[0] == pytest.approx(2.0 * force * 2.1 * 0.1202, rel=2e-3)


def test_a_tilting_rotor_yaws_by_its_thrust_and_lever() -> None:
    """Tricopter that stands in the air: the tail's thrust F, 0.4 m behind the middle, tilted by t, yaws by -0.4 F cos(t)."""
    twin = didymos.load(AIRFRAMES / "tricopter")
    throttle, tilt = 0.5, 0.1
    inputs = {"left": throttle, "right": throttle, "tail": throttle, "tail_tilt": tilt}
    found = _effects(twin, Condition((0.0, 0.0, 0.0), 0.0, inputs), ["left", "tail", "tail_tilt"])
    force = 0.5 * _density(twin) * 0.017 * 0.17 * (80.0 * throttle) ** 2
    slope = 2.0 * force / throttle
    torque = 0.000002 * 254.0**2 * throttle * 2.0  # per unit of throttle
    com = np.array([0.85 * 0.0235294 - 0.4 * 0.05, 0.0, 0.0]) / 0.9
    np.testing.assert_allclose(com, 0.0, atol=1e-6)
    assert found.of("up")[0] == pytest.approx(slope, rel=1e-4)
    assert found.of("roll")[0] == pytest.approx(0.25 * slope, rel=1e-4)
    assert found.of("pitch")[0] == pytest.approx(0.2 * slope, rel=1e-4)
    assert found.of("yaw")[0] == pytest.approx(torque, rel=1e-3)
    assert found.of("up")[1] == pytest.approx(slope * math.cos(tilt), rel=1e-4)
    # the torque of the air on the tilted rotor, against its turning, has a part about y
    assert found.of("pitch")[1] == pytest.approx(-0.4 * slope * math.cos(tilt) - torque * math.sin(tilt), rel=1e-4)
    # a positive tilt pushes the tail to the right and the nose to the left; so does the torque of the tilted rotor
    drag = 0.5 * torque * throttle
    expected = -0.4 * force * math.cos(tilt) - drag * math.sin(tilt)
    assert found.of("yaw")[2] == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("name", ["skywalker_2013", "plane_1wing", "plane_3wing_2motor", "flying_wing"])
def test_what_bundled_planes_state_is_what_would_be_derived(name: str) -> None:
    """Each axis leads mainly to the same inputs, with the same signs; derived weights also take back what a rudder rolls."""
    twin = didymos.load(name)
    simulation = twin.simulate()
    stated = simulation.robot.allocation.flight
    finder = simulation.robot.allocation.find.__self__  # type: ignore[union-attr]
    derived = finder._derived()
    for axis in ("roll", "pitch", "yaw", "thrust"):
        if not stated.has(axis):
            continue
        weights = dict(zip(derived.inputs, derived.weights[axis], strict=True))
        largest = max(abs(weight) for weight in weights.values())
        for one, weight in zip(stated.inputs, stated.weights[axis], strict=True):
            if weight != 0.0 and ".steer" not in one:
                assert weights[one] * np.sign(weight) > 0.9 * largest


def test_moments_are_about_the_centre_of_mass() -> None:
    """With the body's mass 0.1 m ahead, the lever of the left rotor in pitch is what is left of its 0.2 m."""
    twin = didymos.load(AIRFRAMES / "tricopter")
    twin.set("links.body.com.x", 0.1)
    found = _effects(twin, Condition((0.0, 0.0, 0.0), 0.0, {"left": 0.5}), ["left"])
    centre = (0.85 * 0.1 - 0.4 * 0.05) / 0.9
    assert found.of("pitch")[0] == pytest.approx((0.2 - centre) * found.of("up")[0], rel=1e-6)
