"""Recordings that cannot be trusted are refused, each with one clear sentence."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from didymos.describe.twin import Twin
from didymos.errors import InputError
from didymos.fitting import Column, Recording, columns_of, fit, read_recording

Columns = dict[str, np.ndarray]


def columns(twin: Twin) -> dict[str, Column]:
    return columns_of(twin)


def read(twin: Twin, file: Path | str) -> Recording:
    return read_recording(twin, file, columns(twin))


def test_a_recording_keeps_its_own_stamps_and_is_matched_by_name(bench: Twin, record: Callable[..., Path]) -> None:
    found = read(bench, record())
    assert found.scenario == "sine"
    assert [channel.column.weight for channel in found.channels] == [10.0, 1.0]
    assert np.ptp(np.diff(found.channels[0].time)) > 0.001  # the jitter is still there


def test_the_scenario_may_be_said(bench: Twin, record: Callable[..., Path]) -> None:
    assert read(bench, f"{record()}=step").scenario == "step"


def lose_samples(columns: Columns) -> None:
    for name, values in columns.items():
        columns[name] = np.delete(values, slice(50, 90))


def not_a_number(columns: Columns) -> None:
    columns["vel"][40] = np.nan


def rename_column(columns: Columns) -> None:
    columns["poz"] = columns.pop("pos")


def many_columns(columns: Columns) -> None:
    columns["poz"] = columns.pop("pos")
    columns |= {f"spare_{i}": columns["vel"] for i in range(50)}


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (rename_column, r"sine\.csv: there is no column 'pos', did you mean 'poz'\?"),
        (many_columns, r"no column 'pos', did you mean 'poz'\? \(it has: poz, ([a-z_0-9]+, ){6}[a-z_0-9]+ and 44 more\)$"),
    ],
)
def test_damaged_recordings_are_refused(
    bench: Twin, record: Callable[..., Path], damage: Callable[[Columns], None], sentence: str
) -> None:
    with pytest.raises(InputError) as caught:
        read(bench, record(change=damage))
    assert re.search(sentence, str(caught.value))


@pytest.mark.parametrize(
    ("factor", "name"),
    [
        (2 * np.pi, "2 pi"), (1 / (2 * np.pi), "one over 2 pi"), (180 / np.pi, "180/pi"),
        (10.0, "the ratio 10 of drive"), (10.0 / (2 * np.pi), "over 2 pi"),
    ],
)  # fmt: skip
def test_wrong_units_are_noticed_by_their_factor(
    bench: Twin, record: Callable[..., Path], factor: float, name: str
) -> None:
    def scale(columns: Columns) -> None:
        columns["pos"] *= factor

    with pytest.raises(InputError, match="wrong units") as caught:
        fit(bench, [read(bench, record(change=scale))], bench.file.fit.parameters)
    assert name in str(caught.value)
    assert f"a scale of {1 / factor:.6g}" in str(caught.value)


def test_a_factor_that_parameters_explain_is_no_unit(bench: Twin, tmp_path: Path) -> None:
    """20 samples of a step: the velocity hangs on one of them, and is 0.6 times what the twin does, as revolutions would be."""
    real = bench.copy()
    truth = {"parts.drive.coulomb": 0.07, "parts.drive.rotor_inertia": 2e-4, "parts.drive.kd": 0.1}
    real.set_all(truth)
    log = real.simulate(scenario="step").run()
    time = 0.05 * np.arange(20)
    table = {"time": time} | {
        name: np.interp(time, log[column.signal].time, log[column.signal].values) for name, column in columns(bench).items()
    }
    file = tmp_path / "step.csv"
    np.savetxt(file, np.column_stack(list(table.values())), delimiter=",", header=",".join(table), comments="")
    found = fit(bench, [read(bench, file)], bench.file.fit.parameters)
    assert {item.path: item.after for item in found.parameters} == pytest.approx(truth, rel=0.02)


def test_a_column_with_a_scale_is_read_in_the_units_of_the_twin(bench: Twin, record: Callable[..., Path]) -> None:
    def to_revolutions(columns: Columns) -> None:
        columns["pos"] *= 10.0 / (2 * np.pi)

    given = columns(bench) | {"pos": Column("pos", "parts.drive.output_position", 2 * np.pi / 10.0, 10.0)}
    plain = read(bench, record())
    scaled = read_recording(bench, record(change=to_revolutions), given)
    assert scaled.channels[0].values == pytest.approx(plain.channels[0].values, rel=1e-9)


def test_a_file_that_is_called_like_no_scenario_asks_for_one(bench: Twin, record: Callable[..., Path], tmp_path: Path) -> None:
    other = record().rename(tmp_path / "monday.csv")
    with pytest.raises(InputError, match=r"which scenario was commanded\? Write monday.csv=SCENARIO with one of sine, step"):
        read(bench, other)
    with pytest.raises(InputError, match="has no scenario 'stepp', did you mean 'step'"):
        read(bench, f"{other}=stepp")


@pytest.mark.parametrize(
    ("damage", "sentence", "masked"),
    [
        (lose_samples, r"sine\.csv: pos: a gap of 0\.20\d s at t = 0\.24", (0.25, 0.45)),
        (not_a_number, r"sine\.csv: vel: 1 samples are no numbers and are left out, the first at t = 0\.2", (0.195, 0.207)),
    ],
)
def test_what_cannot_be_trusted_is_told_and_masked(
    bench: Twin, record: Callable[..., Path], damage: Callable[[Columns], None], sentence: str, masked: tuple[float, float]
) -> None:
    found = read(bench, record(change=damage))
    assert any(re.match(sentence, text) for text in found.findings), found.findings
    assert found.masked[0] == pytest.approx(masked, abs=0.011)  # the stamps jitter by 2 ms, a neighbour each side
