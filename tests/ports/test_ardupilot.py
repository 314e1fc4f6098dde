"""ArduPilot's JSON link: twins flown by a peer that was written from ArduPilot's own text, faults on the line, closed forms."""

from __future__ import annotations

import json
import math
import shlex
import socket
import struct
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from firmware_flight import at, flown_by

import didymos
from didymos.cli.main import main
from didymos.errors import InputError, RunError
from didymos.ports.firmware import find_firmware, use_firmware
from didymos.ports.firmware.autopilots.json_link import Counter, Verdict, read_frame, state_line
from didymos.record.log import Log

PEER = Path(__file__).with_name("ardupilot_peer.py")


def command(*words: str) -> str:
    return "ardupilot:" + shlex.join([sys.executable, str(PEER), "--port", "{port}", *words])


def fly(twin: str, seconds: float, *words: str, seed: int = 1) -> Log:
    return flown_by(didymos.load(twin), command(*words), seconds, seed)


def test_a_copter_flies_for_a_minute_without_a_lost_frame_and_with_one_clock(tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    log = fly("quadcopter", 60.0, "--report", str(report))
    told = json.loads(report.read_text())
    assert told["frames"] == 24_000  # one for each step of 2.5 ms
    assert told["answers"] == 23_999  # nobody waits for the last
    assert told["again"] == told["stale"] == 0
    assert told["first"] == 0.0025
    assert told["clock"] == 59.9975
    assert told["steps"] == pytest.approx([0.0025, 0.0025], abs=1e-12)
    for count in ("lost", "duplicated", "refused", "restarts"):
        assert log[f"control.{count}"].values.max() == 0.0
    assert log["control.frame"].values[-1] == pytest.approx(24_000, abs=5)  # as far as the record's own rate shows
    # at 2 m, then 5 m, 3 m north and 2 m east, then back: truth goes to the peer, its height loop has an integral
    for time, place in ((19.0, (0.0, 0.0, 2.0)), (39.0, (2.0, 3.0, 5.0)), (59.0, (0.0, 0.0, 2.0))):
        found = [at(log, f"truth.position.{axis}", time) for axis in "xyz"]
        assert found == pytest.approx(place, abs=0.1)
    # what the peer read at a whole second is what the twin was then
    for state in told["states"][1:]:
        time = state["time"]
        north, east, down = state["position"]
        assert (east, north, -down) == pytest.approx([at(log, f"truth.position.{axis}", time) for axis in "xyz"], abs=1e-3)


def test_a_plane_flies_by_aileron_elevator_throttle_and_rudder() -> None:
    log = fly("skywalker_2013", 32.0, "--vehicle", "plane")
    assert log["truth.position.z"].values == pytest.approx(50.3, abs=2.0)
    assert at(log, "truth.yaw", 19.0) == pytest.approx(0.0, abs=0.02)
    assert at(log, "truth.yaw", 31.5) == pytest.approx(-math.pi / 2, abs=0.03)  # right, to the south
    assert log["control.lost"].values.max() == 0.0


def test_the_same_seed_gives_the_same_bytes() -> None:
    one, same, other = (fly("quadcopter", 2.0, seed=seed)["truth.position.z"].values for seed in (4, 4, 5))
    assert one.tobytes() == same.tobytes()
    assert one.tobytes() != other.tobytes()


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("dies", "ArduPilot \\(process [0-9]+\\) ended with status 7; it said last: out of memory, alas"),
        ("killed", "ArduPilot \\(process [0-9]+\\) was ended by SIGKILL"),
    ],
)
def test_a_dead_autopilot_ends_the_run_with_a_sentence(fault: str, said: str) -> None:
    with pytest.raises(RunError, match=said) as caught:
        fly("quadcopter", 5.0, "--fault", fault, "--at", "200")
    assert caught.value.time == pytest.approx(0.5)  # frame 200, after as many steps of 2.5 ms
    assert len(caught.value.log["truth.position.z"].time) >= 10  # type: ignore[attr-defined]


def test_the_command_ends_with_status_1_and_its_log_can_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "flight.mcap"
    words = ["run", "quadcopter", "--firmware", command("--fault", "killed", "--at", "800"), "--seconds", "10"]
    assert main([*words, "--record", str(file)]) == 1
    assert "was ended by SIGKILL" in capsys.readouterr().err
    assert Log.load(file)["truth.position.z"].time[-1] == pytest.approx(2.0, abs=0.011)  # the record's rate is 100 Hz


