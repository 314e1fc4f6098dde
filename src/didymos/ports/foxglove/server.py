"""The websocket on which viewers come: the library's server, and what it calls when one asks for something."""

from __future__ import annotations

import atexit
import logging
from collections.abc import Callable, Sequence
from threading import Lock, Thread
from typing import Any

import foxglove
from foxglove.websocket import Capability

from didymos.errors import DidymosError, InputError
from didymos.ports.foxglove.commands import Commands
from didymos.ports.foxglove.incoming import ENCODINGS
from didymos.ports.foxglove.live import LiveRun
from didymos.ports.foxglove.outlets import Channels
from didymos.ports.foxglove.parameters import Parameters
from didymos.ports.foxglove.sender import Sender
from didymos.ports.foxglove.services import services

__all__ = ["PORT", "Server"]

PORT = 8765
"""Where Foxglove looks for a server unless it is told otherwise."""

_LOOPBACK, _EVERYWHERE = "127.0.0.1", "0.0.0.0"
_BACKLOG = 2.0  # [s] of messages that are held for a viewer who reads slowly
_FAREWELL = 2.0  # [s] that viewers have to say goodbye; one who does not read would be waited for without end
_MOST_REASONS = 100  # to refuse something that are said; all are counted
_CAN = [Capability.ClientPublish, Capability.Parameters, Capability.Services, Capability.Time, Capability.ConnectionGraph]


class Server:
    """A run on the wire, at `url`. `received` and `refused` count what viewers asked for, and what of it could not be done.

    Args:
        live: the run.
        port: TCP port; 0 takes a free one.
        network: whether other machines can reach it.
        say: takes a line for the person; each reason to refuse is said once.
    """

    def __init__(self, live: LiveRun, port: int, *, network: bool, say: Callable[[str], None]) -> None:
        logging.getLogger("foxglove").addHandler(logging.NullHandler())  # it tells of every message that it cannot read
        self.received = self.refused = 0
        self._live, self._say, self._said = live, say, set[str]()
        self._counting = Lock()  # the library has several threads
        self._server: Any = None  # viewers may come before it is known here
        self._context = foxglove.Context()
        self.channels = Channels(live.simulation, self._context)
        self.parameters, self.commands = Parameters(live), Commands(live)
        own = services(live, lambda why: self.note("service", why))
        self._server = self._start(port, network, own)
        self.url = f"ws://{_LOOPBACK}:{self._server.port}"
        self._announce([service.name for service in own])
        self.sender = Sender(self.channels, self._server.broadcast_time)
        self._resets = live.resets
        live.listen(self.sender.put)

    def tend(self) -> None:
        """Tell viewers what changed by itself; called on the thread of the run."""
        if self._resets != self._live.resets:
            self._resets = self._live.resets
            self.sender.begin_at(self._now)
        changed = self.parameters.changed()
        if changed:
            self._server.publish_parameter_values(changed)

    def note(self, what: str, why: str | None) -> None:
        """Count something that was asked for, and say why it was refused: to the person once, to viewers as a status."""
        with self._counting:
            self.received += 1
            if why is None:
                return
            self.refused += 1
            first = what not in self._said
            if first and len(self._said) == _MOST_REASONS:
                return  # somebody sends whatever comes to mind
            self._said.add(what)
        if first:
            self._say(why)
        if what != "service" and self._server is not None:  # who calls a service is told by its answer
            self._server.publish_status(why, foxglove.StatusLevel.Warning, what)

    def settled(self, what: str) -> None:
        """Take back a status: what it complained about has been done."""
        if what in self._said and self._server is not None:
            self._server.remove_status([what])

    def close(self) -> None:
        """Send what is left, and let viewers go."""
        self.sender.close()
        farewell = Thread(target=self._server.stop, name="didymos-foxglove-stop", daemon=True)
        farewell.start()
        farewell.join(_FAREWELL)
        if farewell.is_alive():
            atexit.register(_leave, farewell)

    def send_kept(self, channel: int) -> None:
        """Send what never changes to whoever has just subscribed to it."""
        self.channels.send_kept(self._now, channel)

    @property
    def _now(self) -> int:
        """The twin's time [ns]."""
        return round(self._live.simulation.time * 1e9)

    def _start(self, port: int, network: bool, own: list[foxglove.Service]) -> Any:
        simulation = self._live.simulation
        rate = max(robot.twin.file.record.rate for robot in simulation.robots.values())
        try:
            return foxglove.start_server(
                name=f"didymos: {simulation.twin.name}",
                host=_EVERYWHERE if network else _LOOPBACK,
                port=port,
                capabilities=_CAN,
                server_listener=_Listener(self),
                supported_encodings=list(ENCODINGS),
                services=own,
                context=self._context,
                message_backlog_size=max(1024, round(_BACKLOG * rate * len(self.channels.topics))),
            )
        except (RuntimeError, OSError) as error:
            raise InputError(f"cannot listen on port {port}: {error}; choose another, 0 takes a free one") from None

    def _announce(self, own: Sequence[str]) -> None:
        """Who publishes, listens and answers, for viewers that draw it."""
        graph, name = foxglove.ConnectionGraph(), self._live.simulation.twin.name
        for topic in self.channels.topics:
            graph.set_published_topic(topic, [name])
        for topic in self.commands.topics:
            graph.set_subscribed_topic(topic, [name])
        for service in own:
            graph.set_advertised_service(service, [name])
        self._server.publish_connection_graph(graph)


