"""The mixer from the rotors' geometry."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import didymos
from didymos.control import Robot, Rotor
from didymos.control.backstepping import Backstepping
from didymos.control.mixer import effect_matrix, mixer, mixer_without
from didymos.control.multirotor_hold import MultirotorHold
from didymos.control.multirotor_pd import MultirotorPd
from didymos.engine.run import Run
from didymos.errors import InputError

UP = (0.0, 0.0, 1.0)
_POSE = (
    *(f"state.orientation.{axis}" for axis in "wxyz"),
    *(f"state.{name}.{axis}" for name in ("angular_velocity", "position", "velocity") for axis in "xyz"),
)


def _ring(angles: list[float], radius: float = 0.29, first: int = -1) -> list[Rotor]:
    """Rotors at angles [deg] from forward to left, turning by turns."""
    found = []
    for i, angle in enumerate(np.deg2rad(angles)):
        place = (radius * np.cos(angle), radius * np.sin(angle), 0.01)
        found.append(Rotor(f"motor{i + 1}", place, UP, first * (-1.0) ** i))
    return found


def test_the_quadcopters_mixer_is_the_corrected_inverse_of_the_original(quadcopter: Any) -> None:
    """The original (MiliStefanos/last_letter_2), forward-right-down: u = A M, rows thrust, roll, pitch, yaw.

    Its rows of pitch and yaw change sign in forward-left-up. It prints an inverse with two wrong entries of yaw (+1 for
    motor 1, 0 for motor 3); the right one has -1 in both.
    """
    printed = np.array([[1, 1, 1, 1], [-1, -1, 1, 1], [1, -1, -1, 1], [-1, 1, -1, 1]]) / 4
    corrected = np.array([[1, -1, 1, -1], [1, -1, -1, 1], [1, 1, -1, -1], [1, 1, 1, 1]])
    np.testing.assert_array_equal(printed @ corrected, np.eye(4))
    flipped = np.array([1, 1, -1, -1])
    rotors = quadcopter.simulate().robot.rotors
    # positions through two rotations: some roundings
    np.testing.assert_allclose(effect_matrix(rotors), flipped[:, None] * printed, atol=1e-14)
    np.testing.assert_allclose(mixer(rotors), corrected * flipped, atol=1e-13)


def test_where_the_quadcopters_rotors_are(quadcopter: Any) -> None:
    rotors = quadcopter.simulate().robot.rotors
    assert [rotor.input for rotor in rotors] == ["motor1", "motor2", "motor3", "motor4"]
    side = 0.29 / np.sqrt(2)  # 0.2051 as printed
    # front right, rear right, rear left, front left
    expected = [(side, -side), (-side, -side), (-side, side), (side, side)]
    for rotor, (x, y) in zip(rotors, expected, strict=True):
        np.testing.assert_allclose(rotor.position, (x, y, 0.01), atol=1e-15)
        np.testing.assert_allclose(rotor.axis, UP, atol=1e-15)
    assert [rotor.direction for rotor in rotors] == [-1, 1, -1, 1]


@pytest.mark.parametrize(
    "angles", [[45, 135, 225, 315], [0, 60, 120, 180, 240, 300], [10, 80, 170, 200, 260, 290, 330, 350]]
)
def test_commands_come_out_as_asked(angles: list[float]) -> None:
    rotors = _ring(angles)
    np.testing.assert_allclose(effect_matrix(rotors) @ mixer(rotors), np.eye(4), atol=1e-13)


def test_rotors_that_cannot_do_it_are_refused() -> None:
    with pytest.raises(InputError, match="found 3 rotors, expected at least 4"):
        mixer(_ring([0, 120, 240]))
    same_way = [Rotor(r.input, r.position, r.axis, 1.0) for r in _ring([45, 135, 225, 315])]
    with pytest.raises(InputError, match="cannot command"):
        mixer(same_way)


CORRECTED = [[1, -1, -1, 1], [1, -1, 1, -1], [1, 1, 1, 1], [1, 1, -1, -1]]
"""The original's quad in X, motor 1 front right, then clockwise; pitch and yaw counted in forward-left-up."""


