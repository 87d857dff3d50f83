"""Connections of Dask that begin with a token: before it is proven, nothing that came is read.

Dask's processes run what they are sent. So each connection begins by both ends proving, by HMAC
over two fresh numbers, that they hold the lab's token; with a certificate that exchange is inside
TLS. A connection that fails it is closed.
"""

from __future__ import annotations

import hmac
import logging
from contextlib import suppress
from datetime import timedelta
from secrets import token_bytes
from typing import Any

from dask.config import set as configure
from distributed.comm.core import FatalCommClosedError
from distributed.comm.registry import backends
from distributed.comm.tcp import (
    TCPBackend,
    TCPConnector,
    TCPListener,
    TLSBackend,
    TLSConnector,
    TLSListener,
)
from distributed.security import Security
from tornado.gen import with_timeout
from tornado.iostream import IOStream, StreamClosedError
from tornado.util import TimeoutError as TookTooLong

from linerate.errors import bad_input
from linerate.measure.boxes.keys import CERTIFICATE, KEY, Keys

Base = Any
"""A class of Dask's, whose methods have no types."""
ENCRYPTED, PLAIN = "linerate", "linerate-loopback"
NONCE_BYTES, PROOF_BYTES, PROOF_SECONDS = 32, 32, 30.0
WRONG_TOKEN = "its token is another lab's"
SETTINGS = {
    "distributed.comm.timeouts.connect": "30s",
    "distributed.worker.profile.enabled": False,
    "distributed.admin.low-level-log-length": 100,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.terminate": False,
    "distributed.scheduler.work-stealing": False,
    "distributed.scheduler.active-memory-manager.start": False,
}
"""Of Dask, in every process of a lab: nothing is profiled, spilled or stolen beside a trial."""


def guard(keys: Keys) -> str:
    """Have this process speak to its lab alone.

    Returns
    -------
    The scheme of the lab's addresses.
    """
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    configure(SETTINGS)
    scheme = ENCRYPTED if keys.encrypted else PLAIN
    kinds = (TLSConnector, TLSListener) if keys.encrypted else (TCPConnector, TCPListener)
    backend: Any = TLSBackend() if keys.encrypted else TCPBackend()
    backend._connector_class = _connector(kinds[0], scheme, keys.token)
    backend._listener_class = _listener(kinds[1], scheme, keys.token)
    backends[scheme] = backend
    return scheme


def security_of(keys: Keys) -> Security:
    """Say by what certificate both ends of a connection are checked; none on loopback without."""
    if not keys.encrypted:
        return Security(require_encryption=False)
    certificate, key = str(keys.folder / CERTIFICATE), str(keys.folder / KEY)
    roles = ("client", "scheduler", "worker")
    return Security(
        require_encryption=True, tls_ca_file=certificate,
        **{f"tls_{role}_cert": certificate for role in roles},
        **{f"tls_{role}_key": key for role in roles},
    )  # fmt: skip


def address_of(keys: Keys, given: str) -> str:
    """Make the address that Dask understands of ``tcp://host:port``, ``tls://`` or neither.

    Raises
    ------
    BadInputError
        It is no such address, or one beyond loopback where there is no certificate.
    """
    scheme, _, rest = given.rpartition("://")
    host, colon, port = rest.rpartition(":")
    if scheme not in ("", "tcp", "tls") or not host or not colon or not port.isdigit():
        raise bad_input(
            "scheduler", given, why="it is not an address", allowed="tcp://HOST:PORT, such as "
            "tcp://127.0.0.1:8786", do="write it so",
        )  # fmt: skip
    keys.check_host("scheduler", host)
    return f"{guard(keys)}://{rest}"


async def _prove(stream: IOStream, token: bytes, *, listens: bool) -> bool:
    """Show the other end that this one holds the token, and see that it does."""
    own = token_bytes(NONCE_BYTES)
    await stream.write(own)
    other = await _bytes(stream, NONCE_BYTES)
    nonces = other + own if listens else own + other
    if listens:  # whoever calls goes first: nothing is learnt of the token by asking
        if not hmac.compare_digest(await _bytes(stream, PROOF_BYTES), _proof(token, b"c", nonces)):
            return False
        await stream.write(_proof(token, b"l", nonces))
        return True
    await stream.write(_proof(token, b"c", nonces))
    return hmac.compare_digest(await _bytes(stream, PROOF_BYTES), _proof(token, b"l", nonces))


def _proof(token: bytes, role: bytes, nonces: bytes) -> bytes:
    return hmac.digest(token, role + nonces, "sha256")


async def _bytes(stream: IOStream, count: int) -> bytes:
    within = timedelta(seconds=PROOF_SECONDS)
    got: bytes = await with_timeout(within, stream.read_bytes(count), StreamClosedError)
    return got


def _connector(base: Base, scheme: str, token: bytes) -> type:
    """Make what connects: it proves the token before it says anything else."""

    class Connector(base):
        prefix = f"{scheme}://"

        async def connect(self, *given: object, **named: object) -> object:
            comm = await super().connect(*given, **named)
            try:
                proven = await _prove(comm.stream, token, listens=False)
            except (StreamClosedError, TookTooLong):
                proven = False
            if not proven:
                comm.abort()
                raise FatalCommClosedError(WRONG_TOKEN)
            return comm

    return Connector


def _listener(base: Base, scheme: str, token: bytes) -> type:
    """Make what is connected to: it hears nothing else before the token is proven."""

    class Listener(base):
        prefix = f"{scheme}://"

        async def _prepare_stream(self, stream: IOStream, address: str) -> IOStream | None:
            ready: IOStream | None = await super()._prepare_stream(stream, address)
            with suppress(StreamClosedError, TookTooLong):
                if ready is not None and await _prove(ready, token, listens=True):
                    return ready
            stream.close()
            return None

    return Listener
