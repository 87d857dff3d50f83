"""Give nearly right files to every reader: each is taken, or refused in words; nothing else.

``make fuzz-readers`` runs it. A file that made a reader fail otherwise, think for over five seconds
of CPU or ask for over a gibibyte stays in ``build/fuzz/readers``; it goes on where it was stopped.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import resource
import signal
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import cycle
from pathlib import Path
from time import monotonic

from linerate.errors import LinerateError

from .changes import endless
from .kinds import READERS
from .reader import ROOT, Reader

FOUND = ROOT / "build/fuzz/readers"
STATE = ROOT / "build/fuzz/readers.json"
"""Files by reader and outcome so far."""
SLICE_SECONDS = 5.0
"""Of one reader, before it is another's turn."""
SEEDS_APART = 10**9
SECONDS_MAX = 5
"""Of CPU for one file."""
BYTES_MAX = 1024**3
"""Of memory beyond what is loaded before."""


class Endless(BaseException):
    """A reader that thinks for too long."""


def attack(
    reader: Reader, seeds: Sequence[bytes], seconds: float, files: int = 1 << 30, seed: int = 1
) -> tuple[Counter[str], set[str]]:
    """Give changed files to a reader: how many were taken and refused, and where it failed."""
    counts: Counter[str] = Counter()
    failures: dict[str, bytes] = {}
    end_s = monotonic() + seconds
    with tempfile.TemporaryDirectory(prefix="linerate-fuzz-") as folder:
        path = Path(folder) / reader.file
        for data, _ in zip(endless(seed, seeds), range(files), strict=False):
            if monotonic() > end_s:
                break
            path.write_bytes(data)
            outcome = _outcome(reader, path)
            counts["failed" if outcome.startswith("!") else outcome] += 1
            if outcome.startswith("!"):
                failures.setdefault(outcome[1:], data)
    for place, data in failures.items():
        FOUND.mkdir(parents=True, exist_ok=True)
        name = hashlib.sha256(place.encode()).hexdigest()[:8]
        (FOUND / f"{reader.name}-{name}-{reader.file}").write_bytes(data)
    return counts, set(failures)


def _outcome(reader: Reader, path: Path) -> str:
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS_MAX)
    try:
        reader.read(path)
    except LinerateError:
        return "refused"
    except (Exception, Endless) as error:
        frames = traceback.extract_tb(error.__traceback__)
        ours = [frame for frame in frames if "linerate" in frame.filename] or frames
        place = f"{Path(ours[-1].filename).name}:{ours[-1].lineno}"
        return f"!{reader.name}: {type(error).__name__} at {place}: {str(error)[:100]!r}"
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return "taken"


def _stop(number: int, frame: object) -> None:
    raise Endless(f"over {SECONDS_MAX} s")


def _limit_memory() -> None:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + BYTES_MAX
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def main(argv: Sequence[str] | None = None) -> None:
    """Attack each reader for its share of the time, slice by slice; exit 1 if one failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="for all readers together")
    parser.add_argument("--enough", type=int, help="end at so many files, those of before included")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=[reader.name for reader in READERS])
    parser.add_argument("--anew", action="store_true", help="forget what was done before")
    given = parser.parse_args(argv)
    readers = [reader for reader in READERS if given.only in (None, reader.name)]
    signal.signal(signal.SIGVTALRM, _stop)
    seeds = {reader.name: reader.seeds() for reader in readers}
    _limit_memory()  # what the seeds loaded counts as loaded
    done: dict[str, Counter[str]] = {}
    if STATE.exists() and not given.anew:
        done = {name: Counter(counts) for name, counts in json.loads(STATE.read_text()).items()}
    failures: set[str] = set()
    slice_s = min(SLICE_SECONDS, given.seconds / len(readers))
    for reader in _in_turn(readers, given.seconds, lambda: _enough(done, given.enough)):
        own = done.setdefault(reader.name, Counter())
        seed = given.seed * SEEDS_APART + own.total()
        counts, failed = attack(reader, seeds[reader.name], slice_s, seed=seed)
        print("".join(f"{failure}\n" for failure in sorted(failed - failures)), end="", flush=True)
        failures |= failed
        own.update(counts)
        STATE.parent.mkdir(parents=True, exist_ok=True)
        STATE.write_text(json.dumps(done))
    for name, own in done.items():
        print(f"{name}: {own.total()} files so far, {json.dumps(dict(sorted(own.items())))}")
    print(f"all readers: {sum(own.total() for own in done.values())} files so far, "
          f"{sum(own['failed'] for own in done.values())} failed")  # fmt: skip
    sys.exit(bool(failures))


def _in_turn(
    readers: Sequence[Reader], seconds: float, enough: Callable[[], bool]
) -> Iterator[Reader]:
    """Each reader once, and again until the time is over."""
    end_s = monotonic() + seconds
    yield from readers
    for reader in cycle(readers):
        if monotonic() > end_s or enough():
            return
        yield reader


def _enough(done: Mapping[str, Counter[str]], most: int | None) -> bool:
    return most is not None and sum(own.total() for own in done.values()) >= most


if __name__ == "__main__":
    main()
