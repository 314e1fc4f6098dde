"""A twin: a folder read, checked and typed, whose every number can be looked up and set by its path."""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from didymos.control import PROGRAMS, Controller
from didymos.describe.bundled import ROBOTS, bundled
from didymos.describe.check import check_gains, check_names
from didymos.describe.code import Code, ReadCode, RunCode, named_code
from didymos.describe.description import Description, Note
from didymos.describe.float_base import float_base
from didymos.describe.formats.importer import read_description
from didymos.describe.local_file import is_file, is_folder
from didymos.describe.parameters import Parameter, collect, flatten
from didymos.describe.program import option_names, wrong_option
from didymos.describe.schema import ScenarioSpec, TwinFile
from didymos.describe.trust import NotTrusted, is_trusted
from didymos.describe.set_value import with_value
from didymos.describe.validate import validate
from didymos.describe.variants import apply_variant
from didymos.describe.yaml_file import read_yaml
from didymos.errors import DidymosError, InputError, nearest

if TYPE_CHECKING:
    from didymos.describe.summary import Summary
    from didymos.engine.simulation import Simulation

__all__ = ["Twin", "find_twin", "load"]


def load(twin: str | Path, *, variant: str | None = None, trust: bool = False, run_code: bool = True) -> Twin:
    """A bundled twin by name, or one by the path of its folder or of its `twin.yaml`; `variant` as `variants.py` says.

    A twin may name code of its own (see `code.py`). It is imported if its folder is trusted (see `trust.py`) or if this call says
    `trust`; else a `NotTrusted` is raised and nothing of it has run. With `run_code` False it is never imported: such a
    twin can be looked at, checked and changed, but not simulated.
    """
    return Twin(find_twin(twin), variant, trust=trust, run_code=run_code)


def find_twin(twin: str | Path) -> Path:
    """The twin file of a bundled twin by name, or of one by the path of its folder or file."""
    if isinstance(twin, str) and twin in bundled():
        return ROBOTS / twin / "twin.yaml"
    path = Path(twin)
    if is_folder(path):
        path = path / "twin.yaml"
        if not is_file(path):
            raise InputError("there is no twin.yaml in this folder", file=twin)
    if not is_file(path):
        known = ", ".join(bundled())
        raise InputError(f"there is no twin {str(twin)!r}{nearest(str(twin), bundled())} (bundled: {known}; or give a folder)")
    return path


