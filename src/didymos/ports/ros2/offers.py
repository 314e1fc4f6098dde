"""Services and actions that a node offers, by name and type, for whoever only wants to know: `didymos check --ros2`.

`OFFERS` is where a feature of the port says so: a function from the node's owner to what it has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from didymos.ports.ros2.outlets import Owner

__all__ = ["OFFERS", "Offer"]


@dataclass(frozen=True)
class Offer:
    """A service or an action: `/robot/set_parameters`, `rcl_interfaces/srv/SetParameters`."""

    name: str
    type_name: str
    kind: Literal["service", "action"] = "service"


def _parameters(owner: Owner) -> list[Offer]:
    verbs = ("Set", "Get", "List")
    return [Offer(f"{owner.name}/{verb.lower()}_parameters", f"rcl_interfaces/srv/{verb}Parameters") for verb in verbs]


OFFERS: list[Callable[[Owner], Iterable[Offer]]] = [_parameters]
