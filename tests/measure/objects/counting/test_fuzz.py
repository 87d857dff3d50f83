"""Objects of which some bytes are others: counted, or refused with words, and soon."""

import os
import random
import time

import pytest

from linerate.errors import BadInputError
from linerate.measure.objects.code.elf import read_sections
from linerate.measure.objects.counting.count import count_program
from linerate.measure.objects.listing import list_object
from linerate.measure.objects.maps.settings import read_settings
from linerate.measure.objects.traffic.udp_frames import of_size

EXAMPLES = int(os.environ.get("LINERATE_FUZZ_EXAMPLES", "40"))
SECONDS_MAX = 5.0
OBJECTS = {"calling": "outer", "chain": "parse", "router": "route"}


@pytest.fixture(scope="module")
def objects(compiled):
    """Each object's bytes, what it holds, and where its code lies."""
    found = {}
    for name, entry in OBJECTS.items():
        path = compiled(name)
        listing = list_object(path)
        code = [one for one in read_sections(path) if one.holds_instructions]
        found[name] = (path.read_bytes(), entry, listing, read_settings(listing), code)
    return found


def tried(path, data, entry, listing, filled):
    """Count what may be no program: True where it was counted, False where it was refused."""
    path.write_bytes(data)
    began = time.process_time()
    try:
        (count,) = count_program(path, entry, listing, filled, [of_size(64)])
    except BadInputError as refused:
        assert str(refused).isprintable()
        return False
    finally:
        assert time.process_time() - began < SECONDS_MAX
    assert count.instructions > 0
    assert sum(path.share for path in count.paths) == pytest.approx(1.0)
    return True


@pytest.mark.parametrize("name", OBJECTS)
def test_changed_code_is_counted_or_refused(objects, tmp_path, name):
    good, entry, listing, filled, code = objects[name]
    draws = random.Random(7)
    for _ in range(EXAMPLES):
        bad, section = bytearray(good), draws.choice(code)
        for _ in range(draws.randint(1, 4)):
            bad[section.offset + draws.randrange(section.section_bytes)] = draws.randrange(256)
        tried(tmp_path / "it.bpf.o", bytes(bad), entry, listing, filled)


@pytest.mark.parametrize("name", OBJECTS)
def test_changed_and_truncated_files_are_counted_or_refused(objects, tmp_path, name):
    good, entry, listing, filled, _ = objects[name]
    draws = random.Random(7)
    for _ in range(EXAMPLES):
        at, gone = draws.randrange(len(good)), draws.randrange(17)
        bad = good[:at] + draws.randbytes(draws.randrange(17)) + good[at + gone :]
        end = draws.choice((len(bad), draws.randrange(len(bad))))
        tried(tmp_path / "it.bpf.o", bad[:end], entry, listing, filled)


def test_the_objects_themselves_are_counted(objects, tmp_path):
    for good, entry, listing, filled, _ in objects.values():
        assert tried(tmp_path / "it.bpf.o", good, entry, listing, filled)
