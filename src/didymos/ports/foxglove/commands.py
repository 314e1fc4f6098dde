"""Commands of viewers: what they publish on a topic that the twin listens to becomes an intervention.

The topics are those of the port ros2 (`ports/ros2/commands.py`): /cmd_vel, /set/setpoints/NAME and so on, in a world in the
namespace of their robot.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from didymos.errors import InputError, nearest
from didymos.ports.foxglove.incoming import ENCODINGS, read_message
from didymos.ports.foxglove.live import LiveRun
from didymos.ports.ros2.commands import ALIVE, STALE, Command, Subscription, subscriptions
from didymos.ports.ros2.names import spell

if TYPE_CHECKING:
    from didymos.engine.simulation import Simulation

__all__ = ["Commands"]

_MOST = 10_000  # channels that viewers have announced and not withdrawn


class Commands:
    """The topics that a run listens to, and the channels on which viewers publish to them."""

    def __init__(self, live: LiveRun) -> None:
        self._live = live
        self._topics: dict[str, list[Subscription]] = {}  # a topic may take messages of several types
        for item in _topics(live.simulation):
            self._topics.setdefault(item.topic, []).append(item)
        self._channels: dict[tuple[int, int], tuple[Subscription, str]] = {}

    @property
    def topics(self) -> tuple[str, ...]:
        """All of them."""
        return tuple(self._topics)

    def advertise(self, client: int, channel: int, topic: str, encoding: str, schema: str) -> None:
        """A viewer will publish on a channel; a topic that nobody listens to is an `InputError`.

        `schema` chooses among the message types of a topic, with or without its package; any other means the first.
        """
        found = self._topics.get(topic if topic.startswith("/") else f"/{topic}")
        if found is None:
            raise InputError(f"the twin does not listen to this topic{nearest(topic, self._topics)}", path=topic[:100])
        if encoding not in ENCODINGS:
            raise InputError(f"found the encoding {encoding[:40]!r}, expected one of: {', '.join(ENCODINGS)}", path=topic)
        if len(self._channels) >= _MOST:
            raise InputError("too many channels were announced", path=topic)
        meant = [item for item in found if item.type_name.rpartition("/")[2] == schema.rpartition("/")[2]]
        self._channels[client, channel] = ((meant or found)[0], encoding)

    def unadvertise(self, client: int, channel: int) -> None:
        """A viewer has withdrawn a channel."""
        self._channels.pop((client, channel), None)

    def take(self, client: int, channel: int, data: bytes) -> None:
        """Follow a message before the next tick; one that does not fit is an `InputError`."""
        if (client, channel) not in self._channels:
            return  # said when it was announced
        subscription, encoding = self._channels[client, channel]
        try:
            command = subscription.read(read_message(subscription.type_name, encoding, data))
        except InputError as error:
            raise InputError(str(error), path=subscription.topic) from None
        late = self._live.simulation.time - command.stamp
        if command.stamp != 0.0 and late > STALE:
            why = f"its stamp is {late:.3g} s before the twin's clock, more than {STALE:g} s"
            raise InputError(why, path=subscription.topic)
        self._live.inbox.put(lambda: self._follow(command))

    def _follow(self, command: Command) -> None:
        overrides = self._live.simulation.robots[command.prefix[:-1]].overrides
        values = dict(command.values)
        if command.alive and ALIVE in overrides.names:
            values[ALIVE] = overrides.held(ALIVE)[0] + 1.0
        for name, value in values.items():
            if overrides.held(name) != (value,):  # a command that is repeated at a rate is one intervention
                self._live.intervene("steer", command.prefix + name, (value,))


def _topics(simulation: Simulation) -> list[Subscription]:
    """Every topic that the robots of a run listen to."""
    found = []
    for name, namespace in spell(simulation.robots).items() if "" not in simulation.robots else [("", "")]:
        robot = simulation.robots[name]
        root = robot.twin.description.root
        base = (f"{name}/{root}", root) if name else (root,)
        for item in subscriptions(robot.overrides.names, robot.twin.file.ros2.commands, base):
            found.append(item.under(namespace, f"{name}.") if name else item)
    return found
