"""Files that are read and asked at once: what is whole, and answers nonsense, must be refused."""

from __future__ import annotations

import json
import math
import tempfile
from dataclasses import asdict, replace
from functools import cache
from itertools import product
from pathlib import Path

import tomli_w

import linerate as lr
from linerate.box import Cost, read_box
from linerate.face.fits.carrying import Where
from linerate.face.fits.chains.question import fits_chain
from linerate.face.fits.pipelines import fits_pipeline
from linerate.face.fits.rulesets import fits_ruleset
from linerate.measure.datapaths.swx.spec.entries import read_entries
from linerate.measure.datapaths.swx.spec.executed import executed_by
from linerate.measure.datapaths.swx.spec.file import parse_spec
from linerate.models.objects import ObjectQuestion, answer_object
from linerate.models.objects.counted.estimate import estimate
from linerate.programs.costs import VERDICTS, work_name
from linerate.programs.count import CallCount, PathCount, ProgramCount
from linerate.programs.times import CoreTimes, FrameTimes, ProgramTimes

from ..measure.datapaths.swx.swx_programs import SELECTOR, pipeline
from .foreign import CHAIN
from .reader import ROOT, Reader, content

BOXES = "src/linerate/data/boxes"
BOX = ROOT / BOXES / "intel-r-xeon-r-processor-2cpu-6.18.44-veth.toml"
ROUTER, ROUTES = ROOT / "notebooks/own/router.spec", ROOT / "notebooks/own/routes.txt"
STATIC = Where(static=True)
"""Nothing is timed."""
SIZES = (64, 500, 1518)
NS = (20.0, 21.0, 22.0)
PORT = {"port": "ring", "fixed_us": 0.5, "port_us": 0.1, "poll_us": 0.005, "slower_us": 0.01,
        "runs": 99, "reach": 0.2}  # fmt: skip
"""Constants of a port, as a fit of latencies has them."""
LATER = """
[costs."{datapath}.{verdict}.256.{queues}"]
value_ns = 180.5
lower_ns = 170.0
upper_ns = 190.25
"""
"""A frame size more, as a calibration has it since costs are taken to bend there."""
WAY = """
[costs."mixed.xdp_native.drop_tx"]
value_ns = 12.5
lower_ns = 3.0
upper_ns = 20.0
[costs."split.xdp_native"]
value_ns = 250.0
lower_ns = 240.0
upper_ns = 260.0
[costs."serial.xdp_native"]
value_ns = 205.0
lower_ns = 200.0
upper_ns = 210.0
"""
LATENCY = """
[costs."latency_{which}.xdp_native.{percent}"]
value_ns = {ns}
lower_ns = 9000.0
upper_ns = 99000.0
"""


def _boxes() -> list[bytes]:
    """Calibrated boxes: base costs by two frame sizes, and by three with latencies."""
    older = BOX.read_text()
    sizes = "".join(
        LATER.format(datapath=datapath, verdict=verdict, queues=queues)
        for datapath, verdicts in VERDICTS.items()
        for verdict in verdicts
        for queues in (1, 2)
    )
    latencies = "".join(
        LATENCY.format(which=which, percent=percent, ns=ns + 100 * percent)
        for (which, ns), percent in product((("p50", 2e4), ("mean", 3e4), ("p99", 9e4)), (20, 80))
    )
    return [older.encode(), (older + sizes + WAY + latencies).encode()]


def _times(datapath: str) -> ProgramTimes:
    verdicts = VERDICTS[datapath]
    frames = tuple(
        FrameTimes(frame_bytes=SIZES[place % len(SIZES)], share=1 / len(verdicts), verdict=verdict,
                   program_ns=20.0)
        for place, verdict in enumerate(verdicts)
    )  # fmt: skip
    both = CoreTimes(cores=2, program_ns=(30.0, 31.0, 33.0), yardstick_ns=(148.0,) * 3, share=1.0)
    return ProgramTimes(program="any", program_ns=NS, yardstick_ns=(148.0,) * 3, frames=frames,
                        together=(both,))  # fmt: skip


def _counted() -> ProgramCount:
    lookup = CallCount(helper="map_lookup_elem", map_name="m", map_type="hash", times=2.0)
    path = PathCount(frame_bytes=64, share=1.0, verdict="tx", instructions=90, turns=1,
                     kinds=(("division", 1),), calls=(lookup,), programs=())  # fmt: skip
    return ProgramCount(program="any", shortest=9, longest=99, loops=1, paths=(path,), followed=1.0,
                        maps=(), notes=())  # fmt: skip


