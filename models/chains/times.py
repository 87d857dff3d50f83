"""Packets through chains in overload: a fixed time, and as much again for each function.

All stages of a chain share the cores that it has; where that is one, the time of a packet is the
sum of all of them, and of what is done for packets that are lost further on (`rounds`, `turns`);
what is delivered when more is offered is one over it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from linerate.models.chains.rounds import flooded_ns, in_rounds
from linerate.models.chains.turns import behind_sockets_ns, by_hub_ns
from linerate.models.latency.round_trips import ChainKind, kind_of, own_work_ns
from linerate.models.runs.cells import Array, Mask
from linerate.models.runs.selection import believable
from linerate.normal import NORMAL_90
from linerate.units import FRAME_BYTES_MIN

OVERLOADED = 0.95
"""Share of the offered load below which what is delivered is all that the chain can."""
LINE_STEPS = 4
"""Times that a line is led back by what is lost: the time of a step moves that little."""
LENGTHS_MIN = 3
"""A line and what it is off by."""
LOST_TIMES_MIN = 1.05
"""Times as long in overload as otherwise, from which on packets are said to be lost half way."""
LOST_LOG_SD = 0.25
"""What floods of long functions in tc were off by beside the line (docs/chains.md)."""
NS_MAX, LOG_SD_MAX, LENGTH_MAX, BYTES_MAX = 1e12, 20.0, 10_000, 65_536.0
"""Beyond these a model file holds no chains that anybody measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainTime:
    """Time of a packet through one kind of chain."""

    kind: ChainKind
    fixed_ns: float
    """Source, destination and what all functions have once, smallest frames."""
    function_ns: float
    """One more function."""
    fixed_ns_per_byte: float
    """More of it for each byte over the smallest frame; 0 where one size was measured."""
    function_ns_per_byte: float
    log_sd: float
    """Standard deviation of the logarithm of measured over predicted, each length held out."""
    shortest: int
    longest: int
    """Functions of the chains that were measured."""
    bytes_min: float
    bytes_max: float
    """Frames that were measured."""
    runs: int

    def __post_init__(self) -> None:
        times = (self.fixed_ns, self.function_ns, self.fixed_ns_per_byte, self.function_ns_per_byte)
        if not all(abs(ns) <= NS_MAX for ns in times):
            raise ValueError(f"{self.kind}: {times} are not times of a packet")
        if not 0.0 <= self.log_sd <= LOG_SD_MAX:
            raise ValueError(f"{self.kind}: log_sd={self.log_sd} is not a deviation")
        lengths = 0 <= self.shortest <= self.longest <= LENGTH_MAX
        if not (lengths and 0.0 < self.bytes_min <= self.bytes_max <= BYTES_MAX):
            raise ValueError(f"{self.kind}: no chains of such lengths and frames are measured")

    def packet_ns(self, functions: ArrayLike, frame_bytes: ArrayLike) -> Array:
        """Time of a packet through so many functions that do nothing, were none lost, ns."""
        more = np.asarray(frame_bytes, np.float64) - FRAME_BYTES_MIN
        fixed = self.fixed_ns + self.fixed_ns_per_byte * more
        each = self.function_ns + self.function_ns_per_byte * more
        return np.asarray(fixed + each * np.asarray(functions, np.float64))

    def flooded_ns(self, frame_bytes: float, works_ns: Sequence[float]) -> float:
        """Time of a packet that comes through in overload, its functions each so long, ns."""
        idle_ns, next_ns = self.packet_ns([len(works_ns), len(works_ns) + 1], frame_bytes)
        return _flooded_ns(self.kind, float(idle_ns), float(next_ns - idle_ns), works_ns)

    def carried_ns(self, frame_bytes: float, works_ns: Sequence[float]) -> float:
        """Time of a packet where no more is offered than gets through, ns.

        In tc nothing is lost then; other chains are taken to be as in overload.
        """
        if not in_rounds(self.kind):
            return self.flooded_ns(frame_bytes, works_ns)
        return float(self.packet_ns(len(works_ns), frame_bytes)) + sum(works_ns)

    def lost_times(self, frame_bytes: float, works_ns: Sequence[float]) -> float:
        """How many times as long a packet takes in overload, for those that are lost, 1 or more."""
        return self.flooded_ns(frame_bytes, works_ns) / self.carried_ns(frame_bytes, works_ns)

    def flooded_log_sd(self, frame_bytes: float, works_ns: Sequence[float]) -> float:
        """Say how unsure that is: what long functions lose no length that is held out shows."""
        if any(works_ns) and self.lost_times(frame_bytes, works_ns) > LOST_TIMES_MIN:
            return float(np.hypot(self.log_sd, LOST_LOG_SD))
        return self.log_sd

    def knows(self, functions: ArrayLike, frame_bytes: ArrayLike) -> Mask:
        """Whether chains and frames lie within those that were measured."""
        lengths, sizes = np.asarray(functions, np.float64), np.asarray(frame_bytes, np.float64)
        inside = (self.shortest <= lengths) & (lengths <= self.longest)
        return np.asarray(inside & (self.bytes_min <= sizes) & (sizes <= self.bytes_max))

    def __str__(self) -> str:
        text = (f"{self.kind}: packet = {self.fixed_ns:.4g} ns + {self.function_ns:.4g} ns * "
                "functions")  # fmt: skip
        if self.bytes_min == self.bytes_max:
            return f"{text} ({self.bytes_min:g} B)"
        return (f"{text} + ({self.fixed_ns_per_byte:.2g} ns + {self.function_ns_per_byte:.2g} ns "
                f"* functions) * (bytes - {FRAME_BYTES_MIN})")  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainTimes:
    """Every kind of chain that was loaded with more than it can carry."""

    times: tuple[ChainTime, ...]

    def time_of(self, cell: Mapping[str, object]) -> ChainTime | None:
        """Find the time of a chain's kind; None where it was not measured."""
        kind = kind_of(cell)
        return next((time for time in self.times if time.kind == kind), None)

    def knows(self, cells: pd.DataFrame) -> Mask:
        """Whether each cell is a chain of a kind that was measured, shape (n,)."""
        return np.array([time is not None for time, _ in self._asked(cells)], dtype=np.bool_)

    def answer(self, cells: pd.DataFrame) -> Mapping[str, Array]:
        """Predict what chains deliver when more is offered.

        Returns
        -------
        ``chain_mpps`` with the ends ``chain_lower_mpps`` and ``chain_upper_mpps`` of its 90 %
        interval, and ``chain_in_domain``, 0 or 1; shape (n,) each.
        """
        rows = [_answer(time, cell) for time, cell in self._asked(cells)]
        names = ("chain_mpps", "chain_lower_mpps", "chain_upper_mpps", "chain_in_domain")
        return dict(zip(names, np.array(rows).reshape(-1, 4).T, strict=True))

    def _asked(
        self, cells: pd.DataFrame
    ) -> Iterator[tuple[ChainTime | None, Mapping[str, object]]]:
        for cell in cells.to_dict("records"):
            named = {str(name): value for name, value in cell.items()}
            is_chain = cell.get("datapath") == "chain" and "chain_length" in cell
            yield self.time_of(named) if is_chain else None, named

    def __str__(self) -> str:
        return "\n".join(map(str, self.times))


