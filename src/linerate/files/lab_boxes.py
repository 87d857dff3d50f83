"""The boxes of a campaign that a lab of several measured: ``boxes.json`` in its folder."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from pydantic_core import from_json

from linerate.box import Box, box_from
from linerate.errors import bad_input
from linerate.files.outputs import write_whole

NAME = "boxes.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class LabBoxes:
    """Which boxes have measured a campaign."""

    campaign_id: str
    """Drawn once: by it boxes tell what they keep for this folder from all else."""
    boxes: dict[str, Box] = field(default_factory=dict)
    """By their names in the lab; a box's own ``name`` is that name, too."""

    @classmethod
    def read(cls, folder: Path) -> LabBoxes | None:
        """Read those of a campaign's folder; None where one box alone measured it.

        Raises
        ------
        BadInputError
            The file is not as it was written.
        """
        path = folder / NAME
        try:
            fields = from_json(path.read_bytes())
            boxes = {str(name): box_from(box, str(path)) for name, box in fields["boxes"].items()}
            return cls(campaign_id=str(fields["campaign_id"]), boxes=boxes)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise bad_input(
                "boxes", path, why=f"it cannot be read ({error})", allowed="the file as it was "
                "written", do="restore it, or measure anew",
            ) from error  # fmt: skip

    def write(self, folder: Path) -> None:
        """Keep it in a campaign's folder."""
        write_whole(folder / NAME, (json.dumps(asdict(self), indent=2) + "\n").encode())

    def joined(self, name: str, box: Box) -> LabBoxes:
        """Take in a box that is alike those before it.

        Raises
        ------
        BadInputError
            It is another machine, or kernel, than before under this name, or than the others.
        """
        box = replace(box, name=name)
        before = self.boxes.get(name)
        if before is not None and before.checked_hash != box.checked_hash:
            raise bad_input(
                f"box {name}", changed(before, box), why="it is not the machine (or kernel) that "
                "measured under this name", allowed="the box of boxes.json", do="put it back as "
                "it was, or give it another name in the lab file and begin a campaign of its own",
            )  # fmt: skip
        first = next(iter(self.boxes.values()), box)
        if first.checked_hash != box.checked_hash:
            raise bad_input(
                f"box {name}", changed(first, box), why=f"it differs from box {first.name}, and "
                "runs of one plan are shared among boxes that are alike", allowed="boxes of one "
                "kind in a campaign", do="measure each kind in a folder of its own, with a lab "
                "file that names boxes of this kind alone, then compare their tables",
            )  # fmt: skip
        return replace(self, boxes={**self.boxes, name: box})


def changed(before: Box, now: Box) -> str:
    """Name what differs between two boxes.

    >>> box = Box(name="a", cpu_model="x", cores=2, threads_per_core=1, memory_gib=4.0,
    ...           kernel="6.1", mitigations={}, governor="none", hypervisor="none", nic="veth")
    >>> changed(box, replace(box, kernel="6.8", cores=4))
    'cores 2 -> 4, kernel 6.1 -> 6.8'
    """
    old, new = asdict(before), asdict(now)
    names = [name for name in old if name not in ("name", "costs") and old[name] != new[name]]
    return ", ".join(f"{name} {old[name]} -> {new[name]}" for name in names) or "nothing"
