"""Firmware in this process and in another: the step interface, a compiled library, messages, and what can go wrong with each."""

from __future__ import annotations

import io
import json
import re
import shlex
import shutil
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from didymos.cli.main import main
from didymos.control import Robot, Values
from didymos.errors import InputError, RunError
from didymos.ports.firmware import find_firmware, message, use_firmware
from didymos.ports.firmware.peer import Peer
from didymos.ports.firmware.step import Step
from didymos.twin import Twin, load

OBJECT = """
class Firmware:
    def __init__(self):
        self.calls, self.angles = 0, []

    def step(self, time, sensors, attitude, setpoints):
        self.calls += 1
        self.angles.append(attitude)
        height, climb = sensors.state.position.z, sensors.state.velocity.z
        lift = 0.554 + 0.15 * (setpoints.z - height) - 0.15 * climb
        return [lift] * 4
"""

LIBRARY = """
static int sensors_given;
int start(int sensors, int setpoints, int commands) { sensors_given = sensors; return !(setpoints == 6 && commands == 4); }
void step(double time, const double *sensors, const double *attitude, const double *setpoints, double *commands)
{
    double height = sensors[2], climb = sensors[9];
    (void)time;
    for (int i = 0; i < 4; i++) commands[i] = attitude ? 0.554 + 0.15 * (setpoints[3] - height) - 0.15 * climb : 0.0;
}
"""

PEER = """
import os, socket, struct, sys, time
HEAD = struct.Struct("<4sHHQd")
line = socket.socket(socket.AF_UNIX); line.connect(os.environ["DIDYMOS_SOCKET"])
stream = line.makefile("rb")
fault, at = sys.argv[1], int(sys.argv[2])
def answer(count, numbers=(0.5, 0.5, 0.5, 0.5)):
    line.sendall(HEAD.pack(b"DID1", 2, len(numbers), count, 0.0) + struct.pack(f"<{len(numbers)}d", *numbers))
while True:
    _, kind, size, count, t = HEAD.unpack(stream.read(HEAD.size))
    stream.read(size if kind == 1 else 8 * size)
    if kind == 3:
        sys.exit(0)
    if kind != 2:
        continue
    if count == at:
        if fault == "dies": print("out of memory, alas", flush=True); os._exit(7)
        while fault == "late" and not os.path.exists(sys.argv[3]): time.sleep(0.02)
        if fault == "lost": answer(count + 1); continue
        if fault == "twice": answer(count); answer(count); continue
        if fault == "short": answer(count, (0.5, 0.5)); continue
        if fault == "nan": answer(count, (float("nan"),) * 4); continue
        if fault == "noise": line.sendall(b"GET / HTTP/1.1" + bytes(40)); continue
        if fault == "slices":
            whole = HEAD.pack(b"DID1", 2, 4, count, 0.0) + struct.pack("<4d", *[0.5] * 4)
            for i in range(0, len(whole), 10): line.sendall(whole[i:i + 10]); time.sleep(0.25)
            continue
    answer(count)
"""


@pytest.fixture
def daedalus() -> Twin:
    return load("daedalus")


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str], Path]:
    def write(name: str, text: str) -> Path:
        (tmp_path / name).write_text(text, encoding="utf-8")
        return tmp_path / name

    return write


def test_an_object_is_stepped_once_a_step_with_time_sensors_and_true_attitude(daedalus: Twin) -> None:
    space: dict[str, Any] = {}
    exec(OBJECT, space)
    firmware = space["Firmware"]()
    program = Step(firmware, attitude="state")
    program.rate = 500.0
    log = daedalus.simulate(scenario="hover", control=program).run(6.0)
    assert firmware.calls == 3000
    assert firmware.angles[-1] == pytest.approx((0.0, 0.0, 0.0), abs=1e-9)
    assert log["truth.position.z"].values[-1] == pytest.approx(2.0, abs=0.02)


def test_without_leave_it_does_not_learn_the_true_attitude(daedalus: Twin) -> None:
    space: dict[str, Any] = {}
    exec(OBJECT, space)
    firmware = space["Firmware"]()
    daedalus.simulate(scenario="hover", control=Step(firmware)).run(0.01)
    assert firmware.calls == 10  # one per physics step of 1 ms
    assert set(firmware.angles) == {None}


