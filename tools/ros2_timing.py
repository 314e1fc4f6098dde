"""When messages reach a ROS 2 peer: age and spacing at 1 kHz, losses, and whether the log is the same without the port.

    python tools/ros2_timing.py [--seconds 60] [--twin quadcopter] [--rate 1000] [--busy 2] [--page]

A twin is served in real time. A peer in a process of its own, with types of its own and nothing of Didymos, reads two reliable
topics and the clock, and notes when each message came. The age of a message is how much later it came than the promptest of all:
with c the time of arrival and s the stamp, age = (c - s) - min(c - s). A message that is missing is seen by its stamp. `--busy`
starts so many processes that do nothing but keep a core busy; `--page` a cockpit with a browser on it.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

PEER = Path(__file__).with_name("ros2_timing_peer.py")


def _browser(address: str) -> Any:
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    for flag in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--enable-unsafe-swiftshader"):
        options.add_argument(flag)
    browser = webdriver.Chrome(options=options)
    browser.get(address)
    return browser


def measure(arguments: argparse.Namespace) -> dict[str, Any]:
    """Serve, listen, and hold the log against that of the same run without the port."""
    rate, folder = arguments.rate, Path(arguments.out)
    folder.mkdir(parents=True, exist_ok=True)
    didymos = [sys.executable, "-m", "didymos.cli.main"]
    sets = [f"world.step={1.0 / rate:g}", f"sensors.imu.rate={rate:g}", f"record.rate={rate:g}", f"control.rate={rate / 2:g}"]
    common = [item for text in sets for item in ("--set", text)] + ["--seconds", f"{arguments.seconds:g}"]
    common += ["--scenario", arguments.scenario]
    started = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(arguments.busy)]
    browser = None
    try:
        if arguments.page:
            page = [*didymos, "cockpit", arguments.twin, "--port", "8799", "--no-browser"]
            started.append(subprocess.Popen(page, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
            time.sleep(15.0)
            browser = _browser("http://127.0.0.1:8799")
        listener = subprocess.Popen(
            [sys.executable, str(PEER), str(arguments.domain), f"{rate:g}"], stdout=subprocess.PIPE, text=True
        )
        served = folder / "served.mcap"
        command = [*didymos, "serve", arguments.twin, "--port", "ros2", "--domain", str(arguments.domain), *common]
        result = subprocess.run([*command, "--record", str(served), "--json"], capture_output=True, text=True, check=False)
        heard = json.loads(listener.communicate()[0])
    finally:
        if browser is not None:
            browser.quit()
        for process in started:
            process.kill()
            process.wait()
    alone = folder / "alone.mcap"
    subprocess.run([*didymos, "run", arguments.twin, *common, "--record", str(alone)], capture_output=True, check=False)
    if result.returncode:
        raise SystemExit(result.stderr)
    facts = json.loads(result.stdout)
    same = served.read_bytes() == alone.read_bytes()
    return {"topics": heard, "served": facts, "log_is_the_same": same}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--twin", default="quadcopter")
    parser.add_argument("--scenario", default="hover")
    parser.add_argument("--rate", type=float, default=1000.0)
    parser.add_argument("--busy", type=int, default=0)
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--domain", type=int, default=61)
    parser.add_argument("--out", default="out/ros2_timing")
    print(json.dumps(measure(parser.parse_args()), indent=2))


if __name__ == "__main__":
    main()
