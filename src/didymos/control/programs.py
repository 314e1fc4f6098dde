"""The control programs by name, among them policies by the name of their file.

    hover.npz, hover.onnx       a policy: numbers of a network (`policy_file.py`), which run no code of their own

`program: policy` with `options: {file: hover.npz}` says the same in a twin file (`describe/fmu_kind.py`).
"""

from __future__ import annotations

from pathlib import Path

from didymos.control.controller import Controller
from didymos.control.policy_file import is_policy, read_policy
from didymos.errors import InputError
from didymos.kinds import Kinds

__all__ = ["Programs"]


class Programs(Kinds[type[Controller]]):
    """The kinds of control programs."""

    def load(self, name: str, folder: Path) -> type[Controller]:
        """The program of a name, of a reference or of a policy's file below a folder; that code runs, a policy has none."""
        return self.load_policy(folder / name) if is_policy(name) else super().load(name, folder)

    def load_policy(self, file: Path) -> type[Controller]:
        """The program that the policy of a file is."""
        from didymos.control.compiled_controller import CompiledController
        from didymos.control.policy_program import policy_program

        policy = read_policy(file)
        if policy.program is None:
            return policy_program(policy, str(file), None)
        name = policy.program.get("program")
        if not isinstance(name, str) or name not in self:
            what = f"commands set-points of the program {name!r}, which neither comes with Didymos nor is installed"
            raise InputError(what, file=file)
        commanded = self[name]
        if not issubclass(commanded, CompiledController) or not commanded.runs_compiled():
            raise InputError(f"commands set-points of the program {name!r}, which is not compiled", file=file)
        return policy_program(policy, str(file), commanded)
