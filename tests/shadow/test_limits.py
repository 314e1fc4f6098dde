"""Which limits a twin brings, what a user may declare, and what is said of them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest

import didymos
from didymos.errors import InputError
from didymos.fitting.fitted import FittedParameter
from didymos.shadow.draws import Uncertainty, state_draws
from didymos.shadow.limits import SignalLimit, declared, known_limits
from didymos.shadow.outlook import Event, Outlook, wilson
from didymos.shadow.touching import contact_limits, feet_of

BODY = '<mujoco><worldbody><body name="body"><freejoint/><geom size=".1" mass="1"/></body></worldbody></mujoco>'
SIGNALS = ("truth.position.z", *(f"truth.orientation.{axis}" for axis in "wxyz"))


def test_an_expression_is_a_limit() -> None:
    limit = declared(" truth.position.z<0.5 ", SIGNALS)
    assert (limit.signal, limit.above, limit.value, limit.kind) == ("truth.position.z", False, 0.5, "declared")
    assert limit.name == "truth.position.z < 0.5"
    assert declared("truth.tilt >= 1e-1", SIGNALS).needs == SIGNALS[1:]
    assert declared("control.yaw > 1", (*SIGNALS, "control.yaw")).needs == ("control.yaw",)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("truth.position.z", "expected SIGNAL > VALUE"),
        ("truth.position.z > high", "expected a finite number"),
        ("truth.position.z > nan", "expected a finite number"),
        ("truth.positon.z > 1", "did you mean 'truth.position.z'"),
        ("imu.tilt > 1", "no signal 'imu.tilt'"),
    ],
)
def test_a_bad_expression_is_refused_in_a_sentence(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        declared(text, SIGNALS)


def test_a_limit_is_reached_between_two_samples() -> None:
    times = np.array([1.0, 1.1, 1.2])
    above, below = SignalLimit("a", "declared", "s", 0.75), SignalLimit("b", "declared", "s", -0.25, above=False)
    either = SignalLimit("c", "declared", "s", 0.5, size=True)
    assert above.first(times, np.array([0.0, 0.5, 1.5])) == pytest.approx(1.125)
    assert below.first(times, np.array([0.0, 0.5, 1.5])) is None
    assert below.first(times, np.array([0.0, -0.5, 0.0])) == pytest.approx(1.05)
    assert either.first(times, np.array([0.0, -1.0, 0.0])) == pytest.approx(1.05)
    assert either.first(times, np.array([-0.6, 0.0, 0.0])) == 1.0


def test_the_twins_bring_their_own_limits() -> None:
    unit = {limit.name: limit for limit in known_limits(didymos.load("power_unit").simulate(), standing=False)}
    assert unit["drive at its torque limit, 3.5 N m"].value == pytest.approx(0.999 * 3.5)
    assert unit["shaft_joint at its velocity limit, 18.91 rad/s"].size
    base = didymos.load("omni_base", variant="walled")
    feet = feet_of(base)
    assert feet == {"wheel_1", "wheel_2", "wheel_3", "wheel_4"}
    simulation = base.simulate()
    touches = {(limit.link, limit.other): limit.kind for limit in contact_limits(simulation, feet)}
    assert touches["base_link", "ground"] == "fall"
    assert touches["wheel_1", "wall"] == touches["base_link", "wall"] == "contact"
    assert ("wheel_1", "ground") not in touches
    tilts = [limit.value for limit in known_limits(simulation, standing=True) if limit.kind == "tilt"]
    assert tilts == [pytest.approx(np.pi / 3.0)]
    flies = didymos.load("quadcopter").simulate()
    assert [limit.value for limit in known_limits(flies, standing=False) if limit.kind == "tilt"] == [pytest.approx(np.pi / 2.0)]


def test_a_battery_is_empty_by_its_charge_or_its_voltage(make_twin: Any) -> None:
    cell = {"kind": "battery", "link": "body", "full_voltage": 12.0, "empty_voltage": 9.0}
    parts = {"store": {**cell, "capacity": 100.0}, "falling": {**cell, "start_voltage": 11.0}}
    found = {limit.signal: limit for limit in known_limits(make_twin(BODY, parts=parts).simulate(), standing=False)}
    assert (found["parts.store.charge"].value, found["parts.falling.voltage"].value) == (0.02, 9.0)
    assert not any(limit.above for limit in found.values())


@pytest.mark.parametrize(("hits", "count"), [(0, 64), (1, 64), (45, 64), (64, 64), (3, 7)])
def test_the_interval_of_a_probability_is_wilsons(hits: int, count: int) -> None:
    peer = binomtest(hits, count).proportion_ci(0.95, method="wilson")
    assert wilson(hits, count) == pytest.approx((peer.low, peer.high), abs=1e-12)


def test_an_outlook_says_it_in_a_line() -> None:
    event = Event(SignalLimit("too low", "declared", "s", 0.0), np.linspace(1.0, 2.0, 32), 64)
    assert str(event) == "too low: 50 % (38 to 62 %), in 1.50 s (1.05 to 1.95 s)"
    never = Event(SignalLimit("too high", "declared", "s", 0.0), np.empty(0), 64)
    outlook = Outlook(3.0, 2.0, 64, (event, never), ())
    assert str(outlook) == str(event)
    assert outlook.likely == (event,)
    assert outlook.facts["events"][1]["seconds"] is None
    assert str(Outlook(3.0, 2.0, 64, (never,), ())) == "nothing within 2 s"


def test_draws_have_the_covariance_that_they_are_drawn_from() -> None:
    root = np.array([[1.0, 0.0, 0.0], [0.5, 0.2, 0.0], [0.0, 0.0, 0.0]])
    covariance = root @ root.T  # the last direction is known exactly
    count = 4000
    drawn = state_draws(covariance, 3, 1, count)
    spread = np.sqrt(np.outer(np.diag(covariance), np.diag(covariance)) + covariance**2) / np.sqrt(count)
    assert (np.abs(np.cov(drawn.T, bias=True) - covariance) <= 5.0 * spread).all()
    assert not drawn[:, 2].any()
    assert (state_draws(covariance, 3, 1, 7) == drawn[:7]).all()  # fewer are the first of more
    with pytest.raises(InputError, match="eigenvalue"):
        state_draws(-np.eye(3), 3, 1, 2)
    with pytest.raises(InputError, match="at least 4 by 4"):
        state_draws(covariance, 4, 1, 2)


def test_parameters_stay_within_their_bounds_and_bad_ones_are_named() -> None:
    twin = didymos.load("power_unit")
    known = Uncertainty.of(twin, {"parts.drive.coulomb": 0.07, "parts.drive.viscous": 0.001})
    drawn = known.draw(twin, 3, 200)
    friction = np.array([values["parts.drive.coulomb"] for values in drawn])
    assert friction.min() == 0.0  # a standard deviation from zero: a sixth of them is held there
    assert np.median(friction) == pytest.approx(twin.get("parts.drive.coulomb"), abs=4.0 * 1.25 * 0.07 / np.sqrt(200))
    with pytest.raises(InputError, match=r"parts\.drive\.coulomb"):
        Uncertainty.of(twin, {"parts.drive.colomb": 0.1})
    with pytest.raises(InputError, match="standard deviation"):
        Uncertainty.of(twin, {"parts.drive.coulomb": -0.1})


def test_what_a_fit_knows_is_drawn_with_its_correlations() -> None:
    """Intervals of 95 % are 1.96 standard deviations wide each way; one that others follow moves them with it."""
    bounds = (-9.0, 9.0)
    found = (
        FittedParameter("parts.drive.coulomb", "N m", 0.1, 0.07, (0.0504, 0.0896), bounds, {"parts.drive.coulomb": 1.0}),
        FittedParameter("parts.drive.k*", "", 1.0, 2.0, (1.804, 2.196), bounds, {"parts.drive.kp": 1.0, "parts.drive.kd": 0.1}),
        FittedParameter("parts.drive.viscous", "", 0.0, 0.0, None, bounds, {"parts.drive.viscous": 1.0}),
        FittedParameter(
            "parts.drive.ripple_angle", "", 0.0, 0.0, (-1.0, 1.0), bounds, {"parts.drive.ripple_angle": 1.0}, "a.csv"
        ),
    )
    correlation = np.array([[1.0, -0.5, 0, 0], [-0.5, 1.0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    known = Uncertainty.of_fit(SimpleNamespace(parameters=found, correlation=correlation))  # type: ignore[arg-type]
    assert known.paths == ("parts.drive.coulomb", "parts.drive.kp", "parts.drive.kd")
    assert known.values == pytest.approx([0.07, 2.0, 0.2])
    expected = [[1e-4, -0.5e-3, -0.5e-4], [-0.5e-3, 1e-2, 1e-3], [-0.5e-4, 1e-3, 1e-4]]
    assert known.covariance == pytest.approx(np.array(expected), rel=1e-3)
