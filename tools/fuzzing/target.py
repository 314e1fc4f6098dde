"""What a target is, what a case is, and what counts as a finding."""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from didymos.errors import DidymosError

__all__ = ["Case", "Target", "finding_of", "made"]

JARGON = re.compile(
    r"NoneType|object has no attribute|pydantic|Input should|validation error|Traceback|<class|<built-in|<function|int\(\) arg"
)
LONGEST = 10_000  # characters of a sentence


@dataclass(frozen=True)
class Case:
    """One mutated input: what reads it (`urdf`, `cdr /cmd_vel`), and its bytes."""

    kind: str
    data: bytes
    full: bool = False  # not only read: made ready, run for three ticks


class Target:
    """A family of inputs; `case` draws one, `attempt` hands it to its reader and raises whatever that raises."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def case(self, dice: Random) -> Case:
        """A case by the die alone: the same die, the same case."""
        raise NotImplementedError

    def attempt(self, case: Case) -> object:
        """Let it be read."""
        raise NotImplementedError

    def close(self) -> None:
        """Let go of what was opened."""


def made(target: Target, seed: int, name: str, index: int) -> Case:
    """Case `index` of a target."""
    return target.case(Random(f"{seed}/{name}/{index}"))


def finding_of(attempt: Callable[[Any], object], case: Case) -> tuple[bool, str]:
    """Whether a case was taken, and what is wrong with the way in which it was refused; empty where nothing is."""
    try:
        attempt(case)
    except DidymosError as error:
        said = str(error)
        if not said.strip() or not said.isprintable() or len(said) > LONGEST or JARGON.search(said):
            return False, f"not one plain sentence: {said[:500]!r}"
        return False, ""
    except KeyboardInterrupt:
        raise
    except BaseException:  # a reader that ends the process, too
        return False, traceback.format_exc()
    return True, ""
