"""What is asked about a pipeline: its text, its tables' entries, and the ways of its traffic."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

import numpy as np

from linerate.errors import bad_input
from linerate.measure.datapaths.swx.compiled import PipelineText
from linerate.measure.datapaths.swx.spec.entries import fillable, read_entries
from linerate.measure.datapaths.swx.spec.following.filled import filled
from linerate.measure.datapaths.swx.spec.following.outcomes import Entries
from linerate.measure.datapaths.swx.spec.following.paths import (
    SAMPLED_MAX,
    longest_path,
    sampled_paths,
    shared_paths,
)
from linerate.measure.datapaths.swx.spec.following.paths import Path as SpecPath
from linerate.measure.datapaths.swx.spec.printed import print_spec
from linerate.measure.datapaths.swx.spec.spec import Spec
from linerate.measure.datapaths.swx.spec.widened import longer, widened
from linerate.measure.objects.traffic.frames import Frames
from linerate.measure.objects.traffic.named import FRAME_BYTES, named_frames
from linerate.programs.pipeline_paths import PipelinePath, PipelineTraffic

SEED = 13
"""Of the sample of paths: the same question has the same answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A pipeline with its tables, and what traffic it is asked about with."""

    spec: Spec
    tables: Mapping[str, str] | None
    """Entries by table, members by selector, as DPDK gets them; without any of a name it is empty,
    and None says that nothing is known of any."""
    frames: Frames | None
    """None where every way of several is as likely as the others."""
    sizes: tuple[int, ...]
    """Of frames of which nothing else is known."""

    @classmethod
    def of(
        cls, spec: Spec, tables: Sequence[str], traffic: str | os.PathLike[str] | int | None,
        frame_bytes: int | None,
    ) -> Self:  # fmt: skip
        """Read what is named.

        Raises
        ------
        BadInputError
            No such table or size, or a file that cannot be used.
        """
        return cls(
            spec=spec, tables=_tables(spec, tables) if tables else None,
            frames=None if traffic is None else named_frames(traffic),
            sizes=FRAME_BYTES if frame_bytes is None else (frame_bytes,),
        )  # fmt: skip

    @property
    def fillable(self) -> tuple[str, ...]:
        """Tables and selectors that have what is put into them from outside."""
        return fillable(self.spec)

    @property
    def program(self) -> PipelineText:
        """What DPDK gets."""
        return PipelineText(spec=print_spec(self.spec), tables=tuple((self.tables or {}).items()))

    def widened(self, fields: Sequence[str]) -> Self:
        """Ask the same with some metadata fields of 64 bits.

        Raises
        ------
        BadInputError
            DPDK would not take it.
        """
        long = widened(self.spec, fields)
        tables = None if self.tables is None else longer(self.spec, long, self.tables)
        return replace(self, spec=long, tables=tables)

    def followed(self) -> tuple[list[PipelineTraffic], tuple[str, ...]]:
        """Follow the traffic, a load each, and say what was assumed of it."""
        rng, entries = np.random.default_rng(SEED), self._entries()
        tables = "" if entries is None else ", tables without a file are empty"
        if self.frames is not None:
            paths = _paths_of_frames(self.spec, rng, entries, self.frames)
            load = PipelineTraffic(frame_bytes=self.frames.mean_frame_bytes, paths=paths)
            unknown = ", of tables each outcome is as likely as the others: --table says more"
            what = f"frames are followed by their bytes; learners know all flows{tables or unknown}"
            return [load], tuple(filter(None, (what, self.frames.note)))
        found, left_out = sampled_paths(self.spec, rng, entries)
        paths = _merged([_as_path(path, path.share) for path in found])
        if left_out or len(found) >= SAMPLED_MAX:
            paths = _merged([*paths, _as_path(longest_path(self.spec), 0.0)])
        loads = [PipelineTraffic(frame_bytes=size, paths=paths) for size in self.sizes]
        assumed = f"{len(found)} paths, each way of several as likely as the others{tables}"
        return loads, (f"{assumed}: --traffic and --table say more, and as root have it run",)

    def _entries(self) -> Entries | None:
        if self.tables is None:
            return None
        return {name: filled(self.spec, name, text) for name, text in self.tables.items()
                if name in self.spec.tables}  # fmt: skip


def _tables(spec: Spec, named: Sequence[str]) -> dict[str, str]:
    found = {}
    for each in named:
        name, _, file = each.partition("=")
        if not file:
            raise bad_input("table", each, why="no table and its file", allowed="NAME=FILE.txt",
                            do="correct it")  # fmt: skip
        found[name] = read_entries(spec, name, Path(file))
    return found


def _paths_of_frames(
    spec: Spec, rng: np.random.Generator, entries: Entries | None, frames: Frames
) -> tuple[PipelinePath, ...]:
    total = sum(frames.weights)
    return _merged([
        _as_path(path, path.share * weight / total)
        for packet, weight in zip(frames.packets, frames.weights, strict=True)
        for path in shared_paths(spec, rng, entries, packet)
    ])  # fmt: skip


def _as_path(path: SpecPath, share: float) -> PipelinePath:
    return PipelinePath(operations=path.operations, share=share, choices=path.choices,
                        sends=path.sends, waits=path.waits)  # fmt: skip


def _merged(paths: Sequence[PipelinePath]) -> tuple[PipelinePath, ...]:
    """Put paths together that execute the same."""
    found: dict[object, PipelinePath] = {}
    for path in paths:
        key = (path.operations, path.sends)
        other = found.get(key)
        share = path.share + (other.share if other else 0.0)
        found[key] = replace(other or path, share=share)
    return tuple(found.values())
