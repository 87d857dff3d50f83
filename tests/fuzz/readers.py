"""Give nearly right files to every reader: each is taken, or refused in words; nothing else.

``make fuzz-readers`` runs it. A file that made a reader fail otherwise, think for over five seconds
of CPU or ask for over a gibibyte stays in ``build/fuzz/readers``.
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
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

import pandas as pd

from linerate.box import read_box
from linerate.errors import LinerateError
from linerate.face.fitting import fit, load
from linerate.files.store import Store
from linerate.measure.campaign.campaign import read_campaign
from linerate.measure.functions.library import read_library
from linerate.measure.objects.elf import read_sections
from linerate.measure.objects.maps.maps_file import read_maps_file
from linerate.measure.objects.traffic.frames import read_frames
from linerate.measure.rulesets.source import read_source
from linerate.tables.runs import read_runs

from .changes import endless

ROOT = Path(__file__).resolve().parents[2]
FOUND = ROOT / "build/fuzz/readers"
SECONDS_MAX = 5
"""Of CPU for one file."""
BYTES_MAX = 1024**3
"""Of memory beyond what is loaded before."""


@dataclass(frozen=True, slots=True)
class Reader:
    """Something that reads files of people we do not know."""

    name: str
    file: str
    """Name of the file; its suffix says to some what it is."""
    read: Callable[[Path], object]
    seeds: Callable[[], list[bytes]]


class Endless(BaseException):
    """A reader that thinks for too long."""


def _content(*patterns: str, bytes_max: int = 1 << 20) -> list[bytes]:
    paths = [path for pattern in patterns for path in sorted(ROOT.glob(pattern))]
    return [path.read_bytes()[:bytes_max] for path in paths]


def _tables() -> list[bytes]:
    whole = [pd.read_csv(path, low_memory=False) for path in sorted(ROOT.glob("data/*/runs.csv"))]
    return [table.sample(4, random_state=1).to_csv(index=False).encode() for table in whole]


def _parquets() -> list[bytes]:
    tables = [pd.read_parquet(path).head(4) for path in sorted(ROOT.glob("data/*/runs.parquet"))]
    return [bytes(table.to_parquet(index=False)) for table in tables]


def _journals() -> list[bytes]:
    paths = sorted(ROOT.glob("data/*/journal.jsonl"))
    return [b"".join(path.read_bytes().splitlines(keepends=True)[:3]) for path in paths]


def _captures() -> list[bytes]:
    head = bytes.fromhex("d4c3b2a1020004000000000000000000ffff000001000000")
    frame = bytes.fromhex("0200000000020200000000010800") + bytes(46)
    record = b"".join(n.to_bytes(4, "little") for n in (1, 2, len(frame), len(frame))) + frame
    return [head + record * 3]


def _models() -> list[bytes]:
    runs = pd.read_csv(ROOT / "data/reference-veth/runs.csv")
    runs = runs[(runs["datapath"] == "xdp_native") & (runs["frame_bytes"] == 64)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        fit(runs, progress=False).save(path)
        return [path.read_bytes()]


def _read_campaign(path: Path) -> object:
    file = read_campaign(path)
    return list(zip(file.campaign.cells(), range(50), strict=False)), file.campaign.searches()


def _read_journal(path: Path) -> object:
    return list(Store(path.parent).entries())


def _read_model(path: Path) -> object:
    """Ask it, too: what is whole and answers nonsense must have been refused."""
    return str(load(path).predict("xdp_native", memory_accesses=300, frame_bytes=64, queues=2))


def _read_provenance(path: Path) -> object:
    return Store(path.parent).provenance()


READERS = (
    Reader("runs-csv", "runs.csv", lambda path: read_runs([path]), _tables),
    Reader("runs-parquet", "runs.parquet", lambda path: read_runs([path]), _parquets),
    Reader("campaign", "campaign.toml", _read_campaign,
           lambda: _content("data/campaigns/*.toml", "data/*/campaign.toml")),
    Reader("box", "box.toml", read_box, lambda: _content("data/boxes/*.toml")),
    Reader("journal", "journal.jsonl", _read_journal, _journals),
    Reader("provenance", "provenance.json", _read_provenance,
           lambda: _content("data/*/provenance.json")),
    Reader("model", "model.json", _read_model, _models),
    Reader("maps", "maps.toml", read_maps_file,
           lambda: _content("bpf/examples/*/*.toml")),
    Reader("capture", "frames.pcap", read_frames, _captures),
    Reader("frames", "frames.json", read_frames, lambda: _content("bpf/examples/*/*.json")),
    Reader("nftables", "rules.nft", read_source, lambda: _content("data/campaigns/rulesets/*.nft")),
    Reader("iptables", "host.rules", read_source,
           lambda: _content("data/campaigns/rulesets/*.rules")),
    Reader("elf", "own.bpf.o", read_sections, lambda: _content("build/bpf/*.bpf.o")[:12]),
    Reader("functions", "own.so", read_library, lambda: _content("build/native/functions/*.so")),
)  # fmt: skip


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
    """Attack each reader for its share of the time; exit 1 if one failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="for all readers together")
    parser.add_argument("--files", type=int, default=1 << 30, help="for each reader at most")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=[reader.name for reader in READERS])
    given = parser.parse_args(argv)
    readers = [reader for reader in READERS if given.only in (None, reader.name)]
    signal.signal(signal.SIGVTALRM, _stop)
    seeds = {reader.name: reader.seeds() for reader in readers}
    _limit_memory()  # what the seeds loaded counts as loaded
    failed = False
    for reader in readers:
        counts, failures = attack(
            reader, seeds[reader.name], given.seconds / len(readers), given.files, given.seed
        )
        print(f"{reader.name}: {counts.total()} files, {json.dumps(dict(sorted(counts.items())))}")
        print("".join(f"  {failure}\n" for failure in sorted(failures)), end="", flush=True)
        failed = failed or bool(failures)
    sys.exit(failed)


if __name__ == "__main__":
    main()
