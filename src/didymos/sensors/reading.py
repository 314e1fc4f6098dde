"""One pass over all sensors at a tick: who is due, what does it read, what arrives now.

Tables (one row per sensor, one per quantity) are fixed for a run; everything that changes lies in the state that the engine keeps
for us, so that it is saved and restored with it. A reading taken at tick k enters a ring and arrives at tick k + delay; until
then, and when a reading is lost, the program keeps seeing the last one that arrived. A reading of accelerations needs the forces;
it is taken with the last physics step before its tick, whose time is its stamp: that costs no second pass of the dynamics.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from didymos.air.geodesy import geodetic
from didymos.compiled import kernel
from didymos.native import doubles, record_at, row_at
from didymos.noise import uniform
from didymos.sensors.error import DRAWS_PER_READING, ERROR, Form, disturb_orientation, disturb_values, is_exact, walk

__all__ = [
    "ARRIVAL", "NO_READING", "QUANTITY", "SENSOR", "SENSOR_MEMORY", "SensorTables", "acceleration_due", "any_due", "is_due",
    "sense", "take_accelerations",
]  # fmt: skip

SENSOR = np.dtype(
    [
        ("first_quantity", np.int64),
        ("quantities", np.int64),
        ("memory", np.int64),  # where in the state its `SENSOR_MEMORY` lies; the ring follows
        ("channels", np.int64),  # numbers of one reading
        ("capacity", np.int64),  # readings that the ring holds
        ("delay", np.int64),  # ticks
        ("acceleration", np.int64),  # 1 where a quantity is known only with the forces
        ("rate", np.float64),  # [Hz]
        ("drop_out", np.float64),
        ("errors", np.float64),
        ("outage_rate", np.float64),  # [1/s]
        ("outage_time", np.float64),  # [s]
        ("temperature_rise", np.float64),  # [K] above that of calibration
        ("fix", np.int64),  # where in the state latitude, longitude [deg] and height [m] of its position lie; -1: none
        ("fixed", np.int64),  # where in the state the last reading of that position lies
        ("origin", np.float64, 3),  # latitude, longitude [rad] and height [m] of the world's origin
        ("ellipsoid", np.float64, 2),  # radius at the equator [m] and flattening [1]
    ]
)
"""A row of the table of sensors."""

QUANTITY = np.dtype(
    [
        ("in_state", np.int64),  # 0: the true value lies in the engine's sensordata, 1: in our state
        ("source", np.int64),  # where
        ("size", np.int64),
        ("form", np.int64),  # see `Form`
        ("reading", np.int64),  # where in the state the last reading lies
        ("bias", np.int64),  # where in the state its bias lies
    ]
)
"""A row of the table of quantities."""

SENSOR_MEMORY = np.dtype(
    [
        ("key", np.float64, 2),  # of its stream of noise
        ("loss_key", np.float64, 2),  # of its stream of losses
        ("taken", np.float64),  # readings until now
        ("arrived", np.float64),  # of which so many have arrived, or were lost
        ("sampled_at", np.float64),  # [s], the last one that arrived: the stamp by which a program knows a new one
        ("blind_until", np.float64),  # number of the first reading after an outage
    ]
)
"""What a sensor remembers."""

ARRIVAL = np.dtype([("tick", np.float64), ("sampled_at", np.float64)])
"""What stands before the numbers of a reading in the ring: when it arrives, and the time [s] that it is about."""

NO_READING = -1.0
"""The stamp [s] of a sensor of which no reading has arrived yet; those of readings are never negative."""

_OUTAGES = 1 << 52  # from here on, the numbers of the stream of losses decide about outages
_LOST = -1.0
_ARRIVAL_WORDS = ARRIVAL.itemsize // 8
_MEMORY_WORDS = SENSOR_MEMORY.itemsize // 8


_ORIENTATION, _VECTOR = Form.ORIENTATION, Form.VECTOR


class SensorTables(NamedTuple):
    """The sensors of a run; compiled code gets the addresses of these arrays under the same names, and `sensors_count`."""

    sensors: NDArray[Any]  # SENSOR [n]
    quantities: NDArray[Any]  # QUANTITY [m]
    errors: NDArray[Any]  # ERROR [m]
    fresh: NDArray[np.float64]  # [n], 1 where a reading arrived at this tick; part of the state


@kernel
def is_due(tick: int, rate: float, period: float) -> bool:
    """Whether a rate [Hz] falls due at a tick of a period [s]; the first tick always does."""
    if tick == 0:
        return True
    return int(np.floor(tick * period * rate + 1e-9)) > int(np.floor((tick - 1) * period * rate + 1e-9))


@kernel
def any_due(tables: Any, tick: int, period: float) -> bool:
    """Whether any sensor reads at this tick."""
    for i in range(tables.sensors_count):
        if is_due(tick, row_at(tables.sensors, i, SENSOR).rate, period):
            return True
    return False


@kernel
def acceleration_due(tables: Any, tick: int, period: float) -> bool:
    """Whether a sensor that measures accelerations reads at this tick."""
    for i in range(tables.sensors_count):
        sensor = row_at(tables.sensors, i, SENSOR)
        if sensor.acceleration == 1 and is_due(tick, sensor.rate, period):
            return True
    return False


@kernel
def _is_lost(sensor: Any, memory: Any, taken: int) -> bool:
    """Whether this reading is one of those that never arrive."""
    high, low = memory.loss_key[0], memory.loss_key[1]
    often = sensor.outage_rate / sensor.rate
    if often > 0.0 and taken >= memory.blind_until and uniform(high, low, _OUTAGES + taken) < often:
        memory.blind_until = taken + np.floor(sensor.outage_time * sensor.rate + 0.5)
    if taken < memory.blind_until:
        return True
    return sensor.drop_out > 0.0 and uniform(high, low, taken) < sensor.drop_out


@kernel
def _take(tables: Any, sensor: Any, arrival: int, time: float, sensordata: int, state: int) -> None:
    """Put one reading into the ring."""
    memory = record_at(state + 8 * sensor.memory, SENSOR_MEMORY)
    taken = int(memory.taken)
    high, low = memory.key[0], memory.key[1]
    slot = sensor.memory + _MEMORY_WORDS + (taken % sensor.capacity) * (sensor.channels + _ARRIVAL_WORDS)
    on_its_way = record_at(state + 8 * slot, ARRIVAL)
    on_its_way.tick = arrival
    on_its_way.sampled_at = time
    if _is_lost(sensor, memory, taken):
        on_its_way.tick = _LOST
    channel = 0
    for q in range(sensor.first_quantity, sensor.first_quantity + sensor.quantities):
        quantity, error = row_at(tables.quantities, q, QUANTITY), row_at(tables.errors, q, ERROR)
        size = quantity.size
        true = doubles((state if quantity.in_state == 1 else sensordata) + 8 * quantity.source)
        reading = doubles(state + 8 * (slot + _ARRIVAL_WORDS + channel))
        bias = doubles(state + 8 * quantity.bias)
        counter = (taken * sensor.channels + channel) * DRAWS_PER_READING
        if sensor.errors == 0.0 or is_exact(error, size, bias):
            for k in range(size):
                reading[k] = true[k]
        elif quantity.form == _ORIENTATION:
            walk(error, sensor.rate, taken == 0, high, low, counter, 3, 3, bias)
            disturb_orientation(
                error, sensor.rate, sensor.temperature_rise, high, low, counter, channel, bias, true, reading
            )
        else:
            walk(error, sensor.rate, taken == 0, high, low, counter, size, 3 if quantity.form == _VECTOR else 1, bias)
            disturb_values(
                error, sensor.rate, sensor.temperature_rise, high, low, counter, channel, size, quantity.form, bias, true, reading
            )
        channel += size
    memory.taken = taken + 1


@kernel
def _arrive(tables: Any, sensor: Any, tick: int, state: int) -> bool:
    """Let the readings arrive whose time has come; whether one did."""
    memory = record_at(state + 8 * sensor.memory, SENSOR_MEMORY)
    fresh = False
    while memory.arrived < memory.taken:
        arrived = int(memory.arrived)
        slot = sensor.memory + _MEMORY_WORDS + (arrived % sensor.capacity) * (sensor.channels + _ARRIVAL_WORDS)
        on_its_way = record_at(state + 8 * slot, ARRIVAL)
        if on_its_way.tick > tick:
            break
        memory.arrived = arrived + 1
        if on_its_way.tick == _LOST:
            continue
        fresh = True
        memory.sampled_at = on_its_way.sampled_at
        channel = slot + _ARRIVAL_WORDS
        for q in range(sensor.first_quantity, sensor.first_quantity + sensor.quantities):
            quantity = row_at(tables.quantities, q, QUANTITY)
            source, target = doubles(state + 8 * channel), doubles(state + 8 * quantity.reading)
            for k in range(quantity.size):
                target[k] = source[k]
            channel += quantity.size
    if fresh and sensor.fix >= 0:
        _locate(sensor, doubles(state + 8 * sensor.fixed), doubles(state + 8 * sensor.fix))
    return fresh


@kernel
def _locate(sensor: Any, position: Any, fix: Any) -> None:
    """Where on Earth a position that was read is."""
    origin, ellipsoid = sensor.origin, sensor.ellipsoid
    latitude, longitude, height = geodetic(
        origin[0], origin[1], origin[2], position[0], position[1], position[2], ellipsoid[0], ellipsoid[1]
    )
    fix[0], fix[1], fix[2] = math.degrees(latitude), math.degrees(longitude), height


@kernel
def sense(tables: Any, tick: int, period: float, begins: bool, sensordata: int, state: int) -> None:
    """Take the readings of positions and velocities that are due, and let all arrive whose time has come.

    `sensordata` and `state` are addresses: of the engine's readings, and of the state that it keeps for us.
    Where the robot `begins`, all are due, those of accelerations too, and the engine has found the forces before.
    """
    fresh = doubles(tables.fresh)
    for i in range(tables.sensors_count):
        sensor = row_at(tables.sensors, i, SENSOR)
        if begins or (sensor.acceleration == 0 and is_due(tick, sensor.rate, period)):
            _take(tables, sensor, tick + sensor.delay, tick * period, sensordata, state)
        fresh[i] = 1.0 if _arrive(tables, sensor, tick, state) else 0.0


@kernel
def take_accelerations(tables: Any, tick: int, time: float, period: float, sensordata: int, state: int) -> None:
    """Take the readings of accelerations that a tick needs, at a time [s] just before it, when the forces are known."""
    for i in range(tables.sensors_count):
        sensor = row_at(tables.sensors, i, SENSOR)
        if sensor.acceleration == 1 and is_due(tick, sensor.rate, period):
            _take(tables, sensor, tick + sensor.delay, time, sensordata, state)
