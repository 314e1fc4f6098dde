"""Change a parameter: the same climb with 100 g more, and how far the two flights are apart.

    python examples/02_change_a_parameter.py [FOLDER]

Every number of a twin has a path with a unit and bounds; `didymos show quadcopter` lists them. The height controller has no
integral term, so the heavier quadcopter hangs lower by (u_hover - hover) / kp: here 0.075 m.
"""

import sys
from pathlib import Path

import didymos
from didymos.record import Comparison


def main(folder: Path) -> Comparison:
    folder.mkdir(parents=True, exist_ok=True)
    light = didymos.load("quadcopter")
    heavy = light.copy()
    heavy.set("links.body_FLU.mass", light.get("links.body_FLU.mass") + 0.1)

    parameter = heavy.parameters["links.body_FLU.mass"]
    print(f"{parameter.path}: {light.get(parameter.path)} -> {parameter.value} {parameter.unit}")
    logs = [twin.simulate(scenario="climb").run() for twin in (light, heavy)]
    comparison = didymos.compare(*logs, signals=["truth.position.z", "truth.velocity.z", "inputs.motor1"])
    for name, error in comparison.signals.items():
        print(f"  {name:18}rmse {error.rmse:.4f}, largest {error.max:.4f} {error.unit} at {error.time_of_max:.2f} s")
    print("picture:", comparison.plot(folder / "heavier.png"))
    return comparison


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out"))
