"""A pad that speaks the kernel's event structs flies a twin; unplugged, it leaves a safe state and nothing is lost."""

from __future__ import annotations

import os
import socket
import threading
from pathlib import Path

import numpy as np
import pytest

import didymos
from didymos import InputError
from didymos.control.pilot import CHANNELS, Pilot, PilotSpec
from didymos.describe.twin import Twin
from didymos.engine.intervention import Intervention, load_interventions, save_interventions
from didymos.engine.run import Run
from didymos.engine.simulation import Simulation
from didymos.ports.gamepad.events import AXIS, DROPPED, EVENT, KEY, SYNC, Event, decode, encode
from didymos.ports.gamepad.gamepad import Gamepad, is_pad, open_gamepad
from didymos.ports.gamepad.pad_map import load_pad_map
from didymos.ports.gamepad.source import JOYSTICK, PadLayout, bits, joystick_order

FULL = 32767
ROLL, PITCH, YAW, LEVER = range(4)  # axes of the bundled map
DROP, REMOVE, RESET = 0, 1, 11  # its buttons


def stick(time: float, axis: int, value: float) -> Event:
    """An axis, from -1 (left, forward) to 1 (right, back) as a joystick counts."""
    return Event(time, AXIS, JOYSTICK.axes[axis][0], round(FULL * value))


def button(time: float, number: int, down: bool) -> Event:
    return Event(time, KEY, JOYSTICK.buttons[number], int(down))


def write(file: Path, *events: Event) -> Path:
    file.write_bytes(b"".join(map(encode, (Event(0.0, SYNC, 0, 0), *events))))
    return file


def fly(twin: Twin, file: Path, seconds: float, scenario: str) -> tuple[Run, Pilot, list[str]]:
    said: list[str] = []
    simulation = twin.simulate(scenario=scenario, piloted=True)
    pilot = Pilot(twin.file.pilot, simulation.overrides.names, open_gamepad(str(file), load_pad_map()), said.append)
    run = Run(simulation, pilot=pilot)
    run.advance(round(seconds / simulation.period))
    run.close()
    return run, pilot, said


@pytest.fixture(scope="module")
def plane() -> Twin:
    return didymos.load("plane_1wing")


def test_events_survive_the_wire() -> None:
    events = [Event(12.25, AXIS, 1, -123), Event(12.5, KEY, 0x121, 1)]
    content = b"".join(map(encode, events))
    assert EVENT.size == 24
    assert list(decode(content + b"half an event")) == events


def test_a_stick_becomes_a_channel_by_throw_dead_band_and_curve(tmp_path: Path) -> None:
    file = tmp_path / "pad.yaml"
    minus = ", ".join(["-1"] * 19)
    ones = ", ".join(["1.0"] * 19)
    file.write_text(f"/HID/axes: [1, {minus}]\n/HID/buttons: [-1, 3, {', '.join(['-1'] * 18)}]\n/HID/throws: [-0.5, {ones}]\n"
                    "dead_bands: 0.2\ncurves: 0.5\n")  # fmt: skip
    found = load_pad_map(file).channels([None, -0.3], [None, None, None, 1.0])
    banded = (0.3 / 0.5 - 0.2) / 0.8  # raw / throw, then the band
    assert found[0] == pytest.approx(0.5 * banded + 0.5 * banded**3, rel=1e-12)
    assert found[1] == 1.0
    assert found[2:] == (None,) * 18
    assert load_pad_map(file).channels([None, 0.09], [None] * 4)[0] == 0.0  # 0.18 of the way is within the band


