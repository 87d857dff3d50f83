"""What reads files of people we do not know, each with seeds that are taken as they are."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pandas as pd

from linerate.box import read_box
from linerate.campaigns.manifest import read_manifest
from linerate.errors import LinerateError
from linerate.face.fits.chains.file import read_chain
from linerate.face.fitting import fit, load
from linerate.face.model import Model
from linerate.files.journal import searches_in
from linerate.files.lab_boxes import LabBoxes
from linerate.files.store import Store
from linerate.measure.campaign.campaign import read_campaign
from linerate.measure.datapaths.swx.spec.file import read_spec
from linerate.measure.functions.library import read_library
from linerate.measure.importers.importing import import_logs
from linerate.measure.importers.logs.sources import source_files
from linerate.measure.objects.code.elf import read_sections
from linerate.measure.objects.maps.maps_file import read_maps_file
from linerate.measure.objects.traffic.frames import read_frames
from linerate.measure.remote import protocol
from linerate.measure.rulesets.source import read_source
from linerate.models.file.saved import load_rates
from linerate.tables.runs import read_runs

from . import asked, bundled, foreign, labs, stored
from .reader import ROOT, Reader, content

REPORT = protocol.GeneratorReport(
    duration_ns=10**9, intended=9, sent=8, received=7, contended_ratio=0.01, remarks=("late",),
    latency=protocol.Histogram(sum_ns=9000, max_ns=4000, buckets=((1000, 4), (2000, 3))),
)  # fmt: skip
ANSWERS = (
    REPORT, protocol.Alive(), protocol.Stopped(), protocol.Refused(words="no core", exit_code=2),
    protocol.Opened(driver="veth", speed_gbps=10.0, version="1"),
)  # fmt: skip
REQUESTS = (
    protocol.Open(interface="eth0", generator="linerate", cores=(0, 1)), protocol.Beat(),
    protocol.Stop(),
)  # fmt: skip


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
    rates = Model(file=load_rates(path))
    return "".join(
        str(each.predict("xdp_native", memory_accesses=300, frame_bytes=64, queues=2))
        for each in (rates, load(path))
    )


def _messages(messages: tuple[protocol.Answer | protocol.Request, ...]) -> list[bytes]:
    return [protocol.line_of(message).encode() for message in messages]


def _specs() -> list[bytes]:
    return content("notebooks/own/*.spec", "build/dpdk/examples/**/*.spec", bytes_max=1 << 14)


def _searches() -> list[bytes]:
    (path,) = ROOT.glob("data/reference-izolan/searches.jsonl")
    return [b"".join(path.read_bytes().splitlines(keepends=True)[:2])]


def _read_provenance(path: Path) -> object:
    return Store(path.parent).provenance()


def _read_archive(path: Path) -> object:
    return [file.path for file in source_files(path)]


def _read_manifest(path: Path) -> object:
    """Read it as a store does, which names a file that is none and goes on."""
    try:
        return read_manifest(path.read_bytes())
    except ValueError as error:
        raise LinerateError(str(error)) from error


def _log(kind: str) -> Reader:
    """Logs of another tool, whose mapping stands."""

    def read(path: Path) -> object:
        (path.parent / "map.toml").write_text(foreign.MAPPINGS[kind])
        return import_logs(kind, path, path.parent / "map.toml")

    return Reader(f"log-{kind}", "log.txt", read, lambda: foreign.logs(kind))


def _read_mapping(path: Path) -> object:
    (path.parent / "log.txt").write_bytes(foreign.logs("csv")[0])
    return import_logs("csv", path.parent / "log.txt", path)


READERS = (
    Reader("runs-csv", "runs.csv", lambda path: read_runs([path]), _tables),
    Reader("runs-parquet", "runs.parquet", lambda path: read_runs([path]), _parquets),
    Reader("campaign", "campaign.toml", _read_campaign,
           lambda: content("data/campaigns/*.toml", "data/*/campaign.toml")),
    Reader("box", "box.toml", read_box, lambda: content("data/boxes/*.toml")),
    Reader("journal", "journal.jsonl", _read_journal, _journals),
    Reader("provenance", "provenance.json", _read_provenance,
           lambda: content("data/*/provenance.json")),
    Reader("model", "model.json", _read_model, _models),
    Reader("maps", "maps.toml", read_maps_file,
           lambda: content("bpf/examples/*/*.toml")),
    Reader("capture", "frames.pcap", read_frames, _captures),
    Reader("frames", "frames.json", read_frames, lambda: content("bpf/examples/*/*.json")),
    Reader("nftables", "rules.nft", read_source, lambda: content("data/campaigns/rulesets/*.nft")),
    Reader("iptables", "host.rules", read_source,
           lambda: content("data/campaigns/rulesets/*.rules")),
    Reader("elf", "own.bpf.o", read_sections, lambda: content("build/bpf/*.bpf.o")[:12]),
    Reader("searches", "searches.jsonl", lambda path: list(searches_in(path)), _searches),
    Reader("answers", "answer", lambda path: protocol.answer_from(path.read_bytes()),
           lambda: _messages(ANSWERS)),
    Reader("requests", "request", lambda path: protocol.request_from(path.read_bytes()),
           lambda: _messages(REQUESTS)),
    Reader("pipeline", "own.spec", read_spec, _specs),
    Reader("archive", "logs.tar", _read_archive, foreign.archives),
    Reader("archive-packed", "logs.tar.gz", _read_archive, foreign.packed_archives),
    *(_log(kind) for kind in foreign.MAPPINGS),
    Reader("mapping", "map.toml", _read_mapping, lambda: [foreign.MAPPINGS["csv"].encode()]),
    Reader("chain", "own.chain.toml", read_chain, lambda: [foreign.CHAIN.encode()]),
    Reader("manifest", "manifest.json", _read_manifest, foreign.manifests),
    Reader("lab-boxes", "boxes.json", lambda path: LabBoxes.read(path.parent), foreign.lab_boxes),
    Reader("functions", "own.so", read_library, lambda: content("build/native/functions/*.so")),
    *bundled.READERS, *stored.READERS, *asked.READERS, *labs.READERS,
)  # fmt: skip
