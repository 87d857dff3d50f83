"""The sink on a device of its own, behind a path that is not one device."""

import json
import subprocess
import time

import pytest

from linerate.measure.labs.namespace import Namespace
from linerate.measure.processes import built

pytestmark = pytest.mark.root


@pytest.fixture
def bridged():
    """Two veth pairs from one namespace to a bridge in another."""
    with Namespace.create() as outside, Namespace.create() as inside:
        for port in ("out", "back"):
            outside.run(
                ["ip", "-batch", "-"],
                text_in=f"link add {port} type veth peer name br-{port} netns {inside.pid}\n"
                f"link set {port} addrgenmode none up\n",
            )
        inside.run(
            ["ip", "-batch", "-"],
            text_in="link add name bridge type bridge\nlink set bridge addrgenmode none up\n"
            + "".join(
                f"link set br-{port} master bridge\nlink set br-{port} addrgenmode none up\n"
                for port in ("out", "back")
            ),
        )
        inside.run(["ethtool", "-K", "br-out", "gro", "on"])  # takes redirected frames by NAPI
        await_forwarding(inside)
        yield outside


def await_forwarding(namespace):
    """Wait until the kernel has told the bridge that its ports have a carrier."""
    end = time.monotonic() + 5.0
    while namespace.run(["bridge", "link"]).count("state forwarding") < 2:
        assert time.monotonic() < end, "the bridge's ports do not come up"
        time.sleep(0.05)


def traffic(namespace, *flags):
    argv = [
        built.runner("traffic"), "--dev", "out", "--cores", "0", "--dut-counts", "none",
        "--arrivals", "constant", "--packets-per-second", "20000", "--batch-packets", "1",
        "--warm-up-seconds", "0.05", "--seconds", "0.1", *flags,
    ]  # fmt: skip
    return subprocess.run(namespace.argv(argv), capture_output=True, text=True, check=False)


def test_frames_are_counted_where_they_come_back(bridged):
    report = json.loads(traffic(bridged, "--sink-dev", "back").stdout)
    assert report["received"] == report["sent"] > 500


def test_no_device_under_test_has_no_counts(bridged):
    report = json.loads(traffic(bridged, "--sink-dev", "back").stdout)
    assert report["dropped"] == {"dut_ring": 0, "sink_ring": 0}
    assert "dut_rx_packets" not in report


def test_the_sink_is_on_the_sending_device_unless_said_otherwise(bridged):
    report = json.loads(traffic(bridged).stdout)
    assert report["sent"] > 500
    assert report["received"] == 0


@pytest.mark.parametrize("flag", [("--sink-dev", "nothing"), ("--dut-counts", "all")])
def test_what_is_not_there_is_refused(bridged, flag):
    done = traffic(bridged, *flag)
    assert done.returncode in (2, 3)
    assert not done.stdout
