"""Many processes that add at once lose nothing."""

from multiprocessing import get_context

from pyarrow import fs as file_systems

import linerate as lr
from linerate.campaigns.places import Place

from .planted import ROWS, put

WRITERS, EACH = 4, 6


def add(work):
    """Add campaigns of one's own, and one that all add."""
    folder, writer = work
    store = lr.store(folder)
    for number in range(EACH):
        put(store, writer * EACH + number, box=f"box-{number % 2}")
    put(store, 500, box="common")


def test_a_folder_that_another_writer_makes_between_two_looks_is_listed(tmp_path):
    """Arrow lists it, finds none, and asks whether there is one: by then there is."""
    local, missed = file_systems.LocalFileSystem(), []

    class Late:
        """A file system that another one was first on."""

        def get_file_info(self, under):
            if not missed:
                missed.append(under)
                raise FileNotFoundError(2, "Cannot list directory")
            return local.get_file_info(under)

    (tmp_path / "runs").mkdir()
    place = Place(system=Late(), root=str(tmp_path), name="lab")
    assert place.names() == ["runs"]
    assert len(missed) == 1


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
