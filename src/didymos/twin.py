"""The twin that a user holds: described by its files, simulated by the engine, shown in a notebook, sent to another process."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from ruamel.yaml import YAML

from didymos.control import Controller
from didymos.describe.bare_description import BareDescription, MadeTwin, in_words_of, is_description, made_for_a_while
from didymos.describe.description import Note
from didymos.describe.new import Draft
from didymos.describe.twin import Twin as DescribedTwin
from didymos.describe.twin import find_twin, hides_bundled
from didymos.engine.settle import Made, settle
from didymos.engine.simulation import Simulation
from didymos.errors import DidymosError, InputError

__all__ = ["Twin", "load"]

_NOTHING: Mapping[str, Any] = {}


def load(
    twin: str | Path,
    *,
    variant: str | None = None,
    trust: bool = False,
    run_code: bool = True,
    arguments: Mapping[str, str] = _NOTHING,
    packages: Mapping[str, Path] = _NOTHING,
    repair: bool = False,
) -> Twin:
    """A bundled twin by name, or one by the path of its folder or of its `twin.yaml`; `variant` as `variants.py` says.

    The path of a robot description (URDF, xacro, SDF, MJCF) gives the twin that `didymos new` would make of it, without a folder
    of the user's. `arguments` of a xacro file, `packages` (folders by name) and `repair` are for such a one.

    A folder of a bundled twin's name that stands here and holds a twin is the one that is meant; a note of the twin says so.

    A twin may name code of its own (see `describe/code.py`). It is imported if its folder is trusted (`didymos trust`) or if this
    call says `trust`; else a `NotTrusted` is raised and nothing of it has run. With `run_code` False it is never imported: such
    a twin can be looked at, checked and changed, but not simulated.
    """
    if is_description(twin):
        return Twin.from_description(BareDescription(Path(twin), arguments, packages, repair), variant)
    for option, given in (("arguments", arguments), ("packages", packages), ("repair", repair)):
        if given:
            raise InputError(f"is for a bare description; a twin says so itself: description.{option}", option=option)
    made = Twin(find_twin(twin), variant, trust=trust, run_code=run_code)
    if hides_bundled(twin):
        made.note("this twin is taken, not the bundled one of the same name: a folder that stands here goes first")
    return made


class Twin(DescribedTwin):
    """The digital twin of a robot. `set` changes a number; `simulate` makes a run of what it is then."""

    _kept: tempfile.TemporaryDirectory[str] | None = None  # the folder of a twin that was made from texts

    @classmethod
    def from_urdf(cls, text: str, **sections: Any) -> Twin:
        """A twin of a robot description given as a text (URDF; MJCF and SDF as well), without a folder.

        `sections` are those of a `twin.yaml` as plain data: `world={"ground": {}}`, `parts={...}`, `control={...}`.
        """
        return cls.from_dict({"description": {"file": _file_name(text)}, **sections}, {_file_name(text): text})

    @classmethod
    def from_dict(cls, content: Mapping[str, Any], files: Mapping[str, str]) -> Twin:
        """A twin of the content of a `twin.yaml` as plain data, and the texts of the files that it names."""
        folder = tempfile.TemporaryDirectory(prefix="didymos-")
        path = Path(folder.name) / str(content.get("title") or "robot").replace("/", "_")[:60]
        path.mkdir()
        plain = _plain(content)
        for name, text in files.items():
            file = (path / name).resolve()
            if not file.is_relative_to(path.resolve()):
                raise InputError("lies outside of the twin's folder", file=name)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        with (path / "twin.yaml").open("w") as out:
            YAML(typ="safe").dump(plain, out)
        made = cls(path / "twin.yaml", trust=True)
        made._kept = folder
        made._texts = (plain, dict(files))
        return made

    @classmethod
    def from_description(cls, bare: BareDescription, variant: str | None = None) -> Twin:
        """The twin that `didymos new` would make of a description; its files go when it does."""
        about = made_for_a_while(bare)
        with in_words_of(bare.file, Path(about.folder.name)):
            made, draft, tried = _settled(about, bare, lambda folder: cls(folder / "twin.yaml", variant, trust=True))
        read = str(made.description.source)  # a copy, or the file by the way from the twin's folder
        notes = [replace(note, file=str(bare.file)) if note.file == read else note for note in made.description.notes]
        made.description = replace(made.description, notes=tuple(notes))
        made._own_notes = tuple(Note(str(bare.file), None, warning) for warning in draft.warnings)
        made._kept, made.bare = about.folder, replace(bare, walks=draft.program.name == "legged")
        program = f"program {draft.program.name}" if draft.program.name else "no program"
        made.decided = f"{draft.base}; {draft.drives.why or 'no drives'}; {program}{tried}"
        return made

    _texts: tuple[dict[str, Any], dict[str, str]] | None = None
    bare: BareDescription | None = None
    """The description that the twin was made of for a while, where it was."""
    decided: str = ""
    """What was decided about it then: base and why, drives, program."""

    def mistake(self, text: str, *place: str | int) -> InputError:
        """An error that points at a place of the twin file, or at the description where there is no other file of the user's."""
        found = super().mistake(text, *place)
        return found if self.bare is None else InputError(text, file=self.bare.file, path=found.path)

    def simulate(
        self, *, seed: int = 0, scenario: str | None = None, control: Controller | None = None, piloted: bool = False
    ) -> Simulation:
        """A run of the twin as it is now. `control` takes the place of the twin's own program.

        A `piloted` run has a channel table, and boxes where a channel drops them; see `Simulation.run`.
        """
        if self.code.stand_ins:
            code = ", ".join(self.code.stand_ins)
            raise InputError(f"was loaded without its code, {code}: it can be looked at, not run", file=self.source)
        return self._simulation(seed, scenario, control, piloted)

    def make_ready(self, scenario: str | None) -> tuple[Note, ...]:
        """Make everything for a run and forget it, to see whether that can be done; code that was only read stands still.

        The notes say which gains are too stiff for the physics step, and which axes of the allocation do nothing.
        """
        simulation = self._simulation(0, scenario, None, False)
        try:
            return (*simulation.gain_notes, *simulation.allocation_notes)
        except InputError as error:
            raise self.mistake(error.message, *(error.path or "").split(".")) from None

    def ros2_mistakes(self) -> list[InputError]:
        """What of its section `ros2` does not fit the robot: unknown types, fields, signals, handles, joints."""
        from didymos.ports.ros2.control_surface import surface_mistakes

        return surface_mistakes(self._simulation(0, None, None, False).only)

    def _simulation(self, seed: int, scenario: str | None, control: Controller | None, piloted: bool) -> Simulation:
        try:
            return Simulation(self, seed=seed, scenario=scenario, control=control, piloted=piloted)
        except InputError as error:
            steps = (error.path or "").split(".")
            if error.file is not None or control is not None or not self.has_line(steps[0]):
                raise
            raise self.mistake(error.message, *steps) from None

    def __reduce__(self) -> tuple[Any, ...]:
        """A twin travels as the path of its files, or as their texts, with the values set; code that ran here runs there."""
        values = {path: self.get(path) for path in sorted(self.set_by_hand - {"control"})}
        source = self._texts or self.bare or self.source.resolve()
        return _made_again, (source, self.variant, self.program_by_hand, values, self.code.runs, self._added)

    def _repr_html_(self) -> str:
        rows = {
            "links": len(self.description.links), "joints": len(self.description.joints),
            "parts": ", ".join(self.file.parts), "sensors": ", ".join(self.file.sensors),
            "program": self.file.control.program if self.file.control is not None else "none",
            "scenarios": ", ".join(self.scenarios), "parameters": len(self.parameters),
        }  # fmt: skip
        cells = "".join(f"<tr><th>{escape(name)}</th><td>{escape(str(value))}</td></tr>" for name, value in rows.items())
        return f"<b>{escape(self.name)}</b>: {escape(self.title)}<table>{cells}</table>"


