"""The Crazyflie's own client, cflib, unmodified, as a process of its own: python crtp_client.py WHAT URI ARGUMENTS.

Prints what it found as one line of JSON. Corners are pairs of the twin's clock [ms], by which the recording tells where the
robot really was, and the place that was asked for. Flights begin at START of the twin's clock: what its estimate is wrong by
follows from the seed and the clock alone, so all of them are the same flight, however long a client took to connect.
"""

from __future__ import annotations

import json
import math
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import cflib.crtp
from cflib.crazyflie import Crazyflie
from cflib.crazyflie.log import LogConfig
from cflib.crazyflie.mem import CompressedSegment, CompressedStart, MemoryElement, Poly4D
from cflib.crazyflie.swarm import Swarm
from cflib.crazyflie.syncCrazyflie import SyncCrazyflie
from cflib.crazyflie.syncLogger import SyncLogger
from cflib.crtp.udpdriver import UdpDriver
from cflib.positioning.motion_commander import MotionCommander
from cflib.positioning.position_hl_commander import PositionHlCommander
from cflib.utils.power_switch import PowerSwitch

SIDE, HEIGHT = 0.5, 0.6
START = 10.0  # [s]
SQUARE = ((SIDE, 0.0), (SIDE, SIDE), (0.0, SIDE), (0.0, 0.0))


@contextmanager
def connected(uri: str) -> Iterator[Any]:
    """A client with all that it downloads."""
    cflib.crtp.init_drivers()
    with SyncCrazyflie(uri, cf=Crazyflie()) as link:
        link.wait_for_params()
        yield link.cf


class Clock:
    """The twin's clock [ms] and what a block of variables says, as they arrive at 100 Hz."""

    def __init__(self, cf: Any, *names: str) -> None:
        self.rows: list[tuple[int, dict[str, float]]] = []
        self._came = threading.Condition()
        self._block = LogConfig("clock", 10)
        for name in names or ("stateEstimate.z",):
            self._block.add_variable(name)
        cf.log.add_config(self._block)
        self._block.data_received_cb.add_callback(self._take)
        self._block.start()

    def _take(self, stamp: int, values: dict[str, float], _block: Any) -> None:
        with self._came:
            self.rows.append((stamp, values))
            self._came.notify_all()

    def wait(self, seconds: float) -> int:
        """Let a time [s] of the twin's clock pass, however long that takes; the clock [ms] then."""
        with self._came:
            begin = len(self.rows)
            self._came.wait_for(lambda: len(self.rows) > begin, 60.0)
            end = self.rows[-1][0] + 1000.0 * seconds
            assert self._came.wait_for(lambda: self.rows[-1][0] >= end, 60.0 + 10.0 * seconds), "the twin's clock stands"
            return self.rows[-1][0]

    def begin(self) -> None:
        """Wait for START."""
        self.wait(max(START - self.wait(0.0) / 1000.0, 0.0))

    def wait_until(self, done: Callable[[dict[str, float]], bool], seconds: float) -> bool:
        """Wait until the values fulfil something, at most for a time [s] of the twin's clock."""
        end = self.wait(0.0) + 1000.0 * seconds
        while self.rows[-1][0] < end:
            if done(self.rows[-1][1]):
                return True
            self.wait(0.02)
        return done(self.rows[-1][1])


def contents(uri: str) -> dict[str, Any]:
    """Every parameter and every log variable, read."""
    with connected(uri) as cf:
        known = [f"{group}.{name}" for group, own in cf.param.toc.toc.items() for name in own]
        values = {name: cf.param.get_value(name) for name in known}
        names = [f"{group}.{name}" for group, own in cf.log.toc.toc.items() for name in own]
        logged: dict[str, float] = {}
        for at in range(0, len(names), 6):
            block = LogConfig(f"block {at}", 10)
            for name in names[at : at + 6]:
                block.add_variable(name)
            with SyncLogger(cf, block) as logger:
                logged |= next(iter(logger))[1]
        memories = [(memory.type, memory.size) for memory in cf.mem.mems]
        board = cf.mem.get_mems(MemoryElement.TYPE_1W)[0].elements
        return {"parameters": values, "logged": logged, "memories": memories, "board": board,
                "bits": cf.supervisor.read_bitfield(), "protocol": cf.platform.get_protocol_version()}


