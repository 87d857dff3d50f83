"""Whether a user's own BPF object sustains line rate: from its file to the answer."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from linerate.box import Box, read_box
from linerate.links import LINK_GBPS
from linerate.measure.objects.entry import choose_entry
from linerate.measure.objects.listing import list_object
from linerate.measure.objects.maps.settings import empty_maps, read_settings
from linerate.measure.objects.own_box import own_box
from linerate.measure.objects.test_run import time_program
from linerate.measure.objects.traffic.frames import Frames, read_frames
from linerate.measure.objects.traffic.udp_frames import imix, of_size
from linerate.models.objects import ObjectAnswer, ObjectQuestion, answer_object
from linerate.progress import Tell, telling

FRAME_BYTES = (64, 512, 1518)
"""Sizes that are asked about where no traffic is named."""
IMIX = "imix"


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectFits:
    """Answers for one program, one for each traffic."""

    path: Path
    entry: str
    answers: tuple[ObjectAnswer, ...]
    notes: tuple[str, ...]
    """What the answers rest on: the calibration's age, maps without entries."""

    @property
    def sustains(self) -> bool:
        """Whether all of the traffic is sustained, more likely than not."""
        return all(answer.sustains for answer in self.answers)

    def to_dict(self) -> dict[str, object]:
        """Plain values, for JSON."""
        return {
            "program": str(self.path), "entry": self.entry, "notes": list(self.notes),
            "answers": [answer.to_dict() for answer in self.answers],
        }  # fmt: skip

    def __str__(self) -> str:
        lines = [f"Does {self.entry} of {self.path} sustain line rate?"]
        for answer in self.answers:
            lines.append(f"{answer.datapath}, {answer.frame_bytes:.4g} B, "
                         f"{answer.link_gbps:g} Gbit/s: {answer}")  # fmt: skip
        return "\n".join([*lines, *(f"Note: {note}." for note in self.notes)])


def fits(  # noqa: PLR0913 - one for each part of the question
    path: str | os.PathLike[str],
    *,
    traffic: str | os.PathLike[str] | int | None = None,
    maps: str | os.PathLike[str] | None = None,
    assigned: Sequence[str] = (),
    entry: str | None = None,
    box: str | os.PathLike[str] | None = None,
    datapath: str = "xdp_native",
    link_gbps: float = LINK_GBPS,
    queues: int | None = None,
    progress: bool = True,
) -> ObjectFits:
    """Say whether a BPF object sustains line rate, by test runs on the base costs of a box.

    Parameters
    ----------
    path
        The object, as clang writes it.
    traffic
        A frame size, ``imix``, a capture (pcap), or a list of frames (JSON); sizes of 64, 512 and
        1518 B apart where left out.
    maps
        Variables and entries of maps (TOML, docs/objects.md).
    assigned
        Variables as ``name=value``, beside those of the file.
    entry
        Name of the program; may be left out where the object has one.
    box
        A calibrated box; this machine's own, calibrated when it is first asked, if left out.
    datapath
        ``xdp_native`` or ``xdp_generic``.
    link_gbps
        Link.
    queues
        Receive queues, each served by a core; the fewest that do if left out.
    progress
        Whether to show a bar.

    Raises
    ------
    BadInputError
        A file that cannot be used.
    CannotHereError
        Without root nothing can be loaded.
    """
    found = Path(path)
    listing = list_object(found)
    name = choose_entry(listing, datapath, entry)
    settings = read_settings(listing, Path(maps) if maps is not None else None, assigned)
    empty = empty_maps(listing, settings)
    loads = _traffic(traffic)
    with telling(shown=progress) as tell:
        used, notes = _box(box, tell)
        times = [time_program(found, name, frames, settings, tell) for frames in loads]
    question = ObjectQuestion(datapath=datapath, link_gbps=link_gbps, queues=queues)
    return ObjectFits(
        path=found, entry=name, notes=(*notes, *_of_empty(empty)),
        answers=tuple(answer_object(each, used, question) for each in times),
    )  # fmt: skip


def _traffic(named: str | os.PathLike[str] | int | None) -> list[Frames]:
    if named is None:
        return [of_size(size) for size in FRAME_BYTES]
    if isinstance(named, int) or str(named).isdigit():
        return [of_size(int(str(named)))]
    return [imix() if named == IMIX else read_frames(Path(named))]


def _box(named: str | os.PathLike[str] | None, tell: Tell) -> tuple[Box, tuple[str, ...]]:
    if named is not None:
        return read_box(Path(named)), ()
    own = own_box(tell)
    return own.box, (f"base costs of {own.path}, measured {own.age_hours:.1f} h ago",)


def _of_empty(maps: tuple[str, ...]) -> tuple[str, ...]:
    if not maps:
        return ()
    return (f"maps without entries: {', '.join(maps)}; packets that find nothing there may take "
            "a shorter path",)  # fmt: skip
