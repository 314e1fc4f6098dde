"""Memory of a cockpit over a long run with a page open, and whether it keeps its speed.

    python tools/cockpit_memory.py [TWIN] [--speed X] [--minutes M] [--every SECONDS]

The page is a web socket client that reads all that viser sends, draws two plots of ten seconds and follows the timeline: what a
browser asks for, without its drawing. Prints, over the wall's clock, resident memory without files that are mapped (the log of a
long run is one), with them, the real-time factor and the length of the run; then how far memory moved after the first fifth.
Speed inf: as fast as it can, an hour of the twin's clock in a minute.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import threading
import time
from pathlib import Path

import viser
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from didymos.cockpit.cockpit import Cockpit
from didymos.twin import load

PLOTTED = {"names": ["truth.position.z", "setpoints.z", "inputs.motor1", "inputs.motor2"], "window": 10.0}


def read(line: ClientConnection) -> None:
    """Read all that comes."""
    try:
        for _ in line:
            pass
    except ConnectionClosed:
        pass


def open_page(port: int) -> None:
    """A page that reads and asks, and draws nothing."""
    speaks = f"viser-v{viser.__version__}"
    scene = connect(f"ws://127.0.0.1:{port}/", subprotocols=[speaks], max_size=None)  # type: ignore[list-item]
    feed = connect(f"ws://127.0.0.1:{port}/feed", max_size=None)
    for topic, fields in (("plots.hello", {}), ("plots.want", PLOTTED), ("time.hello", {})):
        feed.send(json.dumps({"topic": topic, **fields}))
    for line in (scene, feed):
        threading.Thread(target=read, args=(line,), daemon=True).start()


def resident() -> tuple[float, float]:
    """Memory of this process [MB]: its own, and with files that are mapped."""
    fields = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    own, files = (int(fields[name].split()[0]) / 1024.0 for name in ("RssAnon", "RssFile"))
    return own, own + files


def main() -> None:
    """Run, look, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("twin", nargs="?", default="quadcopter")
    parser.add_argument("--speed", type=float, default=5.0)
    parser.add_argument("--minutes", type=float, default=60.0, help="of the wall's clock")
    parser.add_argument("--every", type=float, default=60.0, help="seconds between two lines")
    options = parser.parse_args()
    twin = load(options.twin)
    with (
        tempfile.TemporaryDirectory() as folder,
        Cockpit(twin, scenario=next(iter(twin.scenarios), None), port=0, folder=folder) as cockpit,
    ):
        session = cockpit.session
        session.stops_at_end = False
        open_page(cockpit.server.port)
        session.set_speed(options.speed)
        session.play()
        began = time.perf_counter()
        told, clock, seen = began, 0.0, []
        print("| minutes | own [MB] | with mapped files [MB] | real-time factor | t [s] |\n|---|---|---|---|---|", flush=True)
        while time.perf_counter() - began < 60.0 * options.minutes:
            time.sleep(max(0.0, told + options.every - time.perf_counter()))
            now, t = time.perf_counter(), session.live.snapshot.time
            own, whole = resident()
            seen.append((own, whole))
            factor = (t - clock) / (now - told)
            print(f"| {(now - began) / 60.0:.1f} | {own:.0f} | {whole:.0f} | {factor:.2f} | {t:.0f} |", flush=True)
            told, clock = now, t
        late = seen[len(seen) // 5 :]
        spans = [max(column) - min(column) for column in zip(*late, strict=True)]
        print(f"after the first fifth: own memory within {spans[0]:.0f} MB, with mapped files within {spans[1]:.0f} MB; "
              f"overruns {session.status.overruns}")


if __name__ == "__main__":
    main()
