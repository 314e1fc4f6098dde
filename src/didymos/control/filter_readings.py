"""What GPS, magnetometer, barometer and pitot tube say about the state of the navigation filter: prediction and jacobian of each.

Everything is held against the state at the stamp of the reading (`filter_past`). Errors: e attitude, v, p, biases b.

    GPS velocity        v_s                                       h: v + A x e + D R b_a
    GPS position        p_s + b_gps                               h: p - D v - 1/2 D A x e + b_gps
    heading             direction of the level part of m = R_s (field - b_m), known to be `field_angle`
                                                                  h: e . (m x n) / m_h - n . R_s b_m / m_h
    dip                 angle of m below the level, d             h: e . l - u . R_s b_m / |m| + d
    barometer           height at p_s + b_h, of the standard atmosphere at that pressure
    tube                k x_s . (v_s - wind) + b_t, k = sqrt(rho / 1.225)
                                                                  h: k x . (v - wind) + k e . (x x (v - wind)) + b_t

n is level and at right angles to the *known* level field: a jacobian made of the noisy reading is correlated with its error,
and would slowly pull the bias of the magnetometer along the field. l is level and at right angles to it, too (magnetic east); u
points from the known direction of the field, at the dip of the state, further down. Strength and dip of the field need not be
known: the dip is a state, found with the first reading, and binds from then on *changes* of the tilt about magnetic east. With
the heading that leaves one rotation unseen, the one about the field itself. The field is taken to be the same along the flight
(its dip may walk by 0.02 mrad/sqrt(s)). In steep fields an error of tilt shows in the heading, and the jacobian says so. What is
quadratic in the tilt's error, (1 + tan dip) times its variance, counts as noise: it matters in the first second only, when the
tilt is hardly known. So does the product of the errors of attitude and flow in the tube: before the first fix
the flow across x is unknown by tens of metres per second. The tube measures the flow along x, and no vertical wind is known to
the filter: a gust is an error of the reading (`estimator.gust`). A wind that changes is followed as a random walk
(`estimator.wind`; Dryden's sigma sqrt(2 V / L) at 50 m and 15 m/s is 0.5 in light and 0.9 m/s/sqrt(s) in moderate turbulence).
All sensors are taken to sit where the IMU does.
"""

from __future__ import annotations

import math
from typing import Any

from didymos.air.atmosphere import density, height_of_pressure
from didymos.compiled import kernel
from didymos.control.angles import turn_vector, wrap
from didymos.control.filter_layout import (
    ACCEL_BIAS,
    AIRSPEED_BIAS,
    ATTITUDE,
    FIELD_BIAS,
    FIELD_DIP,
    GPS_BIAS,
    HEIGHT_BIAS,
    POSITION,
    VELOCITY,
    WIND,
)  # fmt: skip
from didymos.control.filter_past import look_back
from didymos.control.filter_predict import multiply
from didymos.control.filter_update import clear_jacobian, correct, innovation_variance, may_use

__all__ = ["use_barometer", "use_compass", "use_gps_position", "use_gps_velocity", "use_tube"]

_DENSITY_OF_TUBE = 1.225  # [kg/m^3], for which tubes are marked
_LEAST_AIRSPEED = 5.0  # [m/s]: below, the flow along x may be anything
_LEAST_LEVEL_SHARE = 0.1  # of the field: near the magnetic poles it shows no heading


@kernel
def _orientation_then(memory: Any) -> tuple[float, float, float, float]:
    """Attitude at the stamp that was looked back to."""
    q, turn = memory.nominal.orientation, memory.past.turn
    return multiply(q[0], q[1], q[2], q[3], turn[0], turn[1], turn[2], turn[3])


@kernel
def _doubt(first: int, count: int, memory: Any) -> float:
    """Variance of some errors from the first on, in space."""
    total = 0.0
    for i in range(first, first + count):
        total += memory.covariance[i, i]
    return total


