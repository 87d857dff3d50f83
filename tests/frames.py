"""Frames as they arrive at the device under test, and what is right in them."""

import struct
import subprocess
import sys
import textwrap

CAPTURE = textwrap.dedent("""
    import socket, sys
    every_protocol, force_receive_buffer = socket.htons(3), 33
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, every_protocol) as capture:
        capture.bind((sys.argv[1], 0))
        capture.setsockopt(socket.SOL_SOCKET, force_receive_buffer, 1 << 24)
        capture.settimeout(10)
        print("ready", flush=True)
        for _ in range(int(sys.argv[2])):
            print(capture.recv(65536).hex())
""")


def captured(lab, wanted, send):
    """Return the first frames that come in while ``send`` sends; no program is in their way."""
    argv = lab.dut.argv([sys.executable, "-c", CAPTURE, lab.dut_device, str(wanted)])
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as capture:
        assert capture.stdout
        assert capture.stdout.readline() == "ready\n"
        send()
        return [bytes.fromhex(line) for line in capture.stdout]


def sum_of_words(covered):
    """Sum of 16-bit words in ones' complement (RFC 1071); 0xffff where the checksum is right."""
    padded = covered + bytes(len(covered) % 2)
    total = sum(struct.unpack(f"!{len(padded) // 2}H", padded))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total


def sum_of_segment(packet):
    """Sum of words over a TCP or UDP segment and its pseudo header (RFC 9293, 3.1)."""
    pseudo = packet[26:34] + struct.pack("!2H", packet[23], len(packet) - 34)
    return sum_of_words(pseudo + packet[34:])
