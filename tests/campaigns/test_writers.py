"""Many processes that add at once lose nothing."""

from multiprocessing import get_context

import linerate as lr

from .planted import ROWS, put

WRITERS, EACH = 4, 6


def add(work):
    """Add campaigns of one's own, and one that all add."""
    folder, writer = work
    store = lr.store(folder)
    for number in range(EACH):
        put(store, writer * EACH + number, box=f"box-{number % 2}")
    put(store, 500, box="common")


def test_writers_at_once_lose_nothing(tmp_path):
    folder = tmp_path / "lab"
    with get_context("fork").Pool(WRITERS) as pool:
        pool.map(add, [(folder, writer) for writer in range(WRITERS)], chunksize=1)
    store = lr.store(folder)
    assert sorted(store.campaigns()["box"].value_counts()) == [1, 12, 12]
    assert len(store.runs()) == (WRITERS * EACH + 1) * ROWS
    verified = store.verify()
    assert (verified.campaigns, verified.broken, verified.unnamed) == (WRITERS * EACH + 1, (), ())
    assert not list(folder.rglob("*.new"))
