"""What mkdocs knows beside mkdocs.yml: pages that lie elsewhere, links to sources, formulas."""

from __future__ import annotations

import re
import sys
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parent))

import dialect
import notebook_pages
import repository_links as links
from latex2mathml.converter import convert
from mkdocs.structure.files import File

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

_FORMULA = re.compile(
    r'<(span|div) class="arithmatex">\\([(\[])(.*?)\\[)\]]</\1>', re.DOTALL
)  # fmt: skip
_SHIM = re.compile(r"<script src=\"?https://unpkg\.com/iframe-worker/shim\"?></script>")
_WORKER = f"<script>{(Path(__file__).parent / 'worker.js').read_text()}</script>"
_SOURCES: set[str] = set()


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that lie outside docs/, the notebooks, and the sources that pages link to."""
    added: dict[str, str | bytes] = {
        page: (links.ROOT / path).read_text() for path, page in links.BESIDE.items()
    }
    for path in sorted((links.ROOT / "notebooks").glob("*.ipynb")):
        text, pictures = notebook_pages.page_of(path)
        added[f"notebooks/{path.stem}.md"] = text
        added |= {f"notebooks/{name}": picture for name, picture in pictures.items()}
    texts = {file.src_uri: file.content_string for file in files.documentation_pages()}
    texts |= {page: text for page, text in added.items() if isinstance(text, str)}
    _SOURCES.update(links.sources_of({links.origin_of(page): t for page, t in texts.items()}))
    added |= {links.source_page(path): links.source_text(path) for path in _SOURCES}
    for page, content in added.items():
        files.append(File.generated(config, page, content=content))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turn links between files into links between pages, and Markdown into that of mkdocs."""
    uri = page.file.src_uri
    if uri.startswith("source/"):
        return markdown
    if uri == "decisions/README.md":
        markdown += links.decisions()
    text = links.on_site(markdown, links.origin_of(uri), uri, _SOURCES)
    return dialect.for_mkdocs(text)


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Write formulas as MathML, which browsers draw without a script."""

    def drawn(match: re.Match[str]) -> str:
        return convert(unescape(match[3]), display="inline" if match[2] == "(" else "block")

    return _FORMULA.sub(drawn, html)


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """Put our own script where the theme would fetch one from elsewhere."""
    return _SHIM.sub(lambda _: _WORKER, output)