@kernel
def _lead_back_attitude(i: int, share: float, memory: Any) -> None:
    """Add the i-th number of share A x e to the jacobian."""
    jacobian, push = memory.jacobian, memory.past.push
    j, k = (i + 1) % 3, (i + 2) % 3
    jacobian[ATTITUDE + k] += share * push[j]
    jacobian[ATTITUDE + j] -= share * push[k]


@kernel
def _velocity_row(errors: int, i: int, memory: Any) -> None:
    jacobian, past, q = clear_jacobian(errors, memory), memory.past, memory.nominal.orientation
    jacobian[VELOCITY + i] = 1.0
    if past.lag != 0.0:
        _lead_back_attitude(i, 1.0, memory)
        for j in range(3):
            axis = turn_vector(q, 1.0 if j == 0 else 0.0, 1.0 if j == 1 else 0.0, 1.0 if j == 2 else 0.0)
            jacobian[ACCEL_BIAS + j] = past.lag * axis[i]


@kernel
def _position_row(errors: int, i: int, memory: Any) -> None:
    jacobian, past = clear_jacobian(errors, memory), memory.past
    jacobian[POSITION + i] = 1.0
    jacobian[GPS_BIAS + i] = 1.0
    if past.lag != 0.0:
        jacobian[VELOCITY + i] = -past.lag
        _lead_back_attitude(i, -0.5 * past.lag, memory)


@kernel
def _velocity_error(reading: Any, i: int, memory: Any) -> float:
    return reading[i] - (memory.nominal.velocity[i] - memory.past.gained[i])


@kernel
def _position_error(reading: Any, i: int, memory: Any) -> float:
    state, past = memory.nominal, memory.past
    predicted = state.position[i] - past.lag * state.velocity[i] + past.moved[i]
    return reading[i] - predicted - state.gps_bias[i]


@kernel
def _gps_error(gps: Any, first: int, i: int, memory: Any) -> float:
    """What a fix says beyond the state: of the velocity or the position, by the first of their errors."""
    if first == VELOCITY:
        return _velocity_error(gps.velocity, i, memory)
    return _position_error(gps.position, i, memory)


@kernel
def _gps_variance(errors: int, deviation: float, first: int, i: int, memory: Any) -> float:
    """Variance of that error, its jacobian in `memory`; `deviation` is that of the reading."""
    if first == VELOCITY:
        _velocity_row(errors, i, memory)
    else:
        _position_row(errors, i, memory)
    return innovation_variance(errors, deviation**2, memory)


@kernel
def _use_gps(settings: Any, gains: Any, gps: Any, first: int, scale: float, deviation: Any, monitor: Any, memory: Any) -> None:
    """Use the three numbers of a fix's velocity or position, where all of them pass their gate."""
    errors = int(settings.errors)
    monitor.stamp = gps.stamp
    if not look_back(settings, gps.stamp, memory):
        return
    worst = 0.0
    for i in range(3):
        total = _gps_variance(errors, scale * deviation[i], first, i, memory)
        worst = max(worst, _gps_error(gps, first, i, memory) ** 2 / (gains.gate**2 * total))
    used, lost = may_use(worst, gains.patience, monitor)
    for i in range(3 if used else 0):
        look_back(settings, gps.stamp, memory)  # again: the last number turned the attitude, so what was gained since
        error = _gps_error(gps, first, i, memory)
        if lost:
            memory.covariance[first + i, first + i] += error * error
        total = _gps_variance(errors, scale * deviation[i], first, i, memory)
        correct(errors, error, total, memory)


@kernel
def use_gps_velocity(settings: Any, gains: Any, gps: Any, memory: Any) -> None:
    """Use the velocity of a fix, where it passes its gate."""
    _use_gps(settings, gains, gps, VELOCITY, gains.gps_velocity_scale, settings.gps_velocity, memory.gps_velocity, memory)


@kernel
def use_gps_position(settings: Any, gains: Any, gps: Any, memory: Any) -> None:
    """Use the position of a fix, where it passes its gate."""
    _use_gps(settings, gains, gps, POSITION, gains.gps_position_scale, settings.gps_position, memory.gps_position, memory)


