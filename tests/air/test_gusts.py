"""Gusts: intensities and lengths of the standard, that all feel them alike, that they are saved with the run; discrete gusts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from didymos.air.gusts import WIND_6M, GustSpec, is_turbulent, turbulence
from didymos.air.wind import WindSpec
from didymos.errors import InputError
from didymos.spec import number_fields, record_type

FOOT, KNOT = 0.3048, 1852.0 / 3600.0


def _record(spec: Any) -> Any:
    kind = type(spec)
    return np.array([tuple(getattr(spec, name) for name, _ in number_fields(kind))], dtype=record_type(kind))[0]


def _turbulence(height: float, wind: dict[str, float] | None = None, **gusts: Any) -> tuple[float, float, float, float]:
    return turbulence(height, _record(GustSpec(**gusts)), _record(WindSpec(**(wind or {}))))


def test_low_altitude_intensity_follows_the_standard() -> None:
    """MIL-F-8785C at 200 ft in moderate turbulence (30 knots at 20 ft); nothing changes below 10 ft."""
    sigma_u, sigma_w, length_u, length_w = _turbulence(200 * FOOT, intensity="moderate")
    base = 0.177 + 0.000823 * 200
    assert sigma_w == pytest.approx(3.0 * KNOT)
    assert sigma_u == pytest.approx(3.0 * KNOT / base**0.4)
    assert length_w == pytest.approx(200 * FOOT)
    assert length_u == pytest.approx(200 * FOOT / base**1.2)
    assert _turbulence(0.0, wind_6m=15.4) == _turbulence(3.0, wind_6m=15.4)
    assert _turbulence(0.0, wind_6m=15.4)[3] == pytest.approx(10 * FOOT)


# MIL-F-8785C figure 7 [ft/s], at two of its heights and half way between two: light, moderate, severe
HIGH = {
    3750.0: (7.4, 10.6, 23.0),
    25_000.0: (2.7, 6.6, 20.0),
    11_250.0: (5.65, 9.05, 22.85),
    79_999.0: (0.0, 0.0, 5.1),
    1e6: (0.0, 0.0, 5.1),
}


@pytest.mark.parametrize("feet", HIGH)
def test_high_altitude_intensity_is_that_of_the_table(feet: float) -> None:
    for word, sigma in zip(("light", "moderate", "severe"), HIGH[feet], strict=True):
        found = _turbulence(feet * FOOT, intensity=word)
        assert found[:2] == pytest.approx((sigma * FOOT, sigma * FOOT), abs=1e-4)  # a foot below the last height
        assert found[2:] == pytest.approx((1750 * FOOT, 1750 * FOOT))


# the same figure at the heights [ft] of its marks, in feet per second
MARKS = [500, 1750, 3750, 7500, 15_000, 25_000, 35_000, 45_000, 55_000, 65_000, 75_000, 80_000]
EXCEEDED = {
    "light": [6.6, 6.9, 7.4, 6.7, 4.6, 2.7, 0.4, 0.0, 0.0, 0.0, 0.0, 0.0],
    "moderate": [8.6, 9.6, 10.6, 10.1, 8.0, 6.6, 5.0, 4.2, 2.7, 0.0, 0.0, 0.0],
    "severe": [15.6, 17.6, 23.0, 23.6, 22.1, 20.0, 16.0, 15.1, 12.1, 7.9, 6.2, 5.1],
}


@pytest.mark.parametrize("feet", [2500.0, *MARKS[2:]])
def test_every_mark_of_the_table_is_the_figures_and_half_of_light_is_half(feet: float) -> None:
    """The table holds from 2000 ft on: its first mark is never read, its second seen from 2500 ft."""
    for word, marks in EXCEEDED.items():
        expected = np.interp(feet, MARKS, marks) * FOOT
        assert _turbulence(feet * FOOT, intensity=word)[0] == pytest.approx(expected, rel=1e-12)
    calm = 0.5 * np.interp(feet, MARKS, EXCEEDED["light"]) * FOOT
    assert _turbulence(feet * FOOT, wind_6m=0.5 * WIND_6M["light"])[0] == pytest.approx(calm, rel=1e-12)


def test_between_the_words_intensity_grows_with_the_wind() -> None:
    sigma = [_turbulence(25_000 * FOOT, wind_6m=knots * KNOT)[0] / FOOT for knots in (7.5, 22.5, 37.5, 45.0, 60.0)]
    assert sigma == pytest.approx([1.35, 4.65, 13.3, 20.0, 20.0 * 60 / 45])


def test_between_1000_and_2000_feet_the_models_are_joined() -> None:
    below, lower, middle, upper, above = (
        np.array(_turbulence(feet * FOOT, intensity="severe")) for feet in (999.99, 1000.01, 1500, 1999.99, 2000.01)
    )
    np.testing.assert_allclose(lower, below, rtol=1e-4)
    np.testing.assert_allclose(upper, above, rtol=1e-4)
    np.testing.assert_allclose(middle, (below + above) / 2, rtol=1e-4)
    np.testing.assert_allclose(below, [4.5 * KNOT, 4.5 * KNOT, 1000 * FOOT, 1000 * FOOT], rtol=1e-4)


def test_turbulence_can_follow_the_mean_wind() -> None:
    """W6 is what the profile has at 20 ft: there is no turbulence without wind."""
    wind = {"speed": 9.0, "exponent": 0.2, "reference_height": 10.0}
    expected = 9.0 * (20 * FOOT / 10.0) ** 0.2
    assert _turbulence(50.0, wind, wind_factor=1.0) == pytest.approx(_turbulence(50.0, wind_6m=expected))
    assert _turbulence(50.0, wind, wind_factor=0.5, wind_6m=2.0) == pytest.approx(_turbulence(50.0, wind_6m=2.0 + 0.5 * expected))
    assert _turbulence(50.0, {}, wind_factor=1.0)[:2] == (0.0, 0.0)


def test_given_turbulence_is_the_same_at_every_height() -> None:
    given = {"sigma_u": 2.0, "sigma_w": 1.2, "length_u": 20.0, "length_w": 8.0}
    assert _turbulence(3.0, **given) == _turbulence(9000.0, **given) == (2.0, 1.2, 20.0, 8.0)


@pytest.mark.parametrize("sigmas", [(0.3, 0.0), (0.0, 0.3)])
def test_given_turbulence_may_be_light_and_of_one_direction(sigmas: tuple[float, float]) -> None:
    given = {"sigma_u": sigmas[0], "sigma_w": sigmas[1], "length_u": 20.0, "length_w": 8.0}
    assert _turbulence(3.0, **given) == _turbulence(9000.0, **given) == (*sigmas, 20.0, 8.0)


def test_words_are_numbers_that_can_be_set(make_twin: Any) -> None:
    twin = _twin(make_twin, gusts={"intensity": "light"})
    assert twin.get("world.gusts.wind_6m") == pytest.approx(15 * KNOT) == WIND_6M["light"]
    twin.set("world.gusts.wind_6m", 3.0)
    assert twin.get("world.gusts.wind_6m") == 3.0


MODEL = """<mujoco><worldbody><body name="body" pos="0 0 50"><freejoint/><geom size=".1" mass="1"/>
<site name="tail" pos="-1 0 .5" euler="0 0 180"/>
<body name="left" pos="0 1 0"><geom size=".1" mass="1"/></body></body></worldbody></mujoco>"""


def _twin(make_twin: Any, **world: Any) -> Any:
    drag = {"kind": "body_drag", "area_x": 0.3, "area_y": 0.3, "area_z": 0.3}
    return make_twin(
        MODEL,
        world={"step": 0.0025, "integrator": "rk4", "gravity": 0.0} | world,
        parts={"middle": drag | {"link": "body"}, "left": drag | {"link": "left"}},
        sensors={
            "pitot": {"kind": "airspeed", "link": "body", "rate": 400},
            "tail": {"kind": "airspeed", "link": "tail", "rate": 400},
        },
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


def test_a_rotational_gust_is_felt_by_lever_and_rate(make_twin: Any) -> None:
    """Each part feels omega x r more, r from the root; sensors as well. Written with vectors of the world frame."""
    twin = _twin(make_twin, gusts={"intensity": "severe", "span": 1.5}, wind={"speed": 9.0, "direction": 0.7, "up": 0.4})
    log = twin.simulate(seed=6).run(0.0025)
    wind, rate = (np.array([log[f"air.{name}.{axis}"].values[0] for axis in "xyz"]) for name in ("wind", "rate"))
    assert np.abs(rate).min() > 0.001
    rho = 1.225 * (1 - 0.0065 * 50 / 288.15) ** 4.2559
    for part, lever in (("middle", np.zeros(3)), ("left", np.array([0.0, 1.0, 0.0]))):
        felt = wind + np.cross(rate, lever)
        force = [log[f"parts.{part}.force.{axis}"].values[0] for axis in "xyz"]
        np.testing.assert_allclose(force, 0.5 * rho * 0.3 * np.linalg.norm(felt) * felt, rtol=1e-4)
    felt = wind + np.cross(rate, [-1.0, 0.0, 0.5])
    assert log["tail.airspeed"].values[0] == pytest.approx(max(felt[0], 0.0) * math.sqrt(rho / 1.225), rel=1e-4)
    assert felt[0] > 1.0  # the tail's tube looks backward, into the wind


def test_a_law_knows_its_rate_relative_to_the_air(make_twin: Any) -> None:
    law = """
