"""Windows whose starts are estimated: a tumbling arm gives its mass away, where noisy starts bias it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from didymos.cli.main import main
from didymos.describe.twin import Twin
from didymos.errors import InputError
from didymos.fitting import Channel, Column, Recording, fit, read_recording
from didymos.fitting.start_estimates import StartEstimates, StartSpread
from didymos.fitting.start_states import StartStates

ARM = """<robot name="arm"><link name="base"/>
  <link name="upper"><inertial><origin xyz="0 0 -0.25"/><mass value="1.2"/>
    <inertia ixx="0.025" iyy="0.025" izz="0.002" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="lower"><inertial><origin xyz="0 0 -0.2"/><mass value="0.95"/>
    <inertia ixx="0.012" iyy="0.012" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/></joint>
  <joint name="elbow" type="continuous"><parent link="upper"/><child link="lower"/><origin xyz="0 0 -0.5"/>
    <axis xyz="0 1 0"/></joint></robot>"""
JOINTS = ("shoulder", "elbow")
MASS, GUESS, PATH = 0.95, 0.7, "links.lower.mass"
NOISE = 0.003  # [rad] of the encoders
WINDOW = 0.4  # [s]


@pytest.fixture(scope="module")
def arm(make_twin: Callable[..., Twin]) -> Twin:
    """An arm that falls from nearly upright and tumbles: errors grow tenfold in about a second."""
    return make_twin(
        ARM,
        world={"step": 0.002, "integrator": "rk4"},
        start={"joints": {"shoulder": 2.5, "elbow": 1.0}},
        scenarios={"tumble": {"seconds": 5.0}},
        recordings={"columns": {name: {"signal": f"joints.{name}.position"} for name in JOINTS}},
        fit={"parameters": {PATH: [0.3, 2.0]}},
    )


@pytest.fixture(scope="module")
def tumble(arm: Twin, tmp_path_factory: pytest.TempPathFactory) -> Recording:
    """Angles with noise, without velocities."""
    log, rng = arm.simulate(scenario="tumble").run(), np.random.default_rng(1)
    time = log["joints.elbow.position"].time
    angles = [log[f"joints.{name}.position"].values + NOISE * rng.standard_normal(len(time)) for name in JOINTS]
    file = tmp_path_factory.mktemp("tumble") / "tumble.csv"
    np.savetxt(file, np.column_stack([time, *angles]), delimiter=",", header="time,shoulder,elbow", comments="")
    return read_recording(arm, file)


def guessed(arm: Twin) -> Twin:
    found = arm.copy()
    found.set(PATH, GUESS)
    return found


def test_estimated_starts_find_the_mass_that_noisy_ones_miss(arm: Twin, tumble: Recording) -> None:
    measured, estimated = (
        fit(guessed(arm), [tumble], arm.file.fit.parameters, window=WINDOW, start=start) for start in ("measured", "estimated")
    )
    (biased,), (found,) = measured.parameters, estimated.parameters
    assert found.interval is not None
    assert found.interval[0] <= MASS <= found.interval[1]
    assert np.ptp(found.interval) < 0.01
    assert abs(biased.after - MASS) > 3.0 * abs(found.after - MASS)
    for item in estimated.evaluations:  # what is left is the noise, less what the starts took: 4 of 80 samples
        assert item.rmse_after == pytest.approx(NOISE, rel=0.15)
    assert all(item.rmse_after > 3.0 * NOISE for item in measured.evaluations)
    assert estimated.loss_after < estimated.loss_before


def test_starts_of_held_out_windows_are_estimated_as_well(arm: Twin, tumble: Recording) -> None:
    found = fit(
        guessed(arm), [tumble], {PATH: (0.3, 2.0)}, hold_out=[tumble], window=WINDOW, start="estimated", between=(0.0, 2.1)
    )
    seen, held = (
        [item.rmse_after for item in found.evaluations if item.held_out is held_out] for held_out in (False, True)
    )
    assert held == pytest.approx(seen, rel=0.02)  # the same windows with the same values


def test_estimated_starts_on_the_command_line(arm: Twin, tumble: Recording, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["fit", str(arm.folder), str(tumble.file), "--json", "--between", "0:1.3", "--set", f"{PATH}=0.9"]
    assert main([*command, "--window", "0.4", "--start", "estimated"]) == 0
    assert json.loads(capsys.readouterr().out)["parameters"][PATH]["after"] == pytest.approx(MASS, rel=0.05)
    for options, sentence in (
        (["--start", "estimated"], "say how long they are with --window"),
        (["--window", "0.4", "--start", "guessed"], "expected measured or estimated"),
        (["--window", "0.4", "--start", "estimated", "--method", "pattern"], "pattern does not know them"),
    ):
        assert main([*command, *options]) == 2
        assert sentence in capsys.readouterr().err


class _Lines:
    """Windows of a straight line y = z0 + z1 t + x t^2 with unit noise: linear, so that all has a closed form."""

    def __init__(self, windows: int, samples: int, sd: float) -> None:
        rng = np.random.default_rng(3)
        time = np.linspace(0.1, 1.0, samples)
        self.start, self.slope = np.column_stack([np.ones(samples), time]), time**2
        self.data = rng.standard_normal((windows, samples)) + 2.0 * self.slope
        self.sd, self.rows = sd, [slice(i * samples, (i + 1) * samples) for i in range(windows)]

    def evaluate(self, point: np.ndarray, starts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        lines = self.sd * starts @ self.start.T + point[0] * self.slope
        errors = (lines - self.data).reshape(len(starts), -1).T
        return errors, np.zeros(errors.shape, dtype=bool)


def test_starts_are_eliminated_as_least_squares_over_everything_would(make_twin: Callable[..., Twin]) -> None:
    hinge = make_twin(
        "<mujoco><worldbody><body name='b'><joint name='j' axis='0 1 0'/><geom size='.1' mass='1'/></body></worldbody></mujoco>"
    )
    model, lines = hinge.simulate().model, _Lines(windows=4, samples=30, sd=0.5)
    spread = StartSpread(np.full(2, lines.sd), np.full(2, lines.sd))
    starts = StartEstimates(model, [(np.zeros(1), np.zeros(1))] * 4, [spread] * 4, lines.rows, 1, 1.0)
    point = np.array([0.7])
    alone = np.tile(lines.slope, 4)[:, None]
    projected, of_prior = starts.eliminate(point, alone, lines.evaluate)
    blocks = np.kron(np.eye(4), lines.sd * lines.start)
    whole = np.block([[alone, blocks], [np.zeros((8, 1)), np.eye(8)]])  # parameter and starts, then the priors
    goal = np.concatenate([lines.data.ravel(), np.zeros(8)])
    best = np.linalg.lstsq(whole, goal, rcond=None)[0]
    stacked = np.vstack([projected, of_prior])
    assert stacked.T @ stacked == pytest.approx(1.0 / np.linalg.inv(whole.T @ whole)[0, 0], rel=1e-6)
    assert starts.at(best[:1]) == pytest.approx(best[1:].reshape(4, 2), abs=1e-6)
    starts.settle(best[:1], lines.evaluate)
    assert starts.at(best[:1]) == pytest.approx(best[1:].reshape(4, 2), abs=1e-6)
    here = np.concatenate([lines.evaluate(point, starts.at(point)[None])[0][:, 0], starts.prior(starts.at(point))])
    assert point[0] - (stacked.T @ here / (stacked.T @ stacked)[0, 0])[0] == pytest.approx(best[0], rel=1e-4)


def test_a_velocity_that_was_not_recorded_is_the_slope_there_also_at_the_ends(arm: Twin) -> None:
    time = np.arange(30) * 0.05
    angles = {"shoulder": time**2, "elbow": -3.0 * time**2}
    channels = tuple(Channel(Column(name, f"joints.{name}.position"), time, values) for name, values in angles.items())
    states = StartStates(arm, arm.simulate(scenario="tumble").model, 0, Recording(Path("a.csv"), "tumble", channels))
    for at in (0.0, 0.5, 0.725, float(time[-1])):
        assert states.at(at)[1] == pytest.approx([2.0 * at, -6.0 * at], abs=1e-9)


def test_windows_cannot_be_estimated_of_whole_recordings(arm: Twin, tumble: Recording) -> None:
    with pytest.raises(InputError, match="starts are estimated of windows"):
        fit(arm, [tumble], {PATH: (0.3, 2.0)}, start="estimated")


def test_a_window_begins_in_the_middle_of_the_scenarios_own_stimuli(make_twin: Callable[..., Twin], tmp_path: Path) -> None:
    wheel = """<mujoco><worldbody><body name="wheel"><joint name="axle" axis="0 0 1"/>
      <inertial pos="0 0 0" mass="1" diaginertia="0.02 0.02 0.03"/></body></worldbody>
      <actuator><motor name="motor" joint="axle"/></actuator></mujoco>"""
    sine = {"target": "inputs.motor", "kind": "sine", "amplitude": 1.0, "frequency": 0.5}
    twin = make_twin(wheel, scenarios={"turn": {"seconds": 4.0, "stimuli": [sine]}}, world={"step": 0.002, "integrator": "rk4"})
    log = twin.simulate(scenario="turn").run()
    signals = [log[f"joints.axle.{quantity}"] for quantity in ("position", "velocity")]
    rows = np.column_stack([signals[0].time, *(signal.values for signal in signals)])
    np.savetxt(tmp_path / "turn.csv", rows, delimiter=",", header="time,angle,rate", comments="")
    columns = {"angle": Column("angle", "joints.axle.position"), "rate": Column("rate", "joints.axle.velocity")}
    recording = read_recording(twin, tmp_path / "turn.csv", columns)
    twin.set("links.wheel.inertia.zz", 0.02)
    found = fit(twin, [recording], {"links.wheel.inertia.zz": (0.01, 0.04)}, window=0.5, between=(0.6, 4.0))
    assert found.values()["links.wheel.inertia.zz"] == pytest.approx(0.03, rel=1e-3)