def _answer(time: ChainTime | None, cell: Mapping[str, object]) -> tuple[float, ...]:
    if time is None:
        return np.nan, np.nan, np.nan, 0.0
    length, size = int(float(str(cell["chain_length"]))), float(str(cell["frame_bytes"]))
    (own_ns,) = own_work_ns(pd.DataFrame([cell]))
    works_ns = [own_ns] * length
    mpps = 1e3 / time.flooded_ns(size, works_ns)
    wide = float(np.exp(NORMAL_90 * time.flooded_log_sd(size, works_ns)))
    return mpps, mpps / wide, mpps * wide, float(time.knows(length, size))


def loaded_chains(
    runs: pd.DataFrame, *, worked: bool = False
) -> Iterator[tuple[ChainKind, pd.DataFrame]]:
    """Yield the believable runs of each kind of chain that was offered more than it delivers.

    Parameters
    ----------
    runs
        Any runs.
    worked
        Whether those whose functions do something themselves are wanted, or the others.

    Yields
    ------
    Runs with the columns ``chain_length``, ``frame_bytes`` and ``packet_ns``.
    """
    if not {"chain_length", "chain_function", "forwarded_mpps"} <= set(runs.columns):
        return
    most = OVERLOADED * runs["offered_mpps"]
    chains = runs[(runs["forwarded_mpps"] > 0.0) & (runs["chain_length"] >= 1)
                  & (runs["forwarded_mpps"] < most)]  # fmt: skip
    chains = chains[(own_work_ns(chains) > 0.0) == worked]
    if chains.empty:
        return
    if "rtt_mean_us" in chains.columns:  # echo requests are not load
        chains = chains[~(chains["rtt_mean_us"] > 0.0)]
    sound, _ = believable(chains)
    sound = sound.assign(packet_ns=1e3 / sound["forwarded_mpps"])
    kinds = [kind_of({str(k): v for k, v in row.items()}) for row in sound.to_dict("records")]
    for kind in dict.fromkeys(kinds):
        yield kind, sound[[one == kind for one in kinds]]


