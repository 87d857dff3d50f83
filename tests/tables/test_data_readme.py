"""What data/README.md and docs/method/campaigns.md say is what the code reads."""

import re

import pytest

from linerate.box import Box
from linerate.measure.campaign.campaign import Campaign, CellBlock, read_campaign
from linerate.measure.campaign.searches import CurveTable, SearchBlock
from linerate.measure.datapaths.registry import settings_of_columns, settings_tables
from linerate.settings import declared
from linerate.tables.columns import COLUMNS
from linerate.tables.search_answers import ANSWER_COLUMNS
from linerate.tables.search_table import SEARCH_COLUMNS

CAMPAIGN_KEYS = [field.alias or name for name, field in Campaign.model_fields.items()]
KEYS = [name for name in CellBlock.model_fields if name != "given"]
CELL_KEYS = [*KEYS, *settings_tables()]
SETTINGS = [each.column for each in settings_of_columns().values()]
HERE = [column.name for column in COLUMNS].index("settings") + 1
RUNS_COLUMNS = [*COLUMNS[:HERE], *SETTINGS, *COLUMNS[HERE:]]
SEARCH_KEYS = sorted(set(SearchBlock.model_fields) - set(CellBlock.model_fields))


@pytest.fixture(scope="module")
def readme(repository):
    return (repository / "data/README.md").read_text()


def table_of(readme, heading):
    """Name in the first cell of each line of a section's tables -> the line's other cells."""
    section = readme.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    lines = re.findall(r"(?m)^\| `\[*(\w+)\]*` \| (.*) \|$", section)
    return {name: cells.split(" | ") for name, cells in lines}


@pytest.mark.parametrize("column", RUNS_COLUMNS, ids=lambda column: column.name)
def test_every_column_has_its_kind_and_meaning_in_the_readme(readme, column):
    kind, present, meaning = table_of(readme, "A table of runs")[column.name]
    assert (kind, meaning) == (column.kind, column.meaning)
    assert present.startswith("always") == column.required


def test_columns_stand_in_the_order_in_which_they_are_written(readme):
    assert list(table_of(readme, "A table of runs")) == [column.name for column in RUNS_COLUMNS]


@pytest.mark.parametrize("key", CAMPAIGN_KEYS + CELL_KEYS)
def test_every_key_of_a_campaign_is_explained(readme, repository, key):
    assert table_of(readme, "A campaign file")[key][-1]
    assert re.search(rf"`\[*{key}\]*`", (repository / "docs/method/campaigns.md").read_text())


@pytest.mark.parametrize("key", settings_tables())
def test_every_list_of_a_table_of_settings_is_explained(readme, key):
    explained = table_of(readme, "A campaign file")[key][-1]
    assert all(f"`{each.name}`" in explained for each in declared(settings_tables()[key]))


def test_no_key_is_explained_that_there_is_not(readme):
    assert set(table_of(readme, "A campaign file")) == {*CAMPAIGN_KEYS, *CELL_KEYS}


def test_every_column_of_searches_has_its_kind_and_meaning_in_the_readme(readme):
    explained = table_of(readme, "A table of searches")
    assert explained == {column.name: [column.kind, column.meaning] for column in SEARCH_COLUMNS}
    assert list(explained) == [column.name for column in SEARCH_COLUMNS]


def test_every_column_of_answers_has_its_kind_and_meaning_in_the_readme(readme):
    explained = table_of(readme, "A table of answers")
    assert explained == {column.name: [column.kind, column.meaning] for column in ANSWER_COLUMNS}
    assert list(explained) == [column.name for column in ANSWER_COLUMNS]


def test_every_key_of_a_search_is_explained_and_no_other(readme):
    explained = table_of(readme, "A search in a campaign file")
    assert set(explained) == set(SEARCH_KEYS)
    assert all(cells[-1] for cells in explained.values())


@pytest.mark.parametrize("key", CurveTable.model_fields)
def test_every_key_of_a_curve_is_explained(readme, key):
    assert f"`{key}`" in table_of(readme, "A search in a campaign file")["curve"][-1]


@pytest.mark.parametrize("field", Box.__dataclass_fields__)
def test_every_field_of_a_box_is_named(readme, field):
    assert f"`{field}`" in readme[readme.index("## A box file") :]


def test_every_shipped_campaign_is_read_and_listed(readme, repository):
    paths = sorted((repository / "data/campaigns").glob("*.toml"))
    assert paths
    for path in paths:
        if not path.stem.endswith("-nic"):  # these wait for the names of the user's hosts
            assert read_campaign(path).campaign.name == path.stem
        assert f"(campaigns/{path.name})" in readme
