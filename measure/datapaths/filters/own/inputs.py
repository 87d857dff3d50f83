"""A ruleset that runs, how far its packets go and which flows are known; of a cell its frames."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from linerate.cells import Cell
from linerate.measure.datapaths.filters.own.settings import settings_of
from linerate.measure.objects.traffic.frames import Frames, read_frames
from linerate.measure.rulesets.listing import load_source
from linerate.measure.rulesets.ruleset import Hook, Ruleset
from linerate.measure.rulesets.source import Source, parse_interfaces, read_source


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesetUnderTest:
    """A ruleset, and what is asked about it."""

    source: Source
    ruleset: Ruleset
    last: Hook
    """How far packets go that no rule drops."""
    established: float = 0.0
    """Share of packets whose flow was answered before, 0 to 1."""

    @property
    def states(self) -> tuple[tuple[bool, float], ...]:
        """Whether a flow was answered before, with the share of packets that are so."""
        shares = ((False, 1.0 - self.established), (True, self.established))
        return tuple(each for each in shares if each[1])


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesetInputs:
    """What a cell names, read and checked."""

    tested: RulesetUnderTest
    frames: Frames | None
    """Those of a file; None where the generator makes its own."""


def read_inputs(cell: Cell, folder: Path) -> RulesetInputs:
    """Read what a cell names.

    Parameters
    ----------
    cell
        Its ``program`` is a path.
    folder
        Where paths begin: the campaign file's folder, or that with its copy.

    Raises
    ------
    BadInputError
        Rules or frames that cannot be used.
    CannotHereError
        A tool is missing.
    """
    asked = settings_of(cell)
    source = read_source(folder / cell.program, parse_interfaces(asked.interfaces))
    ruleset = load_source(source)
    return RulesetInputs(
        tested=RulesetUnderTest(
            source=source, ruleset=ruleset, last=asked.hook or ruleset.last_hook,
            established=float(asked.established),
        ),
        frames=read_frames(folder / asked.traffic) if asked.traffic else None,
    )  # fmt: skip
