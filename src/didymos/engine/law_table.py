"""The laws of this process: where the compiled functions are that models name.

A model names a law by its identity (a digest of the kind's name, layouts and source) and by its index in this table; never by an
address, so that a model may be copied, pickled, loaded elsewhere. The table is one array of this process that compiled code
reaches through a function of one instruction, by name: cached code finds the table of whichever process it runs in.
"""

from __future__ import annotations

import hashlib
import threading
from typing import Any

import llvmlite.binding as llvm
import numpy as np
from numba import types

from didymos.compiled import CFunction, source_digest

__all__ = ["LAW", "MOST_LAWS", "identity", "index_of", "law_table", "register"]

LAW = np.dtype([("identity", np.int64), ("function", np.int64), ("tick", np.int64)])
"""A row: which law, the address of its function, that of its tick function or 0."""

MOST_LAWS = 4096

_TABLE = np.zeros(MOST_LAWS, dtype=LAW)
_INDICES: dict[int, int] = {}
_ENTERING = threading.Lock()
_KEPT: list[Any] = []  # compiled code lives as long as this process
_SYMBOL = "didymos_law_table"


def _publish() -> None:
    """Make the table's address known to compiled code, as a function without arguments."""
    llvm.initialize_native_target()  # as numba does with the first kernel, which may be yet to come
    llvm.initialize_native_asmprinter()
    module = llvm.parse_assembly(f"define i64 @{_SYMBOL}() {{ ret i64 {_TABLE.ctypes.data} }}")
    machine = llvm.Target.from_default_triple().create_target_machine()
    compiler = llvm.create_mcjit_compiler(module, machine)
    compiler.finalize_object()
    llvm.add_symbol(_SYMBOL, compiler.get_function_address(_SYMBOL))
    _KEPT.append(compiler)


_publish()

law_table = types.ExternalFunction(_SYMBOL, types.int64())
"""Address of the table, for compiled code."""


def identity(kind: type, function: CFunction) -> int:
    """A number that is the same for the same law in any process: of its name, its layouts and all the source it can see."""
    text = f"{kind.__module__.rpartition('.')[2]}:{kind.__qualname__} {function.signature} {source_digest(function.function)}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6], "little")


def register(kind: Any, function: CFunction, tick: CFunction | None = None) -> tuple[int, int]:
    """Identity and index of a law, entered into the table on first use."""
    own = identity(kind, function)
    if own not in _INDICES:
        addresses = function.address, 0 if tick is None else tick.address
        with _ENTERING:  # two threads may be at it
            if own not in _INDICES:
                index = len(_INDICES)
                if index == MOST_LAWS:
                    raise RuntimeError(f"this process has used {MOST_LAWS} laws; start a new one")
                _TABLE[index] = own, *addresses
                _KEPT.append(kind)
                _INDICES[own] = index
    return own, _INDICES[own]


def index_of(own: int) -> int | None:
    """Index of a law by its identity, None where this process does not know it."""
    return _INDICES.get(own)
