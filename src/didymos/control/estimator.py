"""Attitude, position, velocity and wind from IMU, GPS, magnetometer, barometer and tube: an error-state Kalman filter.

    predict     every reading of the IMU carries the state on                               `filter_predict`
    look back   a reading is held against the state at its own stamp                        `filter_past`
    use         GPS velocity and position, heading and dip of the field, height, airspeed   `filter_readings`, `filter_update`
    say         the state, carried on to the time of the call by the last IMU reading

23 errors, 26 with a tube (`filter_layout`): attitude, velocity, position, biases of gyro and accelerometer, the wander of the
GPS, biases of magnetometer and barometer, the dip of the field; wind and the bias of the tube. The noise of each comes from the
robot's own sensors (`filter_noise`). A reading is new when its stamp is another one than the last: one that repeats its value is
used as well.

Without GPS the covariance of velocity and position grows, and that of the tilt slowly; the first fix that comes back finds a
gate as wide as the doubt, and corrects each state by its share: a drifted position moves the tilt no more than the drift says
about it. With a tube, the wind that was learned bounds the drift along the flight path.

`status` is aligning (IMU, magnetometer or GPS have not spoken yet), ok, dead reckoning (no fix was used for 2 s), rejecting
(readings arrive and fail their gates).

Reference: Sola, Quaternion kinematics for the error-state Kalman filter (2017). What it cannot do: find a heading where the
field has no level part; tell an accelerating multirotor from a tilted one in the first second of a start in flight without GPS;
know of sensors that sit away from the IMU; hold a position without GPS for minutes.
"""

from __future__ import annotations

import math
from typing import Any

from didymos.compiled import kernel
from didymos.control.angles import turn_vector
from didymos.control.filter_align import align, forget, may_align
from didymos.control.filter_layout import ATTITUDE, POSITION, VELOCITY
from didymos.control.filter_predict import multiply, predict_covariance, predict_state, rotation_quaternion
from didymos.control.filter_readings import use_barometer, use_compass, use_gps_position, use_gps_velocity, use_tube

__all__ = ["STATUS", "deviations", "status", "update_estimate"]

STATUS = ("aligning", "ok", "dead reckoning", "rejecting")
"""Words for the numbers of `status`."""

_ALIGNING, _OK, _DEAD_RECKONING, _REJECTING = (float(i) for i in range(len(STATUS)))
_LONGEST_PENDING = 0.05  # [s] between two predictions of the covariance
_LONGEST_HOLD = 0.1  # [s] for which the last reading of the IMU is held
_FIX_AGE = 2.0  # [s]


@kernel
def _say(settings: Any, time: float, measured: Any, memory: Any) -> None:
    """Carry the state on to a time [s] and write the estimate."""
    state, estimate = memory.nominal, memory.estimate
    ahead = min(max(time - memory.time, 0.0), _LONGEST_HOLD) if memory.aligned > 0.0 else 0.0
    for i in range(3):
        estimate.rate[i] = measured.imu.gyro[i] - state.gyro_bias[i]
    turn = rotation_quaternion(ahead * estimate.rate[0], ahead * estimate.rate[1], ahead * estimate.rate[2])
    q = state.orientation
    orientation = multiply(q[0], q[1], q[2], q[3], turn[0], turn[1], turn[2], turn[3])
    push = turn_vector(
        q,
        memory.accel[0] - state.accel_bias[0], memory.accel[1] - state.accel_bias[1], memory.accel[2] - state.accel_bias[2],
    )  # fmt: skip
    for i in range(4):
        estimate.orientation[i] = orientation[i]
    for i in range(3):
        gained = ahead * (push[i] - (settings.gravity if i == 2 else 0.0))
        estimate.velocity[i] = state.velocity[i] + gained
        estimate.position[i] = state.position[i] + ahead * (state.velocity[i] + 0.5 * gained)


@kernel
def _is_new(stamp: float, monitor: Any) -> bool:
    """Whether a reading has arrived that was not looked at yet, by its stamp [s]."""
    return stamp >= 0.0 and stamp != monitor.stamp


@kernel
def _use(settings: Any, gains: Any, measured: Any, memory: Any) -> None:
    """Use all readings that are new."""
    fix = _is_new(measured.gps.stamp, memory.gps_velocity)
    field = _is_new(measured.magnetometer.stamp, memory.compass)
    pressure = settings.has_barometer > 0.0 and _is_new(measured.barometer.stamp, memory.barometer)
    flow = settings.has_tube > 0.0 and _is_new(measured.tube.stamp, memory.tube)
    if fix or field or pressure or flow or memory.pending >= _LONGEST_PENDING:
        predict_covariance(settings, gains, memory)
    if field:
        use_compass(settings, gains, measured.magnetometer, memory)
    if fix:
        use_gps_velocity(settings, gains, measured.gps, memory)
        use_gps_position(settings, gains, measured.gps, memory)
    if pressure:
        use_barometer(settings, gains, measured.barometer, memory)
    if flow:
        use_tube(settings, gains, measured.tube, memory)


@kernel
def update_estimate(clock: Any, settings: Any, gains: Any, measured: Any, memory: Any) -> None:
    """Bring `memory.estimate` up to this call: orientation, rate, position and velocity."""
    if clock.first > 0.0:
        forget(memory)
    if memory.aligned == 0.0:
        if may_align(settings, clock.period, measured, memory):
            align(settings, measured, memory)
            _use(settings, gains, measured, memory)
    else:
        if measured.imu.stamp > memory.time:
            predict_state(settings, measured.imu, memory)
        _use(settings, gains, measured, memory)
    _say(settings, clock.time, measured, memory)


@kernel
def deviations(memory: Any) -> tuple[float, float, float, float]:
    """Standard deviations of tilt [rad] (about both level axes), heading [rad], velocity [m/s] and position [m] (in space)."""
    p = memory.covariance
    return (
        math.sqrt(max(p[ATTITUDE, ATTITUDE] + p[ATTITUDE + 1, ATTITUDE + 1], 0.0)),
        math.sqrt(max(p[ATTITUDE + 2, ATTITUDE + 2], 0.0)),
        math.sqrt(max(p[VELOCITY, VELOCITY] + p[VELOCITY + 1, VELOCITY + 1] + p[VELOCITY + 2, VELOCITY + 2], 0.0)),
        math.sqrt(max(p[POSITION, POSITION] + p[POSITION + 1, POSITION + 1] + p[POSITION + 2, POSITION + 2], 0.0)),
    )


@kernel
def status(time: float, memory: Any) -> float:
    """The number of a word of `STATUS`, at a time [s]."""
    if memory.aligned == 0.0:
        return _ALIGNING
    if memory.gps_velocity.rejected_since >= 0.0 or memory.gps_position.rejected_since >= 0.0:
        return _REJECTING
    if memory.compass.rejected_since >= 0.0 or memory.barometer.rejected_since >= 0.0 or memory.tube.rejected_since >= 0.0:
        return _REJECTING
    if time - min(memory.gps_velocity.used, memory.gps_position.used) > _FIX_AGE:
        return _DEAD_RECKONING
    return _OK
