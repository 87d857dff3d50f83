"""A namespace with a device, and stages of a service function chain on it."""

from contextlib import contextmanager

import pytest

from linerate.measure.labs.namespace import Namespace

from .nsh_stages import OWN, Stages, colons, start_stages


@pytest.fixture
def namespace():
    with Namespace.create() as made:
        made.run(
            ["ip", "link", "add", "uplink", "address", colons(OWN), "type", "veth", "peer", "other"]
        )
        yield made


@pytest.fixture
def stages(namespace, tmp_path):
    @contextmanager
    def attach(*names, flags=()):
        places = [word for name in names for word in ("--attach", f"{name}@uplink")]
        with start_stages(namespace, *places, *flags) as process:
            yield Stages(namespace, process, tmp_path)
            process.communicate(timeout=5)
            assert process.returncode == 0

    return attach
