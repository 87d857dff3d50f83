"""Seeds of what comes from other tools and other hosts: logs, archives, manifests, chains."""

from __future__ import annotations

import io
import json
import tarfile
from dataclasses import asdict
from pathlib import Path
from typing import Literal

from linerate.box import read_box
from linerate.campaigns.manifest import Origin, manifest_of
from linerate.tables.runs import read_runs
from tests.measure.importers.external_logs import moongen, perf, sar
from tests.measure.importers.formats import test_consoles as consoles

ROOT = Path(__file__).resolve().parents[2]
RUN = consoles.MAPPING
CSV = """[csv]
decimal = "."
delimiter = ";"
[csv.columns.forwarded_mpps]
from = "rate"
unit = "pps"
"""
MAPPINGS = {
    "csv": RUN + CSV,
    "moongen": f"{RUN}[moongen]\nskip_seconds = 5.0\n",
    "moongen_console": RUN,
    "perf": RUN.replace("[run]", "[run]\nforwarded_mpps = 2.0"),
    "sar": f'{RUN}[sar]\ninterface = "ens2np0"\n',
    "trex": RUN,
}
"""What says of a log of each kind what its run was."""
CHAIN = """function = "tc"
topology = "hub"
nsh_aware = false
metadata_type = 2

[[functions]]
name = "firewall"
ns_per_packet = 120

[[functions]]
name = "nat"
"""


def logs(kind: str) -> list[bytes]:
    """Return a log that its mapping of ``MAPPINGS`` fits."""
    made = {
        "csv": lambda: "mode;rate\ndrv;972899\nskb;812743\n", "moongen": moongen, "perf": perf,
        "moongen_console": consoles.moongen, "sar": sar, "trex": consoles.trex,
    }  # fmt: skip
    return [str(made[kind]()).encode()]


def archives(mode: Literal["w", "w:gz"] = "w") -> list[bytes]:
    """Archives with plain files, a link and a long name."""
    into = io.BytesIO()
    with tarfile.open(fileobj=into, mode=mode) as tar:
        for name in ("a/sar.txt", "a/perf.txt", "b" * 150):
            member = tarfile.TarInfo(name)
            member.size = 700
            tar.addfile(member, io.BytesIO(b"1,2,3\n" * 120))
        link = tarfile.TarInfo("a/link")
        link.type, link.linkname = tarfile.SYMTYPE, "../../etc/passwd"
        tar.addfile(link)
    return [into.getvalue()]


def packed_archives() -> list[bytes]:
    """Return the same, compressed."""
    return archives("w:gz")


def manifests() -> list[bytes]:
    """Manifest of a campaign in a store."""
    runs = read_runs([ROOT / "data/reference-veth"])
    origin = Origin(kernel="6.1", cpu_model="any", commit=None)
    return [json.dumps(asdict(manifest_of(runs, origin, "0" * 64))).encode()]


def lab_boxes() -> list[bytes]:
    """Boxes of a campaign that two machines measured."""
    boxes = [read_box(path) for path in sorted(ROOT.glob("data/boxes/*.toml"))[:2]]
    named = {"one": asdict(boxes[0]), "two": asdict(boxes[-1])}
    return [json.dumps({"campaign_id": "0123456789abcdef", "boxes": named}).encode()]
