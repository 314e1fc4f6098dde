"""The same program drives a robot that is not simulated: here one behind a socket, in another thread."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pytest

import didymos
from didymos.contract import setpoint
from didymos.control import Robot, Values
from didymos.errors import RunError

PERIOD = 0.01  # [s]
_WIRE = struct.Struct("<dd")


class Hold(didymos.Controller):
    """PD on the position of a mass; with a force for an input."""

    rate = 100.0
    kp = didymos.Gain(4.0)
    kd = didymos.Gain(4.0)
    x = setpoint(unit="m")

    def update(self, t: float, measured: Values, setpoints: Values) -> Mapping[str, float]:
        position, velocity = measured.encoder.rail.position, measured.encoder.rail.velocity
        return {"push": self.kp * (setpoints.x - position) - self.kd * velocity}


def _robot_at_the_other_end(wire: socket.socket) -> None:
    """A mass of 1 kg: answers each force with the state before it, then moves for one period under it."""
    position, velocity = 0.0, 0.0
    with wire, contextlib.suppress(ConnectionResetError):  # the near end hung up on what it had not read
        while True:
            wire.sendall(_WIRE.pack(position, velocity))
            received = wire.recv(_WIRE.size, socket.MSG_WAITALL)
            if len(received) < _WIRE.size:
                return
            force, _ = _WIRE.unpack(received)
            position += velocity * PERIOD + 0.5 * force * PERIOD**2
            velocity += force * PERIOD


class Wired:
    """The near end of the wire, as a `Plant`."""

    period = PERIOD

    def __init__(self, wire: socket.socket) -> None:
        self.wire = wire
        names = ("encoder.rail.position", "encoder.rail.velocity")
        self.robot = Robot(inputs=("push",), measured=names, setpoints=("x",))
        self._state, self._goal = np.zeros(2), np.array([1.0])
        self._measured = Values({name: i for i, name in enumerate(names)}, self._state)
        self._setpoints = Values({"x": 0}, self._goal)
        self._force = 0.0
        self.positions: list[float] = []

    def sense(self, tick: int) -> tuple[Values, Values]:
        self._state[:] = _WIRE.unpack(self.wire.recv(_WIRE.size, socket.MSG_WAITALL))
        self.positions.append(float(self._state[0]))
        return self._measured, self._setpoints

    def act(self, tick: int, inputs: Mapping[str, float]) -> None:
        self._force = inputs.get("push", self._force)
        self.wire.sendall(_WIRE.pack(self._force, 0.0))


@pytest.fixture
def wired() -> Iterator[Wired]:
    near, far = socket.socketpair()
    thread = threading.Thread(target=_robot_at_the_other_end, args=(far,), daemon=True)
    thread.start()
    yield Wired(near)
    near.close()
    thread.join()


CART = """<mujoco><worldbody><body name="cart"><joint name="rail" type="slide" axis="1 0 0"/><geom size=".1" mass="1"/>
  </body></worldbody><actuator><motor name="push" joint="rail"/></actuator></mujoco>"""


def test_one_program_moves_the_robot_on_the_wire_and_its_twin_alike(wired: Wired, make_twin: Any) -> None:
    didymos.drive(wired, Hold(), first=0, count=500)
    twin = make_twin(
        CART,
        world={"step": PERIOD, "integrator": "rk4"},
        sensors={"encoder": {"kind": "joints", "rate": 100}},
        scenarios={"hold": {"setpoints": {"x": 1.0}}},
    )
    twins = twin.simulate(scenario="hold", control=Hold()).run(5.0)["encoder.rail.position"].values
    # RK4 is exact under a constant force, so both differ by roundings, which the loop damps
    np.testing.assert_allclose(wired.positions, twins, atol=1e-13)
    assert abs(wired.positions[-1] - 1.0) < 1e-3  # critically damped at 2 rad/s: 11 e^-10 = 5e-4


def test_a_program_that_fails_on_the_wire_says_when(wired: Wired) -> None:
    class Failing(Hold):
        def update(self, t: float, measured: Values, setpoints: Values) -> Mapping[str, float]:
            return {"push": float("nan")} if t >= 0.1 else super().update(t, measured, setpoints)

    with pytest.raises(RunError, match=r"at t = 0\.1 s: the control program Failing set push to nan"):
        didymos.drive(wired, Failing(), first=0, count=500)
