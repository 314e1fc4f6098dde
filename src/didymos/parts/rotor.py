"""Rotor: thrust, drag and torque of a fixed-pitch rotor from what a bench measured in still air, by blade elements and momentum.

    in still air   T = k_T w^2,  Q = k_M w^2        at rho0 = 1.225 kg/m^3, for every speed w >= 0 about +x
    speed          T_m dw/dt = K u + C - w          u input in [0, 1]; T_m = 0 means w = K u + C at once

Thrust acts along +x of the part's frame, -d Q about it (d = +1 or -1, the sense of rotation). V_x, V_y, V_z is the velocity
through the air there, P = |(V_y, V_z)|, W = w R the tip speed, mu = min(P / W, 1), A = pi R^2, v the mean induced velocity, U =
V_x + k v:

    blades      T = rho A s [L m W^2 - (1 + mu^2 / 2) W U],   m = 1 + 1.65 mu^2 - 0.4 mu^4,   s = sigma a / 4,  a = 5.7
    momentum    T = 2 rho A v |V + v|       Glauert, with a fit through vortex ring and windmill: see inflow.py
    drag        H = 2 (P_0 / W) mu + 1.8 rho A s L W mu max(U, 0)   against (V_y, V_z), of rigid blades: profile, and lift tilted
    energy      Q w = T U + P_0 (1 + 3 mu^2) - H min(P, W)
    profile     P_0 = (rho / rho0) p w^3 [1 + 0.4 n (n - 1)],   n = T / (m (rho / rho0) k_T w^2)

Nothing but the bench is asked for: L, the inflow ratio at which the blades lift no more, and p, the profile coefficient, are
those with which k_T and k_M come out in still air. R, where it is not given, is that of a figure of merit of 0.65, or of an
inflow v / W of 0.15 in hover where that is more; the solidity sigma, where not given, that of a blade loading C_T / sigma =
0.16; k = 1.1 the induced power factor (less where k_M leaves no room for it). 1.65 mu^2 is between an untwisted (1.5) and a
strongly twisted blade (1.9), the mu^4 the reversed flow; 1.8 likewise (1.5 to 2); n (n - 1) is a cambered blade whose drag is
least at half of its lift in hover. Blades stall: |T| is held at a mean lift coefficient of 1.5 (C_T = sigma m / 4), or at 1.5 m
times the thrust in still air where that is more. Body rates about +x add to w.

Energy: body and shaft together get V . F - Q w = -(k T v + P_0 (1 + 3 mu^2) + H (P - min(P, W))), never above zero in any
state, so the air gives nothing. Where Q < 0 the air drives the shaft, with energy of the body. A rotor with k_M = 0 has no
inflow: its thrust is k_T w^2 in any wind, and nobody asks who pays.

Each of the following is off until its number is given:

    ground effect   T / (1 - r), r = (R / 4 h)^2 / (1 + (P / v)^2) cos(tilt), h >= R / 2 straight down to ground, table or terrain
    flapping        H = k_D w P, measured, instead of rigid blades; moment -d k_R w (V_y, V_z)
    spinning mass   moments -d I (dw/dt x + omega x w x), for a rotor without a joint; with one, the axle has its own mass
    limits          on the speed and on dw/dt (the latter needs T_m > 0)
    battery         K u (V / V_0)^n instead of K u, V the voltage of the battery that `input_from` names

Sign of the moment, for d = +1 and a rotor that moves along +y: its blade at -z r moves with w x x (-z r) = +y w r, so it
advances and lifts more, by dT along +x: a moment (-z r) x (x dT) = -y r dT, against the motion, as PX4's model has it. The
moment is no part of the balance of energy above.

References: Leishman, Principles of Helicopter Aerodynamics (2006), chapters 2, 3, 5; Cheeseman & Bennett, ARC R&M 3021 (1955);
k_D and k_R as in RotorS (Furrer et al. 2016) and PX4's motor model. Range: within 5 % of thrust and 10 % of torque of blade
elements in climb to 1.2 v_h (the induced velocity of hover), descent to 1.5 v_h, forward flight to mu = 0.3, and of the UIUC
tunnel (APC 10x4.7 SF) from rest to 0.84 of the advance ratio of zero thrust. Beyond: bounded, continuous and passive, no more.
Not a blind test: 0.16, k = 1.1, 0.4, 1.65 and 1.8 were chosen with those blades and that propeller in sight.
The torque of a propeller that is driven by the air is too small. Not there: lag of the inflow, cyclic loads, the unsteadiness
of the vortex ring, rotors of one robot in each other's wake; the torque does not slow the motor, whose speed follows its command.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from didymos.compiled import kernel
from didymos.contract import input, memory, needs, output, parameter, state
from didymos.parts.inflow import induced_velocity
from didymos.parts.jet_source import JetSource
from didymos.parts.part import Part, law, tick
from didymos.parts.wake import wake

__all__ = ["DENSITY_OF_BENCH", "Rotor", "commanded_speed", "disc_radius", "ground_share"]

DENSITY_OF_BENCH = 1.225  # [kg/m^3], ISA at sea level
FIGURE_OF_MERIT = 0.65  # of a small rotor of unknown radius
MOST_INFLOW = 0.15  # v_h / W of a rotor of unknown radius: C_T = 0.045
BLADE_LOADING = 0.16  # C_T / sigma of a rotor of unknown solidity: that of an APC 10x4.7 SF
LIFT_SLOPE = 5.7  # [1/rad]
MOST_LOADING = 1.5 / 6.0  # C_T / sigma at a mean lift coefficient of 1.5
MOST_THRUST = 1.5  # of that in still air, where the blades are loaded more than that
TWIST = 1.65
REVERSED = 0.4
POLAR = 0.4
LIFT_TILT = 1.8
LEAST_SPEED = 1e-6  # [rad/s]

CONSTANTS = np.dtype(
    [
        ("radius", np.float64),  # [m] R, given or derived
        ("per_area", np.float64),  # [1/m^2] 1 / R^2
        ("still", np.float64),  # [m] v_h / w, v_h the velocity induced in still air
        ("ratio", np.float64),  # v_h / W, the inflow ratio of hover; 0 for a rotor without inflow
        ("least", np.float64),  # [N m s^2] torque coefficient of the ideal rotor
        ("factor", np.float64),  # k
        ("damping", np.float64),  # s W / 2 v_h
        ("most", np.float64),  # |T| by k_T w^2 at which the blades stall
    ]
)
"""What follows from the parameters of a rotor alone."""


@kernel
def disc_radius(radius: float, thrust_coefficient: float, torque_coefficient: float) -> float:
    """R [m] as given, or, where it is 0, of a rotor with `FIGURE_OF_MERIT` or `MOST_INFLOW`; 0 without a torque coefficient."""
    if radius > 0.0 or torque_coefficient <= 0.0:
        return radius
    merit = FIGURE_OF_MERIT * torque_coefficient
    still = math.sqrt(thrust_coefficient / (2.0 * math.pi * DENSITY_OF_BENCH))  # v_h R / w
    return max(thrust_coefficient / merit * still, math.sqrt(still / MOST_INFLOW))


@kernel
def ground_share(height: float, radius: float) -> float:
    """(R / 4 h)^2 at a height [m] of the disc over the ground; held below half a radius."""
    if radius <= 0.0:
        return 0.0
    ratio = radius / (4.0 * max(height, 0.5 * radius))
    return ratio * ratio


@kernel
def commanded_speed(rotor: Any, command: float, voltage: float) -> float:
    """w [rad/s] at which a rotor settles: K u (V / V_0)^n + C; without a rated voltage, whatever the voltage [V]."""
    speed = rotor.speed_per_input * min(max(command, 0.0), 1.0)
    if rotor.rated_voltage > 0.0:
        speed *= (voltage / rotor.rated_voltage) ** rotor.voltage_exponent
    return float(speed + rotor.speed_at_zero)


@kernel
def _prepare(rotor: Any, constants: Any) -> None:
    """What follows from the parameters alone, into a record of `CONSTANTS`; `ratio` stays 0 for a rotor without inflow."""
    constants.radius = disc_radius(rotor.radius, rotor.thrust_coefficient, rotor.torque_coefficient)
    constants.ratio = 0.0
    if rotor.torque_coefficient <= 0.0 or rotor.thrust_coefficient <= 0.0:
        return
    radius = constants.radius
    still = math.sqrt(rotor.thrust_coefficient * (0.5 / (math.pi * DENSITY_OF_BENCH))) / radius
    ratio = still / radius
    least = ratio * radius * rotor.thrust_coefficient
    factor = min(rotor.induced_factor, rotor.torque_coefficient / least)
    damping, most = 0.25 * LIFT_SLOPE / BLADE_LOADING * ratio, MOST_LOADING / BLADE_LOADING
    if rotor.solidity > 0.0:
        damping = 0.125 * LIFT_SLOPE * rotor.solidity / ratio
        most = 0.5 * MOST_LOADING * rotor.solidity / (ratio * ratio)
    constants.still, constants.ratio, constants.least, constants.factor = still, ratio, least, factor
    constants.damping, constants.most = damping, max(most, MOST_THRUST)
    constants.per_area = 1.0 / (radius * radius)


@kernel
def _loads(rotor: Any, constants: Any, speed: float, here: Any, thinness: float, ground: float) -> Any:
    """Thrust [N], drag per velocity across the axis [N s/m], torque against the spin [N m], induced velocity [m/s].

    `thinness` is rho / rho0, `ground` (R / 4 h)^2, 0 without ground effect. Every equation of the rotor is quadratic in speed and
    velocities: velocities are taken by that induced in still air, v_h = w sqrt(k_T / 2 rho0 A), thrust by k_T w^2. Written with
    few divisions: it runs four times a step.
    """
    per_still = 1.0 / (constants.still * speed)  # 1 / v_h
    ratio, least, factor, damping = constants.ratio, constants.least, constants.factor, constants.damping
    x, y, z = here.air_velocity[0] * per_still, here.air_velocity[1] * per_still, here.air_velocity[2] * per_still
    across = y * y + z * z
    unloaded = 1.0 + damping * factor
    mu_squared = min(across * ratio * ratio, 1.0)
    growth = 1.0 + mu_squared * (TWIST - REVERSED * mu_squared)
    slope = damping * (1.0 + 0.5 * mu_squared)
    blades = unloaded * growth - slope * x
    induced = induced_velocity(blades, slope * factor, x, across)
    thrust = blades - slope * factor * induced
    most = growth * constants.most
    if abs(thrust) > most:
        thrust = math.copysign(most, thrust)
        induced = induced_velocity(thrust, 0.0, x, across)
    inflow = x + factor * induced
    profile = rotor.torque_coefficient - factor * least  # P_0 / w^3
    loading = thrust / growth
    profile *= 1.0 + POLAR * loading * (loading - 1.0)
    beyond = 1.0
    if mu_squared == 1.0:
        beyond = 1.0 / (ratio * math.sqrt(across))  # W / P where P is more
    drag = rotor.flapping_drag * constants.radius * constants.radius  # H R^2 / w P
    if drag == 0.0:
        drag = (2.0 * profile + LIFT_TILT * least * unloaded * max(inflow, 0.0)) * beyond
    torque = least * thrust * inflow + profile * (1.0 + 3.0 * mu_squared) - drag * ratio * ratio * across * beyond
    if ground > 0.0 and thrust > 0.0:
        ground *= induced * induced / (induced * induced + across)
        more = thrust * ground / (1.0 - ground)
        thrust += more
        torque += least * more * x  # the induced power stays that out of ground effect
    pressure = thinness * speed * speed
    drag *= thinness * speed * constants.per_area
    return rotor.thrust_coefficient * pressure * thrust, drag, pressure * torque, induced * constants.still * speed


class Rotor(Part):
    """Parameters of a rotor."""

    direction = parameter(unit="1", low=-1, high=1, live=False, doc="sense of rotation about +x: 1 or -1")
    thrust_coefficient = parameter(unit="N s^2", low=0, doc="k_T, thrust per squared speed in still air")
    torque_coefficient = parameter(0.0, unit="N m s^2", low=0, doc="k_M, torque per squared speed in still air; 0 for no inflow")
    speed_per_input = parameter(unit="rad/s", low=0, doc="K")
    speed_at_zero = parameter(0.0, unit="rad/s", low=0, doc="C")
    time_constant = parameter(0.0, unit="s", low=0, doc="T; 0 for no lag")
    speed_limit = parameter(0.0, unit="rad/s", low=0, doc="0 for none")
    acceleration_limit = parameter(0.0, unit="rad/s^2", low=0, doc="0 for none")
    radius = parameter(0.0, unit="m", low=0, doc="R; 0 for that of a figure of merit of 0.65")
    solidity = parameter(0.0, unit="1", low=0, high=1, doc="sigma, blade by disc area; 0 for that of a blade loading of 0.16")
    induced_factor = parameter(1.1, unit="1", low=1, doc="k, induced power over that of a uniform inflow")
    ground_effect = parameter(0.0, unit="1", low=0, high=1, live=False, doc="1 switches it on")
    flapping_drag = parameter(0.0, unit="N s^2/m", low=0, doc="k_D, force per speed and velocity across; 0 for rigid blades")
    flapping_moment = parameter(0.0, unit="N s^2", low=0, doc="k_R, moment per speed and velocity across the axis")
    inertia = parameter(0.0, unit="kg m^2", low=0, doc="I of the spinning mass, for its moments; 0 for none")
    axle_gain = parameter(0.0, unit="N m s/rad", low=0, doc="torque per error of axle speed, where there is a joint")
    health = parameter(1.0, unit="1", low=0, high=1, doc="share of the commanded speed; 0 is a rotor that stops")
    rated_voltage = parameter(0.0, unit="V", low=0, doc="V_0, at which K was measured; 0 where no voltage matters")
    voltage_exponent = parameter(1.0, unit="1", low=0, high=2, doc="n; less than 1 where the motor is loaded")
    drive_efficiency = parameter(0.8, unit="1", above=0, high=1, doc="eta, shaft power over what the battery gives")
    command = input(range=(0.0, 1.0), doc="u")
    voltage = needs(unit="V", doc="V, of the battery")
    constants = memory(layout=CONSTANTS, doc="what follows from the parameters, worked out once a tick")
    speed = state(unit="rad/s", settles=True, doc="w")
    thrust = output(unit="N", doc="F, along +x")
    shown_speed = output("speed", unit="rad/s", doc="d w, about +x")
    wake = output(unit="m/s", doc="2 v, by how much the air behind is faster")
    torque = output(unit="N m", doc="Q, of the air against the spin; negative where the air drives the rotor")
    supply_current = output(unit="A", recorded=False, doc="Q w / (eta V), from its battery; none flows back")

    @classmethod
    def check(cls, spec: Any) -> None:
        k_t, k_m, radius = spec.thrust_coefficient, spec.torque_coefficient, spec.radius
        if radius > 0.0 and k_m > 0.0:
            least = k_t * math.sqrt(k_t / (2.0 * math.pi * DENSITY_OF_BENCH)) / radius
            if k_m < least:
                raise ValueError(
                    f"a rotor of radius {radius:g} m with a thrust coefficient of {k_t:g} N s^2 takes a torque coefficient of "
                    f"at least {least:.4g} N m s^2 (momentum theory), found {k_m:g}"
                )
            most = 2.0 * math.pi * DENSITY_OF_BENCH * (MOST_LOADING / 2.0) * radius**4
            if k_t > most:
                raise ValueError(
                    f"a rotor of radius {radius:g} m has a thrust coefficient of at most {most:.4g} N s^2 (its disc full of "
                    f"blades), found {k_t:g}"
                )
        if spec.rated_voltage > 0.0 and spec.input_from is None:
            raise ValueError("rated_voltage needs the key 'input_from': the battery whose voltage it is")
        if spec.ground_effect > 0.0 and radius == 0.0 and (k_m == 0.0 or k_t == 0.0):
            raise ValueError("ground_effect needs the key 'radius', or a thrust and a torque coefficient from which it follows")

    @classmethod
    def looks_below(cls, spec: Any) -> bool:
        return bool(spec.ground_effect > 0.0)

    @classmethod
    def jet_source(cls, numbers: Any) -> JetSource:
        return JetSource(disc_radius(numbers.radius, numbers.thrust_coefficient, numbers.torque_coefficient))

    @tick
    def prepare(rotor, clock, inputs, memory, output):  # type: ignore[no-untyped-def]
        _prepare(rotor, memory.constants)

    @law
    def act(rotor, here, inputs, memory, state, rate, wrench, output):  # type: ignore[no-untyped-def]
        settled = rotor.health * commanded_speed(rotor, inputs.command, inputs.voltage)
        if rotor.speed_limit > 0.0:
            settled = min(settled, rotor.speed_limit)
        acceleration = 0.0
        speed = settled
        if rotor.time_constant > 0.0:
            speed = state.speed
            acceleration = (settled - speed) / rotor.time_constant
            if rotor.acceleration_limit > 0.0:
                acceleration = min(max(acceleration, -rotor.acceleration_limit), rotor.acceleration_limit)
        rate.speed = acceleration
        u, v, w = here.air_velocity[0], here.air_velocity[1], here.air_velocity[2]
        share = here.density * (1.0 / DENSITY_OF_BENCH)
        constants = memory.constants
        if constants.ratio == 0.0:  # before the first tick
            _prepare(rotor, constants)
        ground = 0.0
        if rotor.ground_effect > 0.0:
            ground = rotor.ground_effect * max(here.rotation[6], 0.0) * ground_share(here.clearance, constants.radius)
        through_air = max(speed + rotor.direction * here.air_rate[0], 0.0)
        thrust, drag, torque, induced = 0.0, 0.0, 0.0, 0.0
        if constants.ratio > 0.0 and share > 0.0:
            if through_air > LEAST_SPEED:
                thrust, drag, torque, induced = _loads(rotor, constants, through_air, here, share, ground)
        else:
            thrust = rotor.thrust_coefficient * share * speed * speed / (1.0 - ground)
            torque = rotor.torque_coefficient * share * speed * speed
            drag = rotor.flapping_drag * share * speed
            induced = 0.5 * wake(thrust, u, here.density, math.pi * constants.radius * constants.radius)
        wrench.force[0] = thrust
        wrench.force[1] = -drag * v
        wrench.force[2] = -drag * w
        spin = rotor.direction * rotor.inertia
        wrench.torque[0] = -rotor.direction * torque - spin * acceleration
        rolling = -rotor.direction * rotor.flapping_moment * share * speed
        wrench.torque[1] = rolling * v - spin * speed * here.rate[2]
        wrench.torque[2] = rolling * w + spin * speed * here.rate[1]
        wrench.joint_torque = rotor.axle_gain * (rotor.direction * speed - here.joint_velocity)
        output.thrust = thrust
        output.speed = rotor.direction * speed
        output.wake = 2.0 * max(induced, 0.0)
        output.torque = torque
        output.supply_current = 0.0
        if inputs.voltage > 0.0:
            output.supply_current = max(torque * speed, 0.0) / (rotor.drive_efficiency * inputs.voltage)
