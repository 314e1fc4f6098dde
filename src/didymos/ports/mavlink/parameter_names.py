"""Names of MAVLink for the paths of a twin: 16 characters, each from its own path alone, so that they stay the same.

    control.gains.roll.kp              ROLL_KP            gains bear no prefix
    links.body_FLU.mass                L_BODY_FLU_MASS    L_ links, J_ joints, P_ parts, S_ sensors, W_ world, X_ others
    control.gains.estimator.barometer  EST_BAROMETER      too long: words that have a usual short form are shortened
    parts.motor1.torque_coefficient    P_MOTOR1_TRQ_COEF  still: no vowels within words behind the second
    sensors.imu.gyro.noise_density     S_IMU_GYR_NS_DNS   still: the longest word loses its last letter, not its number
    joints.motor1_to_axle1.damping     J_MOT1_T_AX_7A9M   two paths with one name: eleven characters and a hash of the path

What two paths would share, neither has: both get the last form.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterable

__all__ = ["LONGEST", "parameter_names"]

LONGEST = 16
"""Characters of a parameter's name."""

_GAINS = "control.gains."
_PREFIXES = {"links": "L", "joints": "J", "parts": "P", "sensors": "S", "world": "W"}
_SHORT = {
    "ESTIMATOR": "EST", "COEFFICIENT": "COEF", "POSITION": "POS", "ORIENTATION": "ORI", "VELOCITY": "VEL", "ANGULAR": "ANG",
    "ACCEL": "ACC", "MISALIGNMENT": "MIS", "TEMPERATURE": "TEMP", "RESOLUTION": "RES", "DENSITY": "DENS", "INERTIA": "INER",
    "PRESSURE": "PRES", "PROPELLER": "PROP", "LATERAL": "LAT", "AIRSPEED": "AIRSP", "FRICTION": "FRIC", "DIRECTION": "DIR",
}  # fmt: skip
_DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # without letters that look like digits


def parameter_names(paths: Iterable[str], taken: Iterable[str] = ()) -> dict[str, str]:
    """Paths by their names, in the order of the paths; `taken` are names of others."""
    short = {path: _short(path) for path in paths}
    count = Counter([*short.values(), *taken])
    return {name if count[name] == 1 else _hashed(path, name): path for path, name in short.items()}


def _short(path: str) -> str:
    if path.startswith(_GAINS):
        words = path.removeprefix(_GAINS).replace(".", "_").upper().split("_")
    else:
        first, _, rest = path.partition(".")
        words = [_PREFIXES.get(first, "X"), *(rest if first in _PREFIXES else path).replace(".", "_").upper().split("_")]
    words = [word for word in words if word]
    if _length(words) > LONGEST:
        words = [_SHORT.get(word, word) for word in words]
    if _length(words) > LONGEST:
        words = [*words[:2], *map(_consonants, words[2:])]
    while _length(words) > LONGEST:
        at = max(range(len(words)), key=lambda i: (len(words[i]), i))
        cut = _cut(words[at])
        if cut == words[at]:
            return "_".join(words)[:LONGEST]
        words[at] = cut
    return "_".join(words)


def _cut(word: str) -> str:
    """A word without its last letter, but with the number at its end."""
    letters = word.rstrip("0123456789")
    return letters[:-1] + word[len(letters) :] if len(letters) > 1 else word


def _length(words: list[str]) -> int:
    return sum(map(len, words)) + len(words) - 1


def _consonants(word: str) -> str:
    if len(word) <= 3 or word in _SHORT.values():
        return word
    found = word[:1]
    for letter in word[1:]:
        if letter not in "AEIOU" and letter != found[-1]:
            found += letter
    return found


def _hashed(path: str, name: str) -> str:
    number, tail = zlib.crc32(path.encode()), ""
    for _ in range(4):
        number, digit = divmod(number, len(_DIGITS))
        tail += _DIGITS[digit]
    return f"{name[: LONGEST - 5]}_{tail}"
