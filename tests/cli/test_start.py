"""What a command loads before it knows that it has something to do."""

import json
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pandas as pd
import pytest

import linerate as lr
from linerate.cli.app import COMMANDS
from linerate.cli.lab.tune import Profile
from linerate.measure.tuning.profiles import PROFILES
from linerate.models import KINDS
from linerate.models.file.saved import AT_A_LOAD, load_rates

SLOW = {
    "numpy", "scipy", "pandas", "pyarrow", "matplotlib", "sklearn", "statsmodels", "numba",
    "pydantic", "markdown_it", "pygments", "attr", "email", "zipfile", "asyncio",
    "typer.rich_utils", "rich.markdown", "rich.progress", "rich.syntax", "rich.traceback",
}  # fmt: skip
"""Packages and modules; what lays out markup and checks types is among them."""
LIGHT = {
    "linerate", "linerate.errors", "linerate.files", "linerate.files.outputs", "linerate.links",
    "linerate.measure", "linerate.measure.importers", "linerate.measure.importers.formats",
    "linerate.measure.importers.registry", "linerate.messages", "linerate.progress",
}  # fmt: skip
"""What a command's words may need of linerate beside the command line: its work is not among it."""
FITTING = {"matplotlib", "numba", "scipy", "sklearn", "statsmodels"}
"""Packages that a prediction does without: SciPy alone takes a third of the time to load."""
ONLY_FITS = {
    "joblib", "threadpoolctl", "tomli_w", "linerate.box", "linerate.models.capacity.error",
    "linerate.models.capacity.fit", "linerate.models.capacity.form", "linerate.models.catalogue",
    "linerate.models.intervals.loan", "linerate.models.kinds", "linerate.models.learned",
    "linerate.models.one_thread", "linerate.models.runs.selection",
    "linerate.models.runs.training", "linerate.models.side_by_side",
}  # fmt: skip
"""Packages and modules that a rate of one cell does without."""
MODULES_MAX = 260
"""Of all kinds; 155 to 227 were loaded on 2026-11-22, and 359 to 495 before."""
LOADED = """
import json, sys
from linerate.cli import main
try:
    main(sys.argv[1:])
finally:
    print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""


def loaded_by(*words):
    """Modules that a command loads."""
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *words], capture_output=True, text=True, check=False
    )
    return done.returncode, set(json.loads(done.stderr))


@pytest.mark.sampled
@pytest.mark.parametrize("command", ["", *(command.name for command in COMMANDS)])
def test_help_loads_the_words_of_its_command_and_nothing_that_works(command):
    code, modules = loaded_by(*filter(None, [command]), "--help")
    own = {name for name in modules if name.partition(".")[0] == "linerate"}
    assert code == 0
    assert modules & SLOW == set()
    assert {name for name in own if not name.startswith("linerate.cli")} <= LIGHT
    assert len(modules) <= MODULES_MAX


def test_the_profiles_that_are_offered_are_those_that_there_are():
    assert get_args(Profile) == tuple(PROFILES)


@pytest.fixture(scope="module")
def fitted_model(once, reference, tmp_path_factory):
    """Give the path of a model file with rates, latency and CPU."""

    def text():
        path = tmp_path_factory.mktemp("fitted") / "model.json"
        lr.fit(lr.read(reference("veth-split")), "capacity", progress=False).save(path)
        return path.read_text()

    path = tmp_path_factory.mktemp("model") / "model.json"
    path.write_text(once("veth-split-model", text))
    return str(path)


CELL = ("--datapath", "xdp_native", "--frame-bytes", "64", "--queues", "1")


@pytest.mark.sampled
@pytest.mark.parametrize(
    "words",
    [("predict", *CELL), ("predict", *CELL, "--offered-mpps", "0.5"), ("fits", "map_lookup")],
    ids=["predict", "predict at a load", "fits"],
)
def test_an_answer_from_a_model_file_loads_no_fitting_and_no_lab(fitted_model, words):
    model = ["--model", fitted_model] if words[0] == "fits" else [fitted_model]
    code, modules = loaded_by(*words, *model, "--memory-accesses", "100", "--json")
    assert code == 0
    assert modules & FITTING == set()
    assert not any(name.startswith("linerate.measure") for name in modules)


def test_a_rate_of_one_cell_loads_no_tables_and_says_what_the_table_says(fitted_model):
    code, modules = loaded_by("predict", fitted_model, *CELL, "--memory-accesses", "100")
    cell = {"datapath": "xdp_native", "frame_bytes": 64, "queues": 1, "memory_accesses": 100}
    model = lr.load(fitted_model)
    table = model.predict(pd.DataFrame([cell]))
    assert code == 0
    assert {name.partition(".")[0] for name in modules} & {"pandas", "pyarrow"} == {"pandas"}
    assert "pandas.core" not in modules  # what stands for it has its name
    assert modules & (FITTING | ONLY_FITS) == set()
    factors = {name: value for name, value in cell.items() if name != "datapath"}
    only = lr.Model(file=load_rates(Path(fitted_model))).predict("xdp_native", **factors)
    whole = model.predict("xdp_native", **factors)
    assert only.to_dict() == whole.to_dict()
    assert {name: table[name][0] for name in only.rates.columns()} == {
        name: column[0] for name, column in only.rates.columns().items()
    }


def test_what_a_rate_leaves_unread_is_what_needs_a_load():
    assert {kind.name for kind in KINDS if kind.needs_load and kind.fit} == AT_A_LOAD
