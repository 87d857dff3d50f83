"""TCP, marked and spoofed frames of the generator, byte by byte."""

import shutil
import struct
import subprocess
from collections import Counter

import pytest

from linerate.measure.generators.live_frames import parse_report
from linerate.measure.labs.veth import GENERATOR_DEVICE, open_veth_lab
from linerate.measure.processes import built
from linerate.units import FCS_BYTES

from ..frames import captured, sum_of_segment, sum_of_words

pytestmark = pytest.mark.root

WANTED = 120
STUDY = ("--protocol", "tcp", "--tcp-flags", "SR", "--payload-prefix", "_X")
"""SYN and RST, X as second byte of the payload: Sampaio (2017)."""
STUDY_FRAME_BYTES = 122
"""64 bytes of TCP payload."""
TCP, UDP = 6, 17


def traffic(lab, *flags):
    argv = [
        built.runner("traffic"), "--dev", GENERATOR_DEVICE, "--dut-dev", lab.dut_device,
        "--dut-netns", lab.dut.path, "--cores", "0", *map(str, flags),
    ]  # fmt: skip
    done = subprocess.run(lab.generator.argv(argv), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def frames(*flags):
    pace = (
        "--arrivals", "constant", "--packets-per-second", 2000, "--batch-packets", 1,
        "--warm-up-seconds", 0.02, "--seconds", 0.15,
    )  # fmt: skip
    with open_veth_lab("serial", 1, gro=True) as lab:
        return captured(lab, WANTED, lambda: traffic(lab, *pace, *flags))


def check_frame(packet, protocol):
    assert packet[14] == 0x45, "IPv4 without options"
    assert packet[23] == protocol
    assert struct.unpack("!H", packet[16:18])[0] == len(packet) - 14
    assert sum_of_words(packet[14:34]) == 0xFFFF
    assert packet[30:34] == bytes([198, 19, 0, 1])
    if protocol == TCP:
        assert packet[46] >> 4 == 5, "TCP without options"
        assert sum_of_segment(packet) == 0xFFFF


def hosts(packets):
    """Host parts of the source addresses."""
    assert {packet[26:28] for packet in packets} == {bytes([198, 18])}
    return [struct.unpack("!H", packet[28:30])[0] for packet in packets]


@pytest.mark.parametrize("frame_bytes", [90, 91, STUDY_FRAME_BYTES, 1518])
def test_a_tcp_frame_has_its_size_and_right_checksums(frame_bytes):
    packets = frames(*STUDY, "--frame-bytes", frame_bytes)
    assert {len(packet) + FCS_BYTES for packet in packets} == {frame_bytes}
    for packet in packets:
        check_frame(packet, TCP)


def test_what_the_generator_sets_in_each_packet_is_in_its_checksum():
    packets = frames(
        *STUDY, "--frame-bytes", "90,594,594,1518", "--sources", 60000, "--flows", 7, "--stamp"
    )
    for packet in packets:
        check_frame(packet, TCP)
    assert len({packet[70:86] for packet in packets}) == WANTED, "each has a stamp of its own"
    assert {struct.unpack("!H", packet[34:36])[0] for packet in packets} == set(range(1024, 1031))
    sizes = Counter(len(packet) + FCS_BYTES for packet in packets)
    assert sizes == {90: WANTED // 4, 594: WANTED // 2, 1518: WANTED // 4}


def test_flags_and_payload_are_those_asked_for():
    packets = frames(*STUDY, "--frame-bytes", STUDY_FRAME_BYTES)
    assert {packet[47] for packet in packets} == {0x02 | 0x04}
    assert {packet[54:56] for packet in packets} == {b"_X"}
    assert {len(packet[54:]) for packet in packets} == {64}


@pytest.mark.parametrize(
    ("letters", "bits"), [("F", 1), ("S", 2), ("R", 4), ("P", 8), ("A", 16), ("U", 32), ("", 0)]
)
def test_each_letter_is_one_flag(letters, bits):
    packets = frames("--protocol", "tcp", "--tcp-flags", letters, "--frame-bytes", 90)
    assert {packet[47] for packet in packets} == {bits}


@pytest.mark.parametrize(
    ("protocol", "flags"), [(UDP, ()), (TCP, ("--protocol", "tcp", "--frame-bytes", 90))]
)
@pytest.mark.parametrize("sources", [3, 65534])
def test_sources_are_drawn_from_so_many_addresses(protocol, flags, sources):
    packets = frames(*flags, "--sources", sources)
    for packet in packets:
        check_frame(packet, protocol)
    seen = Counter(hosts(packets))
    assert min(seen) >= 1
    assert max(seen) <= sources
    # Of 3, none is missed by 120 draws but once in 10^20; of 65534, most draws are new ones.
    assert len(seen) == 3 if sources == 3 else len(seen) > WANTED * 0.9


def test_spoofed_udp_of_mixed_sizes_stays_right():
    packets = frames("--sources", 1000, "--frame-bytes", "64,128,1518")
    for packet in packets:
        check_frame(packet, UDP)
    assert len({len(packet) for packet in packets}) == 3


@pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")
@pytest.mark.parametrize(
    "flags", [(*STUDY, "--frame-bytes", "122,594", "--sources", 500, "--stamp"), ("--sources", 500)]
)
def test_tshark_finds_nothing_wrong(flags, tmp_path):
    packets = frames(*flags)
    capture = tmp_path / "frames.pcap"
    ethernet = 1
    header = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, ethernet)
    records = (struct.pack("<IIII", 0, 0, len(packet), len(packet)) + packet for packet in packets)
    capture.write_bytes(header + b"".join(records))
    checked = [f"-o{protocol}.check_checksum:TRUE" for protocol in ("ip", "tcp", "udp")]
    fields = ("ip.checksum.status", "tcp.checksum.status", "tcp.flags", "_ws.malformed")
    output = subprocess.run(
        ["tshark", "-r", capture, *checked, "-Tfields", *(f"-e{field}" for field in fields)],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    good, syn_and_rst = "1", "0x0006"
    wanted = [good, good, syn_and_rst, ""] if "tcp" in flags else [good, "", "", ""]
    assert [line.split("\t") for line in output.splitlines()] == [wanted] * WANTED


def test_tcp_frames_are_known_when_they_come_back():
    with open_veth_lab("split", 1, gro=False) as lab:
        lab.dut.run(
            ["ip", "link", "set", "dev", lab.dut_device, "xdpdrv", "obj",
             built.program_object("xdp_tx"), "sec", "xdp"]
        )  # fmt: skip
        report = parse_report(
            traffic(
                lab, *STUDY, "--frame-bytes", STUDY_FRAME_BYTES, "--sources", 60000, "--stamp",
                "--arrivals", "poisson", "--packets-per-second", 20000, "--batch-packets", 1,
                "--seconds", 0.1,
            )
        )  # fmt: skip
    assert report.received == report.sent > 500
    assert report.latency is not None
    assert sum(count for _, count in report.latency.buckets) == report.received


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--protocol", "tcp"), "90 bytes"),
        (("--protocol", "tcp", "--frame-bytes", "1518,89"), "90 bytes"),
        (("--protocol", "sctp"), "protocol=sctp: unknown"),
        (("--tcp-flags", "S"), "--protocol tcp"),
        (("--payload-prefix", "_X"), "--protocol tcp"),
        (("--tcp-flags", "X"), "tcp-flags=X: "),
        (("--payload-prefix", "x" * 17), "payload-prefix=xxx"),
        (("--payload-prefix", "\t"), "not printable"),
        (("--sources", "0"), "sources=0: "),
        (("--sources", "65535"), "sources=65535: "),
    ],
)
def test_runner_refuses_packets_that_cannot_be(flags, words):
    needed = ("--dev", "x", "--dut-dev", "y", "--cores", "0")
    done = subprocess.run(
        [built.runner("traffic"), *needed, *flags], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert words in done.stderr.splitlines()[0]
