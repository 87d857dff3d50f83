"""Our generator beside trafgen and hping3, in one lab: ``python benchmarks/generators.py``.

Each sends 64-byte frames from one core into a device that drops them natively, as fast as it can.
Counted is what reaches the device, by its driver. Rounds are interleaved, so that a machine that
is busy with something else slows all three.
"""

from __future__ import annotations

import argparse
import math
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from linerate.cells import Cell, Load
from linerate.errors import LinerateError
from linerate.measure.datapaths.xdp.attach import attach_xdp
from linerate.measure.labs.veth import GENERATOR_DEVICE, VethLab, open_veth_lab
from linerate.measure.processes import built
from linerate.units import FRAME_BYTES_MIN, packet_bytes

CLAIM = 8.0
"""How many times as fast as each of the others it is to be, in the median round."""
SENDING_CORE = 0
SETTLE_SECONDS = 0.5
HEADER_BYTES = {"ethernet": 14, "ip": 20, "udp": 8}
FRAME = packet_bytes(FRAME_BYTES_MIN)
GENERATOR_ADDRESS, DUT_ADDRESS = "198.18.0.1", "198.19.0.1"
GENERATOR_MAC, DUT_MAC = "02:00:00:00:00:01", "02:00:00:00:00:02"
DROPPING = Cell(
    lab="veth", mode="serial", datapath="xdp_native", program="xdp_drop", memory_accesses=0,
    queues=1, link_gbps=math.inf,
    load=Load(frame_mix=((1, FRAME_BYTES_MIN),), arrivals="flood", offered_mpps=math.inf),
)  # fmt: skip
Sender = Callable[[VethLab, Path], list[str]]


def linerate_argv(lab: VethLab, folder: Path) -> list[str]:
    """Flood with live frames; the runner ends by itself, long after it was counted."""
    return [
        str(built.runner("traffic")), "--dev", GENERATOR_DEVICE, "--dut-dev", lab.dut_device,
        "--dut-netns", lab.dut.path, "--cores", str(SENDING_CORE),
        "--frame-bytes", str(FRAME_BYTES_MIN), "--warm-up-seconds", "0", "--seconds", "60",
    ]  # fmt: skip


def trafgen_argv(lab: VethLab, folder: Path) -> list[str]:
    """Send one packet over and over from a ring shared with the kernel, past its queues."""
    configuration = folder / "trafgen.cfg"
    ip_bytes = FRAME - HEADER_BYTES["ethernet"]
    macs = [f"0x{byte}" for mac in (DUT_MAC, GENERATOR_MAC) for byte in mac.split(":")]
    addresses = [byte for ip in (GENERATOR_ADDRESS, DUT_ADDRESS) for byte in ip.split(".")]
    configuration.write_text(
        f"{{ {', '.join(macs)}, c16(0x0800), 0x45, 0, c16({ip_bytes}), c16(0), c16(0), 64, 17,\n"
        f"  csumip(14, 33), {', '.join(addresses)},\n"
        f"  c16(1024), c16(9), c16({ip_bytes - HEADER_BYTES['ip']}), c16(0),\n"
        f"  fill(0, {FRAME - sum(HEADER_BYTES.values())}) }}\n"
    )
    return [
        "trafgen", "--dev", GENERATOR_DEVICE, "--conf", str(configuration), "--cpus", "1",
        "--no-cpu-stats",
    ]  # fmt: skip


def hping3_argv(lab: VethLab, folder: Path) -> list[str]:
    """Send UDP packets from a raw socket, as fast as possible, without showing replies."""
    return [
        "hping3", "--flood", "--udp", "--destport", "9", "--quiet", "--interface", GENERATOR_DEVICE,
        "--data", str(FRAME - sum(HEADER_BYTES.values())), DUT_ADDRESS,
    ]  # fmt: skip


SENDERS: Mapping[str, Sender] = {
    "linerate": linerate_argv, "trafgen": trafgen_argv, "hping3": hping3_argv,
}  # fmt: skip


def received_packets(lab: VethLab) -> int:
    """Packets that the device's driver has handed to the XDP program."""
    output = lab.dut.run(["ethtool", "-S", lab.dut_device])
    return sum(int(count) for count in re.findall(r"rx_queue_\d+_xdp_packets: (\d+)", output))


def rate_pps(name: str, seconds: float) -> float:
    """Let one sender flood a new lab, and count at the far end for so long."""
    with (
        TemporaryDirectory() as folder,
        open_veth_lab("serial", 1, gro=False) as lab,
        attach_xdp(lab, DROPPING),
    ):
        _address(lab)
        argv = ["taskset", "-c", str(SENDING_CORE), *SENDERS[name](lab, Path(folder))]
        with subprocess.Popen(
            lab.generator.argv(argv), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as sender:  # fmt: skip
            try:
                time.sleep(SETTLE_SECONDS)
                begin, begin_s = received_packets(lab), time.perf_counter()
                time.sleep(seconds)
                end, end_s = received_packets(lab), time.perf_counter()
                if sender.poll() is not None or end == begin:
                    raise LinerateError(f"{name}: it ended early or sent nothing: {argv}")
            finally:
                sender.kill()
    return (end - begin) / (end_s - begin_s)


def _address(lab: VethLab) -> None:
    """Give hping3's packets a way: an address here, and the device's without asking for it."""
    lab.generator.run(
        ["ip", "-batch", "-"],
        text_in=f"address add {GENERATOR_ADDRESS}/15 dev {GENERATOR_DEVICE}\n"
        f"neigh add {DUT_ADDRESS} lladdr {DUT_MAC} dev {GENERATOR_DEVICE} nud permanent\n",
    )


def _spread(values: list[float], unit: str, digits: int) -> str:
    low, middle, high = min(values), float(np.median(values)), max(values)
    return f"{middle:.{digits}f} [{low:.{digits}f}..{high:.{digits}f}] {unit}"


def main() -> int:
    """Compare, print, and say whether the claim holds."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=7)
    options.add_argument("--seconds", type=float, default=1.0, help="counted for each sender")
    wanted = options.parse_args()
    present = [name for name in SENDERS if name == "linerate" or shutil.which(name)]
    for name in SENDERS.keys() - set(present):
        print(f"{name}: not installed, left out; `make setup` as root installs it", file=sys.stderr)
    if (cores := os.cpu_count() or 1) > 1:
        os.sched_setaffinity(0, set(range(cores)) - {SENDING_CORE})
    rates: dict[str, list[float]] = {name: [] for name in present}
    for turn in range(wanted.rounds):
        for name in present:
            rates[name].append(rate_pps(name, wanted.seconds) / 1e6)
        rates_text = ", ".join(f"{name} {rates[name][-1]:.3f}" for name in present)
        print(f"round {turn + 1} of {wanted.rounds}: {rates_text} Mpps", file=sys.stderr)
    print("received by the device, 64-byte frames, one core; median [min..max]")
    for name in present:
        print(f"  {name:10} {_spread(rates[name], 'Mpps', 3)}")
    holds = len(present) == len(SENDERS)
    for name in present[1:]:
        ratios = [
            ours / theirs for ours, theirs in zip(rates["linerate"], rates[name], strict=True)
        ]
        holds &= float(np.median(ratios)) >= CLAIM
        print(f"  linerate / {name:10} {_spread(ratios, 'times, round by round', 1)}")
    print(f"claim, at least {CLAIM:g} times both: {'holds' if holds else 'DOES NOT HOLD'}")
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
