"""The catalogue has every message of the code and no other, complete and with the same gaps."""

import re
import string
import subprocess
import sys

import pytest
from babel.messages.pofile import read_po

from linerate.errors import BadInputError
from linerate.reports.language import Words, languages, words_in
from linerate.reports.language.catalogue import SOURCE, catalogue_path

TRANSLATED = [lang for lang in languages() if lang != SOURCE]


def messages_in(path, lang=None):
    """Messages of a catalogue by their texts: of a plural, both forms."""
    with path.open("rb") as file:
        return {message.id: message for message in read_po(file, locale=lang) if message.id}


@pytest.fixture(scope="module")
def used(repository, tmp_path_factory):
    """Messages that the code and the template mark, as ``make words`` collects them."""
    template = tmp_path_factory.mktemp("words") / "words.pot"
    subprocess.run(
        [sys.executable, "-m", "babel.messages.frontend", "-q", "extract", "-F", "pyproject.toml",
         "-o", template, "reports", "measure/datapaths", "models", "src/linerate/errors.py"],
        cwd=repository, check=True,
    )  # fmt: skip
    return messages_in(template)


@pytest.fixture(params=TRANSLATED)
def catalogue(request):
    return messages_in(catalogue_path(request.param), request.param)


def forms(texts):
    return [texts] if isinstance(texts, str) else list(texts)


def gaps(text):
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_every_message_of_the_code_is_in_the_catalogue_and_no_other(used, catalogue):
    assert len(used) > 200
    assert used.keys() - catalogue.keys() == set()
    assert catalogue.keys() - used.keys() == set()


def test_every_message_is_translated_and_none_is_guessed(catalogue):
    assert [name for name, one in catalogue.items() if not all(forms(one.string))] == []
    assert [name for name, one in catalogue.items() if one.fuzzy] == []


def test_translations_have_the_gaps_of_their_message(catalogue):
    wrong = [
        name for name, one in catalogue.items() for text in forms(one.string)
        if gaps(text) != gaps(forms(one.id)[-1])
    ]  # fmt: skip
    assert wrong == []


def test_translations_have_the_numbers_of_their_message(catalogue):
    """A percentage or a count of bytes is the same in every language."""
    numbers = re.compile(r"\d+")
    wrong = [
        name
        for name, one in catalogue.items()
        for text in forms(one.string)
        if sorted(numbers.findall(forms(one.id)[0])) != sorted(numbers.findall(text))
    ]
    assert wrong == []


def test_what_is_counted_has_a_form_for_one():
    words = Words(lang="pt")
    texts = [words.plural("{n} access", "{n} accesses", n) for n in (0, 1, 2, 1.5)]
    assert texts == ["0 acessos", "1 acesso", "2 acessos", "1,5 acessos"]


def test_english_is_the_message_itself():
    assert Words()("line rate") == "line rate"


def test_a_message_without_translation_is_said_in_english():
    assert Words(lang="pt")("only in {where}", where="English") == "only in English"


def test_english_needs_no_babel():
    code = ("import sys; from linerate.reports.language import Words; Words().number(1.5); "
            "sys.exit('babel' in sys.modules)")  # fmt: skip
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_unknown_language_is_refused_by_name():
    with pytest.raises(BadInputError, match=r"lang=fr: .*; allowed: en, pt; "):
        words_in("fr")
