"""Compiled functions and their cache."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Barrier, Thread
from typing import Any, cast

import pytest
from numba import types
from numba.core.compiler_lock import global_compiler_lock

import didymos
from didymos.compiled import c_function, kernel
from didymos.engine import law_table
from didymos.engine.law_table import register
from didymos.errors import InputError
from didymos.kernel_cache import KernelCache

SRC = Path(didymos.__file__).parent.parent


def _double(value: float) -> float:
    return 2.0 * value


LAW = """
from numba import types
from didymos.compiled import DOUBLES, c_function

@c_function(types.void(DOUBLES))
def law(value):
    value[0] = {factor} * value[0]
"""
CALL = """
import ctypes, runpy, sys
law = runpy.run_path(sys.argv[1])["law"]  # its module is gone by now
value = (ctypes.c_double * 1)(2.0)
ctypes.CFUNCTYPE(None, ctypes.c_void_p)(law.address)(ctypes.addressof(value))
print(value[0])
"""


def test_a_law_whose_module_is_gone_compiles_again_in_every_process(tmp_path: Path, run_python: Any) -> None:
    file = tmp_path / "law.py"
    file.write_text(LAW.format(factor=3.0))
    for _ in range(2):
        done = run_python(CALL, str(file))
        assert done.returncode == 0, done.stderr
        assert float(done.stdout) == 6.0


PRODUCT = """
import numpy as np
from didymos.compiled import kernel

@kernel
def product(a, b):
    return a @ b
"""
MULTIPLY = """
import sys
sys.path.insert(0, sys.argv[1])
from product import product
import numpy as np
a = np.array([[1.0, 2.0], [3.0, 4.0]])
before = "scipy.linalg" in sys.modules
print(*product(a, a).ravel(), before, sum(product.stats.cache_hits.values()))
"""


def test_scipy_is_imported_by_kernels_that_multiply_matrices_and_by_no_other(tmp_path: Path, run_python: Any) -> None:
    (tmp_path / "product.py").write_text(PRODUCT)
    for times_from_cache in ("0", "1"):
        done = run_python(MULTIPLY, str(tmp_path))
        assert done.stdout.split() == ["7.0", "10.0", "15.0", "22.0", "False", times_from_cache], done.stderr


def test_the_table_of_laws_can_be_imported_before_any_kernel(run_python: Any) -> None:
    done = run_python("from didymos.engine.law_table import MOST_LAWS; print(MOST_LAWS)")
    assert done.stdout.split() == ["4096"], done.stderr


def test_a_change_in_an_imported_file_is_seen(tmp_path: Path, run_python: Any) -> None:
    code = """
import sys
from pathlib import Path
from didymos import compiled
inner = Path(sys.argv[1]) / "inner.py"
outer = Path(sys.argv[1]) / "outer.py"
inner.write_text("x = 1")
outer.write_text("from didymos.inner import x")
compiled._ROOT = Path(sys.argv[1])
before = compiled._digest(outer)
for cached in (compiled._digest, compiled._content, compiled._imported):
    cached.cache_clear()
inner.write_text("x = 2")
print(before != compiled._digest(outer))
"""
    done = run_python(code, str(tmp_path))
    assert done.stdout.strip() == "True", done.stderr


PART = """from didymos.contract import output, parameter
from didymos.parts.part import Part, law


class Canopy(Part):
    area = parameter(1.0)
    drag = output()

    @law
    def act(part, here, inputs, memory, state, rate, wrench, output):
        output.drag = {value}