def test_the_true_attitude_is_roll_pitch_and_yaw() -> None:
    seen: list[Any] = []

    class Firmware:
        def step(self, time: float, sensors: Values, attitude: Any, setpoints: Values) -> dict[str, float]:
            seen.append(attitude)
            return {}

    names = [f"state.orientation.{axis}" for axis in "wxyz"]
    step = Step(Firmware(), attitude="state")
    step.start(Robot(("motor",), tuple(names), ()))
    turn = Values({name: i for i, name in enumerate(names)}, np.array([np.cos(0.1), np.sin(0.1), 0.0, 0.0]))
    assert step.update(0.0, turn, turn) == {}
    assert seen[0] == pytest.approx((0.2, 0.0, 0.0))


def test_a_file_names_firmware_on_the_command_line(
    write: Callable[[str, str], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    file = write("mine.py", OBJECT)
    assert main(["run", "daedalus", "--firmware", f"{file}:Firmware", "--scenario", "hover", "--json"]) == 0
    assert all(item["ok"] for item in json.loads(capsys.readouterr().out)["expectations"])


def test_a_compiled_library_flies_as_the_python_object_does(daedalus: Twin, write: Callable[[str, str], Path]) -> None:
    compiler = shutil.which("cc") or shutil.which("gcc")
    assert compiler is not None, "tools/setup installs gcc"
    source = write("mine.c", LIBRARY)
    subprocess.run([compiler, "-shared", "-fPIC", "-o", str(source.with_suffix(".so")), str(source)], check=True)
    names = daedalus.simulate().robot.measured
    assert (names[2], names[9]) == ("state.position.z", "state.velocity.z")
    assert daedalus.simulate().robot.setpoints[3] == "z"
    logs = []
    for what in (f"{source.with_suffix('.so')}", f"{write('mine.py', OBJECT)}:Firmware"):
        twin = daedalus.copy()
        use_firmware(twin, what)
        logs.append(twin.simulate(scenario="hover").run(3.0))
    assert logs[0].sha256 == logs[1].sha256


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("betafligth", "did you mean 'betaflight'|betaflight"),
        ("nobody.py:Firmware", "there is no such file"),
        ("json:dumps", r"no method step"),
        ("json:nothing", "has no 'nothing'"),
        ("nobody.so", "cannot be loaded"),
        ("peer:", "expected betaflight"),
        ("peer:/no/such/program", "cannot be started"),
        ("listen:8.8.8.8:80", "an address of this machine"),
    ],
)
def test_firmware_that_is_not_there_is_one_sentence(what: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "daedalus", "--firmware", what, "--seconds", "0.1"]) == 2
    text = capsys.readouterr().err.strip()
    assert text.count("\n") == 0
    assert re.search(said, text), text


def test_it_cannot_go_with_a_control_program(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "daedalus", "--firmware", "betaflight", "--control", "idle"]) == 2
    assert "--control" in capsys.readouterr().err


def peer(daedalus: Twin, write: Callable[[str, str], Path], *arguments: str) -> Any:
    program = Peer(shlex.join([sys.executable, str(write("peer.py", PEER)), *arguments]))
    program.rate = 500.0
    return daedalus.simulate(scenario="hover", control=program)


def test_a_peer_answers_every_message_and_ends_with_the_run(daedalus: Twin, write: Callable[[str, str], Path]) -> None:
    simulation = peer(daedalus, write, "none", "0")
    process = simulation.program._child
    log = simulation.run(0.4)
    assert set(log["inputs.motor1"].values) == {0.5}
    assert process.death() is None
    simulation.close()
    assert process.death() == "ended with status 0"  # it was told, not killed
    with pytest.raises(RunError, match="has been ended"):
        simulation.run(0.1)


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("dies", r"process \d+\) ended with status 7; it said last: out of memory, alas"),
        ("lost", "message 50 was lost: message 51 came"),
        ("twice", "message 50 came twice, expected message 51"),
        ("short", r"answered \[0.5, 0.5\], expected 4 finite numbers"),
        ("nan", "expected 4 finite numbers"),
        ("noise", "cannot be read"),
    ],
)
def test_a_fault_on_the_line_ends_the_run_and_keeps_the_log(
    daedalus: Twin, write: Callable[[str, str], Path], fault: str, said: str
) -> None:
    simulation = peer(daedalus, write, fault, "50")
    try:
        with pytest.raises(RunError, match=said) as caught:
            simulation.run(1.0)
    finally:
        simulation.close()
    assert caught.value.time == pytest.approx(0.1, abs=0.0021)
    assert len(caught.value.log["truth.position.z"].time) >= 10  # type: ignore[attr-defined]


