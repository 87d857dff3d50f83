"""Where a store is: a folder, or any file system that fsspec knows by its address."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from secrets import token_hex
from typing import Any

from pyarrow import fs as file_systems

from linerate.errors import CannotHereError, LinerateError, bad_input, cannot_here

EXTRA = "pip install 'linerate[store]'"
UNFINISHED = ".new"
"""How names of files end that are being written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A folder of a file system; paths are given from there, with ``/`` between their parts."""

    system: Any
    """A ``pyarrow.fs.FileSystem``."""
    root: str
    name: str
    """As the user wrote it."""

    def path(self, part: str) -> str:
        """Path of a part in its file system."""
        return f"{self.root}/{part}"

    def sizes(self, folder: str) -> dict[str, int]:
        """List the files below a folder, by path from the root, with their sizes in bytes."""
        under = file_systems.FileSelector(self.path(folder), allow_not_found=True, recursive=True)
        with self._answering():
            found = self._listed(under)
        return {
            one.path[len(self.root) + 1 :]: int(one.size) for one in found if one.is_file
        }  # fmt: skip

    def has(self, part: str) -> bool:
        """Whether there is such a file or folder."""
        with self._answering():
            found = self.system.get_file_info(self.path(part))
        return bool(found.type != file_systems.FileType.NotFound)

    def names(self) -> list[str]:
        """List what lies directly in it; nothing where it is not there."""
        under = file_systems.FileSelector(self.root, allow_not_found=True)
        with self._answering():
            return sorted(one.base_name for one in self._listed(under))

    def read(self, part: str) -> bytes:
        """Read a file whole.

        Raises
        ------
        OSError
            It is not there, or cannot be read.
        """
        with self.system.open_input_file(self.path(part)) as file:
            return bytes(file.read())

    def put(self, part: str, content: bytes) -> None:
        """Write a file so that it is never seen half-written: under another name, then renamed.

        Raises
        ------
        LinerateError
            No permission, no space, no folder.
        """
        target = self.path(part)
        unfinished = f"{target}.{token_hex(6)}{UNFINISHED}"
        try:
            self.system.create_dir(target.rpartition("/")[0], recursive=True)
            try:
                with self.system.open_output_stream(unfinished) as file:
                    file.write(content)
                self._sync(unfinished)
                self.system.move(unfinished, target)
            except BaseException:
                with suppress(OSError):
                    self.system.delete_file(unfinished)
                raise
        except OSError as error:
            raise self._refused("written", error) from error

    def drop(self, part: str) -> None:
        """Delete a file, if it is there."""
        with suppress(FileNotFoundError):
            self.system.delete_file(self.path(part))

    def _listed(self, under: file_systems.FileSelector) -> list[file_systems.FileInfo]:
        """List; again where another writer made the folder just between Arrow's two looks at it."""
        infos: list[file_systems.FileInfo]
        try:
            infos = self.system.get_file_info(under)
        except FileNotFoundError:
            infos = self.system.get_file_info(under)
        return infos

    def _sync(self, path: str) -> None:
        """Have a file of this machine on disk before it is named as what it is."""
        if isinstance(self.system, file_systems.LocalFileSystem):
            handle = os.open(path, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)

    @contextmanager
    def _answering(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise self._refused("read", error) from error

    def _refused(self, done: str, error: OSError) -> LinerateError:
        why = error.strerror or str(error).splitlines()[0]
        return LinerateError(
            f"store={self.name}: it cannot be {done} ({why}); free some space, or name a place "
            "that you may use"
        )  # fmt: skip


def place_of(given: str | os.PathLike[str]) -> Place:
    """Find the file system of a folder's path, or of an address such as ``memory://lab``.

    Raises
    ------
    BadInputError
        An address that fsspec does not understand.
    CannotHereError
        An address, and fsspec or what it needs for this one is not installed.
    """
    name = os.fspath(given)
    if "://" not in name:
        root = os.path.abspath(name)
        return Place(system=file_systems.LocalFileSystem(), root=root, name=name)
    if find_spec("fsspec") is None:
        raise cannot_here("fsspec", why=f"{name} is not a folder of this machine", do=EXTRA)
    return _elsewhere(name)


def _elsewhere(name: str) -> Place:
    from fsspec.core import url_to_fs

    try:
        system, root = url_to_fs(name)
    except ImportError as error:
        raise CannotHereError(f"store={name}: {error}") from error
    except (OSError, ValueError) as error:
        raise bad_input("store", name, why=str(error).splitlines()[0], allowed="a folder, or an "
                        "address that fsspec knows, such as sftp://host/folder",
                        do="correct the address") from error  # fmt: skip
    handler = file_systems.FSSpecHandler(system)
    return Place(system=file_systems.PyFileSystem(handler), root=root.rstrip("/"), name=name)
