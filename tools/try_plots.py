"""Look at the plots of every bundled twin in a real browser, opened late, mid-run, after a restart; and at a gain's effect.

    python tools/try_plots.py [TWIN...]      a row per twin: are all its plots right, each of the three times
    python tools/try_plots.py gain COUNT     the test of a gain's effect, so often, on one page after the other

Needs chromium. Exit status 1 where anything is not right.
"""

from __future__ import annotations

import contextlib
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from chromium import headless_chromium
from cockpit.conftest import HEIGHT, LONGEST, WIDTH, Browser, wait_until
from cockpit.test_browser import see_a_gain_act
from cockpit.test_plots import LATE, wait_for_plots
from didymos.cockpit.cockpit import Cockpit
from didymos.describe.bundled import bundled
from didymos.twin import load


@contextlib.contextmanager
def played(name: str, scenario: str | None, folder: str) -> Iterator[Cockpit]:
    with Cockpit(load(name), scenario=scenario, port=0, folder=folder, light=True) as cockpit:
        yield cockpit


def try_twin(name: str, browser: Browser, folder: str) -> bool:
    """Print a row: at which times [s] all plots were right, and what they show."""
    times: list[float] = []
    shown = ""
    with played(name, next(iter(load(name).scenarios), None), folder) as cockpit:
        session = cockpit.session
        session.stops_at_end = False
        session.set_speed(5.0)
        session.play()
        try:
            wait_until(lambda: session.live.snapshot.time > LATE, "the run has gone on alone")
            browser.open(cockpit.url)
            plots = wait_for_plots(browser, LATE)
            shown = "; ".join(", ".join(plot.names) for plot in plots)
            times.append(plots[0].now)
            times.append(wait_for_plots(browser, times[0] + 3.0)[0].now)
            session.restart(session.live.choice.scenario, 1)
            times.append(wait_for_plots(browser, 0.5, times[1] - 1.0)[0].now)
        except AssertionError as error:
            shown = str(error)
    print(f"| `{name}` | {' | '.join(f'{time:.1f}' for time in times):<12} | {shown} |", flush=True)
    return len(times) == 3


def try_gain(count: int, browser: Browser, folder: str) -> bool:
    """Print a line per turn."""
    for turn in range(1, count + 1):
        with played("quadcopter", "hover", folder) as cockpit:
            browser.open(cockpit.url)
            try:
                see_a_gain_act(browser)
            except AssertionError as error:
                print(f"{turn}: {error}", flush=True)
                return False
        print(f"{turn} of {count}: the gain's effect was seen", flush=True)
    return True


def main(words: list[str]) -> int:
    """The exit status."""
    with tempfile.TemporaryDirectory() as folder, headless_chromium(Path(folder) / "chromium", WIDTH, HEIGHT) as driver:
        driver.set_page_load_timeout(LONGEST)
        driver.set_script_timeout(LONGEST)
        browser = Browser(driver)
        if words[:1] == ["gain"]:
            return 0 if try_gain(int(words[1]), browser, folder) else 1
        print("| twin | late [s] | mid-run [s] | after a restart [s] | its first plots |\n|---|---|---|---|---|")
        found = [try_twin(name, browser, folder) for name in words or bundled()]
        return 0 if all(found) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
