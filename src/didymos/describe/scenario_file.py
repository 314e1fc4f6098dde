"""Files of scenarios: what stands under `scenarios` in a twin file, for a twin whose own file stays as it is.

    scenarios:
      designed: {seconds: 10, stimuli: [...]}

A file that a stimulus names lies in the twin's folder. Code that a program of a scenario is has to be named by the twin file too:
whoever trusts a folder has not looked at every file of scenarios.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from didymos.describe.code import named_code
from didymos.describe.yaml_file import Lines, read_yaml
from didymos.errors import InputError, nearest

if TYPE_CHECKING:
    from didymos.describe.twin import Twin

__all__ = ["add_scenarios"]


def add_scenarios(twin: Twin, file: Path) -> None:
    """Let a twin have the scenarios of a file beside its own; a mistake in them is an `InputError` with the file's line."""
    content, lines = read_yaml(file)
    for key in content:
        if key != "scenarios":
            text = f"found the key {key!r}, expected scenarios alone{nearest(key, ('scenarios',))}"
            raise InputError(text, file=file, line=lines[key,])
    scenarios = content.get("scenarios")
    if not isinstance(scenarios, dict) or not scenarios:
        raise InputError("found no scenarios, expected some by name", file=file, path="scenarios")
    _refuse_code(twin, content, file, lines)
    try:
        twin.add_scenarios(scenarios)
    except InputError as error:
        raise _in_words_of(file, lines, error) from None


def _refuse_code(twin: Twin, content: dict[str, Any], file: Path, lines: Lines) -> None:
    for item in named_code(content):
        if item.name not in twin.named_code:
            text = f"names the code {item.name!r}, which {twin.source.name} does not name; put the scenario there"
            raise InputError(text, file=file, line=lines.get(item.place), path=".".join(item.place))


def _in_words_of(file: Path, lines: Lines, error: InputError) -> InputError:
    """The same mistake with the file and the line that it stands in."""
    by_path = {".".join(map(str, place)): line for place, line in lines.items()}
    steps = (error.path or "").split(".")
    here = next((by_path[path] for n in range(len(steps), 0, -1) if (path := ".".join(steps[:n])) in by_path), None)
    found = InputError(error.message, file=file, line=here, path=error.path)
    found.others = error.others
    return found
