"""What ``linerate measure`` prints of own programs: rates, and what was predicted of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from linerate.cli.output import stdout

if TYPE_CHECKING:
    from linerate.face.fits.beside import Beside
    from linerate.measure.campaign.campaign import CampaignFile
    from linerate.measure.campaign.whole import Measured

ROWS_MAX = 40
DAY_HOURS = 24.0
HEADER = ("frame", "queues", "predicted", "measured", "off", "ends in")
HOW = "Mpps: median of the program's loads (smallest to largest); predicted with its 90 % interval."
OWN_CORES = ("Measured with the device's cores to itself; others used them, too, and what was "
             "counted is less: {}.")  # fmt: skip
SEEN_RATIO = 0.995
"""Of what was counted to a rate with the cores to itself, from which on nothing is said."""
NOT_ASKED = ("Not predicted: sudo linerate fits FILE, with the same maps, hook and traffic, before "
             "measuring.")  # fmt: skip
OWN_SUFFIXES = (".o", ".nft", ".rules")
"""Of files whose predictions are kept."""


def beside(plan: CampaignFile, done: Measured) -> tuple[Beside, ...]:
    """Find a campaign's own programs, and what was predicted of them; none of most campaigns."""
    if not any(cell.program.endswith(OWN_SUFFIXES) for cell in plan.campaign.cells()):
        return ()
    from linerate.face.fits.beside import beside_predictions  # slow to load

    return beside_predictions(plan, done.runs)


def print_beside(own: Sequence[Beside]) -> None:
    """Print them, a block for each program on each hook; the table of runs has all of it."""
    shown = own[:ROWS_MAX]
    for title in dict.fromkeys(map(_title, shown)):
        stdout.print(f"{title}:")
        for line in _lines([each for each in shown if _title(each) == title]):
            stdout.print(f"  {line}", soft_wrap=True)
    if len(own) > ROWS_MAX:
        stdout.print(f"and {len(own) - ROWS_MAX} more cells in the table of runs")
    for note in _notes(own) if own else ():
        stdout.print(note)


def _title(each: Beside) -> str:
    given = f" with {each.given}" if each.given else ""
    return f"{each.program}{given} on {each.datapath}"


def _lines(rows: Sequence[Beside]) -> list[str]:
    """Align the cells in columns, numbers to the right; nothing is cut on a narrow terminal."""
    cells = [HEADER, *(_row(each) for each in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return [
        "  ".join([*map(str.rjust, numbers, widths), ends])
        for *numbers, ends in cells
    ]  # fmt: skip


def _row(each: Beside) -> tuple[str, ...]:
    expected = each.predicted
    predicted = "-" if expected is None else _with_ends(
        expected.predicted_mpps, expected.lower_mpps, expected.upper_mpps
    )  # fmt: skip
    off = "-" if each.error is None else f"{each.error:+.1%}{'' if each.inside else ' outside'}"
    return (
        f"{each.frame_bytes:.4g} B", str(each.queues), predicted,
        _with_ends(each.median_mpps, each.smallest_mpps, each.largest_mpps),
        "line rate" if each.at_line_rate else off,
        ", ".join(f"{name} {share:.0%}" for name, share in each.ends),
    )  # fmt: skip


def _with_ends(middle: float, lower: float, upper: float) -> str:
    """Write a rate with its ends, where these are seen apart.

    >>> _with_ends(5.44, 4.9, 6.04), _with_ends(0.8127, 0.8127, 0.8127)
    ('5.44 (4.9 to 6.04)', '0.813')
    """
    middle_text, *ends = (f"{rate:.3g}" for rate in (middle, lower, upper))
    return middle_text if {*ends} == {middle_text} else f"{middle_text} ({' to '.join(ends)})"


def _notes(own: Sequence[Beside]) -> list[str]:
    lines = [HOW]
    shared = [f"{each.counted_mpps:.3g} of {each.frame_bytes:.4g} B" for each in own
              if each.counted_mpps < SEEN_RATIO * each.median_mpps]  # fmt: skip
    if shared:
        lines.append(OWN_CORES.format(", ".join(shared)))
    ages = [each.age_hours for each in own if each.age_hours is not None]
    if ages and max(ages) > DAY_HOURS:
        lines.append(f"Predictions are up to {max(ages) / DAY_HOURS:.0f} days old: ask again.")
    return [*lines, NOT_ASKED] if any(each.predicted is None for each in own) else lines
