"""Links between files of the repository, as links between pages of the site."""

from __future__ import annotations

import html
import posixpath
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BESIDE = {
    "data/README.md": "columns.md",
    "p4/README.md": "p4.md",
    "benchmarks/README.md": "benchmarks.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "README.md": "overview.md",
}
"""Pages that do not lie in docs/: file of the repository -> page of the site."""
LANGUAGES = {".c": "c", ".h": "c", ".lua": "lua", ".py": "python", ".toml": "toml"}
"""What a source is highlighted as."""

_LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|!\[[^\]]*\]\([^)]*\))*)\]\(([^)\s:#]+)(#[\w-]+)?\)")
_IMAGE = re.compile(r"(!\[[^\]]*\]\()([^)\s:#]+)\)")
_CODE = re.compile(r"(^```.*?^```$|(?<=\n\n)(?: {4}[^\n]*\n)+)", re.DOTALL | re.MULTILINE)


def page_of(path: str) -> str | None:
    """Page of a file of the repository; None where it has none but its own text."""
    if path in BESIDE:
        return BESIDE[path]
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    if path.startswith("notebooks/") and path.endswith(".png"):
        return path  # made from a notebook
    if path.endswith(".ipynb"):
        return path.removesuffix(".ipynb") + ".md"
    return None


def origin_of(page: str) -> str:
    """File of the repository that a page was made of."""
    files = {made: path for path, made in BESIDE.items()}
    if page.startswith("notebooks/"):
        return page.removesuffix(".md") + ".ipynb"
    return files.get(page, f"docs/{page}")


def source_page(path: str) -> str:
    """Page that shows a source."""
    return f"source/{path}.md"


def targets(text: str, origin: str) -> Iterator[str]:
    """Files and folders of the repository that a page links to."""
    for number, part in enumerate(_CODE.split(text)):
        if number % 2 == 0:
            yield from (_target(match[2], origin) for match in _LINK.finditer(part))


def _target(link: str, origin: str) -> str:
    path = posixpath.normpath(posixpath.join(posixpath.dirname(origin), link))
    readme = posixpath.join(path, "README.md")
    return readme if (ROOT / readme).is_file() else path


def on_site(text: str, origin: str, page: str, sources: Collection[str]) -> str:
    """Rewrite the links of a page.

    Parameters
    ----------
    text
        Markdown.
    origin
        File of the repository that it is, or was made of.
    page
        Page of the site that it becomes.
    sources
        Files that have a page with their text. What has none becomes plain text that shows its
        path when it is pointed at.
    """

    def moved(match: re.Match[str]) -> str:
        target = _target(match[2], origin)
        shown = page_of(target) or (source_page(target) if target in sources else None)
        if shown is None:
            return f'<abbr title="{html.escape(target)}, in the repository">{match[1]}</abbr>'
        link = posixpath.relpath(shown, posixpath.dirname(page) or ".")
        return f"[{match[1]}]({link}{match[3] or ''})"

    def placed(match: re.Match[str]) -> str:
        shown = _target(match[2], origin)
        link = posixpath.relpath(page_of(shown) or shown, posixpath.dirname(page) or ".")
        return f"{match[1]}{link})"

    parts = _CODE.split(text)
    parts[::2] = [_IMAGE.sub(placed, _LINK.sub(moved, part)) for part in parts[::2]]
    return "".join(parts)


def source_text(path: str) -> str:
    """Page with the text of a source, which searches leave out."""
    language = LANGUAGES.get(posixpath.splitext(path)[1], "text")
    text = (ROOT / path).read_text()
    head = "---\nsearch:\n  exclude: true\nhide:\n  - navigation\n---\n"
    return f"{head}# {posixpath.basename(path)}\n\n`{path}`\n\n``````{language}\n{text}``````\n"


def sources_of(pages: Mapping[str, str]) -> list[str]:
    """Files that pages link to and that are not pages themselves; ``pages`` is origin -> text."""
    linked = {path for origin, text in pages.items() for path in targets(text, origin)}
    return sorted(path for path in linked if page_of(path) is None and (ROOT / path).is_file())


def decisions() -> str:
    """List of decisions, by their headings."""
    pages = sorted((ROOT / "docs/decisions").glob("0*.md"))
    heads = (page.read_text().partition("\n")[0].lstrip("# ") for page in pages)
    names = (re.sub(r"^0*(\d+)[.:] *", r"\1. ", head) for head in heads)
    return "\n" + "".join(
        f"- [{name}]({page.name})\n" for page, name in zip(pages, names, strict=True)
    )
