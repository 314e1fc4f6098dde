"""Patterns of parameter paths, wherever a value is set by path."""

from __future__ import annotations

import pytest

from didymos.describe.path_patterns import spread
from didymos.errors import InputError
from didymos.studies.sweep import sweep
from didymos.twin import Twin

TWO_JOINTS = """<mujoco><worldbody><body name="arm">
  <joint name="roller_1" damping="1"/><geom size=".1"/>
  <body pos="0 0 .3"><joint name="roller_2" damping="2"/><geom size=".1"/></body></body></worldbody></mujoco>"""


def made(**sections: object) -> Twin:
    return Twin.from_urdf(TWO_JOINTS, **sections)


def test_a_pattern_sets_all_that_it_matches_and_nothing_else() -> None:
    twin = made()
    twin.set("joints.roller_*.damping", 5.0)
    assert [twin.get(f"joints.roller_{i}.damping") for i in (1, 2)] == [5.0, 5.0]
    assert twin.set_by_hand == {"joints.roller_1.damping", "joints.roller_2.damping"}


def test_where_patterns_overlap_the_last_one_counts() -> None:
    twin = made()
    twin.set_all({"joints.*.damping": 5.0, "joints.roller_2.damping": 7.0})
    assert [twin.get(f"joints.roller_{i}.damping") for i in (1, 2)] == [5.0, 7.0]


def test_a_running_simulation_takes_patterns() -> None:
    simulation = made().simulate()
    simulation.set("joints.*.damping", 3.0)
    assert simulation.model.dof_damping.tolist() == [3.0, 3.0]


def test_a_scenario_takes_patterns_and_what_was_set_by_hand_wins() -> None:
    twin = made(scenarios={"stiff": {"seconds": 1, "set": {"joints.*.damping": 9}}})
    twin.set("joints.roller_1.damping", 4.0)
    chosen = twin.for_scenario("stiff")
    assert [chosen.get(f"joints.roller_{i}.damping") for i in (1, 2)] == [4.0, 9.0]


def test_a_sweep_draws_one_value_for_all_that_a_pattern_matches() -> None:
    trials = sweep(made(), {"joints.*.damping": (1.0, 2.0)}, runs=2, seconds=0.01)
    assert sorted(int(2 * (trial.values["joints.*.damping"] - 1.0)) for trial in trials) == [0, 1]  # a half of the range each


NOTHING = {
    "a word is wrong": ("joints.*.dampings", "'joints.roller_1.damping'"),
    "nothing is near": ("zzz*", "no parameter matches this pattern"),
}


@pytest.mark.parametrize(("pattern", "said"), NOTHING.values(), ids=NOTHING.keys())
def test_a_pattern_that_matches_nothing_names_what_is_near(pattern: str, said: str) -> None:
    twin = made()
    for place in (twin, twin.simulate()):
        with pytest.raises(InputError) as caught:
            place.set(pattern, 1.0)
        assert str(caught.value).startswith(f"{pattern}: no parameter matches this pattern")
        assert said in str(caught.value)


def test_a_scenario_whose_pattern_matches_nothing_is_refused_with_its_line() -> None:
    with pytest.raises(InputError, match=r"twin\.yaml:\d+: scenarios\.stiff\.set\..*: no parameter matches"):
        made(scenarios={"stiff": {"seconds": 1, "set": {"joint.*.damping": 9}}})


def test_a_name_with_a_bracket_is_a_name_before_it_is_a_pattern() -> None:
    paths = ("joints.left[1].damping", "joints.left1.damping")
    assert spread({"joints.left[1].damping": 2.0}, paths) == {"joints.left[1].damping": 2.0}
