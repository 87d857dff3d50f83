"""Every message has its Portuguese, with the same gaps."""

import ast
import re
import string
from pathlib import Path

import pytest

import linerate.reports
from linerate.errors import BadInputError
from linerate.reports import FIGURES, Words, words_in
from linerate.reports.answers import LIMIT_WORDS
from linerate.reports.summaries import SUMMARIES
from linerate.reports.words import PORTUGUESE

FOLDER = Path(linerate.reports.__file__).parent
SPEAKERS = ("words", "say", "self")


def messages_of_code():
    for path in FOLDER.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call):
                name = getattr(node.func, "id", getattr(node.func, "attr", ""))
                if name in SPEAKERS and node.args and isinstance(node.args[0], ast.Constant):
                    yield node.args[0].value
                if name == "LeftOut":
                    yield from (ast.literal_eval(keyword.value) for keyword in node.keywords)


def messages():
    page = (FOLDER / "templates/report.html.j2").read_text()
    kinds = (*FIGURES, *SUMMARIES)
    said = {kind.title for kind in kinds} | {kind.statistic for kind in kinds}
    return said | set(messages_of_code()) | set(LIMIT_WORDS.values()) | set(
        re.findall(r'say\("([^"]*)"', page)
    )  # fmt: skip


def gaps(message):
    return {name for _, name, _, _ in string.Formatter().parse(message) if name}


def test_every_message_has_its_portuguese():
    assert len(messages()) > 80
    assert messages() - PORTUGUESE.keys() == set()


def test_translations_have_the_gaps_of_their_message():
    assert {m for m, said in PORTUGUESE.items() if gaps(m) != gaps(said)} == set()


def test_english_is_the_message_itself():
    assert Words()("line rate") == "line rate"


def test_unknown_language_is_refused_by_name():
    with pytest.raises(BadInputError, match=r"lang=fr: .*; allowed: en, pt; "):
        words_in("fr")
