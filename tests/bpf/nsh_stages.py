"""Packets in NSH, byte by byte, and the stages of a chain to run them through."""

import json
import struct
import subprocess

from linerate.measure.processes import built

XDP_DROP, XDP_PASS = 1, 2
TC_OK, TC_DROP, TC_REDIRECT, TC_NEXT = 0, 2, 7, 0xFFFFFFFF
"""enum xdp_action of linux/bpf.h; actions of linux/pkt_cls.h, the last one TC_ACT_UNSPEC."""
PINS = "/sys/fs/bpf"
OWN = bytes.fromhex("020000000077")
NEXT = bytes.fromhex("020000001002")
HUB = bytes.fromhex("0200000010ff")
CONTEXT = bytes(range(16))


def colons(mac):
    return mac.hex(":")


def inner(protocol=17, ports=(1024, 9), fragment=0, options=b"", payload=bytes(18)):
    """An Ethernet frame with an IPv4 packet: what a function sees."""
    header = struct.pack(">HHHH", *ports, 8 + len(payload), 0)
    if protocol == 1:
        header = struct.pack(">BBHHH", 8, 0, 0, *ports)
    total = 20 + len(options) + len(header) + len(payload)
    packet = struct.pack(
        ">BBHHHBBH4s4s", 0x45 + len(options) // 4, 0, total, 1, fragment, 64, protocol, 0,
        bytes([198, 18, 0, 1]), bytes([198, 19, 0, 1]),
    )  # fmt: skip
    return NEXT + OWN + b"\x08\x00" + packet + options + header + payload


def nsh(*, ttl=63, words=6, metadata_type=1, metadata=CONTEXT, **fields):
    """A header as RFC 8300 draws it, or a wrong one."""
    of = {"following": 3, "spi": 7, "si": 255, "bits": 0} | fields
    first = of["bits"] << 12 | ttl << 6 | words
    path = of["spi"] << 8 | of["si"]
    return struct.pack(">HBBI", first, metadata_type, of["following"], path) + metadata


def outer(header, to=OWN, sender=NEXT):
    return to + sender + b"\x89\x4f" + header


MD1 = nsh()
MD2 = nsh(words=2, metadata_type=2, metadata=b"")
TLV = bytes.fromhex("fff60105") + b"hello" + bytes(3)
MD2_TLV = nsh(words=5, metadata_type=2, metadata=TLV)
HEADERS = {"MD type 1": MD1, "MD type 2, empty": MD2, "MD type 2, one field": MD2_TLV}
RULES = {
    "MD type 1": ("--metadata-type", "1", "--context", CONTEXT.hex()),
    "MD type 2, empty": ("--metadata-type", "2"),
    "MD type 2, one field": ("--metadata-type", "2", "--context", b"hello".hex()),
}


class Stages:
    """Stages that are attached in a namespace of their own."""

    def __init__(self, namespace, process, folder):
        self.namespace = namespace
        self.process = process
        self.folder = folder
        output = process.stdout.readline()
        assert output, process.stderr.read()
        self.ids = json.loads(output)["attached"]

    def run(self, stage, packet):
        """Return the verdict and the packet that came out."""
        came_in, came_out = self.folder / "in", self.folder / "out"
        came_in.write_bytes(packet)
        argv = ["bpftool", "-j", "prog", "run", "id", str(self.ids[f"{stage}@uplink"])]
        done = subprocess.run(
            [*argv, "data_in", came_in, "data_out", came_out],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr or done.stdout
        return json.loads(done.stdout)["retval"], came_out.read_bytes()

    def counts(self, stage):
        """What became of the packets so far, without zeros."""
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        counts = json.loads(self.process.stdout.readline())[f"{stage}@uplink"]
        return {what: packets for what, packets in counts.items() if packets}

    def rules(self, *words):
        """Run the command that sets rules; its exit code and its words."""
        argv = [built.runner("nsh_rules").resolve(), words[0], "--pins", PINS, *words[1:]]
        done = subprocess.run(
            self.namespace.argv(argv, pins=True), capture_output=True, text=True, check=False
        )
        return done.returncode, done.stdout + done.stderr

    def add_flow(self, *options, protocol="udp"):
        words = ("add-flow", "--source", "198.18.0.1", "--destination", "198.19.0.1")
        assert self.rules(*words, "--protocol", protocol, "--spi", "7", *options) == (0, "")

    def add_path(self, spi=7, si=255, mac=NEXT):
        words = ("add-path", "--spi", str(spi), "--si", str(si), "--mac", colons(mac))
        assert self.rules(*words) == (0, "")


def start_stages(namespace, *flags):
    argv = [
        built.runner("nsh_stage").resolve(), "--objects",
        built.program_object("nsh_fwd").resolve().parent, "--pins", PINS,
        "--own-dev", "uplink", *flags,
    ]  # fmt: skip
    return subprocess.Popen(
        namespace.argv(argv, pins=True), text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def loaded_programs():
    """Ids of all programs; bpftool fails when one goes while it walks the list."""
    for _ in range(50):
        done = subprocess.run(
            ["bpftool", "-j", "prog", "list"], capture_output=True, text=True, check=False
        )
        if done.returncode == 0:
            return {program["id"] for program in json.loads(done.stdout)}
    raise AssertionError("bpftool cannot list the programs")
