"""How far counted times of programs are off: ``sudo python -m benchmarks.counted``.

Measures what operations cost, then counts every XDP program of ours, programs of tc of our tests,
and the filters of libxdp that Debian ships, and runs each in test runs of the same minutes. Each
program's interval comes from the residuals of the others. Beside stands what is counted by a box
that knows no calls of ``bpf/objects/helpers.bpf.c``, as boxes of before did not. ``--only`` takes a
few programs, ``--rounds`` times operations and programs so often.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path

import numpy as np
from benchmarks.objects import EXAMPLES, Case, cases
from benchmarks.others import MAPS, cases_of, shipped
from numpy.typing import NDArray

from linerate.box import Box, Cost
from linerate.errors import LinerateError
from linerate.measure.objects.calibrating.around import measure_program_costs
from linerate.measure.objects.calibrating.parts import HELPERS
from linerate.measure.objects.counting.count import count_program
from linerate.measure.objects.entry import choose_entry, hook_for
from linerate.measure.objects.listing import list_object
from linerate.measure.objects.maps.settings import read_settings
from linerate.measure.objects.test_run import UnderTest, time_program
from linerate.measure.objects.traffic.udp_frames import of_size
from linerate.measure.processes import built
from linerate.measure.system.describe import this_box
from linerate.models.objects.counted.estimate import estimate
from linerate.normal import NORMAL_90
from linerate.programs.costs import OPERATION, YARDSTICK
from linerate.progress import Tell, telling

ROOT = EXAMPLES.parents[1]
SMALL = {
    "calling": ("straight", "looping", "outer"), "looper": ("few", "many"), "looked_up": ("look",),
    "resizer": ("push_any", "cut"), "counting": ("remember",), "rewriter": ("rewrite",),
    "sorter": ("sort",),
}  # fmt: skip
"""Programs that the tests compile."""
SMALL_TC = {"changing_tc": ("write", "widen", "narrow", "tag", "cut")}
"""The same of tc."""
OTHERS = (
    ("filter_xdp", ()), ("nsh_dec", ()), ("xsk_redirect", ()),
    ("map_lookup", ("memory_accesses=10",)), ("map_lookup", ("memory_accesses=100",)),
)  # fmt: skip
"""Programs of ours that are not examples, and their variables."""
SHORT_NS = 3.0
"""A program that takes less is the error of a nanosecond, and not a share."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """One program, counted and run."""

    name: str
    instructions: float
    counted_ns: float
    before_ns: float
    """By a box without the costs of helpers."""
    loads_ns: tuple[float, ...]
    stood_in: bool
    """Whether something stood in for a call that is not calibrated: no residual of the method."""

    @property
    def measured_ns(self) -> float:
        """Median of the loads."""
        return float(np.median(self.loads_ns))

    @property
    def residual(self) -> float:
        """Logarithm of measured over counted time."""
        return float(np.log(self.measured_ns / self.counted_ns))


def all_cases(folder: Path) -> Iterator[Case]:
    """List the examples and our other XDP programs."""
    yield from (case for case in cases() if case.traffic != "1500 B")
    first = EXAMPLES / "first/drop_ports"
    built_first = built_from(first.with_suffix(".bpf.c"), folder)
    yield _case("drop_ports", built_first, first.with_suffix(".toml"), ())
    for name, assigned in OTHERS:
        yield _case(name, built.program_object(name), None, assigned)
    programs = "tests.measure.objects.programs"
    for module, small in (("sources", SMALL), ("tc_sources", SMALL_TC)):
        sources = import_module(f"{programs}.{module}")
        texts = sources.TC if small is SMALL_TC else sources.SOURCES
        for name, entries in small.items():
            source = folder / f"{name}.bpf.c"
            source.write_text(texts[name])
            path = built_from(source, folder)
            for entry in entries:
                yield _case(f"test {name}", path, None, (), entry)
    yield from (case for case in cases_of(shipped(), MAPS) if case.traffic != "1500 B")


def built_from(source: Path, folder: Path) -> Path:
    """Compile a program that make does not."""
    path = folder / f"{source.name.removesuffix('.bpf.c')}.bpf.o"
    include = f"-I/usr/include/{os.uname().machine}-linux-gnu"
    argv = ["clang", "-O2", "-g", "-target", "bpf", include, "-c", source, "-o", path]
    subprocess.run(argv, check=True)
    return path


def _case(
    name: str, path: Path, maps: Path | None, assigned: tuple[str, ...], entry: str | None = None
) -> Case:
    listing = list_object(path)
    hook = hook_for(listing, entry)
    return Case(
        name=" ".join((name, *assigned, *([entry] if entry else []))), path=path,
        frames=of_size(64), traffic="64 B",
        entry=choose_entry(listing, hook, entry), datapaths=(hook,),
        settings=read_settings(listing, maps, assigned),
    )  # fmt: skip


def compare(case: Case, box: Box, tell: Tell) -> Compared:
    """Count a program, and run it."""
    tested = UnderTest(path=case.path, entry=case.entry, settings=case.settings,
                       datapath=case.datapaths[0])  # fmt: skip
    listing = list_object(case.path)
    (count,) = count_program(case.path, case.entry, listing, case.settings, [case.frames],
                             case.datapaths[0])  # fmt: skip
    times = time_program(tested, case.frames, tell)
    found = estimate(count, box)
    return Compared(
        name=f"{case.name}, {case.traffic}", instructions=count.instructions,
        counted_ns=found.program_ns, before_ns=estimate(count, without_helpers(box)).program_ns,
        loads_ns=times.program_ns,
        stood_in=found.standing_ratio > 0.0,
    )  # fmt: skip


def without_helpers(box: Box) -> Box:
    """Forget what calls of helpers cost."""
    programs = list_object(built.program_object(HELPERS)).programs
    names = {f"{OPERATION}{program.name}" for program in programs}
    return replace(box, costs={name: cost for name, cost in box.costs.items() if name not in names})


def reach(residuals: NDArray[np.float64]) -> float:
    """Half width of the interval that `fits` would give with these residuals."""
    return NORMAL_90 * float(np.sqrt(np.mean(residuals**2)))


def main() -> int:
    """Print a table in Markdown, then the errors."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--only", nargs="*", metavar="NAME", help="programs; all if left out")
    parser.add_argument("--rounds", type=int, default=1, help="times that all of it is done")
    asked = parser.parse_args()
    yardstick = Cost(value_ns=1.0, lower_ns=1.0, upper_ns=1.0)
    found = []
    try:
        with telling(shown=True) as tell, tempfile.TemporaryDirectory() as folder:
            cases = [case for case in all_cases(Path(folder))
                     if not asked.only or case.name in asked.only]  # fmt: skip
            for _ in range(asked.rounds):
                costs = measure_program_costs(tell)
                box = replace(this_box("veth"), costs={YARDSTICK: yardstick, **costs})
                found += [compare(case, box, tell) for case in cases]
    except LinerateError as error:
        print(f"counted: {error}", file=sys.stderr)
        return error.exit_code
    print_table(found)
    return 0


