"""Mean wind: its law, and that everything in it feels it alike."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import didymos
from didymos.air.wind import WindSpec, wind_speed
from didymos.describe.names import part_inputs
from didymos.spec import number_fields, record_type


def _record(**values: float) -> Any:
    spec = WindSpec(**values)
    return np.array([tuple(getattr(spec, name) for name, _ in number_fields(WindSpec))], dtype=record_type(WindSpec))[0]


@given(height=st.floats(0.01, 500.0), speed=st.floats(0.1, 40.0), exponent=st.floats(0.01, 0.5))
def test_wind_grows_by_a_power_of_the_height(height: float, speed: float, exponent: float) -> None:
    found = wind_speed(height, _record(speed=speed, exponent=exponent, reference_height=10.0))
    assert found == pytest.approx(speed * (height / 10.0) ** exponent, rel=1e-14)


def test_the_reference_height_has_the_reference_speed() -> None:
    assert wind_speed(6.0, _record(speed=7.0, exponent=0.28, reference_height=6.0)) == 7.0


@pytest.mark.parametrize("height", [-5.0, 0.0, 3.0, 4000.0])
def test_exponent_zero_is_a_constant_wind(height: float) -> None:
    assert wind_speed(height, _record(speed=7.0)) == 7.0


@pytest.mark.parametrize("height", [-5.0, 0.0])
def test_a_growing_wind_is_still_at_the_ground(height: float) -> None:
    assert wind_speed(height, _record(speed=7.0, exponent=0.28)) == 0.0


@pytest.mark.parametrize("height", [-5.0, 0.0, 10.0, 9144.0])
def test_a_shear_grows_evenly_and_turns_round(height: float) -> None:
    assert wind_speed(height, _record(speed=7.0, shear=0.01, reference_height=1000.0)) == 7.0 + 0.01 * (height - 1000.0)
    assert wind_speed(height, _record(shear=-0.5)) == -0.5 * (height - 10.0)


def test_two_profiles_are_refused() -> None:
    with pytest.raises(ValueError, match="found a roughness and a shear, expected one profile"):
        WindSpec(speed=3.0, roughness=0.1, shear=0.1)


FLYER = """<mujoco><worldbody><body name="body"><freejoint name="free"/><geom type="box" size=".1 .1 .1" mass="1"/>
  <site name="shaft" pos=".1 .2 .3" euler="20 -70 10"/></body></worldbody></mujoco>"""
ENGINE = {"kind": "generic_engine", "link": "shaft", "direction": 1, "disc_area": 0.02, "exit_speed": 50.0}
DRAG = {"kind": "body_drag", "link": "shaft", "area_x": 0.1, "area_y": 0.2, "area_z": 0.3}


def _readouts(make_twin: Any, wind: dict[str, float], velocity_world: np.ndarray) -> dict[str, float]:
    twin = make_twin(
        FLYER,
        world={"gravity": 0.0, "wind": wind},
        parts={"engine": ENGINE, "drag": DRAG},
        start={"position": [0, 0, 4.7], "velocity": velocity_world.tolist()},
    )
    log = twin.simulate().run(0.01)
    return {name: log[name].values[0] for name in log.signals if name.startswith("parts.")}


WIND = {"speed": 8.0, "direction": 0.6, "exponent": 0.3, "reference_height": 10.0, "up": 0.5}
AIR = np.array([8.0 * 0.5**0.3 * np.cos(0.6), 8.0 * 0.5**0.3 * np.sin(0.6), 0.5])  # [m/s] at the shaft, 5 m


def test_what_moves_with_the_wind_feels_none(make_twin: Any) -> None:
    found = _readouts(make_twin, WIND, AIR)
    still = _readouts(make_twin, {}, np.zeros(3))
    # 0.5 rho A V^2 with a V of rounding size: 8 m/s times some 1e-15, through two rotations
    assert all(abs(found[f"parts.drag.force.{axis}"]) < 1e-28 for axis in "xyz")
    assert found["parts.engine.thrust"] == pytest.approx(still["parts.engine.thrust"], abs=1e-28)


def test_standing_in_the_wind_is_flying_against_it(make_twin: Any) -> None:
    standing, flying = _readouts(make_twin, WIND, np.zeros(3)), _readouts(make_twin, {}, -AIR)
    assert {"parts.drag.force.x", "parts.drag.force.y", "parts.drag.force.z", "parts.engine.thrust"} < set(standing)
    for name, value in standing.items():
        assert value == pytest.approx(flying[name], rel=1e-13), name
    # closed throttle: the engine brakes with half rho S V_x^2 along its axis; rho at 5 m is 0.99952 of that at 0 m
    along = AIR @ Rotation.from_euler("XYZ", [20.0, -70.0, 10.0], degrees=True).apply([1.0, 0.0, 0.0])
    expected = 0.5 * 1.225 * 0.99952 * 0.02 * along * abs(along)
    assert standing["parts.engine.thrust"] == pytest.approx(expected, rel=1e-5)


def test_wind_blows_toward_its_direction(make_twin: Any) -> None:
    twin = make_twin(
        FLYER, world={"gravity": 0.0, "wind": {"speed": 5.0, "direction": np.pi / 2}}, parts={"drag": DRAG}
    )
    simulation = twin.simulate()
    simulation.run(1.0)
    x, y, _ = simulation.data.qvel[:3]
    assert y > 0.1  # toward world y
    assert abs(x) < y


@pytest.mark.parametrize("name", ["quadcopter", "hexacopter", "daedalus", "plane_1wing", "plane_3wing_2motor", "skywalker_2013"])
def test_every_force_of_a_twin_feels_the_wind_as_its_own_motion(name: str) -> None:
    """Standing in a wind, an upward one included, is flying against it, for all parts together and at any attitude.

    Twelve digits: both ways end in the same laws, with velocities that differ by some rounding errors.
    """
    applied = []
    for standing in (True, False):
        twin = didymos.load(name)
        for path, value in {"speed": 9.0, "direction": 0.8, "up": -3.0, "exponent": 0.0}.items():
            twin.set(f"world.wind.{path}", value if standing or path in ("direction", "exponent") else 0.0)
        simulation = twin.simulate()
        model, data = simulation.model, simulation.data
        data.qpos[:7] = 3.0, -2.0, 40.0, *(np.array([0.8, 0.3, -0.4, 0.2]) / np.sqrt(0.93))
        data.qvel[:6] = 5.0, -1.0, 2.0, 0.3, -0.2, 0.4
        if not standing:
            data.qvel[:3] -= 9.0 * np.cos(0.8), 9.0 * np.sin(0.8), -3.0
        data.act[:] = 200.0
        starts = simulation.built.assembly.state.starts
        for _, part, index in part_inputs(twin):
            data.plugin_state[starts[f"inputs:{part}"] + index] = 0.6
        mujoco.mj_forward(model, data)
        applied.append(data.qfrc_applied.copy())
    assert np.linalg.norm(applied[0][:3]) > 0.1
    np.testing.assert_allclose(applied[0], applied[1], rtol=1e-11, atol=1e-11 * np.abs(applied[0]).max())
