"""Who listens to /diagnostics: `diagnostics_peer.py DOMAIN LEVEL ALARMS`.

Prints the first message in which the robot as a whole has this level and there are so many alarms, as one JSON object. Types are
written by hand after ROS 2's .msg files, as in peer.py; nothing of Didymos is used.
"""

import json
import sys
from dataclasses import asdict, dataclass

from cyclonedds.idl import IdlStruct, types
from peer import Header, Peer, until


@dataclass
class KeyValue(IdlStruct, typename="diagnostic_msgs.msg.dds_.KeyValue_"):
    key: str
    value: str


@dataclass
class DiagnosticStatus(IdlStruct, typename="diagnostic_msgs.msg.dds_.DiagnosticStatus_"):
    level: types.uint8
    name: str
    message: str
    hardware_id: str
    values: types.sequence[KeyValue]


@dataclass
class DiagnosticArray(IdlStruct, typename="diagnostic_msgs.msg.dds_.DiagnosticArray_"):
    header: Header
    status: types.sequence[DiagnosticStatus]


def main(domain, level, alarms):
    peer = Peer(domain)
    reader = peer.reader("rt/diagnostics", DiagnosticArray)

    def told():
        found = [message for message in reader.take(N=100) if message.status[0].level == level]
        return next((message for message in found if len(message.status) == 1 + alarms), None)

    print(json.dumps(asdict(until(told, "such a message"))))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:4]))