@pytest.mark.parametrize(
    ("name", "angles"),
    [
        ("quad_x", [-45, -135, 135, 45]),
        ("quad_plus", [0, 90, 180, 270]),
        ("hexa_plus", [0, -60, -120, 180, 120, 60]),
        ("hexa_x", [30, 90, 150, 210, 270, 330]),
    ],
)
def test_a_layout_by_name_is_the_mixer_of_its_geometry(name: str, angles: list[float]) -> None:
    rotors = _ring(angles)
    np.testing.assert_array_equal(mixer(rotors, name), mixer(rotors))
    with pytest.raises(InputError, match="deg from the nose"):
        mixer(_ring([angle + 22.0 for angle in angles]), name)
    same = [Rotor(rotor.input, rotor.position, rotor.axis, (-1.0) ** (i // 2)) for i, rotor in enumerate(rotors)]
    with pytest.raises(InputError, match="neighbours and turn the same way"):
        mixer(same, name)


def test_a_stated_matrix_that_fits_is_taken_as_it_is(quadcopter: Any) -> None:
    rotors = quadcopter.simulate().robot.rotors
    np.testing.assert_array_equal(mixer(rotors, CORRECTED), CORRECTED)


def test_the_misprinted_inverse_of_the_source_is_refused(quadcopter: Any) -> None:
    """It has +1 and 0 where motors 1 and 3 yaw: yaw would do 1/4 of its work and leak into the others."""
    printed = [list(row) for row in CORRECTED]
    printed[0][3], printed[2][3] = -1, 0
    with pytest.raises(InputError, match=r"allocation: yaw would also command"):
        mixer(quadcopter.simulate().robot.rotors, printed)


def test_the_printed_matrix_of_the_hexacopter_is_refused_because_its_pitch_yaws() -> None:
    """Its pitch column (1/2, 1, -1, -1/2, -1, 1) against alternating senses: yaw = sum of d_i m_i = 3, pitch 3.5 sixths."""
    rotors = _ring([0, -60, -120, 180, 120, 60])
    printed = [[1, 0, 0.5, -1], [1, -1, 1, 1], [1, -1, -1, -1], [1, 0, -0.5, 1], [1, 1, -1, -1], [1, 1, 1, 1]]
    stated = [[thrust, roll, -pitch, -yaw] for thrust, roll, pitch, yaw in printed]
    with pytest.raises(InputError, match="pitch would also command yaw"):
        mixer(rotors, stated)


@pytest.mark.parametrize("rounding", [-1e-16, 0.0, 1e-16])
@pytest.mark.parametrize("moved", range(4))
def test_the_sign_of_a_rounding_error_decides_nothing(moved: int, rounding: float) -> None:
    """Roll and pitch taken for each other: roll does nothing, whichever way the places of the rotors were rounded."""
    rotors = _ring([-45, -135, 135, 45])
    x, y, z = rotors[moved].position
    rotors[moved] = Rotor(rotors[moved].input, (x, y + rounding, z), UP, rotors[moved].direction)
    swapped = [[thrust, pitch, roll, yaw] for thrust, roll, pitch, yaw in CORRECTED]
    with pytest.raises(InputError, match="roll does the opposite, or nothing, with these rotors; look at motor2 first"):
        mixer(rotors, swapped)


def _rows(matrix: list[list[float]]) -> dict[str, dict[str, float]]:
    """A matrix as the weights of a twin file, which counts nose up and nose right."""
    signs = {"thrust": 1, "roll": 1, "pitch": -1, "yaw": -1}
    rows = [{axis: sign * value for (axis, sign), value in zip(signs.items(), row, strict=True)} for row in matrix]
    return {f"motor{i + 1}": row for i, row in enumerate(rows)}


@pytest.mark.parametrize(
    ("stated", "complaint"),
    [
        (CORRECTED, None),
        ("quad_y", "found 'quad_y', expected one of quad_plus, quad_x, hexa_plus, hexa_x or weights, did you mean 'quad_x'"),
        ("hexa_plus", "hexa_plus has 6 rotors, found 4"),
        ("quad_plus", "motor1 sits -45 deg from the nose, where quad_plus has none"),
        ([[row[0], -row[1], row[2], row[3]] for row in CORRECTED], "roll does the opposite, or nothing"),
        ([[row[0], row[2], row[1], row[3]] for row in CORRECTED], "roll does the opposite, or nothing"),
        ("quad_x", None),
    ],
)
def test_check_holds_a_twins_mixer_against_its_rotors(stated: Any, complaint: str | None, quadcopter: Any, tmp_path: Any) -> None:
    """By the command, on a copy of the bundled twin."""
    import shutil

    from ruamel.yaml import YAML

    from didymos.cli.main import main

    shutil.copytree(quadcopter.folder.parent / "shared", tmp_path / "shared")
    shutil.copytree(quadcopter.folder, tmp_path / "quadcopter")
    yaml = YAML(typ="safe")
    raw = yaml.load(tmp_path / "quadcopter" / "twin.yaml")
    raw["allocation"] = {"layout": stated} if isinstance(stated, str) else {"inputs": _rows(stated)}
    with (tmp_path / "quadcopter" / "twin.yaml").open("w") as file:
        yaml.dump(raw, file)
    assert main(["check", str(tmp_path / "quadcopter")]) == (0 if complaint is None else 2)
    if complaint is not None:
        with pytest.raises(InputError, match="allocation") as caught:
            didymos.load(tmp_path / "quadcopter").simulate()
        assert complaint in str(caught.value)


def test_without_a_rotor_a_hexacopter_hovers_on_four_and_a_quadcopter_cannot() -> None:
    rotors = _ring([0, -60, -120, 180, 120, 60])
    for failed in range(6):
        found = mixer_without(rotors, failed)
        assert found is not None
        across = (failed + 3) % 6
        assert not found[[failed, across]].any()
        does = effect_matrix(rotors) @ found
        np.testing.assert_allclose(does[:3, :3], np.eye(3), atol=1e-12)
        np.testing.assert_allclose(does[3, 0], 0.0, atol=1e-12)  # hovering turns it neither way
    assert mixer_without(_ring([45, 135, 225, 315]), 0) is None


@pytest.mark.parametrize("motor", range(1, 7))
def test_a_hexacopter_stays_in_the_air_when_any_motor_stops(motor: int) -> None:
    simulation = didymos.load("hexacopter").simulate(scenario="hover", seed=motor)
    run = Run(simulation)
    run.advance(round(4.0 / simulation.period))
    run.intervene("set", f"parts.motor{motor}.health", 0.0)
    run.advance(round(8.0 / simulation.period))
    log = run.log
    run.close()
    assert log["truth.tilt"].values.max() < 0.4
    assert log["truth.position.z"].values[log["truth.position.z"].time > 4.0].min() > 1.0


def test_only_a_rotor_that_was_told_to_turn_has_failed() -> None:
    from didymos.control import multirotor_loops as loops

    def watched(last_input: float) -> float:
        memory = np.zeros(1, dtype=MultirotorHold.memory_layout)
        memory["throttle"][0, :6] = 0.5
        memory["throttle"][0, 4] = last_input
        speeds = np.full(6, 120.0)
        speeds[4] = 0.0
        for _ in range(60):  # 0.15 s
            loops.watch_rotors(speeds, 6, 0.0025, memory[0])
        return float(memory["failed"][0])

    assert watched(0.5) == 5.0
    assert watched(0.0) == 0.0


def test_more_rotors_than_a_program_can_drive_are_refused() -> None:
    rotors = tuple(_ring([20.0 * i for i in range(18)]))
    robot = Robot(tuple(rotor.input for rotor in rotors), _POSE, (), rotors)
    for program in (MultirotorPd(), MultirotorHold(sensor="state"), Backstepping(sensor="state")):
        with pytest.raises(InputError, match="found 18 rotors, expected at most 16"):
            program.start(robot)
