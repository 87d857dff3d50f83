"""What every test may need: the machine's abilities, and where shared data lie."""

import fcntl
import gc
import importlib
import math
import os
import pickle
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from linerate.cells import Cell, Load
from linerate.cli import COLLECT_AFTER
from linerate.measure.system import lab_obstacles

from . import warm
from .awake import CPUINFO, is_virtual, keep_awake
from .measure import leftovers

ROOT = Path(__file__).resolve().parents[1]
CAPELETTI_RUNS = ROOT.parent / "shared/data/capeletti/runs.csv"


# A terminal of some width and colour, and its owner's wishes, are none of a test's business.
WISHES = ("COLUMNS", "LINES", "TERMINAL_WIDTH", "FORCE_COLOR", "NO_COLOR", "PY_COLORS",
          "CLICOLOR_FORCE", "TTY_COMPATIBLE", "GITHUB_ACTIONS")  # fmt: skip
for name in WISHES:
    os.environ.pop(name, None)

# How long an example takes is the machine's business, and that of what else it does.
# Where nobody waits, as many examples are drawn as usual.
settings.register_profile(
    "unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow],
    max_examples=100 if "CI" in os.environ else 30,
)  # fmt: skip
settings.load_profile("unhurried")

# On its import the package reads the source of every caller, and asks every loaded module for it.
importlib.import_module("MLRsearch")

MEASURES = ("root", "dpdk", "nic", "exclusive")
"""Marks of tests that send real packets or time what runs."""
RERUNS, RERUN_AFTER_SECONDS = 3, 2
"""How often such a test is tried again, and after what pause: a shared host may take a core away
for longer than a ring of packets lasts. Each try is a whole test, and the summary lists the reruns
(decision 14)."""

NOT_OF_PIPELINES = "root"
"""A finding that the dpdk lab needs, and a pipeline by itself does not."""


@cache
def _why_no(lab):
    found = [each for each in lab_obstacles(lab) if (lab, each.name) != ("dpdk", NOT_OF_PIPELINES)]
    return ", ".join(f"{each.name} ({each.detail})" for each in found)


def pytest_configure(config):
    """Keep the cores of a virtual machine awake until the last test has ended (decision 17)."""
    if hasattr(config, "workerinput") or config.option.collectonly:
        return
    if is_virtual(CPUINFO.read_text()):
        config.add_cleanup(keep_awake())


def pytest_collection_finish():
    """Keep what was collected out of the search for cycles, which would go through it each time."""
    gc.freeze()
    gc.set_threshold(*COLLECT_AFTER)


def _between(items):
    """Cases of a sampled test but for the first and the last."""
    cases = {}
    for item in items:
        if item.get_closest_marker("sampled"):
            cases.setdefault((item.path, item.originalname), []).append(item)
    return [item for each in cases.values() for item in each[1:-1]]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    for item in _between(items):
        item.add_marker(pytest.mark.deep)
    for item in items:
        for mark, lab in (("root", "veth"), ("dpdk", "dpdk")):
            if item.get_closest_marker(mark) and _why_no(lab):
                item.add_marker(pytest.mark.skip(reason=f"the {lab} lab needs: {_why_no(lab)}"))
        if any(map(item.get_closest_marker, MEASURES)):
            item.add_marker(pytest.mark.flaky(reruns=RERUNS, reruns_delay=RERUN_AFTER_SECONDS))
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


@pytest.fixture(scope="session")
def cell_of():
    """Build a cell of the veth lab: a flood of 64-byte frames in serial mode, or as told."""

    def build(load=None, **changes):
        load = Load(
            **{"frame_mix": ((1, 64),), "arrivals": "flood", "offered_mpps": math.inf}
            | (load or {})
        )
        factors = {
            "lab": "veth", "mode": "serial", "datapath": "xdp_native", "program": "map_lookup",
            "memory_accesses": 0, "queues": 1, "link_gbps": math.inf,
        }  # fmt: skip
        return Cell(**(factors | changes), load=load)

    return build


@pytest.fixture(scope="session")
def once(tmp_path_factory):
    """Make a thing once for all workers of this run; it is kept in their common folder."""
    own = tmp_path_factory.getbasetemp()
    folder = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own

    def made(name, make):
        kept = folder / f"{name}.pickle"
        with (folder / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not kept.exists():
                kept.write_bytes(pickle.dumps(make()))
        return pickle.loads(kept.read_bytes())

    return made


@pytest.fixture(scope="session")
def pipelines_section(once, reference):
    """Give the section of the reference runs of pipelines, as a report fits it."""
    from linerate.reports.section import read_source, sections_of  # slow to load

    return once("pipelines", lambda: sections_of([read_source(reference("izolan"))])[0])


@pytest.fixture
def mark(tmp_path, monkeypatch):
    """Mark whatever this test starts, so that it can be told from what other tests start."""
    warm.begin()
    monkeypatch.setenv(leftovers.MARK, str(tmp_path))


@pytest.fixture(scope="session")
def repository():
    return ROOT


@pytest.fixture(scope="session")
def reference():
    """Give the folder of a reference campaign by its name, ``reference("izolan")``."""
    return lambda name: ROOT / f"data/reference-{name}"
