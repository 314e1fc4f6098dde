"""The tool that flips signs in the laws: it finds every place, and changes that place alone."""

from __future__ import annotations

import ast
import importlib.util
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

import pytest

LAW = '''"""1.0 + 2.0 in words."""
LEAST = 0.5

def act(part, here):
    """A docstring - of 3.0."""
    force = -part.area * (here.u - part.speed[2 + 1])
    for i in range(1 + 2):
        force += max(force, 0.0)
    if force < 1e-9:
        raise ValueError("a" + "b", 7.0)
    return (force
            + part.offset)
'''


@pytest.fixture(scope="module")
def mutate() -> ModuleType:
    path = Path(__file__).parent.parent / "tools" / "mutate"
    sys.path.append(str(path.parent))
    loader = SourceFileLoader("mutate", str(path))
    spec = importlib.util.spec_from_loader("mutate", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["mutate"] = module
    loader.exec_module(module)
    return module


def test_every_sign_constant_and_comparison_is_a_place_and_nothing_else(mutate: ModuleType) -> None:
    found = {(place.line, place.was, place.becomes, place.what) for place in mutate.places_in("parts/law.py", LAW)}
    assert found == {
        (2, "0.5", "0.75", "constant"),
        (6, "-", " ", "sign"),  # of -part.area
        (6, "-", "+", "sign"),  # of here.u - ..., not the one in the subscript
        (8, "+", "-", "sign"),  # of +=
        (8, "max", "min", "comparison"),
        (8, "0.0", "1.0", "constant"),
        (9, "<", ">", "comparison"),  # its guard of 1e-9 stays
        (12, "+", "-", "sign"),  # begins its line
    }


def test_a_mutant_differs_in_one_place_and_can_be_parsed(mutate: ModuleType) -> None:
    for place in mutate.places_in("parts/law.py", LAW):
        changed = mutate.mutated(LAW, place)
        ast.parse(changed)
        differing = [i for i, (a, b) in enumerate(zip(LAW.splitlines(), changed.splitlines(), strict=True), 1) if a != b]
        assert differing == [place.line]


def test_all_rooms_of_laws_have_places_and_tests(mutate: ModuleType) -> None:
    by_room = {place.file.split("/")[0] for place in mutate.places([])}
    assert by_room == {"air", "parts", "sensors", "model", "control"}
    for file in {place.file for place in mutate.places([])}:
        assert any(mutate.tests_of(file)), file
