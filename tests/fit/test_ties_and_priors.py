"""Parameters that follow others by a ratio, and what is known of one beforehand."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from didymos.cli.main import main
from didymos.describe.schema import FreeSpec, PriorSpec
from didymos.describe.twin import Twin
from didymos.errors import InputError
from didymos.fitting import Column, Recording, fit, read_recording

PUCK = """<mujoco><worldbody><body name="puck"><freejoint name="free"/><geom type="sphere" size=".1" mass="2"/></body>
  </worldbody></mujoco>"""
ARM = """<body name="{name}" pos="0 {y} 0"><joint name="{name}" axis="0 1 0"/>
  <inertial pos="{x} 0 0" mass="1" diaginertia="0.01 0.01 0.01"/></body>"""
LEFT, MIDDLE, RIGHT = (f"parts.{name}.drag_x" for name in ("left", "middle", "right"))
DRAG = 0.9  # [N s/m] of all together
BIAS, SPREAD, COUNT = 0.04, 0.01, 25  # [m], of the column, of its noise, and its samples


@pytest.fixture(scope="module")
def puck(make_twin: Callable[..., Twin]) -> Twin:
    """A puck that glides from 1 m/s against three drags of 0.1 N s/m."""
    drag = {"kind": "rolling_drag", "link": "puck", "drag_x": 0.1, "drag_y": 0.0}
    return make_twin(
        PUCK,
        world={"gravity": 0},
        parts=dict.fromkeys(("left", "middle", "right"), drag),
        start={"velocity": [1.0, 0, 0]},
        scenarios={"glide": {"seconds": 4}},
        recordings={"columns": {"x": {"signal": "truth.position.x"}}},
        fit={"parameters": {LEFT: {"bounds": [0.0, 1.0], "tied": {MIDDLE: 2.0, RIGHT: 3.0}}}},
    )


@pytest.fixture
def glide(puck: Twin, tmp_path: Path) -> Recording:
    time = np.linspace(0.0, 3.9, 40)
    way = 2.0 / DRAG * -np.expm1(-DRAG / 2.0 * time)  # 2 kg from 1 m/s
    np.savetxt(tmp_path / "glide.csv", np.column_stack([time, way]), delimiter=",", header="time,x", comments="")
    return read_recording(puck, tmp_path / "glide.csv")


def test_what_is_tied_follows_by_its_ratio(puck: Twin, glide: Recording) -> None:
    found = fit(puck, [glide], puck.file.fit.parameters)
    expected = {LEFT: DRAG / 6.0, MIDDLE: DRAG / 3.0, RIGHT: DRAG / 2.0}
    assert found.values() == pytest.approx(expected, rel=1e-3)
    assert f"{RIGHT} begins at 0.3 N s/m, 3 times {LEFT}, not at its own 0.1" in found.warnings


def test_a_pattern_is_tied_as_one(puck: Twin, glide: Recording) -> None:
    found = fit(puck, [glide], {LEFT: FreeSpec(bounds=(0.0, 1.0), tied={"parts.*i*.drag_x": 1.0})})  # middle, right
    assert found.values() == pytest.approx(dict.fromkeys((LEFT, MIDDLE, RIGHT), DRAG / 3.0), rel=1e-3)


def test_mirrored_parameters_have_opposite_signs(make_twin: Callable[..., Twin], tmp_path: Path) -> None:
    arms = ARM.format(name="left", y=1, x=0.2) + ARM.format(name="right", y=-1, x=-0.2)
    twin = make_twin(f"<mujoco><worldbody>{arms}</worldbody></mujoco>", scenarios={"fall": {"seconds": 1.0}})
    true = twin.copy()
    true.set_all({"links.left.com.x": 0.3, "links.right.com.x": -0.3})
    log = true.simulate(scenario="fall").run()
    sides = ("left", "right")
    rows = np.column_stack([log["joints.left.position"].time, *(log[f"joints.{side}.position"].values for side in sides)])
    np.savetxt(tmp_path / "fall.csv", rows, delimiter=",", header="time,left,right", comments="")
    recording = read_recording(twin, tmp_path / "fall.csv", {side: Column(side, f"joints.{side}.position") for side in sides})
    found = fit(twin, [recording], {"links.left.com.x": FreeSpec(bounds=(0.1, 0.5), tied={"links.right.com.x": -1.0})})
    assert found.values() == pytest.approx({"links.left.com.x": 0.3, "links.right.com.x": -0.3}, rel=1e-4)


@pytest.mark.parametrize(
    ("tied", "sentence"),
    [
        ({RIGHT: -1.0}, rf"{RIGHT}: follows {LEFT} by -1 to -1:-?0, which leaves what it may be, 0"),
        ({RIGHT: 0.0}, "is tied to parts.left.drag_x by 0"),
        ({"parts.rigt.drag_x": 1.0}, "did you mean 'parts.right.drag_x'"),
        ({"parts.*.thrust": 1.0}, "no parameter matches this pattern"),
    ],
)
def test_ties_that_cannot_hold_are_refused_before_the_search(
    puck: Twin, glide: Recording, tied: dict[str, float], sentence: str
) -> None:
    with pytest.raises(InputError, match=sentence):
        fit(puck, [glide], {LEFT: FreeSpec(bounds=(0.0, 1.0), tied=tied)})


def test_a_parameter_that_two_entries_move_is_refused(puck: Twin, glide: Recording) -> None:
    twice = {LEFT: FreeSpec(bounds=(0.0, 1.0), tied={RIGHT: 1.0}), RIGHT: FreeSpec(bounds=(0.0, 1.0))}
    with pytest.raises(InputError, match=rf"{RIGHT}: is moved by {LEFT} and by {RIGHT}"):
        fit(puck, [glide], twice)


def biased(puck: Twin, folder: Path) -> tuple[Recording, float]:
    """A puck that stands still, by a column with a bias and noise; and the mean of the column."""
    values = BIAS + SPREAD * np.random.default_rng(7).standard_normal(COUNT)
    rows = np.column_stack([np.arange(COUNT) * 0.1, values])
    np.savetxt(folder / "glide.csv", rows, delimiter=",", header="time,x", comments="")
    column = Column("x", "truth.position.y", sd=SPREAD)
    return read_recording(puck, folder / "glide.csv", {"x": column}), float(values.mean())


@pytest.mark.parametrize("sd", [1e-3, 2e-3, 1.0])
def test_a_prior_weighs_as_one_measurement_of_its_standard_deviation(puck: Twin, tmp_path: Path, sd: float) -> None:
    recording, mean = biased(puck, tmp_path)
    spec = FreeSpec(bounds=(-0.5, 0.5), prior=PriorSpec(mean=0.01, sd=sd))
    found = fit(puck, [recording], {"recording.bias.x": spec}, units=False).parameters[0]
    weights = COUNT / SPREAD**2, 1.0 / sd**2  # of a normal likelihood and a normal prior
    assert found.after == pytest.approx((weights[0] * mean + weights[1] * 0.01) / sum(weights), rel=1e-6)


def test_a_prior_is_about_the_twins_value_unless_it_says_otherwise(puck: Twin, glide: Recording) -> None:
    specs = [FreeSpec(bounds=(0.0, 1.0), prior=PriorSpec(mean=mean, sd=1e-11)) for mean in (None, 0.2)]
    found = [fit(puck, [glide], {LEFT: spec}).values()[LEFT] for spec in specs]
    assert found == pytest.approx([0.1, 0.2], rel=1e-3)


def test_ties_and_priors_on_the_command_line(
    puck: Twin, glide: Recording, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["fit", str(puck.folder), str(glide.file), "--json", "--parameters", f"{LEFT}=0:1"]
    assert main([*command, "--tie", f"{MIDDLE}=2*{LEFT}", "--tie", f"{RIGHT}=3*{LEFT}", "-o", str(tmp_path / "f.yaml")]) == 0
    assert json.loads(capsys.readouterr().out)["parameters"][LEFT]["after"] == pytest.approx(DRAG / 6.0, rel=1e-3)
    assert f"{RIGHT}: 0.4" in (tmp_path / "f.yaml").read_text()
    assert main([*command, "--prior", f"{LEFT}=0.2:1e-9"]) == 0
    assert json.loads(capsys.readouterr().out)["parameters"][LEFT]["after"] == pytest.approx(0.2, rel=1e-3)
    for option, text, sentence in (
        ("--tie", f"{RIGHT}={LEFT}", "expected RATIO*PATH"),
        ("--tie", f"{RIGHT}=2*parts.lef.drag_x", "is not among what may move"),
        ("--prior", f"{LEFT}=0.2", "expected MEAN:SD"),
        ("--prior", f"{LEFT}=0.2:-1", "expected one above 0"),
    ):
        assert main([*command, option, text]) == 2
        assert sentence in capsys.readouterr().err
