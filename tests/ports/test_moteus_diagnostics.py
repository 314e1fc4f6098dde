"""The console of a moteus, by the client's own code: `moteus_tool`, configuration files, telemetry as tview reads it."""

from __future__ import annotations

import io
import json
import math
import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from moteus_peer import moteus, served, tool

import didymos
from didymos import Log
from didymos.control.idle import Idle
from didymos.describe.twin import Twin
from didymos.engine.intervention import load_interventions
from didymos.engine.run import Run
from didymos.ports.moteus.board import Board
from didymos.ports.moteus.configuration import GROUPS
from didymos.ports.moteus.console import Console
from didymos.ports.moteus.controller import Controller
from didymos.ports.moteus.run_drive import RunDrive

R, MODE = moteus.Register, moteus.Mode

FILE = """\
conf set servo.pid_position.kp 2.25
conf set servo.pid_position.kd 0.0625
conf set servo.pid_position.ilimit 0.5
conf set servo.default_accel_limit 12.5
conf set servo.default_velocity_limit nan
conf set servo.max_current_A 30
conf set servo.timeout_mode 15
conf set servo.flux_brake_margin_voltage 2.5
conf set servopos.position_min -3.5
conf set servopos.position_max nan
conf set motor.poles 40
conf set motor.Kv 91.5
conf set motor.offset.63 -0.25
conf set motor.cogging_dq_comp.1023 -7
conf set motor_position.sources.2.compensation_table.255 12
conf set motor_position.sources.1.type 7
conf set aux2.i2c.devices.0.poll_rate_us 500
conf set aux1.pins.4.mode 16
conf set drv8323_conf.idrivep_hs_ma 50
conf set clock.hsitrim 66
conf write
"""
"""A file for `moteus_tool --write-config`: something of every group."""

WRONG = """\
conf set servo.no_such 1
conf set motor_position.rotor_to_output_ratio 0.1
conf set servo.pid_position.kp 1.5
"""

NAMES = [name for group, record in GROUPS.items() for name, *_ in record.leaves(group, record.default)]

PARAMETERS = {"kp": 2.25, "kd": 0.0625, "current_limit": 30.0, "timeout_mode": 15.0, "torque_constant": 0.0919}
"""The twin's after that; the motor itself is what it is."""


@pytest.fixture(scope="module")
def power_unit() -> Twin:
    """The bundled power unit."""
    return didymos.load("power_unit")


def configuration(path: Path) -> dict[str, str]:
    """All names and values, as `moteus_tool --dump-config` prints them.

    The tool does without what came later than 0.2 s, and prints lines that lack a piece; such a dump is asked for again.
    """
    for _ in range(3):
        dump = tool(path, "--target", "1", "--dump-config").splitlines()
        found = {name: value for name, _, value in (line.partition(" ") for line in dump if line.strip())}
        if list(found) == NAMES:
            break
    return found


def test_a_configuration_file_is_written_and_read_back_equal(power_unit: Twin, tmp_path: Path) -> None:
    file, dump = tmp_path / "drive.cfg", tmp_path / "dump.cfg"
    file.write_text(FILE)
    said = {name: value for _, _, name, value in (line.split() for line in FILE.splitlines()[:-1])}
    with served(power_unit, tmp_path) as server:
        before = configuration(server.link)
        assert len(before) > 2000
        assert "could not be set" not in tool(server.link, "--target", "1", "--write-config", str(file))
        after = configuration(server.link)
        assert {name: after[name] for name in said} == said
        changed = {name for name in after if after[name] != before[name]}
        assert changed == {name for name in said if before[name] != said[name]}
        dump.write_text("\n".join(f"{name} {value}" for name, value in after.items()))
        assert "could not be set" not in tool(server.link, "--target", "1", "--restore-config", str(dump))
        assert configuration(server.link) == after
        its = {name: server.simulation.twin.parameters[f"parts.drive.{name}"].value for name in PARAMETERS}
        assert its == PARAMETERS
        wrong = tmp_path / "wrong.cfg"
        wrong.write_text(WRONG)
        told = tool(server.link, "--target", "1", "--write-config", str(wrong))
        assert "servo.no_such 1" in told
        assert "rotor_to_output_ratio 0.1" in told
        assert configuration(server.link)["servo.pid_position.kp"] == "1.5"
        server.stop()
    paths = {item.path for item in load_interventions(server.record).interventions if item.kind == "set"}
    assert "parts.drive.kp" in paths


