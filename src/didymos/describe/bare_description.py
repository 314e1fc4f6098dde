"""A robot description without a twin around it: the twin that `didymos new` would make of it, in a folder that goes with it.

Nothing is written beside the file, and nothing of it runs. The twin file is ours, and so is its folder: it is trusted, and what
is wrong with it is said of the description.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from didymos.describe.local_file import is_file
from didymos.describe.new import Draft, draft_twin, write_twin
from didymos.errors import InputError

__all__ = ["BareDescription", "MadeTwin", "in_words_of", "is_description", "made_for_a_while"]

_TWIN_FILES = (".yaml", ".yml")


@dataclass(frozen=True)
class BareDescription:
    """A description and how it is read: `arguments`, `packages` and `repair` are those of `read_description`.

    `walks` is whether a robot on legs is to walk on them; None leaves it to a trial.
    """

    file: Path
    arguments: Mapping[str, str] = field(default_factory=dict)
    packages: Mapping[str, Path] = field(default_factory=dict)
    repair: bool = False
    walks: bool | None = None

    def drafted(self) -> Draft:
        """What is decided about it."""
        return draft_twin(self.file, **self.reading)

    @property
    def reading(self) -> dict[str, Any]:
        """The arguments of `draft_twin`."""
        walks = self.walks is not False
        return {"arguments": self.arguments, "packages": self.packages, "repair": self.repair, "walks": walks}


def is_description(path: str | Path) -> bool:
    """Whether a path names a file that is no twin file, and so a description."""
    return is_file(Path(path)) and Path(path).suffix.lower() not in _TWIN_FILES


@dataclass(frozen=True, eq=False)
class MadeTwin:
    """A twin file in a folder that is removed with the object that holds it, and what was decided about it."""

    folder: tempfile.TemporaryDirectory[str]
    file: Path
    draft: Draft


def made_for_a_while(bare: BareDescription) -> MadeTwin:
    """The twin of a description, which is called as its file is."""
    folder = tempfile.TemporaryDirectory(prefix="didymos-")
    stem = bare.file.name.partition(".")[0]
    name = "".join(sign if sign.isalnum() or sign in "-_" else "_" for sign in stem) or "robot"
    with in_words_of(bare.file, Path(folder.name)):
        made, draft = write_twin(name, bare.file, Path(folder.name), **bare.reading)
    return MadeTwin(folder, made / "twin.yaml", draft)


@contextmanager
def in_words_of(file: Path, folder: Path) -> Iterator[None]:
    """Say what is wrong with a twin that we made in a folder of the description that the user knows."""
    try:
        yield
    except InputError as error:
        if not str(error.file).startswith(str(folder)):
            raise
        raise _of_description(error, file) from None


def _of_description(error: InputError, file: Path) -> InputError:
    """An error of the twin file, which the user never saw, or of the copy of a lone description, as one of the description."""
    if Path(str(error.file)).name != file.name:
        return InputError(error.message, file=file, path=error.path)
    made = InputError(error.message, file=file, line=error.line, path=error.path)
    made.others = tuple(_of_description(other, file) for other in error.others)
    return made
