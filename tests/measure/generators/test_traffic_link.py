"""The generator's runner waits for a link that its own program took down."""

import json
import subprocess

import pytest

from linerate.measure.labs.namespace import Namespace
from linerate.measure.processes import built

pytestmark = pytest.mark.root
DOWN_SECONDS = 0.5
FLAGS = (
    "--dev", "gen", "--dut-counts", "none", "--cores", "0", "--seconds", "0.05",
    "--arrivals", "constant", "--packets-per-second", "10000", "--batch-packets", "1",
)  # fmt: skip


def test_it_begins_to_send_when_the_link_is_up():
    with Namespace.create() as hosts:
        hosts.run(["ip", "link", "add", "gen", "type", "veth", "peer", "name", "far"])
        hosts.run(["ip", "link", "set", "gen", "up"])
        runner = subprocess.Popen(
            hosts.argv([built.runner("traffic"), *FLAGS]),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        with pytest.raises(subprocess.TimeoutExpired):
            runner.wait(DOWN_SECONDS)
        hosts.run(["ip", "link", "set", "far", "up"])
        output, words = runner.communicate()
        assert runner.returncode == 0, words
        assert json.loads(output)["sent"] > 0
