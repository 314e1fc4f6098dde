"""xacro with its doors closed: the parts of it that run code or open files, replaced (see `xacro_child`).

What xacro calls by the name of a function of its module is set here to ours; its handling of macros, properties, blocks and
conditions is its own, so that a file expands to the same text. Runs in the child process only: it changes xacro for good.
"""

from __future__ import annotations

import glob
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.dom import minidom

import xacro
from xacro import substitution_args

from didymos.describe.formats.kept_expansions import digest
from didymos.describe.formats.packages import Packages
from didymos.describe.formats.xacro_bounds import ExpressionError
from didymos.describe.formats.xacro_expression import Evaluator
from didymos.describe.formats.xacro_functions import Function, Types, global_functions
from didymos.describe.formats.xml_file import parse_xml, read_bytes
from didymos.errors import InputError

__all__ = ["Expander"]

_MOST_ELEMENTS = 50_000
_MOST_FILES = 1000
_ENVIRONMENT = "env:"  # the arguments that stand for variables of the environment


class _Refused(BaseException):
    """Something that the file may not do; no handler of xacro's catches it."""


class _Missing(xacro.XacroException):
    """A file that is not there; xacro passes over it where the include is optional."""

    def __str__(self) -> str:
        return str(self.exc.strerror)


class _Arguments(dict[str, str]):
    """The arguments of the file; remembers which ones it looked up."""

    def __init__(self, given: dict[str, str]) -> None:
        super().__init__(given)
        self.given, self.looked_up = set(given), set[str]()

    def __contains__(self, name: object) -> bool:
        self.looked_up.add(str(name))
        return super().__contains__(name)

    def __getitem__(self, name: str) -> str:
        self.looked_up.add(name)
        return super().__getitem__(name)


