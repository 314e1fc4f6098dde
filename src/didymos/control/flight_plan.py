"""What a plane is asked to do: a mode, and a mission, whose items are modes with a place; written between ticks, kept in memory.

| mode | word       | what it does                                                      | set-points                     |
|------|------------|-------------------------------------------------------------------|--------------------------------|
| 0    | hold       | heading, height, airspeed                                         | heading, z, airspeed           |
| 1    | way-points | the way-points of the options, round and round                    | airspeed                       |
| 2    | line       | the line along the heading through where the run began            | heading, z, airspeed           |
| 3    | take-off   | from wheels or from a hand, along the runway, up to a height      | z, airspeed                    |
| 4    | loiter     | circles a point; a positive radius to the left                    | x, y, z, radius, airspeed      |
| 5    | go to      | flies to a point and circles it                                   | x, y, z, airspeed              |
| 6    | return     | flies home, to `return.height` above it, and circles there        | airspeed                       |
| 7    | land       | on the runway of the options, or where the run began              | airspeed (until the approach)  |
| 8    | mission    | the items, one after the other; then it circles where it is       | airspeed                       |
| 9    | parked     | engine off, brakes on                                             | -                              |

An item of a mission has a `kind`, one of the modes 3 to 7, a place x, y, z [m] and a `value`: seconds of a loiter (0: for ever).
The options may name items. At run time they are written through a letter box of set-points: where `item` is n (from 1 on), the
item n is what `item_kind`, `item_x`, `item_y`, `item_z` and `item_value` say, and the mission ends with it; so a mission is
handed over in order, an item per call, and -1 takes all of them away. `first_item` is where a mission begins (0 and 1: with the
first). An item that is written while the mission is flown counts when it is reached.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.compiled import kernel
from didymos.errors import InputError, nearest

__all__ = [
    "GO_TO", "HOLD", "ITEM", "LAND", "LINE", "LOITER", "MISSION", "MODES", "MOST_ITEMS", "PARKED", "RETURN", "TAKE_OFF",
    "WAYPOINTS", "read_items", "take_letter",
]  # fmt: skip

MODES = ("hold", "way-points", "line", "take-off", "loiter", "go to", "return", "land", "mission", "parked")
HOLD, WAYPOINTS, LINE, TAKE_OFF, LOITER, GO_TO, RETURN, LAND, MISSION, PARKED = range(len(MODES))

MOST_ITEMS = 100
"""Items that a mission may have."""

ITEM = np.dtype([(name, np.float64) for name in ("kind", "x", "y", "z", "value")])
"""Memory layout of an item of a mission."""

_KINDS = MODES[TAKE_OFF:MISSION]
_PLACE = ("x", "y", "z", "value")


@kernel
def take_letter(setpoints: Any, memory: Any) -> None:
    """Write the item that stands in the letter box into the mission."""
    number = int(setpoints.item)
    if number < 0:
        memory.item_count = 0.0
    elif 0 < number <= MOST_ITEMS and number <= memory.item_count + 1:
        item = memory.items[number - 1]
        item.kind, item.x, item.y = setpoints.item_kind, setpoints.item_x, setpoints.item_y
        item.z, item.value = setpoints.item_z, setpoints.item_value
        memory.item_count = float(number)


def read_items(given: Sequence[Mapping[str, Any]], path: str) -> NDArray[Any]:
    """The items of a twin file, `{kind: go to, x: 300, y: 0, z: 40}` each, as the program has them; shape [n]."""
    if len(given) > MOST_ITEMS:
        raise InputError(f"found {len(given)} items, expected at most {MOST_ITEMS}", path=path)
    items = np.zeros(len(given), dtype=ITEM)
    for i, one in enumerate(given):
        here = f"{path}.{i}"
        if not isinstance(one, Mapping) or one.get("kind") not in _KINDS:
            found = one.get("kind") if isinstance(one, Mapping) else one
            raise InputError(f"found {found!r}, expected a kind out of {', '.join(_KINDS)}", path=here)
        items[i]["kind"] = MODES.index(one["kind"])
        for key, value in one.items():
            if key == "kind":
                continue
            if key not in _PLACE:
                raise InputError(f"there is no such key{nearest(key, _PLACE)}", path=f"{here}.{key}")
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise InputError(f"found {value!r}, expected a number", path=f"{here}.{key}")
            items[i][key] = value
    return items
