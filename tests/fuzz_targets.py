"""Targets that misbehave, for the test of the tool that looks for such."""

from __future__ import annotations

import os
import sys
from random import Random

from didymos.errors import InputError
from fuzzing.target import Case, Target

WRONG = ("raises", "aborts", "prints", "hangs", "mumbles")


class Faulty(Target):
    """Does something wrong at some of its cases: which, their kind says."""

    def case(self, dice: Random) -> Case:
        return Case(dice.choice((*WRONG, *("takes", "refuses") * 10)), dice.randbytes(4))

    def attempt(self, case: Case) -> object:
        if case.kind == "raises":
            raise KeyError("a defect")
        if case.kind == "aborts":
            os.abort()
        if case.kind == "prints":
            print("a warning", file=sys.stderr)
        while case.kind == "hangs":
            pass
        if case.kind in ("refuses", "mumbles"):
            raise InputError("there is no such thing" if case.kind == "refuses" else "'NoneType' object is not iterable")
        return None


class Leaky(Target):
    """Keeps a megabyte of every case."""

    def case(self, dice: Random) -> Case:
        return Case("any", b"")

    def attempt(self, case: Case) -> object:
        held = self.__dict__.setdefault("held", [])
        held.append(b"x" * 1_000_000)
        return None
