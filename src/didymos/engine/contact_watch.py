"""Ticks that are watched: when something first touches something else, while inputs go on as they did.

The engine lists the contacts of its last evaluation of positions; after each tick this list is gone through, compiled, so that
a whole stretch of ticks passes without Python. A contact counts where it exerts a force: its distance is below margin - gap, and
it is not left out. One that begins and ends within a tick is not seen.

Shapes belong to groups (a link, an object, the ground); a pair of groups is an event or nothing. Inputs move by a step before
every tick: a command that changes at a steady rate, or a counter of commands that goes on counting.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from didymos.compiled import kernel
from didymos.engine.layout import struct_offsets
from didymos.engine.loop import FINE, run_ticks
from didymos.engine.packed_context import CONTEXT
from didymos.native import doubles, integers, record_at, row_at, word

__all__ = ["CONTACT", "Inputs", "Watch", "note_contacts", "run_watched"]

_WORD = 8  # bytes
_CONTACT, _DATA = struct_offsets("mjContact"), struct_offsets("mjData")
_COUNT, _FIRST = _DATA["ncon"], _DATA["contact"]
_FIELDS = {"dist": np.float64, "includemargin": np.float64, "geom1": np.int32, "geom2": np.int32, "exclude": np.int32}
CONTACT = np.dtype({
    "names": list(_FIELDS),
    "formats": list(_FIELDS.values()),
    "offsets": [_CONTACT[name] for name in _FIELDS],
    "itemsize": -(-(max(_CONTACT.values()) + np.dtype(np.int32).itemsize) // _WORD) * _WORD,  # the last field is an int
})  # fmt: skip
"""What we read of the engine's `mjContact`."""


class Watch(NamedTuple):
    """What is watched, and what was seen."""

    groups: NDArray[np.int64]  # [geoms], -1 for one that is in none
    events: NDArray[np.int64]  # [groups, groups], symmetric; -1 for nothing
    first: NDArray[np.int64]  # [events], the tick after which each was first seen; -1 where it was not


class Inputs(NamedTuple):
    """Inputs that move."""

    commands: NDArray[np.int64]  # [n], where each lies in the plugin's state
    steps: NDArray[np.float64]  # [n], what it gains in a tick


@kernel
def note_contacts(context: int, tick: int, groups: Any, events: Any, first: Any) -> None:
    """Note which events are there now, as seen after a tick, unless they were before."""
    data = record_at(context, CONTEXT).engine.data
    contacts = word(data + _FIRST)
    for i in range(integers(data + _COUNT)[0]):
        contact = row_at(contacts, i, CONTACT)
        if contact.exclude != 0 or contact.geom1 < 0 or contact.geom2 < 0 or not contact.dist < contact.includemargin:
            continue
        one, other = groups[contact.geom1], groups[contact.geom2]
        if one >= 0 and other >= 0:
            event = events[one, other]
            if event >= 0 and first[event] < 0:
                first[event] = tick


@kernel
def run_watched(
    context: int, tick: int, count: int, flags: int, groups: Any, events: Any, first: Any, commands: Any, steps: Any
) -> tuple[int, int]:
    """Run up to `count` ticks as `run_ticks` does, with a look at the contacts after each; the next tick and what went wrong."""
    state = doubles(record_at(context, CONTEXT).engine.state)
    status = FINE
    for _ in range(count):
        for i in range(len(commands)):
            state[commands[i]] += steps[i]
        tick, status = run_ticks(context, tick, 1, flags)
        if status != FINE:
            break
        note_contacts(context, tick, groups, events, first)
    return tick, status
