"""Position command: hand the position and velocity that each drive is asked for over to it, once per call.

    drive <- mode position, x* = setpoints.position, v* = setpoints.velocity, feed-forward setpoints.feedforward, both scales 1

One drive is called by plain names (`setpoints.position`), several by their own (`setpoints.LFH_position`). Positions are in motor
revolutions or, with the option `unit: rad`, in radians at the output, for which it needs the option `ratio`. This is what the
laptop of a test bench does over the bus; at 200 Hz the drive holds each command for 5 ms.
"""

from __future__ import annotations

from didymos.contract import command, memory, setpoint, setting
from didymos.control.compiled_controller import CompiledController, program
from didymos.control.controller import Robot
from didymos.control.drive_command import DRIVE_COMMAND, MOST_DRIVES, REVOLUTION, command_position, drive_inputs
from didymos.errors import InputError

__all__ = ["PositionCommand"]


class PositionCommand(CompiledController):
    """Passes set-points on to drives."""

    position = setpoint(count=MOST_DRIVES, unit="rev")
    velocity = setpoint(count=MOST_DRIVES, unit="rev/s")
    feedforward = setpoint(count=MOST_DRIVES, unit="N m")
    count = setting(doc="how many drives")
    scale = setting(unit="rev", doc="one unit of the set-points in revolutions of a motor")
    beat = memory(doc="commands sent")
    drives = command(count=MOST_DRIVES, layout=DRIVE_COMMAND)

    @program
    def step(clock, settings, gains, measured, setpoints, memory, inputs):  # type: ignore[no-untyped-def]
        memory.beat += 1.0
        for i in range(int(settings.count)):
            position, velocity = setpoints.position[i] * settings.scale, setpoints.velocity[i] * settings.scale
            command_position(inputs.drives[i], position, velocity, setpoints.feedforward[i], 1.0, 1.0, memory.beat)

    def __init__(self, drives: list[str] | None = None, unit: str = "rev", ratio: float = 1.0) -> None:
        if unit not in ("rev", "rad"):
            raise InputError(f"found {unit!r}, expected 'rev' or 'rad'", path="control.options.unit")
        self.names = tuple(drives or ("drive",))
        self.settings["count"] = len(self.names)
        self.settings["scale"] = 1.0 if unit == "rev" else float(ratio) / REVOLUTION
        for quantity in ("position", "velocity", "feedforward"):
            own = [f"{name}_{quantity}" for name in self.names]
            self.name_setpoints(quantity, own if len(own) > 1 else [quantity])

    def start(self, robot: Robot) -> None:
        """Find the inputs of the drives."""
        self.writes = {"drives": drive_inputs(self.names)}
        missing = [name for name in self.writes["drives"] if name not in robot.inputs]
        if missing:
            drive = missing[0].rpartition(".")[0]
            raise InputError(f"position_command needs a part {drive!r} of kind drive", path="control.options.drives")
