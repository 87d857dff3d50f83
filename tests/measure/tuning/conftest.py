"""A cable of one's own: a veth pair in a namespace that ends with the test."""

import json

import pytest

from linerate.measure.labs.namespace import Namespace

from ... import warm

QUEUES = "numrxqueues 4 numtxqueues 4"


class Cable:
    """Interfaces ``cable`` and ``far`` in a namespace, and programs run inside it."""

    def __init__(self, namespace, journal):
        self.namespace, self.journal = namespace, journal

    def argv(self, *command):
        variable = f"LINERATE_RUN_DIR={self.journal}"
        return self.namespace.argv(["env", "-u", "SSH_CONNECTION", variable, *command], pins=True)

    def run(self, *command):
        return self.namespace.run(command, pins=True)

    def linerate(self, *words):
        return warm.run(*words, holder=self.namespace.pid, **self.environment)

    def start(self, program):
        """Start a program inside."""
        return warm.start(program=program, holder=self.namespace.pid, **self.environment)

    @property
    def environment(self):
        return {"SSH_CONNECTION": None, "LINERATE_RUN_DIR": self.journal}

    def python(self, program):
        """Run a program that begins with the interface named and prints JSON."""
        begin = (
            "import json\nfrom linerate.measure.tuning import *\n"
            "cable = Interface.named('cable')\njournal = Journal.usual()\n"
        )
        child = self.start(begin + program)
        output, words = child.communicate()
        assert child.returncode == 0, words
        return json.loads(output)

    def settings(self, device="cable"):
        """Everything that a change may touch, by the system's own tools."""
        tools = [["ethtool", "-l"], ["ethtool", "-k"]]
        output = {" ".join(tool): self.run(*tool, device) for tool in tools}
        files = (
            "for f in /sys/class/net/{0}/{{mtu,threaded,gro_flush_timeout,napi_defer_hard_irqs}}"
        )
        files += (
            " /sys/class/net/{0}/queues/*/*ps_cpus /proc/sys/net/ipv4/conf/{{{0},all}}/rp_filter"
        )
        command = files.format(device) + "; do echo $f $(cat $f); done"
        return output | {"files": self.run("bash", "-c", command)}


@pytest.fixture
def cable(tmp_path):
    with Namespace.create() as namespace:
        namespace.run(
            ["ip", "-batch", "-"],
            text_in=f"link add cable {QUEUES} type veth peer name far {QUEUES}\n"
            "link set cable up\nlink set far up\n",
        )
        yield Cable(namespace, tmp_path / "run")
