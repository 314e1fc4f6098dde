"""Aerodynamics from tables against their closed forms: axes, rates, deflections, what lies beyond, ground effect."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.interpolate import PchipInterpolator, RegularGridInterpolator
from tables import SIZES, TableBench

from didymos.describe.tables.readers import table_readers
from didymos.parts.aero_table import AeroTable
from didymos.parts.coefficient_program import FUNCTIONS, MOST_SLOTS, run_program
from didymos.parts.program_builder import ProgramBuilder

PRESSURE = 0.5 * 1.225 * 20.0**2
LIFT = "alpha [deg], CL, CD, Cm\n-10, -0.5, 0.05, 0.1\n0, 0.3, 0.02, 0.0\n5, 0.8, 0.03, -0.05\n14, 1.2, 0.11, -0.2\n"


def flow(alpha: float, beta: float = 0.0, speed: float = 20.0) -> tuple[float, float, float]:
    """Velocity of a part, forward-left-up, at angles of attack and sideslip [rad]."""
    return (
        speed * math.cos(alpha) * math.cos(beta), -speed * math.sin(beta), -speed * math.sin(alpha) * math.cos(beta)
    )  # fmt: skip


def test_lift_drag_and_moment_between_the_points_of_a_table(tmp_path: Path) -> None:
    (tmp_path / "wing.csv").write_text(LIFT)
    bench, alpha = TableBench(tmp_path, tables=[{"file": "wing.csv"}]), math.radians(2.0)
    answer = bench(flow(alpha))
    lift, drag, pitch = (PRESSURE * 0.45 * (a + 0.4 * (b - a)) for a, b in ((0.3, 0.8), (0.02, 0.03), (0.0, -0.05)))
    back, up = drag * math.cos(alpha) - lift * math.sin(alpha), lift * math.cos(alpha) + drag * math.sin(alpha)
    np.testing.assert_allclose(answer.force, [-back, 0.0, up], rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(answer.torque, [0.0, -0.24 * pitch, 0.0], rtol=1e-12, atol=1e-12)  # nose up is -y here


def test_tables_of_a_body_and_its_surfaces_add_up(tmp_path: Path) -> None:
    """Rates by b p / 2V and c q / 2V, deflections in radians, each with its sign; forward-right-down written out."""
    (tmp_path / "wing.csv").write_text(LIFT)
    (tmp_path / "body.csv").write_text("beta [deg], CY, Cl, Cn\n-20, 0.4, 0.04, -0.06\n20, -0.4, -0.04, 0.06\n")
    (tmp_path / "rates.csv").write_text("CL_q, Cm_q, CY_r, Cl_p, Cn_r, CL_dy, Cm_dy, Cl_dx, Cn_dz\n4, -9, 0.3, -0.5, -0.2, "
                                        "0.4, -1.1, 0.2, -0.1\n")  # fmt: skip
    files = [{"file": name} for name in ("wing.csv", "body.csv", "rates.csv")]
    bench = TableBench(tmp_path, tables=files, limit_x=0.4, limit_y=0.3, limit_z=0.2)
    beta, p, q, r = math.radians(5.0), 0.3, -0.2, 0.25
    answer = bench(flow(0.0, beta), (p, -q, -r), deflection={"x": 0.5, "y": -1.0, "z": 0.25})
    b_2v, c_2v, s = 1.88 / 40.0, 0.24 / 40.0, PRESSURE * 0.45
    lift, drag = s * (0.3 + 4.0 * c_2v * q - 0.4 * 0.3), s * 0.02
    side = s * (-0.1 + 0.3 * b_2v * r)
    roll, pitch, yaw = (
        s * 1.88 * (-0.01 - 0.5 * b_2v * p + 0.2 * 0.2),
        s * 0.24 * (-9.0 * c_2v * q + 1.1 * 0.3),
        s * 1.88 * (0.015 - 0.2 * b_2v * r - 0.1 * 0.05),
    )
    np.testing.assert_allclose(answer.force, [-drag, -side, lift], rtol=1e-12)
    np.testing.assert_allclose(answer.torque, [roll, -pitch, -yaw], rtol=1e-12)


@pytest.mark.parametrize("which", ["lift", "drag", "side", "roll", "pitch", "yaw"])
def test_a_factor_scales_its_coefficient_alone(tmp_path: Path, which: str) -> None:
    (tmp_path / "all.csv").write_text("CL, CD, CY, Cl, Cm, Cn\n0.5, 0.1, 0.2, 0.01, 0.02, 0.03\n")
    velocity = flow(0.0)  # axes of the body, of stability and of the wind are one
    usual = TableBench(tmp_path, tables=[{"file": "all.csv"}])(velocity)
    scaled = TableBench(tmp_path, tables=[{"file": "all.csv"}], **{f"{which}_scale": 2.0})(velocity)
    grown = np.concatenate([scaled.force, scaled.torque]) / np.concatenate([usual.force, usual.torque])
    expected = np.ones(6)
    expected[["drag", "side", "lift", "roll", "pitch", "yaw"].index(which)] = 2.0
    np.testing.assert_allclose(grown, expected, rtol=1e-12)


def test_mach_and_reynolds_number_are_axes(tmp_path: Path) -> None:
    (tmp_path / "fast.csv").write_text("mach, reynolds, CL, CD\n0, 1e5, 0, 0\n0, 1e6, 0, 1\n1, 1e5, 1, 0\n1, 1e6, 1, 1\n")
    answer = TableBench(tmp_path, tables=[{"file": "fast.csv"}])(flow(0.0, speed=34.0))
    whole = 0.5 * 1.225 * 34.0**2 * 0.45
    sound = 340.294  # [m/s] at 288.15 K, ISO 2533
    viscosity = 1.7894e-5  # [Pa s] there, ISO 2533
    reynolds = 1.225 * 34.0 * 0.24 / viscosity
    assert answer.force[2] / whole == pytest.approx(34.0 / sound, rel=1e-5)
    assert -answer.force[0] / whole == pytest.approx((reynolds - 1e5) / 9e5, rel=1e-4)


def test_monotone_interpolation_passes_the_points_and_overshoots_nowhere(tmp_path: Path) -> None:
    (tmp_path / "step.csv").write_text("alpha [rad], CL, CD\n-0.3, 0, 0\n-0.1, 0, 0\n0.0, 1, 0\n0.2, 1, 0\n")
    bench = TableBench(tmp_path, tables=[{"file": "step.csv", "interpolation": "monotone"}])
    expected = PchipInterpolator([-0.3, -0.1, 0.0, 0.2], [0.0, 0.0, 1.0, 1.0])
    for alpha in np.linspace(-0.29, 0.19, 40):
        answer = bench(flow(alpha))
        lift = (answer.force[2] * math.cos(alpha) + answer.force[0] * math.sin(alpha)) / (PRESSURE * 0.45)
        assert lift == pytest.approx(float(expected(alpha)), abs=1e-12)
        assert -1e-12 <= lift <= 1.0 + 1e-12


def test_beyond_the_tables_it_is_a_flat_plate_and_continuous(tmp_path: Path) -> None:
    (tmp_path / "wing.csv").write_text(LIFT)
    bench = TableBench(tmp_path, tables=[{"file": "wing.csv"}])
    s = PRESSURE * 0.45
    broadside = bench(flow(0.5 * math.pi))
    np.testing.assert_allclose(broadside.force, [0.0, 0.0, s * 2.05], rtol=1e-9, atol=1e-9 * s)
    np.testing.assert_allclose(bench(flow(math.pi)).force, [s * 0.05, 0.0, 0.0], rtol=1e-9, atol=1e-9 * s)
    angles = np.linspace(-math.pi, math.pi, 20_001)
    forces = np.array([bench(flow(angle)).force for angle in angles])
    assert np.abs(np.diff(forces, axis=0)).max() < 0.02 * s  # a step of 0.3 mrad
    np.testing.assert_allclose(forces[0], forces[-1], atol=1e-9 * s)


def test_held_tables_keep_their_last_value(tmp_path: Path) -> None:
    (tmp_path / "wing.csv").write_text(LIFT)
    bench = TableBench(tmp_path, tables=[{"file": "wing.csv"}], extension="hold")
    answer = bench(flow(0.5 * math.pi))
    np.testing.assert_allclose(answer.force, PRESSURE * 0.45 * np.array([1.2, 0.0, 0.11]), rtol=1e-9)


def test_still_air_gives_no_energy_whatever_the_tables_say(tmp_path: Path) -> None:
    """Drag below zero in a file, any flow, any rates: the force never pushes along the velocity."""
    (tmp_path / "wrong.csv").write_text("alpha [deg], CL, CD, CY\n-15, -1, -0.2, 0.1\n15, 1, -0.2, -0.3\n")
    bench, random = TableBench(tmp_path, tables=[{"file": "wrong.csv"}], lift_q=5.0, side_p=0.3), np.random.default_rng(3)
    most = 0.0
    for _ in range(2000):
        velocity, rate = random.standard_normal(3) * 10.0, random.standard_normal(3)
        answer = bench(velocity, rate)
        most = max(most, float(answer.force @ velocity) / (1e-9 + float(np.linalg.norm(answer.force) * np.linalg.norm(velocity))))
    assert most < 1e-12


def test_ground_effect_takes_induced_drag_and_adds_lift(tmp_path: Path) -> None:
    (tmp_path / "wing.csv").write_text(LIFT)
    far, near = (TableBench(tmp_path, tables=[{"file": "wing.csv"}], ground_effect=on) for on in (0.0, 1.0))
    span, aspect, s = 1.88, 1.88**2 / 0.45, PRESSURE * 0.45
    np.testing.assert_allclose(near(flow(0.0), clearance=1e9).force, far(flow(0.0)).force, rtol=1e-12)
    phi = (16 * 0.1) ** 2 / (1 + (16 * 0.1) ** 2)
    answer = near(flow(0.0), clearance=0.1 * span)
    assert -answer.force[0] / s == pytest.approx(0.02 - (1.0 - phi) * 0.3**2 / (math.pi * 0.9 * aspect), rel=1e-9)
    assert answer.force[2] / s == pytest.approx(0.3 * (1 + 2 / aspect) / (1 + 2 * phi / aspect), rel=1e-9)


def test_a_part_has_the_sizes_that_its_files_were_made_with(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text('<fdm_config><metrics><wingarea unit="M2">2</wingarea></metrics><aerodynamics>'
                                    '<axis name="LIFT"><function name="f"><value>1</value></function></axis></aerodynamics>'
                                    "</fdm_config>")  # fmt: skip
    raw = {"link": "body", **SIZES, "tables": [{"file": "a.xml"}]}
    with pytest.raises(ValueError, match=r"found area 0\.45, its file of tables was made with 2"):
        AeroTable.spec.model_validate(raw, context=table_readers(tmp_path))


def _run(builder: ProgramBuilder, *given: float) -> Any:
    slots: Any = np.zeros(MOST_SLOTS)
    slots[: 1 + len(given)] = (1.0, *given)
    run: Any = run_program
    run(np.array([builder.record()]).view(np.recarray)[0], slots)
    return slots


def test_tables_of_three_axes_and_functions_are_those_of_scipy_and_python() -> None:
    random = np.random.default_rng(5)
    axes = [np.sort(random.standard_normal(count)) for count in (9, 5, 4)]
    values = random.standard_normal((9, 5, 4))
    builder = ProgramBuilder(("one", "a", "b", "c"))
    cube = builder.table([1, 2, 3], axes, values)
    turned = builder.apply("atan2", [1, 2])
    chosen = builder.apply("ifthen", [builder.apply("lt", [1, 2]), 1, 2])
    for _ in range(100):
        point = random.standard_normal(3) * 1.5
        slots = _run(builder, *point)
        held = [min(max(x, axis[0]), axis[-1]) for x, axis in zip(point, axes, strict=True)]
        assert slots[cube] == pytest.approx(float(RegularGridInterpolator(axes, values)(held)[0]), abs=1e-12)
        assert slots[turned] == pytest.approx(math.atan2(point[0], point[1]), abs=1e-12)
        assert slots[chosen] == min(point[0], point[1])


def test_no_function_makes_a_nan_of_any_numbers() -> None:
    numbers = (-1e300, -2.5, -1.0, 0.0, 0.5, 1.0, 3.0, 1e300)
    builder = ProgramBuilder(("one", "a", "b", "c"))
    slots = {name: builder.apply(name, [1, 2, 3]) for name in FUNCTIONS}
    for a in numbers:
        for b in numbers:
            found = _run(builder, a, b, 0.5)
            assert not [name for name, slot in slots.items() if math.isnan(found[slot])], (a, b)


def test_a_program_that_is_too_large_is_refused() -> None:
    builder = ProgramBuilder(("one", "a"))
    with pytest.raises(ValueError, match="more than 12288 numbers"):
        builder.table([1], [np.arange(20_000.0)], np.zeros(20_000))
    for i in range(MOST_SLOTS - 2):
        builder.product(float(i + 2), [1])
    with pytest.raises(ValueError, match="more than 256 intermediate results"):
        builder.product(0.5, [1])
