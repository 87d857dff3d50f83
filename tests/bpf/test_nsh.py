"""Packets as fixtures for each stage of a service function chain: NSH byte by byte."""

import json
import shutil
import struct
import subprocess
from pathlib import Path

import pytest

from .nsh_stages import (
    CONTEXT,
    HEADERS,
    HUB,
    MD1,
    NEXT,
    OWN,
    RULES,
    TC_DROP,
    TC_NEXT,
    TC_OK,
    TC_REDIRECT,
    XDP_DROP,
    XDP_PASS,
    colons,
    inner,
    nsh,
    outer,
)

pytestmark = pytest.mark.root

SYSTEM_PYTHON = "/usr/bin/python3"
"""The distribution's interpreter, for which its scapy is packaged."""
MALFORMED = {
    "version 1": nsh(bits=0b0100),
    "for operations": nsh(bits=0b0010),
    "shorter than its own fields": nsh(words=1, metadata_type=2, metadata=b""),
    "MD type 1 of another length": nsh(words=7, metadata=bytes(20)),
    "longer than the stages keep": nsh(words=11, metadata_type=2, metadata=bytes(36)),
    "MD type 0": nsh(metadata_type=0),
    "MD type 3": nsh(metadata_type=3),
    "MD type for experiments": nsh(metadata_type=15),
    "IPv4 inside": nsh(following=1),
    "NSH inside": nsh(following=4),
    "nothing behind it": None,
}


@pytest.mark.parametrize("kind", RULES)
def test_classifier_puts_exactly_the_rules_header_in_front(stages, kind):
    with stages("classify") as chain:
        chain.add_flow(*RULES[kind])
        expected = outer(HEADERS[kind], to=bytes(6), sender=OWN) + inner()
        assert chain.run("classify", inner()) == (TC_NEXT, expected)
        assert chain.counts("classify") == {"done": 1}


@pytest.mark.parametrize(
    "packet",
    [inner(protocol=6), inner()[:12] + b"\x08\x06" + bytes(46), inner()[:36], MD1 + inner()],
    ids=["other protocol", "ARP", "cut short", "no known type"],
)
def test_packets_without_a_rule_leave_as_they_were(stages, packet):
    with stages("classify") as chain:
        chain.add_flow()
        assert chain.run("classify", packet) == (TC_NEXT, packet)
        assert chain.counts("classify") == {"other": 1}


def test_rule_of_the_very_flow_goes_before_that_of_its_addresses(stages):
    with stages("classify") as chain:
        chain.add_flow("--si", "20")
        chain.add_flow("--source-port", "1024", "--destination-port", "9", "--si", "10")
        index = 14 + 7
        assert chain.run("classify", inner())[1][index] == 10
        assert chain.run("classify", inner(ports=(1025, 9)))[1][index] == 20


def test_echo_identifier_stands_for_the_source_port(stages):
    with stages("classify") as chain:
        chain.add_flow("--source-port", "4711", protocol="icmp")
        assert chain.run("classify", inner(protocol=1, ports=(4711, 1)))[0] == TC_NEXT
        chain.run("classify", inner(protocol=1, ports=(4712, 1)))
        assert chain.counts("classify") == {"done": 1, "other": 1}


@pytest.mark.parametrize("kind", HEADERS)
@pytest.mark.parametrize(
    "packet",
    [inner(), inner(protocol=6), inner(protocol=1), inner(options=bytes(8)), inner(protocol=47)],
    ids=["UDP", "TCP", "ICMP", "IP options", "GRE"],
)
def test_what_dec_strips_enc_puts_back_with_the_index_one_less(stages, kind, packet):
    with stages("dec", "enc") as chain:
        wrapped = outer(HEADERS[kind]) + packet
        assert chain.run("dec", wrapped) == (XDP_PASS, packet)
        header = bytearray(HEADERS[kind])
        header[7] -= 1
        assert chain.run("enc", packet) == (
            TC_NEXT, outer(bytes(header), to=bytes(6), sender=OWN) + packet
        )  # fmt: skip
        assert chain.counts("dec") == chain.counts("enc") == {"done": 1}


def test_every_fragment_of_a_packet_finds_its_header(stages):
    more, offset = 0x2000, 100
    with stages("dec", "enc") as chain:
        chain.run("dec", outer(MD1) + inner(fragment=more))
        assert chain.run("enc", inner(fragment=offset, ports=(0xDEAD, 0xBEEF)))[0] == TC_NEXT


