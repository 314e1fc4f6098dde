"""Take the picture of docs/export_page.md, and measure how fast exported pages are scrubbed.

    python docs/make_export_page.py [LOG...]

Writes docs/pictures/exported_page.png, or of logs prints size, pictures a second while the time is moved to and fro for five
seconds, and the time of our own scripts for each [ms]. Needs chromium and chromedriver.
"""

from __future__ import annotations

import base64
import io
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from PIL import Image

import didymos
from didymos.web.export import export_page

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))
from try_pages import browser, looked_at

PICTURE = Path(__file__).parent / "pictures" / "exported_page.png"
SCRUB = """
const done = arguments[0], { player, view } = didymos, [from, to] = player.span(), begin = performance.now();
let first = null, ours = 0, count = 0;
function step() {
  const part = (performance.now() - begin) / 7000; // two seconds to warm up, five that count
  if (part > 2 / 7 && first === null) { first = view.drawn; ours = count = 0; }
  if (part >= 1) { done({ pictures: (view.drawn - first) / 5, milliseconds: ours / count }); return; }
  const now = performance.now();
  player.seek(from + (to - from) * (0.5 + 0.5 * Math.sin(12 * part)));
  ours += performance.now() - now;
  count += 1;
  requestAnimationFrame(step);
}
requestAnimationFrame(step);"""


def take_picture(driver: Any, folder: Path) -> None:
    """A quadcopter, and one that is too heavy beside it."""
    twin = didymos.load("quadcopter")
    logs = [twin.simulate(scenario="hover").run()]
    twin.set("links.body_FLU.mass", 0.9)
    logs.append(twin.simulate(scenario="hover").run())
    looked_at(driver, export_page(logs, folder / "flight.html").file)
    driver.execute_script("didymos.player.seek(1.0)")
    time.sleep(2.0)  # until it is sharp
    shot = driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})["data"]
    picture = Image.open(io.BytesIO(base64.b64decode(shot))).convert("RGB")
    picture.quantize(128, dither=Image.Dither.NONE).save(PICTURE, optimize=True)


def main(logs: list[str]) -> None:
    """The picture, or the table."""
    with tempfile.TemporaryDirectory() as folder:
        driver = browser(folder)
        driver.set_script_timeout(60)
        try:
            if not logs:
                take_picture(driver, Path(folder))
            for log in logs:
                made = export_page([log], Path(folder) / f"{Path(log).stem}.html")
                looked_at(driver, made.file)
                found = driver.execute_async_script(SCRUB)
                told = f"{found['pictures']:.0f} pictures/s, {found['milliseconds']:.1f} ms of our scripts each"
                print(f"{Path(log).stem:12} {made.size / 1e6:.1f} MB, {told}", flush=True)
        finally:
            driver.quit()


if __name__ == "__main__":
    main(sys.argv[1:])
