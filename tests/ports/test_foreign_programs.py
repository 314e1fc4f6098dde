"""Somebody else's program enters every scenario: in Python, as a compiled library, over DDS; what is not its own is skipped."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import didymos
from didymos import Controller
from didymos.cli.main import main
from didymos.describe.parameters import flatten
from didymos.ports.firmware import use_firmware
from didymos.ports.serve_options import ServeOptions

PEER = Path(__file__).with_name("foreign_peer.py")
SECONDS = 0.5
SETPOINTS = {"cepheus": ("abort",), "omni_base": ("vx", "vy", "wz", "x", "y", "yaw", "mode", "alive")}
COUNTS = {"cepheus": 12, "omni_base": 14}
RUNS = [(twin, scenario) for twin in COUNTS for scenario in didymos.load(twin).scenarios]

PROGRAMS = """
from didymos import Controller

class Wheels(Controller):
    rate = 100.0

    def start(self, robot):
        self.alive, self.since = 0.0, 0.0

    def update(self, t, measured, setpoints):
        if setpoints.alive != self.alive:
            self.alive, self.since = setpoints.alive, t
        silent = self.alive > 0.0 and t - self.since > 0.5
        vx, vy, turn = (0.0, 0.0, 0.0) if silent else (setpoints.vx, setpoints.vy, 0.74 * setpoints.wz)
        speeds = (vx + vy + turn, vx - vy - turn, vx + vy - turn, vx - vy + turn)
        return {f"drive_{i + 1}": speed / 0.1 for i, speed in enumerate(speeds)}

class Damped(Controller):
    rate = 100.0

    def start(self, robot):
        assert robot.setpoints == ("abort",)

    def update(self, t, measured, setpoints):
        assert setpoints.abort in (0.0, 1.0)
        return {name: -0.05 * measured.encoders[name].velocity for name in ("shoulder", "elbow", "wrist")}
"""

LIBRARIES = {
    "omni_base": """
        static double alive, since;
        if (time == 0.0 || wish->alive != alive) { alive = wish->alive; since = time; }
        double on = alive > 0.0 && time - since > 0.5 ? 0.0 : 1.0;
        double vx = on * wish->vx, vy = on * wish->vy, turn = on * 0.74 * wish->wz;
        out->drive_1 = (vx + vy + turn) / 0.1; out->drive_2 = (vx - vy - turn) / 0.1;
        out->drive_3 = (vx + vy - turn) / 0.1; out->drive_4 = (vx - vy + turn) / 0.1; (void)now;""",
    "cepheus": """
        out->shoulder = -0.05 * now->encoders_shoulder_velocity; out->elbow = -0.05 * now->encoders_elbow_velocity;
        out->wrist = -0.05 * now->encoders_wrist_velocity; (void)wish; (void)time;""",
}
SOURCE = """#include "didymos.h"
void step(double time, const struct didymos_measured *now, const double *attitude, const struct didymos_setpoints *wish,
          struct didymos_inputs *out) { (void)attitude; %s }
"""


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, str]]:
    """By twin, what the command line calls a Python program and a library; the latter from the twin's own header."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    assert compiler is not None, "tools/setup installs gcc"
    folder = tmp_path_factory.mktemp("foreign")
    (folder / "mine.py").write_text(PROGRAMS, encoding="utf-8")
    found = {}
    for twin, law in LIBRARIES.items():
        here = folder / twin
        assert main(["show", twin, "--header", "-o", str(here / "didymos.h")]) == 0
        (here / "mine.c").write_text(SOURCE % law, encoding="utf-8")
        words = [compiler, "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", str(here / "mine.so"), str(here / "mine.c")]
        subprocess.run(words, check=True)
        python = f"{folder / 'mine.py'}:{'Wheels' if twin == 'omni_base' else 'Damped'}"
        found[twin] = {"python": python, "library": str(here / "mine.so")}
    return found


def test_these_are_all_scenarios() -> None:
    assert {twin: sum(name == twin for name, _ in RUNS) for twin in COUNTS} == COUNTS


