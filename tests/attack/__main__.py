"""Attack campaigns for as long as told: nothing stays, nothing finished is lost, all go on.

Each datapath and each fault in turn, at a moment of the time that the campaign takes undisturbed,
or a bit later. What was done before is counted on, in ``build/attack``.
"""

from __future__ import annotations

import argparse
import atexit
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from .. import warm
from ..awake import CPUINFO, is_virtual, keep_awake
from ..measure import leftovers
from .attack import attack, undisturbed
from .campaigns import DATAPATHS, Campaign, lasting
from .faults import FAULTS
from .siege import KINDS, besiege
from .state import State

ROOT = Path(__file__).resolve().parents[2]
BEFALL = (*KINDS, *FAULTS)
STATES = ROOT / "build/attack"
DISK_BYTES = 8 << 20


def main(argv: Sequence[str] | None = None) -> None:
    """Attack until the time is over or it is enough; exit 1 if anything was left or lost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--only", choices=DATAPATHS, action="append", help="datapath")
    parser.add_argument("--fault", choices=BEFALL, action="append")
    parser.add_argument("--enough", type=int, help="end at so many of each datapath and fault")
    parser.add_argument("--anew", action="store_true", help="forget what was done before")
    parser.add_argument("--state", default="state.json", help="what was done before")
    parser.add_argument("--undisturbed", action="store_true", help="no fault, each datapath once")
    given = parser.parse_args(argv)
    if is_virtual(CPUINFO.read_text()):
        atexit.register(keep_awake())
    warm.begin()
    if given.undisturbed:
        sys.exit(_each_undisturbed(given.only or tuple(DATAPATHS)))
    state = State.read(STATES / given.state, anew=given.anew)
    kinds = [(name, fault) for fault in given.fault or BEFALL for name in given.only or DATAPATHS]
    lasted: dict[str, float] = {}
    wrong, end = state.sums["wrong"], time.monotonic() + given.seconds
    while time.monotonic() < end:
        name, fault = min(kinds, key=lambda kind: state.count(*kind))
        if given.enough is not None and state.count(name, fault) >= given.enough:
            break
        if name not in lasted:
            lasted[name] = _lasting(name)
        with _folder() as folder:
            if fault in KINDS:
                siege = besiege(folder, name, state.moments[name], lasted[name])
                lasted[name] = siege.seconds
                state.add_siege(name, siege)
            else:
                number = state.count(name, fault)
                state.add(name, fault, attack(folder, name, fault, number, lasted[name]))
        state.write()
    print(state)
    sys.exit(state.sums["wrong"] > wrong)


def _each_undisturbed(datapaths: Sequence[str]) -> int:
    """Measure a campaign of each and judge it, for the sake of its runners; how many were wrong."""
    wrong = 0
    for name in datapaths:
        begin = time.monotonic()
        with _folder() as folder:
            words = undisturbed(folder, name).words
        wrong += bool(words)
        print(f"{name}: {time.monotonic() - begin:.1f} s, {'; '.join(words) or 'as it should'}",
              flush=True)  # fmt: skip
    return wrong


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


def _lasting(datapath: str) -> float:
    with _folder() as folder:
        return lasting(Campaign(datapath, folder))


if __name__ == "__main__":
    main()
