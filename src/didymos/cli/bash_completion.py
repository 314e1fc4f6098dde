"""The script by which bash completes: Typer's, but that a path which goes on is followed by no space.

`links.` is not the end of a word, nor is `links.body_FLU.mass=`: what is typed next belongs to it.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["mend_bash_script"]

_END = "    return 0\n"
_NO_SPACE = "    [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[.=:] ]] && compopt -o nospace\n"


def mend_bash_script(arguments: Sequence[str]) -> None:
    """Mend what `--install-completion` and `--show-completion` are about to write; nothing where none of them is asked for."""
    if not any(argument.endswith("-completion") for argument in arguments[:1]):
        return
    from typer import _completion_shared

    scripts: dict[str, str] = getattr(_completion_shared, "_completion_scripts", {})
    script = scripts.get("bash", "")
    if _NO_SPACE not in script:
        scripts["bash"] = script.replace(_END, _NO_SPACE + _END, 1)
