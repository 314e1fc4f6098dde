"""Moving links that have a mass and no inertia: those of their shapes for that mass, or a refusal that says what to do."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import didymos
from described_robots import BOX, joint, link, robot
from didymos.cli.main import main
from didymos.describe.description import Description
from didymos.describe.formats.importer import read_description
from didymos.describe.new import draft_twin, write_twin
from didymos.describe.robot_model import robot_model
from didymos.errors import InputError

NOTHING = '<inertia ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"/>'
REST = '<inertia ixx="2.7e-20" iyy="5.4e-20" izz="-1.3e-20" ixy="-1.7e-21" ixz="0" iyz="0"/>'  # of a subtraction
BASE = link("base", BOX.format(0.2, 0.2, 0.1), mass=4)


def point(name: str, mass: float = 2.0, at: str = "0 0 0", shapes: str = "", inertia: str = NOTHING) -> str:
    inertial = f'<inertial><origin xyz="{at}"/><mass value="{mass}"/>{inertia}</inertial>'
    return f'<link name="{name}">{inertial}{shapes}</link>\n'


def box(x: float, y: float, z: float, tag: str = "collision", at: str = "0 0 0", rpy: str = "0 0 0") -> str:
    return f'<{tag}><origin xyz="{at}" rpy="{rpy}"/><geometry>{BOX.format(x, y, z)}</geometry></{tag}>'


def box_moments(mass: float, x: float, y: float, z: float) -> np.ndarray:
    return mass / 12.0 * np.array([y * y + z * z, x * x + z * z, x * x + y * y])


def read(text: str, folder: Path, *, shapes: bool = True, suffix: str = "urdf") -> Description:
    file = folder / f"r.{suffix}"
    file.write_text(text)
    return read_description(file, inertia_from_shapes=shapes)


@pytest.mark.parametrize("inertia", [NOTHING, REST])
def test_a_link_gets_the_inertia_of_its_shape_for_its_own_mass_and_place(tmp_path: Path, inertia: str) -> None:
    tip = point("tip", 2.0, "0 0 0.03", box(0.1, 0.2, 0.3), inertia)
    made = read(robot(BASE, tip, joint("j", "base", "tip")), tmp_path)
    found = made.links["tip"]
    assert found.mass == 2.0
    np.testing.assert_array_equal(found.com, [0.0, 0.0, 0.03])
    np.testing.assert_allclose(found.inertia, np.diag(box_moments(2.0, 0.1, 0.2, 0.3)), rtol=1e-5, atol=1e-12)
    assert made.estimated == ("tip",)
    assert any("'tip' has a mass and no inertia: that of its shapes is taken for its 2 kg" in note.what for note in made.notes)
    np.testing.assert_allclose(np.sort(made.spec.compile().body("tip").inertia), np.sort(np.diag(found.inertia)), rtol=1e-9)


def test_what_is_seen_serves_where_nothing_collides_and_a_small_part_is_no_less_exact(tmp_path: Path) -> None:
    text = robot(BASE, point("tip", 1e-3, shapes=box(0.004, 0.002, 0.006, "visual")), joint("j", "base", "tip"))
    found = read(text, tmp_path).links["tip"].inertia
    np.testing.assert_allclose(np.diag(found), box_moments(1e-3, 0.004, 0.002, 0.006), rtol=0.01)  # and (0.1 mm)^2 of its mass


def test_shapes_of_links_that_are_welded_to_it_count_where_it_has_none_itself(tmp_path: Path) -> None:
    skin = f'<link name="skin">{box(0.1, 0.2, 0.3)}</link>'
    weld = joint("w", "tip", "skin", "0.5 0 0", kind="fixed", rpy=f"0 0 {math.pi / 2}", limit="")
    made = read(robot(BASE, point("tip"), skin, joint("j", "base", "tip"), weld), tmp_path)
    x, y, z = box_moments(2.0, 0.1, 0.2, 0.3)
    np.testing.assert_allclose(made.links["tip"].inertia, np.diag([y, x, z]), rtol=1e-5, atol=1e-12)
    assert made.estimated == ("tip",)


@pytest.mark.parametrize(("sensor", "needs"), [(1e-9, True), (1e-4, False)])
def test_a_rigid_group_that_has_inertia_enough_keeps_its_points(tmp_path: Path, sensor: float, needs: bool) -> None:
    """sqrt(1e-9 / 2) m is 22 um, sqrt(1e-4 / 2) m is 7 mm."""
    small = point("imu", 1e-3, inertia=NOTHING.replace('"0" i', f'"{sensor}" i', 3))
    weld = joint("w", "tip", "imu", kind="fixed", limit="")
    made = read(robot(BASE, point("tip", shapes=box(0.1, 0.2, 0.3)), small, joint("j", "base", "tip"), weld), tmp_path)
    assert made.estimated == (("tip",) if needs else ())


def test_nothing_is_estimated_unless_it_is_asked_for(tmp_path: Path) -> None:
    """A pendulum of a point stays one: J = m l^2."""
    bob = point("bob", 2.0, "0 0 -0.5", box(0.1, 0.1, 0.1, at="0 0 -0.5"))
    text = robot(BASE, bob, joint("j", "base", "bob"))
    made = read(text, tmp_path, shapes=False)
    assert made.estimated == ()
    assert not made.links["bob"].inertia.any()
    assert robot_model(made).at([0.0]).mass_matrix[0, 0] == pytest.approx(2.0 * 0.5**2)


def refusal(text: str, folder: Path, *, shapes: bool = True) -> str:
    with pytest.raises(InputError) as caught:
        read(text, folder, shapes=shapes)
    return str(caught.value)


def test_a_point_that_turns_in_its_own_axis_is_refused_with_what_to_do(tmp_path: Path) -> None:
    said = refusal(robot(BASE, point("tip"), joint("j", "base", "tip")), tmp_path)
    assert "r.urdf:3: link 'tip' is turned by joint 'j' about an axis in which all of its 2 kg lie" in said
    assert said.endswith("write the moments into its <inertia>, or give it a shape, from which they are estimated")
    shaped = robot(BASE, point("tip", shapes=box(0.1, 0.1, 0.1)), joint("j", "base", "tip"))
    assert "or description.inertia: from_shapes into the twin file" in refusal(shaped, tmp_path, shapes=False)


@pytest.mark.parametrize(("axis", "turns"), [("1 0 0", True), ("0 1 0", False)])
def test_a_point_between_two_joints_needs_what_the_second_carries_to_turn_with_the_first(
    tmp_path: Path, axis: str, turns: bool
) -> None:
    """The cross of a universal joint is fine; between two joints of one axis nothing would hold the point back."""
    text = robot(
        BASE, point("cross"), link("hand", BOX.format(0.1, 0.1, 0.1)), joint("first", "base", "cross", axis="0 1 0"),
        joint("second", "cross", "hand", axis=axis),
    )  # fmt: skip
    if turns:
        assert read(text, tmp_path).estimated == ()
    else:
        assert "link 'cross' is turned by joint 'first'" in refusal(text, tmp_path)


def test_a_point_that_only_slides_needs_no_inertia(tmp_path: Path) -> None:
    text = robot(BASE, point("tip"), joint("j", "base", "tip", kind="prismatic"))
    assert read(text, tmp_path).links["tip"].mass == 2.0


def test_links_of_an_sdf_get_it_as_well(tmp_path: Path) -> None:
    nothing = "<inertia><ixx>0</ixx><iyy>0</iyy><izz>0</izz></inertia>"
    shape = '<collision name="c"><geometry><sphere><radius>0.1</radius></sphere></geometry></collision>'
    links = f'<link name="a"/><link name="b"><inertial><mass>3</mass>{nothing}</inertial>{shape}</link>'
    hinge = '<joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 1 0</xyz></axis></joint>'
    made = read(f'<sdf version="1.9"><model name="m">{links}{hinge}</model></sdf>', tmp_path, suffix="sdf")
    np.testing.assert_allclose(np.diag(made.links["b"].inertia), [0.4 * 3 * 0.01] * 3, rtol=1e-5)


HOLLOW = robot(
    BASE, point("upper", 2.0, "0 0 0.2", box(0.05, 0.05, 0.4, at="0 0 0.2")),
    joint("j", "base", "upper", "0 0 0.06", axis="0 0 1"),
)  # fmt: skip


def test_a_new_twin_says_so_first_and_has_it_in_its_file(tmp_path: Path) -> None:
    (tmp_path / "r.urdf").write_text(HOLLOW)
    folder, draft = write_twin("twin", tmp_path / "r.urdf", tmp_path)
    assert draft.warnings[0].startswith("1 moving link has a mass and no inertia: estimated from shapes")
    assert "  inertia: from_shapes   # an estimate" in (folder / "twin.yaml").read_text()
    twin, bare = didymos.load(folder, trust=True), didymos.load(tmp_path / "r.urdf")
    for one in (twin, bare):
        moments = np.diag(one.description.links["upper"].inertia)
        np.testing.assert_allclose(moments, box_moments(2.0, 0.05, 0.05, 0.4), rtol=1e-4)
    (folder / "twin.yaml").write_text((folder / "twin.yaml").read_text().replace("from_shapes", "as_described"))
    with pytest.raises(InputError, match=r"description\.inertia: from_shapes"):
        didymos.load(folder, trust=True)


def test_check_and_run_of_the_file_say_so_in_their_first_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "r.urdf").write_text(HOLLOW)
    assert main(["check", str(tmp_path / "r.urdf")]) == 0
    assert "no inertia: estimated from shapes" in capsys.readouterr().out.splitlines()[0]
    assert main(["run", str(tmp_path / "r.urdf"), "--seconds", "0.1"]) == 0
    assert "no inertia: estimated from shapes" in capsys.readouterr().err.splitlines()[0]


def test_a_base_that_stands_still_needs_none_and_is_not_spoken_of(tmp_path: Path) -> None:
    upper = link("upper", BOX.format(0.05, 0.05, 0.4))
    text = robot(point("base", 4.0, shapes=box(0.2, 0.2, 0.1)), upper, joint("j", "base", "upper"))
    (tmp_path / "r.urdf").write_text(text)
    draft = draft_twin(tmp_path / "r.urdf")
    assert not draft.base.floating
    assert not draft.reading.inertia_from_shapes
    assert not any("no inertia" in warning for warning in draft.warnings)


def test_a_thing_that_floats_gets_the_inertia_of_its_shape(tmp_path: Path) -> None:
    (tmp_path / "r.urdf").write_text(robot(point("base", 4.0, shapes=box(0.2, 0.2, 0.1))))
    draft = draft_twin(tmp_path / "r.urdf")
    assert draft.base.floating
    assert draft.reading.inertia_from_shapes
    np.testing.assert_allclose(np.diag(draft.description.links["base"].inertia), box_moments(4.0, 0.2, 0.2, 0.1), rtol=1e-5)


def test_a_small_inertia_is_not_none(tmp_path: Path) -> None:
    """A wheel of a watch, or a number that somebody put there: 1e-9 kg m^2 for 1 kg is 32 um, and stays as it is written."""
    small = NOTHING.replace('"0" i', '"1e-9" i', 3)
    made = read(robot(BASE, point("tip", 1.0, shapes=box(0.1, 0.1, 0.1), inertia=small), joint("j", "base", "tip")), tmp_path)
    assert made.estimated == ()
    np.testing.assert_array_equal(made.links["tip"].inertia, np.diag([1e-9] * 3))
