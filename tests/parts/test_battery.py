"""A battery gives the voltage that was measured, or its own that falls; a rotor on it turns as fast as the voltage lets it."""

from __future__ import annotations

import pytest
from laws import Law, call

from didymos.errors import InputError
from didymos.parts.battery import Battery
from didymos.parts.rotor import Rotor
from didymos.twin import Twin

CELL = {"full_voltage": 4.2, "start_voltage": 3.8, "fall": 0.01}
ON_BATTERY = {
    "direction": 1, "thrust_coefficient": 2e-8, "speed_per_input": 1200.0, "speed_at_zero": 700.0, "input_from": "battery",
    "rated_voltage": 3.5,
}  # fmt: skip


@pytest.mark.parametrize(("share", "time", "voltage"), [(0.8, 30.0, 3.36), (0.0, 30.0, 3.5), (0.0, 1000.0, 0.0), (1.0, 0.0, 4.2)])
def test_a_measured_voltage_takes_the_place_of_the_one_that_falls(share: float, time: float, voltage: float) -> None:
    answer = Law(Battery, **CELL)(inputs={"measured": share}, time=time)
    assert answer.readouts["voltage"] == pytest.approx(voltage, abs=1e-12)
    assert not answer.force.any()
    assert not answer.torque.any()


@pytest.mark.parametrize("exponent", [1.0, 0.6])
def test_a_rotor_turns_by_the_voltage_of_its_battery(exponent: float) -> None:
    """w = K u (V / V_0)^n + C: the part that stands without a command does not hang on the voltage."""
    answer = call(Rotor, inputs={"command": 0.5, "voltage": 3.0}, voltage_exponent=exponent, **ON_BATTERY)
    speed = 600.0 * (3.0 / 3.5) ** exponent + 700.0
    assert answer.readouts["speed"] == pytest.approx(speed, rel=1e-12)
    assert answer.force[0] == pytest.approx(2e-8 * speed**2, rel=1e-12)


def test_a_rotor_without_a_rated_voltage_does_not_ask_for_one() -> None:
    without = {**ON_BATTERY, "rated_voltage": 0.0}
    assert call(Rotor, inputs={"command": 0.5, "voltage": 3.0}, **without).readouts["speed"] == pytest.approx(1300.0, rel=1e-12)


def test_a_rated_voltage_without_a_battery_is_refused() -> None:
    body = '<body name="box"><freejoint/><geom type="box" size=".1 .1 .1" mass="1"/></body>'
    box = f"<mujoco><worldbody>{body}</worldbody></mujoco>"
    rotor = {key: value for key, value in ON_BATTERY.items() if key != "input_from"} | {"kind": "rotor", "link": "box"}
    with pytest.raises(InputError, match="rated_voltage needs the key 'input_from'"):
        Twin.from_urdf(box, parts={"lift": rotor})