@pytest.fixture(scope="module")
def calm() -> bytes:
    """Heights of a flight of one second in which nothing goes wrong."""
    return fly("quadcopter", 1.0)["truth.position.z"].values.tobytes()


def test_garbage_and_a_stranger_are_counted_and_do_no_harm(calm: bytes) -> None:
    log = fly("quadcopter", 1.0, "--fault", "garbage", "--at", "100")
    assert log["control.refused"].values[-1] == 9
    assert log["control.lost"].values[-1] == 0
    assert log["truth.position.z"].values.tobytes() == calm


@pytest.mark.parametrize(
    ("fault", "count", "most"), [("twice", "duplicated", 1), ("deaf", "duplicated", 99), ("skips", "lost", 3)]
)
def test_frames_that_come_twice_or_never_do_not_move_the_twin(fault: str, count: str, most: int, calm: bytes) -> None:
    patience = (
        "0.5" if fault == "deaf" else "1e6"
    )  # of a peer that lost an answer: a slow machine may make it ask again more than once
    log = fly("quadcopter", 1.0, "--fault", fault, "--at", "100", "--patience", patience)
    assert (3 if fault == "skips" else 1) <= log[f"control.{count}"].values[-1] <= most
    assert log["truth.position.z"].values.tobytes() == calm


def test_a_copy_that_waits_beside_its_frame_is_no_sign_of_loss_and_has_no_answer_of_its_own() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as peer:
        peer.bind(("127.0.0.1", 0))
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        twin = didymos.load("quadcopter")
        use_firmware(twin, f"ardupilot:listen:{port}")
        simulation = twin.simulate()
        try:
            for count in (0, 0, 1):
                peer.sendto(struct.pack("<HHI16H", 18458, 400, count, *[1000] * 16), ("127.0.0.1", port))
            simulation.run(0.005)
            assert simulation.program.duplicated == 1  # type: ignore[union-attr]
        finally:
            simulation.close()
        peer.setblocking(False)
        assert json.loads(peer.recv(65536))["timestamp"] == 0.0025  # to frame 0; nobody has asked for the one to frame 1 yet
        with pytest.raises(BlockingIOError):
            peer.recv(65536)


def test_an_autopilot_that_starts_anew_goes_on_with_the_twin_where_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    log = fly("quadcopter", 1.0, "--fault", "restarts", "--at", "100")
    assert log["control.restarts"].values[-1] == 1
    assert log["control.lost"].values[-1] == 0
    assert log["control.frame"].values[-1] == pytest.approx(299, abs=5)
    assert "ArduPilot began anew; the twin goes on at t = 0.25 s" in capsys.readouterr().err


def test_a_frame_rate_below_the_twins_holds_the_outputs() -> None:
    log = fly("quadcopter", 1.0, "--rate", "100", "--channels", "32")
    assert log["control.frame"].values[-1] == pytest.approx(99, abs=1)  # four steps to a frame


