"""The child process that expands one xacro file: reads a request (JSON) on stdin, writes an answer (JSON) on stdout.

xacro does what it always does, macros, properties, conditions, includes, but for what reaches beyond the file: expressions go
to our own evaluator instead of Python's `eval`, every file that is opened must stand inside the description's boundary, YAML is
bounded, the environment is not seen. That is the first wall. The process itself is the second: bounded time and memory, no file
to write, no process to start, few files open, nothing of the user's environment.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
from pathlib import Path

__all__ = ["main"]

_MEMORY = 2 * 2**30  # [bytes]
_SECONDS = 15  # of the processor
_FILES = 32  # open at a time
_LARGEST_ANSWER = 64 * 2**20  # [characters]


def main() -> None:
    """Answer one request."""
    request = json.load(sys.stdin)
    from didymos.describe.formats.child_limits import limit_this_process
    from didymos.describe.formats.xacro_expander import Expander

    if not limit_this_process(memory=_MEMORY, files=_FILES, seconds=_SECONDS):
        answer = {"error": "it is a program, and only a Unix system can bound its memory", "file": request["file"]}
        json.dump(answer, sys.stdout)
        return
    chatter = io.StringIO()
    with contextlib.redirect_stdout(chatter), contextlib.redirect_stderr(chatter):
        expander = Expander(
            Path(request["file"]),
            request["arguments"],
            {name: Path(folder) for name, folder in request["packages"].items()},
            [Path(folder) for folder in request["folders"]],
            set(request["environment"]),
        )
        answer = expander.answer()
    if len(answer.get("xml", "")) > _LARGEST_ANSWER:
        size = len(answer["xml"])
        answer = {"error": f"it expands to {size} characters, expected at most {_LARGEST_ANSWER}", "file": request["file"]}
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main()
