"""A compiled control program: the same road as a Python one, at the engine's speed.

    python examples/04_compiled_controller.py [FOLDER]

The class declares every number once; `step`, compiled by numba, reads and writes them by name: `settings`, `gains`, `measured`,
`setpoints`, `memory`, `inputs`, and the `clock` with `time`, `period` and `first` (1 at the first call). `start` says which
readings and inputs of the robot they are. Here it holds the height only, in still air; the integral of the error belongs to its
memory, which is saved and restored with the twin, and the error is recorded as `control.error`.
"""

import sys
from pathlib import Path

import didymos
from didymos.contract import command, measurement, memory, report, setpoint
from didymos.control import program


class Height(didymos.CompiledController):
    rate = 400
    kp = didymos.Gain(0.3, low=0, high=2, unit="1/m")
    ki = didymos.Gain(0.1, low=0, high=2, unit="1/(m s)")
    kd = didymos.Gain(0.26, low=0, high=2, unit="s/m")
    z = setpoint(unit="m")
    height = measurement(unit="m")
    climb = measurement(unit="m/s")
    integral = memory(unit="m s")
    error = report(unit="m")
    throttle = command(count=4)

    @program
    def step(clock, settings, gains, measured, setpoints, memory, inputs):
        memory.error = setpoints.z - measured.height
        memory.integral += memory.error * clock.period
        inputs.throttle[:] = 0.4 + gains.kp * memory.error + gains.ki * memory.integral - gains.kd * measured.climb

    def start(self, robot):
        self.reads = {"height": ["state.position.z"], "climb": ["state.velocity.z"]}
        self.writes = {"throttle": ["motor1", "motor2", "motor3", "motor4"]}


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
