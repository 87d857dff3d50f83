"""A model file may be anybody's: examples and constants that nobody measured are refused."""

import json

import pytest

from linerate.errors import BadInputError
from linerate.face.fits.chains.question import SHIPPED, fits_chain
from linerate.models import load_model
from linerate.models.latency.round_trips import kind_of

PORT = {"port": "ring", "fixed_us": 0.5, "port_us": 0.1, "poll_us": 0.005, "slower_us": 0.01,
        "runs": 99, "reach": 0.2}  # fmt: skip
KIND = kind_of({"chain_function": "tc"})


@pytest.fixture
def changed(repository, tmp_path):
    """Give a shipped model file with another value at a place, names and numbers with points."""

    def write(name, place, value):
        fields = json.loads((repository / f"src/linerate/data/boxes/{name}.json").read_bytes())
        fields["pipelines"] = {"ports": [dict(PORT)]} if name == "pipelines" else None
        within = fields
        *path, last = [int(step) if step.isdigit() else step for step in place.split(".")]
        for step in path:
            within = within[step]
        within[last] = value
        (tmp_path / "model.json").write_text(json.dumps(fields))
        return tmp_path / "model.json"

    return write


@pytest.mark.parametrize(
    ("name", "place", "value", "why"),
    [("pipelines", "mixes.packet_ns.3", 0.0, "packet_ns.3: 0.0 is not a time"),
     ("pipelines", "mixes.packet_ns.3", float("nan"), "packet_ns.3: nan is not a time"),
     ("pipelines", "mixes.packet_ns", [1.0], "1 times of 125 works"),
     ("pipelines", "mixes.works.0.base", "", "works.0: a name"),
     ("pipelines", "mixes.works.0.scope", "\x1b[2J", "works.0: a name that cannot be printed"),
     ("pipelines", "mixes.works.0.settings", [["queues", "0x10"]], "works.0: a setting of queues"),
     ("pipelines", "mixes.works.0.steps", [["add", 1], ["add", 2]], "works.0: .* twice"),
     ("pipelines", "mixes.works.0.steps", [["add", 10**12]], "works.0: a number of operations"),
     ("pipelines", "mixes.works.0.set_bytes", -1, "works.0: a working set"),
     ("pipelines", "mixes.scores.0", 1e9, "scores: 1000000000.0 is not a score"),
     ("pipelines", "mixes.load_reach", float("inf"), "load_reach: inf is not a score"),
     ("pipelines", "pipelines.ports.0.poll_us", -1.0, "ring: .* not times of a packet and a poll"),
     ("pipelines", "pipelines.ports.0.reach", 1e300, "not a half-width"),
     ("chains", "chain_times.times.0.log_sd", -0.1, "log_sd=-0.1 is not a deviation"),
     ("chains", "chain_times.times.0.fixed_ns", float("inf"), "not times of a packet"),
     ("chains", "chain_times.times.0.bytes_max", 1.0, "no chains of such lengths")],
)  # fmt: skip
def test_what_nobody_measured_is_refused_with_its_place(changed, name, place, value, why):
    with pytest.raises(BadInputError, match=rf"not a whole model file \(.*{why}"):
        load_model(changed(name, place, value))


def test_a_chain_to_which_a_model_leaves_no_time_is_refused(changed, tmp_path):
    (tmp_path / "own.chain.toml").write_text('function = "tc"\n[[functions]]\nname = "nat"\n')
    times = load_model(SHIPPED).fitted["chain_times"].times
    (place,) = (place for place, time in enumerate(times) if time.kind == KIND)
    model = changed("chains", f"chain_times.times.{place}.fixed_ns", -1e6)
    with pytest.raises(BadInputError, match="it leaves a packet of 64 B no time on a chain of 1"):
        fits_chain(tmp_path / "own.chain.toml", model=model)