def listed(simulation: Any) -> None:
    """Exactly the gains of the file's program and the expectations on its reports are skipped, and the others judged."""
    spec = simulation.twin.scenarios[simulation.scenario]
    told = [item.name for item in spec.expect if (item.signal or "").startswith("control.")]
    skipped = [(item.kind, item.name) for item in simulation.skipped]
    assert skipped == [*(("gain", path) for path in flatten(spec.gains)), *(("expectation", name) for name in told)]
    assert all(simulation.twin.as_filed.file.control.program in item.why for item in simulation.skipped)
    assert [item.name for item in simulation.expected] == [item.name for item in spec.expect if item.name not in told]


@pytest.mark.parametrize("kind", ["python", "library"])
@pytest.mark.parametrize(("twin", "scenario"), RUNS, ids=[" ".join(run) for run in RUNS])
def test_a_foreign_program_runs_in_every_scenario(programs: Any, twin: str, scenario: str, kind: str) -> None:
    loaded = didymos.load(twin)
    if kind == "python":
        loaded.replace_program(programs[twin][kind])
    else:
        use_firmware(loaded, programs[twin][kind])
    simulation = loaded.simulate(scenario=scenario)
    assert simulation.robot.setpoints == SETPOINTS[twin]
    log = simulation.run(SECONDS)
    assert {f"setpoints.{name}" for name in SETPOINTS[twin]} <= set(log.signals)
    assert len(simulation.judge(log)) == len(simulation.expected)
    listed(simulation)


@pytest.mark.parametrize("twin", COUNTS)
def test_a_driver_on_the_other_side_of_dds_runs_in_every_scenario(twin: str, domains: Callable[[int], list[int]]) -> None:
    from didymos.ports.ros2.port import serve

    loaded = didymos.load(twin)
    loaded.replace_program("idle", rate=100.0)
    simulations = [loaded.simulate(scenario=scenario) for scenario in loaded.scenarios]
    ticks = round(SECONDS / simulations[0].period)
    chosen = domains(len(simulations))
    words = [sys.executable, str(PEER), twin, str(ticks), *map(str, chosen)]
    peer = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        for simulation, domain in zip(simulations, chosen, strict=True):
            facts = serve(simulation, ServeOptions(SECONDS, True, domain=domain, say=lambda line: None))
            assert facts["refused"] == facts["lost"] == 0
            assert facts["verdicts"] == ()  # half a second is not the scenario
            listed(simulation)
        out, err = peer.communicate()
    finally:
        peer.kill()
    assert peer.returncode == 0, err
    assert json.loads(out)["found"] == [[ticks, sorted(SETPOINTS[twin])]] * COUNTS[twin]
    if twin == "omni_base":
        forward = simulations[list(loaded.scenarios).index("forward")]
        assert forward.measured.encoders.drive_1.velocity == pytest.approx(1.0, abs=0.2)  # 0.1 m/s on wheels of 0.1 m


