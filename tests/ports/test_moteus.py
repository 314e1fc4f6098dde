"""A twin on the wire of a moteus, as the public client, unmodified, sees and drives it."""

from __future__ import annotations

import asyncio
import json
import math
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
from moteus_peer import PATIENT, Served, served, tool

import didymos
from didymos import InputError, Log
from didymos.control.idle import Idle
from didymos.describe.twin import Twin
from didymos.engine.intervention import load_interventions
from didymos.ports.moteus.port import serve
from didymos.ports.serve_options import ServeOptions

moteus = pytest.importorskip("moteus")
SRC = Path(didymos.__file__).parent.parent
R, MODE = moteus.Register, moteus.Mode


@pytest.fixture(scope="module")
def power_unit() -> Twin:
    """The bundled power unit."""
    return didymos.load("power_unit")


@pytest.fixture(scope="module")
def legs(make_twin: Any) -> Twin:
    """Twelve drives on twelve arms."""
    arms = "".join(
        f'<body name="arm{i}" pos="{i} 0 0"><joint name="hinge{i}" axis="0 0 1"/>'
        '<geom type="capsule" fromto="0 0 0 .3 0 0" size=".02" mass=".5"/></body>'
        for i in range(12)
    )
    drive = {"kind": "drive", "ratio": 9.97, "kp": 1.7, "kd": 0.05, "peak_torque": 3.5, "watchdog": 0.1, "rotor_inertia": 3.3e-4}
    parts = {f"d{i}": drive | {"link": f"arm{i}", "joint": f"hinge{i}"} for i in range(12)}
    world = {"step": 0.001, "integrator": "implicitfast"}
    twin: Twin = make_twin(f"<mujoco><worldbody>{arms}</worldbody></mujoco>", parts=parts, world=world)
    return twin


def test_moteus_tool_reads_zeroes_and_configures(power_unit: Twin, tmp_path: Path) -> None:
    async def turn(c: Any) -> Any:
        for _ in range(60):
            state = await c.set_position(position=0.3, velocity=0.0, query=True)
        await c.set_stop()
        return state.values[R.POSITION]

    async def look(c: Any) -> Any:
        return (await c.query()).values[R.POSITION], await c.custom_query({R.HOME_STATE: 0})

    async def console(c: Any) -> tuple[dict[str, str], Any]:
        stream = moteus.Stream(c)
        await stream.write_message(b"tel stop")  # as the tool does: what the last client did not acknowledge comes again
        await stream.flush_read()
        config = (await stream.command(b"conf enumerate")).decode()
        return dict(line.split() for line in config.splitlines()), await stream.read_data("servo_stats")

    with served(power_unit, tmp_path) as server:
        info = json.loads(tool(server.link, "--target", "1", "--info"))
        assert info["model"] == "411"
        assert len(info["serial_number"]) == 16
        assert info["uuid"].count("-") == 4
        assert server.run(turn) > 0.2
        assert "conf write" in tool(server.link, "--target", "1", "--zero-offset")
        position, home = server.run(look)
        assert abs(position) < 0.02  # it coasts to a stop within a period or two
        assert home.values[R.HOME_STATE] == 2
        config, stats = server.run(console)
        assert float(config["servo.pid_position.kp"]) == 1.7
        assert config["id.id"] == "1"
        assert stats.bus_V == 24.0
        assert stats.mode == 0
        found = tool(server.link, "--info")  # without a target: whoever is there
        assert info["uuid"] in found
        assert server.stop()["refused"] == 0
    assert not server.link.is_symlink()


