"""The steps of learning a residual, each by itself: forces that are left over, ridges, networks, and the judgement of pairs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from carts import PERIOD, cart_twin, motion, write_csv

from didymos import Twin
from didymos.fitting import Channel, Column, Recording, read_recordings
from didymos.fitting.equation_error import EquationError, equation_error, force_sizes
from didymos.fitting.learned_function import LearnedFunction
from didymos.fitting.paired_judgement import judge_pair
from didymos.fitting.quadratic import Quadratic, choose_ridge, ridge_weights
from didymos.fitting.residual_cells import cut_cells
from didymos.fitting.residual_model import learn_residual
from didymos.fitting.residual_part import find_residual_part
from didymos.fitting.residual_runs import ResidualRuns
from didymos.fitting.segments import whole, windows
from didymos.fitting.small_network import train_network

PART = {"kind": "joint_correction", "link": "cart", "joint": "rail", "features_trained": ["velocity"]}


def runs_of(twin: Twin, recordings: list[Recording]) -> ResidualRuns:
    return ResidualRuns(twin, find_residual_part(twin), recordings, [{}] * len(recordings))


def test_each_window_finds_the_force_that_is_left_over(tmp_path: Path) -> None:
    """A cart of 2 kg that is pulled by 0.35 N beside what is written down, at any mass that the twin takes for right."""
    columns = motion(2.0)
    columns["force"] = columns["force"] - 0.35
    twin = cart_twin(parts={"rest": PART})
    recordings = read_recordings(twin, [write_csv(tmp_path / "a.csv", columns)])
    runs, cut = runs_of(twin, recordings), windows(0, recordings[0], 5 * PERIOD)
    sizes = force_sizes(runs, cut)
    assert sizes[0] == pytest.approx(0.35, rel=1e-6)
    found = equation_error(runs, cut, sizes, [runs.features(0)])
    force = -found.slope[:, 0] / found.curvature[:, 0, 0]
    np.testing.assert_allclose(force, 0.35, rtol=1e-6)
    # x and v answer with t^2 / 2m and t / m at 10, 20, ... 50 ms
    t = PERIOD * np.arange(1, 6)
    np.testing.assert_allclose(found.curvature[:, 0, 0], np.sum((t**2 / 4.0) ** 2 + (t / 2.0) ** 2), rtol=1e-6)
    middle = [columns["v"][i : i + 6].mean() for i in range(0, 5 * len(cut), 5)]
    np.testing.assert_allclose(found.features[:, 0], middle, rtol=1e-9)


def test_noise_of_a_velocity_does_not_look_like_damping(tmp_path: Path) -> None:
    """With white noise s on v, the first sample of windows of T seconds would make a damping of about m s^2 / (T var v)."""
    noise, rng = 0.15, np.random.default_rng(3)
    twin = cart_twin(parts={"rest": PART})
    files = []
    for seed in range(2):
        columns = motion(2.0, 20.0, seed=seed)
        columns["v"] = columns["v"] + noise * rng.standard_normal(len(columns["v"]))
        files.append(write_csv(tmp_path / f"{seed}.csv", columns))
    recordings = read_recordings(twin, files)
    runs = runs_of(twin, recordings)
    cut = [item for i, recording in enumerate(recordings) for item in windows(i, recording, 5 * PERIOD)]
    features = [runs.features(i) for i in range(2)]
    found = equation_error(runs, cut, force_sizes(runs, cut), features)
    first = EquationError(
        np.array([features[item.recording][item.samples[0].start - 1] for item in cut]), found.curvature, found.slope, found.loss
    )
    means, firsts = (ridge_weights(data.quadratic(), 1e-9)[1] for data in (found, first))
    spread = float(np.var(found.features))
    assert firsts < -0.5 * 2.0 * noise**2 / (5 * PERIOD * spread)
    assert abs(means) < 0.2 * abs(firsts)


def test_a_ridge_of_nothing_is_least_squares_and_one_without_end_is_zero() -> None:
    rng = np.random.default_rng(0)
    jacobian, truth = rng.standard_normal((50, 4)), np.array([1.0, -2.0, 0.5, 0.0])
    jacobian[:, 3] = 0.0  # moves nothing
    loss = Quadratic.of_residual(-jacobian @ truth, jacobian, np.zeros(4))
    np.testing.assert_allclose(ridge_weights(loss, 0.0), truth, atol=1e-12)
    assert not ridge_weights(loss, np.inf).any()
    assert loss(truth) == pytest.approx(0.0, abs=1e-12)
    moved = Quadratic.of_residual(jacobian @ (np.ones(4) - truth), jacobian, np.ones(4))  # the same, seen from elsewhere
    np.testing.assert_allclose(moved.gradient, loss.gradient, atol=1e-12)
    assert moved.constant == pytest.approx(loss.constant)


def test_cells_that_contradict_each_other_leave_no_weights() -> None:
    rng = np.random.default_rng(1)
    agreeing, opposed = [], []
    for sign in (1.0, -1.0, 1.0, -1.0):
        jacobian = rng.standard_normal((30, 1))
        agreeing.append(Quadratic.of_residual(-jacobian @ [0.7], jacobian, np.zeros(1)))
        opposed.append(Quadratic.of_residual(-jacobian @ [0.7 * sign], jacobian, np.zeros(1)))
    assert choose_ridge(agreeing) < 1e-6
    assert not np.isfinite(choose_ridge(opposed))


def test_a_network_on_arrays_is_what_the_compiled_law_says(tmp_path: Path) -> None:
    twin = cart_twin(parts={"rest": {**PART, "features_trained": ["position", "velocity"]}})
    part, rng = find_residual_part(twin), np.random.default_rng(5)
    low, high = np.array([-1.0, -0.5]), np.array([2.0, 0.5])
    function = LearnedFunction(rng.standard_normal((1, 3)), rng.standard_normal((3, 3)), rng.standard_normal((1, 3)), low, high)
    twin.set_all(function.values(part, {"parts.rest.torque_limit": 2.0}))
    simulation = twin.simulate()
    for q, v in ((0.3, 0.1), (5.0, -3.0)):
        simulation.reset()
        simulation.data.qpos[0], simulation.data.qvel[0] = q, v
        said = simulation.run(PERIOD)["parts.rest.torque"].values[0]
        assert said == pytest.approx(2.0 * np.tanh(function(np.array([[q, v]]))[0, 0] / 2.0), rel=1e-12)
    assert np.array_equal(function.with_weights(function.weights).into_units, function.into_units)


def test_a_network_of_one_unit_finds_a_bend_that_no_line_has() -> None:
    rng, cells = np.random.default_rng(7), []
    for _ in range(4):
        features = rng.uniform(-2.0, 2.0, (200, 1))
        force = np.tanh(3.0 * features[:, 0] + 1.0)
        curvature = np.ones((200, 1, 1))
        cells.append(EquationError(features, curvature, -force[:, None], force**2))
    function = train_network(cells, 1, np.array([-2.0]), np.array([2.0]))
    at = np.linspace(-2.0, 2.0, 50)[:, None]
    np.testing.assert_allclose(function(at)[:, 0], np.tanh(3.0 * at[:, 0] + 1.0), atol=0.01)


def pair(errors: np.ndarray, better: np.ndarray) -> Any:
    """The judgement of two twins whose errors are these, sample by sample of one recording."""
    time = np.arange(1, len(errors) + 1, dtype=float)
    measured = np.ones(len(errors))
    recording = Recording(Path("a.csv"), None, (Channel(Column("x", "x"), time, measured),))
    said = [[(measured + error)[:, None]] for error in (errors, better)]
    return judge_pair([recording], [whole(0, recording)], [said[0]], [said[1]])


def test_a_gain_in_all_eight_blocks_is_chance_once_in_256() -> None:
    errors = np.ones(80)
    found = pair(errors, 0.5 * errors)
    assert found.better
    assert found.chance == 2.0**-8
    assert found.ratio == pytest.approx(0.5)
    assert not pair(errors, 0.995 * errors).better  # 0.5 % of the error is not worth it
    assert not pair(errors, errors).better


def test_one_block_that_loses_more_than_all_others_gain_decides() -> None:
    errors, better = np.ones(80), np.full(80, 0.9)
    better[75:] = 2.5  # 5 of 80 samples: 5.25 each against 0.19
    assert not pair(errors, better).better
    better[75:] = 1.01
    assert pair(errors, better).better


def test_what_is_no_better_passes_about_once_in_a_hundred() -> None:
    rng = np.random.default_rng(11)
    passed = 0
    for _ in range(400):
        noise = rng.standard_normal((2, 80))
        passed += pair(noise[0], noise[1]).better
    assert passed <= 12  # of 4 that are expected; more than 12 come once in 3000 times


FREE = """<mujoco><worldbody><body name="body"><freejoint/><inertial pos="0 0 0" mass="0.5" diaginertia=".002 .003 .004"/>
  </body></worldbody></mujoco>"""


def test_drag_of_a_tumbling_body_is_learned_in_its_own_frame(tmp_path: Path) -> None:
    """A plate that the twin does not know drags along z of the body alone."""
    columns: dict[str, Any] = {
        "position": {"columns": ["px", "py", "pz"], "signal": "truth.position"},
        "attitude": {"columns": ["qw", "qx", "qy", "qz"], "signal": "truth.orientation"},
        "velocity": {"columns": ["vx", "vy", "vz"], "signal": "truth.velocity_world"},
        "rate": {"columns": ["wx", "wy", "wz"], "signal": "truth.angular_velocity"},
    }
    world = {"step": 0.005, "integrator": "rk4", "gravity": 3.0}
    drag = 0.4  # [N s/m]
    hidden = {"kind": "correction", "link": "body", "scale": 1.0, "force_limit": 1e6, "force_z_per_velocity_z": -drag}
    truth = Twin.from_urdf(FREE, world=world, record={"rate": 100}, parts={"plate": hidden})
    rng, files = np.random.default_rng(2), []
    for i in range(4):
        truth.set_all({f"start.velocity.{axis}": float(rng.uniform(-2.0, 2.0)) for axis in "xyz"})
        truth.set_all({f"start.angular_velocity.{axis}": float(rng.uniform(-2.0, 2.0)) for axis in "xyz"})
        log = truth.simulate().run(1.5)
        quaternion = np.array([log[f"truth.orientation.{axis}"].values for axis in "wxyz"])
        body = np.array([log[f"truth.velocity.{axis}"].values for axis in "xyz"])
        w, u = quaternion[0], quaternion[1:]
        turned = body + 2.0 * np.cross(u, np.cross(u, body, axis=0) + w * body, axis=0)
        rows = {"t": log["truth.position.x"].time}
        rows |= {f"p{axis}": log[f"truth.position.{axis}"].values for axis in "xyz"}
        rows |= {f"q{axis}": quaternion[k] for k, axis in enumerate("wxyz")}
        rows |= {f"v{axis}": turned[k] for k, axis in enumerate("xyz")}
        rows |= {f"w{axis}": log[f"truth.angular_velocity.{axis}"].values for axis in "xyz"}
        files.append(write_csv(tmp_path / f"{i}.csv", rows))
    rest = {"kind": "correction", "link": "body"}
    twin = Twin.from_urdf(FREE, world=world, record={"rate": 100}, recordings={"columns": columns}, parts={"rest": rest})
    recordings = read_recordings(twin, files)
    assert len(cut_cells(twin, recordings, 0.2, None)) == 4
    found = learn_residual(twin, recordings, window=0.2)
    assert found.kept
    assert found.values["parts.rest.force_z_per_velocity_z"] == pytest.approx(-drag, rel=0.02)
    forces = {path: abs(value) for path, value in found.values.items() if "force_" in path and "_per_" in path}
    del forces["parts.rest.force_z_per_velocity_z"]
    assert max(forces.values()) < 0.05 * drag
    seen = [item for item in found.evaluations if not item.held_out and item.channel.column.name == "velocity"]
    assert all(item.rmse_after < 0.1 * item.rmse_before for item in seen)
    assert found.judgement.ratio < 0.25  # of flights some of which are faster than those before
