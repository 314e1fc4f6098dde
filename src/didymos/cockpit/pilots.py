"""Who flies: the sticks of the page are with one robot, and the others that somebody has flown rest.

Each robot has a pilot of its own, made when the sticks first come to it. One whose sticks have gone elsewhere is asked on: its
channels rest, and what they moved stays where it was moved to.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from didymos.cockpit.robots import named
from didymos.control.pilot import CHANNELS, Deeds, Hand, Pilot, SteerSpec, usual_rows
from didymos.engine.intervention import Intervention
from didymos.engine.simulation import Simulation

__all__ = ["Pilots", "first_to_fly"]

_SILENT: tuple[float | None, ...] = (None,) * CHANNELS


def first_to_fly(simulation: Simulation) -> str:
    """The first robot that sticks move without being assigned; the first of all where they move none."""
    for name, robot in simulation.robots.items():
        if robot.twin.file.pilot.steer or usual_rows(robot.overrides.names):
            return name
    return next(iter(simulation.robots))


class Pilots:
    """The pilots of a run.

    Args:
        simulation: what is flown.
        hand: whoever holds the sticks.
        say: takes what a pilot has to tell.
        rows: what the channels move, by robot, where it is not what the twin says.
        robot: who has the sticks first.
    """

    def __init__(
        self,
        simulation: Simulation,
        hand: Hand,
        say: Callable[[str], None],
        rows: Mapping[str, Sequence[SteerSpec]],
        robot: str,
    ) -> None:
        self._simulation, self._hand, self._say, self._rows = simulation, hand, say, rows
        self._pilots: dict[str, Pilot] = {}
        self.asleep = False  # while a run repeats its past
        self.give_to(robot)

    @property
    def pilot(self) -> Pilot:
        """The pilot who has the sticks."""
        return self._pilots[self.robot]

    def give_to(self, robot: str) -> None:
        """Let the sticks move another robot."""
        if robot not in self._pilots:
            run = self._simulation.robots[robot]
            made = Pilot(run.twin.file.pilot, run.overrides.names, _Sticks(self, robot), self._say)
            if robot in self._rows:
                made.assign(self._rows[robot])
            self._pilots = {**self._pilots, robot: made}  # as a whole: the page looks at it
        self.robot = robot

    def look(self, time: float, period: float) -> Deeds:
        """What changes at a time [s] of the twin's clock, `period` seconds after the last look."""
        for robot, pilot in () if self.asleep else self._pilots.items():
            piloted = self._simulation.robots[robot].piloted
            for kind, path, value in pilot.look(time, period):
                if piloted or kind == "steer":  # else there is no table to keep, and there are no boxes
                    yield kind, named(robot, path), value

    def resume(self, done: Sequence[Intervention]) -> None:
        """Go on where the pilots of a run stood after all this was done."""
        for robot in self._simulation.robots:
            head = f"{robot}." if robot else ""
            mine = [(item.kind, item.path.removeprefix(head), item.value) for item in done if item.path.startswith(head)]
            offsets = {path: value[0] for kind, path, value in mine if kind == "steer" and len(value) == 1}
            table = next((value for kind, _, value in reversed(mine) if kind == "channels"), None)
            if offsets or table is not None:
                flown = self.robot
                self.give_to(robot)
                self._pilots[robot].resume(table, offsets)
                self.give_to(flown)

    def hold(self, robot: str, time: float) -> Sequence[float | None]:
        """The channels of a robot; all silent where another one has the sticks."""
        return self._hand.read(time) if robot == self.robot else _SILENT

    @property
    def lost(self) -> str:
        """Why nobody holds the sticks any more."""
        return self._hand.lost


class _Sticks:
    """The hand that holds the channels of one robot."""

    def __init__(self, pilots: Pilots, robot: str) -> None:
        self._pilots, self._robot = pilots, robot

    @property
    def lost(self) -> str:
        return self._pilots.lost

    def read(self, time: float) -> Sequence[float | None]:
        return self._pilots.hold(self._robot, time)