def test_a_position_is_followed_at_200_hz_and_the_run_can_be_repeated(power_unit: Twin, tmp_path: Path) -> None:
    amplitude, frequency, count = 0.5, 0.5, 400
    omega = 2.0 * math.pi * frequency

    async def follow(c: Any) -> list[Any]:
        states = []
        for i in range(count):
            t = i * 0.005
            position, speed = amplitude * math.sin(omega * t), amplitude * omega * math.cos(omega * t)
            states.append(await c.set_position(position=position, velocity=speed, query=True))
        await c.set_stop()
        return states

    with served(power_unit, tmp_path) as server:
        states = server.run(follow)
        facts = server.stop()
    assert facts["frames"] == count + 1
    assert facts["replies"] == count
    assert facts["lost"] == facts["refused"] == 0
    assert all(state is not None for state in states)
    assert {state.values[R.MODE] for state in states[3:]} == {MODE.POSITION}
    assert {state.values[R.FAULT] for state in states} == {0}
    positions = np.array([state.values[R.POSITION] for state in states])
    setpoints = amplitude * np.sin(omega * 0.005 * np.arange(count))
    assert np.abs(positions - setpoints).max() < _farthest(power_unit, server, amplitude, omega)
    times = np.arange(count) * 0.005 + 0.001  # the first query comes after the first tick
    log = Log.load(server.record)
    seen = np.interp(times - 0.001, log["parts.drive.position"].time, log["parts.drive.position"].values)
    assert np.abs(positions - seen).max() < amplitude * omega * 0.0011  # the same, but for a tick
    done = load_interventions(server.record)
    again = power_unit.simulate(control=Idle()).run(done.seconds, interventions=done.interventions)
    assert again.sha256 == log.sha256


def _farthest(twin: Twin, server: Served, amplitude: float, omega: float) -> float:
    """How far the drive can be from where it should [rev]: all torques against it at once, over the stiffness, and the delay."""
    p = {name: twin.parameters[f"parts.drive.{name}"].value for name in ("kp", "coulomb", "stribeck", "delay", "ratio")}
    waves = [math.hypot(*(twin.parameters[f"parts.drive.ripple{i}_{w}"].value for w in ("sine", "cosine"))) for i in range(1, 7)]
    drive: Any = twin.file.parts["drive"]
    tables = [max(map(abs, table.values)) for table in (drive.ripple_table, drive.coulomb_table)]  # splines stay within weights
    inertia = np.zeros((1, 1))
    mujoco.mj_fullM(server.simulation.model, server.simulation.data, inertia)
    turning = inertia[0, 0] / p["ratio"] ** 2 * 2.0 * math.pi * amplitude * omega**2  # [N m] at the motor
    still = (p["coulomb"] + p["stribeck"] + sum(waves) + sum(tables) + turning) / p["kp"]
    return still + amplitude * omega * (p["delay"] + 0.005)  # and a period, for a command that holds until the next


