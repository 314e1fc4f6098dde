"""numba's compiler with a memory: what a call of a builtin gives for given types is found out once, not at every place.

numba tries every form of `+` that it knows at every `+`, twice per function; that took a quarter of its time.
"""

from __future__ import annotations

from typing import Any

from numba import types
from numba.core.compiler import Compiler

__all__ = ["KernelCompiler"]

_PLAIN = (types.Number, types.Boolean, types.Literal, types.Array, types.Record, types.CPointer, types.BaseTuple, types.DType)
_MEMORIES: dict[str, dict[Any, Any]] = {}  # by the compiler's flags, which what it calls inherits


class _Remembering:
    """numba's typing context, which remembers the signatures of calls with plain values."""

    def __init__(self, context: Any, memory: dict[Any, Any]) -> None:
        self._context, self._memory = context, memory

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def resolve_function_type(self, func: Any, args: Any, kws: Any) -> Any:
        """The signature of a call, or None."""
        kernel = isinstance(func, types.Type) and not isinstance(func, types.Function)
        if kernel or kws or not all(isinstance(item, _PLAIN) for item in args):
            return self._context.resolve_function_type(func, args, kws)
        key = func, tuple(args)
        if key not in self._memory:
            signature = self._context.resolve_function_type(func, args, kws)
            if signature is None:
                return None
            self._memory[key] = signature
        return self._memory[key]


class KernelCompiler(Compiler):
    """The pipeline of one function."""

    def __init__(
        self, typingctx: Any, targetctx: Any, library: Any, args: Any, return_type: Any, flags: Any, locals: Any
    ) -> None:
        memory = _MEMORIES.setdefault(flags.summary(), {})
        super().__init__(_Remembering(typingctx, memory), targetctx, library, args, return_type, flags, locals)
