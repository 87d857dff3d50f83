"""The description of a bundle that catalogues of research data read."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pandas as pd

from linerate.files.store import Store

CRATE = "ro-crate-metadata.json"
CONTEXT = "https://w3id.org/ro/crate/1.1/context"
PROFILE = "https://w3id.org/ro/crate/1.1"


def crate_of(store: Store, runs: pd.DataFrame, files: Iterable[str]) -> bytes:
    """Describe a bundle in RO-Crate 1.1.

    Parameters
    ----------
    store
        The campaign's folder.
    runs
        Its runs.
    files
        Names of the files in the bundle.

    References
    ----------
    Sefton et al., RO-Crate Metadata Specification 1.1.3 (2023), sec. 4.
    """
    box, provenance = store.box(), store.provenance()
    names = sorted(files)
    programs = runs[["program", "program_hash"]].dropna().drop_duplicates().to_numpy()
    root: dict[str, Any] = {
        "@id": "./", "@type": "Dataset", "name": provenance.campaign,
        "description": f"{len(runs)} runs of packet programs, measured by linerate "
        f"{provenance.git_revision} on {box.name}: {box.cpu_model}, {box.cores} cores, kernel "
        f"{box.kernel}, {box.nic}",
        "datePublished": str(runs["started_at"].dropna().max())[:10],
        "hasPart": [{"@id": name} for name in names],
        "mentions": [{"@id": f"#program-{code}"} for _, code in programs],
    }  # fmt: skip
    graph = [
        {"@id": CRATE, "@type": "CreativeWork", "conformsTo": {"@id": PROFILE},
         "about": {"@id": "./"}},
        root,
        *({"@id": name, "@type": "File"} for name in names),
        *({"@id": f"#program-{code}", "@type": "SoftwareSourceCode", "name": str(name),
           "identifier": str(code)} for name, code in programs),
    ]  # fmt: skip
    return json.dumps({"@context": CONTEXT, "@graph": graph}, indent=2).encode() + b"\n"
