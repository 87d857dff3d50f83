"""The site that `make docs` builds has every page, and its links lead to pages of it."""

import re
from importlib import import_module

import pytest

import linerate

from .test_layout import ROOT

PAGES = sorted(str(path.relative_to(ROOT / "docs")) for path in (ROOT / "docs").rglob("*.md"))
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


@pytest.fixture
def site(monkeypatch):
    """Module of docs/site by its name."""
    monkeypatch.syspath_prepend(ROOT / "docs/site")
    return import_module


def navigation():
    shown = (ROOT / "mkdocs.yml").read_text().split("\nnav:\n")[1]
    return re.findall(r"^ +- (?:.*: )?(\S+\.md)$", shown, re.MULTILINE)


def test_every_page_is_in_the_navigation_once(site):
    beside = site("repository_links").BESIDE.values()
    pages = [page for page in PAGES if not page.startswith("decisions/0")]  # on a page of theirs
    notebooks = [f"notebooks/{path.stem}.md" for path in NOTEBOOKS]
    assert sorted(navigation()) == sorted([*pages, *beside, *notebooks])


def test_every_link_leads_to_a_page_a_source_or_a_folder(site):
    links = site("repository_links")
    texts = {origin: (ROOT / origin).read_text() for origin in (
        *links.BESIDE, *(f"docs/{page}" for page in PAGES))}  # fmt: skip
    pages, sources = {*navigation(), *PAGES}, links.sources_of(texts)
    for origin, text in texts.items():
        for target in links.targets(text, origin):
            page = links.page_of(target)
            assert page in pages if page else target in sources or (ROOT / target).is_dir(), origin


def test_links_between_files_become_links_between_pages(site):
    links = site("repository_links")
    text = "[a](../data/README.md#a-table-of-runs) [b](../bpf/x.c) [c](https://a.b) [d](../bpf)"
    assert links.on_site(text, "docs/method.md", "method.md", {"bpf/x.c"}) == (
        "[a](columns.md#a-table-of-runs) [b](source/bpf/x.c.md) [c](https://a.b) "
        '<abbr title="bpf, in the repository">d</abbr>'
    )


def test_links_of_pages_that_move_are_relative_to_their_new_place(site):
    on_site = site("repository_links").on_site
    assert on_site("[m](../docs/method.md)", "data/README.md", "columns.md", ()) == "[m](method.md)"
    moved = on_site("[m](../docs/method.md)", "notebooks/01.ipynb", "notebooks/01.md", ())
    assert moved == "[m](../method.md)"


def test_pictures_are_found_from_where_the_page_is(site):
    on_site = site("repository_links").on_site
    shown = on_site("[![a](docs/x.png)](docs/method.md)", "README.md", "overview.md", ())
    assert shown == "[![a](x.png)](method.md)"


def test_code_is_left_as_it_is(site):
    text = "```\n[a](../b.md)\n```\n\n    [a](../b.md)\n"
    assert site("repository_links").on_site(text, "docs/x.md", "x.md", ()) == text


def test_what_belongs_to_an_item_stands_four_columns_in(site):
    text = "Two:\n1. one,\n   more\n\n   ```c\n   a;\n     b;\n   ```\n2. two\n\nafter\n- x"
    assert site("dialect").for_mkdocs(text) == (
        "Two:\n\n1. one,\n    more\n\n    ```c\n    a;\n      b;\n    ```\n\n2. two\n\nafter\n\n- x"
    )


def test_formulas_are_marked_where_they_stand(site):
    text = "- so\n\n  ```math\n  a = b\n  ```\n"
    assert "\n    $$\n    a = b\n    $$\n" in site("dialect").for_mkdocs(text)
    assert site("dialect").for_mkdocs("is $`a_i^2`$, `code`\n") == "is $a_i^2$, `code`\n"


def test_the_reference_has_every_name_of_the_package():
    page = (ROOT / "docs/api/README.md").read_text()
    listed = {name.rpartition(".")[2] for name in re.findall(r"^::: (\S+)$", page, re.MULTILINE)}
    assert set(linerate.__all__) - listed == {"plot"}  # has a page of its own


@pytest.mark.parametrize("page", sorted((ROOT / "docs/api").glob("*.md")), ids=lambda p: p.name)
def test_what_the_reference_names_exists(page):
    for name in re.findall(r"^::: (\S+)$", page.read_text(), re.MULTILINE):
        module, defined = ROOT / "src" / name.replace(".", "/"), name.rpartition(".")[2]
        if module.with_suffix(".py").is_file() or module.is_dir():
            continue
        text = module.parent.with_suffix(".py").read_text()
        assert re.search(rf"^(?:def|class) {defined}\b", text, re.MULTILINE), name


def test_every_decision_is_on_the_page_of_decisions(site):
    shown = site("repository_links").decisions()
    decisions = (ROOT / "docs/decisions").glob("0*.md")
    assert [path.name for path in decisions if f"({path.name})" not in shown] == []