def test_a_run_waits_for_a_slow_peer_and_says_what_for(
    daedalus: Twin, write: Callable[[str, str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The peer answers message 5 when the run has said that it waits for it."""

    class Heard(io.StringIO):
        def write(self, text: str) -> int:
            (tmp_path / "said").touch()
            return super().write(text)

    simulation = peer(daedalus, write, "late", "5", str(tmp_path / "said"))
    monkeypatch.setattr(sys, "stderr", heard := Heard())
    try:
        assert set(simulation.run(0.04)["inputs.motor1"].values) == {0.5}
    finally:
        simulation.close()
    expected = r"didymos: waiting for the firmware \(process \d+\) to answer message 5, \d+ s so far\n"
    assert re.fullmatch(expected, heard.getvalue())


def test_an_answer_that_comes_later_than_it_may_ends_the_run(daedalus: Twin, write: Callable[[str, str], Path]) -> None:
    simulation = peer(daedalus, write, "late", "50", "never")
    try:
        simulation.run(0.1)
        simulation.program.timeout = 0.3
        with pytest.raises(RunError, match=r"message 50 is late: no answer for 0.3 s") as caught:
            simulation.run(0.1)
    finally:
        simulation.close()
    assert caught.value.time == pytest.approx(0.1)


def test_a_message_in_slices_is_one_message(daedalus: Twin, write: Callable[[str, str], Path]) -> None:
    """Each pause is longer than one look at the line."""
    simulation = peer(daedalus, write, "slices", "5")
    try:
        assert set(simulation.run(0.04)["inputs.motor1"].values) == {0.5}
    finally:
        simulation.close()


def test_somebody_elses_process_may_connect(daedalus: Twin) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    facts: dict[str, Any] = {}

    def fly() -> None:
        while True:
            try:
                line = socket.create_connection(("127.0.0.1", port))
                break
            except OSError:
                time.sleep(0.02)
        with line:
            reader = message.Reader(line)
            while (found := reader.read()).kind != message.END:
                if found.kind == message.HELLO:
                    facts.update(found.facts or {})
                else:
                    facts["last"] = found
                    line.sendall(message.pack(message.STEP, found.count, found.time, [0.25] * 4))

    thread = threading.Thread(target=fly, daemon=True)
    thread.start()
    program = Peer(listen=f"127.0.0.1:{port}", attitude="state", patience=200.0)
    program.rate = 500.0
    simulation = daedalus.simulate(scenario="hover", control=program)
    simulation.run(0.1)
    simulation.close()
    thread.join()
    assert facts["commands"] == ["motor1", "motor2", "motor3", "motor4"]
    assert facts["period"] == pytest.approx(0.002)
    assert facts["setpoints"] == ["roll", "pitch", "yaw", "z", "x", "y"]  # of all its programs; the scenario moves z alone
    assert facts["units"]["setpoints"] == ["rad", "rad", "rad", "m", "m", "m"]
    assert len(facts["units"]["sensors"]) == len(facts["sensors"])
    assert facts["layout"] == f"{simulation.robot.layout}+attitude"
    assert len(facts["last"].numbers) == len(facts["sensors"]) + 3 + len(facts["setpoints"])
    assert (facts["last"].count, facts["last"].time) == (49, pytest.approx(0.098))


def test_nobody_connects(daedalus: Twin, tmp_path: Path) -> None:
    program = Peer(listen=str(tmp_path / "line"), patience=0.3)
    with pytest.raises(RunError, match=r"no firmware connected within 0.3 s"):
        daedalus.simulate(control=program)
    assert not (tmp_path / "line").exists()


def test_a_run_with_a_process_can_be_neither_saved_nor_reset(daedalus: Twin, write: Callable[[str, str], Path]) -> None:
    simulation = peer(daedalus, write, "none", "0")
    try:
        simulation.run(0.1)
        with pytest.raises(InputError, match="neither saved nor reset"):
            simulation.reset()
    finally:
        simulation.close()


@pytest.mark.parametrize(
    ("text", "kind"),
    [("betaflight", "betaflight"), ("a.py:F", "step"), ("a.b:F", "step"), ("./x.so", "step"), ("x.so:f", "step"),
     ("peer:python x.py", "peer"), ("listen:/run/x", "peer")],
)  # fmt: skip
def test_forms(text: str, kind: str) -> None:
    assert find_firmware(text).kind == kind


@pytest.mark.parametrize("text", [b"{", b"[1]", b"\xff", b"[" * 5000])
def test_a_hello_that_is_none_is_no_message(text: bytes) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(struct.pack("<4sHHQd", b"DID1", 1, len(text), 0, 0.0) + text)
        with pytest.raises(message.BadMessage, match="no JSON object"):
            message.Reader(ours).read()