def steady_log(uri: str, seconds: float) -> dict[str, Any]:
    """Time stamps [ms] of a log at 100 Hz, of six variables, beside two other blocks."""
    with connected(uri) as cf:
        for period in (20, 100):
            other = LogConfig(f"every {period}", period)
            other.add_variable("pm.vbat")
            cf.log.add_config(other)
            other.start()
        clock = Clock(cf, *(f"stateEstimate.{name}" for name in ("x", "y", "z", "roll", "pitch", "yaw")))
        clock.wait(seconds)
        return {"stamps": [stamp for stamp, _ in clock.rows]}


def parameters(uri: str) -> dict[str, Any]:
    """Writes, by number and by name, what follows from them, and what is stored."""
    told: list[tuple[str, str]] = []
    with connected(uri) as cf:
        cf.param.add_update_callback(cb=lambda name, value: told.append((name, value)))

        def settle(done: Callable[[], bool]) -> None:
            end = time.monotonic() + 60.0
            while not done() and time.monotonic() < end:
                time.sleep(0.01)
            assert done(), told

        cf.param.set_value("posCtlPid.xKp", 2.5)
        settle(lambda: ("posCtlPid.yKp", "2.5") in told)
        cf.param.set_value("pid_rate.roll_kp", 100.0)
        settle(lambda: any(name == "pid_rate.roll_kp" for name, _ in told))
        cf.param.set_value("posCtlPid.xKp", 1e9)  # beyond what the gain may be
        settle(lambda: told[-1] == ("posCtlPid.xKp", "2.5"))
        cf.param.set_value_raw("ring.effect", 0x08, 7)
        told.clear()
        cf.param.request_param_update("ring.effect")
        settle(lambda: bool(told))
        raw = told[-1]
        states, done = [], threading.Event()

        def note(_name: str, what: Any) -> None:
            states.append(what if isinstance(what, bool) or what is None else list(what))
            done.set()

        for act in (cf.param.persistent_get_state, cf.param.persistent_store, cf.param.persistent_get_state,
                    cf.param.persistent_clear, cf.param.persistent_get_state, cf.param.get_default_value):
            done.clear()
            if act == cf.param.get_default_value:
                act("ring.effect", lambda _name, value: note("", [value]))
            else:
                act("ring.effect", note)
            assert done.wait(60.0)
        roll = float(cf.param.get_value("pid_attitude.roll_kp"))
        return {"raw": raw, "states": states, "roll": roll}


def square_high_level(uri: str) -> dict[str, Any]:
    """Take-off, a square, absolute and relative, and land, by the high-level commander."""
    with connected(uri) as cf:
        clock, fly = Clock(cf, "sys.isFlying"), cf.high_level_commander
        corners = []
        clock.begin()
        fly.takeoff(HEIGHT, 2.0)
        corners.append((clock.wait(3.5), (0.0, 0.0, HEIGHT)))
        for i, (x, y) in enumerate(SQUARE):
            if i % 2:
                fly.go_to(0.0, SIDE if i == 1 else -SIDE, 0.0, 0.0, 2.0, relative=True)
            else:
                fly.go_to(x, y, HEIGHT, 0.0, 2.0)
            corners.append((clock.wait(3.5), (x, y, HEIGHT)))
        fly.land(0.0, 2.0)
        landed = clock.wait(3.0)
        assert clock.wait_until(lambda values: values["sys.isFlying"] == 0, 10.0)
        return {"corners": corners, "landed": landed}


