"""What reads lab files, answers of boxes, orders to them, other generators, and kept galleries."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from benchmarks import gallery
from benchmarks.gallery_table import read_kept

from linerate.errors import LinerateError
from linerate.files.store import Store
from linerate.measure.boxes.books import Books
from linerate.measure.boxes.dispatch import raise_refusal
from linerate.measure.boxes.lab_file import Lab, LabTable, read_lab
from linerate.measure.boxes.orders import (
    PROTOCOL,
    Begin,
    Begun,
    Greeting,
    Kept,
    Order,
    Refusal,
    read,
    text_of,
)
from linerate.measure.campaign.campaign import read_campaign
from linerate.measure.generators.external.moongen.generator import MoonGen
from linerate.measure.generators.external.trex.generator import TRex
from linerate.measure.live.folder import Watched
from linerate.measure.remote.card_port import CardPort
from linerate.measure.remote.kind import SendingPort

from ..measure.generators.test_moongen_log import DONE, READY, SECOND, output
from ..measure.generators.traffic_runs import CARD, NOTHING, start
from .foreign import lab_boxes
from .reader import ROOT, Reader

LAB = """\
keys = "lab.keys"
lease_seconds = 60            # a box that is silent for so long gives back what it had in hand
patience_seconds = 300.5
clock_skew_max_seconds = 5
drop_after_days = 30
[[boxes]]
name = "rack1-a"
box_file = "box.toml"
[[boxes]]
name = "rack1-c"
[boxes.nic]
interface = "ens2np0"
generator_host = "loadgen"
generator_interface = "ens3np0"
cores = [2, 3]
generator_cores = [0, 1]
address = "198.18.0.1"
tune = {rx_ring_packets = "512"}
"""
TREX = {
    "sent": 1000, "received": 990, "send_errors": 0, "receive_errors": 1,
    "histogram": [[0, 2], [10, 5], [50, 1]], "max_us": 52.5, "warnings": ["late"],
    "cpu_percent": 12.5, "queue_full": 0, "lasted_s": 0.3,
}  # fmt: skip
REFERENCE = ROOT / "data/reference-veth"
TRIALS = 3


def _lines() -> list[str]:
    lines = (REFERENCE / "journal.jsonl").read_text().splitlines()[:TRIALS]
    searches = (ROOT / "data/reference-izolan/searches.jsonl").read_text().splitlines()[:1]
    return [*lines, *searches]


def _read_lab(path: Path) -> object:
    """Ask for each box what a campaign and a worker ask for."""
    lab = read_lab(path)
    shutil.copy(next(ROOT.glob("data/boxes/*.toml")), path.parent / "box.toml")
    entries = lab.table.boxes
    return lab.keys, [(lab.nic(each.name) if each.nic else lab.box_file(each.name))
                      for each in entries]  # fmt: skip


def _answers() -> list[bytes]:
    machine = json.loads(lab_boxes()[0])["boxes"]["one"]
    greeting = Greeting(box="a", protocol=PROTOCOL, version="1", revision="2", clock_s=1.5)
    whole = [text_of(each) for each in (greeting, Kept(lines=tuple(_lines())),
                                        Refusal(error="no veth here", exit_code=4))]  # fmt: skip
    begun = json.dumps({"machine": machine, "lines": _lines()})
    return [text.encode() for text in (*whole, begun)]


def _read_answer(path: Path) -> object:
    """Take an answer as a campaign does, with the trials that it brings."""
    text = path.read_bytes().decode(errors="replace")
    keys = raise_refusal("a", text)
    if "clock_s" in keys:
        return _books(path.parent).check(read(Greeting, text), 1.0)
    record = read(Begun, text) if "machine" in keys else read(Kept, text)
    books = _books(path.parent)
    for line in record.lines:
        books.take(line)
    return books


def _books(folder: Path) -> Books:
    """Open the folder of a campaign in which nothing was measured."""
    store = Store(folder)
    store.journal_path.write_bytes(b"")
    store.searches_path.write_bytes(b"")
    lab = Lab(table=LabTable.model_validate({"boxes": [{"name": "a"}]}), path=folder / "lab.toml")
    books = Books(lab=lab, plan=read_campaign(REFERENCE / "campaign.toml"), campaign_id="0")
    books.open(store)
    return books


def _orders() -> list[bytes]:
    entry = next(Store(REFERENCE).entries())
    run = {"run_id": entry.run_id, "repetition": 1, "canary": False,
           "cell": json.loads(_lines()[0])["cell"]}  # fmt: skip
    begin = Begin.of("0123456789abcdef", "[campaign]\n", {"rules.nft": b"table ip a {}\n"})
    order = json.loads(text_of(Order(campaign_id="0123456789abcdef"))) | {"run": run}
    return [text_of(begin).encode(), json.dumps(order).encode()]


def _read_order(path: Path) -> object:
    text = path.read_bytes().decode(errors="replace")
    return read(Begin, text).contents() if '"plan"' in text else read(Order, text).planned


def _port() -> SendingPort:
    return SendingPort(port=CardPort(CARD), cores=(0, 1, 2))


def _read_moongen(path: Path) -> object:
    return MoonGen().report(path.read_bytes().decode(errors="replace"), start(), NOTHING, _port())


def _read_trex(path: Path) -> object:
    return TRex().report(path.read_bytes().decode(errors="replace"), start(), NOTHING, _port())


def _read_gallery(path: Path) -> object:
    facts, found = read_kept(path, gallery.examples(), gallery.HOOKS)
    return gallery.page(found, facts)


def _watch(path: Path) -> object:
    """Look at a folder whose journal this is."""
    for name in ("campaign.toml", "box.json", "provenance.json"):
        shutil.copy(REFERENCE / name, path.parent)
    watched = Watched.open(path.parent)
    events = watched.look()
    if watched.spoiled:
        raise LinerateError(f"{watched.spoiled} lines are spoiled")
    return events, watched.view(0.0)


READERS = (
    Reader("lab", "lab.toml", _read_lab, lambda: [LAB.encode()]),
    Reader("box-answers", "answer.json", _read_answer, _answers),
    Reader("box-orders", "order.json", _read_order, _orders),
    Reader("moongen", "output", _read_moongen, lambda: [output(READY, SECOND, DONE).encode()]),
    Reader("trex", "output", _read_trex,
           lambda: [f"scapy is loaded\nLINERATE {json.dumps(TREX)}\n".encode()]),
    Reader("gallery", "gallery.csv", _read_gallery,
           lambda: [(ROOT / "docs/gallery.csv").read_bytes()]),
    Reader("watched", "journal.jsonl", _watch,
           lambda: ["".join(f"{line}\n" for line in _lines()[:TRIALS]).encode()]),
)  # fmt: skip
