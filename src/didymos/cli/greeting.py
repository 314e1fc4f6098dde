"""What `didymos` says when it is called alone: who it is, and five things to try."""

from __future__ import annotations

from didymos.cli.text import print_table

__all__ = ["greet"]

TO_TRY = (
    ("didymos list", "the robots and worlds that are there"),
    ("didymos run quadcopter --plot hover.png", "fly one, and draw how it went"),
    ("didymos cockpit quadcopter --play", "watch and steer it in the browser"),
    ("didymos show crazyflie", "what a robot is made of"),
    ("didymos new rover --from rover.urdf", "your own robot, from its description"),
)
"""Commands and what they do: five, so that they fit a screen and a mind."""


def greet() -> None:
    """Print it."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        number = f" {version('didymos')}"
    except PackageNotFoundError:  # a checkout that is not installed
        number = ""
    print(f"Didymos{number}: digital twins of robots. Five things to try:\n")
    print_table(TO_TRY)
    print("\ndidymos --help lists all commands, didymos COMMAND --help explains one with an example;")
    print("didymos --install-completion lets the shell complete twins, scenarios, paths and signals.")
