"""Tables that a fit must refuse, or say what they cannot tell."""

import pytest

import linerate as lr
from linerate.errors import BadInputError

from ..planted import lab_table

FEW = {"queues": (1,), "accesses": (0, 400, 1600), "sizes": (64,)}


def fitted(table):
    return lr.fit(table, "capacity", progress=False)


def test_machines_without_a_column_of_their_names_are_refused():
    with pytest.raises(BadInputError, match="missing box"):
        fitted(lab_table(**FEW).drop(columns="box"))


def test_loads_without_any_spread_leave_what_a_clock_leaves():
    model = fitted(lab_table(noise=0.0, **FEW))
    found = model.predict("xdp_native", memory_accesses=400, frame_bytes=64, queues=1)
    assert 1.0005 < found.upper_mpps / found.predicted_mpps < 1.01
    assert 0.0 <= found.sustains_line_rate < 0.01
    for one in model.file.predictor.model.parameters:
        assert one.lower <= one.value <= one.upper


def test_one_access_count_and_size_cannot_tell_base_from_access():
    with pytest.raises(BadInputError, match=r"too few of xdp_native/map_lookup for 1 constant"):
        fitted(lab_table(queues=(1,), accesses=(400,), sizes=(64,)))


@pytest.mark.parametrize(("reloads", "output"), [(1, 1), (2, 0)])
def test_a_campaign_of_one_load_a_cell_says_that_it_shows_no_load_effect(reloads, output):
    notes = fitted(lab_table(reloads=reloads, **FEW)).notes
    assert sum("every cell has one load" in note for note in notes) == output
