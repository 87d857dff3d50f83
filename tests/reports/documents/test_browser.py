"""The page as a reader has it: opened in a browser, sorted, enlarged, saved, darkened, printed."""

import base64
import io

import pytest
from pypdf import PdfReader

from linerate.reports import words_in
from linerate.reports.page.template import page_html

from .browser import CHROMIUM, WHY_NOT, browser
from .conftest import squeezed

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason=WHY_NOT)
SAVED = """(async () => {
  const made = [];
  const make = URL.createObjectURL;
  URL.createObjectURL = (blob) => { made.push(blob); return make.call(URL, blob); };
  const links = [...document.querySelectorAll('a[data-content]')];
  for (const link of links) await save(link);
  URL.createObjectURL = make;
  const texts = [];
  for (const blob of made) {
    const bytes = new Uint8Array(await blob.arrayBuffer());
    texts.push(btoa(Array.from(bytes, (one) => String.fromCharCode(one)).join('')));
  }
  return links.map((link, place) => [link.getAttribute('download'), texts[place]]);
})()"""


@pytest.fixture(scope="module")
def opened(printed, tmp_path_factory):
    """Yield the page of the English report, away from the folder that it was written to."""
    alone = tmp_path_factory.mktemp("mailed") / "report.html"
    alone.write_bytes((printed["en"].folder / "report.html").read_bytes())
    with browser(tmp_path_factory.mktemp("profile")) as page:
        page.do("Browser.setDownloadBehavior", behavior="deny")
        page.open(alone)
        yield page
        assert page.complaints == []


def column(page, table, place):
    return page.run(
        f"[...document.querySelectorAll('table')[{table}].tBodies[0].rows]"
        f".map((row) => row.cells[{place}].textContent)"
    )


def table_headed(page, name):
    heads = page.run("[...document.querySelectorAll('table')].map((one) => one.tHead.textContent)")
    return next(place for place, text in enumerate(heads) if name in text)


def press(page, table, place):
    page.run(f"document.querySelectorAll('table')[{table}].tHead.rows[0].cells[{place}]"
             ".querySelector('button').click()")  # fmt: skip


def test_numbers_sort_as_numbers_and_back(opened):
    table = table_headed(opened, "constant")
    before = column(opened, table, 2)
    press(opened, table, 2)
    up = [float(text) for text in column(opened, table, 2)]
    press(opened, table, 2)
    down = [float(text) for text in column(opened, table, 2)]
    assert up == sorted(map(float, before)) != list(map(float, before))
    assert down == up[::-1]


def test_rows_stay_whole_when_sorted(opened):
    table = table_headed(opened, "constant")
    rows = (f"[...document.querySelectorAll('table')[{table}].tBodies[0].rows]"
            ".map((row) => row.textContent)")  # fmt: skip
    before = opened.run(rows)
    press(opened, table, 0)
    assert sorted(opened.run(rows)) == sorted(before)


def test_words_among_numbers_come_first(opened):
    """A verdict ``no`` is less than any number of accesses."""
    table = table_headed(opened, "64 B")
    press(opened, table, 4)
    bold = opened.run(
        f"[...document.querySelectorAll('table')[{table}].tBodies[0].rows]"
        ".map((row) => row.cells[4].querySelector('b').textContent)"
    )
    words = [not any(sign.isdigit() for sign in text) for text in bold]
    assert words == sorted(words, reverse=True)


def test_figure_is_enlarged_and_closed(opened):
    opened.run("document.querySelector('figure button').click()")
    assert opened.run("document.querySelector('dialog').open")
    assert opened.run("document.querySelector('dialog img').naturalWidth") > 500
    opened.run("document.querySelector('dialog button').click()")
    assert not opened.run("document.querySelector('dialog').open")


def test_mailed_page_still_gives_its_files(opened, printed):
    folder = printed["en"].folder
    saved = dict(opened.run(SAVED))
    assert {"queue-scaling.csv", "queue-scaling.pdf", "tables-constants.csv"} <= saved.keys()
    for name, content in saved.items():
        beside = folder / name.replace("tables-", "tables/")
        assert base64.b64decode(content) == beside.read_bytes(), name


def test_theme_turns_dark_and_back(opened):
    ground = "getComputedStyle(document.body).backgroundColor"
    light = opened.run(ground)
    opened.run("document.querySelector('.theme').click()")
    dark = opened.run(ground)
    opened.run("document.querySelector('.theme').click()")
    assert (light, opened.run(ground)) == ("rgb(255, 255, 255)", light)
    assert dark != light


@pytest.mark.parametrize("width", [400, 1200])
def test_page_never_overflows(opened, width):
    opened.size(width)
    assert opened.run("document.documentElement.scrollWidth") <= width


def test_page_prints_as_a_document(opened):
    pdf = PdfReader(io.BytesIO(opened.pdf()))
    text = squeezed("".join(page.extract_text() for page in pdf.pages))
    assert "Doesitsustainlinerate?" in text
    assert "dark/light" not in text
    assert float(pdf.pages[0].mediabox.width) == pytest.approx(595, abs=2)


def test_hostile_text_runs_nothing(opened, hostile, tmp_path):
    path = tmp_path / "report.html"
    path.write_text(page_html(hostile, words_in("pt")))
    opened.open(path)
    assert opened.run("document.querySelectorAll('script').length") == 1
    opened.size(400)
    assert opened.run("document.documentElement.scrollWidth") <= 400


def test_a_script_that_is_not_its_own_does_not_run(opened, hostile, tmp_path):
    path = tmp_path / "report.html"
    html = page_html(hostile, words_in("en"))
    path.write_text(html.replace("</body>", "<script>document.title = 'run'</script></body>"))
    opened.open(path)
    assert opened.run("document.title") != "run"
    assert any("Content Security Policy" in text for text in opened.complaints)
    opened.complaints.clear()
