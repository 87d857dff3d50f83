"""One report of every kind of text, and one small one in both languages, printed once."""

import io
import re
from pathlib import PurePosixPath
from types import SimpleNamespace

import pytest

from linerate.reports import FIGURES, Writer, words_in
from linerate.reports.documents import DOCUMENTS
from linerate.reports.page import report as report_module
from linerate.reports.page.contents import contents_of
from linerate.reports.page.page import Drawn, Omitted, SectionPage, Shown, Verdict, Written
from linerate.reports.page.pictures import Drawing
from linerate.reports.page.provenance import Fact

HOSTILE = (
    "50 % & $x_1^2$ #3 {a} ~ \\input{/etc/passwd} [b] *c* <d> \"e\" 'f' `g` --out | "
    "≤ µ \N{MULTIPLICATION SIGN} ã 漢"
)
LONG_NAME = "program_of_a_user/with/a_long_path/and_more"


@pytest.fixture(scope="session")
def picture():
    """A figure's files, as small as they can be."""
    from matplotlib.figure import Figure

    found = {}
    for form in ("png", "pdf"):
        into = io.BytesIO()
        figure = Figure(figsize=(2, 1))
        figure.subplots().plot([1, 2])
        figure.savefig(into, format=form)
        found[form] = into.getvalue()
    return found


@pytest.fixture(scope="session")
def hostile(picture):
    """What no document may stumble over: signs of its own language in each place, odd tables."""
    verdict = Verdict(text="≤ 12", detail=HOSTILE, tone="partly")
    tables = [
        ("verdicts", ("path", "64 B"), ((HOSTILE, verdict),), True),
        ("long", ("n", "headed"), tuple((str(n), LONG_NAME) for n in range(90)), False),
        ("wide", tuple(f"column {n} (Mpps)" for n in range(14)),
         tuple(tuple(f"{n}.{place}" for place in range(14)) for n in range(3)), False),
    ]  # fmt: skip
    part = SectionPage(
        title=HOSTILE, anchor="box-1", of_capacity=True, answer=(HOSTILE, "* starred", "[0] first"),
        formula=f"a  =  {HOSTILE}\nb", notes=(HOSTILE,), facts=(Fact(name="box", value=HOSTILE),),
        omitted=(Omitted(title="T", why=HOSTILE),), doubts=(HOSTILE, "* doubted"),
        tables=tuple(
            Shown(name=f"tables/{name}", title=f"{name} {HOSTILE}", header=header, rows=rows,
                  note=HOSTILE, in_answer=answer,
                  file=Written(form="CSV", path=f"tables/{name}.csv", content=b"n\n1\n"))
            for name, header, rows, answer in tables
        ),
        figures=(Drawn(name="one", title=HOSTILE, caption=f"{HOSTILE} {LONG_NAME}", files=tuple(
            Written(form=form.upper(), path=f"one.{form}", content=content)
            for form, content in picture.items()
        )),),
    )  # fmt: skip
    return contents_of([part], words_in("pt"), commands=[f"linerate {HOSTILE}"], made="2026-11-22")


@pytest.fixture(scope="session")
def printed(once, section, tmp_path_factory):
    """Print a report with one figure as everything, in each language."""
    patch = pytest.MonkeyPatch()
    found = {}
    with patch.context() as patched:
        patched.setattr(report_module, "FIGURES", [kind for kind in FIGURES
                                                   if kind.name == "queue-scaling"])  # fmt: skip
        for lang in ("en", "pt"):
            folder = tmp_path_factory.mktemp(f"printed-{lang}")
            writer = Writer(folder=folder, words=words_in(lang), command="linerate report x",
                            documents=DOCUMENTS, drawing=Drawing(lang=lang))  # fmt: skip
            report = writer.write([section])
            found[lang] = SimpleNamespace(folder=folder, report=report, words=words_in(lang))
    return found


@pytest.fixture(params=("en", "pt"))
def paper(request, printed):
    return printed[request.param]


def table_names(folder):
    return sorted(PurePosixPath(path.name).stem for path in (folder / "tables").glob("*.csv"))


def squeezed(text):
    """A text without white space, which is where lines are broken."""
    return re.sub(r"[\s\u200b]+", "", text)
