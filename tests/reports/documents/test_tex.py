"""LaTeX that a strict parser reads: no LaTeX is on machines that test, so nothing is set here."""

import re
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pylatexenc.latex2text import LatexNodes2Text
from pylatexenc.latexwalker import (
    LatexEnvironmentNode,
    LatexMacroNode,
    LatexWalker,
    LatexWalkerParseError,
)

from linerate.reports.documents.columns import columns_of
from linerate.reports.documents.tex import write_project
from linerate.reports.documents.tex.escape import ASCII, OTHERS, code, escaped
from linerate.reports.page.page import Shown, Written

SAID = "".join([*ASCII, *set(OTHERS) - {"\N{NO-BREAK SPACE}", "μ"}, "çãéñüŁ-,'/?!.", "aZ09 "])
KNOWN = set(
    re.findall(
        r"\S+",
        r"""
    documentclass usepackage setcounter renewcommand title author date maketitle section
    subsection tableofcontents item input includegraphics centering clearpage par small label
    caption begin end textbf texttt fontsize selectfont setlength tabcolsep raggedright
    raggedleft arraybackslash toprule midrule bottomrule endfirsthead endhead endfoot
    begingroup endgroup allowbreak ensuremath topfraction textfraction floatpagefraction leq
    geq neq approx infty surd sigma rho lambda Delta S textmu texttimes textdiv textpm
    textperiodcentered textdegree textonehalf texttwosuperior textthreesuperior
    textonesuperior textrightarrow textendash textemdash textellipsis textquotedblleft
    textquotedblright textquoteleft textquoteright texteuro textbackslash textasciicircum
    textasciitilde textless textgreater textbar textquotedbl textasciigrave textquotesingle {
    } $ & # % _ \
""",
    )
) | {" "}
"""What LaTeX, graphicx, array, booktabs, longtable and T1 define, of what is written here."""

UNREAD = {
    r"\allowbreak{}": "", r"\textquotesingle{}": "'", r"\textless{}": "<", r"\textgreater{}": ">",
    r"\textbar{}": "|", r"\textquotedbl{}": '"', r"\textperiodcentered{}": "·", r"\S{}": "§",
    r"\textasciicircum{}": "{^}", r"\ensuremath{-}": "\N{MINUS SIGN}",
}  # fmt: skip
"""Macros of LaTeX that the parser has no text of, or another sign's."""


def nodes_of(text):
    nodes, _, length = LatexWalker(text, tolerant_parsing=False).get_latex_nodes()
    assert length == len(text)
    return nodes


def inside(nodes):
    for node in nodes or ():
        if node is None:
            continue
        yield node
        arguments = getattr(node, "nodeargd", None)
        yield from inside(arguments.argnlist if arguments else ())
        yield from inside(getattr(node, "nodelist", ()))


def plain(text):
    """What LaTeX prints of a text."""
    for macro, sign in UNREAD.items():
        text = text.replace(macro, sign)
    return LatexNodes2Text(strict_latex_spaces=True).latex_to_text(text)  # fmt: skip


@pytest.fixture(scope="module")
def project(hostile, tmp_path_factory):
    folder = tmp_path_factory.mktemp("tex")
    return write_project(hostile, folder, 160).parent


@pytest.fixture(params=("hostile", "en", "pt"))
def folder(request, project, printed):
    lang = request.param
    return project if lang == "hostile" else printed[lang].folder / "tex"


@settings(max_examples=40)
@given(st.text(SAID, max_size=30))
def test_escaped_text_reads_back_as_it_was(text):
    nodes_of(escaped(text))
    assert plain(escaped(text)) == text


@settings(max_examples=40)
@given(st.text(max_size=30))
def test_no_text_is_read_as_latex(text):
    nodes = list(inside(nodes_of(escaped(text))))
    assert {node.macroname for node in nodes if isinstance(node, LatexMacroNode)} <= KNOWN
    assert not any(isinstance(node, LatexEnvironmentNode) for node in nodes)
    assert not set(re.sub(r"\\[a-zA-Z]+|\\.", "", escaped(text))) & set("$&#%_^\\\n\r\t")


def test_spaces_of_a_formula_stay():
    assert code("a  b").count("\\ ") == 2
    assert code(" a").startswith("\\texttt{\\ ")


def test_every_file_is_read_by_a_strict_parser(folder):
    files = list(folder.rglob("*.tex"))
    assert len(files) >= 5
    for path in files:
        macros = {node.macroname for node in inside(nodes_of(path.read_text()))
                  if isinstance(node, LatexMacroNode)}  # fmt: skip
        assert macros <= KNOWN, path


def test_the_parser_would_see_what_is_not_closed():
    with pytest.raises(LatexWalkerParseError):
        nodes_of(r"\begin{table} {")


def test_every_file_that_is_included_is_there(folder):
    main = (folder / "main.tex").read_text()
    named = re.findall(r"\\(?:input|includegraphics)\{([^}]+)\}", main)
    assert len(named) >= 4
    assert all((folder / name).is_file() for name in named)
    assert {path for path in folder.rglob("*.tex")} == {
        folder / name for name in named if name.endswith(".tex")
    } | {folder / "main.tex"}


def test_labels_are_unique_and_safe(folder):
    labels = [label for path in folder.rglob("*.tex")
              for label in re.findall(r"\\label\{([^}]*)\}", path.read_text())]  # fmt: skip
    assert len(labels) == len(set(labels)) >= 4
    assert set("".join(labels)) <= set(string.ascii_lowercase + string.digits + ":-")


def test_rows_have_as_many_cells_as_columns(folder):
    for path in (folder / "tables").rglob("*.tex"):
        text = path.read_text()
        rows = [line for line in text.splitlines() if line.endswith(r" \\")][:-1]
        body = [line for line in rows if not line.startswith(r"\caption")]
        assert len({len(re.findall(r"(?<!\\)&", line)) for line in body}) == 1, path


def test_long_tables_go_over_pages_and_short_ones_float(project):
    assert r"\begin{longtable}" in (project / "tables/long.tex").read_text()
    assert r"\begin{table}[htbp]" in (project / "tables/wide.tex").read_text()


def test_text_is_of_letters_that_latex_knows(folder):
    letters = {sign for path in folder.rglob("*.tex") for sign in path.read_text()}
    assert all(sign.isascii() or sign.isalpha() for sign in letters)
    assert "漢" not in letters


def test_columns_fit_the_page():
    for width_mm in (160, 180):
        for words in (1, 12):
            table = Shown(
                name="t", title="", note="", header=tuple(f"head {n}" for n in range(12)),
                rows=(tuple(" ".join(["word"] * words) for _ in range(12)),),
                file=Written(form="CSV", path="t.csv", content=b""),
            )  # fmt: skip
            found = columns_of(table, width_mm)
            widths = [column.width_mm for column in found.columns]
            assert (words == 1) == (widths == [None] * 12)
            assert sum(filter(None, widths)) + 3.0 * len(widths) <= width_mm + 1e-9
