"""Do something with a stranger's file in a child process with bounded time and memory, and say what came of it."""

from __future__ import annotations

import json
import os
import resource
import signal
from collections.abc import Callable
from typing import Any

__all__ = ["in_child"]

PATIENCE = 180  # [s] of the processor, and four times as much on the clock
MEMORY = 8 * 2**30  # [bytes]


def in_child(examine: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """What a function answers in a child; whatever else becomes of the child is the verdict "fails", and why."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _be_bounded()
        try:
            answer = examine()
        except MemoryError:
            answer = {"verdict": "fails", "why": "more memory than 8 GiB"}
        except BaseException as error:  # a defect of ours, which the page has to show
            answer = {"verdict": "fails", "why": f"{type(error).__name__}: {error}"}
        os.write(writer, json.dumps(answer).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        said = pipe.read()
    _, status = os.waitpid(child, 0)
    return dict(json.loads(said)) if said else {"verdict": "fails", "why": f"ended by signal {status & 127}"}


def _be_bounded() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (PATIENCE, PATIENCE))
    signal.alarm(4 * PATIENCE)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
