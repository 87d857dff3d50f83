"""What became of the packets that an attached program got: counts by verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from itertools import accumulate, pairwise

from linerate.programs.times import VERDICTS


@dataclass(frozen=True, slots=True, kw_only=True)
class Ends:
    """Packets by where they ended, since the program was attached."""

    aborted: int
    """``XDP_ABORTED``, or what is not a verdict; at tc such packets pass."""
    drop: int
    """On the generic hook those too that passed, or went to another CPU, while nothing counted
    there."""
    # `pass` is a keyword.
    passed: int
    """At tc those too that were dropped, or not redirected, while nothing counted there."""
    tx: int
    """On the generic hook those too that were redirected while nothing counted there."""
    redirect: int
    unsent: int
    """Of ``tx``: what could not be sent."""
    undirected: int
    """Of ``redirect``: what could not be redirected."""
    untaken: int
    """Of ``redirect``: what the other CPU took no more."""
    to_cpu: int
    """Of ``redirect``: to another CPU."""

    def since(self, before: Ends) -> Ends:
        """Count what has come since an earlier count."""
        return Ends(**{
            each.name: max(0, getattr(self, each.name) - getattr(before, each.name))
            for each in fields(self)
        })  # fmt: skip

    def told_apart(self, counted: Ends, *, undirected_too: bool = False) -> Ends:
        """Tell apart what was not, in the ratios that another count of the same has.

        Parameters
        ----------
        counted
            Of the same traffic, taken while it was counted what passed and what was redirected.
        undirected_too
            Whether what could not be redirected was only counted then, too.
        """
        if not counted.packets:
            return self
        undirected = counted.undirected if undirected_too else 0
        dropped, passed, lost, to_cpu = _shared(
            self.drop + self.passed, (counted.drop, counted.passed, undirected, counted.to_cpu)
        )
        redirected = counted.redirect - counted.undirected - counted.to_cpu
        tx, redirect = _shared(self.tx, (counted.tx, redirected))
        return replace(
            self, drop=dropped, passed=passed, tx=tx, to_cpu=self.to_cpu + to_cpu,
            redirect=self.redirect + redirect + lost + to_cpu, undirected=self.undirected + lost,
        )  # fmt: skip

    @property
    def verdicts(self) -> dict[str, int]:
        """Packets by verdict, each word of the kernel's five."""
        by_number = (self.aborted, self.drop, self.passed, self.tx, self.redirect)
        return dict(zip(VERDICTS, by_number, strict=True))

    @property
    def packets(self) -> int:
        """All that the program gave a verdict on."""
        return sum(self.verdicts.values())


def _shared(packets: int, counts: Sequence[int]) -> Sequence[int]:
    """Share packets out in the ratio of counts; all to the first where none was counted."""
    total = sum(counts)
    if not total:
        return (packets, *(0 for _ in counts[1:]))
    ends = [round(packets * part / total) for part in accumulate(counts)]
    return [end - begin for begin, end in pairwise([0, *ends])]
