"""Measure how closely Betaflight's clock follows the twin's, by its interface alone and by `step_lock.c`; draw a flight.

    python docs/make_betaflight.py [SECONDS]

The firmware's clock is read out of its memory: the nanoseconds that its function micros64() has counted. With the interface alone
the packets are sent at the pace of the wall clock, as its makers' own bridges do.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
from elftools.elf.elffile import ELFFile
from numpy.typing import NDArray

import didymos
from didymos.ports.firmware import use_firmware
from didymos.ports.firmware.betaflight.packets import radio_packet, state_packet
from didymos.ports.firmware.betaflight.sitl import RADIO_RATE, Sitl, find_firmware_file, stamp
from didymos.record.style import figure_file, new_figure, style

STEP = 0.001  # [s]
AT_REST = ((0.0, 0.0, 0.0), (0.0, 0.0, 9.80665), (1.0, 0.0, 0.0, 0.0), 101_325.0)


def counters(firmware: Path) -> list[int]:
    """Addresses of the two clocks' counts (of micros64 and millis64) in the firmware's file."""
    with firmware.open("rb") as file:
        symbols = ELFFile(file).get_section_by_name(".symtab")
        return sorted(symbol["st_value"] for symbol in symbols.iter_symbols() if symbol.name.startswith("out."))


def clock(process: int, addresses: list[int]) -> float:
    """The firmware's time [s]: the larger of the two counts."""
    maps = Path(f"/proc/{process}/maps").read_text(encoding="ascii").splitlines()
    base = int(next(line for line in maps if "_SITL" in line).split("-")[0], 16)
    with open(f"/proc/{process}/mem", "rb", buffering=0) as memory:
        found = []
        for address in addresses:
            memory.seek(base + address)
            found.append(int.from_bytes(memory.read(8), "little"))
    return 1e-9 * max(found)


def measure(seconds: float, *, locked: bool) -> tuple[NDArray[np.float64], int, float]:
    """Firmware's minus twin's clock [s] at every tenth second from the first on, lost answers, times real time."""
    sitl = Sitl((), locked=locked)
    addresses = counters(find_firmware_file())
    try:
        time.sleep(0.5)  # it boots
        errors, lost = [], 0
        began = time.perf_counter()
        for tick in range(round(seconds / STEP)):
            t = tick * STEP
            if tick % round(1.0 / (RADIO_RATE * STEP)) == 0:
                sitl.radio(radio_packet(stamp(t), (1500, 1500, 1000, 1500)))
            packet = state_packet(stamp(t), *AT_REST)
            if locked:
                sitl.step(packet, t)
            else:
                sitl.send(packet)
                lost += not sitl.has_answer()
                time.sleep(max(0.0, began + t + STEP - time.perf_counter()))
            if tick % 100 == 99:
                time.sleep(0.02 if locked else 0.0)  # it finishes its step: time stands still meanwhile
                errors.append(clock(sitl.id, addresses) - t)
        return np.array(errors[9:]) - errors[9], lost, seconds / (time.perf_counter() - began)
    finally:
        sitl.stop()


def picture() -> None:
    """The same scenario flown by backstepping and by Betaflight: roll, height, motors."""
    logs = {}
    for name in ("backstepping", "betaflight"):
        twin = didymos.load("daedalus")
        if name == "betaflight":
            use_firmware(twin, name)
        simulation = twin.simulate(scenario="level_and_roll")
        try:
            logs[name] = simulation.run()
        finally:
            simulation.close()
    with style():
        figure = new_figure(10.0, 5.6)
        roll, height, motors = figure.subplots(3, 1, sharex=True)
        for name, log in logs.items():
            roll.plot(log["truth.roll"].time, np.rad2deg(log["truth.roll"].values), label=name)
            height.plot(log["truth.position.z"].time, log["truth.position.z"].values, label=name)
            motors.plot(log["inputs.motor2"].time, log["inputs.motor2"].values, label=name)
        commanded = logs["betaflight"]["setpoints.roll"]
        roll.plot(commanded.time, np.rad2deg(commanded.values), "k:", linewidth=0.8, label="set-point")
        for axis, text in ((roll, "roll [deg]"), (height, "height [m]"), (motors, "right motor")):
            axis.set_ylabel(text)
            axis.legend(fontsize=8)
        motors.set_xlabel("time [s]")
        figure_file(figure, Path(__file__).parent / "pictures" / "level_and_roll.png")


def main(seconds: float) -> None:
    """Print the table of `docs/firmware.md`, draw its picture."""
    picture()
    for locked in (True, False):
        errors, lost, speed = measure(seconds, locked=locked)
        name = "step_lock.c" if locked else "interface alone"
        drift = errors[-1] / (seconds - 1.0)
        print(f"{name:16} drift {1e6 * drift:10.2f} us/s, spread {1e6 * np.ptp(errors):10.1f} us, "
              f"steps without an answer {100 * lost * STEP / seconds:5.2f} %, {speed:.2f} times real time")


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 20.0)
