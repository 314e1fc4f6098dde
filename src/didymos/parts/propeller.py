"""Propeller from a table, driven by an electric motor: thrust, torque and P-factor in all four quadrants.

    I    = motor current at the duty of the throttle (`motor.py`), with the voltage of a battery (`input_from`) or a steady one
    n    = w / (2 pi),  V the speed of the air along +x,  c_T, c_Q over phi and n of `propeller_data.py`
    T    = 1/2 rho A W^2 c_T,  Q = 1/2 rho A D W^2 c_Q                with T V <= Q w: energy is never made
    I_r dw/dt = k (I - I_0 sgn(w)) - Q

T acts along +x of the part's frame, the reaction -dir Q about it. Where air drives the blades (Q < 0) the shaft spins up,
whatever the throttle; the motor's idle current is its friction. With `reversible` = 1 a throttle below 0 turns it backward.

P-factor: in air that comes askew, with the velocity v of the hub across the axis, a blade at 0.7 R meets w r + v . t, t the way
that it goes. To first order in v / w r the load over a turn has one harmonic, whose mean is

    M = -dir 1/2 r (dT/dU) v,   N = -1/2 (1/r) (dQ/dU) v,   U = w r,  r = 0.35 D

a moment about the hub and a force across it: a propeller that turns right yaws a climbing aircraft to the left. dT/dU and dQ/dU
are those of the table at constant V. `p_factor` scales both, 0 switches them off.

References: Ribner, Propellers in Yaw, NACA TR 820 (1945), of which this is the first harmonic with the blade at one radius and
without induced sidewash; McCormick, Aerodynamics of V/STOL Flight (1967), ch. 4. Valid for v below half of w r; blades do not
flap or bend, and no wake of another propeller is known but through the air that the part is told.
"""

from __future__ import annotations

import math
from typing import Any

from didymos.contract import input, needs, option, output, parameter, state
from didymos.parts.jet_source import JetSource
from didymos.parts.motor import motor_current, torque_constant
from didymos.parts.part import Part, law
from didymos.parts.propeller_data import PROPELLER, TIP, PropellerFile, coefficients
from didymos.parts.wake import wake

__all__ = ["Propeller"]


