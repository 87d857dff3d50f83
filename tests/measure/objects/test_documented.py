"""The maps file that docs/objects/inputs.md shows is one that is taken."""

import re

from linerate.measure.objects.listing import list_object
from linerate.measure.objects.maps.settings import read_settings


def test_the_maps_file_of_the_page_is_taken(compiled, repository, tmp_path):
    page = (repository / "docs/objects/inputs.md").read_text()
    blocks = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    (shown,) = [block for block in blocks if "[maps.routes]" in block]
    path = tmp_path / "maps.toml"
    path.write_text(shown)
    settings = read_settings(list_object(compiled("documented")), path, ["limit=200"])
    assert dict(settings.filled) == {
        "routes": 2, "limits": 1, "ring": 200_000, "sources": 4096, "programs": 1, "outer": 1,
    }  # fmt: skip
    assert "fill routes 080000000a000000" in "\n".join(settings.lines)
    assert settings.lines[3] == "set .rodata 0 c8000000"


def test_the_environment_of_the_page_is_taken(compiled, repository, tmp_path):
    page = (repository / "docs/objects/inputs.md").read_text()
    blocks = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    (shown,) = [block for block in blocks if "[environment]" in block]
    path = tmp_path / "maps.toml"
    path.write_text(shown)
    settings = read_settings(list_object(compiled("ways")), path)
    assert dict(settings.filled) == {"ports": 2}
    assert settings.environment and settings.environment.routes[0].role == "out"
