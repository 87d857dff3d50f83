"""A datapath's settings are declared once; cells, tables and journals hold them as columns."""

import math
from dataclasses import dataclass, fields
from typing import ClassVar, Literal

import pandas as pd
import pytest

from linerate.errors import BadInputError
from linerate.measure.datapaths.registry import settings_tables
from linerate.settings import Pairs, Setting, columns_of, declared, setting, settings_from
from linerate.tables.settings_columns import own_settings, typed_settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Every:
    """A setting of each kind."""

    table: ClassVar[str] = "every"
    flag: bool = setting(False, Setting(column="a_flag", meaning="a flag"))
    count: int = setting(3, Setting(column="a_count", unit="packets", meaning="a count"))
    number: float = setting(0.5, Setting(column="a_number", meaning="a number"))
    word: Literal["x", "y"] = setting("x", Setting(column="a_word", meaning="a word"))
    version: Literal[1, 2] = setting(1, Setting(column="a_version", meaning="a version"))
    files: Pairs = setting(  # noqa: RUF009 - as dataclasses.field
        (), Setting(column="files", meaning="files")
    )


def test_column_has_the_kind_of_its_type_and_its_unit_first():
    columns = {each.name: each.column for each in declared(Every)}
    kinds = {name: column.kind for name, column in columns.items()}
    assert kinds == {
        "flag": "flag", "count": "count", "number": "number", "word": "text", "version": "count",
        "files": "text",
    }  # fmt: skip
    assert columns["count"].meaning == "packets, a count"


@pytest.mark.parametrize(
    "settings", [Every(), Every(flag=True, count=9, word="y", version=2, files=(("a", "b.txt"),))]
)
def test_settings_are_read_back_from_their_columns(settings):
    assert settings_from(Every, columns_of(settings)) == settings


def test_setting_that_a_cell_does_not_name_is_the_usual_one():
    assert settings_from(Every, (("a_count", 4), ("of_others", 1))) == Every(count=4)


@pytest.mark.parametrize("kind", settings_tables().values())
def test_every_field_of_a_datapaths_settings_is_declared_with_a_column_of_its_own(kind):
    columns = [each.about.column for each in declared(kind)]
    assert len(set(columns)) == len(fields(kind))
    assert all(each.about.meaning for each in declared(kind))


def test_table_says_which_columns_are_settings():
    table = pd.DataFrame({"hops": [1], "note": ["n"], "settings": ["hops"]})
    assert own_settings(table) == ("hops",)


def test_table_of_before_has_the_settings_of_then():
    table = pd.DataFrame({"hops": [1], "busy_poll": [True], "note": ["n"]})
    assert own_settings(table) == ("busy_poll",)


def test_rows_without_settings_leave_those_of_others():
    table = pd.DataFrame({"hops": [1, None], "settings": ["hops", None]})
    assert own_settings(table) == ("hops",)


@pytest.mark.parametrize(
    ("texts", "values"),
    [
        (["True", None, "False"], [True, pd.NA, False]),
        (["1", None, "2"], [1.0, float("nan"), 2.0]),
        (["per_queue", None, "1"], ["per_queue", None, "1"]),
    ],
)
def test_settings_get_the_type_that_their_values_have(texts, values):
    typed = typed_settings(pd.DataFrame({"one": texts, "settings": "one"}))["one"]
    assert [None if pd.isna(value) else value for value in typed] == [
        None if pd.isna(value) else value for value in values
    ]


@pytest.mark.parametrize("word", ["maybe", "TRUE", "2", "tru"])
def test_another_word_among_flags_is_refused_with_its_row(word):
    table = pd.DataFrame({"one": ["true", None, word, "False"], "settings": "one"})
    with pytest.raises(BadInputError, match=rf"one={word}: it is neither \(data row 3\)"):
        typed_settings(table)


def test_a_setting_of_hundreds_of_digits_is_endless():
    table = pd.DataFrame({"settings": ["hops", "hops"], "hops": ["1", 10**400]}, dtype=object)
    assert typed_settings(table)["hops"].tolist() == [1.0, math.inf]
