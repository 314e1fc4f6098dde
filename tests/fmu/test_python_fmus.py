"""A stranger's FMU that is written in Python, by `pythonfmu` and `pythonfmu3`, as a part of a twin."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from compiled_c import freed_counts

pytest.importorskip("fmpy")
pytest.importorskip("pythonfmu")
pytest.importorskip("pythonfmu3")

SPRING = """from pythonfmu{own} import Fmi{fmi}{causality}, Fmi{fmi}Slave, {real}


class Spring(Fmi{fmi}Slave):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.x, self.force = 0.0, 0.0
        {time}self.register_variable({real}("x", causality=Fmi{fmi}{causality}.input))
        self.register_variable({real}("force", causality=Fmi{fmi}{causality}.output))

    def do_step(self, current_time, step_size):
        self.force = -30.0 * self.x
        return True
"""
TIME = 'self.time = 0.0\n        self.register_variable(Float64("time", causality=Fmi3Causality.independent))\n        '
CART = """<robot name="cart"><link name="rail"/>
<link name="cart"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="slide" type="prismatic"><parent link="rail"/><child link="cart"/><axis xyz="1 0 0"/>
<limit lower="-9" upper="9" effort="1e4" velocity="100"/></joint></robot>"""
RUN = """import didymos, numpy
log = didymos.load("cart", trust=True).simulate().run(0.5)
x, force = (log[name].values for name in ("joints.slide.position", "parts.spring.force"))
print(x[-1], numpy.abs(force[1:] + 30.0 * x[:-1]).max())
"""


@pytest.mark.parametrize("fmi", [2, 3])
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="blocks are looked at as glibc has them")
def test_it_acts_and_the_process_ends_without_a_look_at_what_is_gone(fmi: int, tmp_path: Path) -> None:
    folder, own = tmp_path / "cart", "" if fmi == 2 else "3"
    folder.mkdir()
    real, time = ("Real", "") if fmi == 2 else ("Float64", TIME)
    (tmp_path / "spring.py").write_text(SPRING.format(own=own, fmi=fmi, causality="Causality", real=real, time=time))
    build = [sys.executable, "-m", f"pythonfmu{own}", "build", "-f", "spring.py", "-d", str(folder)]
    subprocess.run(build, cwd=tmp_path, check=True, capture_output=True, timeout=120)
    (folder / "cart.urdf").write_text(CART)
    spring = {
        "kind": "fmu", "file": "Spring.fmu", "link": "cart", "joint": "slide", "reads": {"x": "joint.position"},
        "acts": {"joint.effort": "force"},
    }  # fmt: skip
    content = {"description": {"file": "cart.urdf"}, "parts": {"spring": spring}, "start": {"joints": {"slide": 0.1}}}
    (folder / "twin.yaml").write_text(yaml.safe_dump(content))
    surroundings = {**os.environ, "LD_PRELOAD": str(freed_counts(tmp_path))}
    command = [sys.executable, "-c", RUN]
    told = subprocess.run(command, cwd=tmp_path, env=surroundings, capture_output=True, text=True, timeout=300)
    assert told.returncode == 0, told.stderr
    place, error = map(float, told.stdout.split())
    assert -0.1 < place < 0.0  # half a period is 0.81 s: it is past the middle
    assert error < 1e-12  # the force of a step is that of the place at its begin
