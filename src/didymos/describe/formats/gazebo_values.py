"""Values of Gazebo's sensors and plugins, and its model of noise in terms of ours.

Gazebo's Gaussian noise (gz-sensors, GaussianNoiseModel) is y = x + b + n, rounded to `precision`, with

    n ~ N(mean, stddev),     b ~ +-N(bias_mean, bias_stddev) once,     and with a dynamic bias, at every reading after dt

    b <- exp(-dt / tau) b + N(0, sigma sqrt(tau / 2 (1 - exp(-2 dt / tau))))

which is our Gauss-Markov bias of standard deviation sigma sqrt(tau / 2) and correlation time tau (`sensors/error.py`). Gazebo
lets it begin at the bias above and forgets that within tau; ours begins in its stationary state. RotorS and PX4 write the same
with densities: `NoiseDensity`, `RandomWalk` (sigma), `BiasCorrelationTime`, `TurnOnBiasSigma`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from didymos.describe.formats.import_report import ImportReport
from didymos.describe.formats.xml_file import Element
from didymos.describe.formats.xml_values import number_in_text, parse_numbers

__all__ = ["at", "densities", "noise", "noise_of_axes", "number_at", "rounded", "text_at", "truth_at", "vector_at"]


def at(element: Element, path: str) -> Element | None:
    """The element at a path of tags ("ray/scan/horizontal"), each the first of its name; None where there is none."""
    found: Element | None = element
    for tag in path.split("/"):
        found = None if found is None else found.first(tag)
    return found


def text_at(element: Element, *paths: str, default: str = "") -> str:
    """The text at the first of some paths that is there."""
    for path in paths:
        found = at(element, path)
        if found is not None:
            return found.text.strip()
    return default


def number_at(element: Element, *paths: str, default: float) -> float:
    """The number at the first of some paths that is there and not empty."""
    for path in paths:
        found = at(element, path)
        if found is not None and found.text.strip():
            return number_in_text(found)
    return default


def truth_at(element: Element, path: str) -> bool:
    """Whether a path says true."""
    return text_at(element, path).lower() in ("true", "1")


def vector_at(element: Element, path: str, default: tuple[float, float, float]) -> np.ndarray:
    """Three numbers at a path."""
    found = at(element, path)
    return np.array(default) if found is None else parse_numbers(found, found.text, "the text", 3)


def rounded(value: float) -> float:
    """A number as a twin file writes it: nine digits, which any file is made of."""
    return float(f"{value:.9g}")


def noise(element: Element | None, report: ImportReport) -> dict[str, float]:
    """The errors of a quantity, from its ``<noise>`` element or one that holds the same numbers; empty for none."""
    if element is None or (element.attributes.get("type") or text_at(element, "type")).strip() == "none":
        return {}
    errors = {"noise": number_at(element, "stddev", default=0.0), "resolution": number_at(element, "precision", default=0.0)}
    walk, time = (number_at(element, tag, default=0.0) for tag in ("dynamic_bias_stddev", "dynamic_bias_correlation_time"))
    mean, spread = (number_at(element, tag, default=0.0) for tag in ("bias_mean", "bias_stddev"))
    if walk > 0.0 and time > 0.0:
        errors |= {"bias": walk * math.sqrt(0.5 * time), "bias_time": time}
    else:
        errors["bias"] = math.hypot(mean, spread)
        if mean:
            report.add(element, f"<bias_mean> {mean:g} with a sign of chance is read as a normal bias of the same mean square")
    offset = number_at(element, "mean", default=0.0)
    if offset:
        report.add(element, f"<mean> {offset:g} of a noise is not used: our noise has none")
    return {key: rounded(value) for key, value in errors.items() if value}


def noise_of_axes(elements: list[Element | None], report: ImportReport) -> dict[str, Any]:
    """The errors of a vector from those of its axes: one number where all have the same, three where not."""
    axes = [noise(element, report) for element in elements]
    made: dict[str, Any] = {}
    for key in dict.fromkeys(key for axis in axes for key in axis):
        values = [axis.get(key, 0.0) for axis in axes]
        same = all(value == values[0] for value in values)
        made[key] = values[0] if same else max(values) if key == "bias_time" else values
    return made


def densities(element: Element, prefix: str, scale: float = 1.0) -> dict[str, float]:
    """The errors of a quantity from the numbers of a plugin of RotorS or PX4 that begin with a prefix, in our unit."""

    def value(name: str) -> float:
        name = prefix + name if prefix else name[0].lower() + name[1:]
        return number_at(element, name, default=0.0)

    walk, time = value("RandomWalk") * scale, value("BiasCorrelationTime")
    errors = {"noise_density": value("NoiseDensity") * scale, "turn_on_bias": value("TurnOnBiasSigma") * scale}
    errors |= {"bias": walk * math.sqrt(0.5 * time), "bias_time": time} if walk and time else {"bias_walk": walk}
    return {key: rounded(number) for key, number in errors.items() if number}
