"""Writing a bundle: the campaign, its model, its report, versions, hashes and a description."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

from linerate.errors import BadInputError, bad_input
from linerate.files.kinds import no_table
from linerate.files.outputs import check_outputs, write_whole
from linerate.files.store import Store
from linerate.measure.datapaths.sources import sources_of
from linerate.measure.importers.logs.sources import LOG_BYTES_MAX, source_files
from linerate.models.capacity.model import Capacity
from linerate.models.file.saved import save_model
from linerate.models.fitting import fit_models
from linerate.progress import Tell
from linerate.reports.bundle.archive import SUFFIXES, archive_of
from linerate.reports.bundle.asked import ASKED, read_asked
from linerate.reports.bundle.crate import CRATE, SOURCES, crate_of
from linerate.tables.runs import read_runs

SUMS, MODEL, VERSIONS = "SHA256SUMS", "model.json", "versions.json"
REPORT = "report/"
"""Of names of a report's files."""
PACKAGES = (
    "linerate", "numpy", "pandas", "pyarrow", "scipy", "scikit-learn", "statsmodels", "matplotlib",
    "pillow", "fonttools",
)  # fmt: skip
"""Those that compute and draw."""


def write_bundle(folder: Path, out: Path, report: Path | None, tell: Tell) -> dict[str, bytes]:
    """Write a campaign's folder and what follows from it as one archive.

    Parameters
    ----------
    folder
        Folder of a measured campaign.
    out
        Archive to write; its name ends in one of ``SUFFIXES``.
    report
        Folder of a report of this campaign to put in too.
    tell
        Called with each part.

    Returns
    -------
    Content of each file, by its name in the archive.

    Raises
    ------
    BadInputError
        No campaign's folder with a journal, another suffix, a report of something else, or a file
        that cannot be put in.
    """
    _check(folder, out)
    tell("files", 0, 3)
    files = dict(_under(folder, "campaign"))
    if report is not None:
        files |= dict(_under(report, REPORT.rstrip("/")))
        read_asked(files.get(REPORT + ASKED), str(report))
    tell("model", 1, 3)
    runs = read_runs([folder])
    model = model_json(runs)
    if model is not None:
        files[MODEL] = model
    programs = runs[["datapath", "program"]].drop_duplicates().itertuples(index=False, name=None)
    files |= {SOURCES + name: content for name, content in sources_of(programs).items()}
    files[VERSIONS] = json.dumps(versions(), indent=2).encode() + b"\n"
    files[CRATE] = crate_of(Store(folder), runs, files)
    files[SUMS] = sums_of(files)
    tell("archive", 2, 3)
    write_whole(out, archive_of(files, out.name))
    tell("", 3, 3)
    return files


def model_json(runs: pd.DataFrame) -> bytes | None:
    """Fit the capacity model and what is fitted beside it; None where these runs tell of none."""
    try:
        fitted = fit_models(runs, model=Capacity.name)
    except BadInputError:
        return None
    with TemporaryDirectory(prefix="linerate-") as folder:
        path = Path(folder) / MODEL
        save_model(fitted.file, path)
        return path.read_bytes()


def sums_of(files: Mapping[str, bytes]) -> bytes:
    """List the hash of each file, as ``sha256sum -c`` reads it."""
    lines = [f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n" for name in sorted(files)]
    return "".join(lines).encode()


def _check(folder: Path, out: Path) -> None:
    if refused := no_table(folder):
        raise refused
    if not Store(folder).journal_path.is_file():
        raise bad_input("campaign", folder, why="there is no journal to make its table from",
                        allowed="a folder that linerate measure made",
                        do="name such a folder")  # fmt: skip
    if not out.name.endswith(SUFFIXES):
        raise bad_input("out", out, why="it is written as another kind of file",
                        allowed=f"a name ending in {' or '.join(SUFFIXES)}",
                        do="name such a file")  # fmt: skip
    check_outputs({"out": out}, [folder])


def _under(folder: Path, name: str) -> Iterator[tuple[str, bytes]]:
    for file in source_files(folder):
        printed = file.path.isprintable()
        if file.refused or not printed:
            raise bad_input(
                "path", folder / file.path if printed else ascii(file.path),
                why=file.refused or "its name cannot be printed",
                allowed=f"plain files of at most {LOG_BYTES_MAX} bytes", do="take it out of the "
                "folder, or bundle the campaign in parts",
            )  # fmt: skip
        yield f"{name}/{file.path}", file.content


def versions() -> dict[str, str]:
    """Name the versions of what computes and draws here."""
    return {"python": platform.python_version(), **{name: version(name) for name in PACKAGES}}
