"""What `repair` mends, by how much, and what it leaves refused."""

from __future__ import annotations

import math
from pathlib import Path

import mujoco
import numpy as np
import pytest

from didymos.describe.float_base import float_base
from didymos.describe.formats.importer import read_description
from didymos.describe.formats.inertia_repair import nearest_physical
from didymos.describe.formats.xml_values import rounding
from didymos.errors import InputError


def link(name: str, mass: str, moments: tuple[str, str, str]) -> str:
    ixx, iyy, izz = moments
    inertia = f'<inertia ixx="{ixx}" iyy="{iyy}" izz="{izz}" ixy="0" ixz="0" iyz="0"/>'
    return f'<link name="{name}"><inertial><mass value="{mass}"/>{inertia}</inertial></link>'


def arm(*links: str) -> str:
    """Links in a chain of joints about z, each 0.3 m further out along x."""
    joints = "".join(
        f'<joint name="j{i}" type="continuous"><parent link="l{i}"/><child link="l{i + 1}"/>'
        f'<origin xyz="0.3 0 0"/><axis xyz="0 0 1"/></joint>'
        for i in range(len(links) - 1)
    )
    return f'<robot name="arm">{"".join(links)}{joints}</robot>'


@pytest.fixture
def write(tmp_path: Path):
    def write(text: str) -> Path:
        file = tmp_path / "robot.urdf"
        file.write_text(text)
        return file

    return write


OFF_BY_0_7 = ("0.00300000", "0.02000000", "0.02316200")  # C - A - B = 0.000162 = 0.7 % of C


def test_an_inertia_off_by_rounding_is_refused_with_the_name_of_what_mends_it(write) -> None:
    with pytest.raises(InputError, match=r"off by rounding, which `repair` mends"):
        read_description(write(arm(link("l0", "1", OFF_BY_0_7))))


def test_it_is_moved_to_the_nearest_that_a_body_can_have_and_by_how_much_is_noted(write) -> None:
    description = read_description(write(arm(link("l0", "1", OFF_BY_0_7))), repair=True)
    moments = np.linalg.eigvalsh(description.links["l0"].inertia)
    np.testing.assert_allclose(moments, [0.003 + 0.000054, 0.02 + 0.000054, 0.023162 - 0.000054], rtol=1e-12)
    (note,) = [note.what for note in description.notes if "repaired" in note.what]
    assert "moments moved by 5.4e-05 kg m^2, 0.23 % of the largest" in note
    model = description.spec.compile()
    np.testing.assert_allclose(np.sort(model.body("l0").inertia), moments, rtol=1e-9)


@pytest.mark.parametrize(
    ("moments", "mends"),
    [
        (("0.0100000", "0.0100000", "0.0202000"), True),  # 1 % of the largest, to the last digit
        (("0.0100000", "0.0100000", "0.0202500"), False),  # 1.2 %
        (("0.1", "0.1", "0.3"), True),  # a digit each: 0.05 + 0.05 + 0.05 may be missing of 0.1
        (("0.1", "0.1", "0.4"), False),  # of 0.2
        (("0.01", "0.01", "0.04"), False),  # off by a half
        (("1", "0", "0"), False),  # nobody rounds to zero
    ],
)
def test_only_what_rounding_explains_is_mended(write, moments: tuple[str, str, str], mends: bool) -> None:
    file = write(arm(link("l0", "1", moments)))
    if mends:
        assert read_description(file, repair=True).links["l0"].mass == 1.0
        return
    with pytest.raises(InputError, match="has an inertia that no body can have") as caught:
        read_description(file, repair=True)
    assert "repair" not in str(caught.value)


def test_the_nearest_physical_inertia_is_no_further_than_any_other() -> None:
    rng = np.random.default_rng(3)
    for _ in range(50):
        turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        given = turn @ np.diag(rng.uniform(-0.2, 1.0, 3)) @ turn.T
        mended = nearest_physical(given)
        a, b, c = np.linalg.eigvalsh(mended)
        assert c <= a + b + 1e-12
        # any physical inertia: a cloud of points
        points = rng.normal(size=(4, 3)) * rng.uniform(0.0, 0.7)
        other = sum(float(p @ p) * np.eye(3) - np.outer(p, p) for p in points)
        assert np.linalg.norm(mended - given) <= np.linalg.norm(other - given) + 1e-12


def test_a_negative_mass_is_refused_with_repair_as_well(write) -> None:
    with pytest.raises(InputError, match="expected none below zero"):
        read_description(write(arm(link("l0", "-1", ("1", "1", "1")))), repair=True)


@pytest.mark.parametrize(
    ("text", "half"), [("0.0012", 5e-5), ("12", 0.5), ("1.20e-3", 5e-6), (" -0.3 ", 0.05), ("0", 0.0), ("0.00", 0.0), ("x", 0.0)]
)
def test_half_a_unit_of_the_last_digit(text: str, half: float) -> None:
    assert rounding(text) == pytest.approx(half)


BARE = '<link name="l{}"/>'


def test_a_moving_link_without_mass_gets_the_least_that_works(write) -> None:
    text = arm(link("l0", "2", ("0.01", "0.01", "0.01")), link("l1", "2", ("0.01", "0.01", "0.01")), BARE.format(2))
    file = write(text)
    with pytest.raises(InputError, match=r"`repair` gives it the least that can be"):
        read_description(file)
    description = read_description(file, repair=True)
    least = description.links["l2"]
    # 4 kg, at +-0.15 m from its centre: r^2 = 0.15^2 + (3 * 0.01 / 2) * 2 / 4
    share = math.sqrt(np.finfo(float).eps)
    assert least.mass == pytest.approx(share * 4.0)
    assert least.inertia[0, 0] == pytest.approx(share * 4.0 * (0.15**2 + 0.0075), rel=1e-3)  # and 1e-12 kg m^2
    assert any("'l2' moves but has no mass; repaired: it gets 5.96e-08 kg" in note.what for note in description.notes)


def test_the_mass_that_was_added_changes_the_motion_by_no_more_than_its_share(write) -> None:
    """The arm folds from the same start with and without the massless link; 1.5e-8 of its mass moves it by as much."""
    solid = [link(f"l{i}", "2", ("0.01", "0.01", "0.01")) for i in range(2)]
    ends = []
    for links in (solid, [*solid, BARE.format(2)]):
        model = float_base(read_description(write(arm(*links)), repair=True)).spec.compile()
        model.opt.timestep, model.opt.integrator = 1e-3, mujoco.mjtIntegrator.mjINT_RK4
        data = mujoco.MjData(model)
        data.qvel[model.joint("j0").dofadr[0]] = 3.0
        for _ in range(1000):
            mujoco.mj_step(model, data)
        ends.append(data.qpos[:8].copy())
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-6)  # 1.5e-8 times a lever of some ten in a second of folding
    assert np.abs(ends[0] - ends[1]).max() > 0.0


def test_a_robot_without_any_mass_moves_as_if_all_its_links_weighed_the_same(write) -> None:
    description = read_description(write(arm(BARE.format(0), BARE.format(1), BARE.format(2))), repair=True)
    masses = [description.links[name].mass for name in ("l1", "l2")]
    assert masses == [pytest.approx(math.sqrt(np.finfo(float).eps))] * 2
    assert any("a guess: no link of the robot has any" in note.what for note in description.notes)
    model = description.spec.compile()
    data = mujoco.MjData(model)
    data.qvel[:] = 1.0
    for _ in range(500):
        mujoco.mj_step(model, data)
    assert np.all(np.isfinite(data.qpos))