def print_table(found: list[Compared]) -> None:
    """Print each program, and the errors of those that take longer than nothing."""
    long = [one for one in found if one.measured_ns >= SHORT_NS and not one.stood_in]
    residuals = np.array([one.residual for one in long])
    print("| program | instructions | counted, ns | measured, ns (5 loads) | off "
          "| without the costs of helpers |\n|---|---|---|---|---|---|")  # fmt: skip
    for one in found:
        ends = f"{min(one.loads_ns):.3g} to {max(one.loads_ns):.3g}"
        off = f"{one.counted_ns / one.measured_ns - 1:+.0%}"
        off = off if one in long else f"({'stood in' if one.stood_in else 'short'}: {off})"
        print(f"| {one.name} | {one.instructions:.4g} | {one.counted_ns:.3g} | "
              f"{one.measured_ns:.3g} ({ends}) | {off} | "
              f"{one.before_ns / one.measured_ns - 1:+.0%} |")  # fmt: skip
    errors = np.abs(np.exp(-residuals) - 1.0)
    left_out = [
        abs(residual) <= reach(np.delete(residuals, place))
        for place, residual in enumerate(residuals)
    ]
    print(
        f"\n{len(long)} programs of {SHORT_NS:g} ns or more, nothing stood in: error median "
        f"{np.median(errors):.1%}, mean {errors.mean():.1%}, P90 {np.quantile(errors, 0.9):.1%}\n"
        f"measured over counted, logarithms: mean {residuals.mean():+.3f}, root of mean square "
        f"{reach(residuals) / NORMAL_90:.3f}; each by the others': {sum(left_out)} of "
        f"{len(left_out)} inside 90 %"
    )


if __name__ == "__main__":
    sys.exit(main())
