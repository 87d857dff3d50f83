"""What became of the packets that an attached program got: counts by verdict."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

from linerate.program_times import VERDICTS


@dataclass(frozen=True, slots=True, kw_only=True)
class Ends:
    """Packets by where they ended, since the program was attached."""

    aborted: int
    """``XDP_ABORTED``, or what is no verdict; at tc such packets pass."""
    drop: int
    """On the generic hook those too that passed while nothing counted there."""
    # `pass` is a keyword.
    passed: int
    """At tc those too that were dropped, or not redirected, while nothing counted there."""
    tx: int
    redirect: int
    unsent: int
    """Of ``tx``: what could not be sent."""
    undirected: int
    """Of ``redirect``: what could not be redirected."""
    untaken: int
    """Of ``redirect``: what the other CPU took no more."""

    def since(self, before: Ends) -> Ends:
        """Count what has come since an earlier count."""
        return Ends(**{
            each.name: max(0, getattr(self, each.name) - getattr(before, each.name))
            for each in fields(self)
        })  # fmt: skip

    def told_apart(self, counted: Ends, *, undirected_too: bool = False) -> Ends:
        """Tell what passed from what was dropped, in the ratio that another count of the same has.

        Parameters
        ----------
        counted
            Of the same traffic, taken while it was counted what passed and what was dropped.
        undirected_too
            Whether what could not be redirected was only counted then, too.
        """
        unseen = self.drop + self.passed
        undirected = counted.undirected if undirected_too else 0
        counts = (counted.drop, counted.passed, undirected)
        if not sum(counts):
            return self
        dropped, or_passed = (round(unseen * sum(counts[:kinds]) / sum(counts)) for kinds in (1, 2))
        passed, lost = or_passed - dropped, unseen - or_passed
        return replace(
            self, drop=dropped, passed=passed, redirect=self.redirect + lost,
            undirected=self.undirected + lost,
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
