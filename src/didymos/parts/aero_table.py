"""Aerodynamics from tables: lift, drag, side force and moments of an aircraft, or of a part of it, as its files give them.

With q = 1/2 rho V^2, alpha = atan2(w, u), beta = atan2(v, sqrt(u^2 + w^2)) and (u, v, w) the velocity relative to the air, all in
the part's frame turned to forward-right-down (the one place where this happens; the answer is turned back):

    F, M = sums of the files' terms (`aero_data.py`), in body, stability or wind axes, which add up
         + q S [C_Lq c q / 2V, ...]                     the damping derivatives of the part, beside those of the files
    lift, drag, side force, l, m, n  each times a factor of its own (`lift_scale`, ...: 1 as the files say)

The frame of the part is where the files' moments refer to: AVL's Xref, JSBSim's AERORP, the quarter chord of a polar.

Beyond the tables `extension` says what holds. `hold`: every table keeps the value at its end, as JSBSim does. `plate`: in the
range of alpha that all tables of forces share, and |beta| up to 30 deg, they hold alone; outside, the surface becomes a flat
plate within `airfoil_regimes.py`'s transition, with (x, y, z) = (u, v, w) / V:

    F = -q S [C_D0 (x, y, z) + (0, 0, 2 z |z|)],      m = q S c C_mp z,     C_D0 `plate_drag`, C_mp `plate_pitch`

All is continuous over the sphere of flow directions, and with `plate` air at rest drives nothing: where tables would
(F . V > 0), the part of the force along V is left out.

Ground effect (`ground_effect` = 1), with h the height above what stands below, phi = (16 h/b)^2 / (1 + (16 h/b)^2):
the induced drag C_L^2 / (pi e A) becomes phi times itself, and lift grows by (1 + 2/A) / (1 + 2 phi/A), A = b^2 / S.

Surfaces move at most at `rate_limit`. alpha_rate is the difference over the last tick, one tick old; `stalled` is JSBSim's
hysteresis, changed once a tick. Mach number from gamma = 1.4, Reynolds number with the chord and Sutherland's viscosity.
Valid where the files are; nothing is divided by V but where V is, so still air is no special case. No slipstream but where a
file reads the wake itself (`input_from`).

References: Stevens, Lewis & Johnson, Aircraft Control and Simulation (2016), ch. 2 (axes, tables); McCormick, Aerodynamics,
Aeronautics and Flight Mechanics (1995), p. 420 (phi); Houghton & Carpenter (2003), sec. 5.5 (lift slope 2 pi / (1 + 2/A)).
"""

from __future__ import annotations

import math
from typing import Any

from didymos.air.atmosphere import GAS_CONSTANT
from didymos.compiled import kernel
from didymos.contract import choice, input, memory, needs, option, output, parameter, parameter_array
from didymos.parts.aero_data import AERO, QUANTITIES, SURFACES, AeroTables
from didymos.parts.airfoil_regimes import held_share, sideslip_share, transition
from didymos.parts.coefficient_program import MOST_SLOTS, run_program
from didymos.parts.ground_effect import induced_share, lift_growth
from didymos.parts.part import Part, law, tick

__all__ = ["AeroTable"]

_EXTENSIONS = ("plate", "hold")
_PLATE, _HOLD = range(len(_EXTENSIONS))
_GAMMA = 1.4
_COUNT, _ANGLES = len(SURFACES), SURFACES.index("brake")  # those before have a deflection
(_ONE, _ALPHA, _BETA, _QS, _QSB, _QSC, _P_HAT, _Q_HAT, _R_HAT, _FIRST_DEFLECTION, _MACH, _REYNOLDS, _SPEED, _PRESSURE, _DENSITY,
 _U, _V, _W, _P, _Q, _R, _B_2V, _C_2V, _ALPHA_RATE, _FIRST_SHARE, _AREA, _SPAN, _CHORD, _HEIGHT_BY_SPAN, _WAKE, _STALLED) = (
    QUANTITIES.index(name) for name in (
        "one", "alpha", "beta", "qS", "qSb", "qSc", "p_hat", "q_hat", "r_hat", f"d{SURFACES[0]}", "mach", "reynolds", "speed",
        "pressure", "density", "u", "v", "w", "p", "q", "r", "b_2V", "c_2V", "alpha_rate", f"{SURFACES[0]}_share", "area",
        "span", "chord", "height_by_span", "wake", "stalled",
    )
)  # fmt: skip