"""
WRONG = {
    "a number of no record": ("2.0 * part.aera", "none of its records has 'aera', did you mean 'area'?"),
    "an unknown name": ("undefined", "NameError: name 'undefined' is not defined"),
    "a text": ("'much'", "much"),
}


@pytest.mark.parametrize(("value", "said"), WRONG.values(), ids=WRONG.keys())
def test_a_law_that_cannot_be_compiled_is_named_with_its_file_and_why(tmp_path: Path, value: str, said: str) -> None:
    file = tmp_path / "canopy.py"
    file.write_text(PART.format(value=value))
    spec = importlib.util.spec_from_file_location("canopy_of_a_test", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with pytest.raises(InputError) as error:
        _ = module.Canopy.law.address
    assert "Canopy.act cannot be compiled: " in str(error.value)
    assert said in str(error.value)
    assert error.value.file == str(file)
    assert error.value.line in (9, 11)
    assert "\x1b" not in str(error.value)


KERNELS = """
from didymos.compiled import kernel

@kernel
def inner(x: float) -> float:
    return 2.0 * x

@kernel
def outer(x: float) -> float:
    return inner(x) + 1.0
"""
IMPORT = """
import os, sys
os.environ["DIDYMOS_CACHE"] = sys.argv[1]
sys.path.insert(0, sys.argv[1])
import kernels_of_a_test as kernels
"""


def test_a_kernel_is_made_callable_for_python_only_where_python_calls_it(tmp_path: Path, run_python: Any) -> None:
    (tmp_path / "kernels_of_a_test.py").write_text(KERNELS)
    code = """
print(kernels.outer(2.0), len(kernels.inner.overloads), len(kernels.inner.linked.overloads))
print(kernels.inner(2.0), len(kernels.inner.overloads), kernels.inner.py_func(2.0))
"""
    done = run_python(IMPORT + code, str(tmp_path))
    assert done.stdout.split() == ["5.0", "0", "1", "4.0", "1", "4.0"], done.stderr


def test_a_pickled_kernel_is_callable_and_can_be_linked_elsewhere(tmp_path: Path, run_python: Any) -> None:
    (tmp_path / "kernels_of_a_test.py").write_text(KERNELS)
    code = """
import pickle
again = pickle.loads(pickle.dumps(kernels.outer))
print(again(2.0))
"""
    done = run_python(IMPORT + code, str(tmp_path))
    assert float(done.stdout) == 5.0, done.stderr


def test_the_search_for_garbage_goes_on_after_the_compiler(tmp_path: Path, run_python: Any) -> None:
    (tmp_path / "kernels_of_a_test.py").write_text(KERNELS + "\n@kernel\ndef wrong(x):\n    return x.nothing\n")
    code = """
import gc
kernels.outer(2.0)
print(gc.isenabled())
try:
    kernels.wrong(2.0)
except Exception as error:
    print(type(error).__name__)
print(gc.isenabled())
gc.disable()
kernels.inner(2.0)
print(gc.isenabled())
"""
    done = run_python(IMPORT + code, str(tmp_path))
    assert done.stdout.split() == ["True", "TypingError", "True", "False"], done.stderr


HOLD = """
from numba import types
dispatcher = kernels.inner.linked
dispatcher.enable_caching()
dispatcher._cache.load_overload((types.float64,), dispatcher.targetctx)
print("held", flush=True)
sys.stdin.read()
"""


def _start(code: str, folder: Path) -> subprocess.Popen[str]:
    environment = os.environ | {"PYTHONPATH": str(SRC)}
    command = [sys.executable, "-c", code, str(folder)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)


def test_processes_that_need_one_kernel_at_once_compile_it_once(tmp_path: Path) -> None:
    (tmp_path / "kernels_of_a_test.py").write_text(KERNELS)
    code = """
kernels.outer(2.0)
print(sum(kernels.inner.linked.stats.cache_misses.values()))
"""
    started = [_start(IMPORT + code, tmp_path) for _ in range(3)]
    misses = [int(process.communicate(timeout=600)[0]) for process in started]
    assert sorted(misses) == [0, 0, 1]


def test_a_kernel_that_a_killed_process_was_compiling_is_free(tmp_path: Path, run_python: Any) -> None:
    (tmp_path / "kernels_of_a_test.py").write_text(KERNELS)
    process = _start(IMPORT + HOLD, tmp_path)
    assert process.stdout is not None
    assert process.stdout.readline().strip() == "held"
    process.kill()
    process.communicate()
    done = run_python(IMPORT + "print(kernels.outer(2.0))", str(tmp_path))
    assert float(done.stdout) == 5.0, done.stderr


def test_a_kernel_that_cannot_be_compiled_keeps_nobody_waiting(tmp_path: Path, run_python: Any) -> None:
    (tmp_path / "kernels_of_a_test.py").write_text(KERNELS + "\n@kernel\ndef wrong(x):\n    return x.nothing\n")
    code = """