@kernel
def _heading_error(settings: Any, seen: Any) -> float:
    """Angle [rad] from the level part of the field that is seen to the known one."""
    return wrap(settings.field_angle - math.atan2(seen[1], seen[0]))


@kernel
def _heading_variance(settings: Any, gains: Any, q: Any, seen: Any, memory: Any) -> float:
    """Variance of that angle, its jacobian in `memory`."""
    level, up = math.sqrt(seen[0] * seen[0] + seen[1] * seen[1]), seen[2]
    nx, ny = -math.sin(settings.field_angle), math.cos(settings.field_angle)  # of the known field: the seen one has noise in it
    jacobian = clear_jacobian(int(settings.errors), memory)
    jacobian[ATTITUDE] = -up * ny / level
    jacobian[ATTITUDE + 1] = up * nx / level
    jacobian[ATTITUDE + 2] = 1.0
    for i in range(3):
        axis = turn_vector(q, 1.0 if i == 0 else 0.0, 1.0 if i == 1 else 0.0, 1.0 if i == 2 else 0.0)
        jacobian[FIELD_BIAS + i] = -(nx * axis[0] + ny * axis[1]) / level
    quadratic = ((1.0 + abs(up) / level) * _doubt(ATTITUDE, 2, memory)) ** 2
    variance = (gains.compass_scale * settings.field / level) ** 2 + quadratic
    return innovation_variance(int(settings.errors), variance, memory)


@kernel
def _dip_error(seen: Any, memory: Any) -> float:
    """Angle [rad] by which the field that is seen dips more than the filter knows."""
    return math.atan2(-seen[2], math.sqrt(seen[0] * seen[0] + seen[1] * seen[1])) - memory.nominal.field_dip[0]


@kernel
def _dip_variance(settings: Any, gains: Any, q: Any, seen: Any, memory: Any) -> float:
    """Variance of that angle, its jacobian in `memory`."""
    strength = math.sqrt(seen[0] * seen[0] + seen[1] * seen[1] + seen[2] * seen[2])
    hx, hy = math.cos(settings.field_angle), math.sin(settings.field_angle)
    along, down = math.sin(memory.nominal.field_dip[0]), math.cos(memory.nominal.field_dip[0])
    jacobian = clear_jacobian(int(settings.errors), memory)
    jacobian[ATTITUDE], jacobian[ATTITUDE + 1] = hy, -hx
    jacobian[FIELD_DIP] = 1.0
    for i in range(3):
        axis = turn_vector(q, 1.0 if i == 0 else 0.0, 1.0 if i == 1 else 0.0, 1.0 if i == 2 else 0.0)
        jacobian[FIELD_BIAS + i] = -(along * (hx * axis[0] + hy * axis[1]) + down * axis[2]) / strength
    quadratic = _doubt(ATTITUDE, 2, memory) * _doubt(ATTITUDE, 3, memory)
    variance = (gains.compass_scale * settings.field / strength) ** 2 + quadratic
    return innovation_variance(int(settings.errors), variance, memory)


@kernel
def use_compass(settings: Any, gains: Any, magnetometer: Any, memory: Any) -> None:
    """Use the direction of the field: that of its level part, and its dip."""
    errors, monitor, bias, field = int(settings.errors), memory.compass, memory.nominal.field_bias, magnetometer.field
    monitor.stamp = magnetometer.stamp
    if not look_back(settings, magnetometer.stamp, memory):
        return
    q = _orientation_then(memory)
    seen = turn_vector(q, field[0] - bias[0], field[1] - bias[1], field[2] - bias[2])
    if seen[0] * seen[0] + seen[1] * seen[1] <= (_LEAST_LEVEL_SHARE * seen[2]) ** 2:
        return
    error = _heading_error(settings, seen)
    total = _heading_variance(settings, gains, q, seen, memory)
    worst = error * error / (gains.gate**2 * total)
    error = _dip_error(seen, memory)
    total = _dip_variance(settings, gains, q, seen, memory)
    used, lost = may_use(max(worst, error * error / (gains.gate**2 * total)), gains.patience, monitor)
    if lost:
        memory.covariance[FIELD_DIP, FIELD_DIP] += error * error
        total = _dip_variance(settings, gains, q, seen, memory)
    if used:
        correct(errors, error, total, memory)
        q = _orientation_then(memory)  # again: the dip turned the attitude
        seen = turn_vector(q, field[0] - bias[0], field[1] - bias[1], field[2] - bias[2])
        error = _heading_error(settings, seen)
        if lost:
            memory.covariance[ATTITUDE + 2, ATTITUDE + 2] += error * error
        total = _heading_variance(settings, gains, q, seen, memory)
        correct(errors, error, total, memory)