def square_position(uri: str) -> dict[str, Any]:
    """The same by PositionHlCommander, which sleeps by the wall clock; each corner is looked at a second of the twin's later."""
    with connected(uri) as cf:
        clock, corners = Clock(cf), []
        clock.begin()
        with PositionHlCommander(cf, default_height=HEIGHT, default_velocity=0.4, default_landing_height=0.0) as fly:
            corners.append((clock.wait(2.0), (0.0, 0.0, HEIGHT)))
            for x, y in SQUARE:
                fly.go_to(x, y)
                corners.append((clock.wait(2.0), (x, y, HEIGHT)))
        return {"corners": corners, "landed": clock.wait(2.5)}


def square_motion(uri: str) -> dict[str, Any]:
    """A square by MotionCommander: velocities for as long as they take by the wall clock."""
    with connected(uri) as cf:
        clock, corners = Clock(cf), []
        clock.begin()
        with MotionCommander(cf, default_height=HEIGHT) as fly:
            corners.append((clock.wait(2.0), (0.0, 0.0, HEIGHT)))
            moves = (fly.forward, fly.left, fly.back, fly.right)
            for move, (x, y) in zip(moves, SQUARE, strict=True):
                move(SIDE, velocity=0.25)
                corners.append((clock.wait(1.5), (x, y, HEIGHT)))
        return {"corners": corners, "landed": clock.wait(2.5)}


def modes(uri: str) -> dict[str, Any]:
    """Every kind of set-point, each for a while; what the log says before and after, in the order in which they are sent."""
    names = [f"stateEstimate.{name}" for name in ("x", "y", "z", "yaw", "roll", "pitch")]
    told: dict[str, Any] = {}
    with connected(uri) as cf:
        clock, send = Clock(cf, *names), cf.commander

        def stream(label: str, seconds: float, act: Callable[[], None]) -> None:
            begin = clock.wait(0.0)
            rows = [clock.rows[-1][1]]
            while clock.rows[-1][0] < begin + 1000.0 * seconds:
                act()
                clock.wait(0.03)
            told[label] = [[row[name] for name in names] for row in (*rows, clock.rows[-1][1])]
            told[label].append(max(abs(values["stateEstimate.roll"]) for stamp, values in clock.rows if stamp > begin))

        clock.begin()
        stream("position", 4.0, lambda: send.send_position_setpoint(0.0, 0.0, 1.0, 0.0))
        stream("velocity", 3.0, lambda: send.send_velocity_world_setpoint(0.2, 0.0, 0.1, 30.0))
        stream("stand", 2.0, lambda: send.send_velocity_world_setpoint(0.0, 0.0, 0.0, 0.0))
        stream("hover", 3.0, lambda: send.send_hover_setpoint(0.2, 0.0, 0.0, 1.0))
        stream("position again", 4.0, lambda: send.send_position_setpoint(0.0, 0.0, 1.0, 0.0))
        stream("height", 0.8, lambda: send.send_zdistance_setpoint(5.0, 0.0, 0.0, 1.2))
        stream("position once more", 4.0, lambda: send.send_position_setpoint(0.0, 0.0, 1.0, 0.0))
        yaw = math.pi / 4
        turned = [0.0, 0.0, math.sin(yaw / 2), math.cos(yaw / 2)]
        full = lambda: send.send_full_state_setpoint([0.3, -0.2, 0.8], [0] * 3, [0] * 3, turned, 0, 0, 0)  # noqa: E731
        stream("full state", 4.0, full)
        hover = int(float(cf.param.get_value("posCtlPid.thrustBase")))
        for _ in range(2):
            send.send_setpoint(0.0, 0.0, 0.0, 0)  # unlocks the thrust
        stream("thrust", 0.5, lambda: send.send_setpoint(4.0, 0.0, 0.0, min(hover + 2500, 60000)))
        stream("catch", 4.0, lambda: send.send_position_setpoint(0.0, 0.0, 1.0, 0.0))
        percent = 100.0 * (hover - 10001) / (60000 - 10001)
        stream("rates", 0.3, lambda: send.send_setpoint_manual(40.0, 0.0, 0.0, min(percent, 100.0), True))
        stream("catch again", 4.0, lambda: send.send_position_setpoint(0.0, 0.0, 0.3, 0.0))
        send.send_stop_setpoint()
        send.send_notify_setpoint_stop()
        clock.wait(3.0)
        told["bits"] = cf.supervisor.read_bitfield()
        return told


