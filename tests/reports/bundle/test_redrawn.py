"""A report in a bundle is drawn and printed again: what another hash cannot hide."""

import json
import re
import shutil

import pytest

from linerate.errors import BadInputError
from linerate.reports.bundle.archive import archive_of
from linerate.reports.bundle.asked import ASKED, read_asked
from linerate.reports.bundle.redrawn import differing, redrawn
from linerate.reports.bundle.verified import verify_bundle
from linerate.reports.bundle.written import sums_of, write_bundle

from .conftest import FIGURE, quiet


@pytest.fixture(scope="module")
def again(small, with_report):
    """Make the report once more; give what is in the bundle and what was made."""
    files = with_report[1]
    kept = {name.removeprefix("report/"): content for name, content in files.items()
            if name.startswith("report/")}  # fmt: skip
    return kept, redrawn(small, read_asked(kept[ASKED], "small"))


def found(again, **changes):
    kept, made = again
    return list(differing(kept | changes, made))


def verified(with_report, tmp_path, **changes):
    """Verify a bundle with other contents, whose hashes are right again."""
    files = with_report[1] | {f"report/{name}": content for name, content in changes.items()}
    del files["SHA256SUMS"]
    path = tmp_path / "changed.tar.zst"
    path.write_bytes(archive_of(files | {"SHA256SUMS": sums_of(files)}, path.name))
    return {one.what: one for one in verify_bundle(path, quiet)}


def test_a_report_is_made_again_and_its_figures_are_the_same_bytes(again):
    kept, made = again
    assert found(again) == []
    assert {f"{FIGURE}.{form}" for form in ("svg", "png", "pdf", "pgf", "csv")} < set(made)
    assert [name for name in made if made[name] != kept[name]] in ([], ["report.html"])


def shifted(content):
    """Move the first number with a fraction by two hundredths."""
    number = next(re.finditer(rb"\d+\.\d+", content))
    begin, end = number.span()
    return content[:begin] + b"%.6f" % (float(number[0]) * 1.02 + 0.02) + content[end:]


@pytest.mark.parametrize("form", ["csv", "svg", "pgf"])
def test_another_number_in_a_figure_is_named(again, form):
    name = f"{FIGURE}.{form}"
    head, path = again[0][name].split(b"\n", 1)
    other = head + b"\n" + shifted(path)
    assert other != again[0][name]
    assert found(again, **{name: other}) == [name]


def test_another_table_text_picture_and_page_are_named(again):
    kept = again[0]
    page = kept["report.html"].replace(b"does not sustain", b"sustains", 1)
    assert page != kept["report.html"]
    inside = re.sub(rb'base64,[^"]{40}', b"base64," + b"A" * 40, kept["report.html"], count=1)
    assert inside != kept["report.html"]
    title = kept[f"{FIGURE}.svg"].replace(b"XDP", b"TCP", 1)
    assert found(again, **{"tables/constants.csv": b"name\n"}) == ["tables/constants.csv"]
    assert found(again, **{"report.html": page}) == ["report.html"]
    assert found(again, **{"report.html": inside}) == ["report.html"]
    assert found(again, **{f"{FIGURE}.svg": title}) == [f"{FIGURE}.svg"]
    assert found(again, **{f"{FIGURE}.pdf": b"%PDF-1.4"}) == [f"{FIGURE}.pdf"]
    assert found(again, **{f"{FIGURE}.png": b"\x89PNG"}) == [f"{FIGURE}.png"]


def test_a_figure_that_nothing_draws_and_one_that_is_missing_are_named(again):
    kept, made = again
    fewer = {name: content for name, content in kept.items() if not name.endswith(".svg")}
    assert list(differing(fewer, made)) == [f"{FIGURE}.svg (missing)"]
    assert found(again, **{"best.png": b"x"}) == ["best.png (this report has none)"]
    assert found(again, **{"README.txt": b"x", "tex/figures/a.pdf": b"x"}) == []


def test_the_date_of_a_page_is_no_difference(again):
    later = re.sub(rb"made [-0-9 :]+ UTC", b"made 2031-01-01 00:00 UTC", again[0]["report.html"])
    assert found(again, **{"report.html": later}) == []


@pytest.mark.deep
def test_a_bundle_with_its_report_holds(with_report):
    assert [(one.what, one.holds) for one in verify_bundle(with_report[0], quiet)] == [
        ("hashes", True), ("sources", True), ("table of runs", True), ("model", True),
        ("report", True),
    ]  # fmt: skip


@pytest.mark.deep
def test_a_figure_that_was_changed_and_hashed_again_does_not_hold(with_report, tmp_path):
    other = shifted(with_report[1][f"report/{FIGURE}.csv"])
    report = verified(with_report, tmp_path, **{f"{FIGURE}.csv": other})
    assert [what for what, one in report.items() if not one.holds] == ["report"]
    assert f"differs: {FIGURE}.csv" in report["report"].detail


def test_a_report_that_does_not_say_how_it_was_made_is_refused(small, reported, tmp_path):
    folder = tmp_path / "report"
    shutil.copytree(reported, folder)
    asked = json.loads((folder / ASKED).read_text())
    for changed, output in [({"runs": ["a", "b"]}, "it is of 2 tables: a, b"),
                          ({"compare": True}, "it is of 1 tables"),
                          ({"schema_version": 2, "more": 1}, "of a newer linerate"),
                          ({"forms": 3}, "forms"), ({"more": 1}, "more: unexpected")]:  # fmt: skip
        (folder / ASKED).write_text(json.dumps(asked | changed))
        with pytest.raises(BadInputError, match=output):
            write_bundle(small, tmp_path / "x.tar.gz", folder, quiet)
    (folder / ASKED).write_text("{")
    with pytest.raises(BadInputError, match=r"report\.json: EOF"):
        write_bundle(small, tmp_path / "x.tar.gz", folder, quiet)
    (folder / ASKED).unlink()
    with pytest.raises(BadInputError, match=r"it has no report.json.*linerate report CAMPAIGN"):
        write_bundle(small, tmp_path / "x.tar.gz", folder, quiet)


def test_options_that_no_report_has_are_a_result_of_the_check(with_report, tmp_path):
    asked = json.loads(with_report[1][f"report/{ASKED}"]) | {"forms": ["exe"]}
    report = verified(with_report, tmp_path, **{ASKED: json.dumps(asked).encode()})["report"]
    assert not report.holds
    assert "exe" in report.detail
