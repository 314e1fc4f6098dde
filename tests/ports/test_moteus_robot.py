"""`didymos run --robot`: the twin's program drives drives on a bus, here those of a served twin."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from time import sleep
from typing import Any

import numpy as np
import pytest

import didymos
from didymos import InputError, Log, RunError
from didymos.control import Robot, Values
from didymos.control.idle import Idle
from didymos.describe.twin import Twin
from didymos.model import ModelState
from didymos.ports import find_robot
from didymos.ports.hardware import HardwareRun, run_hardware
from didymos.ports.moteus.port import serve
from didymos.ports.serve_options import ServeOptions

SRC = Path(didymos.__file__).parent.parent


@pytest.fixture(scope="module")
def power_unit() -> Twin:
    """The bundled power unit."""
    return didymos.load("power_unit")


@contextmanager
def served(twin: Twin, folder: Path, *, step_locked: bool = True) -> Iterator[Path]:
    """A twin on a bus until the end of the block; the bus."""
    ready, stop, link = Event(), Event(), folder / "bus"
    options = ServeOptions(
        link=link, record=folder / "served.mcap", say=lambda _: ready.set(), stop=stop, step_locked=step_locked
    )
    thread = Thread(target=serve, args=(twin.simulate(control=Idle()), options))
    thread.start()
    try:
        while not ready.wait(0.1):
            assert thread.is_alive()
        yield link
    finally:
        stop.set()
        thread.join()


def run(
    twin: Twin, bus: Path, scenario: str = "sine", seconds: float = 0.05, *, zero: bool = False, progress: Any = None, **ids: int
) -> HardwareRun:
    """What `didymos run TWIN --robot moteus:BUS` does."""
    connect, address = find_robot(f"moteus:{bus}")
    simulation = twin.simulate(scenario=scenario)
    robot = connect(simulation, address, ids, zero)
    try:
        return run_hardware(simulation, robot, seconds, progress=progress)
    finally:
        robot.close()


def test_the_program_moves_the_served_unit_as_it_moves_the_simulated_one(power_unit: Twin, tmp_path: Path) -> None:
    with served(power_unit, tmp_path) as bus:
        log = run(power_unit, bus, seconds=2.0).log
    twins = power_unit.simulate(scenario="sine").run(2.0)
    position = log["parts.drive.position"].values
    assert len(position) == 400
    # A served drive tells what it measured a tick of 1 ms ago
    fastest = np.abs(twins["joints.shaft_joint.velocity"].values).max() * 9.97 / (2.0 * np.pi)
    np.testing.assert_allclose(position, twins["parts.drive.position"].values, atol=0.001 * fastest)
    np.testing.assert_array_equal(log["setpoints.position"].values, twins["setpoints.position"].values)
    np.testing.assert_allclose(log["joints.shaft_joint.position"].values, position * 2.0 * np.pi / 9.97, rtol=1e-12)
    assert log["parts.drive.voltage"].values == pytest.approx(24.0)
    assert set(log["parts.drive.mode"].values[3:]) == {10.0}
    assert Log.load(tmp_path / "served.mcap")["parts.drive.mode"].values[-1] == 0.0  # stopped at the end


class Turn(didymos.Controller):
    """Turns the motor at a revolution a second, and keeps what the model makes of the readings."""

    rate = 200

    def start(self, robot: Robot) -> None:
        self.model, self.states, self.beat = robot.model, list[ModelState](), 0

    def update(self, t: float, measured: Values, setpoints: Values) -> dict[str, float]:
        self.states.append(self.model.at(*self.model.read(measured)))
        self.beat += 1
        return {"drive.position": t, "drive.kp_scale": 1, "drive.kd_scale": 1, "drive.mode": 10, "drive.beat": self.beat}


def test_a_program_has_the_model_of_the_real_robot_at_what_its_drives_measure(tmp_path: Path) -> None:
    shutil.copytree(didymos.load("power_unit").folder, tmp_path / "unit")
    with (tmp_path / "unit" / "twin.yaml").open("a") as file:
        file.write("\nsensors:\n  encoders: {kind: joints, rate: 200}\n")
    twin, program = didymos.load(tmp_path / "unit"), Turn()
    with served(twin, tmp_path) as bus:
        connect, address = find_robot(f"moteus:{bus}")
        simulation = twin.simulate(control=program)
        robot = connect(simulation, address, {}, False)
        log = run_hardware(simulation, robot, 0.5).log
        robot.close()
    angles = np.array([state.q[0] for state in program.states])
    np.testing.assert_array_equal(angles, log["encoders.shaft_joint.position"].values)
    assert angles[-1] > 0.1
    assert program.model is twin.model
    assert program.states[-1].mass_matrix.shape == (1, 1)


FAILING = """import didymos
class Failing(didymos.Controller):
    rate = 200
    beat = 0
    def update(self, t, measured, setpoints):
        self.beat += 1
        if t > WHEN:
            raise OSError("the sky fell")
        return {"drive.position": t, "drive.kp_scale": 1, "drive.kd_scale": 1, "drive.mode": 10, "drive.beat": self.beat}