@pytest.mark.parametrize("si", [0, 1])
def test_service_index_that_is_used_up_goes_no_further(stages, si):
    with stages("dec", "enc") as chain:
        assert chain.run("dec", outer(nsh(si=si)) + inner())[0] == XDP_PASS
        assert chain.run("enc", inner())[0] == TC_DROP
        assert chain.counts("enc") == {"si": 1}


def test_packet_that_was_on_no_path_does_not_leave_a_function(stages):
    with stages("dec", "enc") as chain:
        chain.run("dec", outer(MD1) + inner())
        assert chain.run("enc", inner(ports=(1025, 9)))[0] == TC_DROP
        assert chain.counts("enc") == {"unknown_flow": 1}


def test_frame_for_another_address_is_let_by(stages):
    packet = outer(MD1, to=NEXT) + inner()
    with stages("dec") as chain:
        assert chain.run("dec", packet) == (XDP_PASS, packet)
        assert chain.counts("dec") == {"other": 1}


@pytest.mark.parametrize(("stage", "sent"), [("fwd", TC_OK), ("sff", TC_REDIRECT)])
@pytest.mark.parametrize(("ttl", "left"), [(63, 62), (2, 1), (0, 63)])
def test_forwarder_ages_and_addresses_and_changes_nothing_else(stages, stage, sent, ttl, left):
    with stages(stage) as chain:
        chain.add_path(si=254)
        packet = outer(nsh(ttl=ttl, si=254)) + inner()
        assert chain.run(stage, packet) == (
            sent, outer(nsh(ttl=left, si=254), to=NEXT, sender=OWN) + inner()
        )  # fmt: skip


@pytest.mark.parametrize("stage", ["fwd", "sff"])
@pytest.mark.parametrize(
    ("header", "why"),
    [(nsh(ttl=1), "ttl"), (nsh(si=254), "unknown_path"), (nsh(spi=8), "unknown_path")],
    ids=["TTL 1", "no rule for the index", "no rule for the path"],
)
def test_forwarder_drops_and_says_why(stages, stage, header, why):
    with stages(stage) as chain:
        chain.add_path()
        assert chain.run(stage, outer(header) + inner())[0] == TC_DROP
        assert chain.counts(stage) == {why: 1}


def test_with_a_hub_everything_goes_there_unaged(stages):
    with stages("fwd", flags=("--sff-mac", colons(HUB))) as chain:
        packet = outer(nsh(si=3)) + inner()
        assert chain.run("fwd", packet) == (
            TC_OK, outer(nsh(si=3), to=HUB, sender=OWN) + inner()
        )  # fmt: skip


def test_path_ends_only_where_a_rule_says_so(stages):
    with stages("dec", flags=("--path-ends",)) as chain:
        chain.add_path(si=252)
        assert chain.run("dec", outer(nsh(si=252)) + inner()) == (XDP_PASS, inner())
        assert chain.run("dec", outer(nsh(si=253)) + inner())[0] == XDP_DROP
        assert chain.counts("dec") == {"done": 1, "unknown_path": 1}


def test_aware_function_decrements_the_index_itself(stages):
    with stages("bounce", flags=("--nsh-aware",)) as chain:
        assert chain.run("bounce", outer(MD1) + inner()) == (
            TC_REDIRECT, outer(nsh(si=254)) + inner()
        )  # fmt: skip
        assert chain.run("bounce", outer(nsh(si=1)) + inner())[0] == TC_DROP
        assert chain.run("bounce", inner()) == (TC_OK, inner())
        assert chain.counts("bounce") == {"done": 1, "si": 1, "other": 1}


def test_unaware_function_sends_back_what_it_got(stages):
    with stages("bounce") as chain:
        assert chain.run("bounce", inner()) == (TC_REDIRECT, inner())
        assert chain.run("bounce", outer(MD1) + inner())[0] == TC_OK


def frame_of_the_generator(protocol, phase, magic=0x6C72746B):
    """Its marks stand first in a UDP payload, behind 16 bytes and a longer header of TCP."""
    ahead = bytes(28 if protocol == 6 else 0)
    return inner(protocol=protocol, payload=ahead + struct.pack("<IIQ", magic, phase, 0))


