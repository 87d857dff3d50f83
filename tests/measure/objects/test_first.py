"""The README's program is the one that lies there, and all that it asks for fits together."""

import re
import shutil
import subprocess

from linerate.measure.campaign.campaign import read_campaign
from linerate.measure.objects.entry import choose_entry
from linerate.measure.objects.listing import list_object
from linerate.measure.objects.maps.settings import empty_maps, read_settings

FIRST = "bpf/examples/first"


def test_the_first_program_of_the_readme_is_compiled_asked_and_measured(repository, tmp_path):
    page = (repository / "README.md").read_text()
    (shown,) = re.findall(r"```c\n(.*?)```", page, re.DOTALL)
    assert (repository / FIRST / "drop_ports.bpf.c").read_text().endswith(shown)
    (compile_it,) = re.findall(r"(?m)^    (clang .*)$", page)
    shutil.copytree(repository / FIRST, tmp_path / "mine")
    subprocess.run(["sh", "-c", compile_it], cwd=tmp_path, check=True)
    listing = list_object(tmp_path / "mine/drop_ports.bpf.o")
    assert choose_entry(listing, "xdp_native", None) == "drop_ports"
    settings = read_settings(listing, tmp_path / "mine/drop_ports.toml", [])
    assert not empty_maps(listing, settings)
    asked = read_campaign(tmp_path / "mine/campaign.toml")
    assert set(asked.files()) == {"drop_ports.bpf.o", "drop_ports.toml"}
    assert len(list(asked.campaign.cells())) == 3