def test_what_is_written_can_be_loaded_and_forgotten(power_unit: Twin, tmp_path: Path) -> None:
    async def work(c: Any) -> list[Any]:
        stream, name = moteus.Stream(c), b"servo.pid_position.kp"

        async def kp() -> float:
            return float(await stream.command(b"conf get " + name, allow_any_response=True))

        found = [await kp()]
        for command in (b"set %s 2.5" % name, b"write", b"set %s 9" % name, b"load", b"default", b"load"):
            await stream.command(b"conf " + command)
            found.append(await kp())
        for wrong in (b"diff", b"set %s x" % name, b"set nothing.here 1", b"get servo.nothing", b"enumerate servos"):
            with pytest.raises(moteus.CommandError):
                await stream.command(b"conf " + wrong)
        return found

    with served(power_unit, tmp_path) as server:
        assert server.run(work) == [1.7, 2.5, 2.5, 9.0, 2.5, 1.7, 2.5]


async def blob(stream: Any, command: str, head: str) -> bytes:
    """The bytes that answer a command, after the line that announces them."""
    await stream.write_message(command.encode())
    assert await stream.readline() == head.encode()
    data: bytes = await stream.read_binary_blob()
    return data


def flat(name: str, value: Any) -> dict[str, float]:
    """Leaves of what the client's reader found."""
    if hasattr(value, "_asdict"):
        return {key: leaf for field, item in value._asdict().items() for key, leaf in flat(f"{name}.{field}", item).items()}
    if isinstance(value, list):
        return {key: leaf for i, item in enumerate(value) for key, leaf in flat(f"{name}.{i}", item).items()}
    return {name: float(value)}


def test_tview_reads_configuration_by_its_schema(power_unit: Twin, tmp_path: Path) -> None:
    async def work(c: Any) -> tuple[dict[str, float], dict[str, str]]:
        stream, read = moteus.Stream(c), dict[str, float]()
        await stream.command(b"conf set motor.offset.3 1.5")
        for group in (await stream.command(b"conf list")).decode().split():
            schema = await blob(stream, f"conf schema {group}", f"cschema {group}")
            data = await blob(stream, f"conf data {group}", f"cdata {group}")
            kind, left = moteus.reader.Type.from_binary(io.BytesIO(schema), name=group), io.BytesIO(data)
            read |= flat(group, kind.read(moteus.reader.Stream(left)))
            assert left.read() == b""
        text = (await stream.command(b"conf enumerate")).decode()
        return read, dict(line.split() for line in text.splitlines())

    with served(power_unit, tmp_path) as server:
        read, text = server.run(work)
    assert list(read) == list(text)
    for name, value in read.items():
        assert float(text[name]) == pytest.approx(value, rel=1e-5, nan_ok=True), name  # six digits of text


