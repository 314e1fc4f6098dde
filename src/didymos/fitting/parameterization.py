"""From free numbers to parameters of the twin: what a search moves, and what each recording is simulated with.

A search moves coordinates, each from 0 at its lower to 1 at its upper bound. A group of them stands for one entry of
`fit.parameters`: a parameter by its path, all that a pattern matches, what is tied to it, or a whole body (`body.py`). Those that
are shared come first, then, recording by recording, those that each has for itself.

Beside the parameters of the twin there are some of a recording, which have no other home:

    recording.clock_offset      [s] the recording's clock minus the twin's
    recording.input_delay       [s] from the stamp of an input to its effect
    recording.delay.COLUMN      [s] by which a column lags what it measures
    recording.bias.COLUMN       what a column (of a vector with its axis) adds to what it measures
    recording.alignment.COLUMN.x, .y, .z
                                [rad] the rotation vector from an attitude's own frame to the robot's, of markers that sit askew;
                                q_robot = q_measured * q(alignment), where windows begin and where they are compared
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from didymos.describe.names import whole_links
from didymos.describe.parameters import ARGUMENTS, Parameter
from didymos.describe.path_patterns import spread, tied_paths, unknown_path
from didymos.describe.schema import FreeSpec
from didymos.describe.twin import Twin
from didymos.errors import InputError
from didymos.fitting.body import body_group
from didymos.fitting.recording import Recording
from didymos.fitting.single import Single, check_ties, checked_bounds

__all__ = ["Group", "Parameterization", "Single", "free_groups", "is_of_recording", "is_set_in_a_run", "set_by_scenario"]

_Array = NDArray[np.float64]
_OF_RECORDING = ("recording.clock_offset", "recording.input_delay")
_OF_COLUMN = ("recording.delay.", "recording.bias.", "recording.alignment.")


def is_of_recording(path: str) -> bool:
    """Whether a parameter is one of a recording, not of the twin."""
    return path in _OF_RECORDING or path.startswith(_OF_COLUMN)


def is_set_in_a_run(path: str) -> bool:
    """Whether a parameter is one that a run can be given: not of a recording, nor of the description that runs are made of."""
    return not is_of_recording(path) and not path.startswith(ARGUMENTS)


class Group(Protocol):
    """Coordinates that belong together."""

    @property
    def path(self) -> str:
        """The key in `fit.parameters`."""

    @property
    def per_recording(self) -> bool:
        """Whether each recording has them for itself."""

    @property
    def grid(self) -> int:
        """How many values are tried before a search."""

    @property
    def names(self) -> tuple[str, ...]:
        """What is told of them: the paths of parameters."""

    @property
    def units(self) -> tuple[str, ...]:
        """The unit of each of `names`."""

    @property
    def bounds(self) -> tuple[tuple[float, float], ...]:
        """Bounds of each of `names`."""

    @property
    def start(self) -> _Array:
        """Coordinates of the twin's own values, shape [n]."""

    @property
    def findings(self) -> tuple[str, ...]:
        """A sentence for each value that the search does not begin at as the twin has it."""

    def reported(self, point: _Array) -> _Array:
        """The values of `names` at coordinates."""

    def followers(self, name: str) -> Mapping[str, float]:
        """The paths that a run can set whose values are that of a name, times a number."""

    def values(self, point: _Array) -> dict[str, float]:
        """All values that coordinates, shape [n], stand for, by the paths that a run can set."""

    def prior(self, point: _Array) -> _Array:
        """How many standard deviations coordinates are from what was known beforehand; empty without a prior."""


class Parameterization:
    """All coordinates of a fit, of which some are shared and some belong to a recording.

    Args:
        groups: what may move, as `free_groups` makes it.
        recordings: how many there are.
    """

    def __init__(self, groups: Sequence[Group], recordings: int) -> None:
        self.shared = tuple(group for group in groups if not group.per_recording)
        self.own = tuple(group for group in groups if group.per_recording)
        self.recordings = recordings
        self._shared_size = sum(len(group.start) for group in self.shared)
        self._own_size = sum(len(group.start) for group in self.own)
        self.size = self._shared_size + recordings * self._own_size
        self.owner = np.concatenate(
            [np.full(self._shared_size, -1), np.repeat(np.arange(recordings), self._own_size)]
        ).astype(np.int64)
        """The recording that each coordinate belongs to, -1 for shared ones; shape [size]."""

    @property
    def start(self) -> _Array:
        """Coordinates of the twin's own values."""
        shared = [group.start for group in self.shared]
        own = [group.start for group in self.own]
        return np.concatenate([*shared, *(own * self.recordings), np.empty(0)])

    def stretch(self, group: Group, recording: int | None = None) -> slice:
        """Where the coordinates of a group lie, of one that a recording has for itself in that recording."""
        first, groups = (0, self.shared) if recording is None else (self._shared_size + recording * self._own_size, self.own)
        for item in groups:
            if item is group:
                return slice(first, first + len(group.start))
            first += len(item.start)
        raise KeyError(group.path)

    def values(self, point: _Array, recording: int | None = None) -> dict[str, float]:
        """Values by path: of what is shared, and of a recording beside it."""
        found: dict[str, float] = {}
        for group in self.shared:
            found |= group.values(point[self.stretch(group)])
        if recording is not None:
            for group in self.own:
                found |= group.values(point[self.stretch(group, recording)])
        return found

    def entries(self) -> list[tuple[Group, int | None]]:
        """Every group, with the recording that it belongs to; in the order of the coordinates."""
        shared: list[tuple[Group, int | None]] = [(group, None) for group in self.shared]
        return shared + [(group, i) for i in range(self.recordings) for group in self.own]

    def prior(self, point: _Array) -> _Array:
        """Residuals of all priors, in standard deviations."""
        return np.concatenate([group.prior(point[self.stretch(group, i)]) for group, i in self.entries()] or [np.empty(0)])

    def colours(self) -> list[NDArray[np.int64]]:
        """Coordinates that can be moved at once, since they belong to different recordings."""
        shared = [np.array([i]) for i in range(self._shared_size)]
        own = [self._shared_size + k + self._own_size * np.arange(self.recordings) for k in range(self._own_size)]
        return shared + (own if self.recordings else [])