@kernel
def use_barometer(settings: Any, gains: Any, barometer: Any, memory: Any) -> None:
    """Use the height that the pressure shows."""
    errors, monitor, state, past = int(settings.errors), memory.barometer, memory.nominal, memory.past
    monitor.stamp = barometer.stamp
    if not look_back(settings, barometer.stamp, memory):
        return
    jacobian = clear_jacobian(errors, memory)
    jacobian[POSITION + 2] = 1.0
    jacobian[HEIGHT_BIAS] = 1.0
    jacobian[VELOCITY + 2] = -past.lag
    _lead_back_attitude(2, -0.5 * past.lag, memory)
    predicted = state.position[2] - past.lag * state.velocity[2] + past.moved[2] + state.height_bias[0]
    height = height_of_pressure(max(barometer.pressure, 1.0), settings.ground_temperature, settings.ground_pressure)
    error, variance = height - predicted, (gains.barometer_scale * settings.height) ** 2
    total = innovation_variance(errors, variance, memory)
    used, lost = may_use(error * error / (gains.gate**2 * total), gains.patience, monitor)
    if lost:
        memory.covariance[HEIGHT_BIAS, HEIGHT_BIAS] += error * error
        total = innovation_variance(errors, variance, memory)
    if used:
        correct(errors, error, total, memory)


@kernel
def use_tube(settings: Any, gains: Any, tube: Any, memory: Any) -> None:
    """Use the speed of the flow along the tube, above some metres per second."""
    errors, monitor, state, past = int(settings.errors), memory.tube, memory.nominal, memory.past
    monitor.stamp = tube.stamp
    if tube.airspeed < _LEAST_AIRSPEED or not look_back(settings, tube.stamp, memory):
        return
    x, y, z = turn_vector(_orientation_then(memory), 1.0, 0.0, 0.0)
    u = state.velocity[0] - past.gained[0] - state.wind[0]
    v = state.velocity[1] - past.gained[1] - state.wind[1]
    w = state.velocity[2] - past.gained[2]
    k = math.sqrt(density(state.position[2], settings.ground_temperature, settings.ground_pressure) / _DENSITY_OF_TUBE)
    jacobian = clear_jacobian(errors, memory)
    jacobian[ATTITUDE], jacobian[ATTITUDE + 1] = k * (y * w - z * v), k * (z * u - x * w)
    jacobian[ATTITUDE + 2] = k * (x * v - y * u)
    jacobian[VELOCITY], jacobian[VELOCITY + 1], jacobian[VELOCITY + 2] = k * x, k * y, k * z
    jacobian[WIND], jacobian[WIND + 1] = -k * x, -k * y
    jacobian[AIRSPEED_BIAS] = 1.0
    error = tube.airspeed - k * (x * u + y * v + z * w) - state.airspeed_bias[0]
    turned, flow = _doubt(ATTITUDE, 3, memory), _doubt(VELOCITY, 3, memory) + _doubt(WIND, 2, memory)
    quadratic = k * k * turned * (flow + turned * (u * u + v * v + w * w))
    variance = (gains.airspeed_scale * settings.airspeed) ** 2 + gains.gust**2 + quadratic
    total = innovation_variance(errors, variance, memory)
    used, lost = may_use(error * error / (gains.gate**2 * total), gains.patience, monitor)
    if lost:
        memory.covariance[WIND, WIND] += error * error
        memory.covariance[WIND + 1, WIND + 1] += error * error
        total = innovation_variance(errors, variance, memory)
    if used:
        correct(errors, error, total, memory)