def test_twelve_controllers_on_one_bus_at_200_hz(legs: Twin, tmp_path: Path) -> None:
    rounds, numbers = 100, range(1, 13)

    async def walk(*controllers: Any) -> list[list[Any]]:
        found = []
        for i in range(rounds):
            wave = 0.01 * math.sin(0.02 * math.pi * i)
            commands = [c.make_position(position=wave * c.id, velocity=0.0, query=True) for c in controllers]
            found.append(await controllers[0].transport.cycle(commands))
        return found

    with served(legs, tmp_path) as server:
        found = server.run(walk, *numbers)
        facts = server.stop()
    assert facts["replies"] == facts["frames"] == 12 * rounds
    assert all([state.id for state in states] == list(numbers) for states in found)
    assert server.simulation.tick == 1 + 5 * (rounds - 1)  # a period per round, whoever was asked
    quarter = {state.id: state.values[R.POSITION] for state in found[rounds // 4 + 3]}
    for number in numbers:  # no friction: each follows its own command
        assert quarter[number] == pytest.approx(0.01 * number, rel=0.25)


def test_twelve_controllers_answer_in_real_time_as_fast_as_they_are_asked(legs: Twin, tmp_path: Path) -> None:
    async def poll(*controllers: Any) -> list[list[int]]:
        commands = [c.make_position(position=math.nan, query=True) for c in controllers]
        return [[state.id for state in await controllers[0].transport.cycle(commands)] for _ in range(200)]

    with served(legs, tmp_path, step_locked=False) as server:
        assert server.run(poll, *range(1, 13)) == [list(range(1, 13))] * 200
        facts = server.stop()
    assert (facts["replies"], facts["refused"], facts["lost"]) == (2400, 0, 0)


def test_numbers_on_the_bus_are_chosen_by_name(legs: Twin, tmp_path: Path) -> None:
    async def discover(c: Any) -> list[int]:
        return [device.can_id for device in await c.transport.discover()]

    with served(legs, tmp_path, ids={"d0": 40, "d5": 1}) as server:
        assert server.run(discover) == [1, *range(2, 12), 40]
        assert server.stop()["ids"]["d5"] == 1


def test_modes_and_the_watchdog(power_unit: Twin, tmp_path: Path) -> None:
    async def work(c: Any) -> list[int]:
        modes = []

        async def note(times: int = 3) -> None:
            for _ in range(times):
                state = await c.query()
            modes.append(state.values[R.MODE])

        await note()
        await c.set_position(position=0.1)
        await note()
        await note(25)  # 125 ms without a command
        await c.set_position(position=0.1)  # does not lead out
        await note()
        await c.set_stop()
        await note()
        await c.set_position(position=0.1, watchdog_timeout=0.2)
        await note(25)
        await note(25)
        await c.set_stop()
        await c.set_position(position=0.1, watchdog_timeout=math.nan)
        await note(100)
        await c.set_zero_velocity()
        await note()
        await c.set_brake()
        await note()
        await c.set_position(position=math.nan)
        await note(1)  # the commanded mode at once, though the drive takes it a delay later
        await c.set_stop()
        await note(1)
        await c.set_position(position=math.nan)
        await note(1)  # until there is torque it measures the zero of its currents
        await note(4)
        await moteus.Stream(c).command(b"d tmt 0 0 1")
        await note()
        await c.set_brake()  # does not lead out either
        await note()
        return modes

    with served(power_unit, tmp_path) as server:
        assert server.run(work) == [0, 10, 11, 11, 0, 10, 11, 10, 12, 15, 10, 0, 3, 10, 11, 11]


def test_a_mode_that_the_motor_has_no_numbers_for_is_a_fault(legs: Twin, tmp_path: Path) -> None:
    async def work(c: Any) -> list[Any]:
        found = []
        for ask in (c.set_brake, lambda: c.set_current(d_A=0.0, q_A=1.0), lambda: c.set_vfoc(theta=0.0, voltage=1.0)):
            await ask()
            state = await c.query()
            await c.set_position(position=0.1)  # does not lead out
            again = await c.query()
            await c.set_stop()
            found.append((state.values[R.MODE], state.values[R.FAULT], again.values[R.MODE], (await c.query()).values[R.MODE]))
        return found

    with served(legs, tmp_path) as server:
        assert server.run(work) == [(1, 36, 1, 0)] * 3
    assert any("mode 15 needs the drive's torque_constant" in line for line in server.said)


def test_a_supply_out_of_range_is_a_fault(power_unit: Twin, tmp_path: Path) -> None:
    async def work(c: Any) -> tuple[Any, Any]:
        await c.set_position(position=0.1)
        return await c.query(), await c.set_stop(query=True)

    twin = power_unit.copy()
    twin.set("parts.drive.voltage", 8.0)
    with served(twin, tmp_path) as server:
        state, stopped = server.run(work)
    assert [state.values[register] for register in (R.MODE, R.FAULT, R.VOLTAGE)] == [1, 40, 8.0]
    assert stopped.values[R.MODE] in (0, 1)


def test_limits_bounds_and_gains_count(power_unit: Twin, tmp_path: Path) -> None:
    async def work(c: Any) -> dict[str, Any]:
        stream = moteus.Stream(c)
        found: dict[str, Any] = {}
        for _ in range(100):  # half a second of a slow set-point
            state = await c.set_position(position=1.0, velocity_limit=0.5, query=True)
        found["slow"] = state.values[R.POSITION]
        asked = await c.custom_query({R.CONTROL_POSITION: 3, R.TRAJECTORY_COMPLETE: 0})
        found["set_point"], found["complete"] = asked.values[R.CONTROL_POSITION], asked.values[R.TRAJECTORY_COMPLETE]
        found["torque"] = 0.0
        for _ in range(20):
            state = await c.set_position(position=30.0, maximum_torque=0.25, query=True)
            found["torque"] = max(found["torque"], abs(state.values[R.TORQUE]))
        await stream.command(b"conf set servo.pid_position.kp 3.5")
        found["kp"] = float(await stream.command(b"conf get servo.pid_position.kp", allow_any_response=True))
        await stream.command(b"d stop")
        await stream.command(b"conf set servopos.position_max -50")
        await c.set_position(position=0.0)
        found["fault"] = (await c.query()).values[R.FAULT]
        return found

    with served(power_unit, tmp_path) as server:
        found = server.run(work)
        assert server.simulation.twin.parameters["parts.drive.kp"].value == 3.5
    assert found["set_point"] == pytest.approx(0.25, abs=0.01)
    assert found["slow"] == pytest.approx(0.25, abs=0.08)  # dry friction over stiffness
    assert found["complete"] == 0
    assert found["torque"] == pytest.approx(0.25, abs=1e-6)
    assert found["kp"] == 3.5
    assert found["fault"] == 39


def test_garbage_on_the_terminal_is_refused_and_the_client_still_works(power_unit: Twin, tmp_path: Path) -> None:
    async def look(c: Any) -> Any:
        return await c.query()

    with served(power_unit, tmp_path) as server:
        client = os.open(server.link, os.O_RDWR | os.O_NOCTTY)
        for data in (b"nonsense\n", b"can send\n", b"can send 8001 ABC\n", b"\xff\x00" * 300 + b"\n", b"can send 8001 77\n"):
            os.write(client, data)
        answers = b""
        while answers.count(b"\r\n") < 6:
            answers += os.read(client, 4096)
        os.close(client)
        assert answers.count(b"ERR") == 4
        assert b"OK\r\nrcv 100  e B F\r\n" in answers  # a message that cannot be understood has an empty reply
        assert server.run(look).values[R.MODE] == 0
        assert server.stop()["refused"] >= 4


def test_in_real_time_the_clock_runs_and_replies_come(power_unit: Twin, tmp_path: Path) -> None:
    async def hold(c: Any) -> list[Any]:
        states = []
        for _ in range(60):
            states.append(await c.set_position(position=0.2, watchdog_timeout=math.nan, query=True))
            await asyncio.sleep(0.005)
        while (await c.query()).values[R.POSITION] < 0.1:
            await asyncio.sleep(0.005)
        return states

    with served(power_unit, tmp_path, step_locked=False) as server:
        states = server.run(hold)
        facts = server.stop()
    assert all(state is not None for state in states)
    assert facts["lost"] == 0
    assert server.simulation.time > 0.1


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGKILL])
def test_a_server_that_is_ended_leaves_its_log_whole(power_unit: Twin, tmp_path: Path, ending: signal.Signals) -> None:
    link, record = tmp_path / "bus", tmp_path / "served.mcap"
    words = ["serve", "power_unit", "--port", "moteus", "--link", str(link), "--record", str(record), "--step-locked", "--json"]
    command = [sys.executable, "-m", "didymos.cli.main", *words]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join((str(SRC), os.environ.get("PYTHONPATH", "")))}
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    try:
        assert server.stderr is not None
        assert "fdcanusb at" in server.stderr.readline()

        async def work() -> Any:
            transport = moteus.Fdcanusb(str(link), **PATIENT)
            c = moteus.Controller(id=1, transport=transport)
            for _ in range(401):  # two seconds: five chunks of the record
                state = await c.set_position(position=0.25, query=True)
            transport.close()
            return state

        state = asyncio.run(work())
        server.send_signal(ending)
        out, err = server.communicate()
    finally:
        server.kill()
    log = Log.load(record)
    if ending == signal.SIGINT:
        assert server.returncode == 0, err
        assert json.loads(out)["frames"] == 401
        assert not link.is_symlink()
        assert log["parts.drive.position"].time[-1] == pytest.approx(2.0)
        assert len(load_interventions(record).interventions) == 401
    else:
        assert log["parts.drive.position"].time[-1] > 2.0 - 2 * 0.4  # a killed run loses at most two chunks
    assert log["parts.drive.position"].values[-1] == pytest.approx(state.values[R.POSITION], abs=0.01)


def test_what_cannot_be_served_is_said(power_unit: Twin, quadcopter: Twin, tmp_path: Path) -> None:
    for twin, options, text in (
        (quadcopter, ServeOptions(), "no part of kind drive"),
        (power_unit, ServeOptions(ids={"drvie": 1}), "did you mean"),
        (power_unit, ServeOptions(ids={"drive": 127}), "1 to 126"),
        (power_unit, ServeOptions(link=tmp_path), "cannot be made"),
    ):
        with pytest.raises(InputError, match=text):
            serve(twin.simulate(control=Idle()), options)
