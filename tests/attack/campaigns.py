"""Small campaigns on each datapath, which are ended before their time, and gone on with."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path

from linerate.records import planned_id
from linerate.tables.runs import read_runs

from .. import warm
from ..measure import leftovers
from .clocks import Clock, Started

PATIENCE_SECONDS = 120.0
RUNS = 2
"""Of each campaign: two cells."""
TRIALS = 2
"""Of each run, where none is disturbed."""
HEAD = """\
name = "{name}"
lab = "{lab}"
repetitions = 1
trials = {trials}
retries = 0
trial_seconds = 0.05
warm_up_seconds = 0.0

[[cells]]
mode = "{mode}"
datapath = ["{datapath}"]
program = ["{program}"]
queues = [1]
frame_bytes = [64, 128]
link_gbps = 10.0
offered_mpps = [{offered}]
{more}
"""
DATAPATHS = {
    "xdp_native": ("veth", "serial", "map_lookup", "0.1", "memory_accesses = [10]"),
    "xdp_generic": ("veth", "split", "xdp_tx", "0.01", ""),
    "af_xdp": ("veth", "serial", "xsk_memcpy", "0.1", ""),
    "tc": ("veth", "serial", "drop_all", "0.1", ""),
    "netfilter": ("veth", "serial", "drop_udp_subnet", "0.1", ""),
    "nftables": ("veth", "serial", "drop_udp_subnet", "0.1", ""),
    "iptables": ("veth", "serial", "drop_udp_subnet", "0.1", 'filter = { flavour = ["legacy"] }'),
    "chain": ("veth", "split", "wire", "0.001", "chain = { length = [2] }"),
    "swx": ("dpdk", "split", "forward", "0.1", ""),
}
"""Datapath -> lab, mode, program, rate, and what else its block says."""


@dataclass(slots=True)
class Found:
    """What was wrong after one attack; nothing, mostly."""

    words: list[str] = field(default_factory=list)
    kept: int = 0
    """Finished trials that the journal had when the campaign ended."""

    def expect(self, holds: bool, why: str) -> None:
        """Note what does not hold."""
        if not holds:
            self.words.append(why)


class Campaign:
    """One campaign in a folder of its own, and what this machine had before it."""

    def __init__(self, datapath: str, folder: Path, clock: Clock | None = None) -> None:
        self.clock = clock
        lab, mode, program, offered, more = DATAPATHS[datapath]
        self.disk = folder
        self.plan, self.out, self.temporary = folder / "plan.toml", folder / "out", folder / "tmp"
        self.temporary.mkdir()
        self.plan.write_text(HEAD.format(
            name=datapath.replace("_", "-"), lab=lab, mode=mode, datapath=datapath, program=program,
            offered=offered, more=more, trials=TRIALS,
        ))  # fmt: skip
        self.before = leftovers.kernel_objects(), leftovers.named_files()

    def start(self, *flags: str) -> Started:
        """Measure it; what a sanitizer finds in a runner becomes a file that is left."""
        found = f"log_path={self.temporary}/sanitizer"
        start = self.clock.start if self.clock else warm.start
        return start(
            "measure", self.plan, "--out", self.out, *flags, TMPDIR=self.temporary,
            ASAN_OPTIONS=f"{found}:detect_leaks=0", UBSAN_OPTIONS=f"{found}:print_stacktrace=1",
        )  # fmt: skip

    def trials(self) -> bytes:
        """Whole lines of the journal."""
        journal = self.out / "journal.jsonl"
        kept = journal.read_bytes() if journal.exists() else b""
        return kept[: kept.rfind(b"\n") + 1]

    def onwards(self, *flags: str) -> tuple[str, ...]:
        """Tell the options with which to go on: none before the campaign has begun."""
        return ("--resume", *flags) if (self.out / "journal.jsonl").exists() else ()

    def judge(self, process: Started, found: Found) -> None:
        """Say what an ended campaign left on the machine, and of words."""
        words = process.communicate(timeout=PATIENCE_SECONDS)[1]
        found.expect("Traceback" not in words, f"traceback: {words[-600:]}")
        left = leftovers.left_behind(self.before[0])
        found.expect(not left, f"left behind: {left}")
        files = leftovers.named_files() - self.before[1]
        files |= {str(path) for path in self.temporary.iterdir()}
        found.expect(not files, f"files left: {sorted(files)}")

    def finish(self, process: Started, found: Found) -> None:
        """Go on after a process that ended until every run is measured; say what was lost."""
        kept = self.trials()
        for flags in ([], ["--retry-failed"]):
            if process.returncode == 0:
                break
            process = self.start(*self.onwards(*flags))
            self.judge(process, found)
        found.expect(process.returncode == 0, f"resumed: exit {process.returncode}")
        found.expect(self.trials().startswith(kept), "finished trials were lost")
        if process.returncode == 0:
            runs = read_runs([self.out])
            whole = {planned_id(run) for run in runs["run_id"]}
            found.expect(len(whole) == RUNS, f"{len(whole)} of {RUNS} runs are there")
            longest_s = runs["duration_s"].max()
            found.expect(longest_s < PATIENCE_SECONDS, f"a run took {longest_s} s")


def lasting(campaign: Campaign) -> float:
    """Measure it undisturbed, and return the seconds that it took."""
    begin = time.monotonic()
    process = campaign.start()
    words = process.communicate(timeout=PATIENCE_SECONDS)[1]
    if process.returncode:
        raise SystemExit(f"undisturbed it fails: {words}")
    return time.monotonic() - begin