class Propeller(Part):
    """Motor and table of a propeller."""

    direction = parameter(unit="1", low=-1, high=1, live=False, doc="sense of rotation about +x: 1 or -1")
    diameter = parameter(unit="m", above=0, doc="D")
    inertia = parameter(unit="kg m^2", above=0, doc="I_r, of all that turns")
    motor_resistance = parameter(unit="ohm", above=0, doc="R_m")
    speed_constant = parameter(unit="1/(s V)", above=0, doc="K_v, revolutions per second and volt")
    idle_current = parameter(0.0, unit="A", low=0, doc="I_0")
    supply = parameter(0.0, unit="V", low=0, doc="voltage where no battery is named")
    reversible = parameter(0.0, low=0, high=1, live=False, doc="1: a throttle below 0 turns it backward")
    thrust_scale = parameter(1.0, low=0, high=10, doc="factor on the table's thrust")
    torque_scale = parameter(1.0, low=0, high=10, doc="factor on the table's torque")
    p_factor = parameter(1.0, low=0, high=10, doc="factor on moment and force of flow across the axis; 0 for none")
    gyroscopic = parameter(0.0, low=0, high=1, doc="1 adds the moments of the spinning mass, without a joint")
    axle_gain = parameter(0.0, unit="N m s/rad", low=0, doc="torque per error of axle speed, where there is a joint")
    health = parameter(1.0, low=0, high=1, doc="share of the command that arrives; 0 is a motor that failed")
    table = option(PropellerFile, layout=PROPELLER, doc="a record with the key `file`")
    throttle = input(range=(-1.0, 1.0), doc="d, the duty of the speed controller; below 0 only where it is reversible")
    voltage = needs(unit="V", doc="of the battery, under load")
    speed = state(unit="rad/s", settles=True, doc="w, below 0 where it turns backward")
    thrust = output(unit="N", doc="T, along +x")
    shown_speed = output("speed", unit="rad/s", doc="dir w, about +x")
    wake = output(unit="m/s", doc="by how much the air behind is faster")
    torque = output(unit="N m", doc="Q, of the air against the spin; negative where the air drives it")
    current = output(unit="A", doc="I, of the motor")
    supply_current = output(unit="A", doc="d I, from the battery")
    advance = output(unit="1", doc="J = V / (n D), held within +-100")

    @classmethod
    def check(cls, spec: Any) -> None:
        """There is a voltage."""
        if spec.input_from is None and spec.supply == 0.0:
            raise ValueError("expected the key 'input_from': the battery that drives it, or 'supply': a steady voltage")

    @classmethod
    def jet_source(cls, numbers: Any) -> JetSource:
        return JetSource(0.5 * numbers.diameter)

    @law
    def act(prop, here, inputs, memory, state, rate, wrench, output):  # type: ignore[no-untyped-def]
        duty = prop.health * min(max(inputs.throttle, -1.0 if prop.reversible > 0.0 else 0.0), 1.0)
        side = -1.0 if duty < 0.0 else 1.0
        speed, constant = state.speed, torque_constant(prop.speed_constant)
        voltage = inputs.voltage if inputs.voltage > 0.0 else prop.supply
        current = motor_current(abs(duty), voltage, constant, side * speed, prop.motor_resistance, 0.0)
        d, along = prop.diameter, here.air_velocity[0]
        turns = (speed + prop.direction * here.air_rate[0]) / (2.0 * math.pi)
        tip = TIP * turns * d
        square = along * along + tip * tip
        thrust, torque, thrust_slope, torque_slope = 0.0, 0.0, 0.0, 0.0
        pressure = 0.5 * here.density * 0.25 * math.pi * d * d
        if square > 1e-12:
            a, b, thrust_slope, torque_slope = coefficients(prop.table, math.atan2(along, tip), abs(turns))
            thrust = prop.thrust_scale * pressure * square * a
            torque = prop.torque_scale * pressure * square * d * b
            power = torque * 2.0 * math.pi * turns
            if thrust * along > power:
                thrust = power / along
            # dT/dU at constant V: W^2 grows by 2 tip, phi falls by V / W^2
            rise = prop.p_factor * prop.thrust_scale * pressure * (2.0 * tip * a - along * thrust_slope)
            hold = prop.p_factor * prop.torque_scale * pressure * d * (2.0 * tip * b - along * torque_slope)
            radius = 0.35 * d
            moment, across = 0.5 * radius * rise, max(0.5 / radius * hold, 0.0)
            v, w = here.air_velocity[1], here.air_velocity[2]
            wrench.force[1], wrench.force[2] = -across * v, -across * w
            wrench.torque[1], wrench.torque[2] = -prop.direction * moment * v, -prop.direction * moment * w
        driving = side * constant * current
        friction = constant * prop.idle_current
        acceleration = driving - torque
        if speed != 0.0:
            acceleration -= math.copysign(friction, speed)
        else:
            acceleration = math.copysign(max(abs(acceleration) - friction, 0.0), acceleration)
        rate.speed = acceleration / prop.inertia
        wrench.force[0] = thrust
        wrench.torque[0] -= prop.direction * torque
        if prop.gyroscopic > 0.0:
            momentum = prop.direction * prop.inertia
            wrench.torque[0] -= momentum * rate.speed
            wrench.torque[1] -= momentum * speed * here.rate[2]
            wrench.torque[2] += momentum * speed * here.rate[1]
        wrench.joint_torque = prop.axle_gain * (prop.direction * speed - here.joint_velocity)
        output.thrust, output.torque = thrust, torque
        output.speed = prop.direction * speed
        output.wake = wake(thrust, along, here.density, 0.25 * math.pi * d * d)
        output.current, output.supply_current = current, abs(duty) * current
        travel = turns * d
        output.advance = min(max(along / travel, -100.0), 100.0) if abs(travel) > 1e-9 else 0.0
