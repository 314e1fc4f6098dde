"""What physics leaves over is learned, judged by what it has not seen, and left alone where there is nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from carts import CART, COLUMNS, PERIOD, cart_twin, write_csv
from numpy.typing import NDArray

from didymos import Twin
from didymos.cli.main import main
from didymos.errors import InputError
from didymos.fitting import FittedParameter, Recording, read_recordings
from didymos.fitting.fitted import own_values
from didymos.fitting.residual_model import ResidualModel, learn_residual

MASS, DRAG, TOP = 2.0, 0.8, 1.5  # [kg], [N s^2/m^2], [m/s]
PART = {"kind": "joint_correction", "link": "cart", "joint": "rail", "features_trained": ["velocity"]}
WINDOW = 0.2


def drive(drag: float, period: float, noise: float = 0.0, seed: int = 0) -> dict[str, NDArray[np.float64]]:
    """A cart with quadratic drag whose velocity goes up and down in straight lines: every speed is as frequent as another."""
    rng, count = np.random.default_rng(seed), round(4.0 / PERIOD)
    time = PERIOD * np.arange(count)
    slope = 4.0 * TOP / period
    aimed = TOP * (1.0 - 4.0 * np.abs((time / period + 0.5) % 1.0 - 0.5))
    force = MASS * np.where((time / period) % 1.0 < 0.5, -slope, slope) + drag * np.abs(aimed) * aimed
    x, v = np.zeros(count), np.zeros(count)
    state = np.array([0.0, aimed[0]])
    fine = PERIOD / 4
    for i in range(count):
        x[i], v[i] = state
        for _ in range(4):  # midpoint rule
            half = state + 0.5 * fine * np.array([state[1], (force[i] - drag * abs(state[1]) * state[1]) / MASS])
            state = state + fine * np.array([half[1], (force[i] - drag * abs(half[1]) * half[1]) / MASS])
    return {
        "t": time, "x": x + noise * 1e-3 * rng.standard_normal(count), "v": v + noise * 1e-2 * rng.standard_normal(count),
        "force": force,
    }  # fmt: skip


def recorded(folder: Path, twin: Twin, drag: float, noise: float = 0.0) -> list[Recording]:
    """Three drives of different length of the wave."""
    files = [
        write_csv(folder / f"{name}.csv", drive(drag, period, noise, seed))
        for seed, (name, period) in enumerate({"a": 4.0, "b": 2.0, "c": 3.2}.items())
    ]
    return read_recordings(twin, files)


@pytest.fixture
def twin() -> Twin:
    """A cart without drag, and a part that may learn."""
    return cart_twin(parts={"rest": PART})


def held_out_ratio(found: ResidualModel) -> float:
    """Error with the correction over that of physics, of velocity, over all held-out recordings."""
    chosen = [x for x in found.evaluations if x.held_out and x.channel.column.name in ("v", "vel")]
    return float(np.sqrt(sum(x.rmse_after**2 for x in chosen) / sum(x.rmse_before**2 for x in chosen)))


def test_a_line_explains_three_quarters_of_quadratic_drag(tmp_path: Path, twin: Twin) -> None:
    """Of v |v| over -V < v < V the best line is 3/4 V v, and leaves 1/4 of it: sqrt(1/5 - 3/16) / sqrt(1/5)."""
    found = learn_residual(twin, recorded(tmp_path, twin, DRAG), window=WINDOW)
    assert found.kept
    assert held_out_ratio(found) == pytest.approx(0.25, rel=0.15)  # windows see v change by up to a tenth of the range
    assert found.values["parts.rest.torque_per_velocity"] == pytest.approx(-0.75 * DRAG * TOP, rel=0.1)
    assert found.values["parts.rest.velocity_high"] == pytest.approx(TOP, rel=0.05)
    assert found.values["parts.rest.scale"] == 1.0
    assert found.power is not None
    assert found.power == pytest.approx(-0.75 * DRAG * TOP * TOP**2 / 3.0, rel=0.15)  # of the line: mean of v^2 is V^2 / 3
    assert not found.warnings


def test_a_small_network_explains_nearly_all_of_it(tmp_path: Path, twin: Twin) -> None:
    found = learn_residual(twin, recorded(tmp_path, twin, DRAG), window=WINDOW, units=4)
    assert found.kept
    assert held_out_ratio(found) < 0.05
    assert found.values["parts.rest.hidden_units"] == 4.0


def test_refining_on_the_windows_that_are_judged_is_no_worse(tmp_path: Path, twin: Twin) -> None:
    recordings = recorded(tmp_path, twin, DRAG, noise=1.0)
    plain, refined = (learn_residual(twin, recordings, window=WINDOW, refined=flag) for flag in (False, True))
    assert refined.kept
    assert refined.refined
    assert held_out_ratio(refined) < 1.02 * held_out_ratio(plain)


@pytest.mark.parametrize(("units", "noise"), [(0, 1.0), (3, 1.0), (0, 0.0)])
def test_where_nothing_is_left_over_nothing_is_kept(tmp_path: Path, twin: Twin, units: int, noise: float) -> None:
    found = learn_residual(twin, recorded(tmp_path, twin, 0.0, noise), window=WINDOW, units=units)
    assert not found.kept
    assert found.values == {}
    assert found.verdict.startswith("no correction is worth keeping: ")
    if noise == 0.0:
        assert "to the last digit" in found.verdict


def test_named_hold_outs_are_judged_instead(tmp_path: Path, twin: Twin) -> None:
    first, second, third = recorded(tmp_path, twin, DRAG)
    found = learn_residual(twin, [first, second], hold_out=[third], window=WINDOW)
    assert found.kept
    assert {x.file.name for x in found.evaluations if x.held_out} == {"c.csv"}
    assert {x.file.name for x in found.evaluations if not x.held_out} == {"a.csv", "b.csv"}
    assert found.judgement.blocks == 8
    assert found.judgement.chance == pytest.approx(2.0**-8)  # better in all of them


def test_one_recording_alone_is_judged_by_quarters(tmp_path: Path, twin: Twin) -> None:
    recording = recorded(tmp_path, twin, DRAG)[1:2]  # two waves: each quarter has half of one
    found = learn_residual(twin, recording, window=WINDOW)
    assert found.kept
    assert held_out_ratio(found) < 0.5


def test_what_was_learned_stays_bounded_beyond_what_it_has_seen(tmp_path: Path, twin: Twin) -> None:
    found = learn_residual(twin, recorded(tmp_path, twin, DRAG), window=WINDOW)
    twin.set_all(found.values)
    simulation = twin.simulate()
    simulation.data.qvel[0] = 20.0 * TOP
    torque = simulation.run(0.05)["parts.rest.torque"].values
    limit, slope, constant = (
        found.values[f"parts.rest.{name}"] for name in ("torque_limit", "torque_per_velocity", "torque_constant")
    )
    at_the_end = limit * np.tanh((constant + slope * found.values["parts.rest.velocity_high"]) / limit)
    np.testing.assert_allclose(torque, at_the_end, rtol=1e-12)
    bounded = learn_residual(twin, recorded(tmp_path, twin, DRAG), window=WINDOW, bound=0.3)
    assert bounded.values["parts.rest.torque_limit"] == 0.3
    assert any("is held below its bound, 0.3" in text for text in bounded.warnings)


def test_the_number_of_threads_does_not_change_a_bit(tmp_path: Path, twin: Twin) -> None:
    recordings = recorded(tmp_path, twin, DRAG, noise=1.0)
    one, three = (learn_residual(twin, recordings, window=WINDOW, refined=True, threads=count) for count in (1, 3))
    assert one.values == three.values
    assert one.judgement == three.judgement


def test_a_twin_without_such_a_part_is_told_the_line_to_add(tmp_path: Path) -> None:
    bare = cart_twin()
    with pytest.raises(InputError, match=r"below `parts:` as a line `residual: \{kind: joint_correction, link: LINK, joint"):
        learn_residual(bare, recorded(tmp_path, bare, DRAG), window=WINDOW)


def test_of_several_parts_one_has_to_be_named(tmp_path: Path) -> None:
    twin = cart_twin(parts={"rest": PART, "body": {"kind": "correction", "link": "cart"}})
    recordings = recorded(tmp_path, twin, DRAG)
    with pytest.raises(InputError, match="several parts could learn, say which: body on the link cart, rest on the joint rail"):
        learn_residual(twin, recordings, window=WINDOW)
    with pytest.raises(InputError, match="no part that learns acts there"):
        learn_residual(twin, recordings, window=WINDOW, joint="rial")
    found = learn_residual(twin, recordings, window=WINDOW, link="cart")
    assert found.part == "body"
    assert held_out_ratio(found) == pytest.approx(0.25, rel=0.15)
    moved = {path for path in found.values if "_per_" in path}
    assert moved == {"parts.body.force_x_per_velocity_x"}  # a rail leaves no other way


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A twin folder and three recordings with drag."""
    content: dict[str, Any] = {
        "description": {"file": "cart.xml"}, "world": {"gravity": 0, "step": PERIOD, "integrator": "rk4"},
        "recordings": {"columns": COLUMNS}, "parts": {"rest": PART}, "fit": {"parameters": {"links.cart.mass": [1.0, 4.0]}},
    }  # fmt: skip
    (tmp_path / "cart.xml").write_text(CART)
    (tmp_path / "twin.yaml").write_text(json.dumps(content))
    recorded(tmp_path, cart_twin(parts={"rest": PART}), DRAG, noise=1.0)
    return tmp_path