"""


def _hear_all_signals() -> None:
    """Whoever started the tests in the background, or by `nohup`, has made their children deaf to some."""
    for which in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(which, signal.SIG_DFL)


@pytest.fixture
def command(tmp_path: Path) -> Callable[..., subprocess.Popen[str]]:
    """Start `didymos run power_unit --robot ...` as a process."""

    def start(*options: str) -> subprocess.Popen[str]:
        words = [sys.executable, "-m", "didymos.cli.main", "run", "power_unit", "--robot", f"moteus:{tmp_path / 'bus'}"]
        words += ["--json", "--record", str(tmp_path / "robot.mcap"), *options]
        environment = os.environ | {"PYTHONPATH": str(SRC)}
        return subprocess.Popen(
            words,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=_hear_all_signals,
        )

    return start


def last_modes(folder: Path) -> tuple[float, set[float]]:
    """Mode of the served drive at the end, and all that it was in."""
    modes = Log.load(folder / "served.mcap")["parts.drive.mode"].values
    return float(modes[-1]), set(modes)


def test_a_program_that_fails_leaves_a_stopped_motor_and_its_log(power_unit: Twin, tmp_path: Path, command: Any) -> None:
    (tmp_path / "failing.py").write_text(FAILING.replace("WHEN", "0.3"))
    with served(power_unit, tmp_path):
        process = command("--control", f"{tmp_path / 'failing.py'}:Failing")
        out, err = process.communicate()
    assert process.returncode == 1
    assert "Failing raised OSError: the sky fell" in json.loads(out)["error"], err
    assert last_modes(tmp_path) == (0.0, {0.0, 10.0})
    kept = Log.load(tmp_path / "robot.mcap")["parts.drive.position"]
    assert len(kept.values) == 61
    assert kept.values[-1] > 0.1


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_run_that_is_interrupted_leaves_a_stopped_motor(
    power_unit: Twin, tmp_path: Path, command: Any, ending: signal.Signals
) -> None:
    with served(power_unit, tmp_path):
        process = command("--seconds", "100")
        record = tmp_path / "robot.mcap"
        while not (record.exists() and record.stat().st_size > 50_000):  # some of it is on the disk
            assert process.poll() is None
            sleep(0.05)
        process.send_signal(ending)
        process.communicate()
    assert process.returncode == 130
    assert last_modes(tmp_path) == (0.0, {0.0, 10.0})
    assert len(Log.load(record)["parts.drive.position"].values) > 50


def test_faults_and_absent_drives_end_a_run_with_one_sentence(power_unit: Twin, tmp_path: Path) -> None:
    weak = power_unit.copy()
    weak.set("parts.drive.voltage", 8.0)
    said = r"drive \(number 1 on the bus\) reports fault 40 \(under voltage\)"
    with served(weak, tmp_path) as bus, pytest.raises(RunError, match=said):
        run(weak, bus)
    with served(power_unit, tmp_path) as bus:
        with pytest.raises(RunError, match=r"drive \(number 7 on the bus\) did not answer within 1 s"):
            run(power_unit, bus, drive=7)
        with pytest.raises(InputError, match="there is no drive 'driv', did you mean 'drive'"):
            run(power_unit, bus, driv=1)
    with pytest.raises(InputError, match="cannot be opened"):
        run(power_unit, tmp_path / "nothing")
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="is not a serial line"):
        run(power_unit, tmp_path / "file")
    for text in ("moteus", "moteus:", "motus:bus"):
        with pytest.raises(InputError, match="expected KIND:ADDRESS"):
            find_robot(text)


def test_a_drive_that_stands_elsewhere_is_moved_by_nobody_unless_told(power_unit: Twin, tmp_path: Path) -> None:
    with served(power_unit, tmp_path) as bus:
        run(power_unit, bus, "step", 0.5)  # stands at about 0.25 rev now
        with pytest.raises(InputError, match=r"stands at 0\.2\d+ rev, expected 0 rev, .* `zero`"):
            run(power_unit, bus)
        position = run(power_unit, bus, "step", 0.5, zero=True).log["parts.drive.position"].values
    assert abs(position[0]) < 1e-6
    assert position[-1] == pytest.approx(0.25, abs=0.047)  # as far as friction may hold it off


def test_a_wire_that_is_pulled_ends_the_run(power_unit: Twin, tmp_path: Path) -> None:
    heard: list[BaseException] = []
    moving = Event()

    def work(bus: Path) -> None:
        try:
            run(power_unit, bus, seconds=100.0, progress=lambda _: moving.set())
        except RunError as error:
            heard.append(error)

    with served(power_unit, tmp_path) as bus:
        thread = Thread(target=work, args=(bus,))
        thread.start()
        while not moving.wait(0.1):
            assert thread.is_alive()
    thread.join()
    assert "is gone" in str(heard[0]) or "did not answer" in str(heard[0])


def test_what_a_real_robot_cannot_be_given_is_refused(command: Any) -> None:
    for options, said in (
        (("--set", "parts.drive.kp=2"), "--set: cannot go with --robot; a real robot has its own numbers"),
        (("--clip", "a.gif"), "--clip: cannot go with --robot"),
    ):
        process = command(*options)
        out, _ = process.communicate()
        assert process.returncode == 2
        assert said in json.loads(out)["error"]
