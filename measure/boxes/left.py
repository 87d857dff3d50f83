"""What a box keeps of campaigns that never came back for it: named, and dropped where asked."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from linerate.box import parse_toml
from linerate.errors import LinerateError

DAY_S = 86400.0
NAMED_AFTER_DAYS = 7
"""For so long a campaign may well be on its way still."""
FILES = ("journal.jsonl", "searches.jsonl")


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """What is kept of one campaign."""

    folder: Path
    campaign: str
    """Its name; empty where its file cannot be read."""
    lines: int
    """Trials and searches that were finished here."""
    written_s: float
    """When the last of them was, seconds since 1970."""

    @property
    def words(self) -> str:
        """Say what and where it is."""
        day = datetime.fromtimestamp(self.written_s, UTC).date().isoformat()
        name = self.campaign or "without a name"
        return f"campaign {name}: {self.lines} trials and searches until {day}, in {self.folder}"


def left_behind(spool: Path, days: float, now_s: float) -> list[Left]:
    """List the campaigns of which a box keeps something, untouched for so long, oldest first.

    Parameters
    ----------
    spool
        Folder of the box.
    days
        How long, at least.
    now_s
        Seconds since 1970.
    """
    found = [left for left in _kept(spool) if now_s - left.written_s >= days * DAY_S]
    return sorted(found, key=lambda left: left.written_s)


def drop(left: Left) -> None:
    """Drop what is kept of a campaign; what was begun and finished here is lost with it."""
    shutil.rmtree(left.folder)


def _kept(spool: Path) -> Iterator[Left]:
    for folder in spool.iterdir() if spool.is_dir() else ():
        journals = [folder / name for name in FILES if (folder / name).is_file()]
        if journals:
            yield Left(
                folder=folder, campaign=_name(folder / "campaign.toml"),
                lines=sum(path.read_bytes().count(b"\n") for path in journals),
                written_s=max(path.stat().st_mtime for path in journals),
            )  # fmt: skip


def _name(plan: Path) -> str:
    try:
        return str(parse_toml(plan.read_text(), "campaign").get("name", ""))
    except (OSError, ValueError, LinerateError):
        return ""
