"""environment.yml and pyproject.toml promise the same."""

import re
import subprocess
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CONDA_ALONE = {"conda-forge", "python", "pip"}
"""The channel, and what pip users have before they start."""


def bounds(requirements):
    """Package name -> version bound, of lines such as ``numpy>=2``; conda has no extras."""
    form = re.compile(r"^([A-Za-z0-9_.-]+)(?:\[[a-z,]+\])?(.*)$")
    pairs = (form.findall(line)[0] for line in requirements)
    return {name.lower().replace("_", "-"): bound.replace(" ", "") for name, bound in pairs}


def conda_bounds():
    lines = (ROOT / "environment.yml").read_text().splitlines()
    named = (re.match(r"  (?:    )?- ([^:#-][^:#]*)", line) for line in lines)  # conda's, and pip's
    return bounds(match[1].strip() for match in named if match and not match.string.endswith(":"))


def pyproject():
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


def requirement_groups():
    project = pyproject()["project"]
    optional = project["optional-dependencies"].values()
    groups = [project["dependencies"], *optional, pyproject()["dependency-groups"]["dev"]]
    own = f"{project['name']}["  # an extra of extras
    return [[line for line in group if not line.startswith(own)] for group in groups]


def python_bounds():
    return bounds(line for group in requirement_groups() for line in group)


def test_conda_and_pip_users_get_the_same_bounds():
    conda = {name: bound for name, bound in conda_bounds().items() if name not in CONDA_ALONE}
    assert conda == python_bounds()


def test_conda_and_pip_users_get_the_same_python():
    assert conda_bounds()["python"] == pyproject()["project"]["requires-python"]


def test_a_package_named_twice_has_one_bound():
    seen = {}
    for group in requirement_groups():
        for name, bound in bounds(group).items():
            assert seen.setdefault(name, bound) == bound


def test_no_index_is_named():
    for name in ("environment.yml", "pyproject.toml", "Makefile"):
        assert not re.search(r"index.url", (ROOT / name).read_text())


def test_the_lab_listens_on_loopback_and_starts_for_root_too():
    """What the target would run; JupyterLab itself takes minutes to install."""
    made = {}
    for user in ("0", "1000"):
        done = subprocess.run(
            ["make", "--no-print-directory", "-n", "-o", ".venv/.lab", "lab", "LAB_FLAGS=--port=1",
             f"LAB_USER={user}"],
            cwd=ROOT, capture_output=True, text=True, check=True,
        )  # fmt: skip
        made[user] = done.stdout
    assert all("jupyter lab --ip=127.0.0.1" in text for text in made.values())
    assert all("--port=1" in text for text in made.values())
    assert "--allow-root" in made["0"]
    assert "--allow-root" not in made["1000"]
