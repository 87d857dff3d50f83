"""What the documents say is there is there, what their examples compute is what the code does."""

import doctest
import re
import shlex
from importlib import import_module
from importlib.util import find_spec

import pytest
from typer.main import get_group

from linerate.cli.app import COMMANDS, app_for

from .test_layout import ROOT, name, tracked_files

DOCUMENTS = [
    path for path in tracked_files() if path.suffix == ".md" and path.parent.name != "example"
]
PAGES = [path for path in DOCUMENTS if path.is_relative_to(ROOT / "docs/models")]
INDEX = ROOT / "docs/models/README.md"
MODEL_PAGES = [path for path in PAGES if path.name != "README.md"]
SECTIONS = ("Picture", "Assumptions", "Derivation", "Measured", "Where it fails", "References")
LINES_MAX = 120
"""Of a page."""
WORDS_MAX = 150
"""Of a paragraph, or of an item of a list: what is longer nobody reads."""
DECISIONS = ROOT / "docs/decisions"
"""Records of their day, as written; so is the changelog."""
EXAMPLE_FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
COMMAND_LINE = re.compile(r"^ {4}(?:sudo )?(?:\.venv/bin/)?linerate (.+)$", re.MULTILINE)

STARTS = r" *(?:ip netns exec dut )?(?:sudo )?(?:\.venv/bin/)?"
"""What stands before an example in a command's help."""


def anchor_of(heading):
    """Name that a heading has as the target of a link."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


def without_code(text):
    return re.sub(r"```.*?```|(?m:^ {4}[^\n]*$)", "", text, flags=re.DOTALL)


def anchors(document):
    headings = re.findall(r"(?m)^#+ (.+)$", without_code(document.read_text()))
    return {anchor_of(heading) for heading in headings}


def examples(text):
    return "\n".join(re.findall(r"```pycon\n(.*?)```", text, re.DOTALL))


@pytest.mark.parametrize("document", DOCUMENTS, ids=name)
def test_links_lead_somewhere(document):
    links = re.findall(r"\]\(([^)\s:#]*)(?:#([\w-]+))?\)", without_code(document.read_text()))
    for path, anchor in links:
        target = document.parent / path if path else document
        assert target.exists(), path
        assert not anchor or anchor in anchors(target), f"{path}#{anchor}"


def paragraphs(text):
    """Prose of a page, item by item, without code and tables."""
    plain = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    parts = re.split(r"\n\s*\n|\n(?=\s*(?:[-|]|\d+\.)\s)", plain)
    return [part for part in parts if not part.lstrip().startswith("|")]


PROSE = [
    path for path in DOCUMENTS if not path.is_relative_to(DECISIONS) and path.name != "CHANGELOG.md"
]


@pytest.mark.parametrize("document", PROSE, ids=name)
def test_no_paragraph_is_a_wall_of_words(document):
    long = [part[:60] for part in paragraphs(document.read_text()) if len(part.split()) > WORDS_MAX]
    assert long == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=name)
def test_modules_that_are_named_exist(document):
    for module in set(re.findall(r"`(linerate(?:\.[a-z_0-9]+)+)`", document.read_text())):
        parent, _, last = module.rpartition(".")
        assert hasattr(import_module(parent), last) or find_spec(module), module


@pytest.mark.parametrize("document", [p for p in DOCUMENTS if examples(p.read_text())], ids=name)
def test_examples_give_what_is_printed(document):
    found = doctest.DocTestParser().get_doctest(
        examples(document.read_text()), {}, document.name, name(document), 0
    )
    output = []
    runner = doctest.DocTestRunner(optionflags=EXAMPLE_FLAGS)
    assert runner.run(found, out=output.append).failed == 0, "".join(output)


@pytest.mark.parametrize("page", MODEL_PAGES, ids=name)
def test_every_model_has_a_page_of_the_same_make(page):
    text = page.read_text()
    headings = re.findall(r"(?m)^## (.+)$", text)
    assert [section for section in SECTIONS if section not in headings] == []
    assert re.search(r"\*\*Modules?\*\* ", text)
    assert examples(text)
    assert len(text.splitlines()) <= LINES_MAX


@pytest.mark.parametrize("page", [p for p in PAGES if p.parent.name == "queueing"], ids=name)
def test_every_page_of_a_queue_says_which_commands_use_it(page):
    [used] = re.findall(r"(?m)^\*\*Used by\*\* (no command|(?:`[^`]+`[, and]*)+)", page.read_text())
    named = {words.split()[0] for words in re.findall(r"`([^`]+)`", used)}
    assert named <= {command.name for command in COMMANDS}


def test_every_page_is_in_the_index():
    index = INDEX.read_text()
    pages = [str(page.relative_to(INDEX.parent)) for page in MODEL_PAGES]
    assert [page for page in pages if f"({page})" not in index] == []


def test_every_module_of_models_is_on_some_page():
    output = " ".join(without_code(page.read_text()) for page in PAGES)
    named = set(re.findall(r"[a-z_0-9]+", " ".join(re.findall(r"`([^`]+)`", output))))
    modules = {path.stem for path in (ROOT / "models").rglob("*.py")} - {"__init__"}
    assert modules - named == set()


def command_lines():
    for document in DOCUMENTS:
        text = document.read_text().replace("\\\n", " ")
        yield from ((name(document), words) for words in COMMAND_LINE.findall(text))
    for command in COMMANDS:
        (known,) = get_group(app_for([command.name])).commands.values()
        shown = rf"(?m)^{STARTS}linerate ({command.name}.*)$"
        for words in re.findall(shown, known.epilog or ""):
            yield f"linerate {command.name} --help", words


@pytest.mark.parametrize(("where", "words"), list(command_lines()))
def test_commands_that_are_shown_are_understood(where, words):
    argv = [word for word in shlex.split(words, comments=True) if not word.startswith("<")]
    group = get_group(app_for(argv))
    command = group.commands[argv[0]]
    assert command.make_context(argv[0], argv[1:]).command is command
