"""``linerate report``: the answer, its figures and where they come from, in one page."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from linerate.cli.models.fit import RunsArgument
from linerate.cli.models.kind import KindOption, ModelBefore, refuse_model
from linerate.cli.output import JsonFlag, print_json, progress_shown, stderr, stdout
from linerate.errors import bad_input
from linerate.progress import telling

if TYPE_CHECKING:
    from linerate.reports import Report
    from linerate.reports.page.pictures import Drawing

EXAMPLES = """
Examples:
  linerate report data/reference-veth/runs.csv --out results/report
  linerate report campaign/ split/ --out report --lang pt
  linerate report campaign/ --out paper --style ieee --width 88mm --forms pdf,pgf
  linerate report campaign/ --out thesis --style abnt
  linerate report campaign/ --out page --documents html
  linerate report campaign/ --out figure --only queue-scaling --only held-out
  linerate report --compare monday/ tuesday/ --out compared
"""


def report(  # noqa: PLR0913 - one parameter per option
    runs: RunsArgument,
    out: Annotated[
        Path, typer.Option("--out", "-o", help="Folder for report.html and the figures' files.")
    ],
    lang: Annotated[
        str | None, typer.Option(help="Language of page and figures: en or pt (--style abnt).")
    ] = None,
    kind: KindOption = "auto",
    width: Annotated[
        list[str] | None,
        typer.Option(help="Width of figures in print: 88mm, 160mm, 180mm; may be repeated."),
    ] = None,
    style: Annotated[str, typer.Option(help="plain, ieee, acm or abnt.")] = "plain",
    forms: Annotated[str, typer.Option(help="Forms of figures: png, pdf, svg, pgf.")] = "png,pdf",
    documents: Annotated[
        str,
        typer.Option(
            help="What the report is printed as: html (always), pdf, tex (a folder for Overleaf)."
        ),
    ] = "html,pdf,tex",
    only: Annotated[
        list[str] | None, typer.Option(help="Draw this figure alone; may be repeated.")
    ] = None,
    compare: Annotated[
        bool,
        typer.Option("--compare", help="Compare two campaigns of the same cells, cell by cell."),
    ] = False,
    model: ModelBefore = None,
    as_json: JsonFlag = False,
) -> None:
    """Write a page with the verdicts, the model, its errors and the figures a thesis needs.

    The same report is set as report.pdf, and lies in tex/ as a LaTeX project. Each figure is
    written as PNG, PDF and a CSV of exactly what is drawn, for both columns of a page and, its name
    ending in -88mm, for one. Tables of several machines get a part each. With --compare RUNS are
    two campaigns, and the answer is which is faster, and which constants of a packet's cost
    changed.
    """
    # Before anything is read, and not for --help.
    from linerate.reports.documents import documents_named
    from linerate.reports.page.pictures import drawing_named

    refuse_model(model)
    drawn = drawing_named(tuple(width or ()), style, forms, lang, only or ())
    named = documents_named(documents)
    if compare:
        if only:
            raise bad_input("only", only[0], why="a comparison has figures of its own",
                            allowed="no --only with --compare", do="leave it out")  # fmt: skip
        written = write_compared(runs, out, drawn, named)
    else:
        written = write_report(runs, out, drawn, kind, named)
    if as_json:
        print_json(_answer(written))
    else:
        print_report(written)


def write_report(
    runs: Sequence[Path], out: Path, drawn: Drawing | None = None, kind: str = "auto",
    documents: tuple[str, ...] | None = None,
) -> Report:  # fmt: skip
    """Write the page, the figures' files and the documents, with a bar on stderr."""
    # Models and Matplotlib are slow to load: not for --help.
    from linerate.models import MODELS
    from linerate.models.validation.choice import model_named
    from linerate.reports import FIGURES, Writer, read_source, sections_of, words_in
    from linerate.reports.bundle.asked import asked_for, write_asked
    from linerate.reports.documents import DEFAULT_DOCUMENTS
    from linerate.reports.page.files import make_folder
    from linerate.reports.page.pictures import Drawing
    from linerate.reports.section.by_split import FIGURE as BY_SPLIT

    drawn = Drawing() if drawn is None else drawn
    documents = DEFAULT_DOCUMENTS if documents is None else documents
    options = [*_options(drawn, documents), *(["--kind", kind] if kind != "auto" else [])]
    words = words_in(drawn.lang)
    if kind != "auto":
        model_named(kind, MODELS)
    sources = [read_source(path) for path in runs]
    make_folder(out)
    command = _command(runs, out, options)
    with telling(shown=progress_shown()) as tell:
        tell("fitting", 0, None)
        sections = sections_of(sources, kind, splits=drawn.draws(BY_SPLIT))
        figures = len(drawn.only or FIGURES) * len(drawn.pages)
        counted, total = count(1), figures * len(sections)
        written = Writer(
            folder=out, words=words, command=command, drawing=drawn, documents=documents,
            measured_by=[one.measured_by for one in sources if one.measured_by],
            progress=lambda: tell("figures", next(counted), total),
        ).write(sections)  # fmt: skip
    write_asked(asked_for(runs, drawn, command, kind=kind), out)
    return written


def write_compared(
    runs: Sequence[Path], out: Path, drawn: Drawing, documents: tuple[str, ...]
) -> Report:  # fmt: skip
    """Write the report of two campaigns that are compared."""
    from linerate.reports import Writer, read_source, words_in
    from linerate.reports.bundle.asked import asked_for, write_asked
    from linerate.reports.compared import compared_of, write_comparison
    from linerate.reports.page.files import make_folder

    sources = [read_source(path) for path in runs]
    compared = compared_of(sources)
    make_folder(out)
    command = _command(runs, out, ["--compare", *_options(drawn, documents)])
    with telling(shown=progress_shown()) as tell:
        counted = count(1)
        written = write_comparison(Writer(
            folder=out, words=words_in(drawn.lang), drawing=drawn, documents=documents,
            command=command,
            measured_by=[one.measured_by for one in sources if one.measured_by],
            progress=lambda: tell("figures", next(counted), None),
        ), compared)  # fmt: skip
    write_asked(asked_for(runs, drawn, command, compare=True), out)
    return written


def _command(runs: Sequence[Path], out: Path, options: Sequence[str]) -> str:
    """Build the line that makes the report again."""
    return shlex.join(["linerate", "report", *map(str, runs), "--out", str(out), *options])


def _options(drawn: Drawing, documents: tuple[str, ...]) -> list[str]:
    """Words for what is not usual."""
    from linerate.reports.documents import DEFAULT_DOCUMENTS

    usual = documents == DEFAULT_DOCUMENTS
    return [*drawn.options, *([] if usual else ["--documents", ",".join(documents)])]


def print_report(written: Report) -> None:
    """Print what the page answers, and where it is."""
    for section in written.sections:
        stdout.print(f"{section.box}:")
        for sentence in section.answer:
            stdout.print(f"  {sentence}")
        for figure in section.left_out:
            stderr.print(f"left out of {section.box}: {figure.title}: {figure.why}")
    for path in (written.path, *written.documents):
        stdout.print(str(path))


def _answer(written: Report) -> dict[str, object]:
    return {
        "report": str(written.path),
        "documents": [str(path) for path in written.documents],
        "sections": [
            {
                "box": section.box,
                "model": section.model,
                "answer": section.answer,
                "figures": [dict(files) for files in section.figure_files],
                "left_out": [{"figure": one.title, "why": one.why} for one in section.left_out],
            }
            for section in written.sections
        ],
    }