def test_the_original_file_is_read_as_it_is(shared_data: Path) -> None:
    assert load_pad_map(shared_data / "last_letter_2" / "params" / "HID.yaml").axes == load_pad_map().axes


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (("axes: ", "axis: "), "axis: there is no such key, did you mean 'axes'"),
        (("[0, 1, 2, 3, 4, 5, -1,", "[0, 1, 2, 3, 4, 5,"), "axes: found 19, expected a list of 20"),
        (("buttons:    [-1,", "buttons:    [2,"), "channel 0 has an axis and a button"),
        (("throws:     [-1.0,", "throws:     [0.0,"), "found 0.0 for channel 0, expected a number other than zero"),
        (("dead_bands: 0.01", "dead_bands: 1.0"), "found 1.0 for channel 0, expected a number from 0 to below 1"),
        (("axes:       [0,", "axes:       [0.5,"), "found 0.5 for channel 0, expected the number of an axis"),
    ],
)
def test_a_bad_map_is_refused_with_its_line(tmp_path: Path, change: tuple[str, str], complaint: str) -> None:
    from didymos.ports.gamepad import pad_map

    text = Path(pad_map.__file__).with_name("pad.yaml").read_text()
    assert change[0] in text
    (tmp_path / "pad.yaml").write_text(text.replace(*change))
    with pytest.raises(InputError, match=r"pad\.yaml:[0-9]+: ") as caught:
        load_pad_map(tmp_path / "pad.yaml")
    assert complaint in str(caught.value)


def test_joysticks_count_their_buttons_from_the_trigger() -> None:
    assert joystick_order(bits(bytes(0x20) + b"\x03" + bytes(3) + b"\x81")) == (0x120, 0x127, 0x100, 0x101)
    assert is_pad(JOYSTICK)
    assert not is_pad(PadLayout("touch screen", ((0, 0, 100), (1, 0, 100)), (0x14A,)))


class Held:
    """A source whose standing state can be asked for, as a device's can."""

    layout, live = JOYSTICK, True

    def __init__(self) -> None:
        self.waiting = [stick(0.0, ROLL, 1.0)]

    def state(self) -> list[Event]:
        return [stick(0.0, ROLL, 0.5)]

    def events(self, time: float) -> list[Event]:
        found, self.waiting = self.waiting, []
        return found

    def close(self) -> None:
        pass


def test_after_an_overflow_the_pad_is_asked_how_it_stands() -> None:
    source = Held()
    pad = Gamepad(source, load_pad_map())  # type: ignore[arg-type]
    half = (0.5 - 0.01) / 0.99
    assert pad.read(0.0)[0] == pytest.approx(1.0)
    source.waiting = [Event(0.1, SYNC, DROPPED, 0)]
    assert pad.read(0.1)[0] == pytest.approx(half, abs=1e-4)


def test_the_sticks_fly_the_plane_and_the_table_is_recorded(plane: Twin, tmp_path: Path) -> None:
    file = write(tmp_path / "pad", stick(0.0, LEVER, -0.5), stick(1.0, ROLL, 0.2), stick(1.5, ROLL, 0.0), stick(99.0, ROLL, 0.0))
    run, _, said = fly(plane, file, 2.0, "manual")
    log = run.log
    roll = log["channels.ch0"]
    during = (roll.time >= 1.0) & (roll.time < 1.5)
    assert roll.values[during] == pytest.approx((0.2 - 0.01) / 0.99, abs=1e-4)
    assert not roll.values[~during].any()
    lever = (0.5 - 0.01) / 0.99
    assert log["setpoints.throttle"].values == pytest.approx(0.5 + 0.5 * lever, abs=1e-4)  # forward is more
    assert log["inputs.motor1"].values[-1] == pytest.approx(log["setpoints.throttle"].values[-1])
    assert np.max(log["truth.angular_velocity.x"].values) > 0.1  # stick to the right rolls right
    assert not said


def test_an_unplugged_pad_leaves_the_throttle_idle_and_the_run_goes_on(plane: Twin, tmp_path: Path) -> None:
    file = write(tmp_path / "pad", stick(0.0, LEVER, -1.0), stick(0.5, ROLL, 0.3), stick(1.0, PITCH, 0.1))
    run, pilot, said = fly(plane, file, 2.0, "manual")
    log = run.log
    after = log["channels.ch0"].time > 1.05
    assert log["inputs.motor1"].values[~after].max() == 1.0
    assert log["channels.ch3"].values[after].max() == -1.0
    assert log["channels.ch0"].values[after].max() == 0.0
    assert log["inputs.motor1"].values[log["inputs.motor1"].time > 1.05].max() == 0.0
    assert log["truth.position.x"].time[-1] == pytest.approx(1.99)
    assert len(said) == 1
    assert "is gone (the recorded events ended); channels rest, the throttle idles" in said[0]
    assert pilot.table == tuple(pilot.rest)


