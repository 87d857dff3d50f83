"""A Portuguese page speaks Portuguese: no sentence of it keeps an English function word."""

import pickle
import re
from dataclasses import replace
from pathlib import Path

import pytest
from tests.reports import planted_studies

from linerate.models import learnable
from linerate.reports import FIGURES, Words
from linerate.reports.compared.compared import bare
from linerate.reports.figures.captions import caption
from linerate.reports.page import capacity
from linerate.reports.page.contents import headings, method
from linerate.reports.page.doubts import doubts
from linerate.reports.page.provenance import facts_of
from linerate.reports.page.tables import tables_of
from linerate.reports.section import fit_section, read_source
from linerate.reports.tables import LeftOut

CAMPAIGNS = sorted(path.name for path in (Path(__file__).parents[3] / "data").glob("reference-*"))
ENGLISH = re.compile(
    r"\b(the|of|and|is|are|was|were|with|that|which|from|not|left|rows|by|for|than|this|their|its|"
    r"each|only|have|has|been|other|too|few|in|on|at|it|they|how|what|where|whose|be|cannot)\b"
)
NAMES = re.compile(
    r"(?m)\b\d+ and\b|^and$|recomputed from its logs|its published results over veth"
)
"""What keeps its English: the operation ``and``, alone or counted, and what a source is called."""
PT = Words(lang="pt")


def english(texts):
    """Texts that have a function word of English, whatever names it may also hold."""
    return [text for text in texts if ENGLISH.search(NAMES.sub("", text.lower()))]


def said_of(section):
    """All that a page says of a section beside its figures."""
    yield from capacity.answer_sentences(section, PT)
    yield capacity.formula_text(section, PT)
    yield from doubts(section, PT)
    yield from (f"{fact.name} {fact.value}" for fact in facts_of(section, PT)
                if fact.name != PT("mitigations"))  # fmt: skip
    yield from map(PT.note, section.notes)
    for shown in tables_of(section, PT, ""):
        yield from (shown.title, shown.note, *shown.header)
        for cell in (cell for row in shown.rows for cell in row):
            yield cell if isinstance(cell, str) else f"{cell.text} {cell.detail}"


def captions_of(section):
    """Titles, captions and reasons of all figures of a section's studies."""
    for kind in FIGURES:
        # Holding out every split anew takes seconds, and its caption has no other words.
        if set(kind.studies).intersection(section.studies) and kind.name != "models-by-split":
            yield PT(kind.title)
            table = kind.table(section)
            if isinstance(table, LeftOut):
                yield PT(table.why)
            else:
                yield caption(kind, section, table, PT, "linerate")


def test_the_finder_finds_english():
    assert english(["3 of 4 rows left out", "3 de 4 linhas omitidas"]) == ["3 of 4 rows left out"]


@pytest.mark.sampled
@pytest.mark.parametrize("name", CAMPAIGNS)
def test_what_a_page_says_of_a_shipped_campaign_is_portuguese(name, repository):
    source = read_source(repository / "data" / name)
    section = replace(
        bare(source.runs, box=source.box), searches=source.searches,
        notes=(*source.notes, *learnable(source.runs).notes),
    )  # fmt: skip
    assert english(said_of(section)) == []


def test_what_a_page_says_of_fitted_models_is_portuguese(section, studies):
    for one in (section, studies):
        assert english(said_of(one)) == []
        assert english(captions_of(one)) == []


@pytest.mark.parametrize("spoiled", ["invalid", "one cell"])
def test_why_nothing_was_fitted_is_portuguese(spoiled, repository):
    runs = read_source(repository / "data/reference-veth/runs.csv").runs.head(200)
    runs = runs.assign(verdict="invalid") if spoiled == "invalid" else runs.head(1)
    notes = fit_section(runs).notes
    assert any("permitido:" in PT.note(one) for one in notes)
    assert english(map(PT.note, notes)) == []


def test_headings_and_method_are_portuguese():
    heads = headings(PT)
    sentences = [getattr(heads, name) for name in heads.__slots__]
    assert english([*sentences, *method(PT, of_capacity=True)]) == []


def test_a_note_is_said_with_the_notes_inside_it():
    runs = planted_studies.filter_runs()
    runs.loc[runs.index[:3], "verdict"] = "invalid"
    (own,) = [note for note in learnable(runs).notes if "invalid" in note]
    assert own == f"of operations: 3 of {len(runs)} rows left out: judged invalid"
    assert PT.note(own) == f"das operações: 3 de {len(runs)} linhas omitidas: julgadas inválidas"
    assert PT.note(pickle.loads(pickle.dumps(own))) == PT.note(own)
