"""The child process that expands one xacro file: reads a request (JSON) on stdin, writes an answer (JSON) on stdout.

It imports nothing of Didymos, so that it starts fast. A package that is not in the request is named in the answer.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
from importlib import import_module
from types import ModuleType
from typing import Any

_MEMORY = 2 * 2**30  # [bytes]
_LARGEST_ANSWER = 64 * 2**20  # [characters]


class _UnknownPackage(BaseException):
    """The file names a package whose folder was not given."""


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


class _LateYaml(ModuleType):
    """PyYAML, imported at the first look into it: few files load YAML, and it takes longer than xacro to import."""

    def __getattr__(self, name: str) -> Any:
        if sys.modules.get("yaml") is self:
            del sys.modules["yaml"]
        return getattr(import_module("yaml"), name)


def main() -> None:
    """Answer one request."""
    request = json.load(sys.stdin)
    try:
        import resource
    except ImportError:
        answer = {"error": "it is a program, and only a Unix system can bound its memory", "file": request["file"]}
        json.dump(answer, sys.stdout)
        return
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    chatter = io.StringIO()
    with contextlib.redirect_stdout(chatter), contextlib.redirect_stderr(chatter):
        answer = _expand(request["file"], _Arguments(request["arguments"]), request["packages"])
    json.dump(answer, sys.stdout)


def _expand(file: str, arguments: _Arguments, packages: dict[str, str]) -> dict[str, Any]:
    sys.modules["yaml"] = _LateYaml("yaml")
    import xacro
    from xacro import substitution_args

    def find(name: str) -> str:
        if name not in packages:
            raise _UnknownPackage(name)
        return packages[name]

    def absolute(name: str, original: Any = xacro.abs_filename_spec) -> str:
        package, _, rest = name.removeprefix("package://").partition("/")
        return f"{find(package)}/{rest}" if name.startswith("package://") else str(original(name))

    # The way of xacrodoc: xacro itself asks an installation of ROS, which need not be here.
    substitution_args._eval_find = substitution_args._eval_dict["find"] = find
    xacro.abs_filename_spec = absolute
    try:
        xml = xacro.process_file(file, mappings=arguments).toxml()
    except _UnknownPackage as error:
        return {"package": str(error), "file": _current_file(xacro)}
    except RecursionError:
        return {"error": "its includes, macros or properties call each other without end", "file": _current_file(xacro)}
    except MemoryError:
        return {"error": "it needs more than 2 GiB of memory", "file": _current_file(xacro)}
    except BaseException as error:  # it evaluates Python, which may raise anything, SystemExit included
        text = " ".join(str(error).split())[:400] or type(error).__name__
        return {"error": text, "file": _current_file(xacro)}
    if len(xml) > _LARGEST_ANSWER:
        return {"error": f"it expands to {len(xml)} characters, expected at most {_LARGEST_ANSWER}", "file": file}
    return {"xml": xml, "unused": sorted(arguments.given - arguments.looked_up), "arguments": sorted(arguments)}


def _current_file(xacro: Any) -> str:
    """The file in which xacro stopped; its stack is left as it was by the error."""
    return str((xacro.filestack or [""])[-1])


if __name__ == "__main__":
    main()