def _settled(about: MadeTwin, bare: BareDescription, load: Callable[[Path], Twin]) -> tuple[Twin, Draft, str]:
    """The twin of a bare description, what was decided about it, and what it did where that had to be tried, in words.

    Nothing but a robot on legs has to. One that does not run at all keeps its program: a run will say why.
    """
    folder, draft = about.file.parent, about.draft
    if bare.walks is None and draft.program.name == "legged":
        try:
            settled = settle(Made(folder, bare.file, draft, replace(bare, walks=False).drafted), load)
        except DidymosError:
            pass
        else:
            return settled.twin, settled.draft, f", tried for {settled.trial.seconds:g} s: {settled.trial.verdict}"
    return load(folder), draft, ""


def _made_again(
    source: Path | BareDescription | tuple[dict[str, Any], dict[str, str]],
    variant: str | None,
    program: Mapping[str, Any] | None,
    values: Mapping[str, float],
    run_code: bool,
    scenarios: Mapping[str, Any],
) -> Twin:
    """A twin as it was when it was pickled; one whose code was only read is read again."""
    if isinstance(source, BareDescription):
        made = Twin.from_description(source, variant)
    elif isinstance(source, tuple):
        made = Twin.from_dict(*source)
    else:
        made = Twin(source, variant, trust=True, run_code=run_code)
    if scenarios:
        made.add_scenarios(scenarios)
    if program is not None:
        made.replace_program(**program)
    made.set_all(values)
    return made


def _file_name(text: str) -> str:
    """The name under which a description is read: its root element says which format it is."""
    head = text.lstrip()[:4000]
    if "<mujoco" in head:
        return "robot.xml"
    return "robot.sdf" if "<sdf" in head else "robot.urdf"


def _plain(value: Any, place: tuple[str, ...] = ()) -> Any:
    """Plain data of any mappings, sequences, numbers and arrays of numpy, and paths; an `InputError` for anything else."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(key): _plain(item, (*place, str(key))) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item, (*place, str(index))) for index, item in enumerate(value)]
    if isinstance(value, Path):
        return str(value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    what = f"found a {type(value).__name__}, expected a number, a text, true or false, a list or a mapping of these"
    raise InputError(what, path=".".join(place))