def test_a_flight_by_pad_is_repeated_to_the_same_bytes(plane: Twin, tmp_path: Path) -> None:
    file = write(
        tmp_path / "pad", stick(0.0, LEVER, -0.1), stick(0.4, ROLL, 0.3), button(0.6, DROP, True), button(0.8, DROP, False),
        button(1.2, RESET, True), button(1.3, RESET, False), button(1.4, REMOVE, True),
    )  # fmt: skip
    run, _, _ = fly(plane, file, 1.6, "manual")
    save_interventions(tmp_path / "deed.yaml", run.intervention_log())
    done = load_interventions(tmp_path / "deed.yaml")
    assert done == run.intervention_log()
    assert [item.kind for item in done.interventions if item.kind in ("drop", "reset", "remove")] == ["drop", "reset", "remove"]
    again = plane.simulate(scenario=done.scenario, seed=done.seed, piloted=done.piloted)
    assert again.run(done.seconds, interventions=done.interventions).sha256 == run.log.sha256


def test_a_box_falls_from_under_the_robot_with_its_speed(plane: Twin, tmp_path: Path) -> None:
    file = write(tmp_path / "pad", button(0.5, DROP, True), stick(99.0, ROLL, 0.0))
    still = plane.copy()
    still.set("world.wind.speed", 0.0)
    log = fly(still, file, 2.5, "cruise")[0].log
    z, x = log["boxes.box1.position.z"], log["boxes.box1.position.x"]
    waiting = z.time < 0.5
    assert z.values[waiting] == pytest.approx(np.full(waiting.sum(), 5000.0))  # half-way to the boundary
    since = z.time[~waiting] - 0.5
    fallen = -0.5 * 9.81 * since**2
    rise, start = np.polyfit(since, z.values[~waiting] - fallen, 1)
    assert z.values[~waiting] == pytest.approx(start + rise * since + fallen, abs=1e-6)  # a parabola in vacuum
    assert abs(rise) < 0.5
    assert np.diff(x.values[~waiting]) / np.diff(x.time[~waiting]) == pytest.approx(22.0, abs=0.2)
    wheels = log["truth.position.z"].values[50] - 0.2  # 0.14 + 0.06 m below the fuselage's middle
    # the nose is 0.03 rad up and the wheels 0.3 m ahead: 0.01 m; the box around a turned wheel: 0.06 (sqrt(2) - 1) m
    assert start == pytest.approx(wheels - 0.1 - 0.025, abs=0.035)
    assert log["boxes.box2.position.z"].values == pytest.approx(5000.0)


def test_removed_boxes_wait_again_and_the_oldest_is_taken_when_all_are_out(plane: Twin) -> None:
    simulation = plane.simulate(scenario="cruise", piloted=True)
    run = Run(simulation)
    for _ in range(6):
        run.intervene("drop", "boxes")
        run.advance(40)
    heights = [simulation.data.body(f"didymos:box{i}").xpos[2] for i in range(1, 6)]
    assert heights[0] > heights[4] > heights[3] > heights[2] > heights[1]  # the first was dropped again
    run.intervene("remove", "boxes")
    run.advance(1)
    assert [simulation.data.body(f"didymos:box{i}").xpos[2] for i in range(1, 6)] == [5000.0] * 5
    run.close()


def test_a_restored_run_knows_which_boxes_are_out(plane: Twin) -> None:
    simulation = plane.simulate(scenario="cruise", piloted=True)
    simulation.intervene(Intervention(0, "drop", "boxes", ()))
    simulation.advance(10)
    state = simulation.save()
    simulation.advance(20)
    there = simulation.data.qpos.copy()
    simulation.intervene(Intervention(0, "remove", "boxes", ()))
    simulation.restore(state)
    simulation.advance(20)
    assert (simulation.data.qpos == there).all()


