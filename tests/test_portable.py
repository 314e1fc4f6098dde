"""The same bytes on every x86-64 machine: other processors are played by taking features of this one away."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import didymos
from didymos.cli.main import main
from didymos.errors import InputError
from didymos.portable import check_portable, is_portable, mode, portable_environment

SRC = Path(didymos.__file__).parent.parent
HERE = sys.platform == "linux" and platform.machine() == "x86_64" and platform.libc_ver()[0] == "glibc"
only_here = pytest.mark.skipif(not HERE, reason="for Linux on x86-64 with glibc")

# another machine's processor: no FMA and AVX2 for libm, other loops of numpy, other kernels of OpenBLAS
OLDER = {
    "GLIBC_TUNABLES": "glibc.malloc.check=0:glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX",
    "NPY_DISABLE_CPU_FEATURES": "X86_V4",
    "OPENBLAS_CORETYPE": "Sandybridge",
}


def _run(*words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(SRC)} | variables
    return subprocess.run([sys.executable, *words], capture_output=True, text=True, env=environment, check=False)


def _digest(*options: str, **variables: str) -> tuple[str, str]:
    command = ("-m", "didymos", "run", "quadcopter", "--scenario", "hover", "--seconds", "1", "--json")
    done = _run(*command, *options, **variables)
    assert done.returncode in (0, 1), done.stderr  # a second is no hover
    facts = json.loads(done.stdout)
    return facts["log_sha256"], facts["log_sha256_mode"]


@only_here
@pytest.mark.timeout(900)  # it compiles all kernels anew: 43 s of a processor that it may have to share
def test_another_processor_gives_the_same_bytes_where_that_is_asked_for_and_others_where_not() -> None:
    portable = _digest("--portable")
    assert _digest("--portable", **OLDER) == portable
    assert _digest(DIDYMOS_PORTABLE="1", **OLDER) == portable
    assert portable[1] == f"portable x86_64 glibc-{platform.libc_ver()[1]}"
    flags = Path("/proc/cpuinfo").read_text().split()
    if "fma" in flags and "avx2" in flags:
        native, older = _digest(), _digest(**OLDER)
        assert native[0] != older[0]
        assert native[1].startswith("native ")


LOOK = """
import json, numpy, numba, didymos.compiled
from didymos.portable import is_portable
import numpy._core._multiarray_umath as loops
print(json.dumps({
    "portable": is_portable(),
    "numba": [numba.config.CPU_NAME, numba.config.CPU_FEATURES],
    "numpy": [name for name in loops.__cpu_dispatch__ if loops.__cpu_features__[name]],
    "folder": didymos.compiled._FOLDER,
}))
"""


@only_here
def test_a_script_can_be_started_so_and_its_libraries_have_no_choice(tmp_path: Path) -> None:
    script = tmp_path / "look.py"
    script.write_text(LOOK)
    done = _run("-m", "didymos.portable", str(script), **OLDER, NPY_ENABLE_CPU_FEATURES="AVX2")
    found = json.loads(done.stdout)
    assert found["portable"], done.stderr
    assert found["numba"] == ["generic", ""]
    assert not [name for name in found["numpy"] if name.startswith(("X86_V3", "X86_V4", "AVX2", "FMA", "AVX512"))]
    assert found["folder"] == "portable_kernels"
    plain = json.loads(_run(str(script), DIDYMOS_PORTABLE="0").stdout)
    assert (plain["portable"], plain["folder"]) == (False, "kernels")


@only_here
def test_a_script_that_only_wishes_it_is_told_how() -> None:
    code = "import didymos\ntry:\n    didymos.load('quadcopter')\nexcept didymos.InputError as error:\n    print(error)"
    said = _run("-c", code, DIDYMOS_PORTABLE="1").stdout
    assert said.startswith("DIDYMOS_PORTABLE: ")
    assert "python -m didymos.portable SCRIPT.py" in said
    late = f"import os\nos.environ['DIDYMOS_PORTABLE'] = '1'\n{code}"
    assert _run("-c", late).stdout == said


def test_within_somebody_elses_process_the_flag_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    if is_portable():
        pytest.skip("this process is portable")
    assert main(["run", "quadcopter", "--portable", "--json"]) == 2
    assert "didymos: --portable: " in capsys.readouterr().err
    with pytest.raises(InputError):
        check_portable(asked=True)
    check_portable()
    assert mode().startswith("native ")


def test_other_tunables_stay_and_ours_stand_first() -> None:
    found = portable_environment({"GLIBC_TUNABLES": "glibc.malloc.check=3:glibc.cpu.hwcaps=AVX2", "HOME": "/x"})
    tunables = found["GLIBC_TUNABLES"].split(":")
    assert tunables[1:] == ["glibc.malloc.check=3"]
    assert set(tunables[0].partition("=")[2].split(",")) >= {"-AVX2", "-FMA", "-FMA4"}
    assert found["HOME"] == "/x"
    assert portable_environment(found) == found


@pytest.mark.parametrize("where", ["system", "machine", "libc"])
def test_elsewhere_it_is_refused_with_one_sentence(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    values: dict[str, Any] = {"machine": ("machine", lambda: "aarch64"), "libc": ("libc_ver", lambda: ("", ""))}
    if where == "system":
        monkeypatch.setattr(sys, "platform", "darwin")
    else:
        monkeypatch.setattr(platform, *values[where])
    is_portable.cache_clear()
    try:
        with pytest.raises(InputError, match="for Linux on x86-64 with glibc; this is"):
            check_portable(asked=True)
    finally:
        is_portable.cache_clear()
