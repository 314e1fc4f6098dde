"""Where the engine keeps its arrays, checked on models that the module itself has not seen."""

from __future__ import annotations

import ctypes

import mujoco
import pytest

from didymos.engine.layout import DATA, MODEL
from didymos.engine.plugin import attach


def _model(chains: int, length: int) -> mujoco.MjModel:
    """Chains of hinges, with actuators that have states, sensors, a plugin and numerics: other sizes of everything."""
    bodies = "".join(
        "".join(f'<body><joint name="j{c}_{i}"/><geom size=".1"/>' for i in range(length)) + "</body>" * length
        for c in range(chains)
    )
    actuators = "".join(f'<general joint="j{c}_0" dyntype="integrator"/>' for c in range(chains))
    sensors = "".join(f'<jointpos joint="j{c}_0"/>' for c in range(chains))
    numerics = "".join(f'<numeric name="n{c}" data="{c} {c}"/>' for c in range(chains))
    spec = mujoco.MjSpec.from_string(
        f"""<mujoco><size nuserdata="{chains * length + 5}"/><worldbody><site/>{bodies}</worldbody>
        <actuator>{actuators}</actuator><sensor>{sensors}</sensor><custom>{numerics}</custom></mujoco>"""
    )
    attach(spec, words=chains + 3, states=length, laws={}, joint="j0_0", site="")
    return spec.compile()


@pytest.mark.parametrize(("chains", "length"), [(1, 1), (3, 5), (7, 2)])
def test_every_offset_leads_to_the_array_of_its_name(chains: int, length: int) -> None:
    model = _model(chains, length)
    data = mujoco.MjData(model)
    for _ in range(3):
        mujoco.mj_step(model, data)
    for live, offsets in ((model, MODEL), (data, DATA)):
        for name, offset in offsets.items():
            value = getattr(live, name)
            place = live._address + offset
            if name == "energy":  # an array inside the structure itself
                assert value.ctypes.data == place
            elif hasattr(value, "ctypes"):
                assert value.size > 0, name
                assert ctypes.c_uint64.from_address(place).value == value.ctypes.data, name
            elif isinstance(value, float):
                assert ctypes.c_double.from_address(place).value == value, name
            else:
                assert ctypes.c_int64.from_address(place).value == value, name


def test_no_two_names_share_an_offset() -> None:
    assert len(set(MODEL.values())) == len(MODEL)
    assert len(set(DATA.values())) == len(DATA)
