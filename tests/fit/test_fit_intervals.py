"""Fits of a cart with intervals by profile and posterior: closed forms, bounds, what is withheld, the command line."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from carts import CART, COLUMNS, cart_twin, motion, write_csv

from didymos.cli.main import main
from didymos.describe.twin import Twin
from didymos.errors import InputError
from didymos.fitting import Recording, fit, read_recording

NORMAL = 1.959963984540054
CLOSE = 0.01  # a profile ends where the next step is a hundredth of the way from the optimum
MASS, FORCE, SD, COUNT = "links.cart.mass", 2.0, 0.3, 60  # [kg] 2, [N], [m]
BOUNDS = {MASS: (0.5, 40.0)}


@pytest.fixture(scope="module")
def cart(make_twin: Callable[..., Twin]) -> Twin:
    """A cart of 2 kg, at rest, whose place is seen through much noise of a known size."""
    columns = {"x": {"signal": "joints.rail.position", "sd": SD}, "force": {"input": "push"}}
    world = {"gravity": 0, "step": 0.01, "integrator": "rk4"}
    return make_twin(CART, world=world, recordings={"columns": columns}, fit={"parameters": {MASS: list(BOUNDS[MASS])}})


@pytest.fixture(scope="module")
def pushed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, np.ndarray, np.ndarray]:
    """A file of a push of 2 N, what the place is for 1/mass = 1, and the place as it was recorded: x = F t^2 / (2 m)."""
    time = 0.02 * np.arange(COUNT)
    ways = 0.5 * FORCE * time**2
    x = ways / 2.0 + SD * np.random.default_rng(1).standard_normal(COUNT)
    columns = {"t": time, "x": x, "force": np.full(COUNT, FORCE)}
    return write_csv(tmp_path_factory.mktemp("pushed") / "push.csv", columns), ways, x


def inverse_mass(ways: np.ndarray, x: np.ndarray) -> tuple[float, float]:
    """Estimate and standard deviation of 1/mass, in which the cart is linear."""
    return float(ways @ x / (ways @ ways)), float(SD / np.sqrt(ways @ ways))


def test_the_profile_of_a_mass_is_that_of_its_inverse(cart: Twin, pushed: tuple[Path, np.ndarray, np.ndarray]) -> None:
    file, ways, x = pushed
    recording = read_recording(cart, file)
    plain, found = (fit(cart, [recording], BOUNDS, units=False, intervals=name) for name in ("sandwich", "profile"))
    centre, sd = inverse_mass(ways, x)
    expected = 1.0 / (centre + NORMAL * sd), 1.0 / (centre - NORMAL * sd)
    (mass,), (by_slopes,) = found.parameters, plain.parameters
    assert mass.after == by_slopes.after
    assert mass.interval is not None
    assert by_slopes.interval is not None
    for end, known, slopes in zip(mass.interval, expected, by_slopes.interval, strict=True):
        assert abs(end - known) < 2 * CLOSE * abs(known - mass.after)
        assert abs(slopes - known) > 0.1 * abs(known - mass.after)  # the symmetric one is not where the data say
    assert mass.open == (False, False)
    assert (found.intervals, plain.intervals) == ("profile", "sandwich")
    assert found.loss_after == plain.loss_after


def test_an_interval_that_reaches_the_bound_says_so(cart: Twin, pushed: tuple[Path, np.ndarray, np.ndarray]) -> None:
    file, ways, x = pushed
    centre, sd = inverse_mass(ways, x)
    top = 0.5 / centre + 0.5 / (centre - NORMAL * sd)  # between the value and where its interval ends
    found = fit(cart, [read_recording(cart, file)], {MASS: (0.5, top)}, units=False, intervals="profile")
    (mass,) = found.parameters
    assert mass.open == (False, True)
    assert mass.interval is not None
    assert mass.interval[1] == pytest.approx(top, rel=1e-6)
    assert any(text.startswith(f"{MASS}: the recordings allow all up to its upper bound") for text in found.warnings)


def test_a_mass_that_may_be_anything_within_its_bounds_is_not_determined(
    cart: Twin, pushed: tuple[Path, np.ndarray, np.ndarray]
) -> None:
    found = fit(cart, [read_recording(cart, pushed[0])], {MASS: (1.9, 2.1)}, units=False, intervals="profile")
    assert found.parameters[0].interval is None
    assert f"{MASS} is not determined by these recordings" in found.warnings


def test_a_twin_that_is_refuted_gets_no_intervals_and_no_runs_for_them(cart: Twin, tmp_path: Path) -> None:
    time = 0.02 * np.arange(COUNT)
    columns = {"t": time, "x": 30.0 * np.sin(9.0 * time), "force": np.full(COUNT, FORCE)}
    recording = read_recording(cart, write_csv(tmp_path / "other.csv", columns))
    plain, *others = (
        fit(cart, [recording], BOUNDS, units=False, intervals=name) for name in ("sandwich", "profile", "posterior")
    )
    for found in (plain, *others):
        assert found.misfits[0].refuted
        assert found.parameters[0].interval is None
        assert found.samples is None
        assert found.runs == plain.runs


def test_windows_that_determine_a_mass_well_have_a_symmetric_profile(tmp_path: Path) -> None:
    twin, rng = cart_twin(), np.random.default_rng(5)
    columns = motion(2.3, 6.0)
    for name, size in (("x", 1e-3), ("v", 5e-3)):
        columns[name] = columns[name] + size * rng.standard_normal(len(columns[name]))
    recording: Recording = read_recording(twin, write_csv(tmp_path / "windows.csv", columns))
    plain, found = (fit(twin, [recording], {MASS: (1.0, 5.0)}, window=0.3, intervals=name) for name in ("sandwich", "profile"))
    (before,), (after,) = plain.parameters, found.parameters
    assert before.interval is not None
    assert after.interval is not None
    half = 0.5 * (before.interval[1] - before.interval[0])
    bent = half / before.after  # of the half width, by which the ends of 1/mass and of mass differ
    assert after.interval == pytest.approx(before.interval, abs=(2 * CLOSE + bent) * half)
    assert COLUMNS["force"]["input"] == "push"


def test_the_command_line_keeps_samples_and_draws_them(
    cart: Twin, pushed: tuple[Path, np.ndarray, np.ndarray], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, ways, x = pushed
    samples, report = tmp_path / "samples.csv", tmp_path / "fit.html"
    words = ["--units-as-given", "--intervals", "posterior", "--samples", str(samples), "--report", str(report), "--json"]
    assert main(["fit", str(Path(str(cart.source)).parent), str(file), *words]) == 0
    told = json.loads(capsys.readouterr().out)
    values = np.loadtxt(samples, skiprows=1, delimiter=",")
    assert samples.read_text().splitlines()[0] == MASS
    assert told["intervals"] == "posterior"
    assert told["sampling"]["converged"]
    assert told["sampling"]["effective"] >= 1000
    assert told["sampling"]["samples"] == len(values)
    assert told["parameters"][MASS]["interval"] == pytest.approx(np.quantile(values, (0.025, 0.975)).tolist(), rel=1e-6)
    mass = np.linspace(*BOUNDS[MASS], 200_001)
    centre, sd = inverse_mass(ways, x)
    density = np.exp(-0.5 * ((1.0 / mass - centre) / sd) ** 2)
    ends = np.interp((0.025, 0.975), np.cumsum(density) / density.sum(), mass)
    errors = np.sqrt(0.025 * 0.975 / 1000) / (np.interp(ends, mass, density) / (density.sum() * (mass[1] - mass[0])))
    assert np.all(np.abs(told["parameters"][MASS]["interval"] - ends) < 4.0 * errors)
    page = report.read_text()
    assert "<h2>Posterior</h2>" in page
    assert page.count("<svg") == 3  # the overlay, the correlations, the samples


def test_without_emcee_one_sentence_says_how_to_get_it(
    cart: Twin, pushed: tuple[Path, np.ndarray, np.ndarray], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "emcee", None)
    assert main(["fit", str(Path(str(cart.source)).parent), str(pushed[0]), "--intervals", "posterior"]) == 2
    assert "posterior sampling needs emcee; install it with: pip install 'didymos[fit]'" in capsys.readouterr().err


def test_intervals_that_are_not_there_are_refused(
    cart: Twin, pushed: tuple[Path, np.ndarray, np.ndarray], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(InputError, match="expected one of sandwich, profile, posterior"):
        fit(cart, [read_recording(cart, pushed[0])], BOUNDS, intervals="profil")
    folder = str(Path(str(cart.source)).parent)
    assert main(["fit", folder, str(pushed[0]), "--samples", "samples.csv"]) == 2
    assert "--samples: goes with --intervals posterior" in capsys.readouterr().err
