"""A compiled control program: the same road as a Python one, at the engine's speed.

    python examples/04_compiled_controller.py [FOLDER]

The law is a function of seven arrays that numba compiles: `clock` (time, period, 1 at the first call), `settings`, `gains`,
`measured` in the order of `reads`, `setpoints` in the order of the class's own, `memory`, `inputs` in the order of `writes`. Here
it holds the height only, in still air; memory[0] is the integral of the error, saved and restored with the twin.
"""

import sys
from pathlib import Path

import didymos
from didymos.compiled import c_function
from didymos.control import CompiledController
from didymos.control.program import PROGRAM_SIGNATURE


@c_function(PROGRAM_SIGNATURE)
def law(clock, settings, gains, measured, setpoints, memory, inputs):
    error = setpoints[0] - measured[0]
    memory[0] += error * clock[1]
    for i in range(4):
        inputs[i] = 0.4 + gains[0] * error + gains[1] * memory[0] - gains[2] * measured[1]


class Height(CompiledController):
    program = law
    rate = 400
    reads = ("state.position.z", "state.velocity.z")
    setpoints = ("z",)
    writes = ("motor1", "motor2", "motor3", "motor4")
    memory_size = 1
    kp = didymos.Gain(0.3, low=0, high=2, unit="1/m")
    ki = didymos.Gain(0.1, low=0, high=2, unit="1/(m s)")
    kd = didymos.Gain(0.26, low=0, high=2, unit="s/m")


def main(folder: Path) -> float:
    folder.mkdir(parents=True, exist_ok=True)
    twin = didymos.load("quadcopter")
    twin.set("world.wind.speed", 0.0)
    simulation = twin.simulate(scenario="hover", control=Height())
    log = simulation.run(30.0)
    error = float(log["truth.position.z"].values[-1] - log["setpoints.z"].values[-1])
    print(f"height error {1000 * error:.3f} mm, {simulation.real_time_factor:.0f} times real time")
    print("log:", log.save(folder / "height.mcap"))
    return error


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out"))
