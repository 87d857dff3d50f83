"""What the explorer in the page needs: constants of the fitted model, and its words, as JSON."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from linerate.models.capacity.model import Capacity
from linerate.models.capacity.paths import PathCost
from linerate.models.intervals.domain import PairDomain
from linerate.models.intervals.extrapolation import Widening
from linerate.models.intervals.predictor import Predictor
from linerate.models.intervals.scores import Bucket
from linerate.models.latency.model import LatencyModel
from linerate.models.runs.cells import FACTORS, Pair
from linerate.models.runs.limit_names import LIMIT_NAMES
from linerate.reports.drawing.colours import INK, PATHS
from linerate.reports.language import Words
from linerate.reports.language.names import datapath_rank, path_names
from linerate.reports.section import Section

SCRIPTS = tuple(Path(__file__).parent / "templates" / name for name in ("model.js", "explorer.js"))
"""Evaluate the model, and draw it: part of the page's one script."""
ACCESSES = (0, *dict.fromkeys(round(10.0 ** (step / 10.0)) for step in range(51)))
FRAME_BYTES = (64, 128, 256, 512, 1024, 1280, 1500, 1518)
LINKS_GBPS = (1, 2.5, 5, 10, 25, 40, 50, 100, 200, 400)
QUEUES = tuple(range(1, 17))
LOADS_MPPS = tuple(float(f"{10.0 ** (step / 20.0 - 2.0):.3g}") for step in range(81))
Plain = dict[str, object]
"""Values of JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Explorer:
    """What the page has of a section's model."""

    data: str = ""
    """JSON for the page's script; empty where there is no path that it can evaluate."""
    note: str = ""
    """Which paths it cannot; empty where it can all."""


def explorer_of(section: Section, words: Words) -> Explorer:
    """Take the constants of a section's model.

    The page evaluates the physical model. What learns from examples, and what is priced by its
    operations, it cannot, and says so.
    """
    if section.file is None or section.predictor is None:
        return Explorer()
    predictor = section.predictor
    pairs = sorted(predictor.pairs, key=lambda pair: (datapath_rank(pair.datapath), pair.program))
    names = path_names(pairs)
    model = predictor.model
    known = {path.pair: path for path in model.paths if not section.file.answers_rates(_cell(path))
             } if isinstance(model, Capacity) else {}  # fmt: skip
    cannot = tuple(names[pair] for pair in pairs if pair not in known)
    if not isinstance(model, Capacity) or not known:
        return Explorer(note=_cannot(cannot, words))
    paths = [
        {"name": names[pair], "colour": PATHS.get(pair.datapath, INK),
         **_path(known[pair], predictor), "latency": _latency(section.latency, pair)}
        for pair in pairs if pair in known
    ]  # fmt: skip
    found: Plain = {
        "paths": paths, "nic": model.nic_cap_mpps, "words": _words(words),
        "ceiling_half": predictor.conformal.load.ceiling_half_width,
        "limits": {name: words(text) for name, text in LIMIT_NAMES.items()}, "values": _values(),
    }  # fmt: skip
    return Explorer(data=json.dumps(found, allow_nan=False, separators=(",", ":")),
                    note=_cannot(cannot, words))  # fmt: skip


def _cannot(names: tuple[str, ...], words: Words) -> str:
    if not names:
        return ""
    return words("The page cannot evaluate the model of {paths}, which is not a formula of few "
                 "constants: ask linerate predict.", paths="; ".join(names))  # fmt: skip


def _cell(path: PathCost) -> pd.DataFrame:
    """Make a cell of a path, to ask who answers it."""
    return pd.DataFrame([{
        "datapath": path.pair.datapath, "program": path.pair.program, "memory_accesses": 0,
        "queues": 1, "frame_bytes": 64.0, "link_gbps": 10.0,
    }])  # fmt: skip


