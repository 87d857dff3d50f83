"""A pipeline that is asked about runs on the frames that are named, here, and says what it took."""

from dataclasses import replace
from os import sysconf

import pytest

from linerate.box import Cost, write_box
from linerate.face.fits.carrying import Where
from linerate.face.fits.pipelines import SHIPPED, fits_pipeline
from linerate.measure.objects.calibrating.own_box import state_folder
from linerate.measure.system.describe import this_box
from linerate.programs.costs import work_name

from ..measure.datapaths.swx.spec.pipelines import ENTRIES, ROUTER

pytestmark = pytest.mark.dpdk

RUN = Where(static=False, progress=False)
WAITING = "\tmov m.port 0\n\tmov m.hop h.ipv4.dst_addr\n"


@pytest.fixture(autouse=True)
def timed_today(tmp_path, monkeypatch):
    """Keep a time of this machine's, so that it is not timed for half a minute."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    cost = Cost(value_ns=30.0, lower_ns=29.0, upper_ns=31.0)
    box = replace(this_box("dpdk"), costs={work_name("swx", (("receive", 1),)): cost})
    state_folder().mkdir(parents=True)
    write_box(box, state_folder() / f"{box.name}.swx.toml")


@pytest.fixture
def router(tmp_path):
    (tmp_path / "routes.txt").write_text(ENTRIES)
    (tmp_path / "router.spec").write_text(ROUTER)
    return tmp_path / "router.spec"


@pytest.fixture
def routes(router):
    return (f"routes={router.with_name('routes.txt')}",)


def asked(path, tables=(), **others):
    return fits_pipeline(path, **{"traffic": 64, "tables": tables, "where": RUN, **others})


def test_what_ran_is_answered_and_its_price_stands_beside(router, routes):
    found = asked(router, routes)
    assert str(found).startswith(f"Does {router} sustain line rate? Run on these frames")
    best, expected, worst = found.answers[0].cases
    assert expected.priced is not None
    assert best.packet_ns == pytest.approx(expected.packet_ns)
    assert worst.packet_ns == pytest.approx(expected.packet_ns)
    assert 5.0 < expected.packet_ns < 1000.0
    assert any("loads of it ran here on these frames" in note for note in found.notes)


def test_the_same_without_the_fields_that_wait_runs_too(router, routes):
    router.write_text(ROUTER.replace("\ttable routes\n", f"{WAITING}\ttable routes\n"))
    wider = asked(router, routes, explained=True).wider
    assert wider is not None
    assert wider.ran is not None
    assert "declared so a packet of this traffic took" in str(wider)
    assert "as run here" in str(wider)


@pytest.mark.parametrize(
    "others",
    [{"traffic": None}, {"model": SHIPPED}, {"where": Where(static=True)}],
    ids=["no frames", "costs of somewhere", "nothing shall run"],
)
def test_what_is_not_about_frames_here_does_not_run(router, routes, others):
    found = asked(router, routes, **others)
    assert "Not run: its operations are priced." in str(found)
    assert all(answer.cases[1].priced is None for answer in found.answers)


def test_a_pipeline_whose_tables_nobody_knows_does_not_run(router):
    found = asked(router)
    assert "Not run: its operations are priced." in str(found)
    assert "not run: --table says what it finds in routes" in found.notes


@pytest.mark.skipif(
    sysconf("SC_PAGE_SIZE") * sysconf("SC_PHYS_PAGES") > 32 << 30, reason="it would start here"
)
def test_why_a_pipeline_does_not_start_is_said_and_it_is_priced(router, routes):
    """It keeps 32 GiB of registers."""
    many = "".join(f"regarray r{place} size 16777216 initval 0\n" for place in range(256))
    router.write_text(ROUTER.replace("apply {", f"{many}apply {{"))
    found = asked(router, routes)
    assert "Not run: its operations are priced." in str(found)
    (note,) = [note for note in found.notes if note.startswith("not run, for it would not start")]
    assert "memory=" in note
