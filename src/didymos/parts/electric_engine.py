"""Electric engine: battery, speed controller, brushless motor and propeller.

    E    = cells v(charge)                                          battery, v from full to empty linearly, 0 when empty
    I    = max(0, (d E - k w) / (R_m + d^2 R_s)),  k = 1 / (2 pi K_v)   motor current at duty d; the battery gives d I
    J    = V / (n D),  n = w / (2 pi)                               advance ratio, held in [0, J_max]
    P    = C_P(J) rho n^3 D^5                                       power taken by the propeller,  Q = P / w
    T    = min( P eta(J) / V + 0.9 exp(-V / 4) T_0(P), T_b(P, V) )  thrust,  T_0 = (pi/2 D^2 rho P^2)^(1/3)
    I_r dw/dt = k (I - I_0) - Q,        d(charge)/dt = -d I / capacity

T acts along +x of the part's frame, the reaction -dir Q about it; V is the speed of the air along +x. The speed w >= 0 and the
charge (1 full, 0 empty) are continuous states. The joint, where there is one, is the axle: it is brought to dir w by a torque
between motor and axle, whose reaction the airframe feels; so `inertia` should be that of the axle and what turns with it.
Without a joint, `gyroscopic` = 1 adds the moments of the spinning mass: -dir I_r (dw/dt x + omega x w x).
The blades meet the air with w plus what the body turns about +x.

T_b, the bound, is the thrust of an ideal disc that turns the part 0.9^(3/2) of P into the stream: 2 rho A v (V + v)^2 = 0.854
P, T_b = 2 rho A v (V + v). It is 0.9 T_0 at rest and keeps T V below P. With the air from behind (V < 0: tail wind on the
ground, a tail slide) thrust and torque are those at rest: T V is below zero then. Never below zero are T, P and Q: a propeller
that windmills neither brakes nor drives its motor; in a dive with a closed throttle the drag of a real one is missing.

Reference: last_letter_2 (its electricEngine), whose propeller curves and static term 0.9 T_0 are kept. Corrected here:
the speed is integrated over time (there: over throttle, per step); torque opposes the spin (there: along it); J is
bounded and nothing divides by V or w; the static term does not grow with wind from behind; the two terms of the thrust, which
there add up to twice what the power can give at walking pace, are bounded by T_b; the drop across the battery's resistance
is that of the mean current d I (there R_s d instead of R_s d^2); the controller does not push current back into the battery.
"""

from __future__ import annotations

import math
from typing import Any

from didymos.compiled import kernel
from didymos.contract import input, needs, option, output, parameter, state
from didymos.parts.curve import CURVE, CurveSpec, evaluate
from didymos.parts.jet_source import JetSource
from didymos.parts.motor import motor_current, torque_constant
from didymos.parts.part import Part, law
from didymos.parts.wake import wake

__all__ = ["ElectricEngine", "bound_thrust", "propeller_thrust"]

STATIC_EFFICIENCY = 0.9  # of the ideal static thrust, as in the original
FADING_SPEED = 4.0  # [m/s], of the static term, as in the original
LAST_CHARGE = 0.02  # below this share the voltage collapses


@kernel
def _ideal_speed(power: float, density: float, area: float) -> float:
    """Speed [m/s] that an ideal disc at rest gives the air in its own plane: (P / (2 rho A))^(1/3)."""
    return float((power / (2.0 * density * area)) ** (1.0 / 3.0))


@kernel
def _bound(ideal: float, along: float, density: float, area: float) -> float:
    """T_b [N] for the power that gives the air an `ideal` speed [m/s] at rest, in a stream of `along` >= 0 [m/s]."""
    start = math.sqrt(STATIC_EFFICIENCY) * ideal
    share = start * start * start
    x = along + start  # x = V + v solves x^3 - V x^2 = share; Newton from above converges monotonically
    for _ in range(6):
        step = (x * x * (x - along) - share) / (x * (3.0 * x - 2.0 * along))
        x -= step
        if step < 1e-9 * x:  # the next one is below 1e-17
            break
    return 2.0 * density * area * share / x  # v (V + v), without the difference of two large numbers


@kernel
def bound_thrust(power: float, along: float, density: float, area: float) -> float:
    """T_b [N]: what an ideal disc makes of 0.9^(3/2) of a power [W] in a stream of `along` >= 0 [m/s]."""
    return float(_bound(_ideal_speed(power, density, area), along, density, area))


@kernel
def propeller_thrust(power: float, efficiency: float, along: float, density: float, diameter: float) -> float:
    """T [N] for a power [W] taken by the propeller; `efficiency` at the advance ratio of the speed `along` [m/s]."""
    if power <= 0.0 or density <= 0.0:
        return 0.0
    speed = max(along, 0.0)
    area = 0.25 * math.pi * diameter * diameter
    ideal = _ideal_speed(power, density, area)
    still = STATIC_EFFICIENCY * math.exp(-speed / FADING_SPEED) * 2.0 * area * density * ideal * ideal
    moving = power * max(efficiency, 0.0) / speed if speed > 1e-6 else 0.0
    return min(still + moving, _bound(ideal, speed, density, area))


@kernel
def _voltage(engine: Any, charge: float) -> float:
    left = min(max(charge, 0.0), 1.0)
    cell = engine.cell_empty + left * (engine.cell_full - engine.cell_empty)
    return engine.cells * cell * min(left / LAST_CHARGE, 1.0)