def test_every_channel_is_read_by_the_clients_reader(power_unit: Twin, tmp_path: Path) -> None:
    async def work(c: Any) -> tuple[dict[str, Any], list[bytes]]:
        stream = moteus.Stream(c)
        for _ in range(60):
            await c.set_position(position=0.3, velocity=0.0, watchdog_timeout=math.nan, query=True)
        names = (await stream.command(b"tel list")).decode().split()
        told = {name: await stream.read_data(name) for name in names}
        await stream.command(b"tel text")
        text = (await stream.command(b"tel get servo_stats")).splitlines()
        await stream.command(b"tel fmt servo_stats 0")
        assert (await stream.read_data("servo_stats")).bus_V == 24.0
        return told, text

    with served(power_unit, tmp_path) as server:
        told, text = server.run(work)
    stats, place = told["servo_stats"], told["motor_position"]
    assert (stats.mode, stats.mode.name, stats.fault) == (10, "position", 0)
    assert stats.control_position == pytest.approx(0.3)
    assert stats.control_velocity == 0.0
    assert stats.q_A == pytest.approx(stats.torque_Nm / 0.0919, rel=1e-6)
    assert stats.cur1_A + stats.cur2_A + stats.cur3_A == pytest.approx(0.0, abs=1e-5)
    assert place.position == stats.position
    assert place.sources[0].filtered_value / 16384 == pytest.approx(stats.position % 1.0, abs=1e-6)
    assert told["servo_cmd"].position == pytest.approx(0.3)
    assert told["firmware"].version == 0x010100
    assert told["drv8323"].enabled
    assert b"servo_stats.mode 10" in text


def test_a_channel_is_told_at_its_rate_of_the_twins_clock(power_unit: Twin, tmp_path: Path) -> None:
    async def work(c: Any) -> tuple[int, list[Any], int]:
        stream = moteus.Stream(c, use_flow_control=False)  # so that nothing that was read comes again
        schema = await blob(stream, "tel schema servo_stats", "schema servo_stats")
        kind = moteus.reader.Type.from_binary(io.BytesIO(schema), name="servo_stats")
        for command in (b"tel rate servo_stats 20", b"tel fmt servo_stats 0", b"tel rate git 50", b"tel rate firmware 5"):
            await stream.command(command)
        begun, heads, stats = (await clock(c)), [], []
        for i in range(201):  # one second
            await c.set_position(position=0.001 * i, watchdog_timeout=math.nan, query=True)
            for _ in range(40):  # as tview polls: some bytes at a time
                data = await c.diagnostic_read(max_length=48)
                heads += [part.data for part in data if part.data]
                if not any(part.data for part in data):
                    break
        passed = await clock(c) - begun
        raw, told = b"".join(heads), 0
        while raw:
            head, _, rest = raw.partition(b"\r\n")
            size = int.from_bytes(rest[:4], "little")
            if head == b"emit servo_stats":
                stats.append(kind.read(moteus.reader.Stream(io.BytesIO(rest[4 : 4 + size]))))
            told += head == b"emit git"
            assert head != b"emit firmware"  # 5 ms: with every change, and it has none
            raw = rest[4 + size :]
        await stream.command(b"tel stop")
        await c.set_stop(query=True)
        return passed, stats, told

    async def clock(c: Any) -> int:
        return int((await c.custom_query({R.MILLISECOND_COUNTER: 2})).values[R.MILLISECOND_COUNTER])

    with served(power_unit, tmp_path) as server:
        passed, stats, git = server.run(work)
    assert passed > 1000
    assert len(stats) in (passed // 20 - 1, passed // 20)  # the last period is over for some
    assert git in (passed // 50 - 1, passed // 50)
    asked = [item.control_position for item in stats[2:]]
    assert all(b - a == pytest.approx(0.004, abs=0.0011) for a, b in pairwise(asked))  # 20 ms apart, to a query


def test_the_tool_stops_reads_and_talks(power_unit: Twin, tmp_path: Path) -> None:
    async def hold(c: Any) -> int:
        for _ in range(8):
            state = await c.set_position(position=0.2, watchdog_timeout=math.nan, query=True)
        return int(state.values[R.MODE])

    async def mode(c: Any) -> tuple[int, float]:
        values = (await c.query()).values
        return values[R.MODE], values[R.POSITION]

    with served(power_unit, tmp_path) as server:
        assert server.run(hold) == MODE.POSITION
        tool(server.link, "--target", "1", "--stop")
        assert server.run(mode)[0] == MODE.STOPPED
        assert json.loads(tool(server.link, "--target", "1", "--read", "servo_stats"))["bus_V"] == 24.0
        tool(server.link, "--target", "1", "--set-offset", "2.5")
        assert server.run(mode)[1] == pytest.approx(2.5, abs=0.02)  # it may still coast a little
        words = [sys.executable, "-m", "moteus.moteus_tool", "--fdcanusb", str(server.link), "--target", "1", "--console"]
        buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}  # the tool wants its buffer
        console = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=buffered)
        try:
            assert console.stdin is not None
            assert console.stdout is not None
            console.stdin.write(b"conf get id.id\nd exact 7\nd dq\nnonsense\n")
            console.stdin.flush()
            answers = [b""]
            while answers[-1] != b"ERR unknown command":  # before them may come what the last client did not acknowledge
                answers.append(console.stdout.readline().strip())
                assert console.poll() is None
        finally:
            console.kill()
            console.communicate()
        assert answers[-4:] == [b"1", b"OK", b"ERR missing d/q current", b"ERR unknown command"]
        assert server.run(mode)[1] == pytest.approx(7.0, abs=0.02)


