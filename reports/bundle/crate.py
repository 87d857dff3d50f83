"""The description of a bundle that catalogues of research data read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pandas as pd
from pydantic_core import from_json

from linerate.files.store import Store
from linerate.measure.campaign.whole import revision
from linerate.measure.datapaths.sources import sources_of

CRATE = "ro-crate-metadata.json"
SOURCES = "sources/"
"""Of names of sources of our own programs."""
CONTEXT = "https://w3id.org/ro/crate/1.1/context"
PROFILE = "https://w3id.org/ro/crate/1.1"
LANGUAGES = {".c": "C", ".h": "C", ".py": "Python"}


def crate_of(store: Store, runs: pd.DataFrame, files: Mapping[str, bytes]) -> bytes:
    """Describe a bundle in RO-Crate 1.1.

    Parameters
    ----------
    store
        The campaign's folder.
    runs
        Its runs.
    files
        Content of the files in the bundle, by name.

    References
    ----------
    Sefton et al., RO-Crate Metadata Specification 1.1.3 (2023), sec. 4; ``sha256`` of a file is
    schema.org's.
    """
    box, provenance = store.box(), store.provenance()
    names = sorted(files)
    columns = ["datapath", "program", "program_hash"]
    programs = runs[columns].dropna().drop_duplicates().itertuples(index=False, name=None)
    found = list(_programs(programs, provenance.git_revision))
    root: dict[str, Any] = {
        "@id": "./", "@type": "Dataset", "name": provenance.campaign,
        "description": f"{len(runs)} runs of packet programs, measured by linerate "
        f"{provenance.git_revision} on {box.name}: {box.cpu_model}, {box.cores} cores, kernel "
        f"{box.kernel}, {box.nic}",
        "datePublished": str(runs["started_at"].dropna().max())[:10],
        "hasPart": [{"@id": name} for name in names],
        "mentions": [{"@id": one["@id"]} for one in found],
    }  # fmt: skip
    graph = [
        {"@id": CRATE, "@type": "CreativeWork", "conformsTo": {"@id": PROFILE},
         "about": {"@id": "./"}},
        root, *(_file(name, files[name]) for name in names), *found,
    ]  # fmt: skip
    return json.dumps({"@context": CONTEXT, "@graph": graph}, indent=2).encode() + b"\n"


def _programs(programs: Iterable[tuple[str, str, str]], measured: str) -> Iterator[dict[str, Any]]:
    """Describe each program by the hash of what ran, and by its sources where they are ours."""
    users: dict[tuple[str, str], list[str]] = {}
    for datapath, program, code in programs:
        users.setdefault((program, code), []).append(datapath)
    for (program, code), datapaths in users.items():
        own = sources_of((datapath, program) for datapath in datapaths)
        entity: dict[str, Any] = {
            "@id": f"#program-{code}", "@type": "SoftwareSourceCode", "name": program,
            "identifier": code,
        }  # fmt: skip
        if own:
            entity["description"] = (
                f"measured by linerate {measured}; its sources are those of "
                f"linerate {revision()}, which wrote this bundle"
            )
            entity["isBasedOn"] = [{"@id": SOURCES + name} for name in own]
        yield entity


def _file(name: str, content: bytes) -> dict[str, Any]:
    if not name.startswith(SOURCES):
        return {"@id": name, "@type": "File"}
    end = f".{name.rpartition('.')[2]}"
    language = {"programmingLanguage": LANGUAGES[end]} if end in LANGUAGES else {}
    return {"@id": name, "@type": ["File", "SoftwareSourceCode"],
            "sha256": hashlib.sha256(content).hexdigest(), **language}  # fmt: skip


def described_sources(crate: bytes) -> dict[str, str]:
    """Read the hash of each source off a description, and those that programs name beside.

    Returns
    -------
    SHA-256 by name in the bundle; empty for one that a program names and nothing describes.

    Raises
    ------
    ValueError
        It is not a description.
    """
    try:
        graph = {str(one["@id"]): one for one in from_json(crate)["@graph"]}
        named = [str(one["@id"]) for each in graph.values() for one in each.get("isBasedOn", ())]
        files = [name for name in graph if name.startswith(SOURCES)]
        return {name: str(graph.get(name, {}).get("sha256", "")) for name in (*named, *files)}
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{CRATE} describes no bundle") from error
