r"""A program's time from what was counted in it, at the costs of a box.

.. math:: p = n c + \sum_o k_o \max(0, o - g_o c)

with :math:`n` instructions of a path at :math:`c` each, and :math:`k_o` operations of a kind that a
calibration found to take :math:`o`, of which :math:`g_o` instructions around them are part.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import asdict, dataclass, replace

from linerate.box import Box
from linerate.errors import bad_input
from linerate.models.objects.counted.call_costs import AGAIN, Operation, missed_as, taken_as
from linerate.models.objects.sound import check_costs
from linerate.programs.costs import INSTRUCTION, around_costs, operation_costs
from linerate.programs.count import CallCount, ProgramCount
from linerate.units import short

AROUND_BEFORE = {"array_lookup": 9.1, "percpu_array_lookup": 6.9, "hash_lookup": 10.1,
                 "lru_hash_lookup": 10.0, "lpm_lookup": 14.1, "packet_read": 10.5, "checksum": 10.5,
                 "packet_write": 11.5, "header_push_pop": 39.2, "tail_call": 20.1}  # fmt: skip
"""Instructions in the calibrated cost of an operation where its box does not say them, as none did
before they were counted with the costs: those of bpf/operations.bpf.c as clang 14 lays it out."""
_READ = "packet_read"
"""Operation that is a loop of plain instructions: one of them, where none was calibrated."""
_ANY = "hash_lookup"
"""What stands in for an operation that a box does not know."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EstimatedPart:
    """Something that was counted, and what it takes."""

    name: str
    times: float
    """Mean over the packets."""
    each_ns: float
    taken_as: str
    """Operation that was calibrated."""
    stands_in: bool
    """Whether that is another one."""

    @property
    def total_ns(self) -> float:
        """Mean over the packets."""
        return self.times * self.each_ns

    def __str__(self) -> str:
        if self.name == INSTRUCTION:
            return f"{self.times:.4g} instructions {short(self.total_ns)} ns"
        times = "" if self.times == 1 else f" x {self.times:.3g}"
        return f"{self.name}{times} {short(self.total_ns)} ns"


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """Time of a program, from its count."""

    count: ProgramCount
    parts: tuple[EstimatedPart, ...]
    """The instructions, then calls as they come up, then the longer instructions."""
    path_ns: tuple[float, ...]
    """Of each path of the count."""
    notes: tuple[str, ...]
    """What stood in for what was not calibrated."""

    @property
    def program_ns(self) -> float:
        """Mean over the packets."""
        return sum(part.total_ns for part in self.parts)

    @property
    def standing_ratio(self) -> float:
        """Share of the time that is of parts for which others stood in, 0 to 1."""
        standing = sum(part.total_ns for part in self.parts if part.stands_in)
        return standing / self.program_ns if standing else 0.0

    def to_dict(self) -> dict[str, object]:
        """Plain values, for JSON."""
        count = replace(self.count, taken=())  # each in the account, where one is asked for
        return {
            **asdict(count), "instructions": count.instructions, "turns": count.turns,
            "program_ns": self.program_ns, "notes": [*count.notes, *self.notes],
            "parts": [{**asdict(part), "total_ns": part.total_ns} for part in self.parts],
        }  # fmt: skip

    def __str__(self) -> str:
        count = self.count
        turns = f" in {count.turns:.3g} turns" if count.turns else ""
        plural = "" if count.loops == 1 else "s"
        return (
            f"{', '.join(map(str, self.parts))}; of the code: shortest path {count.shortest}, "
            f"longest {count.longest} instructions, {count.loops} loop{plural}{turns}"
        )


def estimate(count: ProgramCount, box: Box) -> Estimate:
    """Price what was counted.

    Raises
    ------
    BadInputError
        The box has no costs of operations.
    """
    costs = _costs(box)
    empty = [use.name for use in count.maps if not use.entries]
    parts = _parts(count.instructions, count.calls, count.kinds, empty, costs)
    each = [_parts(path.instructions, path.calls, dict(path.kinds), empty, costs)
            for path in count.paths]  # fmt: skip
    notes = {
        f"what {part.name} takes was not calibrated: taken as {part.taken_as}": None
        for part in parts if part.stands_in
    }  # fmt: skip
    return Estimate(
        count=count, parts=parts, notes=tuple(notes),
        path_ns=tuple(sum(part.total_ns for part in path) for path in each),
    )  # fmt: skip


def _costs(box: Box) -> dict[str, float]:
    """Take what the box knows, ns; instructions around an operation are not part of it."""
    check_costs(box)
    known = {name: cost.value_ns for name, cost in operation_costs(box.costs).items()}
    if _READ not in known or _ANY not in known:
        raise bad_input(
            "box", box.name, why="it has no costs of operations, and a program is not run",
            allowed="a box that linerate calibrate wrote", do="name another by --box, or run it as "
            "root: sudo linerate fits",
        )  # fmt: skip
    each_ns = known.get(INSTRUCTION, known[_READ] / AROUND_BEFORE[_READ])
    around = {name: each_ns * times for name, times in AROUND_BEFORE.items()}
    around |= {name: cost.value_ns for name, cost in around_costs(box.costs).items()}
    return {
        name: each_ns if name == INSTRUCTION else max(0.0, ns - around.get(name, 0.0))
        for name, ns in {**known, INSTRUCTION: each_ns}.items()
    }


def _parts(
    instructions: float, calls: Iterable[CallCount], kinds: Mapping[str, float],
    empty: Container[str], costs: Mapping[str, float],
) -> tuple[EstimatedPart, ...]:  # fmt: skip
    plain = EstimatedPart(name=INSTRUCTION, times=instructions, each_ns=costs[INSTRUCTION],
                          taken_as=INSTRUCTION, stands_in=False)  # fmt: skip
    called = [
        _part(call.name, call.times, operation, costs)
        for call in calls if (operation := _operation(call, empty, costs)).name
    ]  # fmt: skip
    longer = [_part(name.replace("_", " "), times, Operation(name, 1.0, False), costs)
              for name, times in kinds.items()]  # fmt: skip
    return (plain, *called, *longer)


def _operation(call: CallCount, empty: Container[str], costs: Mapping[str, float]) -> Operation:
    """Find what a call is; the way of a lookup is foreseen with one key, and in an empty table."""
    missed = missed_as(call.helper, call.map_type) if call.missed else None
    found = (taken_as(call.helper, call.map_type, costs)
             if missed is None or missed.name not in costs else missed)  # fmt: skip
    again = f"{found.name}{AGAIN}"
    is_foreseen = call.one_key or (call.missed and call.map_name in empty)
    return found._replace(name=again) if is_foreseen and again in costs else found


def _part(
    name: str, times: float, operation: Operation, costs: Mapping[str, float]
) -> EstimatedPart:
    known = operation.name in costs
    taken = operation.name if known else _ANY
    return EstimatedPart(
        name=name, times=times, each_ns=operation.times * costs[taken], taken_as=taken,
        stands_in=operation.stands_in or not known,
    )  # fmt: skip
