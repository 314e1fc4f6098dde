"""Windows of a recording begin at the measured state, are fed with what the robot got, and are judged sample by sample."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from carts import CART, COLUMNS, PERIOD, cart_twin, motion, write_csv
from ruamel.yaml import YAML

import didymos
from didymos import Twin
from didymos.cli.main import main
from didymos.describe.schema import FreeSpec
from didymos.errors import InputError
from didymos.fitting import fit, read_recording, read_recordings, validate
from didymos.fitting.segments import apart, cut
from didymos.rotations import axis_angle_to_matrix, matrix_to_quaternion

MASS = {"links.cart.mass": (0.5, 5.0)}


def test_a_run_that_is_fed_by_a_recording_does_what_the_equation_says(tmp_path: Path) -> None:
    twin = cart_twin()
    recording = read_recording(twin, write_csv(tmp_path / "a.csv", motion(2.0)))
    found = validate(twin, [recording], window=0.5)
    assert max(row.after for row in found.rows) < 1e-9  # RK4 is exact where the acceleration is held


def test_the_error_of_a_wrong_mass_grows_as_the_equation_says(tmp_path: Path) -> None:
    twin = cart_twin()
    columns = motion(1.0)
    found = validate(twin, [read_recording(twin, write_csv(tmp_path / "a.csv", columns))], window=0.1)
    starts = np.arange(0, len(columns["t"]) - 10, 10)
    impulse = np.array([[columns["force"][i : i + k].sum() * PERIOD for k in range(1, 11)] for i in starts])
    expected = np.abs(impulse * (1.0 / 1.0 - 1.0 / 2.0)).mean(axis=0)  # of velocity
    assert found.windows["joints.rail.velocity"].windows == len(starts)
    assert found.windows["joints.rail.velocity"].errors == pytest.approx(expected, rel=1e-6, abs=1e-9)


def test_windows_find_the_mass_and_the_starts_do_not_matter(tmp_path: Path) -> None:
    twin = cart_twin()
    recordings = read_recordings(twin, [
        write_csv(tmp_path / "a.csv", motion(3.0, seed=1)), write_csv(tmp_path / "b.csv", motion(3.0, seed=2, start=(5.0, 1.0))),
    ])  # fmt: skip
    found = fit(twin, recordings, MASS, window=0.3)
    assert found.converged
    assert found.values()["links.cart.mass"] == pytest.approx(3.0, rel=1e-5)


def test_a_first_guess_comes_from_windows_of_a_few_samples(tmp_path: Path) -> None:
    twin = cart_twin()
    recording = read_recording(twin, write_csv(tmp_path / "a.csv", motion(3.0)))
    found = fit(twin, [recording], MASS, window=0.5, first_guess=True)
    assert found.values()["links.cart.mass"] == pytest.approx(3.0, rel=1e-5)


def test_velocities_that_were_not_recorded_are_slopes(tmp_path: Path) -> None:
    twin = cart_twin(recordings={"columns": {"x": {"signal": "joints.rail.position"}, "force": {"input": "push"}}})
    columns = motion(2.0)
    columns.pop("v")
    columns["force"][:] = 1.0
    columns["x"] = 0.25 * columns["t"] ** 2  # the slope of a parabola through five samples is exact
    found = validate(twin, [read_recording(twin, write_csv(tmp_path / "a.csv", columns))], window=0.2)
    inner = found.windows["joints.rail.position"].errors
    assert inner.max() < 2e-4  # of 0.2 s v from the first window, whose slope has three samples and is late by a sample: 1 cm/s


def test_no_window_begins_where_the_twin_file_says_that_none_should(tmp_path: Path) -> None:
    where = [{"column": "x", "above": 0.5}, {"column": "inputs.push", "below": 1.0}]
    base = cart_twin().file.recordings.model_dump(exclude_unset=True)
    twin = cart_twin(recordings={**base, "windows_where": where})
    columns = motion(2.0, start=(0.3, 0.4))
    recording = read_recording(twin, write_csv(tmp_path / "a.csv", columns))
    starts = [segment.at for segment in cut(twin, [recording], 0.1, 1)]
    allowed = (columns["x"] > 0.5) & (columns["force"] < 1.0)
    assert starts == pytest.approx(columns["t"][:-10][allowed[:-10]])
    twin = cart_twin(recordings={**base, "windows_where": [{"column": "x", "above": 1e3}]})
    with pytest.raises(InputError, match=r"a\.csv: has no window of 0\.1 s that may be used"):
        fit(twin, [recording], MASS, window=0.1)


def test_no_window_touches_what_is_masked(tmp_path: Path) -> None:
    twin, columns = cart_twin(), motion(2.0)
    columns["x"][120] += 3.0
    recording = read_recording(twin, write_csv(tmp_path / "a.csv", columns))
    assert any("leave the course and come back" in text for text in recording.findings)
    for segment in cut(twin, [recording], 0.1, 1):
        assert not segment.at - 1e-9 <= columns["t"][120] <= segment.at + 0.1 + 1e-9
    assert max(row.after for row in validate(twin, [recording], window=0.1).rows) < 1e-9


def test_a_clock_offset_a_delay_of_inputs_and_a_bias_are_found_beside_the_mass(tmp_path: Path) -> None:
    twin = cart_twin()
    columns = motion(2.0, seed=3)
    columns["x"] = columns["x"] + 0.05
    late = 3 * PERIOD  # forces are written down so long before they act
    columns["force"] = np.concatenate([columns["force"][3:], np.repeat(columns["force"][-1], 3)])
    recording = read_recording(twin, write_csv(tmp_path / "a.csv", columns))
    free = {**MASS, "recording.input_delay": (0.0, 0.1), "recording.bias.x": (-0.2, 0.2)}
    found = fit(twin, [recording], free, window=0.5, first_guess=False)
    values = {item.path: item.after for item in found.parameters}
    assert values["links.cart.mass"] == pytest.approx(2.0, rel=1e-3)
    assert values["recording.input_delay"] == pytest.approx(late, abs=1e-4)
    assert values["recording.bias.x"] == pytest.approx(0.0, abs=1e-3)  # the measured start carries it: nothing is left to find
    assert found.values().keys() == {"links.cart.mass"}  # the rest are no numbers of the twin


def test_each_recording_has_numbers_of_its_own_which_held_out_ones_have_too(tmp_path: Path) -> None:
    twin = cart_twin()
    forces = {"a": 0.03, "b": -0.02, "c": 0.05}  # a bias of the sensor of velocity that differs from day to day
    files = []
    for seed, (name, bias) in enumerate(forces.items()):
        columns = motion(3.0, seed=seed, start=(0.0, 0.0))
        columns["v"] = columns["v"] + bias
        files.append(write_csv(tmp_path / f"{name}.csv", columns))
    a, b, c = read_recordings(twin, files)
    free = {"links.cart.mass": FreeSpec(bounds=(0.5, 5.0)), "recording.bias.v": FreeSpec(bounds=(-0.1, 0.1), per_recording=True)}
    found = fit(twin, [a, b], free, hold_out=[c])
    own = {Path(item.recording).stem: item.after for item in found.parameters if item.recording is not None}
    assert own == pytest.approx(forces, abs=1e-5)
    assert found.values() == pytest.approx({"links.cart.mass": 3.0}, rel=1e-4)
    assert len(found.correlation) == 3  # the mass and two biases; that of the held-out one was not fitted with them


def test_what_a_recording_has_for_itself_is_fitted_to_windows_that_share_no_sample(tmp_path: Path) -> None:
    """Two carts of other masses than the twin's: 25 windows of 50 samples begin in 3 s each; 5 do not overlap, and tell all."""
    masses = {"a": 2.5, "b": 1.6}
    files = [write_csv(tmp_path / f"{name}.csv", motion(mass, seed=seed)) for seed, (name, mass) in enumerate(masses.items())]
    twin = cart_twin(fit={"parameters": {"links.cart.mass": {"bounds": [0.5, 5.0], "per_recording": True}}})
    recordings = read_recordings(twin, files)
    segments = cut(twin, recordings, 0.5, 10)
    assert len(segments) == 50
    few = apart(segments)
    for index in range(2):
        taken = [range(300)[x.samples[0]] for x in few if x.recording == index]
        assert len(taken) == 5
        assert len({sample for part in taken for sample in part}) == sum(map(len, taken))
    found = validate(twin, recordings, window=0.5)
    own = {Path(name).stem: values["links.cart.mass"] for name, values in found.own.items()}
    assert own == pytest.approx(masses, rel=1e-6)
    velocity = "joints.rail.velocity"
    assert found.windows[velocity].windows == len(segments)
    assert found.windows[velocity].errors.max() < 1e-6 < 1e-2 < found.windows_as_filed[velocity].errors.max()


