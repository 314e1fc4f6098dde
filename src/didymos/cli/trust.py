"""`didymos trust`: allow the code of a twin folder to run, see what is allowed, and take it back."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from didymos.cli.options import AsJson
from didymos.cli.text import print_json, print_table
from didymos.errors import InputError

if TYPE_CHECKING:
    from didymos.describe.code import NamedCode
    from didymos.describe.trust import NotTrusted

__all__ = ["ask", "trust"]


def trust(
    folder: Annotated[Path | None, typer.Argument(metavar="[FOLDER]", help="A twin folder, or its twin.yaml.")] = None,
    forget: Annotated[bool, typer.Option("--forget", help="Trust it no longer.")] = False,
    only_list: Annotated[bool, typer.Option("--list", help="List the trusted folders.")] = False,
    as_json: AsJson = False,
) -> int:
    """Allow the code of a twin folder to run.

    A twin may name code of its own: a force law, a sensor, a control program. It runs in a trusted folder only, also after it
    has changed; `show` and `check` never run it.
    """
    if (folder is None) != only_list or (forget and only_list):
        raise InputError("expected either a folder or --list", path="trust")
    if folder is None:
        return _list(as_json)
    return _forget(folder, as_json) if forget else _trust(folder, as_json)


def ask(refusal: NotTrusted) -> bool:
    """Whether the person at the terminal trusts a folder now; no where there is none. A yes is remembered."""
    if not (sys.stdin is not None and sys.stdin.isatty() and sys.stderr is not None and sys.stderr.isatty()):
        return False
    from didymos.describe.trust import remember

    print(f"didymos: {refusal.file} names code that would run on this machine:", file=sys.stderr)
    for item in refusal.code:
        print(f"  {item.name}  ({'.'.join(item.place)})", file=sys.stderr)
    print(f"Do you trust {refusal.folder.resolve()}, from now on? [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        return False
    remember(refusal.folder)
    return True


def _trust(folder: Path, as_json: bool) -> int:
    from didymos.describe.trust import remember

    folder, code = _look(folder)
    remember(folder)
    if as_json:
        named = [{"name": item.name, "place": ".".join(item.place)} for item in code]
        print_json({"folder": folder, "trusted": True, "code": named, "warnings": _warnings(folder)})
        return 0
    print(f"{folder} is trusted: run, fit, sweep, serve, cockpit and the like may run its code, also after it has changed")
    print_table([(item.name, ".".join(item.place)) for item in code] or [("it names none yet", "")])
    for warning in _warnings(folder):
        print(f"didymos: {warning}", file=sys.stderr)
    return 0


def _look(folder: Path) -> tuple[Path, tuple[NamedCode, ...]]:
    """The folder of a twin and all the code that its file names; nothing of it runs."""
    from didymos.describe.code import code_of_variants, named_code
    from didymos.describe.twin import find_twin
    from didymos.describe.yaml_file import read_yaml

    file = find_twin(folder)
    raw, _ = read_yaml(file)
    return file.parent.resolve(), named_code(raw) + code_of_variants(raw)


def _warnings(folder: Path) -> list[str]:
    """Who else can change what is trusted."""
    import os

    about = folder.stat()
    found = []
    if hasattr(os, "getuid") and about.st_uid not in (os.getuid(), 0):
        found.append(f"WARNING: {folder} belongs to user {_name_of(about.st_uid)}, who can change its code")
    if about.st_mode & 0o022:
        found.append(f"WARNING: others can write to {folder} and so change its code: chmod go-w takes that away")
    return found


def _name_of(user: int) -> str:
    try:
        import pwd

        return pwd.getpwuid(user).pw_name
    except (ImportError, KeyError):
        return str(user)


def _forget(folder: Path, as_json: bool) -> int:
    from didymos.describe.trust import forget

    where = folder.parent if folder.name == "twin.yaml" else folder
    known = forget(where)
    if as_json:
        print_json({"folder": where.resolve(), "trusted": False, "was_trusted": known})
    else:
        print(f"{where.resolve()} is trusted no longer" if known else f"{where.resolve()} was not trusted")
    return 0


def _list(as_json: bool) -> int:
    from didymos.describe.trust import is_trusted, trusted_folders

    folders: list[dict[str, Any]] = [
        {"folder": path, "owner": owner, "there": is_trusted(Path(path))} for path, owner in trusted_folders().items()
    ]
    if as_json:
        print_json({"folders": folders})
        return 0
    rows = [(item["folder"], _name_of(item["owner"]), "" if item["there"] else "gone, or another's now") for item in folders]
    print_table(rows or [("no folder is trusted", "", "")])
    return 0
