"""Whether a cluster answers at its address, asked before its library waits for minutes."""

from __future__ import annotations

import socket

from didymos.errors import InputError

__all__ = ["reachable"]

_PATIENCE = 5.0  # [s]


def reachable(cluster: str, default_port: int) -> str:
    """The address of a cluster, SCHEME://HOST:PORT, if somebody listens there; else an `InputError`."""
    scheme, _, place = cluster.partition("://")
    host, _, port = place.rpartition(":") if ":" in place else (place, "", str(default_port))
    if not host or not port.isdigit() or int(port) > 65535:
        raise InputError(f"found {cluster!r}, expected {scheme}://HOST:PORT", option="cluster")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=_PATIENCE).close()
    except OSError as error:
        why = error.strerror or str(error) or type(error).__name__
        raise InputError(f"no cluster answers at {scheme}://{host}:{port}: {why}", option="cluster") from None
    return f"{scheme}://{host}:{port}"
