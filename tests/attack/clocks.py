"""Campaigns whose clock of the day is set while they run: nobody else's is.

No namespace has a clock of the day of its own: ``clock.c`` stands between them and the C library.
"""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

from .. import warm

SOURCE = Path(__file__).with_name("clock.c")
BUILT = Path(__file__).resolve().parents[2] / "build/attack/clock.so"
Started = warm.Warm | subprocess.Popen[str]
"""A campaign's process."""


@cache
def library() -> Path:
    """Build what is preloaded."""
    BUILT.parent.mkdir(parents=True, exist_ok=True)
    flags = ("-Wall", "-Wextra", "-Werror", "-O2", "-fPIC", "-shared")
    subprocess.run(["gcc", *flags, "-o", BUILT, SOURCE], check=True)
    return BUILT


class Clock:
    """The clock of one campaign."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "clock"
        self.file.write_text("0")

    def start(self, *words: object, **changed: object) -> subprocess.Popen[str]:
        """Start ``linerate`` by this clock; a process that was forked before would not have it."""
        argv = [sys.executable, "-m", "linerate", *map(str, words)]
        environment = os.environ | {name: str(value) for name, value in changed.items()}
        environment |= {"LD_PRELOAD": str(library()), "ATTACK_CLOCK": str(self.file)}
        environment["ASAN_OPTIONS"] = f"verify_asan_link_order=0:{environment['ASAN_OPTIONS']}"
        return subprocess.Popen(
            argv, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    def set(self, seconds: int) -> None:
        """Set it, so much before or behind what it is."""
        fresh = self.file.with_suffix(".new")
        fresh.write_text(str(seconds))
        fresh.replace(self.file)