@kernel
def viscosity(temperature: float) -> float:
    """Dynamic viscosity of air [Pa s] at a temperature [K]: Sutherland's law with the constants of ISO 2533."""
    return 1.458e-6 * temperature * math.sqrt(temperature) / (temperature + 110.4)


@kernel
def _of(s: Any, slot: int) -> float:
    """What went into a sum, 0 where nothing did."""
    return float(s[slot]) if slot != 0 else 0.0


@kernel
def _fill(
    part: Any, memory: Any, alpha: float, beta: float, still: float, turning: float, p: float, q: float, r: float, s: Any
) -> None:
    """The quantities that every program reads, into their slots; `still` is q S, `turning` 1 / 2V."""
    b, c, share, limits = part.span, part.chord, memory.share, part.limits
    s[_ONE], s[_ALPHA], s[_BETA] = 1.0, alpha, beta
    s[_QS], s[_QSB], s[_QSC] = still, still * b, still * c
    s[_P_HAT], s[_Q_HAT], s[_R_HAT] = b * turning * p, c * turning * q, b * turning * r
    for i in range(_ANGLES):
        s[_FIRST_DEFLECTION + i] = limits[i] * share[i]


@kernel
def _fill_rare(part: Any, here: Any, inputs: Any, memory: Any, speed: float, s: Any) -> None:
    """The quantities that some programs read."""
    s[_SPEED], s[_PRESSURE], s[_DENSITY] = speed, 0.5 * here.density * speed * speed, here.density
    s[_U], s[_V], s[_W] = here.air_velocity[0], -here.air_velocity[1], -here.air_velocity[2]
    s[_P], s[_Q], s[_R] = here.air_rate[0], -here.air_rate[1], -here.air_rate[2]
    half = 0.5 / speed
    s[_B_2V], s[_C_2V] = part.span * half, part.chord * half
    s[_ALPHA_RATE] = memory.alpha_rate
    for i in range(_COUNT):
        s[_FIRST_SHARE + i] = memory.share[i]
    s[_AREA], s[_SPAN], s[_CHORD] = part.area, part.span, part.chord
    s[_HEIGHT_BY_SPAN] = here.height / part.span
    s[_WAKE], s[_STALLED] = inputs.wake, memory.stalled
    if part.tables.uses_mach != 0.0:
        s[_MACH] = speed / math.sqrt(_GAMMA * GAS_CONSTANT * here.temperature)
    if part.tables.uses_reynolds != 0.0:
        s[_REYNOLDS] = here.density * speed * part.chord / viscosity(here.temperature)


@kernel
def _forces(part: Any, s: Any, still: float, sin_beta: float, cos_beta: float) -> Any:
    """What the files say: forces along x, y, z of the body, and drag and lift of stability axes [N]; `still` is q S [N]."""
    tables, sums = part.tables, part.tables.sums
    fx, fy, fz, drag, lift = 0.0, 0.0, 0.0, 0.0, 0.0
    if tables.has_coefficients != 0.0:
        along, up = still * part.drag_scale, still * part.lift_scale
        drag, lift = along * _of(s, sums.CD), up * _of(s, sums.CL)
        fx, fy, fz = along * _of(s, sums.CX), still * part.side_scale * _of(s, sums.CY), up * _of(s, sums.CZ)
    if tables.has_body_forces != 0.0:
        fx, fz = fx + part.drag_scale * _of(s, sums.body_x), fz + part.lift_scale * _of(s, sums.body_z)
        fy += part.side_scale * _of(s, sums.body_y)
    if tables.has_stability_forces != 0.0:
        drag, lift = drag - part.drag_scale * _of(s, sums.stability_x), lift - part.lift_scale * _of(s, sums.stability_z)
        fy += part.side_scale * _of(s, sums.stability_y)
    if tables.has_wind_forces != 0.0:
        ahead, right = part.drag_scale * _of(s, sums.wind_x), part.side_scale * _of(s, sums.wind_y)
        lift -= part.lift_scale * _of(s, sums.wind_z)
        drag -= ahead * cos_beta - right * sin_beta
        fy += ahead * sin_beta + right * cos_beta
    return fx, fy, fz, drag, lift


