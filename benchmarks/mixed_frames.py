"""What rulesets take of frames that come mixed: ``sudo python benchmarks/mixed_frames.py COSTS``.

COSTS is a model of `data/campaigns/rulesets.toml` that was measured within the hour. Frames of 64
and 66 bytes differ by one thing, in turn; each kind runs as `linerate fits` runs it, all kinds in
turn, and stands beside its price. None of these rules takes a packet, but the last of a router.
"""

from __future__ import annotations

import argparse
import json
import struct
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path
from statistics import fmean, median

from linerate.face.fits.rulesets import fits_ruleset
from linerate.measure.datapaths.filters.own.inputs import RulesetUnderTest
from linerate.measure.datapaths.filters.own.test_run import time_ruleset
from linerate.measure.objects.traffic.frames import read_frames
from linerate.measure.objects.traffic.udp_frames import internet_checksum
from linerate.measure.rulesets.listing import load_source
from linerate.measure.rulesets.source import read_source
from linerate.progress import telling

ROUNDS = 2
"""Of three loads each."""
NFT = """table inet mixed {{
  chain first {{
    type filter hook {hook} priority 0; policy drop;
    tcp dport 22 drop
    udp dport 53 drop
    ip saddr 192.0.2.0/24 drop
    {last}
  }}
}}
"""
SAVED = """*filter
:INPUT DROP [0:0]
:FORWARD DROP [0:0]
-A {chain} -p tcp -m tcp --dport 22 -j DROP
-A {chain} -p udp -m udp --dport 53 -j DROP
-A {chain} -s 192.0.2.0/24 -j DROP
{last}COMMIT
"""
RULESETS = {
    "early.nft": NFT.format(hook="prerouting", last=""),
    "host.nft": NFT.format(hook="input", last=""),
    "router.nft": NFT.format(hook="forward", last="udp dport 9 accept"),
    "host.rules": SAVED.format(chain="INPUT", last=""),
    "router.rules": SAVED.format(
        chain="FORWARD", last="-A FORWARD -p udp -m udp --dport 9 -j ACCEPT\n"
    ),
}
OF_SEVERAL_PROTOCOLS = ("early.nft", "host.nft")
MACS = bytes.fromhex("020000000002020000000001")
UDP, DISCARD = 17, 9
SOURCE, DESTINATION = IPv4Address("10.1.0.1"), IPv4Address("10.2.0.1")
SOURCE_V6, DESTINATION_V6 = IPv6Address("2001:db8:1::1"), IPv6Address("2001:db8:2::1")


def ipv4(source: int = 0, destination: int = 0, port: int = 0) -> bytes:
    """Build a UDP packet whose ends are so many addresses, or ports, behind the first."""
    ends = (SOURCE + source).packed + (DESTINATION + destination).packed
    head = struct.pack("!2B3H2BH", 0x45, 0, 28, 0, 0, 64, UDP, 0)
    head = head[:10] + internet_checksum(head + ends) + ends
    return MACS + b"\x08\x00" + head + struct.pack("!4H", 1024 + port, DISCARD, 8, 0)


def ipv6() -> bytes:
    """Build a UDP packet of IPv6."""
    head = struct.pack("!IHBB", 0x60000000, 8, UDP, 64) + SOURCE_V6.packed + DESTINATION_V6.packed
    return MACS + b"\x86\xdd" + head + struct.pack("!4H", 1024, DISCARD, 8, 0)


def write_kinds(folder: Path) -> Mapping[str, tuple[Path, bool]]:
    """Write lists of frames; by how they differ the file, and whether it is by their protocol."""
    orders: Mapping[str, Sequence[bytes]] = {
        "one flow": [ipv4()],
        "64 source ports": [ipv4(port=each) for each in range(64)],
        "64 sources": [ipv4(source=each) for each in range(64)],
        "4 destinations": [ipv4(destination=each) for each in range(4)],
        "1000 destinations": [ipv4(destination=each) for each in range(1000)],
        "IPv6 alone": [ipv6()],
        "IPv4, IPv6 in turn": [ipv4(), ipv6()],
    }  # fmt: skip
    found = {}
    for name, packets in orders.items():
        found[name] = (folder / f"{name}.json", "IPv6" in name)
        frames = [{"hex": packet.hex(), "weight": 1} for packet in packets]
        found[name][0].write_text(json.dumps(frames))
    return found


def under_test(path: Path) -> RulesetUnderTest:
    """Read a ruleset as it is asked about: to its last hook."""
    source = read_source(path)
    ruleset = load_source(source)
    last = "forward" if path.stem == "router" else ruleset.hooks[0]
    return RulesetUnderTest(source=source, ruleset=ruleset, last=last)


def priced(tested: RulesetUnderTest, frames: Path, costs: Path) -> tuple[float, float, float]:
    """Price frames: ns, and the ends of the interval."""
    (answer,) = fits_ruleset(
        tested.source.path, traffic=frames, model=costs, hook=tested.last
    ).answers
    case = answer.priced.cases[1]
    return case.packet_ns, case.lower_ns, case.upper_ns


def main() -> None:
    """Run and price each kind on each ruleset, and print both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("costs", type=Path, help="model of data/campaigns/rulesets.toml")
    costs = parser.parse_args().costs
    with tempfile.TemporaryDirectory() as name, telling(shown=True) as tell:
        folder = Path(name)
        for file, text in RULESETS.items():
            (folder / file).write_text(text)
        cells = [
            (file, how, under_test(folder / file), path)
            for file in RULESETS
            for how, (path, by_protocol) in write_kinds(folder).items()
            if not by_protocol or file in OF_SEVERAL_PROTOCOLS
        ]  # fmt: skip
        taken_ns = defaultdict[tuple[str, str], list[float]](list)
        for turn in range(ROUNDS):
            for place, (file, how, tested, path) in enumerate(cells):
                tell("test runs", turn * len(cells) + place, ROUNDS * len(cells))
                run = time_ruleset(tested, read_frames(path), lambda *_: None)
                taken_ns[file, how] += run.ran_ns
        prices = {(file, how): priced(tested, path, costs) for file, how, tested, path in cells}
    off = []
    for cell, (price, lower, upper) in prices.items():
        times = taken_ns[cell]
        off.append(100.0 * (price / median(times) - 1.0))
        print(f"{cell[0]:13} {cell[1]:19} {median(times):6.0f} ns ({min(times):.0f} to "
              f"{max(times):.0f}), priced {price:6.0f} ({lower:.0f} to {upper:.0f}), "
              f"{off[-1]:+.1f} %")  # fmt: skip
    sizes = sorted(map(abs, off))
    print(f"prices are off by {median(sizes):.1f} % in the median, {fmean(sizes):.1f} % in the "
          f"mean, {sizes[-1]:.1f} % at most")  # fmt: skip


if __name__ == "__main__":
    main()
