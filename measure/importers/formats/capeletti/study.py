"""The study of Capeletti (2022): its folders of logs, whole or in part, as a table of runs.

References
----------
F. B. Capeletti, public logs of "Performance evaluation of XDP programs", 2022: five repetitions of
XDP and four of AF_XDP on a Dell T440 with an Agilio CX at 10 Gbit/s; loads by MoonGen.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

from linerate.errors import bad_input
from linerate.measure.importers.defects import Defect, Finding
from linerate.measure.importers.formats.capeletti.logs import RunLogs
from linerate.measure.importers.formats.capeletti.names import RunKey, log_name
from linerate.measure.importers.formats.capeletti.run import RunRead, read_run
from linerate.measure.importers.imported import Imported, LeftOut, runs_table
from linerate.measure.importers.importer import Study
from linerate.measure.importers.logs.sources import SourceFile, source_files
from linerate.measure.trials.lint import loads_apart

_THOUSANDS = re.compile(rb"(?<![\d.])[1-9]\d{0,2}\.\d{3}(?![\d.])")
SNIFFED_BYTES = 4096


def import_capeletti(path: Path, progress: Callable[[], None] = lambda: None) -> Imported:
    """Read a folder or archive of the study's logs.

    Parameters
    ----------
    path
        Anything that holds ``resultadosR`` or ``resultados_af_xdpR`` folders, at any depth.
    progress
        Called for each file.

    Raises
    ------
    BadInputError
        It cannot be read, holds no log of the study, or no run that gives a rate.
    """
    logs: dict[RunKey, RunLogs] = defaultdict(RunLogs)
    findings: list[Finding] = []
    files = 0
    for file in source_files(path):
        files += 1
        progress()
        named = log_name(file.path)
        if named is None:
            findings.append(_unknown(file))
            continue
        logs[named.key].add(named.kind, file)
        if named.misfiled:
            logs[named.key].defects.append((file.path, Defect(name="misfiled")))
    if not logs:
        raise bad_input(
            "path", path, why=f"none of its {files} files is a log of the study",
            allowed="resultadosR/{sar,perf,gerador/for_0_a_N}/ as the study publishes them",
            do="name the folder or archive that holds resultados1, resultados_af_xdp1, ...",
        )  # fmt: skip
    return _joined([read_run(key, logs[key]) for key in sorted(logs)], findings, files, path)


def _unknown(file: SourceFile) -> Finding:
    detail = file.refused
    if not detail and _THOUSANDS.search(file.content[:SNIFFED_BYTES]):
        detail = "numbers such as 972.899: pt_BR separators, perhaps; 972 899, then"
    return Finding(run="", path=file.path, defect=Defect(name="unknown_file", detail=detail))


def _joined(read: list[RunRead], findings: list[Finding], files: int, path: Path) -> Imported:
    left_out = tuple(LeftOut(run=str(run.key), why=run.left_out) for run in read if not run.row)
    kept = [(run, run.row) for run in read if run.row]
    if not kept:
        raise bad_input(
            "path", path, why=f"none of its {len(read)} runs gives a rate: {left_out[0].run}: "
            f"{left_out[0].why}", allowed="logs of sar or of MoonGen with traffic in them",
            do="check that the folder is whole",
        )  # fmt: skip
    table = runs_table([row for _, row in kept])
    findings += [
        Finding(run=str(run.key), path=at, defect=found)
        for run in read
        for at, found in run.defects
    ]
    for at, ratio in loads_apart(table).items():
        detail = f"{ratio:.2f} times the median of the cell's other loads"
        apart = Defect(name="program_loads_differ", detail=detail)
        findings.append(Finding(run=str(kept[at][0].key), path="", defect=apart))
    named: dict[str, set[str]] = defaultdict(set)
    for finding in findings:
        named[finding.run].add(finding.defect.name)
    defects = ["+".join(sorted(named[str(run.key)])) for run, _ in kept]
    return Imported(
        runs=table.assign(defects=defects), left_out=left_out, findings=tuple(findings),
        files=files,
    )  # fmt: skip


IMPORTER = Study(read=import_capeletti)
