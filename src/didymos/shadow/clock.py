"""The robot's clock against ours: when what arrives was taken, how long it was under way, and whether that clock jumped.

Offset and drift come from the lower envelope of (stamp, received) over a sliding window, with what is known of them
(`clock_fit.py`). The window is kept as pieces of half a second, of which only the corners of the hull, the count and the mean
stay: a message costs microseconds and memory is bounded. The least delay of the line is part of the offset; `latency` is what a
message took beyond it.

A clock that jumps is told from a message that is late or damaged by the sign of the excess e = y - line, and by what follows:

    e < -least_jump              no delay is negative: the clock went forward, or a stamp is damaged. Three in a row decide.
    s < newest - disorder        stamps run backwards further than messages overtake each other: a restart. Three in a row decide.
    e > least_jump               late messages, or the clock went back. It went back where for `hold` seconds of ours none came in
                                 time and their least delay did not fall, as it does while a line that stood still is emptied.

Where three stamps decide, they have to agree with each other, else they are damaged. In the first `hold` seconds nothing is said,
as the least delay is not known: what waited in a line comes late and all at once. A line that becomes slower for good looks like
a clock that went back, to whoever hears one way only; it is told as one. Smaller jumps are taken for drift until the window has
passed over them. After a jump the window begins anew.

`resolution` [s] of the stamps, as of a clock in milliseconds, moves the envelope by half of it at most; the stated error has that
in it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from didymos.shadow.clock_fit import Line, Point, fit_line, lower_hull

__all__ = ["ClockEstimate", "RobotClock", "Timing"]

_PIECE = 0.5  # [s] of the window that is dropped at once
_RAW = 256  # points of a piece that are kept before only corners are
_REFRESH = 0.05  # [s] of ours between two fits
_FIRST = 32  # points up to which every one is fitted
_AGREE = 3  # stamps that decide
_DISORDER = 0.5  # [s] that a message is overtaken by at most
_SPREAD = 6.0  # mean delays that stamps of one clock may be apart by
_LATE_COUNT = 8  # late messages at least before the clock is said to have gone back


@dataclass(frozen=True, slots=True)
class Timing:
    """Of an arrival: our clock [s] when it was taken (the least delay included), how much longer it took than the least [s].

    `trusted` is False while it is not known whether the clock jumped, or the stamp is damaged.
    """

    time: float
    latency: float
    trusted: bool


@dataclass(frozen=True)
class ClockEstimate:
    """Our clock minus the robot's [s] at its newest stamp, and its drift (both clocks' rates - 1), with standard deviations.

    `delay` is the mean of the latencies [s], `count` how many messages it rests on.
    """

    offset: float
    offset_sd: float
    drift: float
    drift_sd: float
    delay: float
    count: int


@dataclass
class _Piece:
    begin: float
    count: int = 0
    stamps: float = 0.0
    heights: float = 0.0
    points: list[Point] = field(default_factory=list)

    def add(self, point: Point) -> None:
        self.count += 1
        self.stamps += point[0]
        self.heights += point[1]
        self.points.append(point)
        if len(self.points) > _RAW:
            self.points = lower_hull(self.points)


class RobotClock:
    """Learns the robot's clock from what arrives. `damaged` counts stamps that fit no clock.

    Args:
        window: [s] of messages that the estimate rests on.
        most_drift: bound of the drift; 0.05 holds for crystals, for RC oscillators and for a simulation that cannot keep up.
        least_jump: [s] that a clock has to jump to be told from delays.
        resolution: [s] of its stamps.
        hold: [s] of ours over which messages have to be late before the clock is said to have gone back.
    """

    def __init__(
        self, *, window: float = 20.0, most_drift: float = 0.05, least_jump: float = 0.02, resolution: float = 0.0,
        hold: float = 1.0,
    ) -> None:  # fmt: skip
        self._window, self._most_drift, self._least_jump = window, most_drift, least_jump
        self._resolution, self._hold = resolution, hold
        self._origin: Point | None = None  # of stamps, and of our clock
        self._notices: list[str] = []
        self.jumps = self.damaged = 0
        self._begin_anew()

    def _begin_anew(self) -> None:
        self._pieces: deque[_Piece] = deque()
        self._line: Line | None = None
        self._fitted, self._newest, self._begun = -1e300, -1e300, 0.0
        self._odd: list[Point] = []  # stamps that do not fit, and when they came
        self._late: list[Point] = []

    def add(self, stamp: float, received: float) -> Timing:
        """Take a message in: the robot's clock and ours [s]."""
        if self._origin is None:
            self._origin = stamp, received
        s, r = stamp - self._origin[0], received - self._origin[1]
        if self._line is None:
            self._take(s, r)
            return Timing(received, 0.0, True)
        excess, bound = r - s - self._line.value(s), self._least_jump + self._slack(s)
        if s < self._newest - _DISORDER or (excess < -bound and self._is_settled):
            return self._suspect(s, r, received)
        self.damaged += len(self._odd)
        self._odd = []
        if excess > bound and self._is_settled:
            went_back = self._went_back(s, r)
            return Timing(received, 0.0, True) if went_back else Timing(received - excess, excess, False)
        self._take_late()
        self._take(s, r)
        latency = max(r - s - self._line.value(s), 0.0)
        return Timing(received - latency, latency, True)

    def time_of(self, stamp: float) -> float:
        """Our clock [s] at a stamp of the robot's; ours at the stamp's origin where nothing is known yet."""
        if self._origin is None or self._line is None:
            return stamp
        s = stamp - self._origin[0]
        return self._origin[1] + s + self._line.value(s)

    @property
    def estimate(self) -> ClockEstimate | None:
        """What is known of the clock; None before anything came."""
        if self._line is None or self._origin is None:
            return None
        line, s = self._line, self._newest
        offset = line.value(s) + self._origin[1] - self._origin[0]
        sd = (line.sd(s) ** 2 + (0.5 * self._resolution) ** 2) ** 0.5
        return ClockEstimate(offset, sd, line.slope, line.slope_variance**0.5, line.delay, line.count)

    def notices(self) -> Sequence[str]:
        """What there is to say since the last time: a sentence for each jump."""
        said, self._notices = self._notices, []
        return said

    @property
    def _is_settled(self) -> bool:
        """Whether it has been heard for so long that its least delay is known; what waits in a line comes all at once."""
        assert self._line is not None
        return self._line.count >= _LATE_COUNT and self._fitted - self._begun >= self._hold

    def _slack(self, s: float) -> float:
        """How far the line may be off there [s]."""
        assert self._line is not None
        return 6.0 * self._line.sd(s) + self._resolution

    def _take(self, s: float, r: float) -> None:
        if not self._pieces:
            self._begun = r
        if not self._pieces or r - self._pieces[-1].begin >= _PIECE:
            self._pieces.append(_Piece(r))
            while self._pieces[0].begin < r - self._window:
                self._pieces.popleft()
        self._pieces[-1].add((s, r - s))
        self._newest = max(self._newest, s)
        if self._line is None or self._line.count < _FIRST or r - self._fitted >= _REFRESH:
            self._fit(r)

    def _fit(self, r: float) -> None:
        self._fitted = r
        pieces = self._pieces
        for piece in pieces:
            piece.points = lower_hull(piece.points)
        count = sum(piece.count for piece in pieces)
        mean = sum(piece.stamps for piece in pieces) / count, sum(piece.heights for piece in pieces) / count
        hull = lower_hull([point for piece in pieces for point in piece.points])
        self._line = fit_line(hull, count, mean, self._most_drift)

    def _suspect(self, s: float, r: float, received: float) -> Timing:
        """A stamp that no delay explains: damaged, or of a clock that jumped."""
        assert self._line is not None
        near = [(a, b) for a, b in self._odd if abs((r - s) - (b - a)) < self._least_jump + _SPREAD * self._line.delay]
        self.damaged += len(self._odd) - len(near)
        self._odd = [*near, (s, r)]
        if len(self._odd) < _AGREE:
            return Timing(received, 0.0, False)
        self._jump(self._odd)
        return Timing(received, 0.0, True)

    def _went_back(self, s: float, r: float) -> bool:
        """Whether messages have been late for so long, and so evenly, that the clock went back."""
        self._late.append((s, r))
        if r - self._late[0][1] < self._hold or len(self._late) < _LATE_COUNT:
            return False
        middle = self._late[0][1] + 0.5 * (r - self._late[0][1])
        first = min((b - a for a, b in self._late if b <= middle), default=0.0)
        second = [(a, b) for a, b in self._late if b > middle]
        if len(second) < _AGREE or min(b - a for a, b in second) < first - 0.5 * self._least_jump:
            self._late = second  # it falls: a line that is emptied
            return False
        self._jump(self._late)
        return True

    def _take_late(self) -> None:
        """Those that were late after all."""
        late, self._late = self._late, []
        for s, r in late:
            self._take(s, r)

    def _jump(self, points: Sequence[Point]) -> None:
        assert self._line is not None
        size = self._line.value(points[-1][0]) - min(r - s for s, r in points)
        self.jumps += 1
        newest = self._newest
        how = f"{size:.3g} s forward" if size > 0.0 else f"{-size:.3g} s back"
        restart = size < 0.0 and points[-1][0] < newest - _DISORDER
        why = ": it runs backwards, as after a restart" if restart else ""
        self._notices.append(f"the robot's clock jumped {how}{why}; what is known of it begins anew")
        self._begin_anew()
        for s, r in points:
            self._take(s, r)
