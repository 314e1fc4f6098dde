"""One pass over all sensors at a tick: who is due, what does it read, what arrives now.

Tables (one row per sensor, one per quantity) are fixed for a run; everything that changes lies in the engine's `userdata`, so
that it is saved and restored with the state. A reading taken at tick k enters a ring and arrives at tick k + delay; until
then, and when a reading is lost, the program keeps seeing the last one that arrived.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from didymos.compiled import kernel
from didymos.sensors.error import DRAWS_PER_READING, disturb_orientation, disturb_vector, walk
from didymos.sensors.noise import uniform

__all__ = [
    "ARRIVED", "BIAS", "CAPACITY", "CHANNELS", "DELAY", "DROP_OUT", "ERRORS", "FIRST", "FORM", "IS_ACCELERATION", "KEY", "MEMORY",
    "MEMORY_HEAD", "NOTHING_YET", "ORIENTATION", "OUT", "OUTAGE_RATE", "OUTAGE_TIME", "QUANTITIES", "QUANTITY_WORDS", "RATE",
    "SAMPLED_AT", "SENSOR_NUMBERS", "SENSOR_WORDS", "SEPARATE", "SIZE", "SOURCE", "TAKEN", "VECTOR", "is_due",
    "needs_acceleration", "sense",
]  # fmt: skip

# sensor row, integers
FIRST, QUANTITIES, MEMORY, CHANNELS, CAPACITY, DELAY, KEY, IS_ACCELERATION = range(8)
SENSOR_WORDS = 8
# sensor row, numbers
RATE, DROP_OUT, ERRORS, OUTAGE_RATE, OUTAGE_TIME = range(5)
SENSOR_NUMBERS = 5
# quantity row, integers: where in sensordata, how many, what they are, where in userdata, its bias in userdata
SOURCE, SIZE, FORM, OUT, BIAS = range(5)
SEPARATE, ORIENTATION, VECTOR = range(3)
"""What the channels of a quantity are: numbers of their own, one quaternion, or the three axes of one vector."""
QUANTITY_WORDS = 5
# memory of a sensor in userdata, followed by the ring of (arrival tick, time of the sample [s], values)
TAKEN, ARRIVED, SAMPLED_AT, _BLIND_UNTIL = range(4)
MEMORY_HEAD = 4
_OUTAGES = 1 << 52  # from here on, the numbers of the stream of losses decide about outages

NOTHING_YET = -1.0


@kernel
def is_due(tick: int, rate: float, period: float) -> bool:
    """Whether a rate [Hz] falls due at a tick of a period [s]; the first tick always does."""
    if tick == 0:
        return True
    return int(np.floor(tick * period * rate + 1e-9)) > int(np.floor((tick - 1) * period * rate + 1e-9))


@kernel
def needs_acceleration(sensors: Any, numbers: Any, tick: int, period: float, begins: bool) -> bool:
    """Whether a sensor that measures accelerations reads at this tick."""
    for i in range(sensors.shape[0]):
        if sensors[i, IS_ACCELERATION] == 1 and (begins or is_due(tick, numbers[i, RATE], period)):
            return True
    return False


@kernel
def _is_lost(sensor: Any, numbers: Any, taken: int, userdata: Any) -> bool:
    """Whether this reading is one of those that never arrive."""
    high, low, blind = userdata[sensor[KEY] + 2], userdata[sensor[KEY] + 3], sensor[MEMORY] + _BLIND_UNTIL
    often = numbers[OUTAGE_RATE] / numbers[RATE]
    if often > 0.0 and taken >= userdata[blind] and uniform(high, low, _OUTAGES + taken) < often:
        userdata[blind] = taken + np.floor(numbers[OUTAGE_TIME] * numbers[RATE] + 0.5)
    if taken < userdata[blind]:
        return True
    return numbers[DROP_OUT] > 0.0 and uniform(high, low, taken) < numbers[DROP_OUT]


@kernel
def _take(
    sensor: Any, numbers: Any, quantities: Any, errors: Any, tick: int, period: float, truth: Any, userdata: Any
) -> None:
    """Put one reading into the ring."""
    memory = sensor[MEMORY]
    taken = int(userdata[memory + TAKEN])
    high, low = userdata[sensor[KEY]], userdata[sensor[KEY] + 1]
    slot = memory + MEMORY_HEAD + (taken % sensor[CAPACITY]) * (sensor[CHANNELS] + 2)
    userdata[slot] = tick + sensor[DELAY]
    userdata[slot + 1] = tick * period
    if _is_lost(sensor, numbers, taken, userdata):
        userdata[slot] = NOTHING_YET
    channel = 0
    for q in range(sensor[FIRST], sensor[FIRST] + sensor[QUANTITIES]):
        row = quantities[q]
        size = row[SIZE]
        true = truth[row[SOURCE] : row[SOURCE] + size]
        reading = userdata[slot + 2 + channel : slot + 2 + channel + size]
        bias = userdata[row[BIAS] : row[BIAS] + size]
        counter = (taken * sensor[CHANNELS] + channel) * DRAWS_PER_READING
        if numbers[ERRORS] == 0.0:
            reading[:] = true
        elif row[FORM] == ORIENTATION:
            walk(errors[q], numbers[RATE], taken == 0, high, low, counter, 3, bias)
            disturb_orientation(errors[q], numbers[RATE], high, low, counter, bias, true, reading)
        else:
            walk(errors[q], numbers[RATE], taken == 0, high, low, counter, size, bias)
            axes = row[FORM] == VECTOR
            disturb_vector(errors[q], numbers[RATE], high, low, counter, size, axes, bias, true, reading)
        channel += size
    userdata[memory + TAKEN] = taken + 1


@kernel
def sense(
    sensors: Any, numbers: Any, quantities: Any, errors: Any, tick: int, period: float, begins: bool, truth: Any, userdata: Any,
    fresh: Any,
) -> None:
    """Take the readings that are due and let those arrive whose time has come.

    `truth` is the engine's `sensordata`; all are due where the robot `begins`. `fresh[i]` becomes 1 where a reading of sensor i
    arrived at this tick.
    """
    for i in range(sensors.shape[0]):
        sensor = sensors[i]
        fresh[i] = 0
        if begins or is_due(tick, numbers[i, RATE], period):
            _take(sensor, numbers[i], quantities, errors, tick, period, truth, userdata)
        memory = sensor[MEMORY]
        while userdata[memory + ARRIVED] < userdata[memory + TAKEN]:
            arrived = int(userdata[memory + ARRIVED])
            slot = memory + MEMORY_HEAD + (arrived % sensor[CAPACITY]) * (sensor[CHANNELS] + 2)
            if userdata[slot] > tick:
                break
            userdata[memory + ARRIVED] = arrived + 1
            if userdata[slot] == NOTHING_YET:
                continue
            fresh[i] = 1
            userdata[memory + SAMPLED_AT] = userdata[slot + 1]
            channel = slot + 2
            for q in range(sensor[FIRST], sensor[FIRST] + sensor[QUANTITIES]):
                for k in range(quantities[q, SIZE]):
                    userdata[quantities[q, OUT] + k] = userdata[channel]
                    channel += 1
