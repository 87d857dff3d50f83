"""What a command loads before it knows that it has something to do."""

import json
import subprocess
import sys
from typing import get_args

import pytest

from linerate.cli.app import COMMANDS
from linerate.cli.lab.tune import Profile
from linerate.measure.tuning.profiles import PROFILES

SLOW = {
    "numpy", "scipy", "pandas", "pyarrow", "matplotlib", "sklearn", "statsmodels", "numba",
    "pydantic", "markdown_it", "pygments", "attr", "email", "zipfile", "asyncio",
    "typer.rich_utils", "rich.markdown", "rich.progress", "rich.syntax", "rich.traceback",
}  # fmt: skip
"""Packages and modules; what lays out markup and checks types is among them."""
LIGHT = {
    "linerate", "linerate.errors", "linerate.files", "linerate.files.outputs", "linerate.links",
    "linerate.measure", "linerate.measure.importers", "linerate.measure.importers.formats",
    "linerate.measure.importers.registry", "linerate.progress",
}  # fmt: skip
"""What a command's words may need of linerate beside the command line: its work is not among it."""
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


def test_reading_a_model_and_predicting_loads_no_fitting(tmp_path, reference):
    model = tmp_path / "model.json"
    program = (
        "import linerate as lr\n"
        f"lr.fit(lr.read({str(reference('veth'))!r}), 'capacity').save({str(model)!r})"
    )
    subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)
    code, modules = loaded_by(
        "predict", str(model), "--datapath", "xdp_native", "--memory-accesses", "100",
        "--frame-bytes", "64", "--queues", "1", "--json",
    )  # fmt: skip
    assert code == 0
    assert modules & {"matplotlib", "sklearn", "statsmodels", "numba"} == set()