@pytest.mark.parametrize("scenario", ["forward", "sideways", "turn", "silence", "refused"])
def test_what_is_left_of_a_scenario_is_judged(programs: Any, scenario: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["run", "omni_base", "--control", programs["omni_base"]["python"], "--scenario", scenario, "--json"]
    assert main(words) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["expectations"]
    assert all(item["ok"] for item in found["expectations"])
    expected = [{"kind": "gain", "name": "timeout", "why": "of the program omni_drive"}] if scenario == "silence" else []
    assert found["skipped"] == expected


def test_what_was_skipped_is_listed_in_words(programs: Any, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["run", "cepheus", "--control", programs["cepheus"]["python"], "--scenario", "pd", "--seconds", "0.1"]
    assert main(words) == 0
    out = capsys.readouterr().out
    assert "gain         pd.use" in out
    assert "control.error.normal is of the program capture" in out
    words = ["sweep", "cepheus", "--control", programs["cepheus"]["python"], "--scenario", "pd", "--seconds", "0.1"]
    assert main([*words, "--runs", "2", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [item["name"] for item in found["skipped"]] == ["pd.use", "end effector along", "end effector across", "no abort"]


def test_a_program_derived_from_the_files_own_keeps_its_gains_and_is_judged_by_its_reports(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "from didymos.control.capture import Capture\n\n\n"
        "class Mine(Capture):\n    def update(self, t, measured, setpoints):\n        return {}\n"
    )
    twin = didymos.load("cepheus")
    options = twin.file.control.options  # type: ignore[union-attr]
    twin.replace_program("mine.py:Mine", tmp_path, rate=100.0, options=options)
    simulation = twin.simulate(scenario="pd")
    assert simulation.skipped == ()
    assert simulation.get("control.gains.pd.use") == 1.0
    given = didymos.load("cepheus").simulate(scenario="pd", control=twin.program(**options))
    assert [(item.kind, item.name) for item in given.skipped] == [("gain", "pd.use")]  # it came with its own


def test_a_program_may_run_before_every_physics_step(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "from didymos import Controller\n\n\n"
        "class Mine(Controller):\n    rate = float('inf')\n    calls = 0\n\n"
        "    def update(self, t, measured, setpoints):\n        self.calls += 1\n        return {}\n"
    )
    twin = didymos.load("omni_base")
    twin.replace_program("mine.py:Mine", tmp_path)
    simulation = twin.simulate(scenario="forward")
    simulation.run(0.1)
    assert simulation.program.calls == 50  # type: ignore[union-attr]  # of 2 ms


def test_a_report_of_the_same_name_is_judged() -> None:
    from didymos.contract import report

    class Believes(Controller):
        x = report(unit="m")

        def update(self, t: float, measured: Any, setpoints: Any) -> dict[str, float]:
            return {}

    simulation = didymos.load("omni_base").simulate(scenario="path_circle", control=Believes())
    assert [item.name for item in simulation.expected] == ["x by odometry"]
    assert [item.name for item in simulation.skipped] == ["y by odometry"]


def test_set_points_of_another_scenarios_program_are_there_and_not_recorded() -> None:
    class Looks(Controller):
        def update(self, t: float, measured: Any, setpoints: Any) -> dict[str, float]:
            assert (setpoints.x, setpoints.y) == (0.0, 0.0)  # of `gusts`
            return {}

    simulation = didymos.load("quadcopter").simulate(scenario="hover", control=Looks())
    log = simulation.run(0.1)
    assert simulation.robot.setpoints == ("roll", "pitch", "yaw", "z", "x", "y")
    recorded = [name for name in log.signals if name.startswith("setpoints.")]
    assert recorded == [f"setpoints.{name}" for name in ("roll", "pitch", "yaw", "z")]


ARM = """<mujoco><worldbody><body><joint name="hinge" axis="0 1 0"/><geom size=".1"/></body></worldbody>
  <actuator><motor name="motor" joint="hinge"/></actuator></mujoco>"""


@pytest.mark.parametrize(("moved", "expected"), [({}, 0.3), ({"hinge": -0.2}, -0.2)])
def test_set_points_that_nobody_moves_are_what_they_are_for_the_files_program(moved: dict[str, float], expected: float) -> None:
    """The program `joints` holds the posture at the start until somebody asks for another one."""
    seen = []

    class Looks(Controller):
        def update(self, t: float, measured: Any, setpoints: Any) -> dict[str, float]:
            seen.append(setpoints.hinge)
            return {}

    sections: dict[str, Any] = {
        "sensors": {"encoders": {"kind": "joints", "rate": 100}}, "control": {"program": "joints"},
        "start": {"joints": {"hinge": 0.3}}, "scenarios": {"hold": {"setpoints": moved}},
    }  # fmt: skip
    twin = didymos.Twin.from_urdf(ARM, **sections)
    twin.simulate(scenario="hold", control=Looks()).run(0.05)
    assert set(seen) == {expected}


def test_a_program_of_the_file_that_is_no_arithmetic_is_not_started_beside_another() -> None:
    code = (
        "from didymos import Controller\nfrom didymos.contract import setpoint\n\n\nclass Opens(Controller):\n"
        "    pitch = setpoint(unit='rad')\n\n    def start(self, robot):\n        raise OSError('the line is taken')\n"
    )
    content = {"description": {"file": "arm.xml"}, "control": {"program": "mine.py:Opens"}}
    twin = didymos.Twin.from_dict(content, {"arm.xml": ARM, "mine.py": code})

    class Other(Controller):
        def update(self, t: float, measured: Any, setpoints: Any) -> dict[str, float]:
            assert setpoints.pitch == 0.0
            return {}

    assert twin.simulate(control=Other()).robot.setpoints == ("pitch",)
