"""The power unit beside its recording, and the verb `didymos fit` from one end to the other."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import didymos
from didymos.cli.main import main

COLUMNS = {"parts.drive.output_position": "out_pos_rad", "parts.drive.output_velocity": "out_vel_rad_s"}


def test_the_twin_as_shipped_does_what_the_recording_says(shared_data: Path) -> None:
    log = didymos.load("power_unit").simulate(scenario="sine").run()
    errors = didymos.compare(shared_data / "power_unit" / "sine.csv", log, rename=COLUMNS).signals
    position, velocity = errors["out_pos_rad"], errors["out_vel_rad_s"]
    assert position.samples == velocity.samples == 800
    assert position.rmse < 0.0013  # [rad]
    assert velocity.rmse < 0.038  # [rad/s]
    loss = 10.0 * float(position.error @ position.error) + float(velocity.error @ velocity.error)
    assert loss < 1.1


def test_the_torque_that_nobody_fitted_is_met_to_its_own_noise(shared_data: Path) -> None:
    """The recorded torque scatters by 0.0105 N m about the law of the controller at the recorded position and velocity."""
    log = didymos.load("power_unit").simulate(scenario="sine").run()
    torque = didymos.compare(shared_data / "power_unit" / "sine.csv", log, rename={"parts.drive.torque": "motor_torque_Nm"})
    assert torque.signals["motor_torque_Nm"].rmse < 0.0115


def test_where_the_gear_was_never_seen_only_its_waves_are_left() -> None:
    twin = didymos.load("power_unit")
    bare = didymos.load("power_unit")
    bare.file.parts["drive"] = bare.file.parts["drive"].model_copy(update={"ripple_table": None, "coulomb_table": None})
    said = []
    for item in (twin, bare):
        simulation = item.simulate(scenario="triangle")
        simulation.set("parts.drive.ripple_angle", 50.0)
        said.append(simulation.run(1.0)["parts.drive.position"].values)
    assert np.array_equal(*said)


def test_where_the_gear_stood_in_another_run_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    simulation = didymos.load("power_unit").simulate(scenario="triangle")
    simulation.set("parts.drive.ripple_angle", 0.21)
    log = simulation.run(4.0)
    position, velocity = log["parts.drive.output_position"], log["parts.drive.output_velocity"]
    columns = np.column_stack([position.time, position.values, velocity.values])
    file = tmp_path / "triangle.csv"
    np.savetxt(file, columns, delimiter=",", header="t_s,out_pos_rad,out_vel_rad_s", comments="")
    assert main(["validate", "power_unit", str(file), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["files"][str(file)]
    assert found["own"]["parts.drive.ripple_angle"] == pytest.approx(0.21, abs=1e-3)  # a thirtieth of the shortest wave's length
    assert found["signals"]["parts.drive.output_velocity"]["rmse"] < 0.006  # [rad/s], the encoder's noise


def test_without_ripple_it_is_still_as_good_as_asked(shared_data: Path) -> None:
    log = didymos.load("power_unit").simulate(scenario="sine_without_ripple").run()
    errors = didymos.compare(shared_data / "power_unit" / "sine.csv", log, rename=COLUMNS).signals
    assert errors["out_pos_rad"].rmse < 0.0040
    assert errors["out_vel_rad_s"].rmse < 0.095


def test_the_fit_finds_its_way_back_from_rough_values(
    shared_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sine = shared_data / "power_unit" / "sine.csv"
    rough = ["parts.drive.rotor_inertia=2e-4", "parts.drive.coulomb=0.05", "parts.drive.stribeck=0.01"]
    free = ",".join(f"parts.drive.{name}" for name in ("rotor_inertia", "coulomb", "stribeck", "stribeck_speed"))
    sets = [word for value in rough for word in ("--set", value)]
    fitted, report = tmp_path / "fitted.yaml", tmp_path / "fit.html"
    words = ["--parameters", free, *sets, "-o", str(fitted), "--report", str(report), "--json"]
    assert main(["fit", "power_unit", str(sine), *words]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["loss_before"] > 5.0
    assert found["loss_after"] < 1.1
    assert len(found["parameters"]) == 4
    assert set(found["parameters"]["parts.drive.coulomb"]) == {"before", "after", "interval", "bounds"}
    assert found["recordings"][str(sine)]["parts.drive.output_position"]["rmse_after"] < 0.0040
    page = report.read_text()
    assert page.count("<svg") >= 3
    assert "<script" not in page
    assert "<link" not in page
    assert "src=" not in page
    log_file = tmp_path / "again.mcap"
    assert main(["run", "power_unit", "--scenario", "sine", "--with", str(fitted), "--record", str(log_file), "--quiet"]) == 0
    errors = didymos.compare(sine, log_file, rename=COLUMNS).signals
    assert errors["out_pos_rad"].rmse == pytest.approx(
        found["recordings"][str(sine)]["parts.drive.output_position"]["rmse_after"], rel=1e-9
    )


def test_limits_of_the_data_sheet_hold_at_the_output() -> None:
    drive = didymos.load("power_unit").file.parts["drive"]
    assert drive.peak_torque * drive.ratio == pytest.approx(34.895)  # type: ignore[attr-defined]
    assert drive.continuous_torque * drive.ratio == pytest.approx(23.928)  # type: ignore[attr-defined]
    assert drive.top_speed * 2 * np.pi / drive.ratio == pytest.approx(18.906, rel=1e-4)  # type: ignore[attr-defined]


def test_compare_takes_the_columns_that_the_twin_knows(
    shared_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "sine.mcap"
    didymos.load("power_unit").simulate(scenario="sine").run().save(log)
    sine = shared_data / "power_unit" / "sine.csv"
    assert main(["compare", str(sine), str(log), "--twin", "power_unit", "--json"]) == 0
    assert {"out_pos_rad", "out_vel_rad_s", "motor_torque_Nm"} <= set(json.loads(capsys.readouterr().out)["signals"])


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--parameters", "parts.drive.coulomb=0.1:0.2"], "exclude the start"),
        (["--parameters", "parts.drive.coulomb=0.1"], "expected LOW:HIGH"),
        (["--parameters", "parts.drive.viscous"], "has no bounds in the twin, and its value gives none"),
        (["--column", "out_pos=parts.drive.output_position"], "there is no column 'out_pos', did you mean 'out_pos_rad'?"),
        (["--column", "motor_pos_rev=parts.drive.output_position"], "wrong units"),
        (["--column", "out_pos_rad=parts.drive.outputposition"], "no signal"),
        (["--method", "magic"], "expected one of least-squares, pattern, global"),
    ],
)
def test_what_cannot_be_fitted_is_said_in_one_sentence(
    shared_data: Path, capsys: pytest.CaptureFixture[str], words: list[str], sentence: str
) -> None:
    assert main(["fit", "power_unit", str(shared_data / "power_unit" / "sine.csv"), *words]) == 2
    text = capsys.readouterr().err
    assert sentence in text
    assert text.count("\n") == 1
