"""Attack campaigns for as long as told: nothing stays, nothing finished is lost, all go on.

Each datapath and each fault in turn, at a moment drawn from the time that the campaign takes
undisturbed, and a bit more. What was done before is counted on, in ``build/attack``.
"""

from __future__ import annotations

import argparse
import atexit
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from .. import warm
from ..awake import CPUINFO, is_virtual, keep_awake
from ..measure import leftovers
from .attack import attack
from .campaigns import DATAPATHS, Campaign, lasting
from .faults import FAULTS

ROOT = Path(__file__).resolve().parents[2]
STATES = ROOT / "build/attack"
DISK_BYTES = 8 << 20


def main(argv: Sequence[str] | None = None) -> None:
    """Attack until the time is over; exit 1 if anything was left or lost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--only", choices=DATAPATHS, action="append", help="datapath")
    parser.add_argument("--fault", choices=FAULTS, action="append")
    parser.add_argument("--anew", action="store_true", help="forget what was done before")
    parser.add_argument("--state", default="done.json", help="what was done before")
    given = parser.parse_args(argv)
    state = STATES / given.state
    end = time.monotonic() + given.seconds
    done: Counter[str] = Counter()
    if state.exists() and not given.anew:
        done.update(json.loads(state.read_text()))
    if is_virtual(CPUINFO.read_text()):
        atexit.register(keep_awake())
    warm.begin()
    kinds = [(name, fault) for fault in given.fault or FAULTS for name in given.only or DATAPATHS]
    undisturbed: dict[str, float] = {}
    now, wrong, kept = 0, 0, 0
    while time.monotonic() < end:
        name, fault = min(kinds, key=lambda kind: done[_named(*kind)])
        if name not in undisturbed:
            undisturbed[name] = _undisturbed(name)
        number = done[_named(name, fault)]
        with _folder() as folder:
            found = attack(folder, name, fault, number, undisturbed[name])
        for words in found.words:
            print(f"{name}, {fault} {number}: {words}", flush=True)
        done[_named(name, fault)] += 1
        now, wrong, kept = now + 1, wrong + bool(found.words), kept + found.kept
        STATES.mkdir(parents=True, exist_ok=True)
        state.write_text(json.dumps(done))
    _say("datapaths", done, 0)
    _say("faults", done, 1)
    print(f"attacks: {done.total()} so far, {now} now; of these {wrong} left or lost something, "
          f"{kept} finished trials were there when the campaign ended")  # fmt: skip
    sys.exit(bool(wrong))


def _named(datapath: str, fault: str) -> str:
    return f"{datapath}, {fault}"


def _say(what: str, done: Counter[str], place: int) -> None:
    sums: Counter[str] = Counter()
    for name, count in done.items():
        sums[name.split(", ")[place]] += count
    print(f"{what}: " + ", ".join(f"{name} {count}" for name, count in sums.items()))


@contextmanager
def _folder() -> Iterator[Path]:
    """Give a campaign a small disk and a mark of its own."""
    with tempfile.TemporaryDirectory(prefix="attack-") as folder:
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "tmpfs", folder],
                       check=True)  # fmt: skip
        os.environ[leftovers.MARK] = folder
        try:
            yield Path(folder)
        finally:
            subprocess.run(["umount", "--lazy", folder], check=True)


def _undisturbed(datapath: str) -> float:
    with _folder() as folder:
        return lasting(Campaign(datapath, folder))


if __name__ == "__main__":
    main()
