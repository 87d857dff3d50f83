"""Objects of other projects, predicted and then measured: ``others.py OBJECT[:ENTRY]...``.

As benchmarks/objects.py does it, with the objects that are named, at the hook that they are written
for; those of libxdp, which Debian ships, if none is. ``--maps FOLDER`` has what the maps of each
hold, NAME.toml, and its frames, NAME.json: NAME is the object's file without its end, or what of
that stands behind its last underscore.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.objects import DATAPATHS, SIZES, Case, arguments, run
from tests.awake import keep_awake

from linerate.measure.objects.entry import choose_entry, hook_for
from linerate.measure.objects.listing import list_object
from linerate.measure.objects.maps.settings import read_settings
from linerate.measure.objects.traffic.frames import read_frames
from linerate.measure.objects.traffic.udp_frames import of_size

SHIPPED = Path("/usr/lib")
MAPS = Path(__file__).with_name("others")


def shipped() -> list[str]:
    """List the filters of libxdp that are on this machine (Debian: libxdp-dev)."""
    return sorted(str(path) for path in SHIPPED.glob("*/bpf/xdpfilt_*.o"))


def beside(folder: Path, name: str, end: str) -> Path | None:
    """Find the file of an object in a folder; None where there is none."""
    named = [folder / f"{name}{end}", folder / f"{name.rpartition('_')[2]}{end}"]
    return next((path for path in named if path.is_file()), None)


def cases_of(objects: Sequence[str], maps: Path) -> Iterator[Case]:
    """Give each object with its maps, on its own frames or on sizes of UDP."""
    for word in objects:
        file, _, entry = word.partition(":")
        path = Path(file)
        name = path.name.removesuffix(".o")
        listing = list_object(path)
        hook = hook_for(listing, entry or None)
        settings = read_settings(listing, beside(maps, name, ".toml"))
        frames = beside(maps, name, ".json")
        loads = (
            [(f"{size} B", of_size(size)) for size in SIZES] if frames is None
            else [("own", read_frames(frames))]
        )  # fmt: skip
        for traffic, load in loads:
            yield Case(
                name=name, path=path, settings=settings, frames=load, traffic=traffic,
                entry=choose_entry(listing, hook, entry or None),
                datapaths=DATAPATHS if hook == DATAPATHS[0] else (hook,),
            )  # fmt: skip


def main() -> int:
    """Print a table in CSV."""
    parser = arguments("Predict objects of other projects, then measure them.")
    parser.add_argument("objects", nargs="*", help="OBJECT[:ENTRY]; libxdp's if left out")
    parser.add_argument("--maps", type=Path, default=MAPS, help="folder of NAME.toml, NAME.json")
    asked = parser.parse_args()
    end = keep_awake()
    try:
        return run(asked, "others", cases_of(asked.objects or shipped(), asked.maps))
    finally:
        end()


if __name__ == "__main__":
    sys.exit(main())
