"""A robot's own program on the bus of its drives, by the public client of moteus and nothing of Didymos.

`moteus_host.py PATH COUNT PERIOD`: commands COUNT positions of a sine to controller 1, one each PERIOD [s], each with a torque
limit and scales that change, and stops at the end. Prints what it commanded and what was answered, as JSON.
"""

import asyncio
import json
import math
import sys
import time

import moteus

PATIENT = {"command_timeout": 100.0, "response_timeout": 100.0}


async def main(path, count, period):
    transport = moteus.Fdcanusb(path, **PATIENT)
    controller = moteus.Controller(id=1, transport=transport)
    commanded, answered = [], []
    begin = time.monotonic()
    for k in range(count):
        said = {
            "position": 0.2 * math.sin(0.05 * k), "velocity": 0.1 * math.cos(0.05 * k), "feedforward_torque": 0.01 * (k % 5),
            "kp_scale": 1.0 - 0.25 * (k % 3), "kd_scale": 0.5, "maximum_torque": 0.5 + 0.125 * (k % 4),
            "watchdog_timeout": math.nan,
        }  # fmt: skip
        result = await controller.set_position(**said, query=True)
        commanded.append(said)
        answered.append([result.values[moteus.Register(number)] for number in (0, 1, 2, 3)])
        await asyncio.sleep(max(0.0, begin + (k + 1) * period - time.monotonic()))
    await controller.set_stop()
    transport.close()
    print(json.dumps({"commanded": commanded, "answered": answered}))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3])))
