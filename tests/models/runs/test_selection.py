"""What a capacity model does not know is not taken for noise."""

import json

import pandas as pd
import pytest

from linerate.errors import BadInputError
from linerate.models.runs.selection import alike
from linerate.models.runs.training import chosen_once, training_of

from ..planted import lab_table


def table(**columns):
    rows = max(len(values) for values in columns.values())
    fixed = {"datapath": "xdp_native", "program": "map_lookup"}
    return pd.DataFrame({name: [value] * rows for name, value in fixed.items()} | columns)


def test_runs_of_unusual_settings_are_left_out_and_counted():
    runs = table(sources=[1, 1, 64], protocol=["udp", "udp", "udp"])
    kept, notes = alike(runs, ())
    assert kept["sources"].tolist() == [1, 1]
    assert notes == ("1 of 3 rows left out: settings other than most runs of their program",)


def test_each_program_has_usual_settings_of_its_own():
    runs = table(
        datapath=["nftables", "nftables", "iptables", "iptables"],
        filter_hook=["input", "input", "prerouting", "prerouting"],
    )
    assert len(alike(runs, ())[0]) == 4


def test_operations_that_accesses_do_not_count_are_left_out():
    mixes = [{"map_lookup": 100}, {"memcpy_6b": 1}, {}, {"hash_lookup": 4}]
    programs = ["map_lookup", "map_lookup", "operations", "operations"]
    runs = table(operations=[json.dumps(mix) for mix in mixes], program=programs)
    kept, notes = alike(runs, ())
    assert len(kept) == 2, "the operations' own baseline goes with them"
    assert "operations are not a factor" in notes[0]


def test_a_table_without_settings_is_kept_whole():
    runs = table(queues=[1, 2])
    kept, notes = alike(runs, ())
    assert len(kept) == 2
    assert notes == ()


def test_runs_are_chosen_once_of_each_table_only_while_it_is_asked():
    runs = lab_table(reloads=1)
    with chosen_once():
        first = training_of(runs)
        assert training_of(runs) is first
        assert training_of(runs.copy()) is not first
        with pytest.raises(BadInputError):
            training_of(runs.iloc[:0])
    assert training_of(runs) is not first
