"""How far factors between two machines differ within a class: ``within_classes.py [TABLE ...]``.

Of pipelines that have one class more than most do, what that adds there is divided by what it adds
by the shipped table. The logarithms differ between kinds and numbers of a class, and their standard
deviation, pooled over classes, is `linerate.models.operations.carried.WITHIN`.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path

import numpy as np

from linerate.models.operations import Work, mix_runs
from linerate.models.operations.own import ladders
from linerate.tables.runs import read_runs

DATA = Path("data")
SHIPPED = DATA / "reference-pipelines"
OTHERS = (DATA / "reference-pipelines-2", DATA / "reference-pipelines-3")
PLAIN = (("emit", 3), ("extract", 3), ("move", 1))
ADDED_NS_MIN = 3.0
"""Of less, most is noise and what comes with it."""


def medians(table: Path) -> dict[Work, float]:
    """Read what each pipeline took, ns; those at usual settings alone."""
    works, times_ns = mix_runs(read_runs([table])).medians()
    return {work: float(ns) for work, ns in zip(works, times_ns, strict=True) if not work.settings}


def factors(here: dict[Work, float], there: dict[Work, float]) -> dict[str, list[float]]:
    """Take the logarithms of what each pipeline adds there over what it adds here, by class."""
    found = defaultdict(list)
    plain = next(work for work in here if work.steps == PLAIN)
    for work, name in ladders(tuple(here)):
        if work in there:
            added = here[work] - here[plain], there[work] - there[plain]
            if min(added) >= ADDED_NS_MIN:
                found[name].append(float(np.log(added[1] / added[0])))
    return {name: logs for name, logs in found.items() if len(logs) > 1}


def main() -> None:
    """Print classes with their factors, and what differs within them."""
    here = medians(SHIPPED)
    for table in [Path(path) for path in sys.argv[1:]] or OTHERS:
        by_class = factors(here, medians(table))
        for name, logs in by_class.items():
            print(f"{table.name}: {name}: {len(logs)} factors about {np.exp(np.mean(logs)):.2f}, "
                  f"apart by {np.std(logs, ddof=1):.2f}")  # fmt: skip
        squares = sum(np.var(logs) * len(logs) for logs in by_class.values())
        free = sum(len(logs) - 1 for logs in by_class.values())
        print(f"{table.name}: within classes {np.sqrt(squares / free):.3f}, of {free} more than "
              "their classes")  # fmt: skip


if __name__ == "__main__":
    main()
