"""Writing a bundle: the campaign, its model, its report, versions, hashes and a description."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import platform
import tarfile
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

from linerate.errors import BadInputError, bad_input
from linerate.files.kinds import no_table
from linerate.files.outputs import check_outputs, write_whole
from linerate.files.store import Store
from linerate.measure.importers.logs.sources import LOG_BYTES_MAX, source_files
from linerate.models.capacity.model import Capacity
from linerate.models.file.saved import save_model
from linerate.models.fitting import fit_models
from linerate.progress import Tell
from linerate.reports.bundle.crate import CRATE, crate_of
from linerate.tables.runs import read_runs

SUMS, MODEL, VERSIONS = "SHA256SUMS", "model.json", "versions.json"
SUFFIX = ".tar.gz"
PACKAGES = ("linerate", "numpy", "pandas", "pyarrow", "scipy")


def write_bundle(folder: Path, out: Path, report: Path | None, tell: Tell) -> dict[str, bytes]:
    """Write a campaign's folder and what follows from it as one archive.

    Parameters
    ----------
    folder
        Folder of a measured campaign.
    out
        Archive to write, ``.tar.gz``: Python reads and writes it without a further package.
    report
        Folder of a report to put in too.
    tell
        Called with each part.

    Returns
    -------
    Content of each file, by its name in the archive.

    Raises
    ------
    BadInputError
        No campaign's folder with a journal, another suffix, or a file that cannot be put in.
    """
    _check(folder, out)
    tell("files", 0, 3)
    files = dict(_under(folder, "campaign"))
    if report is not None:
        files |= dict(_under(report, "report"))
    tell("model", 1, 3)
    runs = read_runs([folder])
    model = model_json(runs)
    if model is not None:
        files[MODEL] = model
    files[VERSIONS] = json.dumps(_versions(), indent=2).encode() + b"\n"
    files[CRATE] = crate_of(Store(folder), runs, files)
    files[SUMS] = sums_of(files)
    tell("archive", 2, 3)
    write_whole(out, archive_of(files))
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
    if not out.name.endswith(SUFFIX):
        raise bad_input("out", out, why="it is written as another kind of file",
                        allowed=f"a name ending in {SUFFIX}", do="name such a file")  # fmt: skip
    check_outputs({"out": out}, [folder])


def _under(folder: Path, name: str) -> Iterator[tuple[str, bytes]]:
    for file in source_files(folder):
        if file.refused:
            raise bad_input(
                "path", folder / file.path, why=file.refused,
                allowed=f"plain files of at most {LOG_BYTES_MAX} bytes", do="take it out of the "
                "folder, or bundle the campaign in parts",
            )  # fmt: skip
        yield f"{name}/{file.path}", file.content


def _versions() -> dict[str, str]:
    return {"python": platform.python_version(), **{name: version(name) for name in PACKAGES}}


def archive_of(files: Mapping[str, bytes]) -> bytes:
    """Pack files so that the same files make the same archive."""
    packed = io.BytesIO()
    with (
        gzip.GzipFile(fileobj=packed, mode="wb", mtime=0, filename="") as stream,
        tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as tar,
    ):
        for name in sorted(files):
            member = tarfile.TarInfo(name)
            member.size = len(files[name])
            tar.addfile(member, io.BytesIO(files[name]))
    return packed.getvalue()
