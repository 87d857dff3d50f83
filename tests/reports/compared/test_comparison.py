"""A report of two campaigns: one answer in page, PDF and LaTeX, in both languages."""

import io
import json

import pandas as pd
import pytest
from pypdf import PdfReader

from linerate.cli import main
from linerate.errors import BadInputError
from linerate.reports import read_source
from linerate.reports.compared import compared_of
from linerate.reports.compared.answer import doubts, sentences

from ..documents.conftest import squeezed
from ..documents.test_tex import plain


@pytest.mark.parametrize("lang", ["en", "pt"])
def test_the_answer_is_the_same_in_page_pdf_and_tex(comparisons, compared, lang):
    paper = comparisons[lang]
    page = (paper.folder / "report.html").read_text()
    tex = squeezed(plain((paper.folder / "tex/main.tex").read_text()))
    pdf = PdfReader(io.BytesIO((paper.folder / "report.pdf").read_bytes()))
    text = squeezed("".join(one.extract_text() for one in pdf.pages))
    output = [*sentences(compared, paper.words), *doubts(compared, paper.words)]
    assert len(output) > 5
    for sentence in output:
        assert sentence in page
        assert squeezed(sentence) in tex
        assert squeezed(sentence) in text


def test_the_answer_has_the_numbers_of_the_table(comparisons):
    paper = comparisons["en"]
    (row,) = pd.read_csv(paper.folder / "tables/comparison.csv").to_dict("records")
    answer = " ".join(paper.report.sections[0].answer)
    assert f"tuesday is {paper.words.number(100 * (1 - row['ratio']), 2)} % slower" in answer
    assert f"in the median of {row['cells']} cells" in answer
    assert f"{row['telling']} of {row['judged']}" in answer
    assert row["lower"] <= row["ratio"] <= row["upper"] < 1.0
    assert f"median: {row['at_ceiling']}." in answer
    assert "monday 12, tuesday 0" in answer


def test_the_answer_says_which_constants_changed(comparisons):
    """A rate of nine tenths is a time of ten ninths: of the base path, and of each access."""
    paper = comparisons["en"]
    constants = pd.read_csv(paper.folder / "tables/constants.csv")
    times = constants[constants["constant"].str.endswith("_ns")]
    assert (times["lower"] < times["first"] / 9.0).all()
    assert (times["first"] / 9.0 < times["upper"]).all()
    base = times[(times["constant"] == "base_ns") & (times["datapath"] == "xdp_native")].iloc[0]
    more = paper.words.number(base["difference"], 3)
    sentence = f"tuesday costs {more} ns more per packet in its base path"
    assert sentence in " ".join(paper.report.sections[0].answer)


def test_the_figure_draws_the_cells_of_its_table(comparisons):
    folder = comparisons["en"].folder
    drawn = pd.read_csv(folder / "compared-rates.csv")
    listed = pd.read_csv(folder / "tables/compared-rates.csv")
    assert list(drawn["ratio"]) == sorted(drawn["ratio"])
    assert set(drawn["ratio"]) == set(listed.loc[~listed["at_ceiling"], "ratio"])
    for name in ("compared-rates.png", "compared-rates.pdf", "compared-rates-88mm.pdf"):
        assert (folder / name).stat().st_size > 3000


def test_campaigns_are_named_where_their_paths_differ(comparisons):
    assert "Is tuesday as fast as monday?" in (comparisons["en"].folder / "report.html").read_text()


def test_one_campaign_twice_is_refused(folders):
    with pytest.raises(BadInputError, match="two campaigns are compared"):
        compared_of([read_source(folders[0])] * 2)


def test_campaigns_of_several_machines_are_refused(folders):
    first, second = (read_source(folder) for folder in folders)
    boxes = [f"box-{number % 2}" for number in range(len(first.runs))]
    two = type(first)(path=first.path, runs=first.runs.assign(box=boxes), box=None)
    with pytest.raises(BadInputError, match="2 machines are in it"):
        compared_of([two, second])


def test_the_command_compares(folders, tmp_path, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["report", "--compare", *map(str, folders), "--out", str(tmp_path / "out"),
              "--documents", "html", "--width", "88mm", "--json"])  # fmt: skip
    assert ended.value.code == 0
    answer = json.loads(capsys.readouterr().out)
    assert "slower" in answer["sections"][0]["answer"][0]
    assert (tmp_path / "out/compared-rates.csv").is_file()
