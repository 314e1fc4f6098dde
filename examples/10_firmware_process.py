"""Firmware in a process of its own, step-locked: this file is both the run and the firmware.

    python examples/10_firmware_process.py [FOLDER]

The run starts the file a second time with the path of a socket in DIDYMOS_SOCKET. That process knows nothing of Didymos: it reads
messages (four bytes "DID1", kind, count of numbers, count, time, numbers) and answers each with the same count and four commands.
Here it holds the height by the true attitude and the readings of `state`, as a first firmware might.
"""

import json
import os
import shlex
import socket
import struct
import sys
from pathlib import Path

HEAD = struct.Struct("<4sHHQd")
HELLO, STEP, END = 1, 2, 3


def firmware(path: str) -> None:
    """What a firmware developer writes, in any language."""
    line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    line.connect(path)
    stream = line.makefile("rb")
    places, expected = {}, 0
    while True:
        _, kind, size, count, _time = HEAD.unpack(stream.read(HEAD.size))
        if kind == HELLO:
            facts = json.loads(stream.read(size))
            places = {name: place for place, name in enumerate([*facts["sensors"], "roll", "pitch", "yaw", *facts["setpoints"]])}
        elif kind == END:
            return
        else:
            assert count == expected, f"message {expected} was lost"
            expected += 1
            values = struct.unpack(f"<{size}d", stream.read(8 * size))
            commands = law({name: values[place] for name, place in places.items()})
            line.sendall(HEAD.pack(b"DID1", STEP, len(commands), count, 0.0) + struct.pack(f"<{len(commands)}d", *commands))


def law(now: dict[str, float]) -> list[float]:
    """Front, right, rear, left."""
    lift = 0.554 + 0.15 * (now["z"] - now["state.position.z"]) - 0.15 * now["state.velocity.z"]
    roll = 0.05 * (0.0 - now["roll"]) - 0.016 * now["state.angular_velocity.x"]
    pitch = 0.05 * (0.0 - now["pitch"]) - 0.016 * now["state.angular_velocity.y"]
    return [lift - 2 * pitch, lift - 2 * roll, lift + 2 * pitch, lift + 2 * roll]


def main(folder: Path) -> float:
    import didymos
    from didymos.ports.firmware import use_firmware

    folder.mkdir(parents=True, exist_ok=True)
    twin = didymos.load("daedalus")
    use_firmware(twin, f"peer:{shlex.join([sys.executable, __file__])}")
    simulation = twin.simulate(scenario="hover")
    try:
        log = simulation.run(8.0)
    finally:
        simulation.close()
    error = float(log["truth.position.z"].values[-1] - log["setpoints.z"].values[-1])
    print(f"height error {1000 * error:.1f} mm, {simulation.real_time_factor:.1f} times real time")
    print("log:", log.save(folder / "firmware.mcap"))
    return error


if __name__ == "__main__":
    if "DIDYMOS_SOCKET" in os.environ:
        firmware(os.environ["DIDYMOS_SOCKET"])
    else:
        main(Path(sys.argv[1] if len(sys.argv) > 1 else "out"))
