"""How a program's frames ended: shares of its verdicts, of each frame."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from linerate.measure.objects.samples import FrameVerdict
from linerate.programs.costs import SOCKETS
from linerate.programs.times import VERDICTS, verdict_named

_OF_FUNCTIONS = (VERDICTS.index("drop"), VERDICTS.index("tx"))
"""What a function of user space can return; all else counts as aborted."""


def verdict_shares(
    datapath: str, lines: Iterable[FrameVerdict]
) -> Mapping[int, list[tuple[str, float]]]:
    """Take shares of verdicts, 0 to 1, of each frame, the most frequent first.

    Parameters
    ----------
    datapath
        Whose verdicts they are.
    lines
        How frames ended, each at least once: those in their places of the mix count, or where a
        frame was not met there its own.

    Returns
    -------
    By the frame's number.
    """
    found: dict[bool, defaultdict[int, Counter[str]]] = {
        mixed: defaultdict(Counter) for mixed in (False, True)
    }
    for line in lines:
        found[line.mixed][line.frame][_named(datapath, line.verdict)] += 1
    return {frame: _shares(ended) for frame, ended in {**found[False], **found[True]}.items()}


def _named(datapath: str, number: int) -> str:
    if datapath == SOCKETS and number not in _OF_FUNCTIONS:
        return VERDICTS[0]
    return verdict_named(number, datapath)


def _shares(ended: Counter[str]) -> list[tuple[str, float]]:
    return [(verdict, count / ended.total()) for verdict, count in ended.most_common()]
