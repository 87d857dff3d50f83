"""Whether packets are handed to other CPUs, and how many share them, as calls and maps show."""

import pytest

from linerate.measure.objects.code.targets import OtherCpus, other_cpus
from linerate.measure.objects.listing import list_object


@pytest.mark.parametrize(
    ("entry", "filled", "found"),
    [("to_cpu", {"cpus": 2}, OtherCpus(cpus=2, takes_all=True)),
     ("to_cpu", {}, OtherCpus(cpus=0, takes_all=False)),
     ("by_map", {"cpus": 2}, OtherCpus(cpus=0, takes_all=False)),
     ("by_clock", {"cpus": 2}, OtherCpus(cpus=0, takes_all=True))],
)  # fmt: skip
def test_only_maps_of_cpus_that_the_program_redirects_by_count(compiled, entry, filled, found):
    path = compiled("ways")
    assert other_cpus(path, entry, list_object(path), filled) == found