@kernel
def _moments(part: Any, s: Any, still: float, sine: float, cosine: float, sin_beta: float, cos_beta: float) -> Any:
    """What the files say: moments about x, y, z of the body [N m]; `still` is q S [N]."""
    tables, sums = part.tables, part.tables.sums
    mx, my, mz = 0.0, 0.0, 0.0
    if tables.has_coefficients != 0.0:
        per_span = still * part.span
        mx, my, mz = per_span * _of(s, sums.Cl), still * part.chord * _of(s, sums.Cm), per_span * _of(s, sums.Cn)
    if tables.has_body_moments != 0.0:
        mx, my, mz = mx + _of(s, sums.body_l), my + _of(s, sums.body_m), mz + _of(s, sums.body_n)
    rolling, turning = 0.0, 0.0  # of stability axes
    if tables.has_stability_moments != 0.0:
        rolling, turning = _of(s, sums.stability_l), _of(s, sums.stability_n)
        my += _of(s, sums.stability_m)
    if tables.has_wind_moments != 0.0:
        rolling += _of(s, sums.wind_l) * cos_beta - _of(s, sums.wind_m) * sin_beta
        my += _of(s, sums.wind_l) * sin_beta + _of(s, sums.wind_m) * cos_beta
        turning += _of(s, sums.wind_n)
    mx += rolling * cosine - turning * sine
    mz += rolling * sine + turning * cosine
    return part.roll_scale * mx, part.pitch_scale * my, part.yaw_scale * mz


@kernel
def _moved(share: float, goal: float, most: float, limit: float) -> float:
    """Where a surface is, as a share of its limit [rad], after a tick in which it moves by at most `most` [rad]; 0 for any."""
    move = goal - share
    if most > 0.0 and limit > 0.0:
        move = min(max(move, -most / limit), most / limit)
    return share + move