def trajectories(uri: str) -> dict[str, Any]:
    """A trajectory of polynomials, shifted to where the robot is and flown slower, a compressed one, a spiral, backwards."""
    with connected(uri) as cf:
        clock, fly, corners = Clock(cf), cf.high_level_commander, []
        clock.begin()
        fly.takeoff(HEIGHT, 2.0)
        clock.wait(3.0)
        memory = cf.mem.get_mems(MemoryElement.TYPE_TRAJ)[0]
        rest = [35.0, -84.0, 70.0, -20.0]  # from rest to rest by 1 in a second

        def moved(length: float, seconds: float, begin: float = 0.0) -> Any:
            return Poly4D.Poly([begin, 0, 0, 0, *(length * c / seconds ** (4 + i) for i, c in enumerate(rest))])

        memory.trajectory = [
            Poly4D(2.0, x=moved(0.4, 2.0), z=moved(0.0, 2.0)),
            Poly4D(2.0, x=Poly4D.Poly([0.4, 0, 0, 0, 0, 0, 0, 0]), y=moved(0.4, 2.0), z=moved(0.2, 2.0)),
        ]
        assert memory.write_data_sync()
        fly.define_trajectory(1, 0, 2)
        fly.start_trajectory(1, 1.25, relative_position=True)
        corners.append((clock.wait(6.5), (0.4, 0.4, HEIGHT + 0.2)))
        fly.start_trajectory(1, 1.0, relative_position=True, reversed=True)
        corners.append((clock.wait(5.5), (0.0, 0.0, HEIGHT)))
        memory.trajectory = [
            CompressedStart(0.0, 0.0, HEIGHT, 0.0),
            CompressedSegment(2.0, [0.0, 0.3, 0.3], [], [], []),
            CompressedSegment(2.0, [], [0.0, -0.3, -0.3], [HEIGHT, HEIGHT + 0.1, HEIGHT + 0.1], []),
        ]
        assert memory.write_data_sync(start_addr=1000)
        fly.define_trajectory(2, 1000, 2, type=fly.TRAJECTORY_TYPE_POLY4D_COMPRESSED)
        fly.start_trajectory(2)
        corners.append((clock.wait(5.5), (0.3, -0.3, HEIGHT + 0.1)))
        fly.spiral(math.pi / 2, 0.4, 0.4, -0.1, 3.0, clockwise=True)  # to the right of where it heads: a quarter circle
        corners.append((clock.wait(4.5), (0.7, -0.7, HEIGHT)))
        fly.go_to(0.0, 0.0, HEIGHT, 0.0, 3.0)
        corners.append((clock.wait(4.5), (0.0, 0.0, HEIGHT)))
        fly.land(0.0, 2.0)
        return {"corners": corners, "landed": clock.wait(3.0)}