@pytest.mark.parametrize("protocol", [17, 6], ids=["UDP", "TCP"])
def test_only_frames_of_the_counted_time_enter(stages, protocol):
    warm_up, measured = (frame_of_the_generator(protocol, phase) for phase in (0, 1))
    with stages("entry", flags=("--out-dev", "uplink")) as chain:
        assert chain.run("entry", warm_up)[0] == TC_DROP
        assert chain.run("entry", measured) == (TC_REDIRECT, measured)
        assert chain.run("entry", frame_of_the_generator(protocol, 0, magic=1))[0] == TC_OK
        assert chain.counts("entry") == {"early": 1, "done": 1, "other": 1}


@pytest.mark.parametrize("what", MALFORMED)
def test_malformed_header_is_dropped_and_counted_by_every_stage(stages, what):
    header = MALFORMED[what]
    packet = outer(MD1[:6]) if header is None else outer(header) + inner()
    with stages("dec", "fwd", "sff", flags=("--nsh-aware",)) as chain:
        chain.add_path()
        assert chain.run("dec", packet)[0] == XDP_DROP
        assert chain.counts("dec") == {"malformed": 1}
        for stage in ("fwd", "sff"):
            assert chain.run(stage, packet)[0] == TC_DROP, stage
            assert chain.counts(stage) == {"malformed": 1}


@pytest.mark.parametrize("stage", ["fwd", "sff", "enc"])
def test_malformed_or_not_what_is_no_nsh_passes_forwarders_untouched(stages, stage):
    arp = inner()[:12] + b"\x08\x06" + bytes(46)
    with stages(stage) as chain:
        verdict, packet = chain.run(stage, arp)
    assert packet == arp
    assert verdict == (TC_DROP if stage == "enc" else TC_OK), "enc drops what was on no path"


SCAPY = """
import json, sys
from scapy.contrib.nsh import NSH
from scapy.layers.l2 import Ether
seen = Ether(bytes.fromhex(sys.argv[1]))[NSH]
names = ("ver", "oam", "ttl", "length", "mdtype", "nextproto", "spi", "si")
print(json.dumps([getattr(seen, name) for name in names]
                 + [seen.context_header.hex(), type(seen.payload).__name__]))
"""
TSHARK = (
    "nsh.version", "nsh.Obit", "nsh.ttl", "nsh.length", "nsh.mdtype", "nsh.nextproto", "nsh.spi",
    "nsh.si", "nsh.metadataclass", "nsh.metadatatype", "udp.dstport", "nsh.metadata", "ip.dst",
)  # fmt: skip
"""Fields of tshark's dissector."""


def sent_by_source(stages, kind):
    with stages("classify", "fwd") as chain:
        chain.add_flow(*RULES[kind])
        chain.add_path()
        return chain.run("fwd", chain.run("classify", inner())[1])[1]


def test_scapy_reads_what_was_meant(stages):
    if not Path(SYSTEM_PYTHON).exists():
        pytest.skip(f"no {SYSTEM_PYTHON}, for which python3-scapy is packaged")
    # Of MD type 2 it takes the header's length for a number of fields.
    packet = sent_by_source(stages, "MD type 1")
    done = subprocess.run(
        [SYSTEM_PYTHON, "-c", SCAPY, packet.hex()], capture_output=True, text=True, check=False
    )
    if "No module named" in done.stderr:
        pytest.skip("python3-scapy is not installed")
    assert json.loads(done.stdout) == [0, 0, 62, 6, 1, 3, 7, 255, CONTEXT.hex(), "Ether"]


@pytest.mark.parametrize(
    ("kind", "length_and_type", "field", "value"),
    [
        ("MD type 1", [6, 1], [], ""),
        ("MD type 2, empty", [2, 2], [], ""),
        ("MD type 2, one field", [5, 2], [0xFFF6, 1], b"hello".hex()),
    ],
)
def test_tshark_reads_what_was_meant(stages, kind, length_and_type, field, value):
    if shutil.which("tshark") is None:
        pytest.skip("tshark is not installed")
    packet = sent_by_source(stages, kind)
    capture = (
        struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
        + struct.pack("<IIII", 0, 0, len(packet), len(packet))
        + packet
    )
    fields = [word for name in TSHARK for word in ("-e", name)]
    done = subprocess.run(
        ["tshark", "-r", "-", "-T", "fields", *fields],
        input=capture, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    *numbers, metadata, destination = done.stdout.decode().rstrip("\n").split("\t")
    read = [int(number, 0) for number in numbers if number]  # some are printed as 0x
    assert read == [0, 0, 62, *length_and_type, 3, 7, 255, *field, 9]
    assert (metadata, destination) == (value, "198.19.0.1")
