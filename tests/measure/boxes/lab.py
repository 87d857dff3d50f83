"""A lab on this machine: a scheduler and workers, in folders of one test."""

import socket
import time
from pathlib import Path

from linerate.measure.boxes.keys import Keys

from ... import warm
from ..campaign.plans import plan

PATIENCE_SECONDS = 60.0
LAB = """\
lease_seconds = {lease}
patience_seconds = 20
[[boxes]]
name = "alpha"
[[boxes]]
name = "beta"
"""


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class LocalLab:
    """Starts and ends the processes of a lab."""

    def __init__(self, folder, lease=3):
        self.folder = Path(folder)
        self.file = self.folder / "lab.toml"
        self.file.write_text(LAB.format(lease=lease))
        Keys.read_or_make(self.folder / "lab.keys")
        self.address = f"tcp://127.0.0.1:{free_port()}"
        self.processes = {}

    def start_scheduler(self):
        words = ("scheduler", self.file, "--listen", self.address.removeprefix("tcp://"))
        self.processes["scheduler"] = await_words(warm.start(*words), "Scheduler at")

    def start_box(self, name):
        self.processes[name] = await_words(self.box(name), "waits for campaigns")

    def box(self, name, lab=None):
        words = ("worker", name, "--lab", lab or self.file, "--scheduler", self.address)
        return warm.start(*words, "--spool", self.folder / f"spool-{name}")

    def measure(self, campaign, out, *flags, lab=None):
        return warm.start("measure", campaign, "--out", out, "--boxes", lab or self.file,
                          "--workers", self.address, *flags)  # fmt: skip

    def kill(self, name):
        process = self.processes.pop(name)
        process.kill()
        process.wait(10)

    def end(self):
        for name in list(self.processes):
            self.kill(name)


def await_words(process, words):
    end = time.monotonic() + PATIENCE_SECONDS
    while words not in (output := process.outputs[1].read_text()):
        assert process.returncode is None, output
        assert time.monotonic() < end, output
        time.sleep(0.02)
    return process


def write_plan(path, **changes):
    changes = {
        "name": '"shared"',
        "trial_seconds": 0.2,
        "warm_up_seconds": 0.05,
        "frame_bytes": "[64]",
        "offered_mpps": '["line"]',
        "canary_every": 0,
    } | changes
    path.write_text(plan(**changes))
    return path