def test_reset_puts_the_robot_back_and_the_clock_goes_on() -> None:
    simulation = didymos.load("hexacopter").simulate(scenario="gusts", piloted=True)
    run = Run(simulation)
    run.advance(400)
    simulation.set("world.wind.speed", 8.0)
    run.intervene("reset", "robot")
    assert simulation.data.qpos[:3] == pytest.approx([0.0, 0.0, 10.0])
    assert not simulation.data.qvel[:6].any()
    run.advance(4000)  # the estimator begins anew from readings of the start, not from stale ones
    log = run.log
    assert simulation.time == pytest.approx(11.0)
    assert np.max(np.abs(log["truth.position.z"].values - 10.0)) < 3.0
    assert np.all(np.diff(log["truth.position.z"].time) > 0.0)
    run.close()


def test_a_channel_turns_the_camera_at_the_speed_of_its_mount(tmp_path: Path) -> None:
    twin = didymos.load("plane_1wing_sensors")
    file = write(tmp_path / "pad", stick(0.0, 4, -1.0), stick(1.0, 4, 0.0), stick(99.0, 4, 0.0))
    log = fly(twin, file, 1.5, "cruise")[0].log
    angle = log["joints.camera_joint.position"]
    assert angle.values[angle.time > 1.2] == pytest.approx(0.5, abs=0.02)  # 0.5 rad/s for a second
    assert np.abs(log["joints.laser_joint.position"].values).max() < 0.01


def speak(wire: int | socket.socket, *events: Event) -> None:
    content = b"".join(map(encode, events))
    if isinstance(wire, int):
        os.write(wire, content)
    else:
        wire.sendall(content)


def test_a_pipe_is_a_pad_until_its_writer_goes(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pad")
    pad = open_gamepad(str(tmp_path / "pad"), load_pad_map())
    assert pad.read(0.0) == (None,) * CHANNELS  # nobody writes yet
    assert not pad.lost
    writer = os.open(tmp_path / "pad", os.O_WRONLY)
    event = encode(stick(0.0, ROLL, 1.0))
    os.write(writer, event[:10])  # a struct may come in pieces
    assert pad.read(0.0)[0] is None
    os.write(writer, event[10:])
    assert pad.read(0.0)[0] == pytest.approx(1.0)
    os.close(writer)
    assert pad.read(0.0) is not None
    assert "wire was closed" in pad.lost
    assert pad.read(1.0) == (None,) * CHANNELS
    pad.close()


def test_a_socket_is_a_pad_until_it_closes(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "pad"))
        listener.listen(1)
        peers: list[socket.socket] = []
        thread = threading.Thread(target=lambda: peers.append(listener.accept()[0]))
        thread.start()
        pad = open_gamepad(str(tmp_path / "pad"), load_pad_map())
        thread.join()
        speak(peers[0], button(0.0, DROP, True))
        assert pad.read(0.0)[6] == 1.0
        peers[0].close()
        pad.read(0.0)
        assert pad.lost
        pad.close()


@pytest.mark.parametrize("what", ["missing", "folder", "half", "empty"])
def test_what_is_no_pad_is_refused(tmp_path: Path, what: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "half").write_bytes(b"x" * 30)
    (tmp_path / "empty").write_bytes(b"")
    with pytest.raises(InputError):
        open_gamepad(str(tmp_path / what), load_pad_map())


def test_a_run_without_a_pilot_has_no_channels(quadcopter: Twin) -> None:
    simulation: Simulation = quadcopter.simulate(scenario="hover")
    assert simulation.channels == ()
    with pytest.raises(InputError, match="no pilot"):
        Run(simulation).intervene("drop", "boxes")


@pytest.mark.parametrize(
    ("pilot", "complaint"),
    [
        ({"steer": [{"channel": 20, "target": "setpoints.z"}]}, "less than 20"),
        ({"steer": [{"channel": 0, "target": "setpoints.z", "span": 0.5, "offset": 2.0}]}, "beyond span"),
        ({"steer": [{"channel": 6, "target": "setpoints.z"}], "drop": 6}, "does something else already"),
    ],
)
def test_a_pilot_that_cannot_be_is_refused(pilot: dict[str, object], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        PilotSpec.model_validate(pilot)
