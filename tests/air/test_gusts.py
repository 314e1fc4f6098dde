"""Dryden turbulence: its variance and spectrum, that all feel it alike, that it is saved with the run; discrete gusts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.signal import welch

from didymos.air.gusts import DRAWS, STATES, GustSpec, advance_gust, turbulence
from didymos.errors import InputError
from didymos.spec import number_fields, record_type


def _record(**values: float) -> Any:
    spec = GustSpec(**values)
    return np.array([tuple(getattr(spec, name) for name, _ in number_fields(GustSpec))], dtype=record_type(GustSpec))[0]


def _series(count: int, period: float, speed: float, **values: float) -> np.ndarray:
    """Turbulence of `count` ticks, shape [count, 3]."""
    gusts, states, draws = _record(**values), np.zeros(STATES), np.random.default_rng(5).standard_normal((count, DRAWS))
    return np.array([advance_gust(gusts, 50.0, speed, period, i == 0, draws[i], states) for i in range(count)])


GIVEN = {"sigma_u": 2.0, "sigma_w": 1.2, "length_u": 20.0, "length_w": 8.0}
SPEED = 10.0


@pytest.mark.parametrize("period", [0.0025, 0.1])
def test_the_variance_is_sigma_squared_whatever_the_tick(period: float) -> None:
    """Over T seconds there are about T V / (2 L) independent samples; four deviations of the variance's estimate."""
    count = 200_000
    found = _series(count, period, SPEED, **GIVEN).var(axis=0)
    for value, sigma, length in zip(found, (2.0, 2.0, 1.2), (20.0, 20.0, 8.0), strict=True):
        independent = count * period * SPEED / (2.0 * length)
        assert value == pytest.approx(sigma**2, rel=4.0 * math.sqrt(2.0 / independent))


def test_the_spectrum_is_drydens() -> None:
    period, count = 0.02, 400_000
    frequency, power = welch(_series(count, period, SPEED, **GIVEN), 1.0 / period, nperseg=4096, axis=0)
    segments = 2 * count / 4096
    for axis, (sigma, length) in enumerate(((2.0, 20.0), (2.0, 20.0), (1.2, 8.0))):
        scaled = 2.0 * math.pi * frequency * length / SPEED
        form = 1.0 / (1.0 + scaled**2) if axis == 0 else 0.5 * (1.0 + 3.0 * scaled**2) / (1.0 + scaled**2) ** 2
        expected = 4.0 * sigma**2 * length / SPEED * form  # one-sided, per Hz: its integral is sigma^2
        for low, high in ((0.03, 0.1), (0.1, 0.4), (0.4, 2.0)):  # above, sampling folds the tail back
            band = (frequency >= low) & (frequency < high)
            ratio = float(np.mean(power[band, axis] / expected[band]))
            assert ratio == pytest.approx(1.0, abs=4.0 / math.sqrt(segments * band.sum() / 2.0) + 0.02)


def test_low_altitude_intensity_follows_the_standard() -> None:
    """MIL-F-8785C at 200 ft in moderate turbulence (30 knots at 20 ft)."""
    sigma_u, sigma_w, length_u, length_w = turbulence(200 * 0.3048, _record(wind_6m=15.4))
    base = 0.177 + 0.000823 * 200
    assert sigma_w == pytest.approx(1.54)
    assert sigma_u == pytest.approx(1.54 / base**0.4)
    assert length_w == pytest.approx(60.96)
    assert length_u == pytest.approx(60.96 / base**1.2)
    assert turbulence(0.0, _record(wind_6m=15.4)) == turbulence(3.0, _record(wind_6m=15.4))


MODEL = """<mujoco><worldbody><body name="body" pos="0 0 50"><freejoint/><geom size=".1" mass="1"/>
<body name="left" pos="0 1 0"><geom size=".1" mass="1"/></body></body></worldbody></mujoco>"""


