"""What the processes of a lab know each other by: a token, a certificate and its key."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from secrets import token_hex

from linerate.errors import LinerateError, bad_input

TOKEN, CERTIFICATE, KEY = "token", "certificate.pem", "key.pem"
TOKEN_BYTES, TOKEN_CHARACTERS_MIN, DAYS = 32, 32, 825
LOOPBACK_NAMES = ("localhost", "ip6-localhost")


@dataclass(frozen=True, slots=True, kw_only=True)
class Keys:
    """A lab's secret."""

    token: bytes
    folder: Path
    encrypted: bool
    """Whether a certificate and its key lie beside the token."""

    @classmethod
    def read(cls, folder: Path) -> Keys:
        """Read the keys of a lab.

        Raises
        ------
        BadInputError
            There are none, others may read them, or the token is too short to be one.
        """
        if not (folder / TOKEN).is_file():
            raise bad_input(
                "keys", folder, why="there is no token in it", allowed="the folder that linerate "
                "scheduler made when it was first started", do="start linerate scheduler LAB.toml, "
                "and copy that folder to each box and to where linerate measure runs",
            )  # fmt: skip
        for name in (TOKEN, KEY):
            _refuse_open(folder / name)
        token = (folder / TOKEN).read_bytes().strip()
        if len(token) < TOKEN_CHARACTERS_MIN:
            raise bad_input(
                "token", folder / TOKEN, why=f"it has {len(token)} characters",
                allowed=f"{TOKEN_CHARACTERS_MIN} or more", do="remove the folder, and have "
                "linerate scheduler make another",
            )  # fmt: skip
        both = [(folder / name).is_file() for name in (CERTIFICATE, KEY)]
        return cls(token=token, folder=folder, encrypted=all(both))

    @classmethod
    def read_or_make(cls, folder: Path) -> Keys:
        """Read the keys of a lab; where there are none, make them, for their owner's eyes only.

        Without ``openssl`` there is a token alone, and nothing beyond loopback is served.
        """
        if not folder.exists():
            _make(folder)
        return cls.read(folder)

    def check_host(self, field: str, host: str) -> None:
        """Refuse an address beyond loopback where nothing would be encrypted."""
        if not self.encrypted and not is_loopback(host):
            raise bad_input(
                field, host, why=f"{self.folder} holds no certificate, so that all would be sent "
                "in the clear", allowed="an address of loopback", do=f"install openssl, remove "
                f"{self.folder}, and have linerate scheduler make one with a certificate",
            )  # fmt: skip


def is_loopback(host: str) -> bool:
    """Whether a host's name or address is this machine's alone.

    >>> is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host in LOOPBACK_NAMES


def _refuse_open(path: Path) -> None:
    if path.exists() and path.stat().st_mode & 0o077:
        raise bad_input(
            "keys", path, why="others may read it, and who has it may run commands on every box",
            allowed="a file of its owner's alone", do=f"chmod go= {path}, and make new keys if "
            "others use this machine",
        )  # fmt: skip


def _make(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700)
        with os.fdopen(os.open(folder / TOKEN, os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
            file.write(token_hex(TOKEN_BYTES) + "\n")
        _make_certificate(folder)
    except OSError as error:
        raise LinerateError(f"keys={folder}: they cannot be made ({error.strerror})") from error


def _make_certificate(folder: Path) -> None:
    """Have a certificate that vouches for itself: who holds its key belongs to the lab."""
    argv = ("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
            "-nodes", "-subj", "/CN=linerate-lab", "-days", str(DAYS),
            "-keyout", str(folder / KEY), "-out", str(folder / CERTIFICATE))  # fmt: skip
    try:
        done = subprocess.run(
            argv, capture_output=True, text=True, check=False, umask=0o077, stdin=subprocess.DEVNULL
        )
    except FileNotFoundError:  # then the token alone, on loopback
        return
    if done.returncode:
        raise LinerateError(f"openssl: {done.stderr.strip()}")