def test_a_number_with_many_valleys_is_found_on_a_grid(tmp_path: Path) -> None:
    twin = cart_twin()
    columns = motion(2.0)
    t = columns["t"]
    columns["force"] = 5.0 * np.sin(2.0 * np.pi * 4.0 * t) * np.exp(-(((t - 1.5) / 0.4) ** 2))  # a valley each 0.25 s
    columns["x"], columns["v"] = (np.interp(t - 0.31, t, row) for row in _driven(columns["force"]))
    recording = read_recording(twin, write_csv(tmp_path / "a.csv", columns))
    free = {"recording.clock_offset": FreeSpec(bounds=(-0.8, 0.8), per_recording=True, grid=40)}
    found = fit(twin, [recording], free)
    (offset,) = found.parameters
    assert offset.after == pytest.approx(0.31, abs=1e-3)


def _driven(force: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """x and v of a cart of 2 kg under held forces, from rest."""
    v = np.concatenate([[0.0], np.cumsum(force[:-1]) * PERIOD / 2.0])
    x = np.concatenate([[0.0], np.cumsum(v[:-1] * PERIOD + 0.25 * force[:-1] * PERIOD**2)])
    return x, v


def test_what_a_recording_has_for_itself_is_fitted_to_both_twins_that_stand_side_by_side(tmp_path: Path) -> None:
    free = {"parameters": {"recording.bias.v": {"bounds": [-0.1, 0.1], "per_recording": True}}}
    columns = motion(2.0)
    columns["v"] += 0.05
    twin = cart_twin(fit=free)
    found = validate(twin, [read_recording(twin, write_csv(tmp_path / "a.csv", columns))], before=cart_twin(fit=free))
    assert all(row.before == row.after for row in found.rows)
    assert found.own[str(tmp_path / "a.csv")]["recording.bias.v"] != 0.0


def test_validate_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "cart"
    folder.mkdir()
    (folder / "cart.xml").write_text(CART)
    content = {
        "description": {"file": "cart.xml"}, "world": {"gravity": 0, "step": PERIOD, "integrator": "rk4"},
        "recordings": {"columns": COLUMNS},
    }  # fmt: skip
    with (folder / "twin.yaml").open("w") as out:
        YAML().dump(content, out)
    files = [str(write_csv(tmp_path / f"{name}.csv", motion(2.0, seed=seed))) for seed, name in enumerate("ab")]
    assert main(["validate", str(folder), *files, "--window", "0.5", "--set", "links.cart.mass=4", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert set(facts["windows"]["joints.rail.velocity"]) == {"h10", "h50", "sum"}
    assert set(facts["files"]) == set(files)
    first = facts["files"][files[0]]
    assert first["windows"].keys() == facts["windows"].keys()
    assert first["signals"]["joints.rail.position"]["rmse_before"] < 1e-9 < first["signals"]["joints.rail.position"]["rmse"]
    pooled = np.mean([facts["files"][name]["windows"]["joints.rail.velocity"]["sum"] for name in files])
    assert facts["windows"]["joints.rail.velocity"]["sum"] == pytest.approx(pooled)
    assert main(["validate", str(folder), *files]) == 0
    assert "joints.rail.position" in capsys.readouterr().out


def test_the_same_file_twice_is_refused(tmp_path: Path) -> None:
    twin = cart_twin()
    files = [write_csv(tmp_path / f"{name}.csv", motion(2.0)) for name in "ab"]
    with pytest.raises(InputError, match=r"b\.csv: holds the same as a\.csv: leave one of them out"):
        read_recordings(twin, files)


def test_files_of_one_clock_are_one_recording(tmp_path: Path) -> None:
    twin, columns = cart_twin(), motion(2.0)
    epoch = 1.7e9
    seen = {"t": epoch + columns["t"], "x": columns["x"], "v": columns["v"]}
    late = slice(30, None)  # the robot's own log begins later
    told = {"t": epoch + columns["t"][late], "force": columns["force"][late]}
    write_csv(tmp_path / "camera.csv", seen)
    write_csv(tmp_path / "robot.csv", told)
    recording = read_recording(twin, f"{tmp_path / 'camera.csv'}+{tmp_path / 'robot.csv'}")
    assert recording.fed["inputs.push"][0, 0] == pytest.approx(0.3, abs=1e-6)  # doubles of 1970 have 0.2 us
    found = validate(twin, [recording], window=0.5, between=(0.3, 2.9))
    assert max(row.after for row in found.rows) < 1e-4


def test_between_two_times_alone_is_compared(tmp_path: Path) -> None:
    twin, columns = cart_twin(), motion(2.0, start=(0.0, 0.0))
    columns["x"][200:] += 1.0
    recording = read_recording(twin, write_csv(tmp_path / "a.csv", columns))
    assert max(row.after for row in validate(twin, [recording], between=(0.5, 1.9)).rows) < 1e-9
    assert max(row.after for row in validate(twin, [recording]).rows) > 0.1
    with pytest.raises(InputError, match=r"has no sample between 7 and 2\.99 s"):
        validate(twin, [recording], between=(7.0, 8.0))


PUCK = """<mujoco><worldbody><body name="puck"><freejoint/><geom type="box" size=".1 .1 .02" mass="1"/></body></worldbody>
  </mujoco>"""


def test_markers_that_sit_askew_are_found(tmp_path: Path) -> None:
    """A body that a force along its own x axis drives: the path says where x points, the markers say something else."""
    content = {
        "world": {"gravity": 9.81, "step": 0.01, "integrator": "rk4"},
        "parts": {"lift": {"kind": "rotor", "link": "puck", "direction": 1, "thrust_coefficient": 1.0, "speed_per_input": 3.0}},
        "recordings": {"columns": {
            "p": {"columns": ["x", "y", "z"], "signal": "truth.position"},
            "v": {"columns": ["vx", "vy", "vz"], "signal": "truth.velocity_world"},
            "q": {"columns": ["qw", "qx", "qy", "qz"], "signal": "truth.orientation"},
            "lift": {"input": "lift"},
        }},
    }  # fmt: skip
    twin = Twin.from_urdf(PUCK, **content)
    tilt, askew = np.array([0.10, -0.05, 0.3]), np.array([0.0, 0.03, 0.02])
    t = 0.01 * np.arange(200)
    thrust = 9.0
    a = thrust * _turned(tilt) @ [1.0, 0.0, 0.0] - [0.0, 0.0, 9.81]
    q = matrix_to_quaternion(_turned(tilt) @ _turned(askew).T)
    columns = {"t": t, "lift": np.full(200, 1.0)}
    columns |= {name: 0.5 * a[i] * t**2 for i, name in enumerate("xyz")}
    columns |= {f"v{name}": a[i] * t for i, name in enumerate("xyz")}
    columns |= {f"q{name}": np.full(200, q[i]) for i, name in enumerate("wxyz")}
    recording = read_recording(twin, write_csv(tmp_path / "a.csv", columns))
    names = [f"recording.alignment.q.{axis}" for axis in "yz"]
    free = {name: FreeSpec(bounds=(-0.2, 0.2), per_recording=True) for name in names}
    found = fit(twin, [recording], free, window=0.3)
    assert [item.after for item in found.parameters] == pytest.approx(askew[1:], abs=1e-5)
    errors = {item.channel.column.name: (item.rmse_before, item.rmse_after) for item in found.evaluations}
    for name in "pv":  # what is left is the air, which is 0.2 % denser 17 m further down
        assert errors[name][1] < 0.05 * errors[name][0]


def _turned(vector: np.ndarray) -> np.ndarray:
    return axis_angle_to_matrix(vector / np.linalg.norm(vector), float(np.linalg.norm(vector)))


def test_a_column_in_degrees_and_a_parameter_without_bounds_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "pendulum.xml").write_text(
        """<mujoco><worldbody><body name="bob"><joint name="hinge" axis="0 1 0" damping=".1"/>
        <geom type="sphere" size=".05" pos="0.3 0 0" mass="1"/></body></worldbody></mujoco>"""
    )
    file = tmp_path / "twin.yaml"
    file.write_text("description: {file: pendulum.xml}\nworld: {integrator: rk4}\nscenarios: {fall: {seconds: 1}}\n")
    twin = didymos.load(tmp_path)
    twin.set("links.bob.mass", 0.7)
    angle = twin.simulate(scenario="fall").run(1.0)["joints.hinge.position"]
    log = write_csv(tmp_path / "log.csv", {"t": angle.time, "angle": np.degrees(angle.values)})
    asked = ["fit", str(tmp_path), f"{log}=fall", "--parameters", "links.bob.mass", "--column", "angle=joints.hinge.position:deg"]
    assert main([*asked, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["parameters"]["links.bob.mass"]
    assert found["bounds"] == [0.2, 5.0]  # a fifth and five times 1 kg
    assert found["after"] == pytest.approx(0.7, rel=1e-4)
    assert main(["fit", str(tmp_path), f"{log}=fall", "--parameters", "links.bob.mass"]) == 2
    assert "which columns of log.csv (angle) mean which signals" in capsys.readouterr().err
