"""Stands in for TRex's Python client where there is none: the calls that client.py makes.

Its results have the form that TRex documents. What it is asked for goes to the file TREX_CALLS, a
JSON object a line; TREX_ANSWER is a JSON object of settings: ``seconds`` that traffic lasts,
``port`` and ``global`` statistics, ``latency``, ``warnings``, ``cards`` of the server's ports.
"""

import json
import os
import time

ANSWER = json.loads(os.environ.get("TREX_ANSWER", "{}"))
CARDS = ANSWER.get("cards", ["0000:3b:00.1", "0000:3b:00.0"])


def note(call, **output):
    with open(os.environ["TREX_CALLS"], "a") as calls:
        calls.write(json.dumps({"call": call} | output) + "\n")


class STLError(Exception):
    pass


class Layer:
    def __init__(self, size=0, **fields):
        self.size, self.fields = size, fields

    def __truediv__(self, other):
        more = len(other) if isinstance(other, bytes) else other.size
        fields = {} if isinstance(other, bytes) else other.fields
        return Layer(self.size + more, **{**self.fields, **fields})


def Ether(**fields):
    return Layer(14, **fields)


def IP(**fields):
    return Layer(20, **{f"ip_{name}": value for name, value in fields.items()})


def UDP(**fields):
    return Layer(8, **fields)


class STLVM:
    def __init__(self):
        self.steps = []

    def var(self, **fields):
        self.steps.append(fields)

    def write(self, **fields):
        self.steps.append(fields)


class STLPktBuilder:
    def __init__(self, pkt, vm=None):
        self.pkt, self.vm = pkt, vm


class STLTXCont:
    def __init__(self, pps):
        self.pps = pps


class STLFlowLatencyStats:
    def __init__(self, pg_id):
        self.pg_id = pg_id


class STLStream:
    def __init__(self, packet, mode, isg=0.0, flow_stats=None):
        self.output = {
            "bytes": packet.pkt.size,
            "pps": mode.pps,
            "isg_us": isg,
            "group": flow_stats.pg_id if flow_stats else None,
            "steps": packet.vm.steps if packet.vm else [],
        }


class StatNotAvailable:
    pass


class STLClient:
    def __init__(self, server):
        note("client", server=server)

    def connect(self):
        print("Connecting to RPC server on 127.0.0.1:4501   [SUCCESS]")
        if ANSWER.get("refuses"):
            raise STLError("*** [RPC] - server did not respond\nsecond line")

    def disconnect(self):
        note("disconnect")

    def get_all_ports(self):
        return list(range(len(CARDS)))

    def get_port_info(self, ports):
        return [{"pci_addr": CARDS[port], "speed": 10} for port in ports]

    def reset(self, ports):
        note("reset", ports=ports)

    def acquire(self, ports, force):
        note("acquire", ports=ports, force=force)

    def stop(self, ports):
        note("stop", ports=ports)

    def set_port_attr(self, ports, promiscuous):
        note("set_port_attr", promiscuous=promiscuous)

    def add_streams(self, streams, ports):
        note("add_streams", ports=ports, streams=[stream.output for stream in streams])

    def clear_stats(self):
        note("clear_stats")

    def start(self, ports, mult, duration, force):
        self.end_s = time.monotonic() + ANSWER.get("seconds", duration)
        note("start", ports=ports, mult=mult, duration=duration, force=force)

    def wait_on_traffic(self, ports, timeout, rx_delay_ms):
        note("wait_on_traffic", timeout=timeout)
        time.sleep(max(0.0, self.end_s - time.monotonic()))

    def get_stats(self, ports=None):
        own = {"opackets": 1000, "ipackets": 990, "oerrors": 0, "ierrors": 0}
        shared = {"cpu_util": 12.5, "queue_full": 0}
        return {
            1: own | ANSWER.get("port", {}),
            "global": shared | ANSWER.get("global", {}),
            "total": own,
        }

    def get_pgid_stats(self, pgids):
        latency = {"average": 11.0, "total_max": 52, "histogram": {0: 2, 10: 5, 50: 1}}
        latency = latency | ANSWER.get("latency", {})
        if ANSWER.get("without_latency"):
            latency = {"total_max": StatNotAvailable(), "histogram": {}}
        latency["histogram"] = {int(us): n for us, n in latency["histogram"].items()}
        return {
            "latency": {"global": {"bad_hdr": 0, "old_flow": 0}, pgids[0]: {"latency": latency}}
        }

    def get_warnings(self):
        return ANSWER.get("warnings", [])
