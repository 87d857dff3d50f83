"""SQL sees the tables of a store, and nothing else of the machine."""

import re

import duckdb
import pytest

import linerate as lr
from linerate.campaigns.parts import table_of
from linerate.campaigns.queries import CLOSED
from linerate.errors import BadInputError, CannotHereError

from .planted import ROWS, put


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """Give a store of two boxes."""
    store = lr.store(tmp_path_factory.mktemp("lab"))
    for number, box in enumerate(("alpha", "beta", "beta")):
        put(store, number, box)
    return store


def test_a_question_over_both_tables_is_answered(store):
    answer = store.query(
        "select c.box, c.kernel, count(*) as n from runs join campaigns as c using (campaign_id) "
        "group by all order by all"
    )
    assert answer.table.to_dict("list") == {
        "box": ["alpha", "beta"], "kernel": ["6.18"] * 2, "n": [ROWS, 2 * ROWS],
    }  # fmt: skip
    assert "forwarded_mpps" in list(store.query("describe runs").table["column_name"])


WRITING = (
    "copy (select 1) to '{file}'", "attach '{file}'", "export database '{file}'",
    "set enable_external_access = true", "install httpfs", "load '{file}'",
    "create table t as select 1", "drop view runs", "select 1; select 2", "",
)  # fmt: skip
READING = (
    "select * from read_csv('/etc/passwd')", "select * from '/etc/passwd'",
    "select * from read_text('/etc/passwd')", "select * from glob('/etc/*')",
    "select * from read_parquet('https://example.org/x.parquet')", "select * from ROWS",
)  # fmt: skip


@pytest.mark.parametrize("sql", WRITING)
def test_what_is_no_question_is_refused(store, tmp_path, sql):
    with pytest.raises(BadInputError, match="a store is only read"):
        store.query(sql.format(file=tmp_path / "out"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("sql", READING)
def test_a_question_reaches_no_file_no_address_and_no_variable(store, sql):
    with pytest.raises(BadInputError, match=r"disabled by configuration|does not exist"):
        store.query(sql)


@pytest.mark.parametrize("sql", [*WRITING[:6], READING[0], READING[2]])
def test_the_database_itself_refuses_it_too(store, tmp_path, sql):
    """The kind of a statement is asked first; were that mistaken, this still holds."""
    with duckdb.connect(":memory:", config=CLOSED) as database:
        database.register("runs", table_of(store.place, store.listing().manifests))
        with pytest.raises(duckdb.Error, match=r"disabled|locked"):
            database.execute(sql.format(file=tmp_path / "out"))
    assert list(tmp_path.iterdir()) == []


def test_a_mistake_is_shown_with_what_it_may_have_meant(store):
    with pytest.raises(BadInputError, match=re.escape('"programm" not found')) as caught:
        store.query("select programm from runs")
    assert '"program"' in str(caught.value)


def test_without_duckdb_it_is_said_what_to_install(store, monkeypatch):
    monkeypatch.setattr("linerate.campaigns.queries.find_spec", lambda name: None)
    with pytest.raises(CannotHereError, match=r"duckdb: .*pip install 'linerate\[store\]'"):
        store.query("select 1")