def test_a_fit_keeps_it_with_its_values_and_a_run_takes_them(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [str(folder / f"{name}.csv") for name in "abc"]
    values, report = folder / "fitted.yaml", folder / "fit.html"
    words = ["--window", str(WINDOW), "--residual", "linear", "-o", str(values), "--report", str(report)]
    assert main(["fit", str(folder), *files, *words]) == 0
    printed = capsys.readouterr().out
    assert "the correction is kept: on 9 held-out blocks" in printed
    assert "a.csv (held out)" in printed
    assert "links.cart.mass:" in values.read_text()
    assert "parts.rest.torque_per_velocity: -" in values.read_text()
    assert "linear correction of rest" in values.read_text().splitlines()[1]
    assert "<h2>Residual: linear correction in rest</h2>" in report.read_text()
    assert main(["validate", str(folder), *files, "--window", str(WINDOW), "--with", str(values), "--json"]) == 0
    judged = json.loads(capsys.readouterr().out)
    off = [*files, "--window", str(WINDOW), "--with", str(values), "--set", "parts.rest.scale=0", "--json"]
    assert main(["validate", str(folder), *off]) == 0
    without = json.loads(capsys.readouterr().out)
    ratio = judged["windows"]["joints.rail.velocity"]["sum"] / without["windows"]["joints.rail.velocity"]["sum"]
    assert ratio < 0.5


def test_the_physics_may_stay_as_it_is_given(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [str(folder / f"{name}.csv") for name in "abc"]
    values = folder / "kept.yaml"
    words = ["--window", str(WINDOW), "--residual", "network:2", "--residual-only", "--set", "links.cart.mass=2.01"]
    assert main(["fit", str(folder), *files, *words, "-o", str(values), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["parameters"] == {}
    about = found["residual"]
    assert about["kept"]
    assert about["model"] == "network:2"
    assert about["p"] == pytest.approx(2.0**-9)
    assert set(about["recordings"]) == {"training", "held_out"}
    assert "links.cart.mass: 2.01" in values.read_text()
    assert "parts.rest.unit2_per_velocity: " in values.read_text()


def test_what_was_learned_before_goes_when_nothing_new_is_worth_keeping(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = folder / "old.yaml"
    old.write_text("links.cart.mass: 2.0\nparts.rest.scale: 1.0\nparts.rest.torque_limit: 5.0\nparts.rest.torque_constant: 3.0\n")
    recorded(folder, cart_twin(parts={"rest": PART}), 0.0, noise=1.0)
    files = [str(folder / f"{name}.csv") for name in "abc"]
    words = ["--window", str(WINDOW), "--residual", "linear", "--residual-only", "--with", str(old)]
    assert main(["fit", str(folder), *files, *words, "-o", str(folder / "new.yaml")]) == 0
    assert "no correction is worth keeping" in capsys.readouterr().out
    kept = [line for line in (folder / "new.yaml").read_text().splitlines() if not line.startswith("#")]
    assert kept == ["links.cart.mass: 2.0", "parts.rest.torque_limit: 5.0"]


def test_what_recordings_have_for_themselves_stays_as_it_was_fitted() -> None:
    def fitted(path: str, after: float, recording: str | None = None) -> FittedParameter:
        return FittedParameter(path, "", 0.0, after, None, (-1.0, 1.0), {path: 1.0}, recording)

    found = own_values(
        [fitted("links.cart.mass", 2.0), fitted("recording.input_delay", 0.01), fitted("recording.bias.v", 0.3, "b")], ["a", "b"]
    )
    assert found == {"a": {"recording.input_delay": 0.01}, "b": {"recording.input_delay": 0.01, "recording.bias.v": 0.3}}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--residual", "cubic"], "--residual: found 'cubic', expected linear, network or network:N"),
        (["--residual", "network:9"], "--residual: found 9 hidden units, expected 1 to 8 of them, or a linear correction"),
        (["--residual", "linear", "--residual-bound", "0"], "--residual-bound: found 0, expected a bound above 0"),
        (["--residual-only"], "--residual-only: goes with --residual only"),
        (["--residual", "linear", "--residual-joint", "rial"], "--residual-joint: no part that learns acts there: rest on"),
    ],
)
def test_what_cannot_be_learned_is_said_in_one_sentence(
    folder: Path, capsys: pytest.CaptureFixture[str], words: list[str], sentence: str
) -> None:
    assert main(["fit", str(folder), str(folder / "a.csv"), "--window", str(WINDOW), *words]) == 2
    text = capsys.readouterr().err
    assert sentence in text
    assert text.count("\n") == 1


def test_whole_recordings_of_a_drive_teach_it_the_friction_that_it_lacks(
    make_twin: Callable[..., Twin], bench: Twin, record: Callable[..., Path]
) -> None:
    """Of 0.07 N m at the motor the twin has 0.03: 10 (0.07 - 0.03) N m at the output are left over, against the motion."""
    drive_part = {**bench.file.parts["drive"].model_dump(exclude_unset=True), "coulomb": 0.03}
    columns = {
        **bench.file.recordings.model_dump(exclude_unset=True)["columns"],
        "shaft": {"columns": ["pos"], "start": "joints.shaft"},
        "shaft_rate": {"columns": ["vel"], "start": "joint_velocities.shaft"},
    }
    rest = {"kind": "joint_correction", "link": "arm", "joint": "shaft", "features_trained": ["direction"]}
    scenarios = {name: item.model_dump(exclude_unset=True) for name, item in bench.file.scenarios.items()}
    twin = make_twin(
        (bench.folder / "model.xml").read_text(), world={"step": 0.001}, parts={"drive": drive_part, "rest": rest},
        record={"rate": 200}, scenarios=scenarios, control={"program": "position_command", "rate": 200},
        recordings={"columns": columns},
    )  # fmt: skip
    found = learn_residual(twin, read_recordings(twin, [record()]))
    assert found.kept
    assert found.refined  # there is no other way
    assert found.values["parts.rest.torque_per_direction"] == pytest.approx(-0.4, rel=0.15)
    assert held_out_ratio(found) < 0.7
