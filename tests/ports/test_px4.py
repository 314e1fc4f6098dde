"""PX4's simulator link: a twin flown by a peer that speaks it by pymavlink, faults on the line, and messages by closed forms."""

from __future__ import annotations

import json
import math
import shlex
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from firmware_flight import at, flown_by
from pymavlink.dialects.v20 import common as mavlink

import didymos
from didymos.air.magnetic import earth_field
from didymos.cli.main import main
from didymos.errors import InputError, RunError
from didymos.ports.firmware import use_firmware
from didymos.ports.firmware.autopilots.hil_link import Messages
from didymos.ports.firmware.autopilots.readings import Beat
from didymos.record.log import Log

PEER = Path(__file__).with_name("px4_peer.py")
ATHENS = (math.radians(37.9), math.radians(23.7), 100.0)


def command(*words: str) -> str:
    return "px4:" + shlex.join([sys.executable, str(PEER), "--port", "{port}", *words])


def fly(seconds: float, *words: str, seed: int = 1) -> Log:
    twin = didymos.load("quadcopter")
    twin.set("start.position.z", 0.011)  # on the ground, where its filter aligns
    return flown_by(twin, command(*words), seconds, seed)


def test_a_copter_flies_for_a_minute_by_sensors_alone_in_lock_step(tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    log = fly(60.0, "--report", str(report))
    told = json.loads(report.read_text())
    assert told["questions"] == told["answers"] == told["truths"] == 12_000  # at 200 Hz
    assert (told["gps"], told["field"], told["baro"]) == (300, 1500, 1500)  # at their own 5 and 25 Hz
    assert (told["first"], told["clock"], told["steps"]) == (5000, 60_000_000, [5000, 5000])  # [us], the twin's plus one step
    for name, value in (("lost", 0.0), ("duplicated", 0.0), ("clock_error", 0.0), ("boot", 0.005)):
        assert log[f"control.{name}"].values == pytest.approx(value, abs=0.0), name
    # the peer's filter knows its attitude: 0.05 m/s^2 of accelerometer bias tilt it by 0.005, the compass errs by 0.01 and lags
    assert told["attitude"] < 0.05
    # GPS wanders by 0.5 m, the barometer by 0.25 m (3 Pa): three times that, in each direction
    for time, place in ((19.0, (0.0, 0.0, 2.0)), (39.0, (2.0, 3.0, 5.0)), (59.0, (0.0, 0.0, 2.0))):
        for axis, target, wander in zip("xyz", place, (1.5, 1.5, 0.75), strict=True):
            assert at(log, f"truth.position.{axis}", time) == pytest.approx(target, abs=wander)
    assert log["control.armed"].values[[50, -1]].tolist() == [0.0, 1.0]  # half a second, and the end


def test_the_same_seed_gives_the_same_bytes() -> None:
    one, same, other = (fly(3.0, seed=seed)["truth.position.z"].values for seed in (4, 4, 5))
    assert one.tobytes() == same.tobytes()
    assert one.tobytes() != other.tobytes()


def test_while_it_boots_the_twin_stands_and_its_clock_runs_on(tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    log = fly(0.5, "--boot", "3", "--report", str(report))
    told = json.loads(report.read_text())
    boot = round(log["control.boot"].values[-1] / 0.005)
    assert boot >= 4  # three open questions and the one that was answered; a slow peer lets more of them pass
    assert told["questions"] == boot + 99  # the first of a hundred steps is in there
    assert told["answers"] == told["questions"] - 3
    assert told["steps"] == [5000, 5000]
    assert np.abs(log["control.clock_error"].values).max() == 0.0
    assert log["control.lost"].values.max() == 0.0


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("dies", r"PX4 \(process [0-9]+\) ended with status 3; it said last: segmentation fault, alas"),
        ("killed", r"PX4 \(process [0-9]+\) was ended by SIGKILL"),
    ],
)
def test_a_dead_autopilot_ends_the_run_with_a_sentence(fault: str, said: str) -> None:
    with pytest.raises(RunError, match=said) as caught:
        fly(5.0, "--fault", fault, "--at", "100")
    assert caught.value.time == pytest.approx(0.5)
    assert len(caught.value.log["truth.position.z"].time) >= 10  # type: ignore[attr-defined]


