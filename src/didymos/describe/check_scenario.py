"""What a scenario names: parameters that it sets, gains, set-points, inputs and links that its stimuli move, times."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from didymos.describe.check_values import leaves, wrong_values
from didymos.describe.formula import wrong_formula
from didymos.describe.local_file import is_file
from didymos.describe.names import input_names, unknown
from didymos.describe.open_kinds import is_of_open_part, knows_setpoints, may_be_parameter
from didymos.errors import InputError, nearest

if TYPE_CHECKING:
    from didymos.describe.schema import ScenarioSpec
    from didymos.describe.twin import Twin

__all__ = ["wrong_expectations", "wrong_settings", "wrong_stimuli"]


def wrong_settings(twin: Twin, name: str, scenario: ScenarioSpec) -> Iterator[InputError]:
    """Mistakes in what a scenario sets: numbers of the plant, gains of the program."""
    trial = twin.copy()
    given: dict[str, tuple[float, tuple[str, ...]]] = {}
    given |= {path: (value, ("set", path)) for path, value in scenario.set.items() if not path.startswith("control.")}
    given |= {f"control.gains.{'.'.join(steps)}": (value, ("gains", *steps)) for steps, value in leaves(scenario.gains, ())}
    yield from _of_the_program(twin, name, scenario)
    for path, (value, place) in given.items():
        if path not in twin.parameters and may_be_parameter(twin, path):
            continue
        try:
            trial.set(path, value)
        except InputError as error:
            yield twin.mistake(error.message, "scenarios", name, *place)
    for wrong in wrong_values(trial):
        yield twin.mistake(f"with these values {wrong.path}: {wrong.message}", "scenarios", name, "set")


def _of_the_program(twin: Twin, name: str, scenario: ScenarioSpec) -> Iterator[InputError]:
    """What a scenario sets of the program among the numbers of the plant, where it stood in 0.1.0."""
    for path, value in scenario.set.items():
        gain = path.removeprefix("control.gains.")
        if gain != path:
            text = f"is a gain of the program, expected under the key 'gains' of the scenario: gains: {{{gain}: {value:g}}}"
            yield twin.mistake(text, "scenarios", name, "set", path)
        elif path.startswith("control."):
            text = "belongs to the program, expected in a 'control' of the scenario's own; 'set' holds numbers of the plant"
            yield twin.mistake(text, "scenarios", name, "set", path)


def wrong_stimuli(twin: Twin, name: str, scenario: ScenarioSpec) -> Iterator[InputError]:
    """Mistakes in what a scenario moves."""
    for setpoints in scenario.setpoints:
        yield from _set_point(twin, setpoints, "scenarios", name, "setpoints", setpoints)
    for index, stimulus in enumerate(scenario.stimuli):
        place = ("scenarios", name, "stimuli", index)
        head, _, rest = stimulus.target.partition(".")
        if head == "inputs":
            if rest not in input_names(twin) and not is_of_open_part(twin, rest):
                yield unknown(twin, "input", rest, input_names(twin), *place, "target")
        elif head == "setpoints":
            yield from _set_point(twin, rest, *place, "target")
        elif head == "push":
            link, _, axis = rest.rpartition(".")
            if axis not in ("x", "y", "z"):
                yield twin.mistake(f"found {stimulus.target!r}, expected push.LINK.x, .y or .z", *place, "target")
            elif link not in twin.description.links:
                yield unknown(twin, "link", link, twin.description.links, *place, "target")
        else:
            parameter = twin.parameters.get(stimulus.target)
            if parameter is None and may_be_parameter(twin, stimulus.target):
                continue
            if parameter is None:
                yield unknown(twin, "parameter", stimulus.target, twin.parameters, *place, "target")
            elif not parameter.live:
                yield twin.mistake(f"{stimulus.target!r} cannot be moved by a stimulus", *place, "target")
        if stimulus.kind in ("file", "rows") and not is_file(twin.folder / stimulus.file):
            yield twin.mistake(f"there is no file {stimulus.file!r}", *place, "file")


def _set_point(twin: Twin, name: str, *place: str | int) -> Iterator[InputError]:
    """A set-point that nobody reads is a misspelt one; what a program in Python reads cannot be known."""
    if not name or (re.search(r"[^\w-]", name) and not knows_setpoints(twin)):
        yield twin.mistake(f"found the set-point {name!r}, expected a name of letters, digits, _ and -", *place)
    elif knows_setpoints(twin):
        try:
            made = twin.make_program()  # what it wants may depend on its options
        except InputError:
            return  # said elsewhere
        wants = made.setpoints if made is not None else ()
        if name not in wants:
            hint = nearest(name, wants)
            yield twin.mistake(f"the program has no set-point {name!r}{hint} (it has: {', '.join(wants) or 'none'})", *place)


def wrong_expectations(twin: Twin, name: str, scenario: ScenarioSpec) -> Iterator[InputError]:
    """Expectations on times that a scenario does not have, formulas that say nothing."""
    for index, expected in enumerate(scenario.expect):
        wrong = None if expected.stl is None else wrong_formula(expected.stl, scenario.seconds)
        if wrong is not None:
            yield twin.mistake(wrong, "scenarios", name, "expect", index, "stl")
        if expected.after > scenario.seconds:
            yield twin.mistake(
                f"found {expected.after:g} s, expected a time within the scenario's {scenario.seconds:g} s",
                "scenarios", name, "expect", index, "after",
            )  # fmt: skip
