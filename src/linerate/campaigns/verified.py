"""Whether every file of a store is as it was written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from linerate.campaigns.listing import Broken, Listing, whole_parts
from linerate.campaigns.places import UNFINISHED, Place
from linerate.campaigns.reading import spoiled_parts
from linerate.progress import Tell


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """What was looked at, and what is wrong."""

    campaigns: int
    """Whose runs are as they were written."""
    size_bytes: int
    """Of these runs."""
    broken: tuple[Broken, ...]
    """Manifests and files of runs that are not as they were written."""
    unnamed: tuple[str, ...]
    """Files of runs that no manifest names: their campaign was replaced, or not added to its end;
    they are never read."""


def verify(place: Place, listing: Listing, tell: Tell) -> Verified:
    """Hash the file of every campaign.

    Parameters
    ----------
    place
        Where the store is.
    listing
        Its campaigns.
    tell
        Called with each campaign.
    """
    whole, broken = whole_parts(place, listing.manifests)
    spoiled: list[Broken] = []
    for done, one in enumerate(whole):
        tell(one.campaign, done, len(whole))
        spoiled += spoiled_parts(place, [one])
    paths = {one.path for one in spoiled}
    good = [one for one in whole if one.part not in paths]
    return Verified(
        campaigns=len(good), size_bytes=sum(one.size_bytes for one in good),
        broken=(*listing.broken, *broken, *spoiled), unnamed=tuple(_unnamed(place, listing)),
    )  # fmt: skip


def _unnamed(place: Place, listing: Listing) -> Iterator[str]:
    """List what no manifest names; of a manifest that cannot be read this is not known."""
    named = {one.part for one in listing.manifests}
    unread = {one.path.rpartition("/")[2].removesuffix(".json") for one in listing.broken}
    for path in place.sizes("runs"):
        name = path.rpartition("/")[2].removesuffix(".parquet")
        if path not in named and name not in unread and not path.endswith(UNFINISHED):
            yield path
