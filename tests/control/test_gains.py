"""Gains: numbers of a program with a path, bounds and plain access."""

from __future__ import annotations

import pytest

import didymos
from didymos.errors import InputError


class Roll(didymos.Controller):
    """A program of two gains."""

    kp = didymos.Gain(0.5, low=0, high=2, unit="1/rad")
    kd = didymos.Gain(0.25, path="rate.kd")


class Pitch(didymos.Controller):
    """A program of one gain."""

    lift = didymos.Gain(3.0)


class Both(Roll, Pitch):
    """Both, and one more."""

    trim = didymos.Gain(-1.0)


class Stiffer(Roll):
    """The same gains, one with another default."""

    kp = didymos.Gain(1.5, low=0, high=2)


def test_a_gain_reads_and_writes_as_a_number_of_its_own_program() -> None:
    first, second = Roll(), Roll()
    first.kp = 0.75
    assert (first.kp, second.kp, first.kd) == (0.75, 0.5, 0.25)
    assert first.gains.tolist() == [0.75, 0.25]
    assert [gain.path for gain in Roll.gain_table] == ["kp", "rate.kd"]


def test_programs_may_inherit_gains_from_several_others() -> None:
    both, roll, pitch = Both(), Roll(), Pitch()
    both.kp, both.lift = 1.0, 4.0
    assert (both.kp, both.kd, both.lift, both.trim) == (1.0, 0.25, 4.0, -1.0)
    assert (roll.kp, roll.kd, pitch.lift) == (0.5, 0.25, 3.0)
    assert sorted(gain.path for gain in Both.gain_table) == ["kp", "lift", "rate.kd", "trim"]


def test_a_subclass_may_give_a_gain_another_default() -> None:
    assert (Stiffer().kp, Roll().kp) == (1.5, 0.5)
    assert len(Stiffer.gain_table) == 2


def test_a_gain_is_set_by_its_path_within_its_bounds() -> None:
    program = Roll()
    program.set_gain("rate.kd", 0.125)
    assert program.kd == 0.125
    for bad in (-0.1, 2.1, float("nan"), float("inf")):
        with pytest.raises(InputError, match="expected a number from 0 to 2"):
            program.set_gain("kp", bad)
    with pytest.raises(InputError, match=r"no such gain, did you mean 'rate.kd'\?"):
        program.set_gain("rate.kq", 0.0)
    assert program.gains.tolist() == [0.5, 0.125]
