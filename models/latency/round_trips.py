"""Round trips of every kind of chain that was pinged: one line for each over its length."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from linerate.errors import BadInputError
from linerate.models.latency.chain_rtt import ChainRtt, fit_chain_rtt
from linerate.models.runs.cells import Array, Mask
from linerate.models.runs.selection import believable

USUAL = {"chain_topology": "direct", "nsh_aware": False, "metadata_type": 1}
"""What a chain is taken for where a column does not say it."""
WORK = "chain_work_ns"
"""Column with what each function does itself."""


class ChainKind(NamedTuple):
    """What tells chains apart beside their length."""

    topology: str
    function: str
    nsh_aware: bool
    metadata_type: int

    def __str__(self) -> str:
        aware = ", NSH-aware" if self.nsh_aware else ""
        kind = f", MD type {self.metadata_type}" if self.metadata_type != 1 else ""
        return f"chain/{self.topology}/{self.function}{aware}{kind}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainLine:
    """Round trips of one kind of chain at rest."""

    kind: ChainKind
    mean: ChainRtt
    p50: ChainRtt | None
    """None where the runs tell no median."""
    longest: int
    """Functions of the longest chain that was measured."""

    def __str__(self) -> str:
        median = f"; median {self.p50}" if self.p50 is not None else ""
        return f"{self.kind}: mean {self.mean}{median}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundTrips:
    """Round trips of chains that carry nothing else."""

    lines: tuple[ChainLine, ...]

    def knows(self, cells: pd.DataFrame) -> Mask:
        """Whether each cell is a chain of a kind that was measured, shape (n,)."""
        return np.array([line is not None for line, _ in self._asked(cells)], dtype=np.bool_)

    def answer(self, cells: pd.DataFrame) -> Mapping[str, Array]:
        """Predict median and mean round trip, us, and whether such lengths were measured.

        Returns
        -------
        ``rtt_p50_us, rtt_mean_us`` (nan where the kind is not known, or without any function) and
        ``rtt_in_domain``, 0 or 1; shape (n,) each.
        """
        answers = np.array([_answer(line, length) for line, length in self._asked(cells)])
        names = ("rtt_p50_us", "rtt_mean_us", "rtt_in_domain")
        return dict(zip(names, answers.reshape(-1, 3).T, strict=True))

    def line_of(self, cell: Mapping[str, object]) -> ChainLine | None:
        """Find the line of a chain's kind; None where it was not measured."""
        kind = kind_of(cell)
        return next((line for line in self.lines if line.kind == kind), None)

    def _asked(self, cells: pd.DataFrame) -> Iterator[tuple[ChainLine | None, float]]:
        for cell in cells.to_dict("records"):
            chain = cell.get("datapath") == "chain" and "chain_length" in cell
            named = {str(name): value for name, value in cell.items()}
            yield self.line_of(named) if chain else None, (
                float(cell["chain_length"]) if chain else np.nan)  # fmt: skip

    def __str__(self) -> str:
        return "\n".join(map(str, self.lines))


def _answer(line: ChainLine | None, length: float) -> tuple[float, float, float]:
    if line is None or not length >= 1.0:
        return np.nan, np.nan, 0.0
    median = float(line.p50.rtt_us(length)) if line.p50 is not None else np.nan
    return median, float(line.mean.rtt_us(length)), float(length <= line.longest)


def kind_of(cell: Mapping[str, object]) -> ChainKind:
    """Read the kind of a chain off its cell; columns that are not there are taken as usual."""
    known = {name: value for name, value in cell.items() if not pd.isna(np.asarray(value)).any()}
    named = USUAL | known
    return ChainKind(
        topology=str(named["chain_topology"]), function=str(named.get("chain_function", "")),
        nsh_aware=named["nsh_aware"] in (True, "yes"),
        metadata_type=int(float(str(named["metadata_type"]))),
    )  # fmt: skip


def own_work_ns(runs: pd.DataFrame) -> Array:
    """Take what each function of chains does itself with a packet, ns, shape (n,)."""
    if WORK not in runs.columns:
        return np.zeros(len(runs), dtype=np.float64)
    return np.asarray(pd.to_numeric(runs[WORK]).fillna(0.0), dtype=np.float64)


def pinged_chains(runs: pd.DataFrame) -> Iterator[tuple[ChainKind, pd.DataFrame]]:
    """Yield the believable runs of each kind of chain of one function and more that was pinged.

    Chains whose functions do something themselves are left out.
    """
    if not {"chain_length", "chain_function", "rtt_mean_us"} <= set(runs.columns):
        return
    pinged = (runs["rtt_mean_us"] > 0.0) & (runs["chain_length"] >= 1) & (own_work_ns(runs) == 0.0)
    pings, _ = believable(runs[pinged])
    kinds = [kind_of({str(k): v for k, v in row.items()}) for row in pings.to_dict("records")]
    for kind in dict.fromkeys(kinds):
        yield kind, pings[[one == kind for one in kinds]]


def fit_round_trips(runs: pd.DataFrame) -> RoundTrips | None:
    """Fit each kind of chain that was pinged at two lengths or more; None where none was."""
    lines = []
    for kind, chain in pinged_chains(runs):
        try:
            lengths = chain["chain_length"]
            mean = fit_chain_rtt(lengths, chain["rtt_mean_us"])
            known = "rtt_p50_us" in chain.columns and bool(chain["rtt_p50_us"].notna().all())
            p50 = fit_chain_rtt(lengths, chain["rtt_p50_us"]) if known else None
        except BadInputError:  # one length only
            continue
        longest = int(lengths.max())
        lines.append(ChainLine(kind=kind, mean=mean, p50=p50, longest=longest))
    return RoundTrips(lines=tuple(lines)) if lines else None
