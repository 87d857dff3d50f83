"""Where the headers of a packet are: one that is sent from elsewhere than it was is copied.

DPDK 22.11 sends headers that adjoin as one piece. A single piece that ends where the rest of the
packet begins stays where it is; all others are copied before it (``emit_handler`` in
rte_swx_pipeline_internal.h).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Headers of one pass of a packet."""

    offset: int = 0
    """Bytes from the packet's beginning to what is not extracted yet."""
    places: Mapping[str, int] = field(default_factory=dict)
    """Where headers are that were received; the others have a memory of their own."""
    sizes: Mapping[str, int] = field(default_factory=dict)
    """Bytes of these, one of varying size with what it has."""
    pieces: int = 0
    """Pieces that are sent."""
    end: int | None = None
    """Where the last of them ends, None where that is not in the packet."""

    def extracted(self, header: str, size: int) -> Layout:
        """Take the next bytes for a header."""
        places = {**self.places, header: self.offset}
        sizes = {**self.sizes, header: size}
        return replace(self, offset=self.offset + size, places=places, sizes=sizes)

    def seen(self, header: str) -> Layout:
        """Look at the next bytes as a header, without taking them."""
        return replace(self, places={**self.places, header: self.offset})

    def emitted(self, header: str, size: int) -> Layout:
        """Send a header behind those that are sent already.

        >>> here = Layout().extracted("h.a", 14).extracted("h.b", 20)
        >>> here.emitted("h.a", 14).emitted("h.b", 20).copies
        0
        >>> here.emitted("h.new", 4).emitted("h.a", 14).emitted("h.b", 20).copies
        1
        """
        start = self.places.get(header)
        if start is None:
            return replace(self, pieces=self.pieces + 1, end=None)
        adjoins = self.pieces > 0 and start == self.end
        end = start + self.sizes.get(header, size)
        return replace(self, pieces=self.pieces + (not adjoins), end=end)

    @property
    def copies(self) -> int:
        """Pieces that are not where they were received."""
        return self.pieces - (self.pieces > 0 and self.end == self.offset)