def _twin(make_twin: Any, **world: Any) -> Any:
    drag = {"kind": "body_drag", "area_x": 0.3, "area_y": 0.3, "area_z": 0.3}
    return make_twin(
        MODEL,
        world={"step": 0.0025, "integrator": "rk4", "gravity": 0.0} | world,
        parts={"middle": drag | {"link": "body"}, "left": drag | {"link": "left"}},
        sensors={"pitot": {"kind": "airspeed", "link": "body", "rate": 400}},
        record={"rate": 400.0, "air": True},
    )


def test_all_parts_and_the_airspeed_sensor_feel_the_same_gust(make_twin: Any) -> None:
    twin = _twin(make_twin, gusts={"sigma_u": 2.0, "sigma_w": 1.0})
    log = twin.simulate(seed=3).run(0.0025)
    wind = np.array([log[f"air.wind.{axis}"].values[0] for axis in "xyz"])
    assert np.abs(wind).min() > 0.01
    expected = 0.5 * 1.225 * (1 - 0.0065 * 50 / 288.15) ** 4.2559 * 0.3 * np.linalg.norm(wind) * wind
    for part in ("middle", "left"):
        force = [log[f"parts.{part}.force.{axis}"].values[0] for axis in "xyz"]
        np.testing.assert_allclose(force, expected, rtol=1e-4)
    assert log["air.speed"].values[0] == pytest.approx(np.linalg.norm(wind))
    density = (1 - 0.0065 * 50 / 288.15) ** 4.2559
    assert log["pitot.airspeed"].values[0] == pytest.approx(max(-wind[0], 0.0) * math.sqrt(density), rel=1e-4)


def test_gusts_are_seeded_and_saved_with_the_run(make_twin: Any) -> None:
    twin = _twin(make_twin, gusts={"wind_6m": 15.4}, wind={"speed": 8.0})
    one, again, other = (twin.simulate(seed=seed) for seed in (1, 1, 2))
    whole = one.run(2.0)["air.wind.y"].values
    again.run(1.0)
    kept = again.save()
    again.run(0.5)
    again.restore(kept)
    rest = again.run(1.0)["air.wind.y"].values
    np.testing.assert_array_equal(rest[-100:], whole[-100:])
    assert not np.array_equal(other.run(2.0)["air.wind.y"].values, whole)


def test_a_discrete_gust_is_a_bump_of_one_minus_cosine(make_twin: Any) -> None:
    twin = _twin(make_twin)
    raw = twin.folder / "twin.yaml"
    raw.write_text(
        raw.read_text().removesuffix("}")
        + ', "scenarios": {"hit": {"seconds": 2, "stimuli":'
        + ' [{"target": "world.gusts.z", "kind": "bump", "start": 0.5, "end": 1.5, "value": 6.0}]}}}'
    )
    import didymos

    wind = didymos.load(twin.folder).simulate(scenario="hit").run()["air.wind.z"]
    inside = (wind.time >= 0.5) & (wind.time < 1.5)
    expected = np.where(inside, 3.0 * (1.0 - np.cos(2.0 * np.pi * (wind.time - 0.5))), 0.0)
    np.testing.assert_allclose(wind.values, expected, atol=1e-9)


def test_the_logarithmic_wind_grows_from_its_roughness(make_twin: Any) -> None:
    for height, expected in ((10.0, 8.0), (1.0, 8.0 * math.log(1 / 0.1) / math.log(100.0)), (0.05, 0.0)):
        twin = _twin(make_twin, wind={"speed": 8.0, "roughness": 0.1})
        simulation = twin.simulate()
        simulation.data.qpos[2] = height
        assert simulation.run(0.0025)["air.wind.x"].values[0] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("world", "said"),
    [
        ({"gusts": {"wind_6m": 5.0, "sigma_u": 1.0}}, "given twice"),
        ({"wind": {"exponent": 0.2, "roughness": 0.1}}, "one profile"),
        ({"wind": {"roughness": 10.0}}, "below reference_height"),
    ],
)
def test_a_contradiction_about_the_air_is_refused(make_twin: Any, world: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        _twin(make_twin, **world)