def test_one_that_somebody_else_starts_is_waited_for_and_not_for_ever() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as held:
        held.bind(("127.0.0.1", 0))
        port = held.getsockname()[1]
        twin = didymos.load("quadcopter")
        use_firmware(twin, f"ardupilot:listen:{port}")
        with pytest.raises(InputError, match=f"UDP port {port} of this machine cannot be had"):
            twin.simulate()
    twin = didymos.load("quadcopter")
    options = twin.file.firmware.ardupilot.options  # type: ignore[union-attr]
    options["patience"] = 0.3
    use_firmware(twin, f"ardupilot:listen:127.0.0.1:{port}")
    simulation = twin.simulate()
    with pytest.raises(RunError, match=r"nothing came from ArduPilot for 0\.3 s"):
        simulation.run(1.0)
    simulation.close()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ardupilot", "expected ardupilot:COMMAND"),
        ("ardupilot:", "expected ardupilot:COMMAND"),
        ("ardupilott", "did you mean 'ardupilot'"),
    ],
)
def test_what_is_no_autopilot_is_refused(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        find_firmware(text)


def test_a_command_that_is_none_and_an_address_elsewhere_are_refused() -> None:
    for text, said in (
        ("ardupilot:/no/such/program", "cannot be started"),
        ("ardupilot:listen:10.0.0.1:9002", "of this machine"),
    ):
        twin = didymos.load("quadcopter")
        use_firmware(twin, text)
        with pytest.raises(InputError, match=said):
            twin.simulate()


def test_a_twin_that_says_nothing_gets_what_it_lacks() -> None:
    twin = didymos.load("plane_1wing")
    use_firmware(twin, command())
    assert twin.file.sensors["autopilot_odometry"].rate == pytest.approx(1.0 / twin.file.world.step)
    assert twin.file.control is not None
    assert twin.file.control.options["odometry"] == "autopilot_odometry"
    simulation = twin.simulate()
    try:
        drives = simulation.program._drives  # type: ignore[union-attr]
        assert {(1, "airfoil1.x"), (2, "airfoil1.y"), (3, "motor1"), (4, "airfoil1.z")} <= {
            (drive.output, drive.input) for drive in drives
        }
    finally:
        simulation.close()


def line(orientation: tuple[float, ...], velocity: tuple[float, ...] = (0.0, 0.0, 0.0), **more: Any) -> dict[str, Any]:
    gravity = (0.0, 0.0, 9.81)
    sent = state_line(1.5, (0.1, 0.2, 0.3, *gravity), (10.0, 20.0, 30.0, *orientation, *velocity, 0.0, 0.0, 0.0), **more)
    assert sent[:1] + sent[-1:] == b"\n\n"
    assert b" " not in sent
    return json.loads(sent)  # type: ignore[no-any-return]


def test_the_answer_is_north_east_down_and_forward_right_down() -> None:
    half = math.radians(30.0) / 2
    found = line((math.cos(half), math.sin(half), 0.0, 0.0), (5.0, 0.0, 0.0), airspeed=4.5)  # nose east, 30 deg to the right
    assert found["timestamp"] == 1.5
    assert found["imu"] == {"gyro": [0.1, -0.2, -0.3], "accel_body": [0.0, 0.0, -9.81]}  # at rest: minus gravity along down
    assert found["position"] == [20.0, 10.0, -30.0]
    assert np.degrees(found["attitude"]) == pytest.approx([30.0, 0.0, 90.0])
    assert found["velocity"] == pytest.approx([0.0, 5.0, 0.0])  # along the nose, to the east
    assert found["airspeed"] == 4.5
    w, x, y, z = found["quaternion"]
    # down of the body in the world is the third column; rolled right, it points to the left
    down = (2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y))
    assert down == pytest.approx((math.sin(math.radians(30)), 0.0, math.cos(math.radians(30))))  # left of east is north


def test_keys_that_the_reader_searches_for_by_text_appear_once() -> None:
    text = state_line(1.5, [0.0] * 6, [0.0, 0.0, 0.0, 1.0, *[0.0] * 9], 3.0).decode()
    for key in ("timestamp", "imu", "gyro", "accel_body", "position", "attitude", "quaternion", "velocity", "airspeed"):
        assert text.count(key) == 1


def test_frames_of_both_sizes_are_read_and_nothing_else() -> None:
    sound = struct.pack("<HHI16H", 18458, 400, 7, *range(16))
    found = read_frame(sound)
    assert found is not None
    assert (found.rate, found.count, found.pulses) == (400, 7, tuple(range(16)))
    wide = read_frame(struct.pack("<HHI32H", 29569, 1200, 2**32 - 1, *range(32)))
    assert wide is not None
    assert wide.pulses[31] == 31
    big_endian = struct.pack(">HHI16H", 18458, 400, 7, *range(16))
    swapped = struct.pack("<HHI16H", 29569, 400, 7, *range(16))
    for bad in (b"", sound[:-1], sound + b"\0", big_endian, swapped, struct.pack("<HHI16H", 18458, 0, 7, *range(16))):
        assert read_frame(bad) is None


def test_frames_are_judged_by_count_and_sender() -> None:
    counter = Counter()
    steps = [(5, "a"), (6, "a"), (6, "a"), (4, "a"), (9, "a"), (3, "b"), (0, "b"), (1, "b"), (2, "a"), (0, "b"), (0, "b")]
    step, again, drop = Verdict.STEP, Verdict.AGAIN, Verdict.DROP
    expected = [step, step, again, drop, step, drop, step, step, drop, step, again]
    assert [counter.judge(*each) for each in steps] == expected
    assert (counter.lost, counter.duplicated, counter.refused, counter.restarts) == (2, 3, 2, 2)
