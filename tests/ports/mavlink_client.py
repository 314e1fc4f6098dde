"""Clients of MAVLink from the registry, unmodified, each in a process: python mavlink_client.py WHO ADDRESS SYSTEM POINTS.

Each connects, reads and sets parameters, arms, takes off, flies a mission, lands, and waits until the vehicle has disarmed.
POINTS are latitude and longitude [deg] and height above home [m], as JSON. Prints what it found as one line of JSON.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import os
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

PATIENCE = 150.0  # [s] of the wall clock for any one step, on a busy machine
AGAIN = 5.0  # [s] after which a question without an answer is asked again, as the protocol has it
ROOM, SO_RCVBUFFORCE = 4_000_000, 33  # [bytes]; Linux
ACCELERATION, GAIN, HEIGHT, RADIUS = 4.0, 1.25, 3.0, 0.3
Points = list[list[float]]


def fly_pymavlink(address: str, system: int, points: Points) -> dict[str, Any]:
    from pymavlink import mavutil

    mavlink = mavutil.mavlink
    link = mavutil.mavlink_connection(address)
    with contextlib.suppress(OSError):  # what comes while others have the processor waits here; more than this needs rights
        link.port.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, ROOM)

    def wait(kind: str, fits: Callable[[Any], bool] = lambda _message: True, ask: Callable[[int], None] | None = None) -> Any:
        """The next message of a kind of our system that fits, while we say that we are there.

        `ask` is told how often it has asked before, and asks again where no answer has come: datagrams may be lost.
        """
        end = time.monotonic() + PATIENCE
        asked, next_question = 0, 0.0
        while time.monotonic() < end:
            if ask is not None and time.monotonic() >= next_question:
                ask(asked)
                asked, next_question = asked + 1, time.monotonic() + AGAIN
            if time.monotonic() - said[0] > 1.0:
                said[0] = time.monotonic()
                link.mav.heartbeat_send(mavlink.MAV_TYPE_GCS, mavlink.MAV_AUTOPILOT_INVALID, 0, 0, 0)
            message = link.recv_match(type=kind, blocking=True, timeout=1.0)
            if message is not None and message.get_srcSystem() == system and fits(message):
                return message
        raise AssertionError(f"no {kind} came")

    def command(number: int, *parameters: float) -> int:
        """The result of a command."""
        numbers = (*parameters, *([0.0] * (7 - len(parameters))))

        def ask(before: int) -> None:
            link.mav.command_long_send(system, 1, number, before, *numbers)

        return int(wait("COMMAND_ACK", lambda message: message.command == number, ask).result)

    def parameter(name: str) -> float:
        def ask(_before: int) -> None:
            link.mav.param_request_read_send(system, 1, name.encode(), -1)

        return float(wait("PARAM_VALUE", lambda message: message.param_id == name, ask).param_value)

    def set_parameter(name: str, value: float) -> float:
        def ask(_before: int) -> None:
            link.mav.param_set_send(system, 1, name.encode(), value, mavlink.MAV_PARAM_TYPE_REAL32)

        return float(wait("PARAM_VALUE", lambda message: message.param_id == name, ask).param_value)

    said = [0.0]
    beat = wait("HEARTBEAT")
    told: dict[str, Any] = {"autopilot": beat.autopilot, "type": beat.type, "mode": mavutil.mode_string_v10(beat)}
    told["gain"] = parameter("POSITION_KP")
    told["set"] = [set_parameter("MPC_ACC_HOR", ACCELERATION), set_parameter("POSITION_KP", GAIN)]
    told["refused"] = set_parameter("POSITION_KP", -1.0)
    names: dict[int, str] = {}

    def ask_names(before: int) -> None:
        """All of them, then the first that did not come."""
        if before == 0 and not names:
            link.mav.param_request_list_send(system, 1)
        elif before > 0:
            link.mav.param_request_read_send(system, 1, b"", next(i for i in range(len(names) + 1) if i not in names))

    while True:
        message = wait("PARAM_VALUE", lambda message: message.param_index not in names, ask_names)
        names[message.param_index] = message.param_id
        if len(names) == message.param_count:
            break
    told["names"] = [names[i] for i in range(len(names))]
    wait("SYS_STATUS", lambda message: message.onboard_control_sensors_health & mavlink.MAV_SYS_STATUS_PREARM_CHECK)
    link.mav.mission_count_send(system, 1, len(points), mavlink.MAV_MISSION_TYPE_MISSION)
    for _ in points:
        number = wait("MISSION_REQUEST_INT").seq
        latitude, longitude, height = points[number]
        frame, what = mavlink.MAV_FRAME_GLOBAL_RELATIVE_ALT_INT, mavlink.MAV_CMD_NAV_WAYPOINT
        place = (round(latitude * 1e7), round(longitude * 1e7), height)
        link.mav.mission_item_int_send(system, 1, number, frame, what, number == 0, 1, 0.0, RADIUS, 0.0, math.nan, *place, 0)
    told["uploaded"] = wait("MISSION_ACK").type
    told["arm"] = command(mavlink.MAV_CMD_COMPONENT_ARM_DISARM, 1.0)
    told["take_off"] = command(mavlink.MAV_CMD_NAV_TAKEOFF, 0.0, 0.0, 0.0, math.nan, math.nan, math.nan, HEIGHT)
    wait("EXTENDED_SYS_STATE", lambda message: message.landed_state == mavlink.MAV_LANDED_STATE_IN_AIR)
    told["start"] = command(mavlink.MAV_CMD_MISSION_START)
    told["reached"] = [wait("MISSION_ITEM_REACHED").seq for _ in points]
    told["land"] = command(mavlink.MAV_CMD_NAV_LAND)
    wait("HEARTBEAT", lambda message: not message.base_mode & mavlink.MAV_MODE_FLAG_SAFETY_ARMED)
    return told


def fly_mavsdk(address: str, system: int, points: Points) -> dict[str, Any]:
    return asyncio.run(asyncio.wait_for(_fly_mavsdk(address, system, points), 2.0 * PATIENCE))


async def _fly_mavsdk(address: str, system: int, points: Points) -> dict[str, Any]:
    from mavsdk.asyncio import ComponentType, Configuration, Mavsdk
    from mavsdk.asyncio.plugins.action import ActionAsync
    from mavsdk.asyncio.plugins.mission import MissionAsync
    from mavsdk.asyncio.plugins.param import ParamAsync
    from mavsdk.asyncio.plugins.telemetry import TelemetryAsync
    from mavsdk.plugins.mission.mission import MissionItem, MissionPlan

    async with Mavsdk(Configuration.create_with_component_type(ComponentType.GROUND_STATION)) as sdk:
        await sdk.add_any_connection(address)
        vehicle = None
        while vehicle is None:
            await asyncio.sleep(0.1)
            numbers = {await item.get_system_id(): item for item in await sdk.get_systems()}
            vehicle = numbers.get(system)
        action, mission, param = ActionAsync(vehicle), MissionAsync(vehicle), ParamAsync(vehicle)
        telemetry = TelemetryAsync(vehicle)
        told: dict[str, Any] = {"gain": await param.get_param_float("POSITION_KP")}
        await param.set_param_float("MPC_ACC_HOR", ACCELERATION)
        await param.set_param_float("POSITION_KP", GAIN)
        told["set"] = [await param.get_param_float("MPC_ACC_HOR"), await param.get_param_float("POSITION_KP")]
        told["names"] = sorted(item.name for item in (await param.get_all_params()).float_params)
        async for ok in telemetry.subscribe_health_all_ok():
            if ok:
                break
        nan = math.nan
        items = [
            MissionItem(
                latitude, longitude, height, nan, False, nan, nan, MissionItem.CameraAction.NONE, nan, nan, RADIUS, nan, nan,
                MissionItem.VehicleAction.NONE,
            )
            for latitude, longitude, height in points
        ]  # fmt: skip
        await mission.upload_mission(MissionPlan(items))
        back = (await mission.download_mission()).mission_items
        told["back"] = [[item.latitude_deg, item.longitude_deg, item.relative_altitude_m] for item in back]
        await action.set_takeoff_altitude(HEIGHT)
        await action.arm()
        await action.takeoff()
        async for state in telemetry.subscribe_landed_state():
            if int(state) == 2:  # in the air
                break
        await mission.start_mission()
        told["progress"] = []
        async for progress in mission.subscribe_mission_progress():
            told["progress"].append(progress.current)
            if progress.current == progress.total:
                break
        told["finished"] = await mission.is_mission_finished()
        await action.land()
        async for armed in telemetry.subscribe_armed():
            if not armed:
                break
        async for state in telemetry.subscribe_landed_state():
            told["landed"] = int(state)
            break
        return told


class Proxy:
    """MAVProxy as a person has it: lines in, text out."""

    def __init__(self, address: str, system: int, folder: Path) -> None:
        script = Path(sys.executable).with_name("mavproxy.py")
        words = [sys.executable, "-u", str(script), f"--master={address}", f"--target-system={system}", "--no-state", "--nowait"]
        self.process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=folder,
            env=os.environ | {"HOME": str(folder)},
        )  # fmt: skip
        self.text, self._read = "", 0
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        while letter := self.process.stdout.read(1):
            self.text += letter

    def say(self, line: str) -> None:
        """Type a line."""
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def until(self, pattern: str, *, again: str | None = None) -> str:
        """Wait for a text behind the last one; what its group has. With `again`, type a line every two seconds until then."""
        end, typed = time.monotonic() + PATIENCE, 0.0
        while time.monotonic() < end:
            if again is not None and time.monotonic() - typed > 2.0:
                typed = time.monotonic()
                self.say(again)
            found = re.search(pattern, self.text[self._read :])
            if found is not None:
                self._read += found.end()
                return found[found.lastindex or 0]
            time.sleep(0.02)
        raise AssertionError(f"MAVProxy did not say {pattern!r}:\n{self.text}")


def fly_mavproxy(address: str, system: int, points: Points) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = [[i, int(i == 0), 3, 16, 0, RADIUS, 0, "nan", *point, 1] for i, point in enumerate(points)]
        lines = ["QGC WPL 110", *("\t".join(map(str, row)) for row in rows)]
        (folder / "mission.txt").write_text("\n".join(lines) + "\n")
        proxy = Proxy(address, system, folder)
        try:
            told: dict[str, Any] = {"received": int(proxy.until(r"Received (\d+) parameters"))}
            told["gain"] = float(proxy.until(r"POSITION_KP +([\d.]+)\n", again="param show POSITION_KP"))
            proxy.say(f"param set MPC_ACC_HOR {ACCELERATION}")
            proxy.say(f"param set POSITION_KP {GAIN}")
            told["set"] = [
                float(proxy.until(rf"MPC_ACC_HOR +({ACCELERATION})\n", again="param show MPC_ACC_HOR")),
                float(proxy.until(rf"POSITION_KP +({GAIN})\n", again="param show POSITION_KP")),
            ]
            proxy.say("wp load mission.txt")
            told["uploaded"] = proxy.until(r"Got MISSION_ACK: TYPE_MISSION: (\w+)")
            proxy.until(r"\bARMED", again="arm throttle")
            proxy.say(f"takeoff {HEIGHT}")
            told["take_off"] = proxy.until(r"Got COMMAND_ACK: NAV_TAKEOFF: (\w+)")
            proxy.until("Mode LOITER")
            proxy.say("long MISSION_START 0 0")
            told["current"] = [int(proxy.until(r"waypoint (\d+)\n")) for _ in points[1:]]
            proxy.until("AP: Mission finished")
            proxy.say("long NAV_LAND")
            proxy.until("DISARMED")
            return told
        finally:
            proxy.process.kill()
            proxy.process.wait()


if __name__ == "__main__":
    fly = {"pymavlink": fly_pymavlink, "mavsdk": fly_mavsdk, "mavproxy": fly_mavproxy}[sys.argv[1]]
    print(json.dumps(fly(sys.argv[2], int(sys.argv[3]), json.loads(sys.argv[4]))))