def test_the_command_ends_with_status_1_and_its_log_can_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "flight.mcap"
    words = ["run", "quadcopter", "--firmware", command("--fault", "killed", "--at", "400"), "--seconds", "10"]
    assert main([*words, "--record", str(file)]) == 1
    assert "was ended by SIGKILL" in capsys.readouterr().err
    assert Log.load(file)["truth.position.z"].time[-1] == pytest.approx(2.0, abs=0.011)


def test_garbage_and_copies_of_answers_do_no_harm() -> None:
    calm = fly(2.5)["truth.position.z"].values.tobytes()
    assert fly(2.5, "--fault", "garbage", "--at", "450")["truth.position.z"].values.tobytes() == calm
    twice = fly(2.5, "--fault", "twice", "--at", "450")
    assert twice["control.duplicated"].values[-1] == 1
    assert twice["truth.position.z"].values.tobytes() == calm


def test_one_that_somebody_else_starts_connects_by_itself(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as held:
        port = held.getsockname()[1]
    twin = didymos.load("quadcopter")
    use_firmware(twin, f"px4:listen:{port}")
    peer = subprocess.Popen([sys.executable, str(PEER), "--port", str(port), "--report", str(tmp_path / "report.json")])
    try:
        simulation = twin.simulate()
        simulation.run(0.2)
        simulation.close()
        assert peer.wait(60) == 0  # the line was closed
    finally:
        peer.kill()
    assert json.loads((tmp_path / "report.json").read_text())["answers"] == 40


def test_one_that_never_comes_is_not_waited_for_for_ever() -> None:
    twin = didymos.load("quadcopter")
    twin.file.firmware.px4.options["patience"] = 0.3  # type: ignore[union-attr]
    with socket.create_server(("127.0.0.1", 0)) as held:
        port = held.getsockname()[1]
    use_firmware(twin, f"px4:listen:{port}")
    with pytest.raises(RunError, match=r"nothing came from PX4 for 0\.3 s"):
        twin.simulate()


def test_without_pymavlink_one_command_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pymavlink.dialects.v20", None)
    with pytest.raises(InputError, match=r"pip install 'didymos\[mavlink\]'"):
        use_firmware(didymos.load("quadcopter"), "px4:listen")


def read(data: bytes) -> dict[str, Any]:
    (message,) = mavlink.MAVLink(None).parse_buffer(data)
    return message.to_dict()  # type: ignore[no-any-return]


def test_readings_are_in_gauss_hectopascal_and_forward_right_down() -> None:
    messages = Messages(ATHENS, 9.81)
    east, north, up = earth_field(*ATHENS)
    # level, nose to the north: forward is north, left is west
    found = read(messages.sensors(7, (0.1, 0.2, 0.3, 1.0, 2.0, 9.81), (north, -east, up), 101_325.0, 20.0))
    assert found["time_usec"] == 7
    assert [found[key] for key in ("xgyro", "ygyro", "zgyro")] == pytest.approx([0.1, -0.2, -0.3])
    assert [found[key] for key in ("xacc", "yacc", "zacc")] == pytest.approx([1.0, -2.0, -9.81])
    field = [found[key] for key in ("xmag", "ymag", "zmag")]
    assert field == pytest.approx([1e4 * north, 1e4 * east, -1e4 * up])
    assert 0.45 < math.dist(field, (0, 0, 0)) < 0.48  # gauss, of Greece: 46 uT
    assert field[2] > 0.3  # in the north it points down
    assert found["abs_pressure"] == pytest.approx(1013.25)
    assert found["pressure_alt"] == pytest.approx(0.0, abs=1e-6)
    assert found["temperature"] == pytest.approx(15.0)
    assert found["diff_pressure"] == pytest.approx(0.5 * 1.225 * 20.0**2 / 100.0)
    vectors = [f"{axis}{what}" for what in ("acc", "gyro", "mag") for axis in "xyz"]
    updated = [*vectors, "abs_pressure", "diff_pressure", "pressure_alt", "temperature"]
    bits = [getattr(mavlink, f"HIL_SENSOR_UPDATED_{name.upper()}") for name in updated]
    assert found["fields_updated"] == sum(bits)
    assert read(messages.sensors(8, [0.0] * 6))["fields_updated"] == sum(bits[:6])
    assert read(messages.sensors(8, [0.0] * 6, pressure=1.0))["fields_updated"] == sum(bits[:6]) + bits[9] + bits[11] + bits[12]
    assert read(messages.sensors(8, [0.0] * 6, pressure=1.0, airspeed=1.0))["fields_updated"] & bits[10]


def test_pressure_height_is_that_of_the_standard_atmosphere() -> None:
    # ISO 2533: 1000 m has 89874.57 Pa and 8.5 deg C, 5000 m 54019.9 Pa
    for height, pressure in ((1000.0, 89_874.57), (5000.0, 54_019.9)):
        found = read(Messages(ATHENS, 9.81).sensors(1, [0.0] * 6, pressure=pressure))
        assert found["pressure_alt"] == pytest.approx(height, abs=0.5)
        assert found["temperature"] == pytest.approx(15.0 - 0.0065 * height, abs=0.01)


def test_a_fix_has_place_velocity_and_course() -> None:
    found = read(Messages(ATHENS, 9.81).gps(5, (0.0, 1000.0, 50.0, 3.0, 4.0, 1.5)))
    meridian = 6_378_137.0 * (1 - 0.00669438) / (1 - 0.00669438 * math.sin(ATHENS[0]) ** 2) ** 1.5 + 100.0
    assert found["lat"] == pytest.approx(1e7 * math.degrees(ATHENS[0] + 1000.0 / meridian), abs=2)
    assert found["lon"] == pytest.approx(1e7 * 23.7, abs=1)
    assert found["alt"] == pytest.approx(
        150_000 + 1e3 * 1000.0**2 / (2 * meridian), abs=2
    )  # [mm]; the plane leaves the ellipsoid
    assert (found["vn"], found["ve"], found["vd"], found["vel"]) == (400, 300, -150, 500)
    assert found["cog"] == round(100 * math.degrees(math.atan2(3.0, 4.0)))
    assert found["fix_type"] == 3


def test_the_truth_has_attitude_velocity_and_acceleration() -> None:
    half = math.radians(90.0) / 2  # nose to the north
    state = (0.0, 0.0, 30.0, math.cos(half), 0.0, 0.0, math.sin(half), 10.0, 2.0, 1.0, 0.1, 0.2, 0.3)
    found = read(Messages(ATHENS, 9.81).truth(9, (0.0, 0.0, 0.0, 1.0, 0.0, 9.81), state, None))
    assert found["attitude_quaternion"] == pytest.approx([1.0, 0.0, 0.0, 0.0], abs=1e-7)
    assert [found[key] for key in ("rollspeed", "pitchspeed", "yawspeed")] == pytest.approx([0.1, -0.2, -0.3])
    assert [found[key] for key in ("vx", "vy", "vz")] == [1000, -200, -100]
    assert [found[key] for key in ("xacc", "yacc", "zacc")] == [round(1000 / 9.80665), 0, 0]  # without gravity
    assert found["alt"] == 130_000


def test_numbers_without_room_in_a_message_end_at_its_limits() -> None:
    messages = Messages(ATHENS, 9.81)
    assert read(messages.gps(5, (0.0, 0.0, 0.0, 900.0, -900.0, 900.0)))["ve"] == 32_767
    state = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 900.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    assert read(messages.truth(5, (0, 0, 0, 1e4, 0, 0), state, 900.0))["xacc"] == 32_767


def test_a_beat_tells_each_reading_once() -> None:
    beat = Beat(25.0)
    assert sum(beat.due(0.005 * step) for step in range(1000)) == 125