def emergencies(uri: str) -> dict[str, Any]:
    """Silence in flight, an emergency stop and the watchdog, each followed by a restart."""
    told: dict[str, Any] = {}
    console: list[str] = []

    def restart() -> None:
        switch = PowerSwitch(uri)
        switch.stm_power_cycle()
        switch.close()

    for how in ("silence", "stop", "watchdog"):
        with connected(uri) as cf:
            cf.console.receivedChar.add_callback(console.append)
            clock = Clock(cf, "supervisor.state", "stateEstimate.z", "stateEstimate.roll")
            assert clock.wait_until(lambda values: values["supervisor.state"] == 3, 10.0)
            states = told.setdefault(how, [])
            for _ in range(60):
                cf.commander.send_hover_setpoint(0.0, 0.0, 0.0, 0.5)
                clock.wait(0.05)
            if how == "stop":
                cf.supervisor.send_emergency_stop()
            elif how == "watchdog":
                cf.supervisor.send_emergency_stop_watchdog()
                for _ in range(40):
                    cf.commander.send_hover_setpoint(0.0, 0.0, 0.0, 0.5)
                    clock.wait(0.05)
            clock.wait(4.0)
            states += sorted({values["supervisor.state"] for _, values in clock.rows}, key=lambda state: [
                values["supervisor.state"] for _, values in clock.rows].index(state))
            told[f"{how} height"] = clock.rows[-1][1]["stateEstimate.z"]
            cf.high_level_commander.takeoff(0.5, 1.0)  # a locked one does not fly
            clock.wait(2.0)
            told[f"{how} after"] = clock.rows[-1][1]["stateEstimate.z"]
        restart()
    with connected(uri) as cf:
        clock = Clock(cf, "supervisor.state", "stateEstimate.z")
        assert clock.wait_until(lambda values: values["supervisor.state"] == 3, 10.0)
        cf.supervisor.send_arming_request(True)
        cf.high_level_commander.takeoff(0.5, 1.0)
        clock.wait(3.0)
        told["again"] = clock.rows[-1][1]["stateEstimate.z"]
        cf.high_level_commander.land(0.0, 1.5)
        clock.wait(2.0)
    told["console"] = "".join(console)
    return told


def connections(uri: str, count: int) -> dict[str, Any]:
    """One client object, connected and disconnected again and again, with the memory tester each time."""
    cf = Crazyflie()
    cflib.crtp.init_drivers()
    errors = []
    for _ in range(count):
        with SyncCrazyflie(uri, cf=cf) as link:
            link.wait_for_params()
            memory = cf.mem.get_mems(MemoryElement.TYPE_MEMORY_TESTER)[0]
            read, written = threading.Event(), threading.Event()
            cf.param.set_value("memTst.resetW", 1)
            memory.read_data(5, 400, lambda *_, read=read: read.set())
            assert read.wait(60.0)
            assert memory.readValidationSuccess
            memory.write_data(5, 400, lambda *_, written=written: written.set())
            assert written.wait(60.0)
            block = LogConfig("errors", 20)
            block.add_variable("memTst.errCntW")
            with SyncLogger(cf, block) as logger:
                errors.append(next(iter(logger))[1]["memTst.errCntW"])
    return {"errors": errors}


def vanish(uri: str) -> dict[str, Any]:
    """Log at 100 Hz, and end without a word."""
    cflib.crtp.init_drivers()
    link = SyncCrazyflie(uri, cf=Crazyflie())
    link.open_link()
    Clock(link.cf).wait(0.5)
    print(json.dumps({}), flush=True)
    os._exit(0)


def swarm(uris: list[str]) -> dict[str, Any]:
    """All at once: take-off, to a place of its own, land."""
    cflib.crtp.init_drivers()
    corners: dict[str, Any] = {}

    def fly(link: Any, dx: float) -> None:
        clock, commander = Clock(link.cf), link.cf.high_level_commander
        clock.begin()
        commander.takeoff(HEIGHT, 2.0)
        clock.wait(3.0)
        commander.go_to(dx, 0.3, 0.0, 0.0, 2.0, relative=True)
        corners[link.cf.link_uri] = [clock.wait(3.5), [dx, 0.3, HEIGHT]]
        commander.land(0.0, 2.0)
        clock.wait(3.0)

    with Swarm(uris) as flock:
        flock.parallel_safe(fly, args_dict={uri: [0.1 * i] for i, uri in enumerate(uris)})
    return {"corners": corners}


def scan(_uri: str) -> dict[str, Any]:
    """What a client finds."""
    return {"found": [uri for uri, _ in UdpDriver().scan_interface()]}


def main() -> None:
    what, *arguments = sys.argv[1:]
    print(json.dumps(globals()[what](*map(json.loads, arguments))))


if __name__ == "__main__":
    main()