class AeroTable(Part):
    """Sizes, files and surfaces of an aircraft whose aerodynamics are tables."""

    area = parameter(unit="m^2", above=0, doc="S")
    span = parameter(unit="m", above=0, doc="b, tip to tip")
    chord = parameter(unit="m", above=0, doc="c, mean")
    lift_scale = parameter(1.0, low=-10, high=10, doc="factor on the files' lift, or force down")
    drag_scale = parameter(1.0, low=-10, high=10, doc="factor on the files' drag, or force ahead")
    side_scale = parameter(1.0, low=-10, high=10, doc="factor on the files' side force")
    roll_scale = parameter(1.0, low=-10, high=10, doc="factor on the files' moment about x")
    pitch_scale = parameter(1.0, low=-10, high=10, doc="factor on the files' moment about y")
    yaw_scale = parameter(1.0, low=-10, high=10, doc="factor on the files' moment about z")
    lift_q = parameter(0.0, doc="C_Lq, per c q / 2V, beside the files")
    side_p = parameter(0.0, doc="C_Yp, per b p / 2V")
    side_r = parameter(0.0, doc="C_Yr, per b r / 2V")
    roll_p = parameter(0.0, doc="C_lp, per b p / 2V")
    roll_r = parameter(0.0, doc="C_lr, per b r / 2V")
    pitch_q = parameter(0.0, doc="C_mq, per c q / 2V")
    yaw_p = parameter(0.0, doc="C_np, per b p / 2V")
    yaw_r = parameter(0.0, doc="C_nr, per b r / 2V")
    plate_drag = parameter(0.05, low=0, doc="C_D0 of the flat plate beyond the tables")
    plate_pitch = parameter(0.0, doc="C_mp of the flat plate beyond the tables")
    stall_sharpness = parameter(50.0, unit="1/rad", above=0, doc="M: tables give way to the plate within 8 / M")
    ground_effect = parameter(0.0, low=0, high=1, live=False, doc="1 switches it on")
    oswald = parameter(0.9, above=0, high=1.2, doc="e, of the induced drag in ground effect")
    limits = parameter_array(
        [f"limit_{name}" for name in SURFACES[:_ANGLES]], units=["rad"] * _ANGLES, low=0, high=2, doc="largest deflection"
    )
    rate_limit = parameter(0.0, unit="rad/s", low=0, doc="of x, y, z, flap and slat; 0 for none")
    extension = choice(*_EXTENSIONS, default="plate", doc="beyond the tables: a flat `plate`, or `hold` the last value")
    tables = option(AeroTables, layout=AERO, doc="files that add up: a list of records with the key `file`")
    x = input(range=(-1.0, 1.0), doc="share of `limit_x` (aileron)")
    y = input(range=(-1.0, 1.0), doc="share of `limit_y` (elevator)")
    z = input(range=(-1.0, 1.0), doc="share of `limit_z` (rudder)")
    flap = input(range=(-1.0, 1.0), doc="share of `limit_flap`")
    slat = input(range=(-1.0, 1.0), doc="share of `limit_slat`: flaps of the leading edge")
    brake = input(range=(0.0, 1.0), doc="how far speed brakes are out")
    spoiler = input(range=(0.0, 1.0), doc="how far spoilers are out")
    gear = input(range=(0.0, 1.0), doc="how far the gear is out")
    wake = needs(unit="m/s", doc="of the propeller before it")
    share = memory(count=_COUNT, doc="where each surface is, as a share of its limit")
    alpha_rate = memory(unit="rad/s", doc="over the last tick")
    last_alpha = memory(unit="rad")
    stalled = memory(doc="1 in JSBSim's hysteresis of stall")
    airspeed = output(unit="m/s", doc="V")
    alpha = output(unit="rad", doc="angle of attack")
    beta = output(unit="rad", doc="angle of sideslip")
    force = output(columns="xyz", unit="N", doc="F, in the part's frame")
    moment = output(columns="xyz", unit="N m", doc="M, in the part's frame")
    slots = output(count=MOST_SLOTS, recorded=False, doc="of the program")

    @classmethod
    def check(cls, spec: Any) -> None:
        """A part has the sizes that its files' coefficients were made with."""
        for name, size in spec.tables.metrics.items():
            if abs(getattr(spec, name) - size) > 1e-3 * size:
                raise ValueError(f"found {name} {getattr(spec, name):g}, its file of tables was made with {size:.6g}")

    @classmethod
    def looks_below(cls, spec: Any) -> bool:
        return bool(spec.ground_effect > 0.0)

    @law
    def act(part, here, inputs, memory, state, rate, wrench, output):  # type: ignore[no-untyped-def]
        u, v, w = here.air_velocity[0], -here.air_velocity[1], -here.air_velocity[2]
        across = math.sqrt(u * u + w * w)
        speed = math.sqrt(u * u + v * v + w * w)
        if speed < 1e-9:
            return
        per_speed = 1.0 / speed
        x, y, z = u * per_speed, min(max(v * per_speed, -1.0), 1.0), w * per_speed
        alpha, beta = math.atan2(w, u), math.asin(y)
        output.airspeed, output.alpha, output.beta = speed, alpha, beta
        tables, s = part.tables, output.slots
        still = 0.5 * here.density * speed * speed * part.area
        turning = 0.25 * here.density * speed * part.area
        b, c = part.span, part.chord
        p, q, r = here.air_rate[0], -here.air_rate[1], -here.air_rate[2]
        _fill(part, memory, alpha, beta, still, 0.5 * per_speed, p, q, r, s)
        if tables.uses_rare != 0.0:
            _fill_rare(part, here, inputs, memory, speed, s)
        run_program(tables.program, s)
        sine, cosine = 0.0, 1.0
        if across > 0.0:
            cosine = 1.0 / across
            sine, cosine = w * cosine, u * cosine
        fx, fy, fz, drag, lift = _forces(part, s, still, y, across * per_speed)
        mx, my, mz = _moments(part, s, still, sine, cosine, y, across * per_speed)
        lift += turning * c * q * part.lift_q
        if part.ground_effect > 0.0:
            aspect = b * b / part.area
            phi = induced_share(here.clearance, b)
            drag -= part.ground_effect * (1.0 - phi) * lift * lift / (still * math.pi * part.oswald * aspect)
            lift *= 1.0 + part.ground_effect * (lift_growth(phi, aspect) - 1.0)
        fx += lift * sine - drag * cosine
        fz -= lift * cosine + drag * sine
        if part.extension == _PLATE:
            low, high = tables.low, tables.high
            if alpha < low or alpha > high or abs(y) > 0.5:
                attached = held_share(alpha, low, high, transition(low, high, part.stall_sharpness)) * sideslip_share(y)
                free = still * (1.0 - attached)
                fx = attached * fx - free * part.plate_drag * x
                fy = attached * fy - free * part.plate_drag * y
                fz = attached * fz - free * (part.plate_drag * z + 2.0 * abs(z) * z)
                mx, my, mz = attached * mx, attached * my + free * c * part.plate_pitch * z, attached * mz
        fy += turning * b * (part.side_p * p + part.side_r * r)
        mx += turning * b * b * (part.roll_p * p + part.roll_r * r)
        my += turning * c * c * part.pitch_q * q
        mz += turning * b * b * (part.yaw_p * p + part.yaw_r * r)
        if part.extension == _PLATE:
            driving = max(fx * x + fy * y + fz * z, 0.0)  # along V, which air at rest does not do
            fx, fy, fz = fx - driving * x, fy - driving * y, fz - driving * z
        wrench.force[0], wrench.force[1], wrench.force[2] = fx, -fy, -fz
        wrench.torque[0], wrench.torque[1], wrench.torque[2] = mx, -my, -mz
        for axis in range(3):
            output.force[axis] = wrench.force[axis]
            output.moment[axis] = wrench.torque[axis]

    @tick
    def move(part, clock, inputs, memory, output):  # type: ignore[no-untyped-def]
        """Servos move; the rate of alpha and the hysteresis of stall follow what the last tick ended with."""
        if clock.first == 0.0:
            memory.alpha_rate = (output.alpha - memory.last_alpha) / clock.period
        memory.last_alpha = output.alpha
        if part.tables.stall_begins > 0.0:
            if output.alpha > part.tables.stall_begins:
                memory.stalled = 1.0
            elif output.alpha < part.tables.stall_ends:
                memory.stalled = 0.0
        share, most = memory.share, part.rate_limit * clock.period
        share[0] = _moved(share[0], min(max(inputs.x, -1.0), 1.0), most, part.limits[0])
        share[1] = _moved(share[1], min(max(inputs.y, -1.0), 1.0), most, part.limits[1])
        share[2] = _moved(share[2], min(max(inputs.z, -1.0), 1.0), most, part.limits[2])
        share[3] = _moved(share[3], min(max(inputs.flap, -1.0), 1.0), most, part.limits[3])
        share[4] = _moved(share[4], min(max(inputs.slat, -1.0), 1.0), most, part.limits[4])
        share[5] = min(max(inputs.brake, 0.0), 1.0)
        share[6] = min(max(inputs.spoiler, 0.0), 1.0)
        share[7] = min(max(inputs.gear, 0.0), 1.0)
