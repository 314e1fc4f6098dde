"""Files as they come on the web socket of a drop: heads as JSON, bytes in pieces."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from didymos.cockpit.catalogue import Entry
from didymos.cockpit.drop import Drop
from didymos.errors import InputError

__all__ = ["receive_drop"]

_LONGEST_HEAD = 4096  # characters


async def receive_drop(connection: Any, drop: Drop) -> list[Entry]:
    """Take files from a page until it says that all are there; what of them may be meant."""
    file: Path | None = None
    async for message in connection:
        if isinstance(message, bytes):
            if file is None:
                raise InputError("bytes came before the name of their file")
            await asyncio.to_thread(drop.write, file, message)
            await connection.send("{}")  # the next piece, please
            continue
        head = _head(message)
        if head.get("done"):
            await asyncio.to_thread(drop.finish)
            return await asyncio.to_thread(drop.choices)
        name, size = head.get("name"), head.get("size")
        if not isinstance(name, str) or not isinstance(size, int) or isinstance(size, bool):
            raise InputError("a file was announced without its name and size")
        file = drop.begin(name, size)
    raise InputError("the page went before all files were there")


def _head(text: str) -> dict[str, Any]:
    try:
        head = json.loads(text) if len(text) <= _LONGEST_HEAD else None
    except (ValueError, RecursionError):
        head = None
    if not isinstance(head, dict):
        raise InputError("a message of the page cannot be read")
    return head
