"""The layout's promises."""

import ast
import re
import subprocess
import sys
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import linerate

ROOT = Path(__file__).resolve().parents[1]
LINKS = ("measure", "models", "reports", "bpf", "p4", "data")
CORE = (
    "units",
    "links",
    "line_rate",
    "errors",
    "campaigns",
    "cells",
    "records",
    "normal",
    "stretches",
    "searches",
    "settings",
    "messages",
    "box",
    "programs",
    "progress",
    "tables",
    "files",
)
FACE = ("face", "plot")
BELOW = {
    "core": set(),
    "measure": {"core"},
    "models": {"core"},
    "reports": {"core", "measure", "models"},
    "face": {"core", "measure", "models", "reports"},
    "cli": {"core", "measure", "models", "reports", "face"},
}
"""What each layer may import; all of them, themselves."""
LINES_MAX = 300
BPF_LICENSE = "GPL-2.0-only OR BSD-2-Clause"
BINARY = (".parquet", ".png", ".pdf", ".o")


def python_files(*folders):
    return [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]


def layer_files(layer):
    if layer not in ("core", "face"):
        return python_files("src/linerate/cli" if layer == "cli" else layer)
    names = CORE if layer == "core" else FACE
    top = [path for path in (ROOT / "src/linerate").glob("*.py") if path.stem in names]
    return top + python_files(*(f"src/linerate/{name}" for name in names))


def layer_of(module):
    """Layer of an imported name such as ``linerate.models.capacity``; None outside linerate."""
    words = module.split(".")
    if words[0] != "linerate" or len(words) == 1:
        return None
    return "core" if words[1] in CORE else "face" if words[1] in FACE else words[1]


@cache
def statements(path):
    """Imports and calls of a module, which several tests go through."""
    return [
        node for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Import | ast.ImportFrom | ast.Call)
    ]  # fmt: skip


def imported_names(path):
    for node in statements(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def tracked():
    """Paths that a clone has; where this is not a clone, the ones that lie here."""
    done = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        pytest.skip("no git clone: which files are tracked is not known")
    return [ROOT / name for name in done.stdout.split("\0") if name]


def tracked_files():
    """Tracked paths that are files themselves."""
    return [path for path in tracked() if path.is_file() and not path.is_symlink()]


def c_sources():
    modules = "netfilter_module"  # of the kernel: GPL alone
    return [
        path
        for folder in ("bpf", "measure")
        for path in sorted((ROOT / folder).rglob("*.[ch]"))
        if path.parent.name != modules
    ]


def name(path):
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("folder", LINKS)
def test_package_is_the_top_level_folder(folder):
    link = Path(linerate.__file__).parent / folder
    assert link.is_symlink()
    assert link.resolve() == ROOT / folder


@pytest.mark.parametrize(("folder", "other"), [("measure", "models"), ("models", "measure")])
def test_measure_and_models_do_not_know_each_other(folder, other):
    offenders = [
        name(path)
        for path in python_files(folder)
        if any(layer_of(module) == other for module in imported_names(path))
    ]
    assert offenders == []


@pytest.mark.parametrize("layer", BELOW)
def test_imports_run_one_way(layer):
    upward = {
        (name(path), module)
        for path in layer_files(layer)
        for module in imported_names(path)
        if layer_of(module) in BELOW.keys() - BELOW[layer] - {layer}
    }
    assert upward == set()


def test_every_core_module_is_known_to_the_import_rules():
    top = {path.stem for path in (ROOT / "src/linerate").glob("*.py")} - {"__init__", "__main__"}
    assert top <= {*CORE, *FACE}


def test_no_relative_import_hides_a_layer():
    offenders = [
        name(path)
        for path in python_files("src", "measure", "models", "reports")
        for node in statements(path)
        if isinstance(node, ast.ImportFrom) and node.level
    ]
    assert offenders == []


def test_no_module_outgrows_one_screenful_of_ideas():
    paths = python_files("src", "measure", "models", "reports", "tests", "benchmarks")
    lengths = {name(path): len(path.read_text().splitlines()) for path in paths + c_sources()}
    assert {path: lines for path, lines in lengths.items() if lines > LINES_MAX} == {}


def test_libraries_neither_print_nor_exit():
    # programs of their own; printing is their answer
    scripts = {
        ROOT / "measure/system/probe.py",
        ROOT / "measure/collectors/bcc_probe.py",
        ROOT / "measure/generators/external/trex/client.py",
    }
    offenders = [
        (name(path), node.lineno)
        for path in python_files("measure", "models", "reports")
        if path not in scripts
        for node in statements(path)
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("print", "exit", "sys.exit")
    ]
    assert offenders == []


def test_our_tests_are_not_shadowed_by_a_stray_package():
    """What tests start imports from them, and wheels of others may have left a ``tests``."""
    done = subprocess.run(
        [sys.executable, "-c", "import tests; print(tests.__file__)"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert Path(done.stdout.strip()) == ROOT / "tests/__init__.py"


def test_license_is_apache_and_that_of_bpf_is_dual():
    assert "Apache License" in (ROOT / "LICENSE").read_text()
    assert (ROOT / "bpf/LICENSE").is_file()


def c_modules():
    """The modules that each C module includes; a header and its source are one module."""
    includes = {}
    for path in c_sources():
        of_module = includes.setdefault(path.with_suffix(""), set())
        for quoted in re.findall(r'^#include "(.*)"', path.read_text(), re.MULTILINE):
            for folder in (path.parent, ROOT / "measure/native", ROOT):
                if (folder / quoted).is_file():
                    of_module.add((folder / quoted).resolve().with_suffix(""))
                    break
        of_module.discard(path.with_suffix(""))
    return includes


def test_no_c_files_include_each_other_in_a_circle():
    TopologicalSorter(c_modules()).prepare()


@pytest.mark.parametrize("path", c_sources(), ids=name)
def test_every_c_file_names_its_license(path):
    license_name = BPF_LICENSE if "bpf" in path.relative_to(ROOT).parts else "Apache-2.0"
    first = path.read_text().splitlines()[0]
    assert re.findall(r"SPDX-License-Identifier: (.*?)\s*(?:\*/)?$", first) == [license_name]


def test_no_file_downloads_by_address():
    """Packages come by name; an address in a file would be fetched one day, and rot."""
    fetch = re.compile(r"\b(curl|wget|git clone|pip3? install|urlopen|requests\.get)\b.*https?://")
    offenders = [
        (name(path), line)
        for path in tracked_files()
        if path.suffix not in BINARY and path != Path(__file__)
        for line in path.read_text(errors="replace").splitlines()
        if "http" in line
        if fetch.search(line) or re.search(r"index.url\s*[= ]\s*http", line)
    ]
    assert offenders == []


def test_links_lead_somewhere_but_into_what_is_built():
    links = [path for path in tracked() if path.is_symlink()]
    assert len(links) > len(LINKS)
    built = ROOT / "build"
    dangling = [path for path in links if not path.exists() and built not in path.resolve().parents]
    assert dangling == []


def test_no_lock_file_records_addresses():
    locks = re.compile(r"(\.lock|lock\.ya?ml|lock\.json|lock\.toml)$")
    assert [name(path) for path in tracked_files() if locks.search(path.name)] == []