class Expander:
    """Expands one file.

    `arguments` are the file's own, those called ``env:NAME`` its environment; `packages` and `folders` say what it may read;
    `environment` names the variables that are set outside, which it does not see.
    """

    def __init__(
        self, file: Path, arguments: dict[str, str], packages: dict[str, Path], folders: list[Path], environment: set[str]
    ) -> None:
        self._file, self._environment = file, environment
        self._variables = {key[len(_ENVIRONMENT) :]: text for key, text in arguments.items() if key.startswith(_ENVIRONMENT)}
        self._arguments = _Arguments({key: text for key, text in arguments.items() if not key.startswith(_ENVIRONMENT)})
        self._packages = Packages(file, packages, folders)
        self._evaluator = Evaluator(Types(xacro.NameSpace, xacro.YamlDictWrapper))
        self._elements = self._files = 0
        self._read: dict[str, list[Any]] | None = {}  # by name what a file was; None once it looked at more than files
        self._notes: list[str] = []
        self._read_variables: set[str] = set()

    def answer(self) -> dict[str, Any]:
        """The answer to the request: `xml`, or `error` and the file in which it is."""
        self._close_doors()
        try:
            xml = xacro.process_file(str(self._file), mappings=self._arguments).toxml()
        except (_Refused, InputError) as error:
            return {"error": str(error), "file": self._current_file()}
        except RecursionError:
            return {"error": "its includes, macros or properties call each other without end", "file": self._current_file()}
        except MemoryError:
            return {"error": "it needs more than 2 GiB of memory", "file": self._current_file()}
        except Exception as error:  # xacro raises whatever its parsers and our operators do
            text = " ".join(str(error).split())[:400] or type(error).__name__
            macro = getattr(error, "macro", None) or next(iter((xacro.macrostack or [])[-1:]), None)
            where = f" in the macro {macro.body.getAttribute('name')!r}" if macro is not None else ""
            return {"error": text + where, "file": self._current_file()}
        unused = self._arguments.given - self._arguments.looked_up
        unread = {_ENVIRONMENT + name for name in self._variables.keys() - self._read_variables}
        used = {name: str(value) for name, value in sorted(self._arguments.items())}
        about = {"unused": sorted(unused | unread), "arguments": used, "notes": self._notes}
        return {"xml": xml, **about, "files": self._read}

    def _current_file(self) -> str:
        """The file in which xacro stopped; its stack is left as it was by the error."""
        return str((xacro.filestack or [""])[-1])

    def _close_doors(self) -> None:
        xacro.safe_eval = lambda text, names, _locals=None: self._evaluator.evaluate(text, names)
        xacro._global_symbols = self.global_names()
        xacro.parse, xacro.load_yaml, xacro.abs_filename_spec = self._parse, self._load_yaml, self._absolute
        xacro.get_include_files = self._included_files
        xacro.eval_all = self._counted(xacro.eval_all)
        xacro.eval_extension = self._extension
        substitution_args._eval = self._evaluated_extension
        substitution_args._eval_env, substitution_args._eval_optenv = self._variable, self._optional_variable
        substitution_args._eval_find = self._find

    def global_names(self) -> dict[str, Any]:
        """The names that every expression knows: those that xacro documents, each with a function of ours behind it."""
        direct, python, maths = global_functions()
        own = {
            "load_yaml": Function("load_yaml", self._load_yaml),
            "abs_filename": Function("abs_filename", self._absolute),
            "dotify": Function("dotify", xacro.YamlDictWrapper),
            "arg": Function("arg", lambda name: self._arguments[name]),
            "tokenize": Function("tokenize", _tokens),
            "fatal": Function("fatal", _fatal),
        }
        for name in ("message", "warning", "error", "print_location"):
            own[name] = Function(name, lambda *_texts, **_options: "")
        names = dict(direct)
        names |= {name: own[name] for name in ("load_yaml", "abs_filename", "dotify")}
        for name, members in (("python", python), ("math", maths), ("xacro", own)):
            names[name] = xacro.NameSpace()
            dict.update(names[name], members)
        return names

    def _counted(self, evaluate: Callable[..., None]) -> Callable[..., None]:
        def counting(node: Any, macros: Any, symbols: Any) -> None:
            self._elements += 1
            if self._elements > _MOST_ELEMENTS:
                raise _Refused(f"it expands to more than {_MOST_ELEMENTS} elements")
            evaluate(node, macros, symbols)

        return counting

    def _extension(self, text: str) -> Any:
        """``$(...)``: arguments, packages, the environment."""
        if text == "$(cwd)":
            self._read = None
            return str(Path.cwd())
        try:
            return substitution_args.resolve_args(text, context=xacro.substitution_args_context)
        except substitution_args.ArgException as error:
            raise xacro.XacroException(f"the argument {error} is not defined") from None
        except Exception as error:
            raise xacro.XacroException(f"{error} in {text!r}") from None

    def _evaluated_extension(self, text: str, context: dict[str, Any]) -> str:
        """``$(eval ...)``: the functions of roslaunch, and the arguments by their names."""
        functions: dict[str, Any] = {
            "true": True, "false": False,
            "arg": Function("arg", lambda name: _converted(context["arg"][name])),
            "env": Function("env", self._variable), "optenv": Function("optenv", self._optional_variable),
            "find": Function("find", self._find), "dirname": Function("dirname", self._folder),
        }  # fmt: skip
        direct, _, _ = global_functions()
        return str(self._evaluator.evaluate(text, _WithArguments(functions | direct, context["arg"])))

    def _folder(self) -> str:
        return str(Path(self._current_file()).parent)

    def _variable(self, name: str) -> str:
        self._read_variables.add(name)
        if name not in self._variables:
            how = f"give it as an argument: `arg` {_ENVIRONMENT}{name}=VALUE"
            raise _Refused(f"it reads the environment variable {name!r}, which a description does not see; {how}")
        return self._variables[name]

    def _optional_variable(self, name: str, default: str = "") -> str:
        self._read_variables.add(name)
        if name not in self._variables and name in self._environment:
            how = f"to use it, give it as an argument: `arg` {_ENVIRONMENT}{name}=VALUE"
            self._notes.append(f"the environment variable {name!r} is set, but a description does not see it; {how}")
        return self._variables.get(name, default)

    def _find(self, name: str) -> str:
        self._read = None
        try:
            return str(self._packages.find(name, Path(self._current_file())))
        except (InputError, OSError, ValueError) as error:
            raise _Refused(getattr(error, "message", f"{name!r} is not the name of a package")) from None

    def _absolute(self, name: str) -> str:
        """The path that a name means: in its package, or beside the file that names it."""
        if not isinstance(name, str):
            raise ExpressionError(f"a file is named by a {type(name).__name__}, expected a text")
        package, _, rest = name.removeprefix("package://").partition("/")
        if name.startswith("package://"):
            return f"{self._find(package)}/{rest}"
        return str(Path(self._current_file()).parent / name.removeprefix("file://"))

    def _readable(self, name: str) -> Path:
        """The file of a name, inside the boundary and a plain file."""
        self._files += 1
        if self._files > _MOST_FILES:
            raise _Refused(f"it reads more than {_MOST_FILES} files")
        try:
            file = self._packages.allowed(Path(name))
            if file.exists() and not file.is_file():
                raise _Refused(f"{name!r} is not a file")
        except InputError as error:
            raise _Refused(f"{name!r} means {error.message}") from None
        except (OSError, ValueError, RuntimeError):  # a NUL, an endless name, a link to itself
            raise _Refused(f"{name[-200:]!r} is not the name of a file") from None
        return file

    def _known(self, name: str, file: Path) -> bytes:
        """The bytes behind the name of a file; the answer tells what they were."""
        data = read_bytes(file)
        if self._read is not None:
            self._read[name] = digest(data)
        return data

    def _included_files(self, spec: str, symbols: Any) -> Any:
        path = self._absolute(str(xacro.eval_text(spec, symbols)))
        if not re.search("[*[?]+", path):
            yield path
            return
        self._read = None
        self._readable(re.split("[*[?]", path)[0])  # so that a pattern cannot ask what stands elsewhere
        yield from sorted(glob.glob(path))

    def _parse(self, text: Any, filename: str | None = None) -> minidom.Document:
        """The document in a file; entities are refused as they are in plain descriptions."""
        assert text is None
        assert filename is not None
        file = self._readable(filename)
        if not file.exists():
            self._read = None
            xacro.filestack.pop()
            raise _Missing(exc=FileNotFoundError(2, f"there is no file {filename!r}"))
        data = self._known(filename, file)
        parse_xml(data, file)
        return minidom.parseString(data)

    def _load_yaml(self, name: str) -> Any:
        from didymos.describe.formats.xacro_yaml import read_yaml_data

        name = self._absolute(name)
        file = self._readable(name)
        if not file.exists():
            raise ExpressionError(f"there is no file {name!r}")
        xacro.filestack.append(name)
        self._known(name, file)
        data = read_yaml_data(file, lambda text: self._evaluator.evaluate(text, xacro._global_symbols))
        xacro.filestack.pop()
        return xacro.YamlListWrapper.wrap(data)


class _WithArguments:
    """The names of ``$(eval ...)``: functions first, then the arguments of the file."""

    def __init__(self, functions: dict[str, Any], arguments: dict[str, str]) -> None:
        self._functions, self._arguments = functions, arguments

    def __getitem__(self, name: str) -> Any:
        return self._functions[name] if name in self._functions else _converted(self._arguments[name])


def _converted(text: str) -> Any:
    return substitution_args.convert_value(text, "auto")


def _tokens(text: str, sep: str = ",; ", skip_empty: bool = True) -> list[str]:
    if any(sign in sep for sign in "\\]^") or "-" in sep[1:-1]:
        raise ExpressionError(f"tokenize() at {sep!r} is not allowed, expected plain characters")
    parts = re.split(f"[{re.escape(sep)}]", text)
    return [part for part in parts if part] if skip_empty else parts


def _fatal(*texts: Any) -> None:
    raise xacro.XacroException(" ".join(map(str, texts)))