from didymos.contract import output
from didymos.parts.part import Part, law


class Vane(Part):
    rate = output(columns="xyz", unit="rad/s")

    @law
    def act(part, here, inputs, memory, state, rate, wrench, output):
        for i in range(3):
            output.rate[i] = here.air_rate[i]
"""
    twin = make_twin(
        MODEL.replace("<freejoint/>", '<freejoint/><site name="vane" euler="0 0 90"/>'),
        files={"vane.py": law},
        world={"gravity": 0.0, "gusts": {"intensity": "severe", "span": 1.5}},
        parts={"vane": {"kind": "vane.py:Vane", "link": "vane"}},
        start={"position": [0, 0, 50], "angular_velocity": [0.3, -0.2, 0.1], "velocity": [15.0, 0, 0]},
        record={"air": True},
    )
    log = twin.simulate(seed=6).run(0.01)
    x, y, z = (log[f"air.rate.{axis}"].values[0] for axis in "xyz")
    found = [log[f"parts.vane.rate.{axis}"].values[0] for axis in "xyz"]
    np.testing.assert_allclose(found, [-0.2 - y, -(0.3 - x), 0.1 - z], rtol=1e-9)  # its x is the body's y, its y the body's -x
    assert min(abs(x), abs(y), abs(z)) > 1e-3


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
        ({"gusts": {"wind_factor": 1.0, "sigma_w": 1.0}}, "given twice"),
        ({"gusts": {"wind_6m": 5.0, "intensity": "light"}}, "given twice"),
        ({"gusts": {"intensity": "strong"}}, "'light', 'moderate' or 'severe'"),
        ({"wind": {"exponent": 0.2, "roughness": 0.1}}, "one profile"),
        ({"wind": {"roughness": 10.0}}, "below reference_height"),
    ],
)
def test_a_contradiction_about_the_air_is_refused(make_twin: Any, world: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        _twin(make_twin, **world)


@pytest.mark.parametrize("given", [{"sigma_u": 0.3}, {"sigma_w": 0.3}, {"wind_6m": 0.3}])
def test_the_lightest_turbulence_is_turbulence(given: dict[str, float]) -> None:
    assert is_turbulent(_record(GustSpec(**given)), _record(WindSpec()))
    assert not is_turbulent(_record(GustSpec()), _record(WindSpec(speed=8.0)))


@pytest.mark.parametrize("wind", [{"wind_6m": 0.3}, {"wind_factor": 0.3}])
@pytest.mark.parametrize("given", [{"sigma_u": 0.3}, {"sigma_w": 0.3}])
def test_an_intensity_is_not_given_twice_however_light(wind: dict[str, float], given: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="given twice"):
        GustSpec(**wind, **given)
