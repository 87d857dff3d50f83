"""What is sent to the kernel names the one interface, by number, and nothing else."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linerate.measure.tuning.kernel import ethtool, links
from linerate.measure.tuning.kernel.netlink import Netlink, attribute, attributes, nest

INDEX = st.integers(1, 2**31 - 1)
U32 = st.integers(0, 2**32 - 1)
GROUPS = st.sampled_from([ethtool.CHANNELS, ethtool.RINGS, ethtool.COALESCING])


class Kernel:
    """Takes messages down in place of the kernel."""

    def __init__(self):
        self.heard = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def family(self, _):
        return 20

    def ask(self, kind, body, flags=0):
        self.heard.append((kind, body))
        return []


def told(action):
    """Run an action and return the one message that it sent."""
    kernel = Kernel()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Netlink, "open", lambda _: kernel)
        action()
    (message,) = kernel.heard
    return message


def device_of(body):
    """Number of the interface in the header of an ethtool message, and what comes after it."""
    (kind, header), *rest = attributes(body[4:])
    assert kind == 1
    ((kind, value),) = attributes(header)
    assert kind == 1
    return struct.unpack("=I", value)[0], rest


@given(INDEX, GROUPS, st.integers(2, 9), U32)
def test_a_number_goes_to_the_interface_named_alone(index, group, kind, value):
    sent, body = told(lambda: ethtool.set_number(index, group, kind, value))
    assert (sent, body[0]) == (20, group.set_message)
    assert device_of(body) == (index, [(kind, struct.pack("=I", value))])


@given(INDEX, st.text("abcdefgh-", min_size=1, max_size=30), st.booleans())
def test_an_offload_goes_to_the_interface_named_alone(index, name, on):
    _, body = told(lambda: ethtool.set_feature(index, name, on=on))
    device, ((wanted, bits),) = device_of(body)
    assert (device, wanted) == (index, 3)
    ((_, listed),) = attributes(bits)
    ((_, bit),) = attributes(listed)
    assert list(attributes(bit)) == [(2, name.encode() + b"\0")] + [(3, b"")] * on


@given(INDEX, U32)
def test_the_stacks_settings_go_to_the_interface_named_alone(index, value):
    for action in (lambda: links.set_mtu(index, value), lambda: links.set_inet(index, 8, value)):
        kind, body = told(action)
        assert kind == 19
        assert struct.unpack_from("=BxHiII", body) == (0, 0, index, 0, 0)
        assert struct.pack("=I", value) in body


@given(st.lists(st.tuples(st.integers(1, 100), st.binary(max_size=20))))
def test_attributes_are_read_back_as_they_were_packed(pairs):
    packed = b"".join(attribute(kind, value) for kind, value in pairs)
    assert len(packed) % 4 == 0
    assert list(attributes(packed)) == pairs
    assert list(attributes(nest(7, packed))) == [(7, packed)]


@given(st.binary(max_size=64))
def test_an_answer_of_any_bytes_ends(body):
    try:
        list(attributes(body))
    except OSError as error:
        assert "without a size" in str(error)
