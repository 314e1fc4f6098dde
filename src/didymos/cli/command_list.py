"""The list of commands in `didymos --help`: what each does in a whole sentence, where Typer cuts it off at the line's end."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup

__all__ = ["Commands"]

_WHOLE = 1000  # characters of a sentence


class Commands(TyperGroup):
    """The verbs; a sentence that is longer than its line goes on below."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the section of commands, as Typer's group does it."""
        found = ((name, self.get_command(ctx, name)) for name in self.list_commands(ctx))
        rows = [(name, verb.get_short_help_str(_WHOLE)) for name, verb in found if verb is not None and not verb.hidden]
        with formatter.section("Commands"):
            formatter.write_dl(rows)
