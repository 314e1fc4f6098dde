"""One battery for several motors: currents add up, the voltage sags by the load, the charge is what was drawn."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from didymos.engine.assemble import assemble
from didymos.errors import InputError
from didymos.twin import Twin

BODY = '<body name="box"><freejoint/><geom type="box" size=".1 .1 .1" mass="1000"/></body>'
BOX = f"<mujoco><worldbody>{BODY}</worldbody></mujoco>"
CELLS = {"kind": "battery", "link": "box", "full_voltage": 12.6, "empty_voltage": 10.0, "capacity": 3600.0, "resistance": 0.03}
MOTOR = {
    "kind": "electric_engine", "link": "box", "direction": 1.0, "cells": 3.0, "motor_resistance": 0.05, "speed_constant": 15.0,
    "inertia": 1e-4, "speed_limit": 2000.0, "diameter": 0.25, "advance_limit": 0.8, "thrust_limit": 100.0,
    "power": {"coefficients": [0.05]}, "efficiency": {"coefficients": [0.0, 1.0]}, "input_from": "battery",
}  # fmt: skip
ROTOR = {
    "kind": "rotor", "link": "box", "direction": 1.0, "thrust_coefficient": 1e-5, "torque_coefficient": 2e-7,
    "speed_per_input": 800.0, "rated_voltage": 12.6, "input_from": "battery", "time_constant": 0.05,
}  # fmt: skip


def readouts(parts: dict[str, dict[str, object]], inputs: dict[str, float], seconds: float) -> dict[str, dict[str, float]]:
    """Outputs of the parts after a time with inputs held; the body is too heavy to move."""
    twin = Twin.from_urdf(BOX, parts=parts, world={"gravity": 0.0, "step": 0.001, "integrator": "rk4"})
    made = assemble(twin)
    data = mujoco.MjData(made.model)
    for name, value in inputs.items():
        data.plugin_state[made.state.starts[f"inputs:{name}"]] = value
    for _ in range(round(seconds / 0.001)):
        mujoco.mj_step(made.model, data)
    found = {}
    for name, part in twin.file.parts.items():
        layout = part.contract.output_layout
        start = made.state.starts[f"outputs:{name}"]
        numbers = np.array(data.plugin_state[start : start + layout.itemsize // 8]).view(layout)[0]
        found[name] = {field: float(numbers[field]) for field in layout.names if np.ndim(numbers[field]) == 0}
    return found


def test_motors_on_one_battery_share_its_sag() -> None:
    """At rest of all states: V = U - R (I_1 + I_2), each motor's current as its own law says at that voltage."""
    alone = readouts({"battery": CELLS, "left": MOTOR}, {"left": 0.9}, 1.0)
    both = readouts({"battery": CELLS, "left": MOTOR, "right": MOTOR}, {"left": 0.9, "right": 0.9}, 1.0)
    for found, motors in ((alone, ("left",)), (both, ("left", "right"))):
        battery = found["battery"]
        drawn = sum(found[name]["supply_current"] for name in motors)
        assert battery["current"] == pytest.approx(drawn, rel=1e-4)
        open_circuit = 10.0 + 2.6 * battery["charge"]
        assert battery["voltage"] == pytest.approx(open_circuit - 0.03 * drawn, rel=1e-4)
        speed, constant = found["left"]["speed"], 1.0 / (2.0 * np.pi * 15.0)
        assert found["left"]["current"] == pytest.approx((0.9 * battery["voltage"] - constant * speed) / 0.05, rel=1e-3)
    assert both["left"]["speed"] < alone["left"]["speed"]
    assert both["battery"]["voltage"] < alone["battery"]["voltage"] - 0.1


def test_rotors_draw_what_their_shafts_take() -> None:
    found = readouts({"battery": CELLS, **{f"r{i}": ROTOR for i in range(4)}}, {f"r{i}": 0.8 for i in range(4)}, 2.0)
    battery, rotor = found["battery"], found["r0"]
    power = rotor["torque"] * rotor["speed"]
    assert rotor["supply_current"] == pytest.approx(power / (0.8 * battery["voltage"]), rel=1e-9)
    assert battery["current"] == pytest.approx(4.0 * rotor["supply_current"], rel=1e-4)
    assert rotor["speed"] == pytest.approx(800.0 * 0.8 * battery["voltage"] / 12.6, rel=1e-3)


def test_the_charge_is_what_was_drawn_and_an_empty_battery_gives_nothing() -> None:
    small = CELLS | {"capacity": 60.0, "resistance": 0.0}
    early, late = (readouts({"battery": small, "left": MOTOR}, {"left": 0.5}, seconds) for seconds in (1.0, 2.0))
    mean = 0.5 * (early["battery"]["current"] + late["battery"]["current"])
    assert early["battery"]["charge"] - late["battery"]["charge"] == pytest.approx(mean / 60.0, rel=0.02)  # I falls evenly
    empty = readouts({"battery": small | {"start_charge": 0.0}, "left": MOTOR}, {"left": 0.5}, 0.1)
    assert empty["battery"]["voltage"] == 0.0


def test_a_battery_that_runs_down_says_between_which_voltages() -> None:
    with pytest.raises(InputError, match="needs 'empty_voltage' below 'full_voltage'"):
        Twin.from_urdf(BOX, parts={"battery": CELLS | {"empty_voltage": 0.0}})
    with pytest.raises(InputError, match="the key 'start_voltage' is missing; or give 'capacity'"):
        Twin.from_urdf(BOX, parts={"battery": {"kind": "battery", "link": "box", "full_voltage": 4.2}})
