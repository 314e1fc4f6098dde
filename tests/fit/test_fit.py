"""A fit returns to the truth, knows how sure it is, and says no to what cannot be fitted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from didymos.describe.twin import Twin
from didymos.errors import InputError
from didymos.fitting import Column, Fit, Recording, fit, read_recording

TRUTH = {"parts.drive.coulomb": 0.07, "parts.drive.rotor_inertia": 3e-4, "parts.drive.kd": 0.05}


def read(twin: Twin, file: Path) -> Recording:
    return read_recording(twin, file)


def astray(twin: Twin) -> Twin:
    """The drive with values far from the truth."""
    found = twin.copy()
    found.set_all({"parts.drive.coulomb": 0.03, "parts.drive.rotor_inertia": 2e-4, "parts.drive.kd": 0.09})
    return found


def run(bench: Twin, file: Path, **options: object) -> Fit:
    return fit(astray(bench), [read(bench, file)], bench.file.fit.parameters, **options)  # type: ignore[arg-type]


def test_the_truth_lies_inside_the_intervals(bench: Twin, record: Callable[..., Path]) -> None:
    inside = dict.fromkeys(TRUTH, 0)
    for seed in range(10):
        for parameter in run(bench, record(seed)).parameters:
            assert parameter.interval is not None
            inside[parameter.path] += parameter.interval[0] <= TRUTH[parameter.path] <= parameter.interval[1]
    assert min(inside.values()) >= 9


@pytest.mark.parametrize("method", ["least-squares", "pattern", "global"])
def test_every_method_finds_the_truth_from_afar(bench: Twin, record: Callable[..., Path], method: str) -> None:
    found = run(bench, record(noise=0.0), method=method)
    assert found.loss_after < 1e-3 * found.loss_before
    for path, value in found.values().items():
        assert value == pytest.approx(TRUTH[path], rel=0.02)


def test_the_number_of_threads_does_not_change_a_bit(bench: Twin, record: Callable[..., Path]) -> None:
    file = record()
    one, three = (run(bench, file, threads=count, starts=2) for count in (1, 3))
    assert one.values() == three.values()
    assert one.loss_after == three.loss_after


def test_a_held_out_recording_is_evaluated_and_does_not_change_the_fit(bench: Twin, record: Callable[..., Path]) -> None:
    sine, step = record(), record(scenario="step")
    alone, evaluated = run(bench, sine), run(bench, sine, hold_out=[read(bench, step)])
    assert alone.values() == evaluated.values()
    held = [item for item in evaluated.evaluations if item.held_out]
    assert [item.file.name for item in held] == ["step.csv", "step.csv"]
    assert all(item.rmse_after < 0.5 * item.rmse_before for item in held)


def test_noise_sets_the_error_that_remains(bench: Twin, record: Callable[..., Path]) -> None:
    position, velocity = run(bench, record()).evaluations
    assert position.rmse_after == pytest.approx(0.002, rel=0.15)  # sd of an RMSE over 196 samples is 5 %
    assert velocity.rmse_after == pytest.approx(0.03, rel=0.15)


def test_a_parameter_without_effect_is_an_error(bench: Twin, record: Callable[..., Path]) -> None:
    bounds = {"parts.drive.coulomb": (0.0, 0.2), "parts.drive.peak_torque": (3.0, 5.0)}
    with pytest.raises(InputError, match=r"parts.drive.peak_torque: has no effect on these recordings"):
        fit(bench, [read(bench, record())], bounds)


def test_two_parameters_that_do_the_same_are_named(bench: Twin, record: Callable[..., Path]) -> None:
    bounds = {"parts.drive.kd": (0.01, 0.2), "parts.drive.viscous": (0.0, 0.1)}
    found = fit(bench, [read(bench, record())], bounds)
    assert any("known only together" in text or "not determined" in text for text in found.warnings)


@pytest.mark.parametrize(
    ("path", "bounds", "sentence"),
    [
        ("parts.drive.coulomb", (0.1, 0.2), "the bounds 0.1:0.2 exclude the start, 0.07 N m"),
        ("parts.drive.coulomb", (0.2, 0.0), "expected the lower one first"),
        ("parts.drive.coulomb", (-1.0, 0.2), "leave what the parameter may be"),
        ("parts.drive.colomb", (0.0, 0.2), "did you mean 'parts.drive.coulomb'"),
        ("parts.drive.ratio", (5.0, 15.0), "is fixed for a run"),
    ],
)
def test_bounds_that_make_no_sense_are_refused(
    bench: Twin, record: Callable[..., Path], path: str, bounds: tuple[float, float], sentence: str
) -> None:
    with pytest.raises(InputError, match=sentence):
        fit(bench, [read(bench, record())], {path: bounds})


def test_an_interrupt_keeps_the_best_so_far(bench: Twin, record: Callable[..., Path]) -> None:
    pressed: list[int] = []

    def press(runs: int, loss: float) -> None:  # in the main thread, while a search waits for its runs, as a user's Ctrl-C comes
        if runs > 20 and not pressed:
            pressed.append(runs)
            raise KeyboardInterrupt

    found = run(bench, record(), watch=press)
    assert found.interrupted
    assert found.loss_after < found.loss_before


def test_a_drive_that_runs_away_counts_as_far_from_the_recording(bench: Twin, record: Callable[..., Path]) -> None:
    file = record()
    found = fit(astray(bench), [read(bench, file)], {"parts.drive.kp": (0.1, 100.0), "parts.drive.kd": (0.0, 5.0)})
    assert np.isfinite(found.loss_after)


PUCK = """<mujoco><worldbody><body name="puck"><freejoint name="free"/><geom type="sphere" size=".1" mass="2"/></body>
  </worldbody></mujoco>"""


def test_a_pattern_moves_parameters_together_and_the_start_may_be_fitted(
    make_twin: Callable[..., Twin], tmp_path: Path
) -> None:
    drag = {"kind": "rolling_drag", "link": "puck", "drag_y": 1.0}
    twin = make_twin(
        PUCK,
        world={"gravity": 0, "ground": None},
        parts={"left": {**drag, "drag_x": 0.1}, "right": {**drag, "drag_x": 0.1}},
        start={"velocity": [1.0, 0, 0]},
        scenarios={"glide": {"seconds": 4, "start": {"orientation": [0, 0, 0.3]}}},
    )
    time, drags, yaw = np.linspace(0.0, 3.9, 50), 0.8, 0.2
    way = 2.0 / drags * -np.expm1(-drags / 2.0 * time)  # 2 kg, both drags together, from 1 m/s
    rows = np.column_stack([time, way * np.cos(yaw), way * np.sin(yaw)])
    np.savetxt(tmp_path / "glide.csv", rows, delimiter=",", header="time,x,y", comments="")
    columns = {name: Column(name, f"truth.position.{name}") for name in "xy"}
    recording = read_recording(twin, tmp_path / "glide.csv", columns)
    found = fit(twin, [recording], {"parts.*.drag_x": (0.0, 2.0), "start.orientation.z": (-1.0, 1.0)})
    assert found.values() == pytest.approx(
        {"parts.left.drag_x": 0.5 * drags, "parts.right.drag_x": 0.5 * drags, "start.orientation.z": yaw}, rel=1e-3
    )
    twin.set("parts.left.drag_x", 0.2)
    with pytest.raises(InputError, match="have different values, so they cannot move together"):
        fit(twin, [recording], {"parts.*.drag_x": (0.0, 2.0)})
