"""YAML that a xacro file loads: plain data, bounded in size, depth and repetition.

The loader knows no tags but YAML's own and the units that xacro documents. Aliases repeat what they name; all repetitions
together are counted before anything is built, so that ten levels of ten aliases are refused instead of becoming 10**10 entries.
Imports nothing of Didymos but its neighbours.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]

from didymos.describe.formats.xacro_bounds import ExpressionError, checked

__all__ = ["read_yaml_data"]

_LARGEST = 4 * 2**20  # [bytes]
_LONGEST_SCALAR = 65_536  # [characters]
_LONGEST_NUMBER = 400  # [characters]
_MOST_NODES = 20_000
_UNITS = {
    "!radians": 1.0, "!degrees": math.pi / 180.0,
    "!meters": 1.0, "!millimeters": 0.001, "!foot": 0.3048, "!inches": 0.0254,
}  # fmt: skip


def read_yaml_data(file: Path, evaluate: Callable[[str], Any]) -> Any:
    """The data in a YAML file; `evaluate` gives the value of an expression behind a unit (``!degrees 90``)."""
    if file.stat().st_size > _LARGEST:
        raise ExpressionError(f"the YAML file has {file.stat().st_size} bytes, expected at most {_LARGEST}")

    class Loader(yaml.SafeLoader):
        """YAML's safe loader with units; it gives up on a file that goes on and on."""

        nodes = 0

        def compose_node(self, parent: Any, index: Any) -> Any:
            self.nodes += 1
            if self.nodes > _MOST_NODES:
                raise ExpressionError(f"the YAML has more than {_MOST_NODES} entries")
            return super().compose_node(parent, index)

    def in_unit(factor: float) -> Callable[[Any, Any], float]:
        return lambda loader, node: float(evaluate(loader.construct_scalar(node))) * factor

    for tag, factor in _UNITS.items():
        Loader.add_constructor(tag, in_unit(factor))
    loader = Loader(file.read_text(encoding="utf-8"))
    try:
        node = loader.get_single_node()
        if node is None:
            return None
        _count(node, {}, set())
        return checked(loader.construct_document(node))
    except yaml.YAMLError as error:
        raise ExpressionError(f"the YAML cannot be read: {' '.join(str(error).split())}") from None
    except RecursionError:
        raise ExpressionError("the YAML is nested too deep") from None
    finally:
        loader.dispose()


def _count(node: Any, known: dict[int, int], inside: set[int]) -> int:
    """How many nodes a node is, all aliases followed."""
    if id(node) in known:
        return known[id(node)]
    if id(node) in inside:
        raise ExpressionError("the YAML contains itself")
    inside.add(id(node))
    total = 1
    if isinstance(node, yaml.ScalarNode):
        longest = _LONGEST_NUMBER if node.tag in ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float") else _LONGEST_SCALAR
        if len(node.value) > longest:
            raise ExpressionError(f"the YAML has a value of {len(node.value)} characters, expected at most {longest}")
    else:
        for item in node.value:
            for part in item if isinstance(item, tuple) else (item,):
                total += _count(part, known, inside)
    if total > _MOST_NODES:
        raise ExpressionError(f"the YAML has more than {_MOST_NODES} entries, its aliases followed")
    inside.discard(id(node))
    known[id(node)] = total
    return total