def design_of(chain: pd.DataFrame, *, sizes: bool) -> Array:
    """Columns of the sum: once and by function; with ``sizes`` both by byte over the smallest."""
    lengths = chain["chain_length"].to_numpy(dtype=np.float64)
    more = chain["frame_bytes"].to_numpy(dtype=np.float64) - FRAME_BYTES_MIN
    columns = [np.ones(len(chain)), lengths]
    return np.column_stack([*columns, more, more * lengths] if sizes else columns)


def solve(design: Array, packet_ns: Array) -> Array:
    """Least squares of relative errors, shape (columns,)."""
    scaled = design / packet_ns[:, None]
    return np.asarray(np.linalg.lstsq(scaled, np.ones(len(packet_ns)))[0], np.float64)


def foretold_ns(kind: ChainKind, seen: pd.DataFrame, held: pd.DataFrame) -> Array:
    """Predict runs of one kind of chain by others of it, ns; shape (held,)."""
    sizes = seen["frame_bytes"].nunique() > 1
    line = _line(kind, seen)
    return np.asarray(design_of(held, sizes=sizes) @ line * _longer(kind, held, line))


def held_out_ns(kind: ChainKind, chain: pd.DataFrame) -> Array:
    """Predict each run by the runs of all other lengths, ns; shape (n,)."""
    lengths = chain["chain_length"].to_numpy()
    found = np.full(len(chain), np.nan)
    for length in np.unique(lengths):
        held = lengths == length
        found[held] = foretold_ns(kind, chain[~held], chain[held])
    return found


def fit_chain_times(runs: pd.DataFrame) -> ChainTimes | None:
    """Fit each kind of chain that was measured at three lengths or more; None where none was."""
    found = [_fitted(kind, chain) for kind, chain in loaded_chains(runs)
             if chain["chain_length"].nunique() >= LENGTHS_MIN]  # fmt: skip
    return ChainTimes(times=tuple(found)) if found else None


def _fitted(kind: ChainKind, chain: pd.DataFrame) -> ChainTime:
    times = chain["packet_ns"].to_numpy(dtype=np.float64)
    fitted, line = np.zeros(4), _line(kind, chain)
    fitted[: len(line)] = line
    off = np.log(times / np.maximum(held_out_ns(kind, chain), 1.0))
    return ChainTime(
        kind=kind, fixed_ns=float(fitted[0]), function_ns=float(fitted[1]),
        fixed_ns_per_byte=float(fitted[2]), function_ns_per_byte=float(fitted[3]),
        log_sd=float(np.sqrt(np.mean(off**2))), shortest=int(chain["chain_length"].min()),
        longest=int(chain["chain_length"].max()), bytes_min=float(chain["frame_bytes"].min()),
        bytes_max=float(chain["frame_bytes"].max()), runs=len(chain),
    )  # fmt: skip


def _line(kind: ChainKind, chain: pd.DataFrame) -> Array:
    """Solve for the line of packets of which none is lost, by what is lost by the line before."""
    design = design_of(chain, sizes=chain["frame_bytes"].nunique() > 1)
    times = chain["packet_ns"].to_numpy(dtype=np.float64)
    line = solve(design, times)
    for _ in range(LINE_STEPS):
        line = solve(design * _longer(kind, chain, line)[:, None], times)
    return line


def _longer(kind: ChainKind, chain: pd.DataFrame, line: Array) -> Array:
    """How many times as long a packet takes as the line says, by what is lost; shape (n,)."""
    sizes, longer_chain = len(line) > 2, chain.assign(chain_length=chain["chain_length"] + 1)
    idle_ns = design_of(chain, sizes=sizes) @ line
    function_ns = design_of(longer_chain, sizes=sizes) @ line - idle_ns
    rows = list(zip(chain["chain_length"], idle_ns, function_ns, strict=True))
    longer = {(length, idle, each): _flooded_ns(kind, idle, each, [0.0] * int(length)) / idle
              if idle > 0.0 else 1.0 for length, idle, each in dict.fromkeys(rows)}  # fmt: skip
    return np.array([longer[row] for row in rows])


def _flooded_ns(
    kind: ChainKind, idle_ns: float, function_ns: float, works_ns: Sequence[float]
) -> float:
    """Time of a packet of which, were none lost, it would take so long without work, ns."""
    if in_rounds(kind):
        return flooded_ns(idle_ns, function_ns, works_ns, nsh_aware=kind.nsh_aware)
    if kind.topology == "hub":
        return by_hub_ns(idle_ns, works_ns)
    return behind_sockets_ns(idle_ns, works_ns)