def _ask_box(path: Path) -> object:
    box, output = read_box(path), []
    for datapath in VERDICTS:
        question = ObjectQuestion(datapath=datapath, link_gbps=10.0, offered_mpps=1.0)
        answer = answer_object(_times(datapath), box, question)
        rates = (answer.lower_mpps, answer.predicted_mpps, answer.upper_mpps)
        if not all(math.isfinite(rate) and rate >= 0.0 for rate in rates):
            raise AssertionError(f"it forwards {rates} Mpps")
        output.append(str(answer))
    return output, str(estimate(_counted(), replace(box, name="any")))


def _ask_pipelines(path: Path) -> object:
    return str(fits_pipeline(ROUTER, model=path, explained=True))


def _ask_chains(path: Path) -> object:
    return str(fits_chain(_chain(), model=path, explained=True))


@cache
def _kept() -> tempfile.TemporaryDirectory[str]:
    """Hold a folder until this process ends."""
    return tempfile.TemporaryDirectory(prefix="linerate-fuzz-asked-")


@cache
def _chain() -> Path:
    path = Path(_kept().name) / "own.chain.toml"
    path.write_text(CHAIN.replace("metadata_type = 2", "metadata_type = 1"))
    return path


def _ask_latency(path: Path) -> object:
    """Ask what a model says of a pipeline that is fed at a load."""
    found = lr.load(path).predict(
        "swx", "bare", operations={"table_exact": 5}, frame_bytes=64.0, queues=1,
        link_gbps=40.0, pipeline_port="ring", offered_mpps=0.5,
    )  # fmt: skip
    return str(found)


def _of_latency() -> list[bytes]:
    """Give the shipped costs of pipelines, with a law of their latency and its interval."""
    fields = json.loads((ROOT / BOXES / "pipelines.json").read_bytes())
    return [json.dumps(fields | {"pipelines": {"ports": [PORT]}}).encode()]


def _ask_pipeline(path: Path) -> object:
    """Follow every path, and the one of plain frames; count what the longest executes."""
    return [str(fits_pipeline(path, explained=True, where=STATIC)),
            str(fits_pipeline(path, traffic=64, where=STATIC)), executed_by(path)]  # fmt: skip


def _read_entries(path: Path) -> object:
    """Fill a table, and follow packets through it."""
    return str(fits_pipeline(ROUTER, tables=[f"routes={path}"], traffic=64,
                             where=STATIC))  # fmt: skip


def _read_members(path: Path) -> object:
    return read_entries(parse_spec(pipeline("\ttable s", declared=SELECTOR).spec), "s", path)


def _count_object(path: Path) -> object:
    return str(lr.fits(path, static=True, traffic=64, box=BOX, progress=False))


def _carried_boxes() -> list[bytes]:
    """Give a box on which each of some packets takes twice what the shipped costs say."""
    works = {(("receive", 1),): 50.0, (("extract", 3), ("move", 9), ("receive", 1)): 60.0,
             (("receive", 1), ("table_lpm", 4)): 180.0}  # fmt: skip
    costs = {work_name("swx", work): Cost(value_ns=ns, lower_ns=0.9 * ns, upper_ns=1.1 * ns)
             for work, ns in works.items()}  # fmt: skip
    return [tomli_w.dumps(asdict(replace(read_box(BOX), costs=costs))).encode()]


def _carry_to(path: Path) -> object:
    return str(fits_pipeline(ROUTER, traffic=64, where=Where(box=path)))


def _walk_rules(path: Path) -> object:
    return str(fits_ruleset(path, traffic=64, explained=True, where=STATIC))


READERS = (
    Reader("box-asked", "box.toml", _ask_box, _boxes, files=8),
    Reader("box-carried", "box.toml", _carry_to, _carried_boxes, files=8),
    Reader("model-pipelines", "model.json", _ask_pipelines,
           lambda: content(f"{BOXES}/pipelines.json"), files=8),
    Reader("model-chains", "model.json", _ask_chains, lambda: content(f"{BOXES}/chains.json"),
           files=8),
    Reader("model-latency", "model.json", _ask_latency, _of_latency, files=8),
    Reader("pipeline-asked", "own.spec", _ask_pipeline,
           lambda: content("notebooks/own/*.spec", "build/dpdk/examples/**/*.spec"), files=8),
    Reader("entries", "routes.txt", _read_entries, lambda: [ROUTES.read_bytes()], files=8),
    Reader("members", "members.txt", _read_members,
           lambda: [b"# of a study\ngroup 0 member 0X05 weight 3\ngroup 0 member 1\n"
                    b"group 1 member 7 // last\n"]),
    Reader("object-counted", "own.bpf.o", _count_object,
           lambda: content("build/bpf/*.bpf.o")[:12], files=8),
    Reader("rules-walked", "own.nft", _walk_rules,
           lambda: content("data/campaigns/rulesets/*.nft"), files=5),
)  # fmt: skip