def _leave(farewell: Thread) -> None:
    """At the end of the process: cut off whoever has not said goodbye, before the interpreter goes from under that thread."""
    from foxglove import _foxglove_py

    _foxglove_py.shutdown()
    farewell.join(_FAREWELL)


class _Listener:
    """What the library calls, on threads of its own."""

    def __init__(self, server: Server) -> None:
        self._server = server

    def on_subscribe(self, client: Any, channel: Any) -> None:
        self._server.send_kept(channel.id)

    def on_unsubscribe(self, client: Any, channel: Any) -> None:
        pass

    def on_client_advertise(self, client: Any, channel: Any) -> None:
        try:
            self._server.commands.advertise(client.id, channel.id, channel.topic, channel.encoding, channel.schema_name or "")
        except InputError as error:
            self._server.note(f"topic {channel.topic[:100]}", str(error))

    def on_client_unadvertise(self, client: Any, client_channel_id: int) -> None:
        self._server.commands.unadvertise(client.id, client_channel_id)

    def on_message_data(self, client: Any, client_channel_id: int, data: bytes) -> None:
        try:
            self._server.commands.take(client.id, client_channel_id, data)
        except InputError as error:
            self._server.note(f"message {error.path}", str(error))
        else:
            self._server.note("message", None)

    def on_get_parameters(self, client: Any, param_names: list[str], request_id: str | None = None) -> list[Any]:
        try:
            return self._server.parameters.get(param_names)
        except DidymosError:  # the run has ended, and so will the connection
            return []

    def on_set_parameters(self, client: Any, parameters: list[Any], request_id: str | None = None) -> list[Any]:
        try:
            now, refused = self._server.parameters.set(parameters)
        except DidymosError:
            return []
        for name, why in refused.items():
            what = f"parameter {name[:200]}"
            self._server.note(what, why)
            if why is None:
                self._server.settled(what)
        return now

    def on_parameters_subscribe(self, param_names: list[str]) -> None:
        self._server.parameters.subscribe(param_names, True)

    def on_parameters_unsubscribe(self, param_names: list[str]) -> None:
        self._server.parameters.subscribe(param_names, False)

    def on_connection_graph_subscribe(self) -> None:
        pass

    def on_connection_graph_unsubscribe(self) -> None:
        pass

    def on_playback_control_request(self, playback_control_request: Any) -> None:
        pass
