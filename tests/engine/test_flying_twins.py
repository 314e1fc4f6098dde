"""The flying twins: masses, static figures, level flight, turbulence, way-points, from noisy sensors where they say so."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

import didymos
from didymos.engine.figures import thrust_to_weight
from didymos.twin import Twin, load

PLANES = ("flying_wing", "plane_1wing", "plane_1wing_sensors", "plane_3wing_2motor", "skywalker_2013")

# whole vehicle about its centre of mass, evaluated from the original descriptions (last_letter_2 at 4b38993)
COMPOSITES = {
    "plane_1wing": (3.42, (0.10943, 0.0, -0.02702), (0.32726, 0.39368, 0.68713), -0.02649),
    "plane_1wing_sensors": (3.42002, (0.10943, 0.0, -0.02702), (0.32727, 0.39369, 0.68714), -0.02649),
    "plane_3wing_2motor": (3.48, (-0.04655, 0.0, -0.01728), (0.61136, 0.25302, 0.81279), 0.000933),
    "hexacopter": (1.492, (0.0, 0.0, 0.00164), (0.013323, 0.013323, 0.026420), 0.0),
}


@pytest.fixture(scope="module", params=sorted(COMPOSITES))
def twin(request: pytest.FixtureRequest) -> Twin:
    return load(str(request.param))


def test_mass_centre_and_inertia_are_the_originals(twin: Twin) -> None:
    mass, centre, moments, product = COMPOSITES[twin.name]
    found = twin.summary()
    size = np.sqrt(max(moments) / mass)  # centres and products are compared on the scale of the vehicle
    assert found.mass == pytest.approx(mass, rel=0.01)
    np.testing.assert_allclose(found.com, centre, atol=0.01 * size)
    np.testing.assert_allclose(np.diag(found.inertia), moments, rtol=0.01)
    assert found.inertia[0, 2] == pytest.approx(product, abs=0.01 * max(moments))


def test_the_table_of_composites_agrees(shared_data: Path, twin: Twin) -> None:
    rows = csv.DictReader((shared_data / "last_letter_2" / "tables" / "composite.csv").open())
    row = next(row for row in rows if row["model"] == twin.name)
    found = twin.summary()
    assert found.mass == pytest.approx(float(row["mass_kg"]), rel=0.01)
    for axis, name in enumerate(("Ixx", "Iyy", "Izz")):
        assert found.inertia[axis, axis] == pytest.approx(float(row[name]), rel=0.01)


@pytest.mark.parametrize(("name", "ratio"), [("hexacopter", 4.64), ("plane_1wing", 30.0 / (3.42 * 9.81))])
def test_static_thrust_is_the_originals(name: str, ratio: float) -> None:
    """Six times 11.33 N for the hexacopter, 30.0 N for the plane (1/2 rho 0.01619 m^2 (55 m/s)^2)."""
    simulation = load(name).simulate()
    assert thrust_to_weight(simulation.twin, simulation.built.assembly) == pytest.approx(ratio, rel=0.01)


def test_the_hexacopter_hovers_at_the_originals_input() -> None:
    simulation = load("hexacopter").simulate(scenario="hover")
    log = simulation.run()
    assert all(verdict.ok for verdict in simulation.judge(log)), simulation.judge(log)
    inputs = np.mean([log[f"inputs.motor{i}"].values[-500:].mean() for i in range(1, 7)])
    assert inputs == pytest.approx(0.464, abs=0.002)


@pytest.mark.parametrize("name", PLANES)
@pytest.mark.parametrize("scenario", ["cruise", "cruise_gusts"])
def test_planes_fly_level(name: str, scenario: str) -> None:
    simulation = load(name).simulate(seed=11, scenario=scenario)
    verdicts = simulation.judge(simulation.run())
    assert all(verdict.ok for verdict in verdicts), verdicts


@pytest.mark.parametrize("name", ["flying_wing", "plane_1wing", "skywalker_2013"])
def test_planes_turn_climb_and_speed_up(name: str) -> None:
    simulation = load(name).simulate(seed=5, scenario="turns")
    verdicts = simulation.judge(simulation.run())
    assert all(verdict.ok for verdict in verdicts), verdicts


def test_a_circuit_is_flown_from_noisy_sensors() -> None:
    simulation = load("skywalker_2013").simulate(seed=2, scenario="waypoints")
    assert isinstance(simulation.program, didymos.CompiledController)
    assert not any(name.startswith(("truth", "state")) for name, _ in simulation.program.read_offsets)
    verdicts = simulation.judge(simulation.run())
    assert all(verdict.ok for verdict in verdicts), verdicts


@pytest.mark.parametrize("name", ["quadcopter", "hexacopter"])
@pytest.mark.parametrize("seed", [0, 1])
def test_multirotors_hold_a_place_in_gusts(name: str, seed: int) -> None:
    simulation = load(name).simulate(seed=seed, scenario="gusts")
    verdicts = simulation.judge(simulation.run(30.0))
    assert all(verdict.ok for verdict in verdicts), verdicts


def test_symmetric_flight_stays_in_its_plane() -> None:
    """No wind, no noise, propellers that turn against each other: no side force on the way but by rounding."""
    plane = load("plane_3wing_2motor")
    plane.set("world.wind.speed", 0.0)
    simulation = plane.simulate(scenario="cruise")
    log = simulation.run(10.0)
    assert np.abs(log["parts.airfoil1.force.y"].values).max() < 1e-9
    assert np.abs(log["truth.position.y"].values).max() < 1e-9


def test_a_motor_that_fails_is_felt() -> None:
    hexacopter = load("hexacopter")
    simulation = hexacopter.simulate(scenario="hover")
    simulation.run(5.0)
    simulation.set("parts.motor1.health", 0.0)
    log = simulation.run(1.0)
    assert log["parts.motor1.speed"].values[-1] == 0.0
    assert log["truth.tilt"].values[-100:].max() > 0.02


def test_all_scenarios_are_listed() -> None:
    assert set(PLANES) | {"quadcopter", "hexacopter"} <= set(didymos.bundled())
