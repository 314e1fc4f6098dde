"""`examples/parachute`: a twin whose force law stands beside its file is shown, trusted, run, fitted and flown like any other."""

from __future__ import annotations

import ctypes
import json
import runpy
import shutil
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import didymos
from didymos.cli.main import main
from didymos.kinds import load_module
from didymos.parts.part import MOTION, WRENCH

EXAMPLE = Path(__file__).parents[1] / "examples" / "parachute"
MARK = "\nimport pathlib\npathlib.Path(__file__).with_name('ran').touch()\n"
MASS, HULL, AREA = 20.0, 0.05, 6.0  # [kg], [m^2], [m^2]
RELEASED = 3.0  # [s]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the example whose law leaves a mark where it is imported; nobody trusts it."""
    monkeypatch.setenv("DIDYMOS_CONFIG", str(tmp_path / "config"))
    copied = Path(shutil.copytree(EXAMPLE, tmp_path / "parachute"))
    with (copied / "parachute.py").open("a") as stream:
        stream.write(MARK)
    return copied


@pytest.fixture(scope="module")
def law() -> ModuleType:
    return load_module("parachute.py", EXAMPLE)


def test_the_law_is_short(law: ModuleType) -> None:
    assert len((EXAMPLE / "parachute.py").read_text(encoding="utf-8").splitlines()) <= 60


@pytest.mark.parametrize("opened", [0.0, 0.3, 1.0])
def test_the_pull_is_against_the_flow_and_grows_with_what_is_open(law: ModuleType, opened: float) -> None:
    kind = law.Parachute
    part = kind.spec(link="risers", kind="x", area=6.0, drag_coefficient=0.8, opening_time=2.0).record()
    here, wrench = np.zeros((), dtype=MOTION), np.zeros((), dtype=WRENCH)
    flow = np.array([3.0, -2.0, -6.0])  # 7 m/s
    here["air_velocity"], here["density"] = flow, 1.2
    inputs, memory = np.zeros((), dtype=kind.input_layout), np.zeros((), dtype=kind.memory_layout)
    state, rate = np.zeros((), dtype=kind.state_layout), np.zeros((), dtype=kind.state_layout)
    output = np.zeros((), dtype=kind.output_layout)
    inputs["released"], state["opened"] = 1.0, opened
    records = (part, here, inputs, memory, state, rate, wrench, output)
    ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 8)(kind.law.address)(*(record.ctypes.data for record in map(np.asarray, records)))
    pull = 0.5 * 1.2 * 0.8 * 6.0 * opened * 7.0**2
    assert wrench["force"] == pytest.approx(-pull * flow / 7.0, rel=1e-14)
    assert float(output["drag"]) == pytest.approx(pull, rel=1e-14)
    assert float(rate["opened"]) == pytest.approx((1.0 - opened) / 2.0, rel=1e-14)


def test_it_opens_exponentially_and_sinks_where_drag_carries_weight() -> None:
    twin = didymos.load(EXAMPLE, trust=True)
    simulation = twin.simulate(scenario="drop")
    log = simulation.run()
    opened = log["parts.canopy.opened"]
    expected = np.where(opened.time > RELEASED, 1.0 - np.exp(-(opened.time - RELEASED) / 1.0), 0.0)
    assert opened.values == pytest.approx(expected, abs=1e-11)  # RK4 with h = 0.002 T: h^4 / 120 = 1.3e-13 per time constant
    height, sink = log["truth.position.z"].values[-1], -log["truth.velocity.z"].values[-1]
    temperature = 288.15 - 0.0065 * height
    density = 1.225 * (temperature / 288.15) ** 4.2559  # ISA
    steady = np.sqrt(2 * MASS * 9.80665 / (density * (0.8 * AREA + HULL)))
    assert sink == pytest.approx(steady, rel=1e-3)  # it lags as the air gets denser, by 1e-3 in 10 s
    assert all(verdict.ok for verdict in simulation.judge(log))


def test_looking_runs_nothing_and_running_asks_first(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["show", str(folder), "--all"], ["check", str(folder)]):
        assert main(words) == 0
    assert "parts.canopy.drag_coefficient" in capsys.readouterr().out
    assert main(["run", str(folder)]) == 2
    assert "twin.yaml:14: parts.canopy.kind: names code, parachute.py:Parachute, that runs only" in capsys.readouterr().err
    assert not (folder / "ran").exists()
    assert main(["trust", str(folder)]) == 0
    assert not (folder / "ran").exists()
    capsys.readouterr()
    assert main(["run", str(folder), "--seconds", "1"]) == 0
    out, err = capsys.readouterr()
    assert err.startswith(f"didymos: runs code of {folder}: parachute.py:Parachute\n")
    assert (folder / "ran").exists()
    assert main(["run", str(folder), "--seconds", "1", "--json"]) == 0
    out, err = capsys.readouterr()
    assert "runs code" not in err
    assert json.loads(out)["scenario"] == "drop"


def test_the_recording_is_what_its_script_makes(tmp_path: Path) -> None:
    made = runpy.run_path(str(EXAMPLE / "make_recording.py"))["main"](tmp_path)
    ours, kept = (np.loadtxt(file, delimiter=",", skiprows=1) for file in (made, EXAMPLE / "drop.csv"))
    assert ours == pytest.approx(kept, abs=2e-4)  # four digits are kept


def test_the_fit_finds_the_numbers_of_the_recording(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trust", str(folder)]) == 0
    capsys.readouterr()
    assert main(["fit", str(folder), str(folder / "drop.csv"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["parameters"]
    for path, true in (("parts.canopy.drag_coefficient", 0.72), ("parts.canopy.opening_time", 1.4)):
        low, high = found[path]["interval"]
        assert low - (high - low) < true < high + (high - low)  # three times as wide: six standard deviations each way
        assert high - low < 0.05 * true
