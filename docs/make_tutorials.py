"""Make the pictures of docs/tutorials: do what each page says, then draw from what came of it.

    PYTHONPATH=tools python docs/make_tutorials.py [PAGE...]

Pages are named without their ending, `urdf` for docs/tutorials/urdf.md; `aircraft` is docs/build_an_aircraft.md. Writes
docs/pictures/tutorial_*.png, each below 120 kB.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from PIL import Image

from docs_site.transcript import follow, in_this_process

DOCS = Path(__file__).resolve().parent
WIDTH, COLOURS = 900, 128  # [pixel]
LARGEST = 120_000  # [byte]

# What is done after the commands of a page: a command, and the picture of the page that its file becomes.
PICTURES = {
    "urdf": [
        ("didymos run rover.urdf --picture it.png", "it.png", "rover"),
        ("didymos plot garage.mcap front.range setpoints.vx truth.velocity.x odom.position.x -o it.png", "it.png", "garage"),
    ],
    "controller_in_c": [
        ("didymos plot flight.mcap setpoints.roll state.angular_velocity.x truth.position.z inputs -o it.png", "it.png", "c"),
    ],
    "fit_a_log": [
        ("didymos run power_unit --scenario sine --seconds 3 --record before.mcap --quiet", "", ""),
        ("didymos run power_unit --scenario sine --seconds 3 --with fitted.yaml --record after.mcap --quiet", "", ""),
        ("python draw_fit.py", "fit.png", "fit"),
    ],
    "force_law": [("didymos plot drop.mcap truth.position.z parts.float.draught -o it.png", "it.png", "buoy")],
    "many_robots": [
        ("", "carrier.png", "carrier"),
        ("didymos run swarm --picture it.png --quiet", "it.png", "swarm"),
    ],
    "live_shadow": [("", "both.png", "shadow")],
    "train_a_policy": [
        ("", "balance/curve.png", "curve"),
        ("didymos plot balance.mcap joints.hinge.position joints.slide.position inputs.push -o it.png", "it.png", "balance"),
    ],
}

DRAW_FIT = '''
import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import didymos

robot = np.genfromtxt("sine.csv", delimiter=",", names=True)
figure, axes = plt.subplots(2, 1, figsize=(9, 5), sharex=True, layout="constrained")
axes[0].plot(robot["t_s"], 1e3 * robot["out_pos_rad"], "k.", markersize=2, label="robot")
for name, colour in (("before", "tab:red"), ("after", "tab:blue")):
    twin = didymos.Log.load(f"{name}.mcap")["parts.drive.output_position"]
    axes[0].plot(twin.time, 1e3 * twin.values, colour, linewidth=1, label=f"twin {name} the fit")
    error = np.interp(robot["t_s"], twin.time, twin.values) - robot["out_pos_rad"]
    axes[1].plot(robot["t_s"], 1e3 * error, colour, linewidth=1)
axes[0].set_ylabel("angle of the output [mrad]")
axes[1].set_ylabel("twin less robot [mrad]")
axes[1].set_xlabel("t [s]")
axes[0].legend(loc="upper right")
for panel in axes:
    panel.grid(alpha=0.3)
figure.savefig("fit.png", dpi=100)
'''


def small(source: Path, target: Path) -> None:
    """Keep a picture no wider than the text of a page, in few colours, and as light as a page's pictures are."""
    picture = Image.open(source).convert("RGB")
    if picture.width > WIDTH:
        picture = picture.resize((WIDTH, round(picture.height * WIDTH / picture.width)), Image.Resampling.LANCZOS)
    colours = COLOURS
    while True:
        picture.quantize(colours, kmeans=1, dither=Image.Dither.NONE).save(target, optimize=True)
        if target.stat().st_size < LARGEST or colours <= 16:
            return
        colours //= 2


def make(page: str) -> None:
    """All pictures of a page."""
    text = (DOCS / "tutorials" / f"{page}.md").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["DIDYMOS_CONFIG"] = str(folder / "settings")
        (folder / "draw_fit.py").write_text(DRAW_FIT, encoding="utf-8")
        for _ in follow(text, folder, in_this_process):
            pass
        for command, file, picture in PICTURES[page]:
            if command:
                status, said = in_this_process(command, folder)
                assert status != 2, said
            if file:
                small(folder / file, DOCS / "pictures" / f"tutorial_{picture}.png")


def aircraft() -> None:
    """The V-tail of the examples, eight seconds into its circuit."""
    with tempfile.TemporaryDirectory() as folder:
        plane = DOCS.parent / "examples" / "v_tail"
        in_this_process(f"didymos run {plane} --scenario circuit --seconds 8 --picture it.png --quiet", Path(folder))
        small(Path(folder) / "it.png", DOCS / "pictures" / "tutorial_aircraft.png")


if __name__ == "__main__":
    for page in sys.argv[1:] or [*PICTURES, "aircraft"]:
        if page == "aircraft":
            aircraft()
        else:
            make(page)
