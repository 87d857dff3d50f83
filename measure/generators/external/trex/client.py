"""Sends one load by a TRex server of this host; run by the Python that TRex supports.

It stands alone, without linerate. Its one argument is a JSON object, its one line a JSON object
behind a mark. The server gets the time to send for. Should this process be killed before that, a
guard that it leaves behind stops the port, and ends. It keeps to what Python 3.8 has.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import TYPE_CHECKING, Any

MARK = "LINERATE "
SERVER = "127.0.0.1"
EXIT_FAILED, EXIT_CANNOT_HERE = 3, 4
PROBE_GROUP = 7
"""Number under which the server counts the probes apart."""
PROBES_PER_SECOND_MAX, PROBE_RATIO = 1000.0, 0.01
FCS_BYTES, HEADER_BYTES = 4, 14 + 20 + 8
SOURCE_PORT_FIRST, PORT_DISCARD = 1024, 9
SETTLE_MS = 200
GRACE_SECONDS = 5.0

if TYPE_CHECKING:
    Fields = dict[str, Any]
# Modules and objects of TRex, which is not here to be typed.
Module = Any
Client = Any
Stream = Any
Packet = Any


def main() -> None:
    """Send what the argument says, and print what was counted."""
    asked: Fields = json.loads(sys.argv[1])
    guard = _leave_guard(asked)
    try:
        output = _sent(_api(asked["api"]), asked)
    except Exception as error:  # TRex's own family, which is known only once it is loaded
        sys.stderr.write(f"TRex: {type(error).__name__}: {_plain(error)}\n")
        sys.exit(EXIT_FAILED)
    os.write(guard, b"done")
    sys.stdout.write(f"{MARK}{json.dumps(output)}\n")


def _api(folder: str) -> Module:
    sys.path.insert(0, folder)
    try:
        return importlib.import_module("trex.stl.api")
    except ImportError as error:
        sys.stderr.write(
            f"TRex: its Python client in {folder} does not load under {sys.executable} "
            f"{sys.version.split()[0]}: {error}\n"
        )
        sys.exit(EXIT_CANNOT_HERE)


def _plain(error: Exception) -> str:
    return " ".join(str(error).split())[:500]


@contextmanager
def _connected(api: Module, address: str) -> Iterator[tuple[Client, int]]:
    """Log in to the server, and find the port that has the card."""
    client = api.STLClient(server=SERVER)
    with contextlib.redirect_stdout(sys.stderr):  # it speaks to humans on standard output
        client.connect()
        try:
            yield client, _port_of(client, address)
        finally:
            client.disconnect()


def _port_of(client: Client, address: str) -> int:
    cards = {
        str(client.get_port_info(ports=[port])[0].get("pci_addr")): int(port)
        for port in client.get_all_ports()
    }
    if address not in cards:
        raise LookupError(f"the server has no port on {address}; it has {', '.join(cards)}")
    return cards[address]


def _sent(api: Module, asked: Fields) -> Fields:
    with _connected(api, asked["pci"]) as (client, port):
        client.reset(ports=[port])
        client.set_port_attr(ports=[port], promiscuous=True)
        client.add_streams(_streams(api, asked), ports=[port])
        client.clear_stats()
        begin_s = time.monotonic()
        multiplier = "100%" if asked["pps"] is None else "1"
        client.start(ports=[port], mult=multiplier, duration=asked["seconds"], force=True)
        busy = _busiest(client, begin_s + asked["seconds"])
        client.wait_on_traffic(
            ports=[port], timeout=asked["seconds"] + GRACE_SECONDS, rx_delay_ms=SETTLE_MS
        )
        lasted_s = time.monotonic() - begin_s
        return {**_counted(client, port), **busy, "lasted_s": lasted_s}


def _busiest(client: Client, end_s: float) -> Fields:
    """Look once a second at what the server says of its own cores; it forgets it afterwards."""
    busy = {"cpu_percent": 0.0, "queue_full": 0}
    while (left_s := end_s - time.monotonic()) > 0.2:
        time.sleep(min(1.0, left_s - 0.1))
        seen = client.get_stats().get("global", {})
        busy["cpu_percent"] = max(busy["cpu_percent"], float(seen.get("cpu_util", 0.0)))
        busy["queue_full"] = max(busy["queue_full"], int(seen.get("queue_full", 0)))
    return busy


def _counted(client: Client, port: int) -> Fields:
    own = client.get_stats(ports=[port])[port]
    probes = client.get_pgid_stats([PROBE_GROUP]).get("latency", {}).get(PROBE_GROUP, {})
    latency = probes.get("latency", {})
    return {
        "sent": int(own["opackets"]),
        "received": int(own["ipackets"]),
        "send_errors": int(own.get("oerrors", 0)),
        "receive_errors": int(own.get("ierrors", 0)),
        "histogram": [[int(us), int(count)] for us, count in latency.get("histogram", {}).items()],
        "max_us": _number(latency.get("total_max")),
        "warnings": [_plain(warning)[:200] for warning in client.get_warnings()][:5],
    }


def _number(value: object) -> float:
    """Read a number; the client puts an object where the server did not say."""
    return float(value) if isinstance(value, (int, float)) else 0.0


def _streams(api: Module, asked: Fields) -> list[Stream]:
    """One stream for each slot of the mix, and one of probes that the server stamps."""
    sizes, flood = asked["frame_bytes"], asked["pps"] is None
    pps = 1e6 if flood else asked["pps"]  # when flooding only its ratio to the probes counts
    probes_pps = min(PROBES_PER_SECOND_MAX, pps * PROBE_RATIO)
    slot_pps = (pps - probes_pps) / len(sizes)
    machine = api.STLVM()
    machine.var(
        name="flow", min_value=SOURCE_PORT_FIRST, max_value=SOURCE_PORT_FIRST + asked["flows"] - 1,
        size=2, op="inc",
    )  # fmt: skip
    machine.write(fv_name="flow", pkt_offset="UDP.sport")
    load = [
        api.STLStream(
            packet=api.STLPktBuilder(pkt=_packet(api, size), vm=machine),
            mode=api.STLTXCont(pps=slot_pps),
            isg=number * 1e6 / (slot_pps * len(sizes)),
        )
        for number, size in enumerate(sizes)
    ]
    stamped = api.STLStream(
        packet=api.STLPktBuilder(pkt=_packet(api, sizes[0])),
        mode=api.STLTXCont(pps=probes_pps),
        flow_stats=api.STLFlowLatencyStats(pg_id=PROBE_GROUP),
    )
    return [*load, stamped]


def _packet(api: Module, frame_bytes: int) -> Packet:
    header = (
        api.Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02")
        / api.IP(src="198.18.0.1", dst="198.19.0.1")
        / api.UDP(sport=SOURCE_PORT_FIRST, dport=PORT_DISCARD, chksum=0)
    )
    return header / (b"\0" * (frame_bytes - FCS_BYTES - HEADER_BYTES))


def _leave_guard(asked: Fields) -> int:
    """Fork a process that outlives this one, should it be killed; end of the pipe to it.

    The server goes on sending for the time that it was given.
    """
    reading, writing = os.pipe()
    if os.fork():
        os.close(reading)
        return writing
    os.setsid()
    os.close(writing)
    null = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):
        os.dup2(null, standard)
    if not os.read(reading, 4):
        _stop(asked)
    os._exit(0)


def _stop(asked: Fields) -> None:
    signal.signal(signal.SIGALRM, _give_up)
    signal.alarm(30)
    with suppress(Exception), _connected(_api(asked["api"]), asked["pci"]) as (client, port):
        client.acquire(ports=[port], force=True)
        client.stop(ports=[port])


def _give_up(number: int, frame: FrameType | None) -> None:
    os._exit(EXIT_FAILED)


if __name__ == "__main__":
    main()
