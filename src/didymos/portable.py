"""The same bytes on every x86-64 machine: code that asks which processor it runs on is given no choice.

A run is deterministic wherever the same code runs. Four libraries choose their code by the processor's features, and a fused
multiply-add (FMA) rounds once where two instructions round twice:

    libm of glibc   sin, exp, pow, ... have variants with FMA and AVX2; `GLIBC_TUNABLES` takes those features away, at exec only
    numba           compiles for the processor at hand; `NUMBA_CPU_NAME=generic` for any x86-64
    numpy           loops of its own per feature; `NPY_DISABLE_CPU_FEATURES`
    OpenBLAS        kernels per processor, sums per thread; `OPENBLAS_CORETYPE`, `OPENBLAS_NUM_THREADS`

The engine's wheel is compiled once, with AVX and without FMA, and looks at no feature: it needs AVX, and gives the same bits
wherever that is. What remains is glibc itself, whose functions change with its versions: `mode` names it. Measured: see
docs/simulate.md.

All four read the environment when they are loaded, so portable is a property of a process from its start: the command
starts itself anew, `python -m didymos.portable SCRIPT.py` starts a script so.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from didymos.errors import InputError

__all__ = ["WISH", "check_portable", "is_portable", "mode", "portable_environment", "restart_portable", "wishes_portable"]

WISH = "DIDYMOS_PORTABLE"
"""The variable by which an environment asks for it: 1."""

_TUNABLES, _HWCAPS = "GLIBC_TUNABLES", "glibc.cpu.hwcaps"
_LIBM = ("AVX2", "FMA", "FMA4", "AVX2_Usable", "FMA_Usable", "FMA4_Usable")  # the latter as glibc before 2.33 calls them
_NUMPY = ("X86_V3", "X86_V4", "AVX2", "FMA3", "AVX512F", "AVX512CD", "AVX512_SKX", "AVX512_CLX", "AVX512_CNL", "AVX512_ICL",
          "AVX512_SPR")  # fmt: skip  # before 2.4 it dispatched by single features
_FIXED = {
    WISH: "1",
    "NUMBA_CPU_NAME": "generic",
    "NUMBA_CPU_FEATURES": "",
    "NPY_DISABLE_CPU_FEATURES": " ".join(_NUMPY),
    "OPENBLAS_CORETYPE": "Nehalem",  # the last without AVX, whose kernels every machine can run
    "OPENBLAS_NUM_THREADS": "1",
}
_CONTRARY = ("NPY_ENABLE_CPU_FEATURES",)
_CAPS = f"{_HWCAPS}={','.join('-' + name for name in _LIBM)}"


def portable_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """An environment in which a process computes the same bytes anywhere; what else it says stays, other tunables too."""
    others = [item for item in environment.get(_TUNABLES, "").split(":") if item and not item.startswith(f"{_HWCAPS}=")]
    kept = {name: value for name, value in environment.items() if name not in _CONTRARY}
    return {**kept, **_FIXED, _TUNABLES: ":".join([_CAPS, *others])}


@cache
def is_portable() -> bool:
    """Whether this process was started so; what was put into the environment after its start came too late."""
    try:
        items = os.fsdecode(Path("/proc/self/environ").read_bytes()).split("\0")
    except OSError:
        return False
    # glibc ends each tunable with a zero where there was a colon: those after the first stand alone
    tunables = [part for item in items for part in item.removeprefix(f"{_TUNABLES}=").split(":")]
    caps = [part for part in tunables if part.startswith(f"{_HWCAPS}=")]
    fixed = all(f"{name}={value}" in items for name, value in _FIXED.items())
    return _is_here() and fixed and caps == [_CAPS] and not any(item.startswith(_CONTRARY) for item in items)


def _is_here() -> bool:
    """Whether this machine is one of those that give the same bytes."""
    return sys.platform == "linux" and platform.machine() == "x86_64" and platform.libc_ver()[0] == "glibc"


def wishes_portable() -> bool:
    """Whether the environment asks for it."""
    return os.environ.get(WISH, "") not in ("", "0")


def check_portable(asked: bool = False) -> None:
    """An `InputError` where it is asked for, here or by the environment, and this process is not so: it could not hold it."""
    if (asked or wishes_portable()) and not is_portable():
        _refuse_elsewhere()
        raise InputError(
            "the same bytes on every machine are a matter of a process's start: python -m didymos.portable SCRIPT.py",
            path=None if asked else WISH,
            option="portable" if asked else None,
        )


def _refuse_elsewhere() -> None:
    if not _is_here():
        here = f"{platform.system()} on {platform.machine()}"
        raise InputError(f"the same bytes on every machine are for Linux on x86-64 with glibc; this is {here}", option="portable")


def restart_portable(command: list[str]) -> None:
    """Put a command, portable from its start, in the place of this process; nothing happens where it already is."""
    if is_portable():
        return
    _refuse_elsewhere()
    if portable_environment(os.environ) == dict(os.environ):
        raise InputError("this process was told to be so and is not: /proc cannot be read", option="portable")
    sys.stdout.flush()
    sys.stderr.flush()
    os.execve(command[0], command, portable_environment(os.environ))


def mode() -> str:
    """How a run was computed. Portable digests compare where it is the same; a native one names the processor alone."""
    libc = "-".join(platform.libc_ver()) or platform.system()
    if is_portable():
        return f"portable {platform.machine()} {libc}"
    from llvmlite import binding

    return f"native {binding.get_host_cpu_name()} {libc}"


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: python -m didymos.portable SCRIPT.py [ARGUMENT...]")
    try:
        if is_portable():
            os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
        restart_portable([sys.executable, *sys.argv[1:]])
    except InputError as error:
        sys.exit(f"didymos: {error}")