import fcntl
from pathlib import Path
try:
    kernels.wrong(2.0)
except Exception as error:
    print(type(error).__name__)
files = list(Path(kernels.wrong.stats.cache_path).glob("*.lock"))
for file in files:
    with file.open("w") as opened:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
print(len(files))
"""
    done = run_python(IMPORT + code, str(tmp_path))
    assert done.stdout.split() == ["TypingError", "1"], done.stderr


def test_threads_of_one_process_compile_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """numba's folder, the search for garbage and a kernel's file are the process's: no other thread may be at them."""
    held = []

    class Watched(KernelCache):
        def __init__(self, function: Callable[..., Any]) -> None:
            held.append(("made", global_compiler_lock.is_locked()))
            super().__init__(function)

        def release(self) -> None:
            held.append(("let go", global_compiler_lock.is_locked()))
            super().release()

    monkeypatch.setattr(didymos.compiled, "KernelCache", Watched)
    lonely: Any = kernel(_double)
    assert lonely(2.0) == 4.0
    assert dict(held) == {"made": True, "let go": True}
    addresses: list[int] = []
    law, began = c_function(types.float64(types.float64))(_double), Barrier(2)

    def ask() -> None:
        began.wait(60.0)
        addresses.append(law.address)

    threads = [Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(addresses)) == 1


def test_laws_that_two_threads_enter_at_once_have_a_place_each() -> None:
    met = Barrier(2)

    class Law:
        """One whose address takes as long as that of another."""

        def __init__(self, name: str) -> None:
            self.signature, self.function = name, _double

        @property
        def address(self) -> int:
            met.wait(60.0)
            return len(self.signature)

    places: dict[str, tuple[int, int]] = {}

    def enter(name: str) -> None:
        places[name] = register(Law, cast("Any", Law(name)))

    threads = [Thread(target=enter, args=(name,)) for name in ("short", "longer")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert places["short"][1] != places["longer"][1]
    for name, (own, index) in places.items():
        assert (law_table._TABLE[index]["identity"], law_table._TABLE[index]["function"]) == (own, len(name))


def test_what_a_sum_gives_is_asked_once_for_all_kernels(tmp_path: Path, run_python: Any) -> None:
    (tmp_path / "kernels_of_a_test.py").write_text(KERNELS)
    code = """
import operator
from numba import types
from didymos import kernel_compiler
kernels.inner(2.0)
known, = (memory for memory in kernel_compiler._MEMORIES.values() if memory)
asked = [(str(function), types_) for function, types_ in known]
print((f"Function({operator.mul})", (types.float64, types.float64)) in asked, kernels.inner(3), kernels.inner(2.5))
"""
    done = run_python(IMPORT + code, str(tmp_path))
    assert done.stdout.split() == ["True", "6.0", "5.0"], done.stderr


def test_a_users_file_that_lies_elsewhere_as_well_has_kernels_of_its_own(tmp_path: Path) -> None:
    """They name their module, which is named after the place; those of the package are the same wherever it is installed."""
    from didymos.compiled import cache_folder

    files = [tmp_path / name / "water.py" for name in ("one", "two")]
    for file in files:
        file.parent.mkdir()
        file.write_text("buoyancy = 1.0\n", encoding="utf-8")
    one, two = (cache_folder(file).name for file in files)
    assert one != two
    assert one.partition("_")[0] == two.partition("_")[0]
    assert "_" not in cache_folder(Path(didymos.__file__)).name
