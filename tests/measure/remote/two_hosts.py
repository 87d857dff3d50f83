"""Two hosts in two namespaces: a cable between them, and a control link with an sshd of its own."""

import json
import os
import shutil
import subprocess
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from linerate.measure.labs.namespace import Namespace

from ... import warm

ROOT = Path(__file__).resolve().parents[3]
SSHD = shutil.which("sshd", path=f"{os.environ['PATH']}:/usr/sbin")
needs_sshd = pytest.mark.skipif(SSHD is None, reason="needs sshd (apt-get install openssh-server)")
PORT = 2222
ADDRESSES = {"dut": "10.93.0.1", "generator": "10.93.0.2"}
CONTROL = "ctl"
GENERATOR_INTERFACE = "far0"
HOST = "loadgen"
WAIT_SECONDS = 60.0
CELLS = """
[[cells]]
mode = "split"
datapath = ["xdp_native"]
program = ["map_lookup"]
memory_accesses = [0, 1, 10, 50, 100]
queues = [1]
frame_bytes = [64, 512]
link_gbps = 10.0
offered_mpps = [0.01, 0.03]
"""


class TwoHosts:
    """Namespaces of the device's and the generator's host, and what lies between."""

    def __init__(self, folder, dut, generator):
        self.folder, self.dut, self.generator = folder, dut, generator
        self.interface = f"nd{os.getpid() % 100000}"  # its NAPI threads are seen machine-wide
        self.sshd = None

    def join(self):
        """Lay the cable and the control link."""
        self.generator.run(
            ["ip", "-batch", "-"],
            text_in=f"link add {GENERATOR_INTERFACE} numrxqueues 2 numtxqueues 1 type veth "
            f"peer name {self.interface} numrxqueues 2 numtxqueues 2 netns {self.dut.pid}\n"
            f"link add {CONTROL} type veth peer name {CONTROL} netns {self.dut.pid}\n"
            f"link set {GENERATOR_INTERFACE} addrgenmode none up\n"
            f"link set {CONTROL} addrgenmode none up\n"
            f"addr add {ADDRESSES['generator']}/24 dev {CONTROL}\n",
        )
        self.dut.run(
            ["ip", "-batch", "-"],
            text_in=f"link set {self.interface} addrgenmode none up\n"
            f"link set {CONTROL} addrgenmode none up\n"
            f"addr add {ADDRESSES['dut']}/24 dev {CONTROL}\n",
        )
        for host in (self.dut, self.generator):
            host.run(["mount", "-t", "tmpfs", "tmpfs", "/run"], pins=True)
            host.run(["mkdir", "/run/sshd"], pins=True)

    def await_cable(self):
        """Wait until the kernel has seen that both ends are up; it looks a moment later."""
        for host in (self.dut, self.generator):
            await_(lambda host=host: "NO-CARRIER" not in host.run(["ip", "link"]))

    def make_keys(self):
        """Make the generator host's key and the user's, and let each know the other's."""
        for name in ("host_key", "user_key"):
            self.folder.joinpath(name).unlink(missing_ok=True)
            subprocess.run(
                ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.folder / name],
                check=True,
            )
        known = (self.folder / "host_key.pub").read_text().split()[:2]
        (self.folder / "known_hosts").write_text(
            f"[{ADDRESSES['generator']}]:{PORT} {' '.join(known)}\n"
        )

    def write_configs(self):
        folder = self.folder
        (folder / "ssh_config").write_text(
            f"Host {HOST}\n  HostName {ADDRESSES['generator']}\n  Port {PORT}\n  User root\n"
            f"  IdentityFile {folder}/user_key\n  IdentitiesOnly yes\n"
            f"  UserKnownHostsFile {folder}/known_hosts\n  GlobalKnownHostsFile /dev/null\n"
        )
        (folder / "sshd_config").write_text(
            f"Port {PORT}\nListenAddress {ADDRESSES['generator']}\nHostKey {folder}/host_key\n"
            f"AuthorizedKeysFile {folder}/user_key.pub\nPidFile none\nStrictModes no\nUsePAM no\n"
            "PasswordAuthentication no\nPermitRootLogin prohibit-password\nUseDNS no\n"
            f"SetEnv PYTHONPATH={ROOT}/src\n"
        )

    def start_sshd(self, *prefix):
        """Start the generator host's own sshd, which ends with this process."""
        self.sshd = subprocess.Popen(
            self.generator.argv(
                ["setpriv", "--pdeathsig", "KILL", *prefix, SSHD, "-D", "-f",
                 self.folder / "sshd_config"], pins=True,
            ),
            stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        await_(self._listens)
        await_(lambda: not self.started(self.generator))  # what served the scan ends after it

    def _listens(self):
        scan = self.dut.argv(["ssh-keyscan", "-p", str(PORT), ADDRESSES["generator"]])
        return subprocess.run(scan, capture_output=True, check=False).stdout

    def stop_sshd(self):
        if self.sshd:
            self.sshd.kill()
            self.sshd.wait()
            self.sshd = None

    def started(self, host):
        """Process id and command of all that runs on a host, but for what the rig itself holds."""
        own = {host.pid, self.sshd.pid if self.sshd else 0}
        space, found = os.readlink(host.path), {}
        for entry in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):  # it ended meanwhile
                command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                if int(entry.name) not in own and os.readlink(entry / "ns/net") == space:
                    found[int(entry.name)] = command
        return {pid: command for pid, command in found.items() if command}

    def await_command(self, host, word):
        """Process id of a command on a host that carries a word, once it runs."""
        end = time.monotonic() + WAIT_SECONDS
        while time.monotonic() < end:
            for pid, command in self.started(host).items():
                if word in command:
                    return pid
            time.sleep(0.01)
        raise AssertionError(f"no {word} among {self.started(host)}")

    def state(self):
        """What a campaign may change on either host: settings, programs, processes, keys."""
        knobs = self.dut.run(["ethtool", "-k", self.interface])
        threaded = (self.dut.sys_class_net(self.interface) / "threaded").read_text()
        shown = [
            [(link["ifname"], link["flags"], link.get("xdp")) for link in json.loads(output)]
            for output in (host.run(["ip", "-json", "link"]) for host in (self.dut, self.generator))
        ]
        return {
            "knobs": knobs, "threaded": threaded, "links": shown,
            "queues": self.dut.run(["ethtool", "-l", self.interface]),
            "known_hosts": (self.folder / "known_hosts").read_text(),
            "processes": [*self.started(self.dut).values(), *self.started(self.generator).values()],
        }  # fmt: skip

    def linerate(self, *words):
        """Run a command of linerate's on the device's host, and return what it printed."""
        done = warm.run(*words, holder=self.dut.pid, **self.run_folder)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def python(self, program, *words):
        """Run a program on the device's host, and return what it said to humans."""
        return warm.run(*words, program=program, holder=self.dut.pid, **self.run_folder).stderr

    @contextmanager
    def disk(self, folder, size_bytes):
        """Put a small disk into a folder of the device's host; where it is seen from here."""
        self.dut.run(["mount", "-t", "tmpfs", "-o", f"size={size_bytes}", "tmpfs", folder],
                     pins=True)  # fmt: skip
        yield Path(f"/proc/{self.dut.pid}/root{folder}")
        self.dut.run(["umount", folder], pins=True)

    @property
    def environment(self):
        return os.environ | {"PYTHONPATH": f"{ROOT}/src"} | self.run_folder

    @property
    def run_folder(self):
        return {"LINERATE_RUN_DIR": str(self.folder)}

    def plan(self, cells=CELLS, seconds=0.02, warm_up_seconds=0.0, **changes):
        """Write a campaign between the two hosts."""
        nic = {
            "interface": self.interface, "generator_host": HOST,
            "generator_interface": GENERATOR_INTERFACE,
            "generator_command": [f"{ROOT}/.venv/bin/linerate"],
            "ssh_config": str(self.folder / "ssh_config"),
            "cores": [(os.cpu_count() or 1) - 1], "generator_cores": [0],
        } | changes  # fmt: skip
        path = self.folder / "plan.toml"
        table = "\n".join(f"{key} = {toml(value)}" for key, value in nic.items())
        path.write_text(
            'name = "two-hosts"\nlab = "nic"\nrepetitions = 1\nretries = 0\n'
            f"trial_seconds = {seconds}\nwarm_up_seconds = {warm_up_seconds}\n"
            f"{cells}\n[nic]\n{table}\n"
        )
        return path

    def measure(self, plan, out, *flags):
        """Start a campaign on the device's host."""
        return warm.start(
            "measure", plan, "--out", out, *flags, holder=self.dut.pid, **self.run_folder
        )

    def measured(self, plan, out, *flags):
        """Run a campaign to its end; exit code and what it said."""
        process = self.measure(plan, out, *flags)
        output, words = process.communicate(timeout=300)
        return process.returncode, output + words


def fill(path):
    """Leave a disk no room for another byte."""
    with suppress(OSError), path.open("wb", buffering=0) as file:
        while file.write(bytes(4096)):
            pass


def await_(holds):
    """Wait until something holds."""
    end = time.monotonic() + WAIT_SECONDS
    while not holds():
        assert time.monotonic() < end, "it never came to hold"
        time.sleep(0.05)


def toml(value):
    if isinstance(value, list):
        return f"[{', '.join(map(toml, value))}]"
    return f'"{value}"' if isinstance(value, str) else str(value)


@contextmanager
def open_two_hosts(folder):
    """Make two hosts, and take them away again."""
    with Namespace.create() as dut, Namespace.create() as generator:
        hosts = TwoHosts(folder, dut, generator)
        hosts.join()
        hosts.await_cable()
        hosts.make_keys()
        hosts.write_configs()
        hosts.start_sshd()
        try:
            yield hosts
        finally:
            hosts.stop_sshd()
