"""A number is the same in the page, the PDF, the LaTeX and the CSV of one report."""

import io
import re
from html.parser import HTMLParser

import pandas as pd
from pypdf import PdfReader

from linerate.reports import FIGURES, figure_named
from linerate.reports.page.capacity import answer_sentences

from .conftest import squeezed, table_names
from .test_tex import plain


class Tables(HTMLParser):
    """Texts of the cells of a page's tables, row by row."""

    def __init__(self):
        super().__init__()
        self.tables, self.cell = [], None

    def handle_starttag(self, tag, attrs):
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.cell = ""

    def handle_data(self, data):
        if self.cell is not None:
            self.cell += data

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.tables[-1][-1].append(squeezed(self.cell))
            self.cell = None


def tables_of_page(paper):
    parser = Tables()
    parser.feed((paper.folder / "report.html").read_text())
    return sorted(parser.tables)


def tables_of_tex(paper):
    found = []
    for path in (paper.folder / "tex/tables").glob("*.tex"):
        lines = [line.removesuffix(r" \\") for line in path.read_text().splitlines()
                 if line.endswith(r" \\") and not line.startswith(r"\caption")]  # fmt: skip
        found.append([[squeezed(plain(cell)) for cell in re.split(r" (?<!\\)& ", line)]
                      for line in lines])  # fmt: skip
    return sorted(found)


def pdf_text(paper):
    pdf = PdfReader(io.BytesIO((paper.folder / "report.pdf").read_bytes()))
    return squeezed("".join(page.extract_text() for page in pdf.pages))


def test_tables_have_the_same_cells_in_page_and_tex(paper):
    assert len(tables_of_tex(paper)) == len(table_names(paper.folder)) == 5
    assert tables_of_page(paper) == tables_of_tex(paper)


def test_every_cell_is_in_the_pdf(paper):
    text = pdf_text(paper)
    cells = {cell for table in tables_of_page(paper) for row in table for cell in row}
    assert len(cells) > 40
    assert [cell for cell in cells if cell not in text] == []


def test_sentences_of_the_answer_are_in_all(paper, section):
    tex = squeezed(plain((paper.folder / "tex/main.tex").read_text()))
    text = pdf_text(paper)
    for sentence in answer_sentences(section, paper.words):
        assert sentence in (paper.folder / "report.html").read_text()
        assert squeezed(sentence) in tex
        assert squeezed(sentence) in text


def test_cells_print_the_numbers_of_their_csv(paper):
    number = paper.words.number
    cells = {cell for table in tables_of_page(paper) for row in table for cell in row}
    constants = pd.read_csv(paper.folder / "tables/constants.csv")
    assert {number(value, 4) for value in constants["value"]} <= cells
    errors = pd.read_csv(paper.folder / "tables/held-out-errors.csv")
    for _, row in errors.iterrows():
        pair = (row["error_median_percent"], row["error_mean_percent"])
        assert squeezed(" / ".join(number(value, 2) for value in pair)) in cells
    verdicts = pd.read_csv(paper.folder / "tables/verdicts.csv")
    told = " ".join(cells)
    for most in verdicts["likely_to"].dropna():
        assert f"≤{paper.words.about(most)}" in told or f"≤{number(most)}" in told
    limits = pd.read_csv(paper.folder / "tables/limits.csv")
    assert all(f":{count}" in told for count in limits["cells"])


def test_csv_of_a_figure_is_what_is_drawn(paper, section):
    drawn = figure_named("queue-scaling", FIGURES).table(section)
    assert isinstance(drawn, pd.DataFrame)
    kept = pd.read_csv(paper.folder / "queue-scaling.csv")
    pd.testing.assert_frame_equal(kept, drawn.reset_index(drop=True), check_dtype=False,
                                  check_exact=True)  # fmt: skip


def test_captions_are_the_same_in_all(paper):
    html = (paper.folder / "report.html").read_text()
    caption = re.findall(r"<figcaption>(.*?)<", html, re.DOTALL)[0]
    tex = plain((paper.folder / "tex/captions/queue-scaling.tex").read_text())
    assert squeezed(caption) in squeezed(tex)
    assert squeezed(caption) in pdf_text(paper)
