"""What becomes of a shadow when things go wrong, and what it costs: `python tools/try_shadow.py [CASE ...] [--seconds S]`.

A robot is another process: a served twin over DDS, or a twin that tells of itself by UDP through a relay that can be cut; with
`mavlink-` one that flies on MAVLink, with `moteus-` a drive on a bus with the public client as its host. Cases:

    killed      the robot is killed and started anew: its clock begins again          also mavlink-, moteus-
    cut         the line is cut for 5 s, the robot goes on                            also mavlink-, moteus-
    garbage     bytes that mean nothing come between the robot's                      also mavlink-, moteus-
    jump        the robot's clock jumps by a minute, forward and back                 also mavlink-
    kill9       the shadow is killed: its log of both sides is whole but for the last second      also mavlink-, moteus-
    silent      a shadow without a robot
    moteus-unplugged    the adapter through which the bus is heard is gone for 5 s
    moteus-asked        drives without a host: they are asked, and not commanded
    moteus-twelve       twelve drives on one bus: how often they are heard (`--rate`), how late, at what cost
    cost        latency from arrival to innovation, CPU, and the robot's own rate (`--rate`) without and with a shadow

Each case prints what the shadow said and what is in the logs; the exit status is 1 if something is not as it should be.
The robot's own recording tells whether it was commanded.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "src")]

from shadowing import lines, mavlink, moteus  # noqa: E402
from shadowing.cost import cost  # noqa: E402

CASES = {
    "killed": lines.killed, "cut": lines.cut, "garbage": lines.garbage, "jump": lines.jump, "kill9": lines.kill9,
    "silent": lines.silent,
    "mavlink-killed": mavlink.killed, "mavlink-cut": mavlink.cut, "mavlink-garbage": mavlink.garbage,
    "mavlink-jump": mavlink.jump, "mavlink-kill9": mavlink.kill9,
    "moteus-killed": moteus.killed, "moteus-cut": moteus.cut, "moteus-unplugged": moteus.unplugged,
    "moteus-garbage": moteus.garbage, "moteus-kill9": moteus.kill9, "moteus-asked": moteus.asked,
}  # fmt: skip
MEASURED = {"cost": cost, "moteus-twelve": moteus.twelve}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("case", nargs="*", choices=[*CASES, *MEASURED, []], default=[*CASES, *MEASURED])
    parser.add_argument("--seconds", type=float, default=30.0, help="of the cases that measure")
    parser.add_argument("--rate", type=float, default=200.0, help="[Hz] of the robot of these")
    parser.add_argument("--first", action="store_true", help="robot and shadow of these go before others; needs root")
    options = parser.parse_args()
    good = True
    for name in options.case:
        with tempfile.TemporaryDirectory() as folder:
            if name in MEASURED:
                good &= MEASURED[name](Path(folder), options.seconds, options.rate, first=options.first)
            else:
                good &= CASES[name](Path(folder))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