def test_a_controller_moves_to_another_number_and_prefix(power_unit: Twin, tmp_path: Path) -> None:
    async def work(c: Any) -> list[Any]:
        stream = moteus.Stream(c)
        await stream.write_message(b"conf set id.id 9")
        moved = moteus.Controller(id=9, transport=c.transport)
        found = [(await moved.query()).values[R.MODE]]
        await moteus.Stream(moved).write_message(b"conf set can.prefix 77")
        prefixed = moteus.Controller(id=9, transport=c.transport, can_prefix=77)
        found.append((await prefixed.query()).values[R.MODE])
        stream = moteus.Stream(prefixed)
        await stream.flush_read()
        with pytest.raises(moteus.CommandError):
            await stream.command(b"conf set id.id 200")
        return found

    with served(power_unit, tmp_path) as server:
        assert server.run(work) == [0, 0]


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        (b"d pos 0 0", b"ERR missing p/v/i"), (b"d pos 0 0 nan x1", b"ERR unknown option"), (b"d zero 1", b"ERR missing p/v/i"),
        (b"d within 0 1", b"ERR missing min/max/t"), (b"d within 0 1 nan s1", b"ERR unknown option"), (b"d raw 1",
        b"ERR missing pwm value"),
        (b"d pwm 1", b"ERR missing phase or mag"), (b"d v 1 2", b"ERR missing a/b/c voltage"), (b"d vdq 1",
        b"ERR missing d/q voltage"),
        (b"d ind 1 0", b"ERR period must > 0"), (b"d exact", b"ERR missing index value"), (b"d led 1",
        b"ERR invalid led command"),
        (b"d cal 1", b"ERR encoder configuration error"), (b"d flash", b"ERR unknown command"), (b"tel get nothing",
        b"ERR unknown name"),
        (b"tel nothing", b"ERR unknown subcommand"), (b"conf diff", b"ERR unknown subcommand"), (b"clock", b"ERR unknown clock"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_as_the_firmware_says_it(power_unit: Twin, tmp_path: Path, command: bytes, answer: bytes) -> None:
    run = Run(power_unit.simulate(control=Idle()))
    console = Console(Controller(RunDrive(run, "", "drive"), Board("twin", "drive", 1), lambda _line: None))
    console.put(command + b"\n")
    assert console.get(100) == answer + b"\r\n"
    run.close()


def test_looking_changes_nothing_of_the_log(power_unit: Twin, tmp_path: Path) -> None:
    async def look(c: Any) -> None:
        stream = moteus.Stream(c)
        await stream.command(b"tel rate servo_stats 10")
        for _ in range(100):
            await c.query()
            await stream.read_data("git")
        await stream.command(b"conf write")

    with served(power_unit, tmp_path) as server:
        server.run(look)
        server.stop()
    log = Log.load(server.record)
    assert power_unit.simulate(control=Idle()).run(server.simulation.time).sha256 == log.sha256
