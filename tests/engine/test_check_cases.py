"""NASA's check cases as twins, against an integration that shares no code with us and against what NASA's own tools found."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import didymos
from didymos.engine.earth_truth import EARTH_COLUMNS

sys.path.append(str(Path(__file__).parents[1]))

from nasa_cases import SPREAD, in_their_units, reference

CASES = Path(__file__).parents[2] / "examples" / "nasa_check_cases"


@pytest.fixture(scope="module", params=sorted(SPREAD))
def flown(request: pytest.FixtureRequest) -> tuple[str, dict[str, float]]:
    """A case and what its stream `earth` has after 30 s."""
    log = didymos.load(CASES / f"case_{request.param}").simulate().run(30.1)
    assert log["earth.height"].time[-1] == pytest.approx(30.0)
    return request.param, {name: float(log[f"earth.{name}"].values[-1]) for name in EARTH_COLUMNS}


def test_the_end_is_that_of_an_integration_among_the_stars(flown: tuple[str, dict[str, float]]) -> None:
    """A place is rounded by 1e-9 m at the Earth's radius, a velocity by 3e-14 m/s in each of 30,000 steps, angles and rates by
    1e-16; RK4 with steps of 1 ms errs by less."""
    case, found = flown
    for name, value in reference(case).items():
        unit = 1e-7 if name == "height" else 1e-8 if name.startswith("velocity") else 1e-10
        assert found[name] == pytest.approx(value, abs=unit), name


def test_the_end_lies_within_twice_the_spread_of_nasas_tools(flown: tuple[str, dict[str, float]]) -> None:
    """Of the interval between the least and the largest, widened to twice its length."""
    case, found = flown
    for name, (least, largest) in SPREAD[case].items():
        ours = in_their_units(name, found[name])
        assert abs(ours - (least + largest) / 2) <= largest - least, (name, ours)
