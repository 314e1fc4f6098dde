"""A twin: a folder read, checked and typed, whose every number can be looked up and set by its path."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from didymos.control import PROGRAMS, Controller
from didymos.describe.bundled import ROBOTS, bundled, bundled_worlds
from didymos.describe.check import check_names
from didymos.describe.check_values import check_gains
from didymos.describe.code import Code, ReadCode, RunCode, named_code
from didymos.describe.description import Description, Note
from didymos.describe.float_base import float_base
from didymos.describe.fmu_kind import with_fmus_named
from didymos.describe.formats.format import DescriptionFile
from didymos.describe.formats.importer import DESCRIPTIONS, read_description
from didymos.describe.formats.packages import Packages
from didymos.describe.free_bodies import free_links
from didymos.describe.limit_notes import limit_notes
from didymos.describe.local_file import is_file, is_folder
from didymos.describe.names import driven_joints
from didymos.describe.outside_files import why_not_outside
from didymos.describe.parameter_values import ParameterValues
from didymos.describe.parameters import ARGUMENTS, Parameter, collect, flatten
from didymos.describe.pass_through import collide_with_visuals, let_pass
from didymos.describe.path_patterns import is_pattern, spread
from didymos.describe.program import option_names, wrong_option
from didymos.describe.scenario_parameters import SCENARIOS, with_numbers
from didymos.describe.schema import ScenarioSpec, TwinFile
from didymos.describe.surroundings import Surroundings, free_of, read_surroundings
from didymos.describe.trust import NotTrusted, is_trusted
from didymos.describe.validate import validate
from didymos.describe.variants import apply_variant, overlaid
from didymos.describe.yaml_file import read_yaml
from didymos.errors import DidymosError, InputError, nearest

if TYPE_CHECKING:
    from didymos.describe.summary import Summary
    from didymos.model.robot_model import RobotModel

__all__ = ["Twin", "find_twin", "hides_bundled"]


def find_twin(twin: str | Path) -> Path:
    """The twin file of one by the path of its folder or file, or of a bundled twin by name: a folder here goes first."""
    if isinstance(twin, str) and twin in bundled() and not hides_bundled(twin):
        return ROBOTS / twin / "twin.yaml"
    path = Path(twin)
    if is_folder(path):
        path = path / "twin.yaml"
        if not is_file(path) and is_file(Path(twin) / "world.yaml"):
            raise InputError("is a world of robots, not a twin; didymos.load_world reads it", file=twin)
        if not is_file(path):
            inside = sorted(child.name for child in Path(twin).iterdir() if child.suffix.lower() in DESCRIPTIONS)
            hint = f"; it holds {inside[0]}, a description, which can be given instead" if inside else ""
            raise InputError(f"there is no twin.yaml in this folder{hint}", file=twin)
    if not is_file(path) and path.suffix.lower() in DESCRIPTIONS:
        raise InputError(f"there is no such file{nearest(path.name, _beside(path))}", file=twin)
    if not is_file(path) and twin in bundled_worlds():
        raise InputError(f"{twin} is a world of robots, not a twin; didymos.load_world reads it")
    if not is_file(path):
        known = f"bundled: {', '.join(bundled())}; or give a folder or a description"
        raise InputError(f"there is no twin {str(twin)!r}{nearest(str(twin), _names(path))} ({known})")
    return path


def _names(path: Path) -> tuple[str, ...]:
    """What may have been meant: the bundled twins and worlds, and those that stand beside a path."""
    return (*bundled(), *bundled_worlds(), *(str(path.with_name(name)) for name in _beside(path)))


def _beside(path: Path) -> list[str]:
    """Names of the twins, worlds and descriptions in the folder of a path."""
    try:
        found = sorted(path.parent.iterdir())
    except (OSError, ValueError):
        return []
    files = ("twin.yaml", "world.yaml")
    return [item.name for item in found if item.suffix.lower() in DESCRIPTIONS or any(is_file(item / file) for file in files)]


def hides_bundled(twin: str | Path) -> bool:
    """Whether a name means a twin folder that stands here and not the bundled twin of the same name."""
    return isinstance(twin, str) and twin in bundled() and is_file(Path(twin) / "twin.yaml")


class Twin(ParameterValues):
    """The digital twin of a robot as its files describe it; `set` changes a number. `didymos.Twin` can also run it."""

    couplings: tuple[str, ...] = ()
    """Welds to other robots of its world that it can switch: inputs of these names."""

    def __init__(self, file: Path, variant: str | None = None, *, trust: bool = False, run_code: bool = True) -> None:
        self._file = file
        self.world_folder = file.parent  # that paths of files of the world count from
        self._trust = trust
        self.variant = variant
        self._raw, self._lines = read_yaml(file)
        if variant is not None:
            self._raw, self._lines = apply_variant(self._raw, self._lines, variant, file)
        self._raw = with_fmus_named(self._raw)
        named = named_code(self._raw)
        if named and run_code and not (trust or is_trusted(file.parent)):
            raise NotTrusted(file, self._lines.get(named[0].place), named)
        self.code: Code = RunCode(file.parent) if run_code else ReadCode(file.parent)
        super().__init__()
        self._replacement: dict[str, Any] | None = None
        self._own_notes: tuple[Note, ...] = ()
        self._as_filed: Twin | None = None
        self._added: dict[str, Any] = {}  # scenarios that came after the file, as plain data
        self._brought: dict[str, Parameter] | None = None  # gains of the programs of scenarios, once somebody asks
        self._load()

    def _load(
        self, description: Description | None = None, beside: Surroundings | None = None, *, check: bool = True
    ) -> None:
        self.file: TwinFile = validate(self._raw, self._file, self._lines, self.code)
        self.description: Description = self._read_description() if description is None else description
        self.surroundings: Surroundings = read_surroundings(self, trust=self._trust) if beside is None else beside
        self._make_model = _model_maker(self.description, self.file)
        self.program: type[Controller] | None = self._find_program()
        check_gains(self)
        self.parameters = collect(self.file, self.description, self.program, self.surroundings.free)
        if check:
            check_names(self)

    @cached_property
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
    def description_file(self) -> DescriptionFile:
        """The file of the description, with its arguments and packages."""
        about = self.file.description
        arguments = {key: _argument(value) for key, value in about.arguments.items()}
        packages = {key: self.folder / value for key, value in about.packages.items()}
        path = self.folder / about.file
        return DescriptionFile(path, Packages(path, packages, [self.folder]), arguments)

    @property
    def variants(self) -> Mapping[str, str]:
        """The titles of the twin's variants by name."""
        return {name: str(overlay.get("title", "")) for name, overlay in self.file.variants.items()}

    @property
    def notes(self) -> tuple[Note, ...]:
        """All that the twin does not use of the description, understood differently or does not know of its code; parts beyond
        the limits of their joints; whether a bundled twin has the same name.
        """
        return (*self._own_notes, *self.description.notes, *self.surroundings.notes, *self.code.notes, *limit_notes(self))

    @property
    def model(self) -> RobotModel:
        """Kinematics and dynamics as the files describe the robot, which is what its program believes; nothing set changes it."""
        return self._make_model()

    @property
    def notes_of_its_own(self) -> tuple[Note, ...]:
        """What matters most about the twin as a whole."""
        return self._own_notes

    @property
    def scenarios(self) -> Mapping[str, ScenarioSpec]:
        """The scenarios of the twin by name."""
        return self.file.scenarios

    @property
    def program_by_hand(self) -> Mapping[str, Any] | None:
        """The arguments of `replace_program` where the program was replaced, else None."""
        return self._replacement

    @property
    def as_filed(self) -> Twin:
        """The twin with the programs of its file: itself, unless `replace_program` came since."""
        return self if self._as_filed is None else self._as_filed

    @property
    def named_code(self) -> frozenset[str]:
        """The code that the twin file names: kinds of parts and sensors, programs."""
        return frozenset(item.name for item in named_code(self._raw))

    def plain_scenario(self, name: str) -> dict[str, Any]:
        """The plain data of a scenario as a twin file has it."""
        own = f"{SCENARIOS}{name}."
        values = {path.removeprefix(own): value for path, value in self._values.items() if path.startswith(own)}
        return with_numbers(copy.deepcopy(self._raw["scenarios"][name]), values)

    def add_scenarios(self, more: Mapping[str, Any], *, check: bool = True) -> None:
        """Have further scenarios, as plain data of a twin file by name; the twin stays as it was if they do not fit.

        A mistake is an `InputError` whose path begins with `scenarios`. Without `check`, names in them are taken for known.
        """
        own = self._raw.get("scenarios") or {}
        more = with_fmus_named({"scenarios": dict(more)})["scenarios"]
        for name in more:
            if name in own:
                raise InputError("the twin has a scenario of this name; give this one another", path=f"scenarios.{name}")
        made = self.copy()
        made._raw = {**self._raw, "scenarios": {**own, **more}}
        made._brought = None
        made.file = validate(made._raw, self._file, self._lines, self.code)
        check_gains(made)
        made._read_anew()
        if self._as_filed is None:
            if check:
                check_names(made)
        else:  # names are those of the file's programs
            made._as_filed = self._as_filed.copy()
            made._as_filed.add_scenarios(more)
        made._added = {**self._added, **more}
        self.__dict__.update(made.__dict__)

    def gains_of_scenarios(self) -> Mapping[str, Parameter]:
        """The gains, by path, of programs that scenarios bring and that the twin's own program does not have."""
        if self._brought is None:
            self._brought = {}
            for name, scenario in self.file.scenarios.items():
                if scenario.control is not None and not self._program_by_hand:
                    of_it = self.with_program_of(name).parameters.items()
                    gains = {path: item for path, item in of_it if path.startswith("control.gains.")}
                    self._brought = gains | self._brought
        return {path: item for path, item in self._brought.items() if path not in self.parameters}

    def has_line(self, key: str) -> bool:
        """Whether the twin file has a key at its top."""
        return (key,) in self._lines

    def mistake(self, text: str, *place: str | int) -> InputError:
        """An error that points at a place of the twin file, unless the value there was set since."""
        path = ".".join(map(str, place))
        if any(path == changed or path.startswith(changed + ".") for changed in self.set_by_hand):
            return InputError(text, path=path)
        line = next((self._lines[place[:n]] for n in range(len(place), 0, -1) if place[:n] in self._lines), None)
        return InputError(text, file=self._file, line=line, path=path or None)

    def note(self, what: str) -> None:
        """Add a note on the twin as a whole."""
        self._own_notes = (*self._own_notes, Note(str(self._file), None, what))

    def copy(self) -> Self:
        """A twin of its own with the same values."""
        made: Self = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        made._values, made._bodies, made._gains = dict(self._values), dict(self._bodies), dict(self._gains)
        made.parameters = dict(self.parameters)
        return made

    def with_sections(
        self,
        sections: Mapping[str, Any],
        description: Description | None = None,
        *,
        world_folder: Path | None = None,
        beside: Twin | None = None,
        check: bool = True,
    ) -> Self:
        """A copy in which sections of the file are others, as plain data, and perhaps the description; nothing is set in it.

        Files that its world names are in `world_folder`, or are those of the twin that it stands `beside`. Without `check`, names
        are taken for known.
        """
        made = self.copy()
        made.world_folder = self.world_folder if world_folder is None else world_folder
        made._raw = {**self._raw, **copy.deepcopy(dict(sections))}
        made._values, made._bodies, made._gains, made._brought = {}, {}, {}, None
        described = self.description if description is None else description
        around = None if beside is None else beside.surroundings
        if around is not None:
            around = replace(around, free=free_of(described, around.scene), notes=())
        made._load(described, around, check=check)
        return made

    def as_described(self) -> Self:
        """A copy in which nothing is set: as its files, its variant and the arguments of its description have it."""
        return self.with_sections({}, beside=self, check=False)

    def plain_plant(self) -> dict[str, Any]:
        """The plain data of all sections that say what the robot and its world are, and how it begins."""
        others = ("control", "scenarios", "variants", "recordings", "fit", "pilot", "record", "title", "firmware")
        return {key: value for key, value in self._raw.items() if key not in others}

    def plain_section(self, name: str) -> Any:
        """The plain data of a section of the file, None where it has none."""
        return copy.deepcopy(self._raw.get(name))

    def placed(self, prefix: str) -> Self:
        """A copy whose names in the engine have a prefix, for a model that it shares with others; itself where there is none."""
        if not prefix:
            return self
        made = self.copy()
        made.description = self.description.placed(prefix)
        own = len(tuple(free_links(self.description)))
        free = [replace(body, joint=prefix + body.joint) if i < own else body for i, body in enumerate(self.surroundings.free)]
        made.surroundings = replace(self.surroundings, free=tuple(free))
        return made

    def set_all(self, values: Mapping[str, float]) -> None:
        """Set many parameters at once: all of them, or none if one does not fit. Where patterns overlap the last one counts.

        A gain that only the program of a scenario has is kept for the runs of that scenario. An argument of the description lets
        it be read anew; numbers of links and joints that were set stay as they were set.
        """
        if not any(path.startswith(ARGUMENTS) or is_pattern(path) for path in values):
            super().set_all(values)
            return
        made = self.copy()
        ParameterValues.set_all(made, values)
        read_with = made.description.arguments
        if any(made.parameters[path].value != float(read_with[path.removeprefix(ARGUMENTS)]) for path in made.argument_paths):
            made._describe_anew()
        self.__dict__.update(made.__dict__)

    @property
    def argument_paths(self) -> tuple[str, ...]:
        """Paths of the description's arguments."""
        return tuple(path for path in self.parameters if path.startswith(ARGUMENTS))

    def _describe_anew(self) -> None:
        """Read the description with other arguments; what the program believes of the robot stays as the files have it."""
        self.description = self._read_description()
        self.surroundings = replace(self.surroundings, free=free_of(self.description, self.surroundings.scene))
        known = collect(self.file, self.description, self.program, self.surroundings.free)
        for path in self._bodies:
            if path not in known:
                raise InputError("was set, and with these arguments the description does not have it", path=path)
        self._read_anew()
        check_names(self)

    def scenario(self, name: str) -> ScenarioSpec:
        """The scenario of a name; one that is not there is an `InputError`."""
        if name not in self.scenarios:
            known = ", ".join(self.scenarios) or "none"
            raise InputError(f"{self.name} has no scenario {name!r}{nearest(name, self.scenarios)} (it has: {known})")
        return self.scenarios[name]

    def for_scenario(self, name: str | None, *, gains: bool = True) -> Self:
        """A copy with the program and the values that a scenario brings; what was set by hand before wins over both.

        Its `gains` are set unless another's program runs (`runs_anothers_program`), or unless that is not wanted.
        """
        made = self.copy() if name is None else self.with_program_of(name)
        for path in made._gains:
            whose = "the twin's program" if name is None else f"the program of the scenario {name!r}"
            raise InputError(f"{whose} has no such gain; it is one of another program of this twin", path=path)
        if name is not None:
            values = made.set_by_scenario(name, gains=gains)
            made.set_all({path: value for path, value in values.items() if path not in self.set_by_hand})
        return made

    def set_by_scenario(self, name: str, *, gains: bool = True) -> dict[str, float]:
        """The values that a scenario sets, by path: of the plant, and the gains of its program unless another's runs.

        To be asked of a twin that has the scenario's program (`with_program_of`).
        """
        about = self.file.scenarios[name]
        own = flatten(about.gains) if gains and not self.runs_anothers_program(name) else {}
        plant = [path for path in self.parameters if not path.startswith("control.")]
        return spread(about.set, plant) | spread({f"control.gains.{path}": value for path, value in own.items()}, self.parameters)

    def runs_anothers_program(self, scenario: str | None) -> bool:
        """Whether `replace_program` put a program that is not that of the file, nor derived from it, in its place."""
        if not self._program_by_hand:
            return False
        filed = self.as_filed if scenario is None else self.as_filed.with_program_of(scenario)
        return filed.program is None or self.program is None or not issubclass(self.program, filed.program)

    def with_program_of(self, name: str) -> Self:
        """A copy with program and allocation of a scenario, if it brings them; gains that were set before keep their values."""
        self.scenario(name)
        made = self.copy()
        about = self._raw["scenarios"][name]
        brought = {key: about[key] for key in ("control", "allocation") if about.get(key) is not None}
        if self._program_by_hand:
            brought.pop("control", None)
        if not brought:
            return made
        made._raw = {**self._raw, **brought}
        made.file = validate(made._raw, self._file, self._lines, self.code)
        if "control" in brought:
            made.program = made._find_program()
        check_gains(made)
        made._read_anew()
        return made

    def _read_anew(self) -> None:
        """The parameters of files that were read again, with the values that were set before; gains that are not there wait."""
        given = self._values | self._bodies | self._gains
        self._values, self._bodies, self._gains = {}, {}, {}
        self.parameters = collect(self.file, self.description, self.program, self.surroundings.free)
        known = {path: value for path, value in given.items() if path in self.parameters or path.startswith(SCENARIOS)}
        self.set_all(known)
        self._gains = {path: value for path, value in given.items() if path not in known}

    @property
    def gains_to_design(self) -> tuple[str, ...]:
        """Paths of the gains that its program finds from the robot's model, because nobody gives them."""
        if self.program is None or not self.program.designs or self.file.control is None or not self.description.floating:
            return ()
        given = flatten(self.file.control.gains)
        return tuple(path for path in self.program.designed if path not in given)

    def make_program(self) -> Controller | None:
        """A fresh control program with the twin's rate, options and gains; None where the twin has none."""
        control = self.file.control
        if control is None or self.program is None:
            return None
        made = self._create(self.program, control.options)
        made.rate = control.rate
        made.name_joints(driven_joints(self), self.folder)
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
        sensors: Mapping[str, Any] | None = None,
    ) -> None:
        """Be driven by another program: a shipped one, `MODULE:CLASS`, or `FILE.py:CLASS` relative to a folder.

        Without a folder, to the current one. It drives in every scenario, also where one brings a program. The gains of the
        program become parameters of the twin. `rate` [Hz], the program's own by default. `sensors` are laid over the twin's like
        those of a variant. Whoever names a program so means it: its code runs, whatever folder is trusted.
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
        rate = 1.0 / step if rate == math.inf else rate
        steps = 1.0 / (rate * step) if rate > 0.0 else 0.0
        if steps < 1.0 - 1e-9 or abs(steps - round(steps)) > 1e-6 * steps:
            expected = f"a rate whose period is a whole number of physics steps of {step:g} s"
            raise InputError(f"{name} asks for {rate:g} Hz, expected {expected}")
        before = self.copy()
        raw = copy.deepcopy(self._raw)
        raw["control"] = {"program": name, "rate": rate, "gains": dict(gains or {}), "options": dict(options or {})}
        if sensors:
            raw["sensors"] = overlaid(raw.get("sensors") or {}, dict(sensors), dict(self._lines), (), ("sensors",))
        try:
            self.file = validate(raw, self._file, self._lines, self.code)
        except InputError as error:  # nothing in the twin file is to blame
            raise InputError(f"{name} asks for {rate:g} Hz: {error.message}") from None
        if self._as_filed is None:
            self._as_filed = before
        self._raw, self.program, self._program_by_hand, self._gains = raw, program, True, {}
        self._brought = None
        self._replacement = {"name": name, "folder": folder, "rate": rate, "gains": gains, "options": options, "sensors": sensors}
        self._values = {path: value for path, value in self._values.items() if not path.startswith("control.")}
        self._read_anew()

    def summary(self) -> Summary:
        """Mass, centre of mass, inertia and the lists of what the twin is made of."""
        from didymos.describe.summary import summarize

        return summarize(self)

    def _read_description(self) -> Description:
        about = self.file.description
        path = self.folder / about.file
        if not is_file(path):
            what = "is a folder, expected a file" if is_folder(path) else "is not there"
            raise self.mistake(f"the file {about.file!r} {what}", "description", "file")
        for named, *place in ((about.file, "file"), *((value, "packages", key) for key, value in about.packages.items())):
            why = "" if self._trust else why_not_outside(named, self.folder)
            if why:
                raise self.mistake(why, "description", *place)
        file, here = self.description_file, [self.folder]
        found = read_description(
            path,
            arguments=file.arguments,
            packages=file.packages,
            folders=here,
            repair=about.repair,
            density=about.density,
            inertia_from_shapes=about.inertia == "from_shapes",
        )
        if about.collision == "with_visuals":
            found = collide_with_visuals(found)
        if about.no_collision:
            try:
                found = let_pass(found, about.no_collision)
            except InputError as error:
                raise self.mistake(error.message, "description", "no_collision") from None
        return float_base(found) if about.base == "floating" else found

    def _find_program(self) -> type[Controller] | None:
        if self.file.control is None:
            return None
        try:
            return self.code.find(PROGRAMS, self.file.control.program)
        except InputError as error:
            raise self.mistake(str(error), "control", "program") from None

    def __repr__(self) -> str:
        return f"Twin({self.name!r})"


def _model_maker(description: Description, file: TwinFile) -> Callable[[], RobotModel]:
    """What makes the model of a robot as its files describe it, once; copies of a twin share it."""

    @cache
    def make() -> RobotModel:
        from didymos.describe.robot_model import robot_model

        return robot_model(description, gravity=file.world.gravity, sensors=file.sensors)

    return make


def _argument(value: str | float | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else f"{value:.17g}" if isinstance(value, float) else str(value)