class ElectricEngine(Part):
    """Parameters of battery, motor and propeller."""

    direction = parameter(unit="1", low=-1, high=1, live=False, doc="sense of rotation about +x: 1 or -1")
    cells = parameter(unit="1", low=1, high=100, doc="cells in series")
    cell_full = parameter(4.0, unit="V", above=0, doc="open-circuit voltage of a full cell")
    cell_empty = parameter(3.3, unit="V", above=0, doc="open-circuit voltage of an empty cell")
    capacity = parameter(0.0, unit="A s", low=0, doc="charge of the battery; 0 never runs down")
    battery_resistance = parameter(0.0, unit="ohm", low=0, doc="R_s")
    motor_resistance = parameter(unit="ohm", above=0, doc="R_m")
    speed_constant = parameter(unit="1/(s V)", above=0, doc="K_v, revolutions per second and volt")
    idle_current = parameter(0.0, unit="A", low=0, doc="I_0")
    inertia = parameter(unit="kg m^2", above=0, doc="I_r, of all that turns")
    speed_limit = parameter(unit="rad/s", above=0)
    diameter = parameter(unit="m", above=0, doc="D")
    advance_limit = parameter(unit="1", above=0, doc="J_max, to which the curves were fitted")
    thrust_limit = parameter(unit="N", above=0)
    gyroscopic = parameter(0.0, unit="1", low=0, high=1, doc="1 adds the moments of the spinning mass, without a joint")
    axle_gain = parameter(0.0, unit="N m s/rad", low=0, doc="torque per error of axle speed, where there is a joint")
    health = parameter(1.0, unit="1", low=0, high=1, doc="share of the command that arrives; 0 is a motor that failed")
    power = option(CurveSpec, layout=CURVE, doc="C_P over the advance ratio")
    efficiency = option(CurveSpec, layout=CURVE, doc="eta over the advance ratio")
    throttle = input(range=(0.0, 1.0), doc="d, the duty of the speed controller")
    supplied = needs("voltage", unit="V", doc="of a battery that it shares (`input_from`), in the place of its own")
    speed = state(unit="rad/s", settles=True, doc="w")
    charge_used = state(doc="share of the charge that has been used, which begins at zero")
    thrust = output(unit="N", doc="T, along +x")
    shown_speed = output("speed", unit="rad/s", doc="dir w, about +x")
    wake = output(unit="m/s", doc="by how much the air behind is faster")
    current = output(unit="A", doc="I, of the motor")
    voltage = output(unit="V", doc="of the battery under load")
    shaft_power = output("power", unit="W", doc="P")
    charge = output(doc="1 full, 0 empty")
    supply_current = output(unit="A", recorded=False, doc="d I, from the battery")

    @classmethod
    def jet_source(cls, numbers: Any) -> JetSource:
        return JetSource(0.5 * numbers.diameter)

    @law
    def act(engine, here, inputs, memory, state, rate, wrench, output):  # type: ignore[no-untyped-def]
        duty = engine.health * min(max(inputs.throttle, 0.0), 1.0)
        speed = min(max(state.speed, 0.0), engine.speed_limit)
        charge = 1.0 - state.charge_used
        constant = torque_constant(engine.speed_constant)
        voltage, resistance = _voltage(engine, charge), engine.battery_resistance
        if inputs.voltage > 0.0:  # a battery's, which has its own resistance and charge
            voltage, resistance = inputs.voltage, 0.0
        current = motor_current(duty, voltage, constant, speed, engine.motor_resistance, resistance)
        through_air = max(speed + engine.direction * here.air_rate[0], 0.0)
        turns = through_air / (2.0 * math.pi)
        along = here.air_velocity[0]
        travel = turns * engine.diameter
        advance = engine.advance_limit
        if along <= 0.0:
            advance = 0.0
        elif along < engine.advance_limit * travel:
            advance = along / travel
        coefficient = max(evaluate(engine.power, advance, turns), 0.0)
        drag = coefficient * here.density * turns * turns * engine.diameter**5 / (2.0 * math.pi)
        power = drag * through_air
        thrust = propeller_thrust(power, evaluate(engine.efficiency, advance, turns), along, here.density, engine.diameter)
        thrust = min(thrust, engine.thrust_limit)
        friction = engine.idle_current if speed > 0.0 else min(engine.idle_current, current)
        acceleration = (constant * (current - friction) - drag) / engine.inertia
        if (speed >= engine.speed_limit and acceleration > 0.0) or (speed <= 0.0 and acceleration < 0.0):
            acceleration = 0.0
        rate.speed = acceleration
        rate.charge_used = duty * current / engine.capacity if engine.capacity > 0.0 else 0.0
        wrench.force[0] = thrust
        wrench.torque[0] = -engine.direction * drag
        if engine.gyroscopic > 0.0:
            momentum = engine.direction * engine.inertia
            wrench.torque[0] -= momentum * acceleration
            wrench.torque[1] -= momentum * speed * here.rate[2]
            wrench.torque[2] += momentum * speed * here.rate[1]
        wrench.joint_torque = engine.axle_gain * (engine.direction * speed - here.joint_velocity)
        output.thrust = thrust
        output.speed = engine.direction * speed
        output.wake = wake(thrust, along, here.density, 0.25 * math.pi * engine.diameter * engine.diameter)
        output.current = current
        output.voltage = voltage - duty * current * resistance
        output.supply_current = duty * current
        output.power = power
        output.charge = charge
