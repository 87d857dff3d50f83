"""How far answers of test runs vary, with and without loading slow loads again.

``sudo python -m benchmarks.own.slow_loads [--repeats N] [--loads N]``

Six programs of bpf/examples are loaded again and again: what each load took by whether its empty
program was slow. Then they are timed as `linerate fits` does, with and without loading such loads
again, in turn: the standard deviation of the medians, % of their mean, and all medians.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from benchmarks.objects import SIZES, Case, cases

from linerate.measure.objects import test_run
from linerate.measure.objects.plan import plan_file
from linerate.measure.objects.test_run import UnderTest, time_program
from linerate.progress import telling

PROGRAMS = ("payload_match", "dns_name", "firewall", "prefix_filter", "nat", "balance_l4")
TRAFFIC = ("own", f"{SIZES[0]} B")
NEVER = float("inf")


@dataclass(slots=True, kw_only=True)
class _Answers:
    slow: float
    """Ratio from which on a load counts as slow."""
    medians_ns: list[float] = field(default_factory=list)

    def ask(self, case: Case) -> None:
        test_run.SLOW = self.slow
        with telling(shown=False) as tell:
            taken_ns = time_program(_tested(case), case.frames, tell).program_ns
        self.medians_ns.append(float(np.median(taken_ns)))

    @property
    def spread_percent(self) -> float:
        return 100.0 * float(np.std(self.medians_ns) / np.mean(self.medians_ns))


def main() -> None:
    """Load, time, and print lines for each program."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--repeats", type=int, default=8)
    parser.add_argument("--loads", type=int, default=60)
    asked, usual = parser.parse_args(), test_run.SLOW
    chosen = [case for case in cases() if case.name in PROGRAMS and case.traffic in TRAFFIC]
    for case in chosen:
        _print_loads(case, asked.loads, usual)
    for case in chosen:
        forms = [_Answers(slow=NEVER), _Answers(slow=usual)]
        for repeat in range(asked.repeats):
            for form in forms[:: -1 if repeat % 2 else 1]:
                form.ask(case)
        without, again = forms
        print(f"{case.name:14} varies by {without.spread_percent:.1f} % without, "
              f"{again.spread_percent:.1f} % with it: {_rounded(without.medians_ns)}, "
              f"{_rounded(again.medians_ns)}", flush=True)  # fmt: skip


def _tested(case: Case) -> UnderTest:
    return UnderTest(path=case.path, entry=case.entry, settings=case.settings)


def _print_loads(case: Case, count: int, usual: float) -> None:
    """Say what empty program, yardstick and program took in loads that were slow, and in others."""
    with plan_file(case.settings, case.frames) as plan:
        loads = [test_run._load(_tested(case), plan, 0) for _ in range(count)]
    taken_ns = np.array([(load.empty_ns, load.yardstick_ns, load.program_ns) for load in loads])
    slow = taken_ns[:, 0] > usual * taken_ns[:, 0].min()
    for name, rows in (("usual", taken_ns[~slow]), ("slow", taken_ns[slow])):
        medians = np.median(rows, axis=0).tolist() if len(rows) else []
        print(f"{case.name:14} {len(rows):3} {name} loads: empty, yardstick, program "
              f"{_rounded(medians)} ns", flush=True)  # fmt: skip


def _rounded(values_ns: Sequence[float]) -> list[int]:
    return [round(ns) for ns in values_ns]


if __name__ == "__main__":
    main()