def free_groups(twin: Twin, specs: Mapping[str, FreeSpec], recordings: Sequence[Recording]) -> list[Group]:
    """What may move, checked; a path that is not there, bounds that exclude the start, and the like are `InputError`s."""
    if not specs:
        raise InputError("no parameter may move; say which with `bounds` PATH=LOW:HIGH", option="bounds")
    known = twin.every_parameter()
    groups = [_group(twin, known, path, spec, recordings) for path, spec in specs.items()]
    taken: dict[str, str] = {}
    for group in groups:
        for path in group.values(group.start):
            if taken.setdefault(path, group.path) != group.path:
                raise InputError(f"is moved by {taken[path]} and by {group.path}; one of them has to go", path=path)
    return groups


def _group(
    twin: Twin, known: Mapping[str, Parameter], path: str, spec: FreeSpec, recordings: Sequence[Recording]
) -> Group:
    if is_of_recording(path):
        return _of_recording(path, spec, recordings)
    links = whole_links(twin.description, path)
    if links:
        body = body_group(twin, path, spec, links)
        _check_free(twin, known, body.values(body.start), recordings)
        return body
    tied = tied_paths(path, known)
    if not tied:
        raise InputError(unknown_path(path, known), path=path)
    _check_free(twin, known, tied, recordings)
    parameter = known[tied[0]]
    for one in tied:
        if known[one].value != parameter.value:
            raise InputError(f"{one} and {tied[0]} have different values, so they cannot move together", path=path)
    low, high = checked_bounds(path, spec, parameter)
    prior = None if spec.prior is None else (parameter.value if spec.prior.mean is None else spec.prior.mean, spec.prior.sd)
    ratios = spread(spec.tied, known)
    _check_free(twin, known, ratios, recordings)
    findings = check_ties(path, (low, high), parameter.value, ratios, known)
    multiples = dict.fromkeys(tied, 1.0) | ratios
    return Single(path, parameter.unit, low, high, parameter.value, multiples, prior, spec.per_recording, spec.grid, findings)


def _check_free(twin: Twin, known: Mapping[str, Parameter], paths: Iterable[str], recordings: Sequence[Recording]) -> None:
    """Refuse parameters that are not there, that a run cannot change, or that the scenario of a recording sets."""
    for one in paths:
        if one not in known:
            raise InputError(unknown_path(one, known), path=one)
        if not (known[one].live or one.startswith(("start.", ARGUMENTS))):
            raise InputError("is fixed for a run and cannot be fitted", path=one)
        for recording in recordings:
            if recording.scenario is not None and one in set_by_scenario(twin, recording.scenario):
                raise InputError(f"the scenario {recording.scenario!r} sets this parameter itself", path=one)


def _of_recording(path: str, spec: FreeSpec, recordings: Sequence[Recording]) -> Group:
    columns = {channel.column.name for recording in recordings for channel in recording.channels}
    for one in (path, *spec.tied):
        if not is_of_recording(one):
            raise InputError(f"cannot be tied to {path}, which is one of a recording", path=one)
        column = one.split(".", 2)[2] if one.startswith(_OF_COLUMN) else None
        if column is not None and column not in columns and column.rpartition(".")[0] not in columns:
            raise InputError(f"there is no column {column!r} (there is: {', '.join(sorted(columns))})", path=one)
    unit = {"bias": "", "alignment": "rad"}.get(path.split(".")[1], "s")
    low, high = checked_bounds(path, spec, Parameter(path, 0.0, unit))
    prior = None if spec.prior is None else (spec.prior.mean or 0.0, spec.prior.sd)
    return Single(path, unit, low, high, 0.0, {path: 1.0} | dict(spec.tied), prior, spec.per_recording, spec.grid)


def set_by_scenario(twin: Twin, scenario: str) -> set[str]:
    """Paths of parameters that a scenario sets."""
    return set(twin.with_program_of(scenario).set_by_scenario(scenario))
