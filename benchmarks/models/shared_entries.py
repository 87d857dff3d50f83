"""What two cores that write to the same entries take, by three forms, each cell held out.

``python -m benchmarks.models.shared_entries data/reference-shared-entries``

Of the cells on two cores with operations on entries of both, each is held out and predicted by the
others: as one core takes it; with what two cores add to every packet, a setting; with what they add
to each such operation (`linerate.models.operations.shared`).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from linerate.models.operations import mix_runs
from linerate.models.operations.model import Mixes
from linerate.models.operations.shared import SHARED
from linerate.models.operations.work import Work
from linerate.models.runs.cells import Array
from linerate.tables.runs import read_runs


def main() -> None:
    """Print errors by form."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    works, times_ns = mix_runs(read_runs(parser.parse_args().folders)).medians()
    forms = {"as on one core": _as_one, "a setting": _setting, "each operation": _predicted_ns}
    for name, form in forms.items():
        errors = [100.0 * (form(works, times_ns, place) / times_ns[place] - 1.0)
                  for place in _held(works)]  # fmt: skip
        sizes = np.abs(errors)
        print(f"{name:16} {np.median(sizes):.1f} / {sizes.mean():.1f} % over {sizes.size} cells: "
              f"{', '.join(f'{error:+.0f}' for error in errors)}")  # fmt: skip
    print(Mixes.fit(works, times_ns))


def _held(works: Sequence[Work]) -> Iterator[int]:
    for place, work in enumerate(works):
        if work.queues > 1 and any(kind.startswith(SHARED) for kind in work.kinds):
            yield place


def _predicted_ns(works: Sequence[Work], times_ns: Array, place: int) -> float:
    others = [other for other in range(len(works)) if other != place]
    fitted = Mixes.fit([works[other] for other in others], times_ns[others])
    return fitted.time_ns(works[place])[0]


def _setting(works: Sequence[Work], times_ns: Array, place: int) -> float:
    plain = [
        replace(work, steps=tuple((kind.removeprefix(SHARED), n) for kind, n in work.steps))
        for work in works
    ]
    return _predicted_ns(plain, times_ns, place)


def _as_one(works: Sequence[Work], times_ns: Array, place: int) -> float:
    alone = [other for other, work in enumerate(works) if work.queues == 1]
    fitted = Mixes.fit([works[other] for other in alone], times_ns[alone])
    return fitted.time_ns(replace(works[place], settings=()))[0]


if __name__ == "__main__":
    main()