def _path(path: PathCost, predictor: Predictor) -> Plain:
    domain = next(known for known in predictor.domain.pairs if known.pair == path.pair)
    widenings = predictor.conformal.widenings
    wider = next((one for one in widenings if one.pair == path.pair), widenings[-1])
    every = predictor.conformal.load.buckets
    own = [one for one in every if one.pair == path.pair] or every[-1:]
    return {**_server(path), **_domain(domain), "wider": _wider(wider),
            "buckets": [_bucket(one) for one in own]}  # fmt: skip


def _server(path: PathCost) -> Plain:
    form = path.form
    return {"law": form.law, "user_law": form.user_law, "stages": form.stages,
            "single": form.single_socket, "constants": path.constants()}  # fmt: skip


def _domain(domain: PairDomain) -> Plain:
    ranges = {name: getattr(domain, name) for name in FACTORS}
    ends = {name: [_plain(one.low), _plain(one.high)] for name, one in ranges.items()}
    return {"hidden": domain.at_ceiling, "domain": ends}


def _plain(value: float) -> float | None:
    """JSON has no endless number."""
    return value if math.isfinite(value) else None


def _wider(widening: Widening) -> Plain:
    return {name: getattr(widening, name) for name in FACTORS}


def _bucket(bucket: Bucket) -> Plain:
    return {"stage": bucket.bottleneck, "above": bucket.accesses_above, "worth": bucket.worth,
            "half": bucket.half_width(), "scores": bucket.scores}  # fmt: skip


def _latency(latency: LatencyModel | None, pair: Pair) -> Plain | None:
    path = next((one for one in latency.paths if one.pair == pair), None) if latency else None
    if latency is None or path is None:
        return None
    server = next(one for one in latency.capacity.paths if one.pair == pair)
    return {"server": _server(server), "fixed_us": path.fixed_us, "setup_us": path.setup_us,
            "stall_wait_us": path.stall_wait_us, "ring_packets": path.ring_packets}  # fmt: skip


def _values() -> Plain:
    """List what each slider may stand at, and where it begins."""
    about = {
        "memory_accesses": (ACCESSES, 0), "frame_bytes": (FRAME_BYTES, 0), "queues": (QUEUES, 0),
        "link_gbps": (LINKS_GBPS, LINKS_GBPS.index(10)),
        "offered_mpps": (LOADS_MPPS, LOADS_MPPS.index(1.0)),
    }  # fmt: skip
    return {name: {"values": values, "start": start} for name, (values, start) in about.items()}


def _words(words: Words) -> dict[str, str]:
    """Say all that the explorer prints; the gaps are filled in the page."""
    return {
        "path": words("path"), "memory_accesses": words("accesses"),
        "frame_bytes": words("frame (B)"), "queues": words("queues"),
        "link_gbps": words("link (Gbit/s)"), "offered_mpps": words("load (Mpps)"),
        "capacity": words("Capacity"), "latency": words("Mean latency"),
        "roofline": words("Packet roofline"),
        "per_packet": words("Memory accesses per packet"),
        "throughput": words("Throughput (Mpps)"), "offered": words("Offered load (Mpps)"),
        "mean_us": words("Latency (µs)"), "packet_ns": words("Time of a packet on a core (ns)"),
        "yes": words("Yes: {line} Mpps, line rate, is sustained with a probability of {percent} %. "
                     "Predicted: {mpps} Mpps ({low} to {high}, 90 % of loads), limited by "
                     "{limit}."),
        "no": words("No: {line} Mpps, line rate, is sustained with a probability of {percent} %. "
                    "Predicted: {mpps} Mpps ({low} to {high}, 90 % of loads), limited by {limit}."),
        "latency_is": words("Mean latency at {load} Mpps: {mean} µs."),
        "no_latency": words("Its latency under load was not measured."),
        "outside": words("Outside what was measured: the interval is wider, and 90 % is not "
                         "promised."),
    }  # fmt: skip