class Twin:
    """The digital twin of a robot. `set` changes a number; `simulate` makes a run of what it is then."""

    def __init__(self, file: Path, variant: str | None = None, *, trust: bool = False, run_code: bool = True) -> None:
        self._file = file
        self.variant = variant
        self._raw, self._lines = read_yaml(file)
        if variant is not None:
            self._raw, self._lines = apply_variant(self._raw, self._lines, variant, file)
        named = named_code(self._raw)
        if named and run_code and not (trust or is_trusted(file.parent)):
            raise NotTrusted(file, self._lines.get(named[0].place), named)
        self.code: Code = RunCode(file.parent) if run_code else ReadCode(file.parent)
        self._bodies: dict[str, float] = {}
        self._values: dict[str, float] = {}  # other numbers that were set since the files were read
        self._program_by_hand = False
        self._load()

    def _load(self) -> None:
        self.file: TwinFile = validate(self._raw, self._file, self._lines, self.code)
        self.description: Description = self._read_description()
        self.program: type[Controller] | None = self._find_program()
        check_gains(self)
        self.parameters: dict[str, Parameter] = collect(self.file, self.description, self.program)
        check_names(self)

    @property
    def name(self) -> str:
        """The name of the twin's folder."""
        return self._file.resolve().parent.name

    @property
    def title(self) -> str:
        """What the twin is, in one line."""
        return self.file.title

    @property
    def folder(self) -> Path:
        """The folder that holds `twin.yaml`."""
        return self._file.parent

    @property
    def source(self) -> Path:
        """The twin file itself."""
        return self._file

    @property
    def variants(self) -> Mapping[str, str]:
        """The titles of the twin's variants by name."""
        return {name: str(overlay.get("title", "")) for name, overlay in self.file.variants.items()}

    @property
    def notes(self) -> tuple[Note, ...]:
        """All that the description holds and the twin does not use or understood differently; what of its code is not known."""
        return self.description.notes + self.code.notes

    @property
    def scenarios(self) -> Mapping[str, ScenarioSpec]:
        """The scenarios of the twin by name."""
        return self.file.scenarios

    def mistake(self, text: str, *place: str | int) -> InputError:
        """An error that points at a place of the twin file, unless the value there was set since."""
        path = ".".join(map(str, place))
        if any(path == changed or path.startswith(changed + ".") for changed in self.set_by_hand):
            return InputError(text, path=path)
        line = next((self._lines[place[:n]] for n in range(len(place), 0, -1) if place[:n] in self._lines), None)
        return InputError(text, file=self._file, line=line, path=path or None)

    def get(self, path: str) -> float:
        """The value of a parameter; an unknown path is an `InputError`."""
        return self._parameter(path).value

    def set(self, path: str, value: float) -> None:
        """Set a parameter by its path; the twin as it was before stays if the value does not fit."""
        self.set_all({path: value})

    def set_all(self, values: Mapping[str, float]) -> None:
        """Set many parameters at once: all of them, or none if one does not fit."""
        checked = {path: self._fitting(path, value) for path, value in values.items()}
        bodies = {path: value for path, value in checked.items() if path.startswith(("links.", "joints."))}
        others = {path: value for path, value in checked.items() if path not in bodies}
        file = self.file
        for path, value in others.items():
            try:
                file = with_value(file, path.split("."), value)
            except InputError as error:
                raise InputError(error.message, path=path) from None
        self.file = file
        self._values |= others
        self._bodies |= bodies
        for path, value in checked.items():
            self.parameters[path] = replace(self.parameters[path], value=value)

    def _fitting(self, path: str, value: float) -> float:
        """The value as a float, if it is a number within the parameter's bounds."""
        parameter = self._parameter(path)
        try:
            value = float(value)
        except (TypeError, ValueError):
            raise InputError(f"found {value!r}, expected a number [{parameter.unit}]", path=path) from None
        except OverflowError:
            raise InputError(f"found a number beyond 1.8e308, expected a number [{parameter.unit}]", path=path) from None
        if not math.isfinite(value):
            raise InputError(f"found {value!r}, expected a finite number [{parameter.unit}]", path=path)
        if (parameter.low is not None and value < parameter.low) or (parameter.high is not None and value > parameter.high):
            low = "-inf" if parameter.low is None else f"{parameter.low:g}"
            high = "inf" if parameter.high is None else f"{parameter.high:g}"
            raise InputError(f"found {value:g}, expected a number from {low} to {high} [{parameter.unit}]", path=path)
        return value

    @property
    def set_by_hand(self) -> frozenset[str]:
        """Paths of the values that were set since the files were read."""
        control = {"control"} if self._program_by_hand else set()
        return frozenset(self._values) | frozenset(self._bodies) | control

    def body_values(self) -> Mapping[str, float]:
        """The numbers of links and joints that were set, by path; all others are as described."""
        return dict(self._bodies)

    def copy(self) -> Twin:
        """A twin of its own with the same values."""
        made = copy.copy(self)
        made._values, made._bodies = dict(self._values), dict(self._bodies)
        made.parameters = dict(self.parameters)
        return made

    def for_scenario(self, name: str) -> Twin:
        """A copy with the program and the values that a scenario brings; what was set by hand before wins over both."""
        made = self.with_program_of(name)
        made.set_all({path: value for path, value in self.file.scenarios[name].set.items() if path not in self.set_by_hand})
        return made

    def with_program_of(self, name: str) -> Twin:
        """A copy with the program that a scenario brings, if it does; gains that were set before keep their values."""
        made = self.copy()
        if self.file.scenarios[name].control is None or self._program_by_hand:
            return made
        made._raw = {**self._raw, "control": self._raw["scenarios"][name]["control"]}
        made.file = validate(made._raw, self._file, self._lines, self.code)
        made.program = made._find_program()
        check_gains(made)
        made._read_anew()
        return made

    def _read_anew(self) -> None:
        """The parameters of files that were read again, with the values that were set before."""
        values, bodies = self._values, self._bodies
        self._values, self._bodies = {}, {}
        self.parameters = collect(self.file, self.description, self.program)
        self.set_all(values | bodies)

    def make_program(self) -> Controller | None:
        """A fresh control program with the twin's rate, options and gains; None where the twin has none."""
        control = self.file.control
        if control is None or self.program is None:
            return None
        made = self._create(self.program, control.options)
        made.rate = control.rate
        for path, value in flatten(control.gains).items():
            made.set_gain(path, value)
        return made

    def _create(self, program: type[Controller], options: dict[str, Any]) -> Controller:
        known = option_names(program)
        for option in options:
            if known is not None and option not in known:
                has = f"(it has: {', '.join(known) or 'none'})"
                hint = nearest(option, known)
                raise self.mistake(f"{program.__name__} has no such option{hint} {has}", "control", "options", option)
        wrong = wrong_option(program, options)
        if wrong is not None:
            raise self.mistake(wrong[1], "control", "options", *wrong[0])
        try:
            return program(**options)
        except InputError:
            raise
        except Exception as error:  # the program's own code
            what = f"{program.__name__} refuses these options: {type(error).__name__}: {error}"
            raise self.mistake(what, "control", "options") from error

    def replace_program(
        self,
        name: str,
        folder: Path | None = None,
        *,
        rate: float | None = None,
        gains: Mapping[str, Any] | None = None,
        options: Mapping[str, Any] | None = None,
        in_scenarios: bool = False,
    ) -> None:
        """Be driven by another program: a shipped one, `MODULE:CLASS`, or `FILE.py:CLASS` relative to a folder.

        Without a folder, to the current one. The gains of the program become parameters of the twin. `rate` [Hz], the
        program's own by default; `in_scenarios` also where a scenario brings a program. Whoever names a program so means it: its
        code runs, whatever folder is trusted.
        """
        program = PROGRAMS.load(name, folder or Path())
        try:
            program(**(options or {}))
            rate = float(program.rate if rate is None else rate)
        except DidymosError:
            raise
        except Exception as error:  # the user's own code
            how = f"with the options {dict(options)}" if options else "without arguments"
            raise InputError(f"{name} cannot be created {how}: {type(error).__name__}: {error}") from error
        step = self.file.world.step
        steps = 1.0 / (rate * step) if rate > 0.0 else 0.0
        if steps < 1.0 - 1e-9 or abs(steps - round(steps)) > 1e-6 * steps:
            expected = f"a rate whose period is a whole number of physics steps of {step:g} s"
            raise InputError(f"{name} asks for {rate:g} Hz, expected {expected}")
        raw = copy.deepcopy(self._raw)
        raw["control"] = {"program": name, "rate": rate, "gains": dict(gains or {}), "options": dict(options or {})}
        if in_scenarios:
            for scenario in raw.get("scenarios", {}).values():
                scenario.pop("control", None)
        try:
            self.file = validate(raw, self._file, self._lines, self.code)
        except InputError as error:  # nothing in the twin file is to blame
            raise InputError(f"{name} asks for {rate:g} Hz: {error.message}") from None
        self._raw, self.program, self._program_by_hand = raw, program, True
        self._values = {path: value for path, value in self._values.items() if not path.startswith("control.")}
        self._read_anew()

    def summary(self) -> Summary:
        """Mass, centre of mass, inertia and the lists of what the twin is made of."""
        from didymos.describe.summary import summarize

        return summarize(self)

    def simulate(
        self, *, seed: int = 0, scenario: str | None = None, control: Controller | None = None, piloted: bool = False
    ) -> Simulation:
        """A run of the twin as it is now. `control` takes the place of the twin's own program.

        A `piloted` run has a channel table, and boxes where a channel drops them; see `Simulation.run`.
        """
        if self.code.stand_ins:
            code = ", ".join(self.code.stand_ins)
            raise InputError(f"was loaded without its code, {code}: it can be looked at, not run", file=self._file)
        return self._simulation(seed, scenario, control, piloted)

    def make_ready(self, scenario: str | None) -> None:
        """Make everything for a run and forget it, to see whether that can be done; code that was only read stands still."""
        self._simulation(0, scenario, None, False)

    def _simulation(self, seed: int, scenario: str | None, control: Controller | None, piloted: bool) -> Simulation:
        from didymos.engine.simulation import Simulation

        try:
            return Simulation(self, seed=seed, scenario=scenario, control=control, piloted=piloted)
        except InputError as error:
            place = (error.path or "").split(".")
            if error.file is not None or control is not None or (place[0],) not in self._lines:
                raise
            raise self.mistake(error.message, *place) from None

    def _read_description(self) -> Description:
        about = self.file.description
        path = self.folder / about.file
        arguments = {key: _argument(value) for key, value in about.arguments.items()}
        packages = {key: self.folder / value for key, value in about.packages.items()}
        if not is_file(path):
            what = "is a folder, expected a file" if is_folder(path) else "is not there"
            raise self.mistake(f"the file {about.file!r} {what}", "description", "file")
        found = read_description(path, arguments=arguments, packages=packages)
        return float_base(found) if about.base == "floating" else found

    def _find_program(self) -> type[Controller] | None:
        if self.file.control is None:
            return None
        try:
            return self.code.find(PROGRAMS, self.file.control.program)
        except InputError as error:
            raise self.mistake(str(error), "control", "program") from None

    def _parameter(self, path: str) -> Parameter:
        if path not in self.parameters:
            raise InputError(f"there is no such parameter{nearest(path, self.parameters)}", path=path)
        return self.parameters[path]

    def __repr__(self) -> str:
        return f"Twin({self.name!r})"


def _argument(value: str | float | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else f"{value:.17g}" if isinstance(value, float) else str(value)
